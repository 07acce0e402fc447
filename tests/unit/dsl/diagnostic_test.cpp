#include "dsl/diagnostic.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "dsl/codes.hpp"

namespace faultline::dsl {
namespace {

Sources one(const std::string& text) {
  Sources sources;
  sources.emplace_back(0, "thp.fl", text);
  return sources;
}

Diagnostic at(const Sources& sources, std::size_t begin, std::size_t end, const std::string& message = "wrong") {
  return {Severity::error, "FL0201", sources[0].span(begin, end), message};
}

TEST(Render, TheFormOfTheManual) {
  const Sources sources = one("int a;\n    if (pmd_non(*pmd)) {\n    spin_lock(l);\n");
  Diagnostic d = at(sources, 15, 22, "no predicate `pmd_non` for pmd_t");
  d.related.push_back({sources[0].span(36, 48), "taken here"});
  d.notes.push_back("did you mean `pmd_none`?");
  d.helps.push_back("`pmd_none(*pmd)`");
  EXPECT_EQ(render(d, sources, false),
            "thp.fl:2:9: error: no predicate `pmd_non` for pmd_t [FL0201]\n"
            "    2 |     if (pmd_non(*pmd)) {\n"
            "      |         ^~~~~~~\n"
            "    3 |     spin_lock(l);\n"
            "      |     ------------ taken here\n"
            "      = did you mean `pmd_none`?\n"
            "      = help: `pmd_none(*pmd)`\n");
}

TEST(Render, SecondMarkOnTheSameLine) {
  const Sources sources = one("f(a b;\n");
  Diagnostic d = at(sources, 5, 5);
  d.related.push_back({sources[0].span(1, 2), "opened here"});
  EXPECT_EQ(render(d, sources, false),
            "thp.fl:1:6: error: wrong [FL0201]\n    1 | f(a b;\n      |      ^\n      |  - opened here\n");
}

TEST(Render, TabsGoToTheNextMultipleOfEight) {
  const Sources sources = one("\tab\tcd\n");
  EXPECT_EQ(render(at(sources, 4, 6), sources, false),
            "thp.fl:1:5: error: wrong [FL0201]\n    1 |         ab      cd\n      |                 ^~\n");
  EXPECT_EQ(render(at(sources, 0, 1), sources, false),
            "thp.fl:1:1: error: wrong [FL0201]\n    1 |         ab      cd\n      | ^~~~~~~~\n");
}

TEST(Render, WideAndCombiningCharacters) {
  const Sources sources = one("日本 x e\u0301y 😀z\n");
  EXPECT_EQ(render(at(sources, 7, 8), sources, false),
            "thp.fl:1:4: error: wrong [FL0201]\n    1 | 日本 x e\u0301y 😀z\n      |      ^\n");
  EXPECT_EQ(render(at(sources, 9, 13), sources, false),
            "thp.fl:1:6: error: wrong [FL0201]\n    1 | 日本 x e\u0301y 😀z\n      |        ^~\n");
  EXPECT_EQ(render(at(sources, 18, 19), sources, false),
            "thp.fl:1:11: error: wrong [FL0201]\n    1 | 日本 x e\u0301y 😀z\n      |             ^\n");
}

TEST(Render, SeveralLinesShowTheFirst) {
  const Sources sources = one("if (a)  \n    b();\n");
  EXPECT_EQ(render(at(sources, 0, 16), sources, false),
            "thp.fl:1:1: error: wrong [FL0201]\n    1 | if (a)  \n      | ^~~~~~\n");
}

TEST(Render, EndOfFileAndEmptyLines) {
  const Sources sources = one("a\n");
  EXPECT_EQ(render(at(sources, 2, 2), sources, false), "thp.fl:1:3: error: wrong [FL0201]\n    1 | a\n      |  ^\n");
  const Sources empty = one("");
  EXPECT_EQ(render(at(empty, 0, 0), empty, false), "thp.fl:1:1: error: wrong [FL0201]\n    1 | \n      | ^\n");
}

TEST(Render, ControlCharactersDoNotReachTheTerminal) {
  const Sources sources = one("a\x1b[31mb\n");
  const std::string text = render(at(sources, 0, 1), sources, false);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_NE(text.find("a?[31mb"), std::string::npos);
}

TEST(Render, LongLinesAreCutAroundThePlace) {
  const Sources sources = one(std::string(1000, 'a') + "X" + std::string(1000, 'b'));
  const std::string text = render(at(sources, 1000, 1001), sources, false);
  EXPECT_NE(text.find("... aaa"), std::string::npos);
  EXPECT_NE(text.find("bbb ..."), std::string::npos);
  const std::size_t line = text.find("    1 | ");
  const std::size_t caret = text.find('^') - text.find("      | ");
  EXPECT_EQ(text[line + caret], 'X');
}

TEST(Render, WithoutAPlace) {
  const Sources sources = one("x");
  Diagnostic d{Severity::warning, "FL0412", {}, "odd"};
  EXPECT_EQ(render(d, sources, false), "thp.fl: warning: odd [FL0412]\n");
  EXPECT_EQ(render(d, {}, false), "warning: odd [FL0412]\n");
}

TEST(Render, ColourOnlyWhenAsked) {
  const Sources sources = one("abc");
  EXPECT_EQ(render(at(sources, 0, 1), sources, false).find('\033'), std::string::npos);
  std::string coloured = render(at(sources, 0, 1), sources, true);
  EXPECT_NE(coloured.find('\033'), std::string::npos);
  while (coloured.find('\033') != std::string::npos) {  // without the colours it is the same text
    const std::size_t begin = coloured.find('\033');
    coloured.erase(begin, coloured.find('m', begin) - begin + 1);
  }
  EXPECT_EQ(coloured, render(at(sources, 0, 1), sources, false));
}

TEST(Diagnostics, InFileOrderWithoutDuplicates) {
  const Sources sources = one("abc\ndef\n");
  Diagnostics all;
  all.add(at(sources, 5, 6, "second"));
  all.add(at(sources, 0, 1, "first"));
  all.add(at(sources, 5, 6, "second"));
  all.add(at(sources, 5, 6, "third"));
  const std::vector<Diagnostic> sorted = all.sorted();
  ASSERT_EQ(sorted.size(), 3u);
  EXPECT_EQ(sorted[0].message, "first");
  EXPECT_EQ(sorted[1].message, "second");
  EXPECT_EQ(sorted[2].message, "third");
}

TEST(Diagnostics, ProtocolErrorsAreNotInvalidInput) {
  Diagnostics all;
  EXPECT_TRUE(all.empty());
  all.add({Severity::warning, "FL0201", {}, ""});
  EXPECT_FALSE(all.has_errors());
  all.add({Severity::error, "FL0420", {}, ""});
  EXPECT_TRUE(all.has_errors());
  EXPECT_FALSE(all.has_invalid());
  all.add({Severity::error, "FL0601", {}, ""});
  EXPECT_TRUE(all.has_invalid());
}

TEST(DidYouMean, CloseNamesOnly) {
  const std::vector<std::string> names = {"pmd_none", "pmd_present", "pmd_trans_huge"};
  EXPECT_EQ(did_you_mean("pmd_non", names), "pmd_none");
  EXPECT_EQ(did_you_mean("pmd_nnoe", names), "pmd_none");
  EXPECT_EQ(did_you_mean("pmd_persent", names), "pmd_present");
  EXPECT_EQ(did_you_mean("vma_is_gone", names), "");
  EXPECT_EQ(did_you_mean("pmd_none", names), "");  // it is there: nothing to suggest
  EXPECT_EQ(did_you_mean("x", {"y", "xy"}), "");   // nothing of it would be left
  EXPECT_EQ(did_you_mean("", names), "");
  EXPECT_EQ(did_you_mean("fi", {"if"}), "if");
}

TEST(Codes, SortedCompleteAndFound) {
  ASSERT_FALSE(codes().empty());
  for (std::size_t i = 0; i < codes().size(); ++i) {
    const CodeInfo& info = codes()[i];
    if (i > 0) {
      EXPECT_LT(codes()[i - 1].code, info.code);
    }
    EXPECT_FALSE(info.title.empty()) << info.code;
    EXPECT_GT(info.page.size(), 80u) << info.code;
    EXPECT_NE(info.page.back(), ' ') << info.code;
    for (std::size_t begin = 0; begin < info.page.size();) {
      const std::size_t end = std::min(info.page.find('\n', begin), info.page.size());
      EXPECT_LE(end - begin, 100u) << info.code << ": " << info.page.substr(begin, end - begin);
      begin = end + 1;
    }
  }
  ASSERT_NE(find_code("FL0301"), nullptr);
  EXPECT_EQ(find_code("fl0301"), find_code("FL0301"));
  EXPECT_EQ(find_code("FL9999"), nullptr);
  EXPECT_EQ(find_code(""), nullptr);
}

}  // namespace
}  // namespace faultline::dsl
