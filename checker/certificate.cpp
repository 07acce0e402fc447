// A certificate as a directory, and its judgement from disk. What certify() accepts rests on the model's lowering and
// the judges only; the files are there to be compared.
#include "checker/certificate.hpp"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

#include "checker/certificate_hash.hpp"
#include "checker/certificate_solve.hpp"
#include "checker/certificate_text.hpp"
#include "checker/draft_folder.hpp"

namespace faultline::check {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* schema = "faultline-certificate/1";
constexpr const char* head_file = "certificate.json";
constexpr const char* model_file = "model.fl";
constexpr const char* views_file = "views.txt";

// --- files ---

std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  if (!fs::is_regular_file(path) || !in) throw std::runtime_error(path.filename().string() + ": cannot read it");
  return text;
}

// Whether the folder may be replaced: it is empty, or a certificate and nothing else.
void expect_replaceable(const fs::path& dir) {
  if (!fs::exists(dir)) return;
  if (!fs::is_directory(dir)) throw std::runtime_error(dir.string() + ": it is there and is no directory");
  if (fs::is_empty(dir)) return;
  bool certificate = false;
  for (const auto& entry : fs::directory_iterator(dir)) {
    certificate = certificate || entry.path().filename() == head_file;
    if (entry.is_directory())
      throw std::runtime_error(dir.string() + ": it holds a folder, " + entry.path().filename().string() +
                               ", and would be replaced");
  }
  if (!certificate)
    throw std::runtime_error(dir.string() + ": it is not empty, and no certificate that could be replaced");
}

// --- certificate.json ---

Json head_json(const CertificateHead& head, const ViewSet& set, const std::vector<Query>& all,
               const std::string& views) {
  Json json;
  json["schema"] = schema;
  json["tool"] = head.tool;
  json["source"] = head.source;
  json["variant"] = head.variant;
  json["properties"] = head.properties;
  if (head.scope.any) {
    json["scope"]["cpus"] = "any";
  } else {
    json["scope"]["cpus"] = head.scope.cpus;
  }
  json["scope"]["memory"] = head.scope.memory;
  json["scope"]["bounds"] = head.scope.bounds;
  json["kind"] = "views";
  json["k"] = set.k;
  json["views"] = set.views.size();
  json["sha256"][model_file] = sha256(head.patched);
  json["sha256"][views_file] = sha256(views);
  for (const Query& query : all) json["queries"].push_back(query.name + ".smt2");
  return json;
}

Json read_json(const fs::path& dir) {
  const std::string text = read_file(dir / head_file);
  try {
    Json json = Json::parse(text);
    if (json.at("schema") != schema || json.at("kind") != "views") {
      throw std::runtime_error("certificate.json: not a certificate that this program knows");
    }
    return json;
  } catch (const Json::exception& error) {
    const auto* parse_error = dynamic_cast<const Json::parse_error*>(&error);
    const std::size_t byte = parse_error == nullptr ? 0 : std::min(parse_error->byte, text.size());
    const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(byte), '\n');
    throw std::runtime_error("certificate.json:" + std::to_string(line) + ": " + error.what());
  }
}

template <class T>
T field(const Json& json, const char* name) {
  try {
    return json.at(name).get<T>();
  } catch (const Json::exception&) {
    throw std::runtime_error(std::string("certificate.json: `") + name + "` is missing or of the wrong type");
  }
}

void expect_hash(const Json& json, const char* name, const std::string& text) {
  const Json hashes = field<Json>(json, "sha256");
  if (field<std::string>(hashes, name) != sha256(text)) {
    throw std::runtime_error(std::string(name) + ": its SHA-256 is not that of certificate.json");
  }
}

// --- views.txt ---

std::string views_text(const step::Program& program, const ViewSet& set) {
  std::string text = "# What any " + std::to_string(set.k) + " CPUs look like at any time: " + program.model +
                     ", variant " + program.variant + "\n";
  for (const std::string& line : view_lines(program, set)) text += line + "\n";
  return text;
}

const char* const readme =
    "A proof for any number of CPUs, to be judged without trusting the search that found it.\n"
    "\n"
    "model.fl          the model as it was proved, patches applied\n"
    "certificate.json  what is claimed: variant, properties, scope; and hashes of model.fl and views.txt\n"
    "views.txt         the invariant: any `k` CPUs, and the objects they can see, look like one of these lines\n"
    "*.smt2            the obligations. Each must be unsat, for any SMT-LIB 2 solver: `z3 own_step.smt2`\n"
    "\n"
    "`faultline certify DIR` does all of it: hashes, an own check of views.txt, the queries made again and compared\n"
    "with the files, and Z3 on their text.\n";

Judgement rejected(std::string obligation, std::string detail) {
  Judgement judgement;
  judgement.obligation = std::move(obligation);
  judgement.detail = std::move(detail);
  return judgement;
}

