// Patches. All lines of a hunk are looked up in the function as it was before the hunk, then applied in one walk that
// shares what it does not change: a variant costs the path to its changes, and the base stays as it is.
#include "dsl/patch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

namespace faultline::dsl {
namespace {

// A statement of a function and where it stands.
struct Spot {
  StmtPtr stmt;
  const Stmt* parent = nullptr;  // whose list or body it stands in
  const Stmt* outer = nullptr;   // the nearest statement around it that is a spot itself
  std::size_t index = 0;
  bool sole = false;     // the whole body of an if or a loop
  bool is_else = false;  // the `if` of an `else if`
  std::vector<std::string> tokens;
};

struct Change {
  bool remove = false;
  std::vector<StmtPtr> insert;
  const PatchLine* line = nullptr;
};
using Changes = std::map<const Stmt*, Change>;

bool holds_list(const Stmt& s) {
  return s.kind == StmtKind::block || s.kind == StmtKind::atomic || s.kind == StmtKind::switch_;
}

void collect(const Stmt& parent, const Stmt* outer, const std::vector<std::string>& opaque, std::vector<Spot>& out) {
  for (std::size_t i = 0; i < parent.body.size(); ++i) {
    const StmtPtr& stmt = parent.body[i];
    const bool is_else = parent.kind == StmtKind::if_ && i == 1 && stmt->kind == StmtKind::if_;
    // The block behind `if (…)` belongs to the `if`; what is inside it can be changed.
    const bool is_spot = holds_list(parent) || stmt->kind != StmtKind::block;
    if (is_spot) out.push_back({stmt, &parent, outer, i, !holds_list(parent), is_else, normal_tokens(*stmt, opaque)});
    collect(*stmt, is_spot ? stmt.get() : outer, opaque, out);
  }
}

// ---------------------------------------------------------------- applying

StmtPtr rebuild(const StmtPtr& stmt, const Changes& changes);

std::vector<StmtPtr> replaced(const StmtPtr& stmt, const Changes& changes) {
  const auto found = changes.find(stmt.get());
  std::vector<StmtPtr> out;
  if (found == changes.end() || !found->second.remove) out.push_back(rebuild(stmt, changes));
  if (found != changes.end()) out.insert(out.end(), found->second.insert.begin(), found->second.insert.end());
  return out;
}

StmtPtr rebuild(const StmtPtr& stmt, const Changes& changes) {
  std::vector<StmtPtr> body;
  for (const StmtPtr& part : stmt->body) {
    std::vector<StmtPtr> now = replaced(part, changes);
    if (!holds_list(*stmt) && now.size() != 1) {  // a sole body: no statement becomes `;`, several a block
      auto block = std::make_shared<Stmt>();
      block->kind = now.empty() ? StmtKind::empty : StmtKind::block;
      block->span = now.empty() ? part->span : now.front()->span.to(now.back()->span);
      block->body = std::move(now);
      now = {block};
    }
    body.insert(body.end(), now.begin(), now.end());
  }
  if (body == stmt->body) return stmt;
  auto out = std::make_shared<Stmt>(*stmt);
  out->body = std::move(body);
  return out;
}

// ---------------------------------------------------------------- looking up

std::size_t distance(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t corner = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, corner + (a[i - 1] == b[j - 1] ? 0 : 1)});
      corner = above;
    }
  }
  return row[b.size()];
}

// The statement that needs the fewest tokens changed, if it has at least something in common.
const Spot* closest(const std::vector<Spot>& spots, const std::vector<std::string>& tokens) {
  constexpr std::size_t longest = 400;  // tokens: beyond, a statement is not one that a person mistyped
  const Spot* best = nullptr;
  std::size_t best_distance = 0;
  if (tokens.size() > longest) return nullptr;
  for (const Spot& spot : spots) {
    const std::size_t limit = std::max(tokens.size(), spot.tokens.size());
    if (limit > longest) continue;
    const std::size_t now = distance(tokens, spot.tokens);
    if (now * 3 > limit * 2) continue;
    if (best == nullptr || now < best_distance) {
      best = &spot;
      best_distance = now;
    }
  }
  return best;
}

class Patcher {
 public:
  Patcher(const File& file, Diagnostics& diagnostics) : file_(file), out_(file), diagnostics_(diagnostics) {
    for (const Item& item : file.items) {
      if (item.opaque) {
        for (const Ident& name : item.opaque->names) opaque_.push_back(name.text);
      }
    }
  }

