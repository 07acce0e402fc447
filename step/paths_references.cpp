// Lowering of reference counts. The number is never stored (credits, as in permission accounting: Boyland 2003): the
// object has one bit for the reference that it is born with, which whoever owns the object may put, and one that says
// whether the count is above 0; each CPU counts the references that it took, beside the handle under which it took
// them. The count is 0 when the bit is clear, this CPU holds none, and no other CPU holds one under a handle of the
// object.
#include "fmt/format.h"
#include "step/paths.hpp"

namespace faultline::step {

using dsl::FlowNode;
using dsl::Index;
using dsl::NodeKind;
using dsl::nothing;

namespace {

constexpr Id born = 0, above_zero = 1;  // digits of the field

}  // namespace

ExprId PathBuilder::counted(const Path& path, const FlowNode& node, Id digit) {
  const Id lowest = context_.layout.field_bits[flow_.refs[node.object].resource][node.field];
  return bit_of(path.ref[node.object], static_cast<Id>(lowest + digit));
}

void PathBuilder::by_credit(const Path& path, std::size_t ref, const std::function<void(Path, std::uint8_t)>& next) {
  for (std::uint8_t n = 0; n <= max_credit; ++n)
    if (Path p = path; assume(p, exprs_.in(path.credit[ref], std::uint64_t{1} << n), true)) next(std::move(p), n);
}

void PathBuilder::refs_start(Path path, const FlowNode& node) {
  path.notes.push_back({node.span, node.text, ""});
  const Id lowest = context_.layout.field_bits[flow_.refs[node.object].resource][node.field];
  in_object(path, node, [&](Path p) {
    split(
        p, counted(p, node, above_zero),
        [&](Path q) {
          violation(std::move(q), Kind::assertion,
                    fmt::format("the count of `{}` is set while there are references", flow_.refs[node.object].name),
                    node.span);
        },
        [&](Path q) {
          const Id object = in_handle(q, node.object);
          op(q, OpCode::set_object_bit, object, static_cast<Id>(lowest + born), 1);
          op(q, OpCode::set_object_bit, object, static_cast<Id>(lowest + above_zero), 1);
          changed(q);
          go(std::move(q), node);
        });
  });
}

void PathBuilder::refs_get(Path path, const FlowNode& node) {
  const bool tries = node.kind == NodeKind::refs_try_get;
  const std::string& name = flow_.refs[node.object].name;
  if (!tries) path.notes.push_back({node.span, node.text, ""});
  in_object(path, node, [&](Path p) {
    split(
        p, counted(p, node, above_zero),
        [&](Path q) {
          (void)in_handle(q, node.object);  // what is counted beside a handle needs one
          by_credit(q, node.object, [&](Path r, std::uint8_t credit) {
            if (credit == max_credit)
              return violation(std::move(r), Kind::bound,
                               fmt::format("a CPU takes more than {} references under `{}`", max_credit, name),
                               node.span);
            r.credit[node.object] = exprs_.constant(credit + 1U);
            if (tries) return take(std::move(r), node, 0, "true");
            go(std::move(r), node);
          });
        },
        [&](Path q) {
          if (tries) return take(std::move(q), node, 1, "false");
          violation(std::move(q), Kind::use_after_free,
                    fmt::format("a reference is taken to `{}`, of which there are none any more", name), node.span);
        });
  });
}

void PathBuilder::refs_put(Path path, const FlowNode& node) {
  if (node.kind == NodeKind::refs_put) path.notes.push_back({node.span, node.text, ""});
  in_object(path, node, [&](Path p) {
    (void)in_handle(p, node.object);
    std::vector<Index> names = {node.object};
    for (std::size_t z = 0; z < p.ref.size(); ++z)
      if (z != node.object && flow_.refs[z].resource == flow_.refs[node.object].resource &&
          p.ref[z].kind != RefValue::Kind::null)
        names.push_back(static_cast<Index>(z));
    give_up(std::move(p), node, names, 0);
  });
}

// One that this CPU took, under whatever name,
void PathBuilder::give_up(Path path, const FlowNode& node, const std::vector<Index>& names, std::size_t at) {
  if (at == names.size()) return give_up_first(std::move(path), node, names, 0);
  const Index z = names[at];
  const auto other = [&](Path p) { give_up(std::move(p), node, names, at + 1); };
  if (exprs_.value(path.credit[z]) == 0U) return other(std::move(path));
  split(
      path, same(path.ref[z], path.ref[node.object]),
      [&](Path p) {
        by_credit(p, z, [&](Path q, std::uint8_t credit) {
          q.credit[z] = exprs_.constant(credit > 0 ? credit - 1U : 0U);
          if (credit == 0) return give_up(std::move(q), node, names, at + 1);
          was_last(std::move(q), node, names, 0);
        });
      },
      other);
}

// or else the one that the object was born with, if the object is this CPU's.
void PathBuilder::give_up_first(Path path, const FlowNode& node, const std::vector<Index>& names, std::size_t at) {
  if (at == names.size())
    return violation(
        std::move(path), Kind::double_free,
        fmt::format("a reference to `{}` is put that this CPU does not hold", flow_.refs[node.object].name), node.span);
  const Index z = names[at];
  const auto other = [&](Path p) { give_up_first(std::move(p), node, names, at + 1); };
  if (exprs_.value(path.own[z]) == 0U) return other(std::move(path));
  split(
      path, exprs_.land(path.own[z], same(path.ref[z], path.ref[node.object])),
      [&](Path p) {
        split(
            p, counted(p, node, born),
            [&](Path q) {
              const Id lowest = context_.layout.field_bits[flow_.refs[node.object].resource][node.field];
              q.own[z] = exprs_.constant(0);
              op(q, OpCode::set_object_bit, q.ref[node.object].id, static_cast<Id>(lowest + born), 0);
              changed(q);
              q.facts.emplace_back(counted(q, node, born), false);
              was_last(std::move(q), node, names, 0);
            },
            [&](Path q) {
              violation(std::move(q), Kind::double_free,
                        fmt::format("a reference to `{}` is put that there is not", flow_.refs[node.object].name),
                        node.span);
            });
      },
      other);
}

void PathBuilder::was_last(Path path, const FlowNode& node, const std::vector<Index>& names, std::size_t at) {
  if (at < names.size()) {
    const Index z = names[at];
    const auto other = [&](Path p) { was_last(std::move(p), node, names, at + 1); };
    if (exprs_.value(path.credit[z]) == 0U) return other(std::move(path));
    return split(
        path, exprs_.land(exprs_.lnot(exprs_.in(path.credit[z], 1)), same(path.ref[z], path.ref[node.object])),
        [&](Path p) { put_done(std::move(p), node, false); }, other);
  }
  split(
      path, counted(path, node, born), [&](Path p) { put_done(std::move(p), node, false); },
      [&](Path p) {
        const Index resource = flow_.refs[node.object].resource;
        ExprId others = exprs_.constant(0);
        for (std::size_t h = 0; h < context_.layout.credit.size(); ++h) {
          const Id credit = context_.layout.credit[h];
          if (credit == no_id || context_.program.handles[h].type != resource) continue;
          const ExprId holds = exprs_.lnot(exprs_.in(exprs_.make(ExprOp::other_local, credit), 1));
          const ExprId it = exprs_.make(ExprOp::other_is_mine, static_cast<ExprId>(h), p.ref[node.object].id);
          others = exprs_.lor(others, exprs_.land(it, holds));
        }
        if (Path q = p; exprs_.value(others) != 0U) {
          op(q, OpCode::some, 0, 0, 0, others);
          put_done(std::move(q), node, false);
        }
        op(p, OpCode::none, 0, 0, 0, others);
        put_done(std::move(p), node, true);
      });
}

// Who puts the last reference owns the object, and so has to free it.
void PathBuilder::put_done(Path path, const FlowNode& node, bool last) {
  if (last) {
    const Id lowest = context_.layout.field_bits[flow_.refs[node.object].resource][node.field];
    op(path, OpCode::set_object_bit, path.ref[node.object].id, static_cast<Id>(lowest + above_zero), 0);
    changed(path);
    path.own[node.object] = exprs_.constant(1);
  }
  if (node.kind == NodeKind::refs_put_test) return take(std::move(path), node, last ? 0 : 1, last ? "true" : "false");
  go(std::move(path), node);
}

// `ref` is about to lose its value: another name of the object takes its references over.
void PathBuilder::hand_over(Path path, Index ref, const std::vector<Index>& names, std::size_t at, Span span,
                            const Next& next) {
  by_credit(path, ref, [&](Path p, std::uint8_t credit) {
    if (credit == 0 || at == names.size()) {
      p.credit[ref] = exprs_.constant(0);
      if (credit == 0) return next(std::move(p));
      return violation(std::move(p), Kind::leak,
                       fmt::format("the last name under which a reference to a {} is held is lost here",
                                   context_.model.resources[flow_.refs[ref].resource].name.text),
                       span);
    }
    const Index z = names[at];
    const auto other = [&](Path q) { hand_over(std::move(q), ref, names, at + 1, span, next); };
    if (p.ref[z].kind == RefValue::Kind::null) return other(std::move(p));
    split(
        p, same(p.ref[z], p.ref[ref]),
        [&](Path q) {
          q.credit[ref] = exprs_.constant(0);
          by_credit(q, z, [&](Path r, std::uint8_t has) {
            r.credit[z] = exprs_.constant(std::min<unsigned>(has + credit, max_credit));
            if (has + credit > max_credit)
              return violation(
                  std::move(r), Kind::bound,
                  fmt::format("a CPU holds more than {} references under `{}`", max_credit, flow_.refs[z].name), span);
            next(std::move(r));
          });
        },
        other);
  });
}

}  // namespace faultline::step
