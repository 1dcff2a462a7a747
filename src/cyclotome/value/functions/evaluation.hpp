// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/rlwe/noise/noise_model.hpp"
#include "cyclotome/value/arrays/channels.hpp"
#include "cyclotome/value/functions/evaluation_plan.hpp"

namespace cyclotome::value {

/// The plan's polynomials of every slot of x, one after the other, relinearised. Powers are computed once; products
/// that are only added up are relinearised after their sum.
std::vector<Ciphertext> evaluate(const EvaluationPlan& plan, const Ciphertext& x, const rlwe::EvaluationKeys& keys,
                                 const Options& options);

/// Bits of headroom that the results would keep, of x or of x^2: less than 0 where they could not be decrypted. By the
/// formulas that ciphertexts carry their noise with; how operands of unequal correction factors meet is left out.
double headroom_after(const EvaluationPlan& plan, const Ciphertext& x, bool squared = false);

}  // namespace cyclotome::value
