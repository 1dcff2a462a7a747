// SPDX-License-Identifier: Apache-2.0
#if !defined(_WIN32)

#include "cyclotome/platform/files.hpp"

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <dirent.h>
#include <fcntl.h>
#include <memory>
#include <string_view>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace cyclotome::platform {

namespace {

FileStatus described(const struct stat& status) noexcept {
  const FileKind kind = S_ISREG(status.st_mode)    ? FileKind::regular
                        : S_ISDIR(status.st_mode)  ? FileKind::folder
                        : S_ISFIFO(status.st_mode) ? FileKind::pipe
                                                   : FileKind::other;
  return {kind, static_cast<std::uint64_t>(status.st_size), (status.st_mode & (S_IRWXG | S_IRWXO)) == 0};
}

mode_t mode(bool owner_only) noexcept { return owner_only ? 0600 : 0666; }

/// A name by which the system finds a file that has none; empty where it offers none.
std::string descriptor_name(int file) {
  std::string name = "/proc/self/fd/" + std::to_string(file);
  return ::access(name.c_str(), F_OK) == 0 ? name : "";
}

/// The move that fails where the name is taken, in one step; EINVAL or ENOSYS where there is none.
int move_exclusively(const char* from, const char* to) noexcept {
#if defined(RENAME_NOREPLACE)
  return ::renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0 ? 0 : errno;
#elif defined(RENAME_EXCL)
  const int error = ::renamex_np(from, to, RENAME_EXCL) == 0 ? 0 : errno;
  return error == ENOTSUP ? ENOSYS : error;
#else
  static_cast<void>(from);
  static_cast<void>(to);
  return ENOSYS;
#endif
}

/// The number that ends a path of this process's open files; -1 for other paths.
int number_in(std::string_view path) noexcept {
  for (const std::string_view folder : {"/proc/self/fd/", "/dev/fd/"}) {
    if (!path.starts_with(folder)) continue;
    const std::string_view digits = path.substr(folder.size());
    int number = -1;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (error == std::errc() && end == digits.data() + digits.size() && number >= 0) return number;
  }
  return -1;
}

/// Where a symbolic link leads, as a path that does not depend on where the link lies; empty for what is none.
std::string next_link(const std::string& path) {
  std::string name(4096, '\0');  // PATH_MAX: links are no longer
  const ssize_t length = ::readlink(path.c_str(), name.data(), name.size());
  if (length <= 0) return {};
  name.resize(static_cast<std::size_t>(length));
  return name.front() == '/' ? name : folder_of(path) + "/" + name;
}

/// As many links as systems follow.
constexpr int most_links = 40;

/// Keeps SIGPIPE from this thread; one that comes meanwhile is for the write that failed, and is forgotten.
class QuietPipe {
 public:
  QuietPipe() noexcept {
    ::sigemptyset(&signal_);
    ::sigaddset(&signal_, SIGPIPE);
    sigset_t pending;
    known_ = ::sigpending(&pending) != 0 || ::sigismember(&pending, SIGPIPE) != 0 ||
             ::pthread_sigmask(SIG_BLOCK, &signal_, &before_) != 0;
  }
  QuietPipe(const QuietPipe&) = delete;
  ~QuietPipe() {
    if (known_) return;
    const int reason = errno;
    sigset_t pending;
    int taken = 0;
    if (::sigpending(&pending) == 0 && ::sigismember(&pending, SIGPIPE) == 1) ::sigwait(&signal_, &taken);
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    errno = reason;
  }

 private:
  sigset_t signal_{}, before_{};
  bool known_ = false;  // one was pending before, or there is nothing to do
};

}  // namespace

FileStatus status_of(const std::string& path, bool& found) noexcept {
  struct stat status{};
  found = ::stat(path.c_str(), &status) == 0;
  return found ? described(status) : FileStatus{};
}

FileStatus status_of(int file, bool& found) noexcept {
  struct stat status{};
  found = ::fstat(file, &status) == 0;
  return found ? described(status) : FileStatus{};
}

bool is_named(const std::string& path) noexcept {
  struct stat status{};
  return ::lstat(path.c_str(), &status) == 0;
}

bool is_regular(const std::string& path) noexcept {
  struct stat status{};
  return ::lstat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

bool is_own(const std::string& path) noexcept {
  struct stat status{};
  return ::lstat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == ::geteuid();
}

std::string resolved(const std::string& path) {
  const std::unique_ptr<char, void (*)(void*)> name(::realpath(path.c_str(), nullptr), std::free);
  return name == nullptr ? std::string() : std::string(name.get());
}

std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  const std::unique_ptr<DIR, int (*)(DIR*)> open(::opendir(folder.c_str()), ::closedir);
  if (open == nullptr) return names;
  while (const dirent* const entry = ::readdir(open.get())) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  return names;
}

