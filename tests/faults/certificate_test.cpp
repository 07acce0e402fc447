// A certificate is there as a whole or not at all: when its writer is killed, and when two write at once.
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <random>

#include "tests/faults/process.hpp"
#include "tests/support/peers.hpp"

namespace faultline::faults {
namespace {

namespace fs = std::filesystem;

const std::string reference = model("reference/pmd_race.fl");

std::vector<std::string> writing(const fs::path& dir, const std::string& variant = "A_v0") {
  return {"check", reference, "--variant", variant, "--no-z3", "--certificate", dir.string()};
}

Outcome certify(const fs::path& dir) { return run({"certify", dir.string(), "--no-z3"}); }

std::size_t entries(const fs::path& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

// Kills the writer at moments spread over the whole of its run. `before` makes what is there before.
template <class Before, class After>
void kill_often(const Before& before, const After& after) {
  double whole = 0;
  {
    const testing::Folder folder;
    before(folder.path() / "proof");
    const Outcome complete = run(writing(folder.path() / "proof"));
    ASSERT_EQ(complete.code, 0) << complete.err;
    whole = complete.seconds;
  }
  std::mt19937_64 random(1);
  const testing::Folder folder;
  for (int n = 0; n < 40; ++n) {
    // Half of the kills in the last third, where the files are written.
    const double at = std::uniform_real_distribution<double>(n % 2 == 0 ? 0 : 0.66, 1.05)(random);
    fs::remove_all(folder.path() / "proof");
    before(folder.path() / "proof");
    How how;
    how.kill_after = whole * at;
    const Outcome killed = run(writing(folder.path() / "proof"), how);
    ASSERT_TRUE(killed.code == -1 || killed.code == 0) << killed.code << killed.err;
    after(folder.path() / "proof", killed.code == 0);
  }
  // What the killed have left, the next one takes over and cleans up.
  before(folder.path() / "proof");
  ASSERT_EQ(run(writing(folder.path() / "proof")).code, 0);
  EXPECT_EQ(certify(folder.path() / "proof").code, 0);
  EXPECT_EQ(entries(folder.path()), 1U);
}

TEST(Killed, ACertificateIsWholeOrAbsent) {
  int whole = 0, absent = 0;
  kill_often([](const fs::path&) {},
             [&](const fs::path& dir, bool came_to_its_end) {
               if (!fs::exists(dir)) {
                 EXPECT_FALSE(came_to_its_end);
                 ++absent;
                 return;
               }
               const Outcome judged = certify(dir);
               EXPECT_EQ(judged.code, 0) << judged.out << judged.err;
               ++whole;
             });
  EXPECT_GT(absent, 10);
  EXPECT_GT(whole, 0);
}

TEST(Killed, AnOlderCertificateStaysUntilItIsReplaced) {
  const testing::Folder old;
  ASSERT_EQ(run(writing(old.path() / "proof", "A_v1")).code, 0);
  int older = 0;
  kill_often(
      [&](const fs::path& dir) {
        fs::copy(old.path() / "proof", dir, fs::copy_options::overwrite_existing | fs::copy_options::recursive);
      },
      [&](const fs::path& dir, bool came_to_its_end) {
        const Outcome judged = certify(dir);
        EXPECT_EQ(judged.code, 0) << judged.out << judged.err;
        const bool is_old = judged.out.find("[A_v1]") != std::string::npos;
        EXPECT_FALSE(came_to_its_end && is_old);
        if (is_old) ++older;
      });
  EXPECT_GT(older, 10);
}

TEST(Together, TwoWritersOfOneCertificateLeaveOneOfTheTwo) {
  const testing::Folder folder;
  for (int n = 0; n < 8; ++n) {
    std::vector<std::unique_ptr<Process>> both;
    for (const char* variant : {"A_v0", "A_v1", "A_v0"})
      both.push_back(std::make_unique<Process>(writing(folder.path() / "proof", variant)));
    for (const auto& one : both) {
      const Outcome done = one->wait();
      EXPECT_EQ(done.code, 0) << done.err;
    }
    const Outcome judged = certify(folder.path() / "proof");
    EXPECT_EQ(judged.code, 0) << judged.out << judged.err;
    EXPECT_EQ(entries(folder.path()), 1U);
  }
}

TEST(Together, SeveralVariantsAndOneDoNotDisturbEachOther) {
  const testing::Folder folder;
  const fs::path dir = folder.path() / "proofs";
  const std::vector<std::string> several = {"check", reference, "--variant",     "A_v0",      "--variant",
                                            "A_v1",  "--no-z3", "--certificate", dir.string()};
  Process one(several);
  Process other(several);
  EXPECT_EQ(one.wait().code, 0);
  EXPECT_EQ(other.wait().code, 0);
  EXPECT_EQ(entries(dir), 2U);
  EXPECT_EQ(certify(dir / "pmd_race-A_v0").code, 0);
  EXPECT_EQ(certify(dir / "pmd_race-A_v1").code, 0);
  // A folder of certificates is not taken for one.
  const Outcome refused = run(writing(dir));
  EXPECT_EQ(refused.code, 2);
  EXPECT_EQ(entries(dir), 2U);
}

}  // namespace
}  // namespace faultline::faults
