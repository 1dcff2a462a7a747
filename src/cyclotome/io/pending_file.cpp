// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/io/pending_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <memory>
#include <sys/stat.h>
#include <utility>

#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/interrupt.hpp"
#include "cyclotome/ring/sampling.hpp"

namespace cyclotome::io {

namespace {

constexpr const char* unchanged = "; nothing was changed there";

/// Where the bytes really go: what a symbolic link points to. Refuses devices, pipes and folders.
std::string resolve_target(const std::string& path) {
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0) {
    if (errno == ENOENT) return path;
    fail("write", path);
  }
  if (!S_ISREG(status.st_mode)) {
    throw FileError(message("can't write '", path, "': it is ",
                            S_ISDIR(status.st_mode) ? "a folder" : "not a regular file", "; name a file"));
  }
  const std::unique_ptr<char, void (*)(void*)> resolved(::realpath(path.c_str(), nullptr), std::free);
  if (resolved == nullptr) fail("write", path);
  return resolved.get();
}

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

/// A name beside `target` that nobody can guess.
std::string temporary_name(const std::string& target) {
  constexpr char digits[] = "0123456789abcdef";
  std::string name = folder_of(target) + "/.cyclotome-";
  const Seed random = Seed::from_system();
  for (std::size_t i = 0; i < 12; ++i) {
    name += digits[random.bytes()[i] >> 4];
    name += digits[random.bytes()[i] & 15];
  }
  return name + ".tmp";
}

/// A name by which the system finds a file that has none; empty where it offers none.
std::string descriptor_name(const Descriptor& file) {
  std::string name = "/proc/self/fd/" + std::to_string(file.number());
  return ::access(name.c_str(), F_OK) == 0 ? name : "";
}

/// Whether errno says that the file system, or its owner, allows no second names for a file.
bool no_links() noexcept {
  return errno == EPERM || errno == EOPNOTSUPP || errno == EMLINK || errno == ENOSYS || errno == EACCES;
}

/// Gives a file another name that is free. Returns 0 or an error, EEXIST where the name is taken.
int move_to_free_name(const std::string& from, const std::string& to) noexcept {
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return errno;
  struct stat status{};  // a file system without that: the look and the move are two steps
  if (::lstat(to.c_str(), &status) == 0) return EEXIST;
  return ::rename(from.c_str(), to.c_str()) == 0 ? 0 : errno;
}

}  // namespace

PendingFile::PendingFile(const std::string& path, std::span<const std::uint8_t> bytes, Privacy privacy)
    : path_(path), target_(resolve_target(path)) {
  const bool secret = privacy == Privacy::secret;
  if (!create_unnamed(secret)) create_named(secret);
  try {
    // The umask can only have taken rights away; a secret's file has exactly these.
    if (secret && ::fchmod(file_.number(), 0600) != 0)
      fail("protect", path, "; a secret key needs a file system with modes");
    write(bytes);
    if (::fsync(file_.number()) != 0) fail("write", path, unchanged);
  } catch (...) {
    if (!name_.empty()) ::unlink(name_.c_str());
    throw;
  }
}

PendingFile::PendingFile(PendingFile&& other) noexcept
    : path_(std::move(other.path_)),
      target_(std::move(other.target_)),
      file_(std::move(other.file_)),
      name_(std::exchange(other.name_, {})),
      kept_(std::exchange(other.kept_, {})),
      kept_is_temporary_(other.kept_is_temporary_),
      placed_(std::exchange(other.placed_, false)) {}

PendingFile::~PendingFile() {
  if (!name_.empty()) ::unlink(name_.c_str());
}

std::string PendingFile::folder() const { return folder_of(target_); }

bool PendingFile::has_predecessor() const noexcept {
  struct stat status{};
  return ::lstat(target_.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

bool PendingFile::create_unnamed(bool secret) {
#ifdef O_TMPFILE
  file_ = Descriptor(::open(folder().c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, secret ? 0600 : 0666));
  if (file_.open() && !descriptor_name(file_).empty()) return true;
#endif
  return false;
}

void PendingFile::create_named(bool secret) {
  std::string name = temporary_name(target_);
  file_ = Descriptor(::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, secret ? 0600 : 0666));
  if (!file_.open()) fail("create a file beside", path_, "; choose a folder that exists and that you may write to");
  name_ = std::move(name);
}

void PendingFile::write(std::span<const std::uint8_t> bytes) {
  while (!bytes.empty()) {
    check_interrupt();
    const ssize_t written = ::write(file_.number(), bytes.data(), std::min(bytes.size(), piece_bytes));
    if (written < 0) {
      if (errno == EINTR) {
        check_interrupt_now();
        continue;
      }
      fail("write", path_, unchanged);
    }
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

bool PendingFile::link_to(const std::string& name) noexcept {
  const std::string self = descriptor_name(file_);
  return ::linkat(AT_FDCWD, self.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0;
}

void PendingFile::give_name() {
  if (!name_.empty()) return;
  std::string name = temporary_name(target_);
  if (!link_to(name)) fail("create a file beside", path_, unchanged);
  name_ = std::move(name);
}

const std::string& PendingFile::keep_predecessor(const std::string& label) {
  constexpr int attempts = 1000;
  kept_is_temporary_ = label.empty();
  for (int attempt = 1; attempt <= attempts; ++attempt) {
    std::string name = kept_is_temporary_ ? temporary_name(target_) : target_ + "." + label;
    if (attempt > 1 && !kept_is_temporary_) name += "-" + std::to_string(attempt);
    int error = ::link(target_.c_str(), name.c_str()) == 0 ? 0 : errno;
    if (error != 0 && no_links()) error = move_to_free_name(target_, name);
    if (error == 0) return kept_ = std::move(name);
    errno = error;
    if (error != EEXIST) break;
  }
  fail("keep the old file", target_, unchanged);
}

void PendingFile::place(Existing existing) {
  if (name_.empty() && link_to(target_)) {
    placed_ = true;
    return;
  }
  if (existing == Existing::refused) {
    give_name();
    if (const int error = move_to_free_name(name_, target_); error != 0) {
      errno = error;
      fail("write", path_, error == EEXIST ? "; choose another name, or ask for it to be replaced" : unchanged);
    }
  } else {
    give_name();
    if (::rename(name_.c_str(), target_.c_str()) != 0) fail("replace", path_, unchanged);
  }
  name_.clear();
  placed_ = true;
}

void PendingFile::undo() noexcept {
  if (!kept_.empty()) {
    // Where both are names of one file the move does nothing, and the second name goes.
    if (::rename(kept_.c_str(), target_.c_str()) == 0) ::unlink(kept_.c_str());
    kept_.clear();
  } else if (placed_) {
    ::unlink(target_.c_str());
  }
  placed_ = false;
}

void PendingFile::settle() noexcept {
  if (kept_is_temporary_ && !kept_.empty()) ::unlink(kept_.c_str());
  kept_.clear();
}

}  // namespace cyclotome::io
