// Bodies of random handlers: statements, with choices where synchronisation may stand or not. A setting of all choices
// gives plain text, so that a variant with one lock less is the same body under another setting.
#pragma once
#include <optional>
#include <string>
#include <vector>

namespace faultline::differential {

using Setting = std::vector<bool>;  // of each choice: does its synchronisation stand?

struct Node;
using Body = std::vector<Node>;

struct Node {
  enum class Kind {
    line,      // text
    compound,  // text { body }, or text { body } else { other }
    choice,    // body if choice `which` stands, else `other`
    guard,     // text { body } if choice `which` stands, else body alone
  } kind = Kind::line;
  std::string text;
  std::size_t which = 0;
  Body body{};
  Body other{};
};

Node line(std::string text);
Node when(std::string condition, Body body, Body otherwise = {});
Node choice(std::size_t which, Body body, Body other = {});
Node guard(std::size_t which, const std::string& condition, Body body);
void append(Body& body, Body more);

// Without choices: lines and compounds only.
Body resolve(const Body& body, const Setting& setting);
// Of a resolved body, four spaces a level.
std::string print(const Body& body, int depth);

// The lines of a patch hunk that makes `after` of `before` (both resolved); nothing if there is no difference, or if a
// statement to be replaced does not stand in `before` exactly once.
std::optional<std::string> hunk(const Body& before, const Body& after);

}  // namespace faultline::differential
