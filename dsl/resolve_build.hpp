// Inside of resolve(): what the declarations of a file mean, and what is wrong with them.
#pragma once
#include <map>

#include "dsl/model.hpp"

namespace faultline::dsl {

class Resolver {
 public:
  Resolver(Model& model, Diagnostics& diagnostics) : model_(model), diagnostics_(diagnostics) {}

  void run();

 private:
  // places, functions, what runs (resolve.cpp)
  [[nodiscard]] std::string a_handler() const;
  void shared(const SharedItem& item);
  void initial(SharedDecl& decl, const Expr& expr);
  void function(const FunctionItem& item);
  void tlb(const TlbItem& item);
  Index handler(const Ident& name);
  void run_line(const RunItem& item, Span span);
  void cost(const CostItem& item, Span span);
  void memory(const MemoryItem& item);

  // messages and names
  void error(std::string code, Span span, std::string message, std::vector<std::string> notes = {},
             std::vector<std::string> helps = {}, std::vector<Related> related = {});
  void unknown(std::string code, const Ident& name, const std::string& what, const std::vector<std::string>& known,
               const std::string& list_title);
  // Declares a name in `scope` (by default the one scope that all places, locks, functions and types share).
  void declare(const Ident& name, const std::string& what, std::map<std::string, std::pair<Span, std::string>>& scope);
  void declare(const Ident& name, const std::string& what);
  [[nodiscard]] std::vector<std::string> type_names() const;
  void no_low_range(const TypeName& name, const Type& type);

  // types and locks (resolve_types.cpp)
  void collect_names();
  void lock(const LockItem& item);
  void resource(const ResourceItem& item);
  void fields(const ResourceItem& item);
  void enumeration(const EnumItem& item, Span span);
  void entry(const EntryItem& item);
  Index slot(EntryDecl& decl, const Ident& name, Index resource, const EntryDecl::State& state);
  void arrows(EntryDecl& decl, const Arrow& arrow);
  void unknown_lock(const Ident& name);

  Model& model_;
  Diagnostics& diagnostics_;
  std::map<std::string, std::pair<Span, std::string>> names_;
  std::map<std::string, std::pair<Span, std::string>> invariant_names_;
};

}  // namespace faultline::dsl
