// SPDX-License-Identifier: Apache-2.0
#pragma once

// Looks for bytes in all memory that this process can write: what a core dump, or a page in swap, would hold.

#include <array>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "cyclotome/math/secure_zero.hpp"

namespace cyclotome::check {

class MemoryScan {
 public:
  /// Looks for 24 bytes out of the middle of these, and 24 near their end, from now on. What is kept of them is masked:
  /// it is not found itself.
  void look_for(const std::string& name, const void* data, std::size_t bytes) {
    for (const std::size_t from : {(bytes - length) / 2, bytes - length - bytes / 64}) {
      const auto* const piece = static_cast<const std::uint8_t*>(data) + from;
      Needle needle{name, {}, 0};
      for (std::size_t i = 0; i < length; ++i) needle.masked[i] = piece[i] ^ mask;
      while (needle.anchor + 2 < length && common(piece[needle.anchor], piece[needle.anchor + 1])) ++needle.anchor;
      anchors_[piece[needle.anchor] | piece[needle.anchor + 1] << 8] = 1;
      needles_.push_back(needle);
    }
  }
  template <class Values>
  void look_for(const std::string& name, const Values& values) {
    look_for(name, values.data(), values.size() * sizeof(values[0]));
  }

  /// What is anywhere in memory now, and in which mapping: "NAME in MAPPING; " for each, in order, once.
  std::string found() const {
    std::set<std::string> result;
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);) {
      std::uintptr_t first = 0, end = 0;
      char dash = 0;
      std::string rights, offset, device, inode, name;
      std::istringstream text(line);
      text >> std::hex >> first >> dash >> end >> rights >> offset >> device >> inode >> name;
      if (!rights.starts_with("rw") || name.starts_with("[v")) continue;
      search(first, end, name, result);
    }
    std::string text;
    for (const std::string& one : result) text += one + "; ";
    return text;
  }

 private:
  static constexpr std::size_t length = 24;
  static constexpr std::uint8_t mask = 0x5a;
  struct Needle {
    std::string name;
    std::array<std::uint8_t, length> masked;
    std::size_t anchor;  // of two bytes in it that are rare in memory, by which it is looked for
  };
  static bool common(std::uint8_t a, std::uint8_t b) { return a == b && (a == 0 || a == 0xff); }

  __attribute__((no_sanitize("address"))) static bool eight_zeros(const std::uint8_t* bytes) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes, sizeof(word));
    return word == 0;
  }

  __attribute__((no_sanitize("address"))) void search(std::uintptr_t first, std::uintptr_t end,
                                                      const std::string& where, std::set<std::string>& result) const {
    const auto* const bytes = reinterpret_cast<const std::uint8_t*>(first);
    const std::size_t count = end - first;
    const char* const anchors = anchors_.data();
    const bool skip_zeros = anchors[0] == 0;  // most memory is zero
    for (std::size_t i = 0; i + 1 < count; ++i) {
      if (skip_zeros && i + 8 <= count && eight_zeros(bytes + i)) {
        i += 6;
        continue;
      }
      if (anchors[bytes[i] | bytes[i + 1] << 8] == 0) continue;
      for (const Needle& needle : needles_) {
        if (i < needle.anchor || i - needle.anchor + length > count) continue;
        const std::uint8_t* const here = bytes + i - needle.anchor;
        std::size_t same = 0;
        while (same < length && here[same] == (needle.masked[same] ^ mask)) ++same;
        if (same == length) result.insert(needle.name + " in " + (where.empty() ? "mapped pages" : where));
      }
    }
  }

  std::vector<Needle> needles_;
  std::vector<char> anchors_ = std::vector<char>(1 << 16);  // whether these two bytes are the anchor of a needle
};

}  // namespace cyclotome::check
