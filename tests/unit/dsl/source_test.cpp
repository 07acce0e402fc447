#include "dsl/source.hpp"

#include <gtest/gtest.h>

namespace faultline::dsl {
namespace {

TEST(Source, LinesWithAndWithoutEnd) {
  const SourceFile file(0, "a", "one\ntwo\r\n\nfour");
  EXPECT_EQ(file.lines(), 4u);
  EXPECT_EQ(file.line(1), "one");
  EXPECT_EQ(file.line(2), "two");
  EXPECT_EQ(file.line(3), "");
  EXPECT_EQ(file.line(4), "four");
  EXPECT_EQ(file.line(0), "");
  EXPECT_EQ(file.line(5), "");
  EXPECT_EQ(SourceFile(0, "a", "x\n").lines(), 1u);
  EXPECT_EQ(SourceFile(0, "a", "").lines(), 1u);
}

TEST(Source, ColumnsCountCodePoints) {
  const SourceFile file(3, "a", "äö x\n→y");
  const Span x = file.span(5, 6);
  EXPECT_EQ(x.file, 3u);
  EXPECT_EQ(x.line, 1u);
  EXPECT_EQ(x.column, 4u);
  const Span y = file.span(10, 11);
  EXPECT_EQ(y.line, 2u);
  EXPECT_EQ(y.column, 2u);
}

TEST(Source, ColumnsOfALongLineOfManyCharacters) {
  std::string text;
  for (int i = 0; i < 5000; ++i) text += "é";
  const SourceFile file(0, "a", text + "!");
  EXPECT_EQ(file.span(10000, 10001).column, 5001u);
  EXPECT_EQ(file.span(2048, 2049).column, 1025u);
}

TEST(Source, SpansBeyondTheEndAreCut) {
  const SourceFile file(0, "a", "ab\n");
  const Span end = file.span(100, 200);
  EXPECT_EQ(end.begin, 3u);
  EXPECT_EQ(end.end, 3u);
  EXPECT_TRUE(end.known());
  EXPECT_FALSE(Span{}.known());
}

TEST(Source, SpansJoinWithinAFile) {
  const SourceFile file(0, "a", "one two");
  EXPECT_EQ(file.span(0, 3).to(file.span(4, 7)), file.span(0, 7));
  EXPECT_EQ(file.span(0, 3).to(Span{}), file.span(0, 3));
  EXPECT_TRUE(before(file.span(0, 3), file.span(4, 7)));
  EXPECT_FALSE(before(file.span(4, 7), file.span(0, 3)));
}

}  // namespace
}  // namespace faultline::dsl
