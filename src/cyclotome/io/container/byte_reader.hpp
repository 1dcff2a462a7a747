// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <string_view>

#include "cyclotome/math/errors.hpp"

namespace cyclotome::io {

/// Takes numbers (least significant byte first) and bytes from untrusted input. Never reads past the end: FormatError
/// instead.
class ByteReader {
 public:
  /// offset: of the first byte in the whole file, for messages; what: what the bytes are, for messages.
  ByteReader(std::span<const std::uint8_t> bytes, std::uint64_t offset, const char* what) noexcept
      : bytes_(bytes), offset_(offset), what_(what) {}

  std::uint8_t u8() { return static_cast<std::uint8_t>(little_endian(1)); }
  std::uint16_t u16() { return static_cast<std::uint16_t>(little_endian(2)); }
  std::uint32_t u32() { return static_cast<std::uint32_t>(little_endian(4)); }
  std::uint64_t u64() { return little_endian(8); }
  double f64() { return std::bit_cast<double>(u64()); }

  std::span<const std::uint8_t> take(std::uint64_t count) {
    if (count > bytes_.size()) {
      throw FormatError(message(what_, " at offset ", offset_, " needs ", count, " more bytes, but only ",
                                bytes_.size(), " are left: the data is truncated or damaged; get a fresh copy"));
    }
    const auto taken = bytes_.first(static_cast<std::size_t>(count));
    bytes_ = bytes_.subspan(static_cast<std::size_t>(count));
    offset_ += count;
    return taken;
  }
  std::array<std::uint8_t, 32> array32() {
    const auto taken = take(32);
    std::array<std::uint8_t, 32> result;
    for (std::size_t i = 0; i < 32; ++i) result[i] = taken[i];
    return result;
  }
  std::string_view text(std::uint64_t count) {
    const auto taken = take(count);
    return {reinterpret_cast<const char*>(taken.data()), taken.size()};
  }

  std::uint64_t offset() const noexcept { return offset_; }
  std::span<const std::uint8_t> rest() const noexcept { return bytes_; }
  /// Throws FormatError unless everything has been taken.
  void finish() const {
    if (!bytes_.empty()) {
      throw FormatError(message(bytes_.size(), " bytes too many at offset ", offset_, ", after ", what_,
                                ": the data is damaged; get a fresh copy"));
    }
  }

 private:
  std::uint64_t little_endian(unsigned count) {
    std::uint64_t value = 0;
    const auto taken = take(count);
    for (unsigned i = 0; i < count; ++i) value |= static_cast<std::uint64_t>(taken[i]) << (8 * i);
    return value;
  }

  std::span<const std::uint8_t> bytes_;
  std::uint64_t offset_;
  const char* what_;
};

}  // namespace cyclotome::io
