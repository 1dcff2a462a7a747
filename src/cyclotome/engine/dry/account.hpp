// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "cyclotome/program/program.hpp"

namespace cyclotome {

/// What work on polynomials takes, whichever engine does it.
struct Work {
  std::uint64_t transforms = 0;  ///< of one polynomial modulo one prime, either way
  std::uint64_t products = 0;    ///< of residues: pointwise, and in conversions
  std::uint64_t words = 0;       ///< residues that are written

  Work& operator+=(const Work& other) noexcept;
  Work operator*(std::uint64_t count) const noexcept;
};

/// Of one verb on `items` items, or of a program's operations for as many.
Work work_of(const program::Program& program, std::size_t items);

/// How often something was done, on how many items in all.
struct Entry {
  std::uint64_t calls = 0, items = 0;
  Work work;
};

/// What was asked of an engine, by the names of programs and of verbs outside them.
using Account = std::map<std::string, Entry>;

}  // namespace cyclotome
