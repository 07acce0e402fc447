// Part of parse.cpp: ANTLR's tree of a file turned into dsl/ast.hpp. Items and lines with an error are left out.
#pragma once
#include <algorithm>

#include "dsl/parse_build_body.hpp"

namespace faultline::dsl {

class Builder : private BodyBuilder {
 public:
  using BodyBuilder::BodyBuilder;

  File file(Parser::FileContext* context) {
    File out;
    if (context->header() != nullptr && sound(context->header())) out.model = ident(context->header()->name());
    for (Parser::ItemContext* item : context->item()) {
      if (sound(item)) out.items.push_back(build(item));
    }
    report_misspelt(out);
    return out;
  }

 private:
  Item build(Parser::ItemContext* context) {
    Item item;
    item.span = span(context);
    if (auto* c = context->memoryItem()) {
      item.memory = std::make_shared<MemoryItem>(MemoryItem{ident(c->name())});
    }
    if (auto* c = context->lockItem()) {
      item.lock = std::make_shared<LockItem>(LockItem{ident(c->kind), idents(c->names())});
    }
    if (auto* c = context->opaqueItem()) {
      item.opaque = std::make_shared<OpaqueItem>(OpaqueItem{idents(c->names()), c->start->getText() == "volatile"});
    }
    if (auto* c = context->resourceItem()) {
      item.resource = std::make_shared<ResourceItem>(resource(c));
    }
    if (auto* c = context->enumItem()) {
      item.enumeration = std::make_shared<EnumItem>(enumeration(c));
    }
    if (auto* c = context->entryItem()) {
      item.entry = std::make_shared<EntryItem>(entry(c));
    }
    if (auto* c = context->sharedItem()) {
      if (c->INT() != nullptr)
        unsupported(span(c->INT()->getSymbol(), c->INT()->getSymbol()), "arrays of shared places are");
      item.shared = std::make_shared<SharedItem>(
          SharedItem{type(c->typeName()), ident(c->name()), c->expr() != nullptr ? expr(c->expr()) : nullptr});
    }
    if (auto* c = context->tlbItem()) {
      TlbItem tlb{ident(c->name(0)), {}, idents(c->names())};
      if (c->name().size() > 1) tlb.caches = ident(c->name(1));
      item.tlb = std::make_shared<TlbItem>(std::move(tlb));
    }
    if (auto* c = context->handlerItem()) item.function = function(c, nullptr);
    if (auto* c = context->functionItem()) item.function = function(c, c->resultType());
    if (auto* c = context->runItem()) {
      RunItem run;
      run.handlers = idents(c->names());
      if (c->INT() != nullptr) run.cpus = number(c->INT());
      run.once = has(c, "once");
      item.run = std::make_shared<RunItem>(std::move(run));
    }
    if (auto* c = context->invariantItem()) {
      item.invariant = std::make_shared<InvariantItem>(InvariantItem{ident(c->name()), expr(c->expr())});
    }
    if (auto* c = context->progressItem()) {
      item.progress =
          std::make_shared<ProgressItem>(ProgressItem{ident(c->name()), expr(c->expr(0)), expr(c->expr(1))});
    }
    if (auto* c = context->costItem()) {
      item.cost = std::make_shared<CostItem>(CostItem{ident(c->name()), idents(c->names())});
    }
    if (auto* c = context->patchItem()) {
      item.patch = std::make_shared<PatchItem>(patch(c));
    }
    if (auto* c = context->expectItem()) {
      item.expect = std::make_shared<ExpectItem>(expect(c));
    }
    return item;
  }

  template <typename Context>
  std::shared_ptr<FunctionItem> function(Context* context, antlr4::ParserRuleContext* result) {
    auto out = std::make_shared<FunctionItem>();
    out->is_handler = result == nullptr;
    if (result != nullptr) out->result = type(result);
    out->name = ident(context->name());
    out->params = params(context->paramList()->params());
    out->body = block(context->block());
    return out;
  }

  ResourceItem resource(Parser::ResourceItemContext* context) {
    ResourceItem out;
    out.name = ident(context->name());
    for (Parser::ResourceLineContext* line : context->resourceLine()) {
      if (!sound(line)) continue;
      if (line->role != nullptr) {
        std::optional<Ident>& role = line->role->getText() == "alloc" ? out.alloc : out.free;
        if (role)
          error("FL0202", span(line), fmt::format("`{}` is given twice", line->role->getText()),
                {{role->span, "here already"}});
        role = ident(line->name());
      } else if (line->flag != nullptr) {
        (line->flag->getText() == "nofail" ? out.nofail : out.type_stable) = true;
      } else {
        out.fields.push_back({type(line->typeName()), ident(line->name())});
        fields_.push_back(out.fields.back().type);
      }
    }
    return out;
  }

