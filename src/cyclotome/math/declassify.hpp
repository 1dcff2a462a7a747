// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace cyclotome {

/// 1 if x > limit, else 0: by arithmetic, so that no compiler makes it a branch. limit < 2^63, any x.
constexpr std::uint64_t exceeds(std::uint64_t x, std::uint64_t limit) noexcept { return ((limit - x) | x) >> 63; }

/// The only place where a bit that depends on secrets may decide what the program does; it becomes public here. Every
/// use says what it tells an observer, and doc/constant-time.md lists them. The branch is inside, in a function with a
/// name, so that checks for secret-dependent branches can leave out this one and no other.
[[nodiscard]] bool declassify(bool secret) noexcept;

}  // namespace cyclotome
