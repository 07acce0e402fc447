// Input that no person writes: it must end soon, with a diagnostic of ours.
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <random>

#include "parse_support.hpp"

namespace faultline::dsl {
namespace {

std::string times(std::size_t count, const std::string& text) {
  std::string out;
  out.reserve(count * text.size());
  for (std::size_t i = 0; i < count; ++i) out += text;
  return out;
}

class Files : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("faultline_read_" + std::to_string(::getpid()));
    std::filesystem::create_directory(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string write(const std::string& name, const std::string& bytes) {
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
    return (folder_ / name).string();
  }
  // The codes of what reading and parsing say.
  static std::string codes(const std::string& path, std::string* errors = nullptr) {
    Parsed parsed;
    if (read_source(path, parsed.sources, parsed.diagnostics))
      parsed.file = parse(parsed.sources, 0, parsed.diagnostics);
    EXPECT_EQ(parsed.sources.size(), 1u);
    if (errors != nullptr) *errors = parsed.errors();
    return parsed.codes();
  }

  std::filesystem::path folder_;
};

TEST_F(Files, Missing) {
  EXPECT_EQ(codes((folder_ / "none.fl").string()), "FL0101");
  EXPECT_EQ(codes(""), "FL0101");
}

TEST_F(Files, Directory) {
  std::string errors;
  EXPECT_EQ(codes(folder_.string(), &errors), "FL0102");
  EXPECT_EQ(errors.find(folder_.string() + ": error: "), 0u) << errors;  // no line and column: it has none
}

TEST_F(Files, Unreadable) {
  const std::string path = write("secret.fl", "model m;");
  ASSERT_EQ(::chmod(path.c_str(), 0), 0);
  ASSERT_EQ(::chmod(folder_.c_str(), 0755), 0);
  const bool root = ::geteuid() == 0;  // reads everything, so looks as somebody else
  if (root) {
    ASSERT_EQ(::seteuid(65534), 0);
  }
  std::string errors;
  const std::string found = codes(path, &errors);
  if (root) {
    ASSERT_EQ(::seteuid(0), 0);
  }
  EXPECT_EQ(found, "FL0101");
  EXPECT_NE(errors.find("Permission denied"), std::string::npos) << errors;
}

// Opens, but cannot be read, not even by root.
TEST_F(Files, ReadingFails) {
  if (!std::filesystem::exists("/proc/self/mem")) GTEST_SKIP() << "needs /proc";
  std::string errors;
  EXPECT_EQ(codes("/proc/self/mem", &errors), "FL0101");
  EXPECT_NE(errors.find("cannot read this file"), std::string::npos) << errors;
}

TEST_F(Files, EndlessDevice) { EXPECT_EQ(codes("/dev/zero"), "FL0103"); }

TEST_F(Files, Empty) { EXPECT_EQ(codes(write("a.fl", "")), "FL0104"); }

TEST_F(Files, OnlyBlanksOrComments) {
  EXPECT_EQ(codes(write("a.fl", " \n\t\n")), "FL0104");
  EXPECT_EQ(codes(write("a.fl", "// x\n/* y */")), "FL0104");
  EXPECT_EQ(codes(write("a.fl", "\xEF\xBB\xBF")), "FL0104");
}

TEST_F(Files, ByteOrderMark) {
  EXPECT_EQ(codes(write("a.fl", "\xEF\xBB\xBFmodel m;\n")), "");
  std::string errors;
  EXPECT_EQ(codes(write("a.fl", "\xEF\xBB\xBFmodle m;\n"), &errors), "FL0113");
  EXPECT_NE(errors.find("a.fl:1:1:"), std::string::npos) << errors;
  EXPECT_EQ(codes(write("a.fl", std::string("\xFF\xFEm\0o\0", 6))), "FL0105");
}

TEST_F(Files, CrLf) {
  EXPECT_EQ(codes(write("a.fl", "model m;\r\nspinlock l; // x\r\nhandler f() {\r\n  assert(true, \"y\");\r\n}\r\n")),
            "");
  std::string errors;
  EXPECT_EQ(codes(write("a.fl", "model m;\r\nhandler f() {\r\n    step\r\n}\r\n"), &errors), "FL0115");
  EXPECT_EQ(errors.find('\r'), std::string::npos);
}

TEST_F(Files, NotUtf8) {
  std::string errors;
  EXPECT_EQ(codes(write("a.fl", "model m;\n// caf\xE9\n"), &errors), "FL0105");
  EXPECT_NE(errors.find("a.fl:2:7: error: byte 0xe9 is not UTF-8"), std::string::npos) << errors;
  EXPECT_EQ(errors.find('\xE9'), std::string::npos);
  for (const std::string bad :
       {"\xC0\x80", "\xED\xA0\x80", "\xF5\x80\x80\x80", "\xE2\x82", "\x80", "\xF0\x8F\xBF\xBF"}) {
    EXPECT_EQ(codes(write("a.fl", "model m; // " + bad + "\n")), "FL0105");
  }
  EXPECT_EQ(codes(write("a.fl", "model m; // \xF0\x9F\x98\x80 \xED\x9F\xBF \xE0\xA0\x80\n")), "");
}

TEST_F(Files, Binary) { EXPECT_EQ(codes(write("a.fl", std::string("model\0m;", 8))), "FL0106"); }

TEST_F(Files, TenMegabytes) {
  std::mt19937 random(1);
  std::string garbage(std::size_t{10} << 20U, ' ');
  for (char& c : garbage) c = static_cast<char>(random() % 256);
  EXPECT_EQ(codes(write("a.fl", garbage)), "FL0103");
}

TEST_F(Files, FourMegabytesOfGarbage) {
  std::mt19937 random(1);
  std::string garbage((std::size_t{4} << 20U) - 1, ' ');
  for (char& c : garbage) c = static_cast<char>(32 + random() % 95);
  EXPECT_NE(codes(write("a.fl", garbage)), "");
}

// ---------------------------------------------------------------- deep nesting

struct Deep {
  std::string name, before, open, middle, close, after, code;
};

class Nesting : public testing::TestWithParam<Deep> {};

TEST_P(Nesting, AHundredThousandLevelsAreRefused) {
  const Deep& d = GetParam();
  const std::string deep = d.before + times(100'000, d.open) + d.middle + times(100'000, d.close) + d.after;
  const Parsed parsed = parse_body(deep);
  EXPECT_EQ(parsed.codes(), d.code);
}

// As deep as the limits allow and a person would ever need; the tree is then walked by all later stages.
TEST_P(Nesting, AHundredLevelsAreFine) {
  const Deep& d = GetParam();
  const Parsed parsed = parse_body(d.before + times(100, d.open) + d.middle + times(100, d.close) + d.after);
  EXPECT_EQ(parsed.codes(), "");
  expect_round_trip(parsed.file, d.name);
}

TEST_P(Nesting, JustBelowTheLimitNothingOverflows) {
  const Deep& d = GetParam();
  for (const std::size_t levels : {150u, 199u, 290u, 590u}) {
    const Parsed parsed = parse_body(d.before + times(levels, d.open) + d.middle + times(levels, d.close) + d.after);
    EXPECT_TRUE(parsed.codes().empty() || parsed.codes() == "FL0109") << parsed.codes();
    if (parsed.codes().empty() && d.name != "dos")
      expect_round_trip(parsed.file, d.name);  // `do` is printed with braces: deeper
  }
}

INSTANTIATE_TEST_SUITE_P(All, Nesting,
                         testing::Values(Deep{"parentheses", "x = ", "(", "1", ")", ";", "FL0109"},
                                         Deep{"braces", "", "{", "", "}", "", "FL0109"},
                                         Deep{"brackets", "x = ", "a[", "1", "]", ";", "FL0109"},
                                         Deep{"calls", "x = ", "f(", "1", ")", ";", "FL0109"},
                                         Deep{"not", "x = ", "!", "a", "", ";", "FL0109"},
                                         Deep{"stars", "", "*", "a = 1", "", ";", "FL0109"},
                                         Deep{"ifs", "", "if (x) ", "step;", "", "", "FL0109"},
                                         Deep{"else_ifs", "if (x) step;", " else if (x) step;", "", "", "", "FL0109"},
                                         Deep{"whiles", "", "while (x) ", "step;", "", "", "FL0109"},
                                         Deep{"fors", "", "for (;;) ", "step;", "", "", "FL0109"},
                                         Deep{"dos", "", "do ", "step;", " while (x);", "", "FL0109"},
                                         Deep{"conditionals", "x = ", "a ? b : ", "c", "", ";", "FL0109"},
                                         Deep{"nested_conditionals", "x = ", "a ? ", "b", " : c", ";", "FL0109"},
                                         Deep{"ands", "x = a", " && a", "", "", ";", "FL0109"},
                                         Deep{"sums", "x = a", " + a", "", "", ";", "FL0109"},
                                         Deep{"implications", "x = a", " implies a", "", "", ";", "FL0109"},
                                         Deep{"fields", "x = a", ".b", "", "", ";", "FL0109"},
                                         Deep{"arrows", "x = a", "->b", "", "", ";", "FL0109"},
                                         Deep{"indices", "x = a", "[1]", "", "", ";", "FL0109"},
                                         Deep{"atomics", "", "atomic {", "step;", "}", "", "FL0109"}),
                         [](const auto& one) { return one.param.name; });

TEST(Nesting, LongIsNotDeep) {
  EXPECT_EQ(parse_body(times(20'000, "step;\n")).codes(), "");
  EXPECT_EQ(parse_body("f(" + times(20'000, "a, ") + "a);").codes(), "");
  EXPECT_EQ(parse_body("int " + times(20'000, "a, ") + "a;").codes(), "");
  EXPECT_EQ(parse_text("model m;" + times(5'000, "spinlock l;")).codes(), "");
}

TEST(Nesting, OnlyOpeningBrackets) {
  for (const std::string bracket : {"(", "[", "{", "}", ")", "]"}) {
    const Parsed parsed = parse_body(times(50'000, bracket));
    EXPECT_FALSE(parsed.errors().empty());
    EXPECT_LE(parsed.diagnostics.sorted().size(), 51u);
  }
}

// Inputs on which a careless lexer or line table needs quadratic time.
TEST(Speed, QuadraticTraps) {
  EXPECT_FALSE(parse_text(times(1'000'000, "/*/")).errors().empty());
  EXPECT_FALSE(parse_text("model m;" + times(100'000, "\"\n")).errors().empty());
  EXPECT_FALSE(parse_text("model m; handler f() {" + times(50'000, "x = é;") + "}").errors().empty());
  EXPECT_FALSE(parse_text("model m;\n" + times(100'000, "a\n")).errors().empty());
}

}  // namespace
}  // namespace faultline::dsl
