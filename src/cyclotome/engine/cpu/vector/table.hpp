// SPDX-License-Identifier: Apache-2.0
#pragma once

// Included after a target pragma and after every other header: see kernels_avx512.cpp.

#include "cyclotome/engine/cpu/vector/forward.hpp"
#include "cyclotome/engine/cpu/vector/inverse.hpp"
#include "cyclotome/engine/cpu/vector/near_targets.hpp"
#include "cyclotome/engine/cpu/vector/pointwise.hpp"
#include "cyclotome/engine/cpu/vector/prime_factor.hpp"
#include "cyclotome/engine/cpu/vector/sampling.hpp"
#include "cyclotome/engine/cpu/vector/sums.hpp"

namespace cyclotome::cpu {
namespace {

template <class L>
constexpr auto weighted_sums_of() noexcept -> decltype(Kernels<typename L::Word>::weighted_sums) {
  if constexpr (has_near_targets<L>) {
    return near_weighted_sums<L>;
  } else {
    return Sums<L>::many_registers ? Sums<L>::weighted_sums : nullptr;
  }
}

/// The inner loops on lanes of class L.
template <class L>
inline constexpr Kernels<typename L::Word> vector_table{
    .forward_transform = Forward<L>::run,
    .inverse_transform = Inverse<L>::run,
    .forward_moved = Forward<L>::run_moved,
    .convolutions = convolutions<L>,
    .add = Pointwise<L>::add,
    .subtract = Pointwise<L>::subtract,
    .negate = Pointwise<L>::negate,
    .multiply = Pointwise<L>::multiply,
    .multiply_accumulate = Pointwise<L>::multiply_accumulate,
    .scale = Pointwise<L>::scale,
    .scale_add = Pointwise<L>::scale_add,
    .move_centred = Pointwise<L>::move_centred,
    .permute = Pointwise<L>::permute,
    .inner_product = Sums<L>::inner_product,
    .weighted_sum = Sums<L>::weighted_sum,
    .weighted_sums = weighted_sums_of<L>(),
    .count_wraps = Sums<L>::count_wraps,
    .largest_centred = Sums<L>::largest_centred,
    .sample_uniform = Sampling<typename L::Registers, typename L::Word>::uniform,
    .sample_small = Sampling<typename L::Registers, typename L::Word>::small,
    .reduce_small = Sampling<typename L::Registers, typename L::Word>::reduce,
    .to_residues = Pointwise<L>::to_residues,
    .to_values = Pointwise<L>::to_values,
};

}  // namespace
}  // namespace cyclotome::cpu
