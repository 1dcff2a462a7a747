// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "cyclotome/platform/files.hpp"

namespace cyclotome::io {

/// Throws FileError for what errno says: "can't ACTION 'PATH': reasonADVICE".
[[noreturn]] void fail(const char* action, const std::string& path, const char* advice = "");

/// Throws ArgumentError for a path that holds a zero byte: the system would read it as the name before that.
void require_whole(const std::string& path);

/// Bytes that are read or written at a time; even a slow disk takes them in some milliseconds.
inline constexpr std::size_t piece_bytes = std::size_t{8} << 20;

/// A file descriptor that is closed.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) noexcept : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() {
    if (number_ >= 0) platform::close_file(number_);
  }

  bool open() const noexcept { return number_ >= 0; }
  int number() const noexcept { return number_; }

 private:
  int number_ = -1;
};

/// Writes all of the bytes. `path` and `advice` are for the error.
void write_all(const Descriptor& file, std::span<const std::uint8_t> bytes, const std::string& path,
               const char* advice = "");

}  // namespace cyclotome::io