  EnumItem enumeration(Parser::EnumItemContext* context) {
    EnumItem out;
    if (context->name() != nullptr) out.name = ident(context->name());
    for (Parser::ConstantContext* constant : context->constant()) {
      EnumItem::Constant c{ident(constant->name()), {}};
      if (constant->INT() != nullptr) c.value = number(constant->INT(), has(constant, "-"));
      out.constants.push_back(std::move(c));
    }
    return out;
  }

  EntryItem entry(Parser::EntryItemContext* context) {
    EntryItem out;
    out.name = ident(context->name());
    for (Parser::StateLineContext* line : context->stateLine()) {
      if (!sound(line)) continue;
      StateDecl state{ident(line->name()), params(line->params()), idents(line->names()), has(line, "unreachable"),
                      span(line)};
      for (const Param& payload : state.payload) {
        if (payload.type) continue;
        diagnostics_.add({Severity::error,
                          "FL0127",
                          payload.span,
                          fmt::format("payload `{}` has no type", payload.name.text),
                          {},
                          {},
                          {fmt::format("`state {}(page_t {})`", state.name.text, payload.name.text)}});
      }
      out.states.push_back(std::move(state));
    }
    for (Parser::ArrowLineContext* line : context->arrowLine()) {
      if (sound(line)) out.arrows.push_back(arrow(line));
    }
    return out;
  }

  Arrow arrow(Parser::ArrowLineContext* line) {
    Arrow out;
    out.from = idents(line->names(0));
    out.to = idents(line->names(1));
    out.unreachable = has(line, "unreachable");
    out.span = span(line);
    if (auto* under = line->underClause()) {
      out.under_span = span(under);
      for (Parser::LockUseContext* use : under->lockUse()) {
        LockUse lock{{}, ident(use->name()), span(use)};
        if (use->access != nullptr) lock.mode = ident(use->access);
        out.locks.push_back(std::move(lock));
      }
    }
    if (line->flushClause() != nullptr) {
      out.after_flush = true;
      out.flush_span = span(line->flushClause());
    }
    return out;
  }

  PatchItem patch(Parser::PatchItemContext* context) {
    PatchItem out;
    out.name = ident(context->name(0));
    if (context->name().size() > 1) out.after = ident(context->name(1));
    for (Parser::HunkContext* hunk : context->hunk()) {
      PatchHunk h;
      h.function = ident(hunk->name());
      in_hunk_ = true;
      for (Parser::PatchLineContext* line : hunk->patchLine()) {
        if (!sound(line) || !sound(line->statement())) continue;
        h.lines.push_back(
            {line->sign != nullptr ? line->sign->getText().front() : ' ', statement(line->statement()), span(line)});
      }
      in_hunk_ = false;
      out.hunks.push_back(std::move(h));
    }
    return out;
  }

  ExpectItem expect(Parser::ExpectItemContext* context) {
    ExpectItem out;
    out.variant = ident(context->name());
    for (Parser::ClauseContext* clause : context->clause()) {
      ExpectClause c;
      c.span = span(clause);
      if (clause->relation != nullptr) {
        c.what = ExpectClause::What::compare;
        c.relation = ident(clause->relation);
        c.measure = ident(clause->name(0));
        c.than = ident(clause->name(1));
      } else if (!clause->kindName().empty()) {
        c.what = ExpectClause::What::violates;
        c.kinds = idents(clause->kindName());
      } else if (clause->INT() != nullptr) {
        c.cpus = number(clause->INT());
      }
      out.clauses.push_back(std::move(c));
    }
    return out;
  }

  static bool declares(const Item& item, const std::string& type) {
    return (item.resource && item.resource->name.text == type) || (item.entry && item.entry->name.text == type) ||
           (item.enumeration && item.enumeration->name && item.enumeration->name->text == type);
  }

  // `esle step;` reads like the declaration of `step`. It is none when `esle` is no type of the file and almost a
  // keyword.
  void report_misspelt(const File& file) {
    const auto almost = [&file](const TypeName& type, const std::vector<std::string>& words) {
      const bool known =
          type.text == "rcu" || std::any_of(file.items.begin(), file.items.end(),
                                            [&type](const Item& item) { return declares(item, type.text); });
      return known ? std::string{} : did_you_mean(type.text, words);
    };
    for (const TypeName& type : declared_) {
      const std::string near = almost(type, {"else", "return", "goto", "case"});
      if (!near.empty())
        error("FL0131", type.span, fmt::format("unknown statement `{}`", type.text), {},
              {fmt::format("did you mean `{}`?", near)});
    }
    for (const TypeName& type : fields_) {
      const std::string near = almost(type, {"alloc", "free"});
      if (!near.empty())
        error("FL0114", type.span, fmt::format("unknown word `{}` in a resource", type.text), {},
              {fmt::format("did you mean `{}`?", near)});
    }
  }

  std::vector<TypeName> fields_;  // types of fields of resources
};

}  // namespace faultline::dsl
