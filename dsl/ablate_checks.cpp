// Checks: conditions that look at shared memory, and which of them look a second time.
#include <algorithm>
#include <map>

#include "dsl/ablate_parts.hpp"
#include "dsl/patch.hpp"
#include "dsl/tree.hpp"
#include "dsl/vocabulary.hpp"

namespace faultline::dsl::ablation {
namespace {

using Spans = std::vector<Span>;

// What a call does, as far as a condition is concerned.
enum class Deed : std::uint8_t { nothing, look, effect };

// The looks of one variant: what an expression asks, and with which accesses.
class Looks {
 public:
  explicit Looks(const Model& model) : model_(model) {}

  // Copies of shared memory in a function: each local with the accesses that it got its value from.
  using Copies = std::map<std::string, Spans>;

  Copies copies_of(const FunctionItem& function) {
    Copies copies;
    for (const Param& param : function.params) {
      if (param.type && param.stars == 0 && is_entry(*param.type)) copies[param.name.text];
    }
    for (std::size_t known = copies.size() + 1; known != copies.size();) {  // copies of copies too
      known = copies.size();
      each_statement(*function.body, [&](const Stmt& s) {
        for (const Declarator& d : s.declarators) {
          if (d.stars == 0 && d.init) copy(copies, d.name.text, *d.init);
        }
        if (s.kind == StmtKind::assign && s.expr && plain(*s.lhs).kind == ExprKind::name)
          copy(copies, plain(*s.lhs).text, *s.expr);
      });
    }
    return copies;
  }

  // Whether the expression looks at shared memory and does nothing else, each operand of it; `accesses` gets where.
  bool looks(const Expr& expr, const Copies& copies, Spans& accesses) {
    const Expr& e = plain(expr);
    if (e.kind == ExprKind::lnot) return looks(*e.kids[0], copies, accesses);
    if (e.kind == ExprKind::binary && (e.text == "&&" || e.text == "||"))
      return looks(*e.kids[0], copies, accesses) && looks(*e.kids[1], copies, accesses);
    Deed worst = Deed::nothing;
    each_expression(e, [&](const Expr& part) {
      const auto copy = part.kind == ExprKind::name ? copies.find(part.text) : copies.end();
      worst = std::max(worst, copy == copies.end() ? deed(part, accesses) : Deed::look);
      if (copy != copies.end()) accesses.insert(accesses.end(), copy->second.begin(), copy->second.end());
    });
    return worst == Deed::look;
  }

 private:
  [[nodiscard]] bool is_entry(const TypeName& type) const {
    const auto found = model_.find_type(type);
    return found && found->kind == TypeKind::entry;
  }

  void copy(Copies& copies, const std::string& name, const Expr& value) {
    Spans accesses;
    if (!looks(value, copies, accesses)) return;
    Spans& known = copies[name];
    for (const Span& access : accesses) {
      if (std::find(known.begin(), known.end(), access) == known.end()) known.push_back(access);
    }
  }

  // What the node itself does, its operands left aside.
  Deed deed(const Expr& e, Spans& accesses) {
    const auto look = [&] {
      accesses.push_back(e.span);
      return Deed::look;
    };
    switch (e.kind) {
      case ExprKind::name: return e.text == "maybe" ? Deed::effect : Deed::nothing;  // a choice cannot be taken out
      case ExprKind::star: return model_.is_opaque(plain(*e.kids[0]).text) ? Deed::nothing : look();
      case ExprKind::arrow: {  // a field of an object, or mm->flag, where mm is opaque and flag a place
        if (!model_.is_opaque(plain(*e.kids[0]).text)) return look();
        const Index shared = model_.find_shared(e.text);
        return shared != nothing && model_.shared[shared].type.scalar() ? look() : Deed::nothing;
      }
      case ExprKind::call: break;
      default: return Deed::nothing;
    }
    if (model_.find_alloc(e.text) != nothing || model_.find_free(e.text) != nothing) return Deed::effect;
    if (const Index function = model_.find_function(e.text); function != nothing) {
      const Function& known = deed_of(function);
      accesses.insert(accesses.end(), known.accesses.begin(), known.accesses.end());
      return known.deed;
    }
    const Word* word = find_word(e.text);
    if (word == nullptr) return Deed::nothing;  // a predicate, an opaque question
    switch (word->builtin) {
      case Builtin::load:
      case Builtin::atomic_read: return look();
      case Builtin::transparent:
      case Builtin::barrier: return Deed::nothing;
      default: return Deed::effect;
    }
  }

  struct Function {
    Deed deed = Deed::effect;
    Spans accesses;
  };

