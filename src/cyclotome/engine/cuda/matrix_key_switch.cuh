// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/engine/cuda/steps.cuh"
#include "cyclotome/ring/key_switch_constants.hpp"

namespace cyclotome::cuda {

/// A key switch over Phi_m of transforms, by P, where transforms go by matrices; empty where they don't. Six or more
/// launches: the operand back to coefficients, its digits extended (but not to their own primes, for which the operand
/// is there), transformed, their products with the key, and the division.
Step key_switch_by_matrices(DeviceConstants& constants, const KeySwitchConstants& step);

}  // namespace cyclotome::cuda
