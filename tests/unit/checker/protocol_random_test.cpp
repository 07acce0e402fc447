// A static error must be real: for random handlers, each place that the protocol analysis calls wrong is wrong at run
// time too, if the search reaches it. FAULTLINE_FULL=1 tries many, FAULTLINE_RANDOM_CASES=N so many,
// FAULTLINE_RANDOM_FIRST=N from that seed on.
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

#include "checker/explicit.hpp"
#include "dsl/protocol.hpp"
#include "step/load.hpp"
#include "step/lower.hpp"

namespace faultline::check {
namespace {

const std::string declarations = R"(model m;
rwsem    mmap_sem;
spinlock ptl;
resource page_t { alloc alloc_page; free put_page; }
entry pte_t {
    state none                  { pte_none }
    state present(page_t page)  { pte_mapped, pte_present }
    state protnone(page_t page) { pte_mapped, pte_protnone }
    state swapped               { pte_swapped }
    none     -> present           under ptl;
    present  -> protnone, none    under ptl;
    protnone -> swapped           under ptl after flush;
    protnone -> present           under mmap_sem, ptl;
    swapped  -> none              under write(mmap_sem);
}
shared pte_t *pte = none;
shared page_t *cache;
tlb pte in present;
handler user_access() { touch(pte); }
handler fault() {
    page_t page = alloc_page();
    if (!page) return;
    spin_lock(ptl);
    if (pte_none(*pte)) { *pte = present(page); page = NULL; }
    spin_unlock(ptl);
    if (page) put_page(page);
}
handler zap() {
    spin_lock(ptl);
    pte_t old = *pte;
    if (pte_present(old)) { *pte = none; flush_tlb(pte); put_page(old.page); }
    spin_unlock(ptl);
}
)";

class Writer {
 public:
  explicit Writer(std::uint32_t seed) : random_(seed) {}

  std::string model() {
    std::string text = declarations;
    text += "bool help(bool a)\n{\n    pte_t old = *pte;\n    bool b = false;\n    page_t page = NULL;\n" +
            block(1, 3) + "    return a;\n}\n";
    in_handler_ = true;
    text +=
        "handler h()\n{\n    pte_t old = *pte;\n    bool a = maybe;\n    bool b = false;\n    page_t page = NULL;\n" +
        block(1, 7) + "}\n";
    return text + "run user_access, fault, zap, h on any cpus;\n";
  }

 private:
  std::size_t below(std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random_); }
  std::string pick(const std::vector<std::string>& list) { return list[below(list.size())]; }

  std::string condition() {
    return pick({"maybe", "a", "b", "!a", "pte_none(old)", "pte_present(old)", "!pte_mapped(old)", "pte_swapped(old)",
                 "pte_none(*pte)", "page", "*pte == old", "spin_trylock(ptl)", "pte_present(old) && a",
                 "pte_none(old) || b"});
  }

  std::string block(int depth, std::size_t most) {
    std::string text;
    const std::size_t n = 1 + below(most);
    for (std::size_t i = 0; i < n; ++i) text += statement(depth);
    return text;
  }

  // A section under a lock; now and then half of the pair is missing or wrong.
  std::string section(const std::string& in, int depth) {
    static const std::vector<std::pair<std::string, std::string>> pairs = {
        {"spin_lock(ptl);", "spin_unlock(ptl);"},
        {"spin_lock(ptl);", "spin_unlock(ptl);"},
        {"down_read(mmap_sem);", "up_read(mmap_sem);"},
        {"down_write(mmap_sem);", "up_write(mmap_sem);"},
        {"rcu_read_lock();", "rcu_read_unlock();"}};
    auto [take, give] = pairs[below(pairs.size())];
    if (below(8) == 0) give = pairs[below(pairs.size())].second;
    if (below(12) == 0) give = "";
    if (below(12) == 0) take = "";
    return in + take + "\n" + block(depth, 3) + in + give + "\n";
  }

  std::string statement(int depth) {
    const std::string in(static_cast<std::size_t>(depth) * 4, ' ');
    if (depth < 4 && below(3) == 0) return section(in, depth + 1);
    if (depth < 4 && below(3) == 0) {
      if (below(6) == 0) return in + "while (maybe) {\n" + in + "    step;\n" + block(depth + 1, 2) + in + "}\n";
      std::string text = in + "if (" + condition() + ") {\n" + block(depth + 1, 3) + in + "}";
      if (below(3) == 0) text += " else {\n" + block(depth + 1, 2) + in + "}";
      return text + "\n";
    }
    if (below(20) == 0) return in + "return" + (in_handler_ ? ";" : " a;") + "\n";
    if (in_handler_ && !called_ && below(5) == 0) {  // once: what is covered is told by the line
      called_ = true;
      return in + pick({"help(b);", "a = help(a);", "if (help(true)) step;"}) + "\n";
    }
    return in +
           pick({"old = *pte;",
                 "old = *pte;",
                 "old = *pte;",
                 "a = maybe;",
                 "b = pte_present(old);",
                 "a = b;",
                 "b = !a;",
                 "step;",
                 "cond_resched();",
                 "flush_tlb(pte);",
                 "*pte = none;",
                 "*pte = swapped;",
                 "if (pte_mapped(old)) *pte = protnone(old.page);",
                 "if (pte_mapped(old)) *pte = present(old.page);",
                 "if (page) *pte = present(page);",
                 "if (page && pte_none(*pte)) { *pte = present(page); page = NULL; }",
                 "page = alloc_page();",
                 "page = alloc_page();",
                 "if (page) { put_page(page); page = NULL; }",
                 "if (page) put_page(page);",
                 "page = NULL;",
                 "*cache = page;",
                 "*cache = NULL;",
                 "if (pte_mapped(old)) page = old.page;",
                 "if (pte_mapped(old)) put_page(old.page);",
                 "wait_event(pte_none(*pte));",
                 "b = page == NULL;",
                 "*pte = old;"}) +
           "\n";
  }

