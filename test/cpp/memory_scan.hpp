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
      Needle needle{name, {}};
      for (std::size_t i = 0; i < length; ++i) needle.masked[i] = piece[i] ^ mask;
      begins_[piece[0] | piece[1] << 8] = 1;
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
  };

  __attribute__((no_sanitize("address"))) void search(std::uintptr_t first, std::uintptr_t end,
                                                      const std::string& where, std::set<std::string>& result) const {
    const auto* const bytes = reinterpret_cast<const std::uint8_t*>(first);
    const std::size_t count = end - first;
    const char* const begins = begins_.data();
    for (std::size_t i = 0; i + length <= count; ++i) {
      if (begins[bytes[i] | bytes[i + 1] << 8] == 0) continue;
      for (const Needle& needle : needles_) {
        std::size_t same = 0;
        while (same < length && bytes[i + same] == (needle.masked[same] ^ mask)) ++same;
        if (same == length) result.insert(needle.name + " in " + (where.empty() ? "mapped pages" : where));
      }
    }
  }

  std::vector<Needle> needles_;
  std::vector<char> begins_ = std::vector<char>(1 << 16);  // of the two bytes that a needle starts with
};

}  // namespace cyclotome::check
