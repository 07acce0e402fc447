// Parsing from a string, and errors as one text, for the tests of the front end.
#pragma once
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "dsl/parse.hpp"
#include "dsl/patch.hpp"

namespace faultline::dsl {

struct Parsed {
  Sources sources;
  Diagnostics diagnostics;
  File file;

  [[nodiscard]] std::string errors() const {
    std::string text;
    for (const Diagnostic& diagnostic : diagnostics.sorted()) text += render(diagnostic, sources, false);
    return text;
  }
  [[nodiscard]] std::string codes() const {
    std::string text;
    for (const Diagnostic& diagnostic : diagnostics.sorted()) text += (text.empty() ? "" : " ") + diagnostic.code;
    return text;
  }
};

inline Parsed parse_text(const std::string& text, const std::string& name = "test.fl") {
  Parsed parsed;
  parsed.sources.emplace_back(0, name, text);
  parsed.file = parse(parsed.sources, 0, parsed.diagnostics);
  return parsed;
}

// The body of a handler, as statements.
inline Parsed parse_body(const std::string& statements) {
  return parse_text("model m;\nhandler f() { " + statements + " }\n");
}

inline const Stmt& body_of(const Parsed& parsed) { return *parsed.file.items.at(0).function->body; }

// How an expression was understood, fully parenthesised.
inline std::string tree_of(const std::string& expression) {
  const Parsed parsed = parse_text("model m; invariant i : " + expression + ";");
  EXPECT_EQ(parsed.errors(), "") << expression;
  if (parsed.file.items.empty() || !parsed.file.items[0].invariant) return "?";
  return print_tree(*parsed.file.items[0].invariant->expr);
}

inline std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

// Printing and parsing again must give the same text, for the file and each of its variants.
inline void expect_round_trip(const File& file, const std::string& what) {
  Diagnostics diagnostics;
  for (const std::string& variant : variants(file)) {
    const std::string once = print(apply_variant(file, variant, diagnostics));
    const Parsed again = parse_text(once);
    EXPECT_EQ(again.codes(), "") << what << " " << variant << "\n" << again.errors().substr(0, 2000);
    EXPECT_TRUE(print(again.file) == once) << what << " " << variant << "\n" << once.substr(0, 2000);
  }
}

}  // namespace faultline::dsl
