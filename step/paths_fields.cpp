// Lowering of fields of objects. A field is a few bits of the object; a load tries each value, so that what is read is
// a constant of its path and later writes do not change it.
#include "fmt/format.h"
#include "step/paths.hpp"
#include "step/value_names.hpp"

namespace faultline::step {

using dsl::FlowNode;
using dsl::Index;

// The paths on which the object is there and not freed.
void PathBuilder::in_object(const Path& path, const FlowNode& node, const Next& next) {
  if (node.object == dsl::nothing) return next(path);
  const dsl::ResourceDecl& decl = context_.model.resources[flow_.refs[node.object].resource];
  const std::string& name = flow_.refs[node.object].name;
  const auto show = [&](Path& p) {
    if (node.text.empty())
      p.notes.push_back({node.span, fmt::format("{}->{}", name, decl.fields[node.field].name.text), ""});
  };
  split(
      path, is_null(path.ref[node.object]),
      [&](Path p) {
        show(p);
        violation(std::move(p), Kind::use_after_free,
                  fmt::format("`{}` is NULL where {} is used", name, decl.fields[node.field].name.text), node.span);
      },
      [&](Path p) {
        split(
            p, bit_of(p.ref[node.object], 0),
            [&](Path q) {
              show(q);
              violation(std::move(q), Kind::use_after_free,
                        fmt::format("{} of a freed {} is used", decl.fields[node.field].name.text, decl.name.text),
                        node.span);
            },
            next);
      });
}

void PathBuilder::load_field(Path path, const FlowNode& node) {
  const Index resource = flow_.refs[node.object].resource;
  const dsl::Type& type = context_.model.resources[resource].fields[node.field].type;
  const Id lowest = context_.layout.field_bits[resource][node.field];
  const auto names = value_names(context_.model, type);
  in_object(path, node, [&](Path p) {
    for (unsigned value = 0; value <= type.high; ++value) {
      Path q = p;
      bool possible = true;
      for (Id digit = 0; possible && type.high >> digit != 0; ++digit)
        possible = assume(q, bit_of(q.ref[node.object], static_cast<Id>(lowest + digit)), (value >> digit & 1) != 0);
      if (!possible) continue;
      if (!node.text.empty())
        q.notes.push_back({node.span, node.text, value < names.size() ? names[value] : std::to_string(value)});
      q.var[node.var] = exprs_.constant(value);
      go(std::move(q), node);
    }
  });
}

void PathBuilder::store_field(Path path, const FlowNode& node) {
  const Index resource = flow_.refs[node.object].resource;
  const dsl::Type& type = context_.model.resources[resource].fields[node.field].type;
  const Id lowest = context_.layout.field_bits[resource][node.field];
  if (!node.text.empty()) path.notes.push_back({node.span, node.text, ""});
  in_object(path, node, [&](Path p) {
    const ExprId stored = translate(p, *node.expr);
    for (unsigned value = 0; value <= type.high; ++value) {
      Path q = p;
      if (!assume(q, exprs_.in(stored, std::uint64_t{1} << value), true)) continue;
      const Id object = in_handle(q, node.object);
      for (Id digit = 0; type.high >> digit != 0; ++digit)
        op(q, OpCode::set_object_bit, object, static_cast<Id>(lowest + digit),
           static_cast<std::uint8_t>(value >> digit & 1));
      changed(q);
      go(std::move(q), node);
    }
  });
}

}  // namespace faultline::step
