#include "dsl/patch.hpp"

#include "parse_support.hpp"

namespace faultline::dsl {
namespace {

struct Patched {
  Parsed parsed;
  File file;
  std::string body;
};

// A handler f with this body, under patch p with these lines.
Patched patched(const std::string& body, const std::string& lines, const std::string& more = "") {
  Patched out;
  out.parsed = parse_text("model m;\nopaque mm, vma, address;\nhandler f() {\n" + body + "\n}\npatch p in f {\n" +
                          lines + "\n}\n" + more);
  EXPECT_EQ(out.parsed.errors(), "");
  out.file = apply_variant(out.parsed.file, "p", out.parsed.diagnostics);
  for (const StmtPtr& stmt : out.file.items.at(1).function->body->body) out.body += print(*stmt);
  return out;
}

TEST(Patch, Replaces) {
  EXPECT_EQ(patched("a(); b(); c();", "- b();\n+ x();\n+ y();").body, "a();\nx();\ny();\nc();\n");
  EXPECT_EQ(patched("a(); b(); c();", "- b();").body, "a();\nc();\n");
  EXPECT_EQ(patched("a(); b(); c();", "- a();\n- c();\n+ d();").body, "b();\nd();\n");
}

TEST(Patch, AddsBehindAnAnchor) { EXPECT_EQ(patched("a(); b();", "  a();\n+ x();").body, "a();\nx();\nb();\n"); }

TEST(Patch, AtAnyDepth) {
  EXPECT_EQ(patched("if (maybe) { while (maybe) { a(); b(); } }", "- b();\n+ c();").body,
            "if (maybe) {\n    while (maybe) {\n        a();\n        c();\n    }\n}\n");
  EXPECT_EQ(patched("switch (x) { case a: b(); break; }", "- b();\n+ c();").body,
            "switch (x) {\ncase a:\n    c();\n    break;\n}\n");
}

TEST(Patch, TheWholeBodyOfAnIf) {
  EXPECT_EQ(patched("if (maybe) a(); else b();", "- a();\n+ c();").body, "if (maybe) c();\nelse b();\n");
  EXPECT_EQ(patched("if (maybe) a();", "- a();").body, "if (maybe) ;\n");
  EXPECT_EQ(patched("if (maybe) a(); else b();", "- a();\n+ c();\n+ d();").body,
            "if (maybe) {\n    c();\n    d();\n} else b();\n");
}

TEST(Patch, WhatDoesNotCount) {
  const std::string body = "if (unlikely(__pte_alloc(mm, vma, pmd, address))) return;";
  for (const std::string line : {"if (__pte_alloc(pmd)) return;", "if ((__pte_alloc(mm, pmd))) return;",
                                 "if (likely(__pte_alloc(vma, pmd, address)))\n  return;",
                                 "if /* x */ (__pte_alloc(mm, vma, (pmd), &mm)) return; // y"}) {
    EXPECT_EQ(patched(body, "- " + line + "\n+ a();").body, "a();\n") << line;
  }
  EXPECT_EQ(patched("spin_lock(&mm->page_table_lock);", "- spin_lock(page_table_lock);\n+ a();").body, "a();\n");
  EXPECT_EQ(patched("x = *(mm->pmd);", "- x = *pmd;\n+ a();").body, "a();\n");
  EXPECT_EQ(patched("x = (a + b) - c;", "- x = a + b - c;\n+ d();").body, "d();\n");
}

TEST(Patch, WhatDoesCount) {
  EXPECT_EQ(patched("x = a - (b - c);", "- x = a - b - c;").parsed.codes(), "FL0601");
  EXPECT_EQ(patched("f(a, b);", "- f(b, a);").parsed.codes(), "FL0601");
  EXPECT_EQ(patched("f(\"a b\");", "- f(\"ab\");").parsed.codes(), "FL0601");
  EXPECT_EQ(patched("v->x = 1;", "- v.x = 1;").parsed.codes(), "FL0601");
  EXPECT_EQ(patched("int a = 1;", "- bool a = 1;").parsed.codes(), "FL0601");
}

TEST(Patch, ContextChoosesBetweenEqualStatements) {
  EXPECT_EQ(patched("a(); x(); b(); x();", "  b();\n- x();\n+ y();").body, "a();\nx();\nb();\ny();\n");
  EXPECT_EQ(patched("x(); a(); x(); b();", "- x();\n+ y();\n  b();").body, "x();\na();\ny();\nb();\n");
  EXPECT_EQ(patched("x(); x();", "- x();\n+ y();").parsed.codes(), "FL0602");
}

TEST(Patch, AnIfOfItsOwnBeforeThatOfAnElse) {
  EXPECT_EQ(patched("if (a) b(); else if (c) return; if (c) return;", "- if (c) return;").body,
            "if (a) b();\nelse if (c) return;\n");
  EXPECT_EQ(patched("if (a) b(); else if (c) return;", "- if (c) return;\n+ d();").body, "if (a) b();\nelse d();\n");
}

TEST(Patch, KeepsTheSpanOfItsOwnLines) {
  const Patched p = patched("a();\nb();", "- a();\n+ c();");
  const Stmt& added = *p.file.items.at(1).function->body->body.at(0);
  EXPECT_EQ(added.span.line, 9u);
  EXPECT_EQ(p.file.items.at(1).function->body->body.at(1)->span.line, 5u);
}

TEST(Patch, TheBaseStaysAsItWas) {
  const Patched p = patched("a(); b();", "- a();");
  EXPECT_EQ(print(*p.parsed.file.items.at(1).function->body), "{\n    a();\n    b();\n}\n");
  EXPECT_EQ(p.file.items.size(), p.parsed.file.items.size());
}

TEST(Patch, ChainsInOrder) {
  Patched p = patched("a();", "- a();\n+ b();",
                      "patch q after p in f { - b(); + c(); }\npatch r after q in f { c(); + d(); }\n");
  EXPECT_EQ(variants(p.parsed.file), (std::vector<std::string>{"base", "p", "q", "r"}));
  const File file = apply_variant(p.parsed.file, "r", p.parsed.diagnostics);
  EXPECT_EQ(p.parsed.errors(), "");
  EXPECT_EQ(print(*file.items.at(1).function->body), "{\n    c();\n    d();\n}\n");
  EXPECT_EQ(print(*apply_variant(p.parsed.file, "base", p.parsed.diagnostics).items.at(1).function->body),
            "{\n    a();\n}\n");
}

TEST(Patch, SeveralHunks) {
  Parsed p =
      parse_text("model m; handler f() { a(); } handler g() { a(); }\npatch p in f { - a(); } in g { a(); + b(); }");
  const File file = apply_variant(p.file, "p", p.diagnostics);
  EXPECT_EQ(p.errors(), "");
  EXPECT_EQ(print(*file.items[0].function->body), "{\n}\n");
  EXPECT_EQ(print(*file.items[1].function->body), "{\n    a();\n    b();\n}\n");
}

TEST(Patch, ErrorOfTheManual) {
  const Patched p = patched("a();\nif (__pte_alloc()) return;", "  - if (__pte_alloc(pmd)) return;\n  + b();");
  EXPECT_EQ(p.parsed.errors(),
            "test.fl:8:5: error: this statement is not in f [FL0601]\n"
            "    8 |   - if (__pte_alloc(pmd)) return;\n"
            "      |     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
            "    5 | if (__pte_alloc()) return;\n"
            "      | -------------------------- closest statement\n"
            "      = a patch replaces whole statements and must match exactly once (0 matches)\n");
}

TEST(Patch, Errors) {
  EXPECT_EQ(patched("a();", "+ b();").parsed.codes(), "FL0604");
  EXPECT_EQ(patched("if (x) a();", "  a();\n+ b();").parsed.codes(), "FL0604");
  EXPECT_EQ(patched("a();", "- a();\n- a();").parsed.codes(), "FL0606");
  EXPECT_EQ(patched("if (x) { a(); }", "- if (x) { a(); }\n- a();").parsed.codes(), "FL0606");
  EXPECT_EQ(patched("a();", "  a();").parsed.codes(), "FL0609");
}

TEST(Patch, UnknownNamesAndCircles) {
  const auto codes = [](const std::string& patches, const std::string& variant) {
    Parsed p = parse_text("model m; handler handle_mm_fault() { a(); }\n" + patches);
    static_cast<void>(apply_variant(p.file, variant, p.diagnostics));
    return p.codes();
  };
  EXPECT_EQ(codes("patch p in handle_mm_falt { - a(); }", "p"), "FL0605");
  EXPECT_EQ(codes("patch p after q in handle_mm_fault { - a(); }", "p"), "FL0607");
  EXPECT_EQ(codes("patch p after q in handle_mm_fault { - a(); } patch q after p in handle_mm_fault { - a(); }", "p"),
            "FL0608");
  EXPECT_EQ(codes("patch p after p in handle_mm_fault { - a(); }", "p"), "FL0608");
  EXPECT_EQ(codes("patch p after base in handle_mm_fault { - a(); }", "p"), "");
}

TEST(NormalTokens, OfExpressionsAndStatements) {
  const Parsed p = parse_body("if (likely((*(&mm->pmd)) == none)) { f(mm, \"x y\", a->b); }");
  const std::vector<std::string> tokens = normal_tokens(*body_of(p).body[0], {"mm"});
  EXPECT_EQ(tokens, (std::vector<std::string>{"if", "(", "*", "pmd", "==", "none", ")", "{", "f", "(", "\"x y\"", ",",
                                              "a", "->", "b", ")", ";", "}"}));
}

// ---------------------------------------------------------------- printing

TEST(Print, LayoutOfStatements) {
  const auto layout = [](const std::string& text) {
    const Parsed p = parse_body(text);
    EXPECT_EQ(p.errors(), "");
    expect_round_trip(p.file, text);
    return print(*body_of(p).body.at(0));
  };
  EXPECT_EQ(layout("if(a)return;"), "if (a) return;\n");
  EXPECT_EQ(layout("if(a){b();}else if(c)d();else{e();}"),
            "if (a) {\n    b();\n} else if (c) d();\nelse {\n    e();\n}\n");
  EXPECT_EQ(layout("if(a)if(b)c();else d();"), "if (a)\n    if (b) c();\n    else d();\n");
  EXPECT_EQ(layout("if(a){if(b)c();}else d();"), "if (a) {\n    if (b) c();\n} else d();\n");
  EXPECT_EQ(layout("do a();while(b);"), "do {\n    a();\n} while (b);\n");
  EXPECT_EQ(layout("for(int i=0;i<3;++i){}"), "for (int i = 0; i < 3; i++) {\n}\n");
  EXPECT_EQ(layout("while(a);"), "while (a) ;\n");
  EXPECT_EQ(layout("(*x)++;"), "(*x)++;\n");
  EXPECT_EQ(layout("int(0..3) a=(1),*b;"), "int(0..3) a = 1, *b;\n");
}

}  // namespace
}  // namespace faultline::dsl
