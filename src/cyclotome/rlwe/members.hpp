// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "cyclotome/rlwe/ciphertext.hpp"

// Ciphertexts out of several arrays, by reference: put together and added up without copies in between.
namespace cyclotome::rlwe {

/// One ciphertext of an array, which outlives this.
struct Member {
  const Ciphertext* array;
  std::size_t number;
};

/// The bound for all of them. There must be some, of one context, key, plaintext modulus, level and correction factor
/// (MismatchError), with numbers that their arrays have (ArgumentError).
NoiseBound require_together(const char* operation, std::span<const Member> members);

/// What factors a[i] and b[i] need: each list is one that require_together takes, of 2 parts, and both have one
/// context, key and plaintext modulus (MismatchError) and as many members (ArgumentError).
void require_multipliable(std::span<const Member> a, std::span<const Member> b);

/// Their polynomials, as engines take them, in the domains that they are in.
std::vector<ConstView> views_of(std::span<const Member> members);

/// One array of them, in this order, repeats allowed; or, for a group above 1, of the sums of each `group` neighbours.
/// Of members of 2 and 3 parts the result has 3; of members in either domain, see rlwe::common_domain. Throws as
/// require_together, and ArgumentError unless there are whole groups.
Ciphertext gather(std::span<const Member> members, std::size_t group = 1);

}  // namespace cyclotome::rlwe
