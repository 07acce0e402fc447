#include "checker/draft_folder.hpp"

#include <fcntl.h>
#include <stdio.h>  // renameat2
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <stdexcept>
#include <system_error>

namespace faultline::check {
namespace {

namespace fs = std::filesystem;

constexpr int most_drafts = 1000;

[[noreturn]] void fail(const fs::path& path, int error) {
  throw std::runtime_error(path.string() + ": " + std::generic_category().message(error));
}

class File {
 public:
  File(const fs::path& path, int flags) : number_(::open(path.c_str(), flags | O_CLOEXEC, 0666)) {
    if (number_ < 0) fail(path, errno);
  }
  ~File() { ::close(number_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  [[nodiscard]] int number() const { return number_; }

 private:
  int number_;
};

// While it lives, no other process makes or moves drafts in this folder. Where the file system has no locks there is
// none: then two processes at one name at the very same moment may fail, with a message.
class Turn {
 public:
  explicit Turn(const fs::path& folder) : file_(folder, O_RDONLY | O_DIRECTORY) { ::flock(file_.number(), LOCK_EX); }
  // What has happened in the folder is on the disk.
  void settle() const { ::fsync(file_.number()); }

 private:
  File file_;
};

fs::path parent(const fs::path& folder) { return folder.has_parent_path() ? folder.parent_path() : fs::path("."); }

// A lock on the folder, or -1 if somebody has it.
int lock(const fs::path& folder) {
  const int file = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (file < 0) fail(folder, errno);
  if (::flock(file, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return file;
  ::close(file);
  return -1;
}

}  // namespace

DraftFolder::DraftFolder(const fs::path& folder) : folder_(folder.has_filename() ? folder : folder.parent_path()) {
  fs::create_directories(parent(folder_));
  const Turn turn(parent(folder_));
  for (int n = 0; n < most_drafts; ++n) {
    fs::path path = folder_;
    path += ".new" + std::to_string(n);
    const bool is_new = fs::create_directory(path);
    lock_ = lock(path);
    if (lock_ < 0) continue;
    path_ = path;
    if (!is_new) {  // whoever made it is gone
      for (const auto& entry : fs::directory_iterator(path_)) fs::remove_all(entry.path());
    }
    return;
  }
  throw std::runtime_error(folder_.string() + ": too many drafts beside it");
}

DraftFolder::~DraftFolder() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
  if (lock_ >= 0) ::close(lock_);
}

void DraftFolder::write(const std::string& name, const std::string& text) const {
  const fs::path path = path_ / name;
  const File file(path, O_WRONLY | O_CREAT | O_TRUNC);
  for (std::size_t done = 0; done < text.size();) {
    const ::ssize_t more = ::write(file.number(), text.data() + done, text.size() - done);
    if (more < 0 && errno == EINTR) continue;
    if (more < 0) fail(path, errno);
    done += static_cast<std::size_t>(more);
  }
  if (::fsync(file.number()) != 0 && errno != EINVAL && errno != EROFS) fail(path, errno);
}

void DraftFolder::move_into_place() {
  ::fsync(lock_);
  const Turn turn(parent(folder_));
  // A folder takes the place of nothing or of an empty folder; a full one has to change places with it.
  if (::rename(path_.c_str(), folder_.c_str()) == 0) {
    path_.clear();
  } else if (errno != ENOTEMPTY && errno != EEXIST) {
    fail(folder_, errno);
  } else if (::renameat2(AT_FDCWD, path_.c_str(), AT_FDCWD, folder_.c_str(), RENAME_EXCHANGE) != 0) {
    if (errno != EINVAL && errno != ENOSYS) fail(folder_, errno);
    // A file system that cannot: for a moment there is neither.
    fs::path old = path_;
    old += ".old";
    fs::remove_all(old);
    fs::rename(folder_, old);
    fs::rename(path_, folder_);
    path_ = old;
  }
  turn.settle();
  if (!path_.empty()) fs::remove_all(path_);
  path_.clear();
}

}  // namespace faultline::check
