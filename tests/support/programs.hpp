// Hand-made step::Programs for tests of the engines: a small builder, and two reference models whose state counts and
// shortest traces are known from independent tools.
#pragma once
#include <initializer_list>
#include <string>
#include <vector>

#include "step/program.hpp"

namespace faultline::testing {

using step::ExprId;
using step::Id;

class ProgramBuilder;

// Adds ops to one command. Cheap to copy; valid as long as the builder and until finish().
class CommandBuilder {
 public:
  CommandBuilder(ProgramBuilder& builder, std::size_t index) : builder_(&builder), index_(index) {}
  CommandBuilder& assume(ExprId e);
  CommandBuilder& none(ExprId e);
  CommandBuilder& some(ExprId e);
  CommandBuilder& set_global(Id global, ExprId e);
  CommandBuilder& set_global(Id global, int value);
  CommandBuilder& set_local(Id local, ExprId e);
  CommandBuilder& set_local(Id local, int value);
  CommandBuilder& clear_handle(Id handle);
  CommandBuilder& handle_from_place(Id handle, Id place);
  CommandBuilder& handle_from_handle(Id handle, Id from);
  CommandBuilder& fresh(Id handle);
  CommandBuilder& clear_place(Id place);
  CommandBuilder& place_from_handle(Id place, Id handle);
  CommandBuilder& set_bit(Id handle, Id bit, bool value);
  CommandBuilder& others_set_local(Id local, int value, ExprId e);
  CommandBuilder& others_clear_handle(Id handle, ExprId e);
  CommandBuilder& await_others(Id kind, ExprId e);
  CommandBuilder& may_block();
  CommandBuilder& fails(step::Kind kind, std::string message);  // makes it a violation command

 private:
  CommandBuilder& op(step::OpCode code, Id a, Id b, int value, ExprId e);
  step::Command& command();
  ProgramBuilder* builder_;
  std::size_t index_;
};

// Ids are handed out in order of declaration. Lines of source are made up: one a command, in order of addition.
class ProgramBuilder {
 public:
  explicit ProgramBuilder(std::string model, std::string variant = "base");

  Id global(std::string name, int max = 1, std::vector<std::string> names = {});
  Id local(std::string name, int max = 1);
  Id type(std::string name, std::vector<std::string> bits = {"freed"});
  Id place(std::string name, Id type);
  Id handle(std::string name, Id type);
  Id await(std::string name, std::vector<Id> clears_handles, std::vector<Id> clears_locals = {});
  Id handler(std::string name);
  Id line(std::string name, int cpus);  // 0: any; makes its idle position
  void once(Id line, bool once) { program_.lines[line].once = once; }
  [[nodiscard]] Id idle(Id line) const { return program_.lines[line].idle; }
  Id at(Id line, Id handler, std::vector<step::Held> held = {});  // a new position
  Id lock(std::string name, Id global, step::LockKind kind = step::LockKind::spinlock);
  Id pc_set(const std::vector<Id>& positions);
  [[nodiscard]] step::Location& location(Id pc) { return program_.locations[pc]; }

  ExprId constant(int value);
  ExprId global_is(Id global, int value);  // globals[global] == value
  ExprId global_in(Id global, std::uint64_t mask);
  ExprId local_is(Id local, int value);
  ExprId op(step::ExprOp op, ExprId a = 0, ExprId b = 0, ExprId c = 0, std::uint64_t value = 0);  // any other
  ExprId lnot(ExprId e) { return op(step::ExprOp::lnot, e); }
  ExprId land(ExprId a, ExprId b) { return op(step::ExprOp::land, a, b); }
  ExprId lor(ExprId a, ExprId b) { return op(step::ExprOp::lor, a, b); }
  ExprId always() { return constant(1); }

  CommandBuilder command(Id from, Id to, std::string text);
  CommandBuilder violation(Id from, step::Kind kind, std::string message);
  void invariant(std::string name, ExprId e);
  void progress(std::string name, ExprId p, ExprId q);
  void entry(step::EntryInfo entry) { program_.entries.push_back(std::move(entry)); }

  // Sorts the commands, fills `first`, handlers of commands, `starts` and `ends`.
  step::Program finish();

 private:
  friend class CommandBuilder;
  step::Program program_;
  std::uint32_t next_line_ = 1;
};

// The THP fault race of the peers' comparison: one pmd, page_table_lock, mmap_sem; fault threads on any number of CPUs
// beside one khugepaged, one huge fault, one splitter and (zap) one MADV_DONTNEED.
//   version 0: always allocate, 1: if not present, 2: if none
//   fix     the look after the allocation is one read of "none or huge"
//   bad     1: no re-check under the lock, 2: no look after the allocation, 3: the look does not count splitting as
//   huge
struct PmdRace {
  int version = 2;
  bool fix = true;
  bool zap = true;
  int bad = 0;
};
step::Program pmd_race(const PmdRace& which);

// The THP fault path with deposited tables, TLB and flush handshake: objects, handles and await sets, one any-line.
enum class ThpTables { base, present, none, unstable };
// mutant 0: none. 1 zap keeps the table, 2 frees before the flush, 3 populate without re-check, 4 keeps an unused
// table, 5 split without flush, 7 huge insert without re-check, 8 keeps an unused deposit, 9 zap takes splitting for
// huge.
step::Program thp_tables(ThpTables variant, int mutant = 0);

}  // namespace faultline::testing
