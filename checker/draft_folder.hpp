// A folder that appears under its name complete or not at all.
#pragma once
#include <filesystem>
#include <string>

namespace faultline::check {

// It is filled under a name of its own beside the final one ("proof.new0"), and then moved. A process that is killed
// leaves a draft behind at most; the next one takes such a draft over. Several processes may do this for one name at
// once: each has its own draft, and the last one to move wins. All functions throw std::runtime_error with a message
// for the user, or std::filesystem::filesystem_error.
class DraftFolder {
 public:
  explicit DraftFolder(const std::filesystem::path& folder);
  ~DraftFolder();  // what was not moved is removed
  DraftFolder(const DraftFolder&) = delete;
  DraftFolder& operator=(const DraftFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  // Writes a file of the draft, down to the disk.
  void write(const std::string& name, const std::string& text) const;
  // Takes the place of the folder, whose older content is removed. A crash at any time leaves one or the other.
  void move_into_place();

 private:
  std::filesystem::path folder_;
  std::filesystem::path path_;  // empty: nothing to be removed
  int lock_ = -1;               // held while the draft is in use, so that one that nobody uses can be told
};

}  // namespace faultline::check
