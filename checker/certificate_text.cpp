#include "checker/certificate_text.hpp"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <sstream>
#include <stdexcept>

#include "checker/certificate_shapes.hpp"

namespace faultline::check {
namespace {

using step::CpuState;
using step::Program;
using step::State;

// A name as one word without the characters that have a meaning in a line.
std::string word(const std::string& name) {
  std::string result;
  for (const char c : name) result += c == ' ' || c == '=' || c == '|' || c == '@' || c == '[' ? '_' : c;
  return result.empty() ? "_" : result;
}

std::string value_word(const step::Variable& variable, std::uint8_t value) {
  const auto& names = variable.names;
  if (value >= names.size() || std::count(names.begin(), names.end(), names[value]) > 1) return std::to_string(value);
  const std::string name = word(names[value]);
  const bool number_like = name.find_first_not_of("0123456789") == std::string::npos;
  return number_like ? std::to_string(value) : name;
}

std::string position_word(const Program& program, std::size_t pc) {
  const step::Id handler = program.locations[pc].handler;
  return word(handler == step::no_id ? "idle" : program.handlers[handler]) + "@" + std::to_string(pc);
}

// Writes one view with its CPUs in the given order.
class Writer {
 public:
  Writer(const Program& program, const State& view) : program_(program), view_(view) {}

  std::string write(const std::vector<std::size_t>& order) {
    for (std::size_t g = 0; g < program_.globals.size(); ++g) {
      put(program_.globals[g].name, value_word(program_.globals[g], view_.globals[g]));
    }
    for (std::size_t p = 0; p < program_.places.size(); ++p) put(program_.places[p].name, object(view_.places[p]));
    for (const std::size_t i : order) {
      const CpuState& cpu = view_.cpu[i];
      put_word("|");
      put_word(position_word(program_, cpu.pc));
      for (std::size_t l = 0; l < program_.locals.size(); ++l) {
        put(program_.locals[l].name, value_word(program_.locals[l], cpu.locals[l]));
      }
      for (std::size_t h = 0; h < program_.handles.size(); ++h) put(program_.handles[h].name, object(cpu.handles[h]));
    }
    put_awaits(order);
    return std::move(line_);
  }

 private:
  void put_word(const std::string& text) { line_ += (line_.empty() ? "" : " ") + text; }
  void put(const std::string& name, const std::string& value) { put_word(word(name) + "=" + value); }

  std::string object(std::uint8_t name) {
    if (name == 0) return "-";
    if (new_name_[name] != 0) return "o" + std::to_string(new_name_[name]);
    new_name_[name] = ++objects_;
    std::string result = "o" + std::to_string(objects_);
    const auto& bits = program_.types[view_.types[name]].bits;
    std::string separator = "[";
    for (std::size_t b = 0; b < bits.size(); ++b) {
      if ((view_.bits[name] >> b & 1) == 0) continue;
      result += separator + word(bits[b]);
      separator = ",";
    }
    return separator == "[" ? result : result + "]";
  }

  void put_awaits(const std::vector<std::size_t>& order) {
    bool first = true;
    for (std::size_t kind = 0; kind < program_.awaits.size(); ++kind) {
      for (std::size_t i = 0; i < order.size(); ++i) {
        for (std::size_t j = 0; j < order.size(); ++j) {
          if ((view_.cpu[order[i]].awaits[kind] >> order[j] & 1) == 0) continue;
          if (first) put_word("|");
          first = false;
          put_word(std::to_string(i + 1) + ">" + std::to_string(j + 1) + ":" + word(program_.awaits[kind].name));
        }
      }
    }
  }

  const Program& program_;
  const State& view_;
  std::string line_;
  std::array<int, step::max_objects + 1> new_name_{};
  int objects_ = 0;
};

std::string line_of(const Program& program, const State& view) {
  std::vector<std::size_t> order(view.cpus);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::string best;
  do {
    std::string line = Writer(program, view).write(order);
    if (best.empty() || line < best) best = std::move(line);
  } while (std::next_permutation(order.begin(), order.end()));
  return best;
}

class Reader {
 public:
  Reader(const Program& program, std::uint32_t k, const std::string& line) : program_(program), k_(k), words_(line) {}