std::string followed(const std::string& path) {
  std::string name = path;
  for (int i = 0; i < most_links; ++i) {
    std::string next = next_link(name);
    if (next.empty()) return name;
    name = std::move(next);
  }
  return path;
}

int descriptor_named(const std::string& path) {
  std::string name = path;
  for (int i = 0; i < most_links && !name.empty(); ++i) {
    if (const int number = number_in(name); number >= 0) return number;
    name = next_link(name);
  }
  return -1;
}

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

int open_to_read(const std::string& path) noexcept { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC); }

int create_new(const std::string& path, bool owner_only) noexcept {
  return ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode(owner_only));
}

int create_unnamed([[maybe_unused]] const std::string& folder, [[maybe_unused]] bool owner_only) noexcept {
#ifdef O_TMPFILE
  const int file = ::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, mode(owner_only));
  if (file < 0 || !descriptor_name(file).empty()) return file;
  ::close(file);
#endif
  return -1;
}

int open_pipe(const std::string& path) noexcept {
  const int file = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0 || ::fcntl(file, F_SETFL, 0) == 0) return file;  // what is written may wait
  close_file(file);
  return -1;
}
int duplicate(int file) noexcept { return ::fcntl(file, F_DUPFD_CLOEXEC, 0); }

void close_file(int file) noexcept { ::close(file); }

std::ptrdiff_t read_some(int file, void* data, std::size_t bytes) noexcept { return ::read(file, data, bytes); }
std::ptrdiff_t write_some(int file, const void* data, std::size_t bytes) noexcept {
  const QuietPipe quiet;
  return ::write(file, data, bytes);
}
bool restrict_to_owner(int file) noexcept { return ::fchmod(file, mode(true)) == 0; }
void take_rights(int file, const std::string& like) noexcept {
  struct stat status{};
  if (::stat(like.c_str(), &status) == 0) static_cast<void>(::fchmod(file, status.st_mode & 0777));
}
bool lock(int file, bool alone) noexcept { return ::flock(file, (alone ? LOCK_EX : LOCK_SH) | LOCK_NB) == 0; }
bool flush(int file) noexcept { return ::fsync(file) == 0; }

void flush_folder(const std::string& folder) noexcept {
  const int file = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file < 0) return;
  static_cast<void>(::fsync(file));
  ::close(file);
}

const bool moves_open_files = true;

bool link_open_file(int file, const std::string& to) noexcept {
  const std::string self = descriptor_name(file);
  return ::linkat(AT_FDCWD, self.c_str(), AT_FDCWD, to.c_str(), AT_SYMLINK_FOLLOW) == 0;
}

int link_file(const std::string& from, const std::string& to) noexcept {
  return ::link(from.c_str(), to.c_str()) == 0 ? 0 : errno;
}

int move_to_free_name(const std::string& from, const std::string& to) noexcept {
  const int error = move_exclusively(from.c_str(), to.c_str());
  if (error != EINVAL && error != ENOSYS) return error;
  // A file system without that: the look and the move are two steps.
  if (is_named(to)) return EEXIST;
  return replace_file(from, to);
}

bool means_no_links(int error) noexcept {
  return error == EPERM || error == EOPNOTSUPP || error == EMLINK || error == ENOSYS || error == EACCES;
}

int replace_file(const std::string& from, const std::string& to) noexcept {
  return ::rename(from.c_str(), to.c_str()) == 0 ? 0 : errno;
}

namespace {

/// Whether the open file still has this name: somebody who held it before may have replaced it.
bool has_name(int file, const std::string& path) noexcept {
  struct stat here{}, there{};
  return ::fstat(file, &here) == 0 && ::stat(path.c_str(), &there) == 0 && here.st_dev == there.st_dev &&
         here.st_ino == there.st_ino;
}

}  // namespace

int lock_file(const std::string& path) noexcept {
  while (true) {
    const int file = open_to_read(path);
    if (file < 0) return -1;
    int failed = 0;
    do failed = ::flock(file, LOCK_EX);
    while (failed != 0 && errno == EINTR);
    const int error = errno;
    if (failed == 0 && has_name(file, path)) return file;
    close_file(file);
    if (failed != 0) {
      errno = error;
      return -1;
    }
  }
}

void unlock_file(int lock) noexcept { close_file(lock); }

void remove_file(const std::string& path) noexcept { ::unlink(path.c_str()); }

}  // namespace cyclotome::platform

#endif
