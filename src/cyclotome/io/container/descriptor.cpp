// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/io/container/descriptor.hpp"

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/interrupt.hpp"

namespace cyclotome::io {

void fail(const char* action, const std::string& path, const char* advice) {
  const std::string reason = std::generic_category().message(errno);
  throw FileError(message("can't ", action, " '", path, "': ", reason, advice));
}

void require_whole(const std::string& path) {
  const std::size_t place = path.find('\0');
  if (place == std::string::npos) return;
  throw ArgumentError(message("a path has a zero byte after '", path.substr(0, place),
                              "', and what follows it would be lost; take a name without one"));
}

void write_all(const Descriptor& file, std::span<const std::uint8_t> bytes, const std::string& path,
               const char* advice) {
  while (!bytes.empty()) {
    check_interrupt();
    const std::ptrdiff_t written =
        platform::write_some(file.number(), bytes.data(), std::min(bytes.size(), piece_bytes));
    if (written < 0) {
      if (errno == EINTR) {
        check_interrupt_now();
        continue;
      }
      fail("write", path, advice);
    }
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

}  // namespace cyclotome::io
