// Items and statements: what the tree holds.
#include <filesystem>

#include "parse_support.hpp"

namespace faultline::dsl {
namespace {

std::string text(const std::vector<Ident>& names) {
  std::string out;
  for (const Ident& name : names) out += (out.empty() ? "" : " ") + name.text;
  return out;
}

TEST(Items, Declarations) {
  const Parsed p = parse_text(
      "model m; memory tso; spinlock a, b; opaque mm, vma; volatile opaque flags;\n"
      "resource T { alloc f; free g; nofail; type_stable; int refs; seqcount seq; }\n"
      "enum fault { X, Y = 3, };  enum { Z }\n"
      "shared int(0..3) *n = 0; shared T *t;\n"
      "tlb pmd in huge; tlb pmd caches page in huge, splitting;\n");
  ASSERT_EQ(p.errors(), "");
  const std::vector<Item>& items = p.file.items;
  ASSERT_EQ(items.size(), 11u);
  EXPECT_EQ(items[0].memory->model.text, "tso");
  EXPECT_EQ(items[1].lock->kind.text, "spinlock");
  EXPECT_EQ(text(items[1].lock->names), "a b");
  EXPECT_FALSE(items[2].opaque->is_volatile);
  EXPECT_TRUE(items[3].opaque->is_volatile);
  const ResourceItem& resource = *items[4].resource;
  EXPECT_EQ(resource.alloc->text, "f");
  EXPECT_EQ(resource.free->text, "g");
  EXPECT_TRUE(resource.nofail && resource.type_stable);
  ASSERT_EQ(resource.fields.size(), 2u);
  EXPECT_EQ(resource.fields[1].type.text, "seqcount");
  EXPECT_EQ(resource.fields[1].name.text, "seq");
  EXPECT_EQ(items[5].enumeration->name->text, "fault");
  EXPECT_EQ(items[5].enumeration->constants[1].value, 3);
  EXPECT_FALSE(items[6].enumeration->name);
  EXPECT_EQ(items[7].shared->type.text, "int");
  EXPECT_EQ(items[7].shared->type.high, 3);
  EXPECT_EQ(items[8].shared->init, nullptr);
  EXPECT_FALSE(items[9].tlb->caches);
  EXPECT_EQ(items[10].tlb->caches->text, "page");
  EXPECT_EQ(text(items[10].tlb->states), "huge splitting");
}

TEST(Items, Entry) {
  const Parsed p = parse_text(
      "model m; entry e { state none { a } state t(T x, U y) { a, b } unreachable; state u { }\n"
      "none, t -> u under l, read(r), write(w) after flush unreachable; u -> u; }");
  ASSERT_EQ(p.errors(), "");
  const EntryItem& entry = *p.file.items[0].entry;
  ASSERT_EQ(entry.states.size(), 3u);
  EXPECT_EQ(entry.states[1].payload[1].type->text, "U");
  EXPECT_EQ(text(entry.states[1].predicates), "a b");
  EXPECT_FALSE(entry.states[0].unreachable);
  EXPECT_TRUE(entry.states[1].unreachable);
  const Arrow& arrow = entry.arrows[0];
  EXPECT_EQ(text(arrow.from), "none t");
  EXPECT_EQ(text(arrow.to), "u");
  ASSERT_EQ(arrow.locks.size(), 3u);
  EXPECT_FALSE(arrow.locks[0].mode);
  EXPECT_EQ(arrow.locks[1].mode->text, "read");
  EXPECT_EQ(arrow.locks[2].lock.text, "w");
  EXPECT_TRUE(arrow.after_flush && arrow.unreachable);
  EXPECT_TRUE(arrow.under_span.known() && arrow.flush_span.known());
  EXPECT_FALSE(entry.arrows[1].under_span.known());
  EXPECT_TRUE(entry.arrows[1].locks.empty());
}

TEST(Items, FunctionHeads) {
  const Parsed p = parse_text(
      "model m;\nstatic inline int f(struct mm_struct *mm, mm2, pmd_t *pmd, unsigned long address) { return 0; }\n"
      "void g(void) { }\nhandler h(mm, vma) { }\nstruct vma *k(const char **names) { }\nenum fault e() { return X; "
      "}\n");
  ASSERT_EQ(p.errors(), "");
  const FunctionItem& f = *p.file.items[0].function;
  EXPECT_FALSE(f.is_handler);
  EXPECT_EQ(f.result.text, "int");
  ASSERT_EQ(f.params.size(), 4u);
  EXPECT_EQ(f.params[0].type->text, "struct mm_struct");
  EXPECT_EQ(f.params[0].stars, 1);
  EXPECT_FALSE(f.params[1].type);
  EXPECT_EQ(f.params[3].type->text, "unsigned long");
  EXPECT_EQ(p.file.items[1].function->result.text, "void");
  EXPECT_TRUE(p.file.items[1].function->params.empty());
  EXPECT_TRUE(p.file.items[2].function->is_handler);
  EXPECT_EQ(p.file.items[3].function->params[0].stars, 2);
  EXPECT_EQ(p.file.items[4].function->result.text, "enum fault");
}

TEST(Items, RunAndExpect) {
  const Parsed p = parse_text(
      "model m; run a, b on any cpus; run c on 1 cpu once; run d on 3 cpus;\n"
      "expect v : safe on 3 cpus, violates assert, invariant(x), leak, fewer allocs than base, violates progress(p), "
      "same ipis than w;\n"
      "expect w : safe; progress q : running(a) ~> !running(a); cost a from s, t; invariant i : true;\n");
  ASSERT_EQ(p.errors(), "");
  EXPECT_FALSE(p.file.items[0].run->cpus);
  EXPECT_FALSE(p.file.items[0].run->once);
  EXPECT_EQ(p.file.items[1].run->cpus, 1);
  EXPECT_TRUE(p.file.items[1].run->once);
  EXPECT_EQ(p.file.items[2].run->cpus, 3);
  const std::vector<ExpectClause>& clauses = p.file.items[3].expect->clauses;
  ASSERT_EQ(clauses.size(), 5u);
  EXPECT_EQ(clauses[0].cpus, 3);
  EXPECT_EQ(text(clauses[1].kinds), "assert invariant(x) leak");
  EXPECT_EQ(clauses[2].relation.text + " " + clauses[2].measure.text + " " + clauses[2].than.text, "fewer allocs base");
  EXPECT_EQ(text(clauses[3].kinds), "progress(p)");
  EXPECT_EQ(clauses[4].relation.text, "same");
  EXPECT_FALSE(p.file.items[4].expect->clauses[0].cpus);
}

TEST(Items, PatchLinesAndTheirSigns) {
  const Parsed p = parse_text(
      "model m;\npatch a after b in f {\n  - if (x)\n  -     y();\n  - else\n  -     z();\n  + w();\n    v(); + "
      "u();\n}\n  in g { - t(); }\n");
  ASSERT_EQ(p.errors(), "");
  const PatchItem& patch = *p.file.items[0].patch;
  EXPECT_EQ(patch.after->text, "b");
  ASSERT_EQ(patch.hunks.size(), 2u);
  std::string signs;
  for (const PatchLine& line : patch.hunks[0].lines) signs += line.sign;
  EXPECT_EQ(signs, "-+ +");
  EXPECT_EQ(print(*patch.hunks[0].lines[0].stmt), "if (x) y();\nelse z();\n");
}

TEST(Statements, EveryKind) {
  const Parsed p = parse_body(
      "int a, *b = &c, d = 3; a = 1; *p += 2; v->n -= 3; (*x)++; --y; if (a) b(); else if (c) { } else d();"
      "while (a) { break; } do a(); while (b); for (i = 0; i < 3; i++) continue; for (;;) { step; break; }"
      "switch (*pmd) { case none: case table, huge: f(); break; case -1: default: unreachable; }"
      "again: goto again; atomic { *p = 1; } ; return a ? b : c;");
  ASSERT_EQ(p.errors(), "");
  std::vector<StmtKind> kinds;
  for (const StmtPtr& stmt : body_of(p).body) kinds.push_back(stmt->kind);
  using enum StmtKind;
  EXPECT_EQ(kinds, (std::vector<StmtKind>{declare, assign, assign, assign, assign, assign, if_, while_, do_while, for_,
                                          for_, switch_, label, goto_, atomic, empty, return_}));
  const std::vector<StmtPtr>& body = body_of(p).body;
  EXPECT_EQ(body[0]->declarators[1].stars, 1);
  EXPECT_EQ(body[2]->text, "+=");
  EXPECT_EQ(body[4]->text, "++");
  EXPECT_EQ(body[4]->expr, nullptr);
  EXPECT_EQ(body[5]->text, "--");
  EXPECT_EQ(body[10]->init, nullptr);
  EXPECT_EQ(body[10]->expr, nullptr);
  EXPECT_EQ(body[10]->step, nullptr);
  const Stmt& choice = *body[11];
  EXPECT_EQ(text(choice.body[0]->cases), "none");
  EXPECT_EQ(text(choice.body[1]->cases), "table huge");
  EXPECT_EQ(text(choice.body[4]->cases), "-1");
  EXPECT_TRUE(choice.body[5]->cases.empty());
}

TEST(Statements, ElseBelongsToTheNearestIf) {
  const Parsed p = parse_body("if (a) if (b) c(); else d();");
  ASSERT_EQ(p.errors(), "");
  const Stmt& outer = *body_of(p).body[0];
  ASSERT_EQ(outer.body.size(), 1u);
  EXPECT_EQ(outer.body[0]->body.size(), 2u);
  const Parsed q = parse_body("if (a) { if (b) c(); } else d();");
  EXPECT_EQ(body_of(q).body[0]->body.size(), 2u);
}

// ---------------------------------------------------------------- soft keywords

const std::vector<std::string>& soft_keywords() {
  static const std::vector<std::string> words = {
      "model", "memory", "spinlock", "mutex", "rwsem", "seqcount", "rcu", "opaque", "resource", "alloc", "free",
      "nofail", "type_stable", "entry", "state", "unreachable", "under", "read", "write", "after", "flush", "shared",
      "tlb", "caches", "in", "handler", "run", "on", "any", "cpu", "cpus", "once", "invariant", "progress", "cost",
      "from", "patch", "expect", "than", "atomic", "implies", "safe", "violates", "fewer", "more", "same",
      // words of the vocabulary that are no keywords at all
      "sc", "tso", "weak", "maybe", "step", "assert", "bool", "true", "NULL", "base", "allocs", "init", "ghost"};
  return words;
}

class SoftKeyword : public testing::TestWithParam<std::string> {};

TEST_P(SoftKeyword, IsANameEverywhere) {
  const std::string& w = GetParam();
  const std::string model =
      "model " + w + ";\nspinlock " + w + ";\nopaque " + w + ", x;\nresource " + w + " { alloc " + w + "; free " + w +
      "; int " + w + "; }\nenum " + w + " { " + w + ", A = 3 };\nentry " + w + " {\n state " + w + "(" + w + " " + w +
      ") { " + w + " }\n " + w + " -> " + w + ", none under " + w + ", read(" + w + ");\n}\nshared " + w + " *" + w +
      " = " + w + ";\ntlb " + w + " caches " + w + " in " + w + ";\n" +  //
      w + " " + w + "2(" + w + " *" + w + ", " + w + ") {\n " + w + " " + w + " = " + w + "(" + w + ", " + w + "->" +
      w + ");\n" + w + ":\n " + w + ";\n *" + w + " = " + w + "." + w + ";\n goto " + w + ";\n " + w + " *" + w +
      ";\n " + w + "++;\n " + w + "(" + w + ");\n switch (" + w + ") { case " + w + ": break; }\n return " + w +
      " && !" + w + ";\n}\nbool " + w + "(" + w + ") { return " + w + "; }\nhandler " + w + "() { }\nrun " + w + ", " +
      w + " on any cpus;\ninvariant " + w + " : " + w + " implies " + w + ";\nprogress " + w + " : " + w + " ~> " + w +
      ";\ncost " + w + " from " + w + ";\npatch " + w + " after " + w + " in " + w + " { - " + w + "(); + " + w +
      "++; }\nexpect " + w + " : safe;\nexpect " + w + " : fewer " + w + " than " + w + ";\n";
  Parsed parsed = parse_text(model);
  // `NAME;` alone is no statement, except for two words: the only complaint there may be.
  EXPECT_EQ(parsed.codes(), w == "step" || w == "unreachable" ? "" : "FL0125") << parsed.errors();
  EXPECT_EQ(parsed.file.items.size(), 17u);
  const Parsed again = parse_text(print(parsed.file));
  EXPECT_EQ(print(again.file), print(parsed.file));
}

INSTANTIATE_TEST_SUITE_P(All, SoftKeyword, testing::ValuesIn(soft_keywords()),
                         [](const auto& one) { return one.param; });

TEST(SoftKeyword, ViolationKindsMayBeKeywordsButForTheWordsOfClauses) {
  for (const std::string& word : soft_keywords()) {
    const Parsed parsed = parse_text("model m; expect v : violates leak, " + word + ";");
    const bool clause_word =
        word == "safe" || word == "violates" || word == "fewer" || word == "more" || word == "same";
    const bool alone = word == "safe" || !clause_word;
    EXPECT_EQ(parsed.errors().empty(), alone) << word;
  }
}

TEST(HardKeyword, KeywordsOfCAreNoNames) {
  for (const std::string word :
       {"if",    "else",     "while",  "do",      "for",      "switch", "case",     "default", "goto",
        "break", "continue", "return", "int",     "unsigned", "signed", "long",     "short",   "char",
        "void",  "struct",   "enum",   "static",  "inline",   "const",  "volatile", "extern",  "register",
        "float", "double",   "sizeof", "typedef", "union",    "auto",   "restrict"}) {
    EXPECT_EQ(parse_text("model m; spinlock " + word + ";").codes(), "FL0122") << word;
    EXPECT_FALSE(parse_body("bool " + word + " = true;").errors().empty()) << word;
  }
}

// ---------------------------------------------------------------- models

TEST(RoundTrip, EveryModelOfTheCorpus) {
  int seen = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(FAULTLINE_SOURCE_DIR)) {
    if (entry.path().extension() != ".fl" || entry.path().string().find("/tests/golden/") != std::string::npos ||
        entry.path().string().find("/build") != std::string::npos)
      continue;
    ++seen;
    const Parsed parsed = parse_text(read_file(entry.path().string()), entry.path().string());
    EXPECT_EQ(parsed.errors(), "");
    expect_round_trip(parsed.file, entry.path().string());
  }
  EXPECT_GE(seen, 4);
}

}  // namespace
}  // namespace faultline::dsl
