// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/ring/randomness/sampling.hpp"

namespace cyclotome::cpu {

/// nonce of one polynomial: see the address rule in ring/randomness/sampling.hpp.
struct StreamAddress {
  std::array<std::uint32_t, 8> key;
  std::array<std::uint32_t, 3> nonce;
};

/// Coefficients [first, first + count) of a uniform polynomial modulo q; first and count are multiples of 4.
template <LimbWord W>
void sample_uniform(W* out, std::size_t first, std::size_t count, W q, const StreamAddress& address) noexcept;

/// Coefficients [first, first + count) of a ternary or error polynomial as small integers; multiples of 8 (or the whole
/// of a shorter polynomial). Constant time.
void sample_small(int* out, std::size_t first, std::size_t count, Law law, const StreamAddress& address) noexcept;

}  // namespace cyclotome::cpu
