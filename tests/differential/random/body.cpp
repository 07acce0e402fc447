#include "tests/differential/random/body.hpp"

#include <algorithm>

namespace faultline::differential {

Node line(std::string text) { return {Node::Kind::line, std::move(text), 0, {}, {}}; }
Node when(std::string condition, Body body, Body otherwise) {
  return {Node::Kind::compound, "if (" + std::move(condition) + ")", 0, std::move(body), std::move(otherwise)};
}
Node choice(std::size_t which, Body body, Body other) {
  return {Node::Kind::choice, "", which, std::move(body), std::move(other)};
}
Node guard(std::size_t which, const std::string& condition, Body body) {
  return {Node::Kind::guard, "if (" + condition + ")", which, std::move(body), {}};
}
void append(Body& body, Body more) {
  for (Node& node : more) body.push_back(std::move(node));
}

Body resolve(const Body& body, const Setting& setting) {
  Body plain;
  for (const Node& node : body) {
    const bool stands = node.kind == Node::Kind::line || node.kind == Node::Kind::compound || setting[node.which];
    if (node.kind == Node::Kind::line) {
      plain.push_back(node);
    } else if (node.kind == Node::Kind::choice) {
      append(plain, resolve(stands ? node.body : node.other, setting));
    } else if (!stands) {
      append(plain, resolve(node.body, setting));
    } else {
      Node compound = node;
      compound.kind = Node::Kind::compound;
      compound.body = resolve(node.body, setting);
      compound.other = resolve(node.other, setting);
      plain.push_back(std::move(compound));
    }
  }
  return plain;
}

std::string print(const Body& body, int depth) {
  const std::string in(static_cast<std::size_t>(depth) * 4, ' ');
  std::string text;
  for (const Node& node : body) {
    text += in + node.text;
    if (node.kind == Node::Kind::compound) {
      text += " {\n" + print(node.body, depth + 1) + in + "}";
      if (!node.other.empty()) text += " else {\n" + print(node.other, depth + 1) + in + "}";
    }
    text += "\n";
  }
  return text;
}

namespace {

std::string print(const Node& node) { return print(Body{node}, 0); }

int count(const Body& body, const std::string& statement) {
  int n = 0;
  for (const Node& node : body)
    n += (print(node) == statement ? 1 : 0) + count(node.body, statement) + count(node.other, statement);
  return n;
}

std::string with_sign(char sign, const std::string& statement) {
  std::string text;
  for (std::size_t at = 0; at < statement.size();) {
    const std::size_t end = statement.find('\n', at);
    text += std::string("  ") + sign + " " + statement.substr(at, end - at) + "\n";
    at = end + 1;
  }
  return text;
}

// length[i][j]: of the longest common subsequence of a[i..] and b[j..].
std::vector<std::vector<std::size_t>> common(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  std::vector<std::vector<std::size_t>> length(a.size() + 1, std::vector<std::size_t>(b.size() + 1, 0));
  for (std::size_t i = a.size(); i-- > 0;)
    for (std::size_t j = b.size(); j-- > 0;)
      length[i][j] = a[i] == b[j] ? length[i + 1][j + 1] + 1 : std::max(length[i + 1][j], length[i][j + 1]);
  return length;
}

}  // namespace

// A run of changes takes statements away and puts others there. Where it only adds, the statement behind it (or before
// it, at the end) is taken away and put back, so that there is a place to add at.
std::optional<std::string> hunk(const Body& before, const Body& after) {
  std::vector<std::string> a, b;
  for (const Node& node : before) a.push_back(print(node));
  for (const Node& node : after) b.push_back(print(node));
  const auto length = common(a, b);
  std::string text;
  std::size_t i = 0, j = 0;
  bool last_put_back = false;
  const auto once = [&](const std::string& statement) { return count(before, statement) == 1; };
  while (i < a.size() || j < b.size()) {
    if (i < a.size() && j < b.size() && a[i] == b[j]) {
      ++i, ++j;
      continue;
    }
    const std::size_t first_gone = i, first_new = j;
    while ((i < a.size() || j < b.size()) && !(i < a.size() && j < b.size() && a[i] == b[j])) {
      if (j == b.size() || (i < a.size() && length[i + 1][j] >= length[i][j + 1]))
        ++i;
      else
        ++j;
    }
    std::string gone, added, anchor;
    for (std::size_t k = first_gone; k < i; ++k) {
      if (!once(a[k])) return {};
      gone += with_sign('-', a[k]);
    }
    for (std::size_t k = first_new; k < j; ++k) added += with_sign('+', b[k]);
    if (gone.empty() && i < a.size()) {
      if (!once(a[i])) return {};
      gone = with_sign('-', a[i]);
      added += with_sign('+', a[i]);
      ++i, ++j;
      last_put_back = i == a.size();
    } else if (gone.empty() && !last_put_back) {
      if (a.empty() || !once(a.back())) return {};
      anchor = with_sign(' ', a.back());
    }
    text += anchor + gone + added;
  }
  if (text.empty()) return {};
  return text;
}

}  // namespace faultline::differential