  State read() {
    for (std::size_t g = 0; g < program_.globals.size(); ++g) view_.globals[g] = value(program_.globals[g]);
    for (std::size_t p = 0; p < program_.places.size(); ++p) {
      view_.places[p] = object(program_.places[p].name, program_.places[p].type);
    }
    for (std::uint32_t i = 0; i < k_; ++i) {
      if (next() != "|") throw std::runtime_error("a view must have " + std::to_string(k_) + " CPUs");
      CpuState& cpu = view_.cpu[view_.cpus++];
      cpu.pc = position(next());
      for (std::size_t l = 0; l < program_.locals.size(); ++l) cpu.locals[l] = value(program_.locals[l]);
      for (std::size_t h = 0; h < program_.handles.size(); ++h) {
        cpu.handles[h] = object(program_.handles[h].name, program_.handles[h].type);
      }
    }
    std::string text;
    if (words_ >> text) {
      if (text != "|") throw std::runtime_error("unexpected `" + text + "`");
      while (words_ >> text) awaits(text);
    }
    return view_;
  }

 private:
  std::string next() {
    std::string text;
    if (!(words_ >> text)) throw std::runtime_error("the line ends too early");
    return text;
  }

  std::string value_text(const std::string& name) {
    const std::string text = next();
    const std::string expected = word(name) + "=";
    if (text.rfind(expected, 0) != 0) throw std::runtime_error("`" + text + "` where `" + expected + "` is due");
    return text.substr(expected.size());
  }

  std::uint8_t value(const step::Variable& variable) {
    const std::string text = value_text(variable.name);
    for (unsigned v = 0; v <= variable.max; ++v) {
      if (value_word(variable, static_cast<std::uint8_t>(v)) == text) return static_cast<std::uint8_t>(v);
    }
    throw std::runtime_error("`" + variable.name + "` has no value `" + text + "`");
  }

  step::Id position(const std::string& text) {
    const std::size_t at = text.rfind('@');
    std::size_t pc = 0;
    const char* end = text.data() + text.size();
    if (at != std::string::npos && std::from_chars(text.data() + at + 1, end, pc).ptr == end &&
        pc < program_.locations.size() && text == position_word(program_, pc)) {
      return static_cast<step::Id>(pc);
    }
    throw std::runtime_error("there is no position `" + text + "`");
  }

  std::uint8_t object(const std::string& name, step::Id type) {
    const std::string text = value_text(name);
    if (text == "-") return 0;
    const std::string fresh = "o" + std::to_string(view_.objects + 1);
    for (std::uint8_t n = 1; n <= view_.objects; ++n) {
      if (text == "o" + std::to_string(n) && view_.types[n] == type) return n;
    }
    if (text.rfind(fresh, 0) != 0 || view_.objects == step::max_objects) {
      throw std::runtime_error("`" + text + "` is no object here");
    }
    const std::uint8_t n = ++view_.objects;
    view_.types[n] = static_cast<std::uint8_t>(type);
    view_.bits[n] = bits(text.substr(fresh.size()), program_.types[type]);
    return n;
  }

  static std::uint8_t bits(const std::string& text, const step::ObjectType& type) {
    for (unsigned set = 0; set < 1u << type.bits.size(); ++set) {
      std::string expected;
      for (std::size_t b = 0; b < type.bits.size(); ++b) {
        if ((set >> b & 1) != 0) expected += (expected.empty() ? "[" : ",") + word(type.bits[b]);
      }
      if (text == (expected.empty() ? "" : expected + "]")) return static_cast<std::uint8_t>(set);
    }
    throw std::runtime_error("`" + text + "` are no bits of " + type.name);
  }

  void awaits(const std::string& text) {
    for (std::size_t kind = 0; kind < program_.awaits.size(); ++kind) {
      for (std::size_t i = 0; i < k_; ++i) {
        for (std::size_t j = 0; j < k_; ++j) {
          const std::string expected =
              std::to_string(i + 1) + ">" + std::to_string(j + 1) + ":" + word(program_.awaits[kind].name);
          if (i == j || text != expected) continue;
          view_.cpu[i].awaits[kind] = static_cast<std::uint16_t>(view_.cpu[i].awaits[kind] | 1u << j);
          return;
        }
      }
    }
    throw std::runtime_error("`" + text + "` is no wait of this model");
  }

  const Program& program_;
  std::uint32_t k_;
  std::istringstream words_;
  State view_;
};

}  // namespace

std::vector<std::string> view_lines(const Program& program, const ViewSet& set) {
  std::vector<std::string> lines;
  lines.reserve(set.views.size());
  for (const State& view : set.views) lines.push_back(line_of(program, view));
  std::sort(lines.begin(), lines.end());
  return lines;
}

State view_from_line(const Program& program, std::uint32_t k, const std::string& line) {
  State view = Reader(program, k, line).read();
  if (!well_formed(program, view, k)) throw std::runtime_error("this is no view of " + std::to_string(k) + " CPUs");
  if (line_of(program, view) != line) throw std::runtime_error("the view is not written in its own words");
  return view;
}

}  // namespace faultline::check
