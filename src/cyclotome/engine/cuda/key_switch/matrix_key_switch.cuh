// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/engine/cuda/steps/steps.cuh"
#include "cyclotome/program/composites.hpp"

namespace cyclotome::cuda {

/// A key switch over Phi_m of transforms, by P, where transforms go by matrices; empty where they don't. Six or more
/// launches: the operand back to coefficients, its digits extended (but not to their own primes, for which the operand
/// is there), transformed, their products with the key, and the division.
Step key_switch_by_matrices(DeviceConstants& constants, const KeySwitchConstants& step);
/// The same with a division by P and the last primes of q: what is added, P times the addend, is one more product.
Step key_switch_and_drop_by_matrices(DeviceConstants& constants, const program::SwitchAndDrop& step);

}  // namespace cyclotome::cuda
