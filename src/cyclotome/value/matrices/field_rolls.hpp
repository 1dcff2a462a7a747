// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/value/arrays/channels.hpp"

// Automorphisms of slots modulo 2 over Phi_m (ring/tables/field_slots.hpp), on ciphertexts.
namespace cyclotome::value {

/// a + b, of equal batches or 1.
Channels added(const Channels& a, const Channels& b);
/// The automorphism of element^exponent: at once if there is a key, or by powers of two; else MissingKeyError.
Channels turned(const char* operation, const Channels& a, std::uint64_t element, std::size_t exponent,
                const rlwe::EvaluationKeys& keys, const Options& options);
/// Slots rolled along dimension `number` by fewer steps than its length. Where it is not cyclic, what wraps around is
/// what the automorphism of generator^(steps - length) brings, by masks.
Channels rolled(const char* operation, const Channels& a, std::size_t number, std::size_t steps,
                const rlwe::EvaluationKeys& keys, const Options& options);
/// The sum of all slots, in every slot, of whatever parameters.
Channels sum_of_slots(const Channels& a, const rlwe::EvaluationKeys& keys, const Options& options);

/// Galois elements whose keys serve all of these: of each dimension the powers of two of its generator (and what wraps
/// around, where it is not cyclic), and of 2 the powers 1, 2, 4, ...
std::vector<std::uint64_t> field_elements(const FieldSlots& slots, const GaloisGroup& group);
/// Those, or where there are no field slots what sums over all slots take of generators whose order is a power of two.
std::vector<std::uint64_t> slot_elements(const rlwe::Parameters& parameters);

}  // namespace cyclotome::value