  std::mt19937 random_;
  bool in_handler_ = false;
  bool called_ = false;
};

// Wrong where it stands, so that an earlier violation on the way is not in the way: the statement is reached or not.
bool at_its_place(const dsl::Diagnostic& d) { return d.code != "FL0420" && d.code != "FL0430" && d.code != "FL0431"; }

// The violations that confirm an error. What shows at the end only may be preceded by any other.
bool keeps(const step::Violation& violation, const dsl::Diagnostic& d) {
  return !at_its_place(d) || violation.span == d.span;
}

// Whether the search reaches the statement in which the diagnostic stands.
bool reached(const step::Program& program, const ExplicitResult& result, const dsl::Span& span) {
  std::size_t best = program.coverage.size();
  for (std::size_t i = 0; i < program.coverage.size(); ++i) {
    const step::Coverage& c = program.coverage[i];
    if (c.what != step::Coverage::What::statement || c.span.begin > span.begin || c.span.end < span.end) continue;
    if (best == program.coverage.size() ||
        c.span.end - c.span.begin < program.coverage[best].span.end - program.coverage[best].span.begin)
      best = i;
  }
  return best < program.coverage.size() && result.covered[best];
}

struct Tally {
  int programs = 0, errors = 0, confirmed = 0, not_reached = 0;
};

void one(std::uint32_t seed, Tally& tally) {
  const std::string text = Writer(seed).model();
  dsl::Sources sources;
  sources.emplace_back(0U, "random.fl", text);
  dsl::Diagnostics diagnostics;
  dsl::File file = dsl::parse(sources, 0, diagnostics);
  ASSERT_FALSE(diagnostics.has_errors()) << text;
  const dsl::Model model = dsl::resolve(std::move(file), "base", diagnostics);
  const dsl::Flows flows = dsl::build_flows(model, diagnostics);
  std::string said;
  for (const auto& d : diagnostics.sorted()) said += render(d, sources, false);
  ASSERT_FALSE(diagnostics.has_errors()) << said;
  dsl::Diagnostics protocol;
  check_protocol(model, flows, protocol);
  if (protocol.has_invalid()) return;
  std::vector<dsl::Diagnostic> errors;
  for (const auto& d : protocol.sorted())
    if (d.severity == dsl::Severity::error) errors.push_back(d);
  if (errors.empty()) return;
  step::Program program;
  try {
    program = step::lower(model, flows, diagnostics);
  } catch (const std::exception& e) {
    FAIL() << "seed " << seed << ": " << e.what() << "\n" << text;
  }
  if (diagnostics.has_errors()) return;  // a limit of the engines
  ++tally.programs;
  for (const dsl::Diagnostic& d : errors) {
    ++tally.errors;
    step::Program only = program;
    std::erase_if(only.commands, [&](const step::Command& c) { return c.violation && !keeps(*c.violation, d); });
    only.first.assign(only.locations.size() + 1, 0);
    for (const step::Command& c : only.commands) ++only.first[std::size_t{c.from} + 1];
    for (std::size_t i = 1; i < only.first.size(); ++i) only.first[i] += only.first[i - 1];
    ExplicitOptions options;
    options.deadlock = false;
    options.limits.seconds = 0.3;
    options.cpus = 1;
    ExplicitResult result = explore(only, options);
    options.cpus = 2;
    if (result.violations.empty()) result = explore(only, options);
    if (!result.violations.empty()) {
      ++tally.confirmed;
    } else if (result.complete && reached(only, result, d.span)) {
      ADD_FAILURE() << "seed " << seed << ": the run has no such violation\n" << render(d, sources, false) << text;
    } else {
      ++tally.not_reached;
    }
  }
}

TEST(ProtocolRandom, EveryStaticErrorIsReal) {
  const char* wanted = std::getenv("FAULTLINE_RANDOM_CASES");
  const char* first = std::getenv("FAULTLINE_RANDOM_FIRST");
  const std::uint32_t begin = first == nullptr ? 1U : static_cast<std::uint32_t>(std::strtoul(first, nullptr, 10));
  const std::uint32_t usual = std::getenv("FAULTLINE_FULL") == nullptr ? 50U : 1000U;
  const std::uint32_t cases = wanted == nullptr ? usual : static_cast<std::uint32_t>(std::strtoul(wanted, nullptr, 10));
  Tally tally;
  for (std::uint32_t seed = begin; seed < begin + cases && !HasFailure(); ++seed) one(seed, tally);
  RecordProperty("programs", tally.programs);
  std::cout << tally.programs << " programs with " << tally.errors << " static errors: " << tally.confirmed
            << " confirmed, " << tally.not_reached << " not reached\n";
  if (wanted == nullptr) {
    EXPECT_GT(tally.confirmed, 25);
  }
}

}  // namespace
}  // namespace faultline::check
