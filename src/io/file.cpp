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

#include "cyclotome/io/container_layout.hpp"
#include "cyclotome/io/frame.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/interrupt.hpp"
#include "cyclotome/ring/memory_limit.hpp"
#include "cyclotome/ring/sampling.hpp"

namespace cyclotome::io {

namespace {

/// Bytes that are read or written at a time; even a slow disk takes them in some milliseconds.
constexpr std::size_t piece_bytes = std::size_t{8} << 20;

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
    check_interrupt();
    const ssize_t written = ::write(descriptor, bytes.data(), std::min(bytes.size(), piece_bytes));
    if (written < 0) {
      if (errno == EINTR) {
        check_interrupt_now();
        continue;
      }
      fail("write", path, "; nothing was changed there");
    }
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

int open_to_read(const std::string& path) {
  for (;;) {
    check_interrupt();
    const int number = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (number >= 0) return number;
    if (errno != EINTR) fail("open", path, "");
    check_interrupt_now();  // a pipe that nobody writes to
  }
}

/// Bytes that a read gave, at most `bytes.size()`; 0 at the end.
std::size_t read_piece(int descriptor, std::span<std::uint8_t> bytes, const std::string& path) {
  for (;;) {
    check_interrupt();
    const ssize_t count = ::read(descriptor, bytes.data(), std::min(bytes.size(), piece_bytes));
    if (count >= 0) return static_cast<std::size_t>(count);
    if (errno != EINTR) fail("read", path, "");
    check_interrupt_now();
  }
}

/// All of a file; look(the first bytes) when `beginning` of them are there, or all.
template <class Look>
Bytes read_whole(const std::string& path, std::uint64_t max_bytes, std::size_t beginning, const Look& look) {
  const Descriptor file(open_to_read(path));
  struct stat status{};
  if (::fstat(file.number(), &status) != 0) fail("read", path, "");
  const auto require_short = [&](std::uint64_t bytes) {
    if (bytes > max_bytes) {
      throw FormatError(message("'", path, "' has more than the limit of ", max_bytes,
                                " bytes; raise the limit (max_bytes) if you trust its source"));
    }
  };
  std::vector<std::uint8_t> first(beginning);
  std::size_t known = 0;
  for (std::size_t count = 1; known < beginning && count > 0; known += count) {
    count = read_piece(file.number(), std::span(first).subspan(known), path);
  }
  look(std::span(first).first(known));
  const std::uint64_t expected = S_ISREG(status.st_mode) ? static_cast<std::uint64_t>(status.st_size) : 0;
  require_short(expected);
  require_main_memory(message("reading '", path, "'"), expected);
  Bytes bytes;
  // One byte more than is expected, so that the end shows without another round; pipes grow by doubling.
  bytes.reserve(static_cast<std::size_t>(std::max<std::uint64_t>(expected, 65535)) + 1);
  bytes.assign(first.begin(), first.begin() + static_cast<std::ptrdiff_t>(known));
  for (std::size_t count = 1; count > 0;) {
    if (known == bytes.size()) {
      const std::size_t room = bytes.capacity() - known;
      bytes.resize(known + std::clamp<std::size_t>(room, 1, piece_bytes));
    }
    count = read_piece(file.number(), std::span(bytes).subspan(known), path);
    known += count;
    require_short(known);
  }
  bytes.resize(known);
  return bytes;
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
  return read_whole(path, max_bytes, 0, [](std::span<const std::uint8_t>) {});
}

Bytes read_object_file(const std::string& path, std::uint64_t max_bytes) {
  return read_whole(path, max_bytes, layout::header_bytes,
                    [&](std::span<const std::uint8_t> header) { check_header(header, max_bytes); });
}

bool file_is_private(const std::string& path) {
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0) fail("look at", path, "");
  return (status.st_mode & (S_IRWXG | S_IRWXO)) == 0;
}

}  // namespace cyclotome::io