  File run(const std::string& variant) {
    std::vector<const PatchItem*> chain;
    const PatchItem* patch = find(variant);
    while (patch != nullptr) {
      if (std::find(chain.begin(), chain.end(), patch) != chain.end()) {
        error("FL0608", patch->after->span, fmt::format("patch {} comes after itself", patch->name.text), {},
              {"`after` names a patch that does not lead back to this one"});
        return out_;
      }
      chain.push_back(patch);
      if (!patch->after || patch->after->text == "base") break;
      const PatchItem* base = find(patch->after->text);
      if (base == nullptr) {
        unknown("FL0607", *patch->after, "patch", variants(file_));
        return out_;
      }
      patch = base;
    }
    for (auto next = chain.rbegin(); next != chain.rend(); ++next) apply(**next);
    return out_;
  }

 private:
  [[nodiscard]] const PatchItem* find(const std::string& name) const {
    for (const Item& item : file_.items) {
      if (item.patch && item.patch->name.text == name) return item.patch.get();
    }
    return nullptr;
  }

  void error(std::string code, const Span& span, std::string message, std::vector<Related> related = {},
             std::vector<std::string> notes = {}, std::vector<std::string> helps = {}) {
    diagnostics_.add({Severity::error, std::move(code), span, std::move(message), std::move(related), std::move(notes),
                      std::move(helps)});
  }

  void unknown(std::string code, const Ident& name, std::string_view what, const std::vector<std::string>& candidates) {
    const std::string near = did_you_mean(name.text, candidates);
    std::string list;
    for (const std::string& candidate : candidates) list += (list.empty() ? "" : ", ") + candidate;
    std::vector<std::string> notes;
    if (!near.empty()) notes.push_back(fmt::format("did you mean `{}`?", near));
    if (!list.empty() && list.size() < 80) notes.push_back(fmt::format("there are: {}", list));
    error(std::move(code), name.span, fmt::format("there is no {} `{}`", what, name.text), {}, std::move(notes));
  }

  void apply(const PatchItem& patch) {
    bool changes = false;
    for (const PatchHunk& hunk : patch.hunks) {
      changes = changes || std::any_of(hunk.lines.begin(), hunk.lines.end(),
                                       [](const PatchLine& line) { return line.sign != ' '; });
      apply(hunk);
    }
    if (!changes) {
      error("FL0609", patch.name.span, fmt::format("patch {} changes nothing", patch.name.text), {},
            {"no line of it begins with `-` or `+`"});
    }
  }

  void apply(const PatchHunk& hunk) {
    std::vector<std::string> functions;
    for (Item& item : out_.items) {
      if (!item.function) continue;
      functions.push_back(item.function->name.text);
      if (item.function->name.text != hunk.function.text) continue;
      auto patched = std::make_shared<FunctionItem>(*item.function);
      patched->body = change(hunk, *item.function);
      item.function = std::move(patched);
      return;
    }
    unknown("FL0605", hunk.function, "function", functions);
  }

  [[nodiscard]] StmtPtr change(const PatchHunk& hunk, const FunctionItem& function) {
    std::vector<std::string> opaque = opaque_;
    for (const Param& param : function.params) {
      if (!param.type) opaque.push_back(param.name.text);
    }
    std::vector<Spot> spots;
    collect(*function.body, nullptr, opaque, spots);
    const std::vector<std::vector<const Spot*>> places = look_up(hunk, spots, opaque);
    Changes changes;
    Change* last = nullptr;  // what `+` lines go to
    for (std::size_t i = 0; i < hunk.lines.size(); ++i) {
      const PatchLine& line = hunk.lines[i];
      if (line.sign == '+') {
        if (i == 0) {
          error("FL0604", line.span, "this `+` stands behind no statement of the function", {}, {},
                {"put the statement before it in front of it, without a sign"});
        }
        if (last != nullptr) last->insert.push_back(line.stmt);
        continue;
      }
      const Spot* spot = settle(line, places[i], spots, hunk.function.text, opaque);
      last = nullptr;
      if (spot == nullptr) continue;
      const bool adds = i + 1 < hunk.lines.size() && hunk.lines[i + 1].sign == '+';
      if (line.sign == ' ' && adds && spot->sole) {
        error("FL0604", hunk.lines[i + 1].span, "it is not clear where this belongs",
              {{spot->stmt->span, "this is the whole body of a statement"}}, {},
              {"replace that whole statement, with braces around its new body"});
        continue;
      }
      const auto [entry, fresh] = changes.try_emplace(spot->stmt.get(), Change{line.sign == '-', {}, &line});
      if (!fresh) {
        error("FL0606", line.span, "this statement is changed twice", {{entry->second.line->span, "here already"}});
        continue;
      }
      last = &entry->second;
    }
    check_nesting(changes, spots);
    return rebuild(function.body, changes);
  }