void expect_same_claim(const CertificateHead& head, const Json& json, const step::Program& program) {
  if (head.variant != program.variant)
    throw std::runtime_error("certificate.json: it is about variant " + head.variant);
  if (!head.scope.any || head.scope.memory != "sc" || !head.scope.bounds.empty()) {
    throw std::runtime_error("certificate.json: views prove any number of CPUs under sc without bounds, nothing else");
  }
  for (const std::string& property : head.properties) {
    if (std::count(program.properties.begin(), program.properties.end(), property) == 0) {
      throw std::runtime_error("certificate.json: views of this model do not prove `" + property + "`");
    }
  }
  expect_hash(json, model_file, head.patched);
}

}  // namespace

void write_certificate(const fs::path& dir, const CertificateHead& head, const step::Program& program,
                       const ViewSet& set, const std::function<void(const fs::path&)>& judge, const Limits& limits) {
  try {
    expect_replaceable(dir);
    DraftFolder draft(dir);
    const std::vector<Query> all = queries(program, set, limits);
    const std::string views = views_text(program, set);
    draft.write(model_file, head.patched);
    draft.write(views_file, views);
    draft.write(head_file, head_json(head, set, all, views).dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
    draft.write("README", readme);
    for (const Query& query : all) draft.write(query.name + ".smt2", query.text);
    if (judge) judge(draft.path());
    expect_replaceable(dir);  // once more: it took a while
    draft.move_into_place();
  } catch (const fs::filesystem_error& error) {
    throw std::runtime_error(error.path1().string() + ": " + error.code().message());
  }
}

CertificateHead read_head(const fs::path& dir) {
  const Json json = read_json(dir);
  CertificateHead head;
  head.tool = field<std::string>(json, "tool");
  head.source = field<std::string>(json, "source");
  head.variant = field<std::string>(json, "variant");
  head.properties = field<std::vector<std::string>>(json, "properties");
  const Json scope = field<Json>(json, "scope");
  const Json cpus = field<Json>(scope, "cpus");
  head.scope.any = cpus == "any";
  if (!head.scope.any) head.scope.cpus = field<std::uint32_t>(scope, "cpus");
  head.scope.memory = field<std::string>(scope, "memory");
  head.scope.bounds = field<std::vector<std::string>>(scope, "bounds");
  head.patched = read_file(dir / model_file);
  return head;
}

ViewSet read_views(const fs::path& dir, const step::Program& program) {
  const Json json = read_json(dir);
  ViewSet set;
  set.k = field<std::uint32_t>(json, "k");
  if (set.k == 0 || set.k > step::max_cpus) throw std::runtime_error("certificate.json: `k` is out of range");
  std::istringstream in(read_file(dir / views_file));
  std::string line;
  std::string last;
  for (std::size_t number = 1; std::getline(in, line); ++number) {
    if (line.empty() || line.front() == '#') continue;
    const auto fail = [&](const std::string& what) {
      throw std::runtime_error(std::string(views_file) + ":" + std::to_string(number) + ": " + what);
    };
    if (!last.empty() && line <= last) fail("lines are not in order");
    try {
      set.views.push_back(view_from_line(program, set.k, line));
    } catch (const std::runtime_error& error) {
      fail(error.what());
    }
    last = line;
  }
  return set;
}

Judgement certify(const fs::path& dir, const step::Program& program, bool z3, const Limits& limits) {
  try {
    const Json json = read_json(dir);
    expect_same_claim(read_head(dir), json, program);
    const ViewSet set = read_views(dir, program);

    Judgement judgement = own_check(program, set, limits);
    if (!judgement.accepted) return judgement;

    // After own_check, so that a view that was taken out is reported as the obligation that needs it.
    expect_hash(json, views_file, read_file(dir / views_file));
    std::vector<Query> on_disk = queries(program, set, limits);
    std::vector<std::string> names;
    for (Query& query : on_disk) {
      const std::string name = query.name + ".smt2";
      std::string text = read_file(dir / name);
      if (text != query.text)
        return rejected(query.name, name + ": it is not the query that the views and the model give");
      query.text = std::move(text);
      names.push_back(name);
    }
    for (const auto& entry : fs::directory_iterator(dir)) {
      const std::string name = entry.path().filename().string();
      if (entry.path().extension() == ".smt2" && std::count(names.begin(), names.end(), name) == 0) {
        return rejected("file", name + ": no query of this certificate");
      }
    }
    if (z3) {
      const double seconds = judgement.seconds;
      judgement = solve_all(on_disk, limits);
      judgement.seconds += seconds;
    }
    return judgement;
  } catch (const OverLimit& limit) {
    Judgement judgement;
    judgement.undecided = true;
    judgement.detail = limit.what();
    return judgement;
  } catch (const std::runtime_error& error) {  // fs::filesystem_error too
    return rejected("file", error.what());
  }
}

}  // namespace faultline::check
