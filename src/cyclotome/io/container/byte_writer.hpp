// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <span>
#include <string_view>
#include <utility>

#include "cyclotome/io/container/bytes.hpp"

namespace cyclotome::io {

/// Appends numbers, least significant byte first, and bytes.
class ByteWriter {
 public:
  explicit ByteWriter(Residence residence = Residence::heap) : bytes_(residence) {}

  void u8(std::uint8_t value) { bytes_.push_back(value); }
  void u16(std::uint16_t value) { little_endian(value, 2); }
  void u32(std::uint32_t value) { little_endian(value, 4); }
  void u64(std::uint64_t value) { little_endian(value, 8); }
  /// IEEE 754 binary64.
  void f64(double value) { u64(std::bit_cast<std::uint64_t>(value)); }
  void bytes(std::span<const std::uint8_t> value) { bytes_.insert(bytes_.end(), value.begin(), value.end()); }
  void text(std::string_view value) { bytes_.insert(bytes_.end(), value.begin(), value.end()); }

  /// `count` more bytes, zero, for the caller to fill before anything else is written.
  std::span<std::uint8_t> extend(std::size_t count) {
    bytes_.resize(bytes_.size() + count);
    return std::span(bytes_).last(count);
  }
  /// Overwrites 8 bytes at `offset`.
  void put_u64(std::size_t offset, std::uint64_t value) {
    for (std::size_t i = 0; i < 8; ++i) bytes_[offset + i] = static_cast<std::uint8_t>(value >> (8 * i));
  }

  void reserve(std::size_t count) { bytes_.reserve(count); }
  std::size_t size() const noexcept { return bytes_.size(); }
  std::span<const std::uint8_t> view() const noexcept { return bytes_; }
  Bytes take() && noexcept { return std::move(bytes_); }

 private:
  void little_endian(std::uint64_t value, unsigned count) {
    for (unsigned i = 0; i < count; ++i) bytes_.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
  }

  Bytes bytes_;
};

}  // namespace cyclotome::io
