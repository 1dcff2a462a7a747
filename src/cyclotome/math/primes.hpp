// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "cyclotome/math/modulus.hpp"

namespace cyclotome {

/// Deterministic Miller-Rabin, for every 64-bit n.
bool is_prime(std::uint64_t n) noexcept;

/// The `count` largest primes p < 2^bits with p = 1 mod `step`, in descending order, leaving out those in `excluded`.
/// Throws ParameterError when bits is outside [2, 61] or fewer such primes of exactly `bits` bits exist.
std::vector<std::uint64_t> primes_congruent_to_one(unsigned bits, std::uint64_t step, std::size_t count,
                                                   const std::vector<std::uint64_t>& excluded = {});

/// The `count` smallest primes p > above with p = 1 mod `step`, ascending, leaving out those in `excluded`. Throws
/// ParameterError when they do not all lie below 2^61.
std::vector<std::uint64_t> smallest_primes_congruent_to_one(std::uint64_t step, std::size_t count,
                                                            std::uint64_t above = 0,
                                                            const std::vector<std::uint64_t>& excluded = {});

/// The smallest primitive `order`-th root of unity modulo the prime p; `order` is a power of two that divides p - 1.
/// SEAL chooses the same root. Throws ParameterError when there is none.
std::uint64_t minimal_primitive_root(std::uint64_t order, std::uint64_t p);

}  // namespace cyclotome
