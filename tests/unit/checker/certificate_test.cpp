// Certificates on disk: what is written can be judged from the files, and nothing that was changed is accepted.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "checker/certificate_hash.hpp"
#include "checker/certificate_text.hpp"
#include "tests/support/peers.hpp"
#include "tests/unit/checker/certificate_sets.hpp"

namespace faultline::check {
namespace {

namespace fs = std::filesystem;
using namespace faultline::testing;
using ::testing::AnyOf;
using ::testing::HasSubstr;

TEST(Sha256, KnownAnswers) {
  EXPECT_EQ(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256(std::string(1000000, 'a')), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(ViewLines, CanBeReadBack) {
  for (const step::Program& program : {small_reuse(), room_for_two(2), thp_tables(ThpTables::unstable), pmd_race({})}) {
    const ViewSet set = proved_views(program);
    const std::vector<std::string> lines = view_lines(program, set);
    ViewSet again{2, {}};
    for (const std::string& line : lines) again.views.push_back(view_from_line(program, 2, line));
    EXPECT_EQ(lines, view_lines(program, again));
    EXPECT_TRUE(own_check(program, again).accepted);
    EXPECT_EQ(lines, view_lines(program, shuffled(program, set, 3)));
  }
}

TEST(ViewLines, AreReadable) {
  const step::Program program = thp_tables(ThpTables::unstable);
  const std::vector<std::string> lines = view_lines(program, proved_views(program));
  EXPECT_THAT(lines, ::testing::Contains(HasSubstr("pmd=huge page_table_lock=1")));
  EXPECT_THAT(lines, ::testing::Contains(HasSubstr("| 1>2:flush_tlb(pmd)")));
  EXPECT_THAT(view_lines(small_reuse(), proved_views(small_reuse())), ::testing::Contains(HasSubstr("=o1[freed]")));
}

TEST(ViewLines, SayWhatIsWrong) {
  const step::Program program = small_flush();
  const std::string good = view_lines(program, proved_views(program)).back();
  const auto error = [&](const std::string& line, std::uint32_t k = 2) -> std::string {
    try {
      static_cast<void>(view_from_line(program, k, line));
    } catch (const std::runtime_error& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_EQ(error(good), "");
  EXPECT_THAT(error(""), HasSubstr("ends too early"));
  EXPECT_THAT(error("lock=7 p=-"), HasSubstr("no value `7`"));
  EXPECT_THAT(error("lack=0 p=-"), HasSubstr("where `lock=` is due"));
  EXPECT_THAT(error("lock=0 p=o9 | idle@0 mine=- tlb=- | idle@0 mine=- tlb=-"), HasSubstr("no object"));
  EXPECT_THAT(error("lock=0 p=- | idle@1 mine=- tlb=- | idle@0 mine=- tlb=-"), HasSubstr("no position"));
  EXPECT_THAT(error("lock=0 p=o1[hot] | idle@0 mine=- tlb=- | idle@0 mine=- tlb=-"), HasSubstr("no bits"));
  EXPECT_THAT(error("lock=0 p=- | idle@0 mine=- tlb=-"), HasSubstr("ends too early"));
  EXPECT_THAT(error("lock=0 p=- | idle@0 mine=- tlb=- | idle@0 mine=- tlb=- | 1>3:flush"), HasSubstr("no wait"));
  EXPECT_THAT(error("lock=0 p=- | idle@0 mine=- tlb=- | idle@0 mine=- tlb=- again"), HasSubstr("unexpected"));
  EXPECT_THAT(error("lock=0  p=- | idle@0 mine=- tlb=- | idle@0 mine=- tlb=-"), HasSubstr("own words"));
  EXPECT_THAT(error(good, 3), AnyOf(HasSubstr("3 CPUs"), HasSubstr("ends too early")));
}

class Certificate : public ::testing::Test {
 protected:
  Certificate() {
    dir = top / "proof";
    head.tool = "faultline test";
    head.source = "small_flush.fl";
    head.patched = "model small_flush\n";
    head.variant = program.variant;
    head.scope.any = true;
  }

  void write() { write_certificate(dir, head, program, set); }
  Judgement judge(bool z3 = false) { return certify(dir, program, z3); }

  static std::string read(const fs::path& path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
  }
  static void change(const fs::path& path, const std::string& from, const std::string& to) {
    std::string text = read(path);
    const std::size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    std::ofstream(path, std::ios::binary) << text.replace(at, from.size(), to);
  }
  std::vector<std::string> files_in(const fs::path& where) {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(where)) names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
  }

  step::Program program = small_flush();
  ViewSet set = proved_views(program);
  CertificateHead head;
  const testing::Folder folder;
  const fs::path top = folder.path();
  fs::path dir;
};

TEST_F(Certificate, IsAcceptedAsWritten) {
  write();
  const Judgement judgement = judge(true);
  EXPECT_TRUE(judgement.accepted) << judgement.obligation << ": " << judgement.detail;
  EXPECT_THAT(files_in(dir),
              ::testing::ElementsAre("README", "certificate.json", "initial.smt2", "interference.smt2", "model.fl",
                                     "own_step.smt2", "safety.smt2", "symmetry.smt2", "views.txt"));
  EXPECT_THAT(files_in(top), ::testing::ElementsAre("proof")) << "nothing is left beside it";
}

TEST_F(Certificate, HeadAndViewsComeBack) {
  head.properties = {"assert"};
  head.scope.bounds = {"none"};
  write();
  const CertificateHead again = read_head(dir);
  EXPECT_EQ(again.tool, head.tool);
  EXPECT_EQ(again.source, head.source);
  EXPECT_EQ(again.patched, head.patched);
  EXPECT_EQ(again.variant, head.variant);
  EXPECT_EQ(again.properties, head.properties);
  EXPECT_TRUE(again.scope.any);
  EXPECT_EQ(again.scope.memory, "sc");
  EXPECT_EQ(again.scope.bounds, head.scope.bounds);
  EXPECT_EQ(view_lines(program, read_views(dir, program)), view_lines(program, set));
}

TEST_F(Certificate, AnyViewTakenOutIsMissed) {
  const std::vector<std::string> lines = view_lines(program, set);
  for (std::size_t n = 0; n < lines.size(); n += 7) {
    write();
    change(dir / "views.txt", lines[n] + "\n", "");
    const Judgement judgement = judge();
    EXPECT_FALSE(judgement.accepted) << lines[n];
    EXPECT_THAT(judgement.obligation, AnyOf("initial", "own step", "interference")) << judgement.detail;
  }
}

TEST_F(Certificate, AViewThatNobodyNeedsIsNoticedToo) {
  write();
  std::string text = read(dir / "views.txt");
  std::ofstream(dir / "views.txt") << text << "# a comment\n";
  EXPECT_EQ(judge().obligation, "file");
}

TEST_F(Certificate, AnyEditedQueryIsFound) {
  for (const char* name : {"initial", "symmetry", "safety", "own_step", "interference"}) {
    write();
    change(dir / (std::string(name) + ".smt2"), "(check-sat)", "(assert false)\n(check-sat)");
    const Judgement judgement = judge(true);
    EXPECT_FALSE(judgement.accepted);
    EXPECT_EQ(judgement.obligation, name);
    EXPECT_THAT(judgement.detail, HasSubstr(".smt2"));
  }
}

TEST_F(Certificate, AQueryOfItsOwnIsNone) {
  write();
  std::ofstream(dir / "more.smt2") << "(assert false)\n";
  EXPECT_EQ(judge().obligation, "file");
}

TEST_F(Certificate, AnEditedModelIsFound) {
  write();
  change(dir / "model.fl", "small", "large");
  const Judgement judgement = judge();
  EXPECT_EQ(judgement.obligation, "file");
  EXPECT_THAT(judgement.detail, HasSubstr("model.fl"));
}

TEST_F(Certificate, AnotherProgramIsRejected) {
  write();
  EXPECT_EQ(certify(dir, small_flush(true), false).obligation, "file") << "another variant";
  head.variant = "no_flush";
  write();
  EXPECT_EQ(certify(dir, small_flush(true), false).obligation, "own step");
}

TEST_F(Certificate, TheClaimIsNotWidened) {
  head.properties = {"deadlock"};
  write();
  EXPECT_THAT(judge().detail, HasSubstr("deadlock"));
  head.properties = {};
  write();
  change(dir / "certificate.json", "\"k\": 2", "\"k\": 3");
  EXPECT_FALSE(judge().accepted);
  write();
  change(dir / "certificate.json", "\"sc\"", "\"weak\"");
  EXPECT_FALSE(judge().accepted);
}

TEST_F(Certificate, MissingFilesAreNamed) {
  for (const char* name : {"certificate.json", "model.fl", "views.txt", "own_step.smt2"}) {
    fs::remove_all(dir);
    write();
    fs::remove(dir / name);
    const Judgement judgement = judge();
    EXPECT_FALSE(judgement.accepted);
    EXPECT_THAT(judgement.detail, HasSubstr(name));
  }
  EXPECT_FALSE(certify(top / "nowhere", program, false).accepted);
}

TEST_F(Certificate, GarbageIsRejected) {
  const std::string garbage("\x80\xff{]\0\n| o1 (check-sat)", 22);
  for (const char* name : {"certificate.json", "model.fl", "views.txt", "own_step.smt2"}) {
    for (const std::string& text : {garbage, std::string()}) {
      write();
      std::ofstream(dir / name, std::ios::binary) << text;
      EXPECT_FALSE(judge().accepted) << name;
    }
  }
  for (const char* json : {"{}", "[]", "3", "{\"schema\": \"faultline-certificate/1\", \"kind\": \"views\"}"}) {
    write();
    std::ofstream(dir / "certificate.json") << json;
    EXPECT_EQ(judge().obligation, "file") << json;
  }
}

TEST_F(Certificate, ErrorsNameTheFileAndTheLine) {
  write();
  change(dir / "views.txt", "\nlock=", "\nlook=");
  try {
    static_cast<void>(read_views(dir, program));
    ADD_FAILURE();
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), HasSubstr("views.txt:2: "));
  }
  change(dir / "certificate.json", "\"k\":", "k:");
  try {
    static_cast<void>(read_head(dir));
    ADD_FAILURE();
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), HasSubstr("certificate.json:"));
  }
}

TEST_F(Certificate, ReplacesAnOlderOneButNothingElse) {
  write();
  std::ofstream(dir / "more.smt2") << "(assert false)\n";
  write();
  EXPECT_TRUE(judge().accepted) << "the old files are gone";

  fs::create_directory(top / "photos");
  std::ofstream(top / "photos" / "cat.png") << "cat";
  EXPECT_THROW(write_certificate(top / "photos", head, program, set), std::runtime_error);
  EXPECT_THAT(files_in(top / "photos"), ::testing::ElementsAre("cat.png"));
  EXPECT_THROW(write_certificate(top / "photos" / "cat.png", head, program, set), std::runtime_error);
  EXPECT_THROW(write_certificate(top / "photos" / "cat.png" / "proof", head, program, set), std::runtime_error);
  EXPECT_THAT(files_in(top), ::testing::ElementsAre("photos", "proof")) << "nothing half-written";
}

TEST_F(Certificate, EmptyAndNestedDirectoriesWillDo) {
  fs::create_directory(dir);
  write();
  EXPECT_TRUE(judge().accepted);
  dir = top / "a" / "b" / "";
  write();
  EXPECT_TRUE(judge().accepted);
}

TEST_F(Certificate, ThePlainSolverSaysUnsat) {
  if (std::system("z3 --version >/dev/null 2>&1") != 0) GTEST_SKIP() << "no z3 program here";
  write();
  for (const char* name : {"initial", "symmetry", "safety", "own_step", "interference"}) {
    const std::string out = (dir / "out").string();
    const std::string command = "z3 '" + (dir / name).string() + ".smt2' >'" + out + "' 2>&1";
    EXPECT_EQ(std::system(command.c_str()), 0) << name;
    EXPECT_EQ(read(out), "unsat\n") << name;
  }
}

}  // namespace
}  // namespace faultline::check