  // For each line of the hunk the statements it can mean. Of several, one that stands right behind the line before it,
  // or right before the line after it, is preferred; and an `if` of its own to the one of an `else if`.
  static std::vector<std::vector<const Spot*>> look_up(const PatchHunk& hunk, const std::vector<Spot>& spots,
                                                       const std::vector<std::string>& opaque) {
    std::vector<std::vector<const Spot*>> places(hunk.lines.size());
    std::vector<std::size_t> old_lines;
    for (std::size_t i = 0; i < hunk.lines.size(); ++i) {
      if (hunk.lines[i].sign == '+') continue;
      old_lines.push_back(i);
      const std::vector<std::string> tokens = normal_tokens(*hunk.lines[i].stmt, opaque);
      for (const Spot& spot : spots) {
        if (spot.tokens == tokens) places[i].push_back(&spot);
      }
      keep(places[i], [](const Spot& spot) { return !spot.is_else; });
    }
    const auto follows = [](const Spot& first, const Spot& next) {
      return first.parent == next.parent && first.index + 1 == next.index;
    };
    for (std::size_t k = 1; k < old_lines.size(); ++k) {
      const std::vector<const Spot*>& known = places[old_lines[k - 1]];
      if (known.size() == 1)
        keep(places[old_lines[k]], [&](const Spot& spot) { return follows(*known.front(), spot); });
    }
    for (std::size_t k = old_lines.size(); k-- > 1;) {
      const std::vector<const Spot*>& known = places[old_lines[k]];
      if (known.size() == 1)
        keep(places[old_lines[k - 1]], [&](const Spot& spot) { return follows(spot, *known.front()); });
    }
    return places;
  }

  // Narrows several candidates to those that fit, if any does.
  template <typename Fits>
  static void keep(std::vector<const Spot*>& candidates, Fits fits) {
    if (candidates.size() < 2) return;
    std::vector<const Spot*> kept;
    for (const Spot* spot : candidates) {
      if (fits(*spot)) kept.push_back(spot);
    }
    if (!kept.empty()) candidates = std::move(kept);
  }

  const Spot* settle(const PatchLine& line, const std::vector<const Spot*>& found, const std::vector<Spot>& spots,
                     const std::string& function, const std::vector<std::string>& opaque) {
    if (found.size() == 1) return found.front();
    std::vector<Related> related;
    const std::string rule =
        fmt::format("a patch replaces whole statements and must match exactly once ({} matches)", found.size());
    if (found.empty()) {
      const Spot* near = closest(spots, normal_tokens(*line.stmt, opaque));
      if (near != nullptr) related.push_back({near->stmt->span, "closest statement"});
      error("FL0601", line.stmt->span, fmt::format("this statement is not in {}", function), std::move(related),
            {rule});
      return nullptr;
    }
    for (const Spot* spot : found) {
      if (related.size() < 4) related.push_back({spot->stmt->span, "here"});
    }
    error("FL0602", line.stmt->span, fmt::format("this statement is in {} {} times", function, found.size()),
          std::move(related), {rule}, {"put the statement before it in front of it, without a sign"});
    return nullptr;
  }

  // A change inside a statement that goes away would be lost.
  void check_nesting(const Changes& changes, const std::vector<Spot>& spots) {
    std::map<const Stmt*, const Stmt*> parents;
    for (const Spot& spot : spots) parents[spot.stmt.get()] = spot.outer;
    for (const auto& [stmt, change] : changes) {
      for (auto up = parents.find(stmt); up != parents.end(); up = parents.find(up->second)) {
        const auto outer = changes.find(up->second);
        if (outer == changes.end() || !outer->second.remove) continue;
        error("FL0606", change.line->span, "this statement is changed twice",
              {{outer->second.line->span, "the statement around it is replaced here"}});
        break;
      }
    }
  }

  const File& file_;
  File out_;
  Diagnostics& diagnostics_;
  std::vector<std::string> opaque_;
};

}  // namespace

std::vector<std::string> variants(const File& file) {
  std::vector<std::string> out = {"base"};
  for (const Item& item : file.items) {
    if (item.patch && std::find(out.begin(), out.end(), item.patch->name.text) == out.end())
      out.push_back(item.patch->name.text);
  }
  return out;
}

File apply_variant(const File& file, const std::string& variant, Diagnostics& diagnostics) {
  return Patcher(file, diagnostics).run(variant);
}

}  // namespace faultline::dsl