  // A function whose body does nothing but look is a look.
  const Function& deed_of(Index index) {
    if (const auto known = functions_.find(index); known != functions_.end()) return known->second;
    Function made{Deed::nothing, {}};
    each_statement(*model_.functions[index].item->body, [&](const Stmt& s) {
      if (s.kind == StmtKind::assign && plain(*s.lhs).kind != ExprKind::name) made.deed = Deed::effect;
      each_expression(s, [&](const Expr& part) { made.deed = std::max(made.deed, deed(part, made.accesses)); });
    });
    return functions_[index] = std::move(made);
  }

  const Model& model_;
  std::map<Index, Function> functions_;
};

// Whether some access can come behind another access to the same place in one run of a handler.
class Order {
 public:
  Order(const Model& model, const Flows& flows) : flows_(flows_run(model, flows)) {}

  [[nodiscard]] bool second(const Spans& accesses) const {
    return std::any_of(flows_.begin(), flows_.end(), [&](const Flow* flow) { return second(*flow, accesses); });
  }

 private:
  static bool is_one_of(const FlowNode& node, const Spans& accesses) {
    return node.kind == NodeKind::load && std::any_of(accesses.begin(), accesses.end(), [&](const Span& access) {
             return node.span.file == access.file && node.span.begin >= access.begin && node.span.end <= access.end;
           });
  }

  static bool second(const Flow& flow, const Spans& accesses) {
    for (Index first = 0; first < flow.nodes.size(); ++first) {
      if (flow.nodes[first].kind != NodeKind::load) continue;
      std::vector<bool> seen(flow.nodes.size(), false);
      std::vector<Index> open(flow.nodes[first].next.begin(), flow.nodes[first].next.end());
      while (!open.empty()) {
        const Index at = open.back();
        open.pop_back();
        if (at == nothing || seen[at]) continue;
        seen[at] = true;
        const FlowNode& node = flow.nodes[at];
        if (at != first && node.shared == flow.nodes[first].shared && node.field == flow.nodes[first].field &&
            is_one_of(node, accesses))
          return true;
        open.insert(open.end(), node.next.begin(), node.next.end());
      }
    }
    return false;
  }

  std::vector<const Flow*> flows_;
};

class Finder {
 public:
  Finder(const Model& model, const Flows& flows, std::vector<Ablation>& out)
      : looks_(model), order_(model, flows), out_(out) {}

  void function(const FunctionItem& item) {
    function_ = item.name.text;
    copies_ = looks_.copies_of(item);
    each_statement(*item.body, [&](const Stmt& s) { statement(s); });
  }

 private:
  void statement(const Stmt& s) {
    const bool loop = s.kind == StmtKind::while_ || s.kind == StmtKind::do_while || s.kind == StmtKind::for_;
    if (!s.expr || (!loop && s.kind != StmtKind::if_)) return;
    const bool way_on = !loop && !leaves(*s.body[0]);
    const bool else_is_like_it = s.body.size() == 2 && leaves(*s.body[1]) == !way_on;
    branch_.reset();
    if (!way_on && !else_is_like_it) branch_ = s.body[0]->span;
    if (way_on && s.body.size() == 2 && !else_is_like_it) branch_ = s.body[1]->span;
    add(*s.expr, way_on);
    if (else_is_like_it) add(*s.expr, !way_on);
    operands(*s.expr);
  }

  void operands(const Expr& condition) {
    const Expr& e = plain(condition);
    if (e.kind == ExprKind::lnot) return operands(*e.kids[0]);
    if (e.kind != ExprKind::binary || (e.text != "&&" && e.text != "||")) return;
    for (const ExprPtr& kid : e.kids) {
      const bool chain = plain(*kid).kind == ExprKind::binary && plain(*kid).text == e.text;
      if (!chain) add(*kid, e.text == "&&");  // a && b && c has three operands
      operands(*kid);
    }
  }

  void add(const Expr& e, bool taken_as) {
    Spans accesses;
    if (!looks_.looks(e, copies_, accesses)) return;
    const AblationKind kind = order_.second(accesses) ? AblationKind::recheck : AblationKind::check;
    out_.push_back({kind, print(plain(e)), function_, {e.span}, "", taken_as, branch_});
  }

  Looks looks_;
  Order order_;
  std::vector<Ablation>& out_;
  std::string function_;
  Looks::Copies copies_;
  std::optional<Span> branch_;
};

}  // namespace

void find_checks(const Model& model, const Flows& flows, std::vector<Ablation>& out) {
  Finder finder(model, flows, out);
  for (const FunctionItem* function : functions_run(model)) finder.function(*function);
}

}  // namespace faultline::dsl::ablation
