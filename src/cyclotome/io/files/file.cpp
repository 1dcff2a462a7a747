// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/io/files/file.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <thread>

#include "cyclotome/engine/memory_limit.hpp"
#include "cyclotome/io/container/container.hpp"
#include "cyclotome/io/container/container_layout.hpp"
#include "cyclotome/io/container/descriptor.hpp"
#include "cyclotome/io/container/frame.hpp"
#include "cyclotome/io/files/file_set.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/interrupt.hpp"
#include "cyclotome/platform/files.hpp"

namespace cyclotome::io {

namespace {

Descriptor open_to_read(const std::string& path) {
  require_whole(path);
  for (;;) {
    check_interrupt();
    const int number = platform::open_to_read(path);
    if (number >= 0) return Descriptor(number);
    if (errno != EINTR) fail("open", path);
    check_interrupt_now();  // a pipe that nobody writes to
  }
}

/// How long a pipe is given for somebody to read from it: a path may come from anybody, and must not hold a process up.
constexpr std::chrono::seconds patience{10};

/// A pipe, or another number of an open file, for writing.
Descriptor open_stream(const std::string& path) {
  const int known = platform::descriptor_named(path);
  for (const auto start = std::chrono::steady_clock::now();;) {
    check_interrupt();
    const int number = known >= 0 ? platform::duplicate(known) : platform::open_pipe(path);
    if (number >= 0) return Descriptor(number);
    if (errno == ENXIO && std::chrono::steady_clock::now() - start > patience) {
      throw FileError(message("can't write '", path, "': nobody reads from this pipe; start its reader first"));
    }
    if (errno != EINTR && errno != ENXIO) fail("open", path);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    check_interrupt_now();
  }
}

/// Bytes that a read gave, at most `bytes.size()`; 0 at the end.
std::size_t read_piece(const Descriptor& file, std::span<std::uint8_t> bytes, const std::string& path) {
  for (;;) {
    check_interrupt();
    const std::ptrdiff_t count = platform::read_some(file.number(), bytes.data(), std::min(bytes.size(), piece_bytes));
    if (count >= 0) return static_cast<std::size_t>(count);
    if (errno != EINTR) fail("read", path);
    check_interrupt_now();
  }
}

/// All of a file; look(the first bytes) when the header is there, or all.
template <class Look>
Bytes read_whole(const std::string& path, std::uint64_t max_bytes, const Look& look) {
  const Descriptor file = open_to_read(path);
  bool found = false;
  const platform::FileStatus status = platform::status_of(file.number(), found);
  if (!found) fail("read", path);
  const auto require_short = [&](std::uint64_t bytes) {
    if (bytes > max_bytes) {
      throw FormatError(message("'", path, "' has more than the limit of ", max_bytes,
                                " bytes; raise the limit (max_bytes) if you trust its source"));
    }
  };
  // The first bytes, which are never secret, say where the rest may be kept.
  std::uint8_t first[layout::header_bytes];
  std::size_t known = 0;
  for (std::size_t count = 1; known < sizeof(first) && count > 0; known += count) {
    count = read_piece(file, std::span(first).subspan(known), path);
  }
  const std::span<const std::uint8_t> beginning = std::span(first).first(known);
  look(beginning);
  const std::uint64_t expected = status.kind == platform::FileKind::regular ? status.bytes : 0;
  require_short(expected);
  require_main_memory(message("reading '", path, "'"), expected);
  Bytes bytes(names_secret_key(beginning) ? Residence::locked : Residence::heap);
  // One byte more than is expected, so that the end shows without another round; pipes grow by doubling.
  bytes.reserve(static_cast<std::size_t>(std::max<std::uint64_t>(expected, 65535)) + 1);
  bytes.assign(beginning.begin(), beginning.end());
  for (std::size_t count = 1; count > 0;) {
    if (known == bytes.size()) {
      const std::size_t room = bytes.capacity() - known;
      bytes.resize(known + std::clamp<std::size_t>(room, 1, piece_bytes));
    }
    count = read_piece(file, std::span(bytes).subspan(known), path);
    known += count;
    require_short(known);
  }
  bytes.resize(known);
  return bytes;
}

}  // namespace

void write_file(const std::string& path, std::span<const std::uint8_t> bytes, Privacy privacy, Existing existing) {
  if (names_stream(path)) {
    if (privacy == Privacy::secret) {
      throw FileError(message("can't write '", path,
                              "': a secret goes into a file that only its owner reads, and not "
                              "into a pipe or an open file; name a file"));
    }
    return write_all(open_stream(path), bytes, path);
  }
  FileSet set;
  set.add(path, bytes, privacy, existing);
  set.commit();
}

Bytes read_file(const std::string& path, std::uint64_t max_bytes) {
  return read_whole(path, max_bytes, [](std::span<const std::uint8_t>) {});
}

Bytes read_object_file(const std::string& path, std::uint64_t max_bytes) {
  return read_whole(path, max_bytes, [&](std::span<const std::uint8_t> header) { check_header(header, max_bytes); });
}

bool names_stream(const std::string& path) {
  require_whole(path);
  if (platform::descriptor_named(path) >= 0) return true;
  bool found = false;
  return platform::status_of(path, found).kind == platform::FileKind::pipe;
}

bool file_is_private(const std::string& path) {
  require_whole(path);
  bool found = false;
  const platform::FileStatus status = platform::status_of(path, found);
  if (!found) fail("look at", path);
  return status.owner_only;
}

}  // namespace cyclotome::io
