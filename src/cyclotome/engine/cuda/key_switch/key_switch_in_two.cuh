// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/engine/cuda/conversion/sum_division.cuh"
#include "cyclotome/engine/cuda/steps/products.cuh"

namespace cyclotome::cuda {

/// As key_switch_in_two, of a result that is transforms, and the sum is divided in the same kernel: of the sum the
/// limbs modulo P alone are stored, as coefficients. All limbs have one arithmetic.
template <class W>
bool divided_key_switch(const Queue& queue, const KeySwitchLaunch<W>& work, DeviceView<W> extended,
                        LimbArithmetics arithmetics, const SumDivision<W>& division);
/// Into how many blocks that kernel cuts a limb, at most.
inline constexpr unsigned max_limb_blocks = 8;

}  // namespace cyclotome::cuda
