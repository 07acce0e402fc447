#include "checker/smt/terms.hpp"

#include <algorithm>
#include <bit>

namespace faultline::check::smt {
namespace {

std::string quoted(const std::string& name) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
  };
  const bool digit_first = !name.empty() && name.front() >= '0' && name.front() <= '9';
  if (!name.empty() && !digit_first && std::all_of(name.begin(), name.end(), plain)) return name;
  std::string result = "|";
  for (const char c : name) result += c == '|' || c == '\\' || c == '$' ? '/' : c;
  result += '|';
  return result;
}

std::string binary(std::size_t value, std::size_t width) {
  std::string digits = "#b";
  for (std::size_t bit = width; bit-- > 0;) digits += (value >> bit & 1) != 0 ? '1' : '0';
  return digits;
}

}  // namespace

std::size_t Terms::HashParts::operator()(const std::vector<Term>& parts) const {
  std::uint64_t hash = 1;
  for (const Term part : parts) {
    hash = (hash ^ part.code) * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 32;
  }
  return hash;
}

Terms::Terms() {
  nodes_.push_back({{}, "true", 0, ""});
  declarations_.emplace_back();
}

// The name, or with a number behind it if it is taken.
std::string Terms::symbol_for(const std::string& name) {
  std::string result = name;
  for (int n = 2; !taken_.insert(result).second; ++n) result = name + "~" + std::to_string(n);
  return result;
}

Term Terms::variable(const std::string& name) {
  Node node;
  node.symbol = quoted(symbol_for(name));
  node.declaration = static_cast<std::uint32_t>(declarations_.size());
  declarations_.push_back("(declare-const " + node.symbol + " Bool)");
  nodes_.push_back(std::move(node));
  return {static_cast<std::uint32_t>(2 * (nodes_.size() - 1))};
}

std::vector<Term> Terms::number(const std::string& name, std::size_t values) {
  if (values < 2) return std::vector<Term>(values, yes);
  if (values == 2) {
    const Term one = variable(name);
    return {!one, one};
  }
  const auto width = static_cast<std::size_t>(std::bit_width(values - 1));
  const auto declaration = static_cast<std::uint32_t>(declarations_.size());
  const std::string symbol = symbol_for(name);
  declarations_.push_back("(declare-const " + quoted(symbol) + " (_ BitVec " + std::to_string(width) + "))");
  std::vector<Term> result;
  for (std::size_t value = 0; value < values; ++value) {
    Node node;
    node.symbol = quoted(symbol_for(symbol + "=" + std::to_string(value)));
    node.declaration = declaration;
    node.definition = "(= " + quoted(symbol) + " " + binary(value, width) + ")";
    nodes_.push_back(std::move(node));
    result.push_back({static_cast<std::uint32_t>(2 * (nodes_.size() - 1))});
  }
  return result;
}

std::vector<Term> Terms::one_hot(const std::string& name, std::size_t values) {
  if (values <= 2) return number(name, values);
  std::vector<Term> result;
  for (std::size_t value = 0; value < values; ++value) result.push_back(variable(name + "=" + std::to_string(value)));
  return result;
}

Term Terms::all(std::vector<Term> parts) {
  std::vector<Term> flat;
  for (const Term part : parts) {
    const bool conjunction = (part.code & 1) == 0 && !nodes_[part.code / 2].parts.empty();
    if (conjunction && nodes_[part.code / 2].parts.size() <= 4) {
      flat.insert(flat.end(), nodes_[part.code / 2].parts.begin(), nodes_[part.code / 2].parts.end());
    } else if (!part.is_true()) {
      flat.push_back(part);
    }
  }
  std::sort(flat.begin(), flat.end());
  flat.erase(std::unique(flat.begin(), flat.end()), flat.end());
  for (std::size_t n = 0; n < flat.size(); ++n) {
    if (flat[n].is_false() || (n > 0 && flat[n] == !flat[n - 1])) return no;
  }
  if (flat.empty()) return yes;
  if (flat.size() == 1) return flat.front();
  const auto [place, is_new] = conjunctions_.try_emplace(flat, static_cast<std::uint32_t>(nodes_.size()));
  if (is_new) nodes_.push_back({flat, "", 0, ""});
  return {2 * place->second};
}

Term Terms::any(std::vector<Term> parts) {
  for (Term& part : parts) part = !part;
  return !all(std::move(parts));
}

// Writes the terms that the claims need: what is used more than once gets a name.
class Terms::Writer {
 public:
  Writer(const Terms& terms, std::string& out)
      : terms_(terms),
        out_(out),
        uses_(terms.nodes_.size()),
        named_(terms.nodes_.size()),
        declared_(terms.declarations_.size()) {}

  void count(Term term) {
    if (uses_[term.code / 2]++ > 0) return;
    for (const Term part : terms_.nodes_[term.code / 2].parts) count(part);
  }

  // Declares and defines all that `term` needs before it can be written.
  void prepare(Term term) {
    const std::uint32_t n = term.code / 2;
    const Node& node = terms_.nodes_[n];
    if (named_[n]) return;
    if (node.parts.empty()) {
      named_[n] = true;
      if (n != 0 && !declared_[node.declaration]) {
        declared_[node.declaration] = true;
        out_ += terms_.declarations_[node.declaration] + "\n";
      }
      if (!node.definition.empty()) out_ += "(define-fun " + node.symbol + " () Bool " + node.definition + ")\n";
      return;
    }
    for (const Term part : node.parts) prepare(part);
    if (uses_[n] > 1) {
      out_ += "(define-fun " + name(n) + " () Bool ";
      write_parts(n, false);
      out_ += ")\n";
      named_[n] = true;
    }
  }

  void write(Term term) {
    const std::uint32_t n = term.code / 2;
    const bool negated = (term.code & 1) != 0;
    if (n == 0) {
      out_ += negated ? "false" : "true";
    } else if (named_[n]) {
      const std::string& symbol = terms_.nodes_[n].symbol;
      if (negated) out_ += "(not ";
      out_ += symbol.empty() ? name(n) : symbol;
      if (negated) out_ += ")";
    } else {
      write_parts(n, negated);
    }
  }

 private:
  static std::string name(std::uint32_t n) { return "$" + std::to_string(n); }

  void write_parts(std::uint32_t n, bool negated) {
    out_ += negated ? "(or" : "(and";
    for (const Term part : terms_.nodes_[n].parts) {
      out_ += ' ';
      write(negated ? !part : part);
    }
    out_ += ')';
  }

  const Terms& terms_;
  std::string& out_;
  std::vector<std::uint32_t> uses_;
  std::vector<bool> named_;
  std::vector<bool> declared_;
};

std::string Terms::script(const std::string& comment, const std::vector<Term>& claims) const {
  std::string out = comment + "(set-logic QF_BV)\n";
  Writer writer(*this, out);
  for (const Term claim : claims) writer.count(claim);
  for (const Term claim : claims) {
    writer.prepare(claim);
    out += "(assert ";
    writer.write(claim);
    out += ")\n";
  }
  return out + "(check-sat)\n(exit)\n";
}

}  // namespace faultline::check::smt
