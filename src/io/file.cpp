// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/io/file.hpp"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <system_error>

#include "cyclotome/io/container.hpp"
#include "cyclotome/io/descriptor.hpp"
#include "cyclotome/io/file_set.hpp"
#include "cyclotome/math/errors.hpp"

namespace cyclotome::io {

namespace {

/// Up to as many bytes as there is room for; fewer at the end of the file only.
std::size_t read_some(const Descriptor& file, std::span<std::uint8_t> room, const std::string& path) {
  std::size_t filled = 0;
  while (filled < room.size()) {
    const ssize_t count =
        ::read(file.number(), room.data() + filled, std::min<std::size_t>(room.size() - filled, std::size_t{1} << 30));
    if (count < 0) {
      if (errno == EINTR) continue;
      fail("read", path);
    }
    if (count == 0) break;
    filled += static_cast<std::size_t>(count);
  }
  return filled;
}

}  // namespace

void fail(const char* action, const std::string& path, const char* advice) {
  const std::string reason = std::generic_category().message(errno);
  throw FileError(message("can't ", action, " '", path, "': ", reason, advice));
}

void write_file(const std::string& path, std::span<const std::uint8_t> bytes, Privacy privacy, Existing existing) {
  FileSet set;
  set.add(path, bytes, privacy, existing);
  set.commit();
}

Bytes read_file(const std::string& path, std::uint64_t max_bytes) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.open()) fail("open", path);
  struct stat status{};
  if (::fstat(file.number(), &status) != 0) fail("read", path);
  const auto too_long = [&] {
    return FormatError(message("'", path, "' has more than the limit of ", max_bytes,
                               " bytes; raise the limit (max_bytes) if you trust its source"));
  };
  const std::uint64_t expected = S_ISREG(status.st_mode) ? static_cast<std::uint64_t>(status.st_size) : 0;
  if (expected > max_bytes) throw too_long();
  // The first bytes, which are never secret, say where the rest may be kept.
  std::uint8_t first[16];
  std::size_t filled = read_some(file, first, path);
  Bytes bytes(names_secret_key({first, filled}) ? Residence::locked : Residence::heap);
  // One byte more than is expected, so that the end shows without another round; pipes grow by doubling.
  bytes.resize(static_cast<std::size_t>(std::max<std::uint64_t>(expected, 65536)) + 1);
  std::copy_n(first, filled, bytes.begin());
  for (bool ended = filled < sizeof(first); !ended;) {
    if (filled == bytes.size()) bytes.resize(2 * bytes.size());
    const std::size_t room = bytes.size() - filled, count = read_some(file, std::span(bytes).subspan(filled), path);
    filled += count;
    if (filled > max_bytes) throw too_long();
    ended = count < room;
  }
  if (filled > max_bytes) throw too_long();
  bytes.resize(filled);
  return bytes;
}

bool file_is_private(const std::string& path) {
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0) fail("look at", path);
  return (status.st_mode & (S_IRWXG | S_IRWXO)) == 0;
}

}  // namespace cyclotome::io
