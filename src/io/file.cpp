// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/io/file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <memory>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "cyclotome/math/errors.hpp"
#include "cyclotome/ring/sampling.hpp"

namespace cyclotome::io {

namespace {

[[noreturn]] void fail(const char* action, const std::string& path, const char* advice) {
  const std::string reason = std::generic_category().message(errno);
  throw FileError(message("can't ", action, " '", path, "': ", reason, advice));
}

/// A file descriptor that is closed.
class Descriptor {
 public:
  explicit Descriptor(int number) noexcept : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int number() const noexcept { return number_; }
  bool close() noexcept { return ::close(std::exchange(number_, -1)) == 0; }

 private:
  int number_;
};

/// A file that is removed unless it was moved to its place.
class TemporaryFile {
 public:
  explicit TemporaryFile(std::string path) : path_(std::move(path)) {}
  ~TemporaryFile() {
    if (!path_.empty()) ::unlink(path_.c_str());
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  const std::string& path() const noexcept { return path_; }
  bool move_to(const std::string& target) noexcept {
    if (::rename(path_.c_str(), target.c_str()) != 0) return false;
    path_.clear();
    return true;
  }

 private:
  std::string path_;
};

/// Where the bytes really go: what a symbolic link points to. Refuses devices, pipes and folders.
std::string resolve_target(const std::string& path) {
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0) {
    if (errno == ENOENT) return path;
    fail("write", path, "");
  }
  if (!S_ISREG(status.st_mode)) {
    throw FileError(message("can't write '", path, "': it is ",
                            S_ISDIR(status.st_mode) ? "a folder" : "not a regular file", "; name a file"));
  }
  const std::unique_ptr<char, void (*)(void*)> resolved(::realpath(path.c_str(), nullptr), std::free);
  if (resolved == nullptr) fail("write", path, "");
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

void write_all(int descriptor, std::span<const std::uint8_t> bytes, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t written =
        ::write(descriptor, bytes.data(), std::min<std::size_t>(bytes.size(), std::size_t{1} << 30));
    if (written < 0) {
      if (errno == EINTR) continue;
      fail("write", path, "; nothing was changed there");
    }
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

}  // namespace

void write_file(const std::string& path, std::span<const std::uint8_t> bytes, Privacy privacy) {
  const std::string target = resolve_target(path);
  const std::string name = temporary_name(target);
  const bool secret = privacy == Privacy::secret;
  Descriptor file(::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, secret ? 0600 : 0666));
  if (file.number() < 0) fail("create a file beside", path, "; choose a folder that exists and that you may write to");
  TemporaryFile temporary(name);
  // The umask can only have taken rights away; a secret's file has exactly these.
  if (secret && ::fchmod(file.number(), 0600) != 0)
    fail("protect", path, "; a secret key needs a file system with modes");
  write_all(file.number(), bytes, path);
  if (::fsync(file.number()) != 0 || !file.close()) fail("write", path, "; nothing was changed there");
  if (!temporary.move_to(target)) fail("replace", path, "");
  // The new name reaches the disk with its folder; not every file system lets one flush a folder, and the file is
  // complete already.
  const Descriptor folder(::open(folder_of(target).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.number() >= 0) static_cast<void>(::fsync(folder.number()));
}

Bytes read_file(const std::string& path, std::uint64_t max_bytes) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.number() < 0) fail("open", path, "");
  struct stat status{};
  if (::fstat(file.number(), &status) != 0) fail("read", path, "");
  const auto too_long = [&] {
    return FormatError(message("'", path, "' has more than the limit of ", max_bytes,
                               " bytes; raise the limit (max_bytes) if you trust its source"));
  };
  const std::uint64_t expected = S_ISREG(status.st_mode) ? static_cast<std::uint64_t>(status.st_size) : 0;
  if (expected > max_bytes) throw too_long();
  Bytes bytes;
  // One byte more than is expected, so that the end shows without another round; pipes grow by doubling.
  bytes.resize(static_cast<std::size_t>(std::max<std::uint64_t>(expected, 65536)) + 1);
  std::size_t filled = 0;
  for (;;) {
    if (filled == bytes.size()) bytes.resize(2 * bytes.size());
    const ssize_t count = ::read(file.number(), bytes.data() + filled,
                                 std::min<std::size_t>(bytes.size() - filled, std::size_t{1} << 30));
    if (count < 0) {
      if (errno == EINTR) continue;
      fail("read", path, "");
    }
    if (count == 0) break;
    filled += static_cast<std::size_t>(count);
    if (filled > max_bytes) throw too_long();
  }
  bytes.resize(filled);
  return bytes;
}

bool file_is_private(const std::string& path) {
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0) fail("look at", path, "");
  return (status.st_mode & (S_IRWXG | S_IRWXO)) == 0;
}

}  // namespace cyclotome::io
