// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/ring/tables/norm_constants.hpp"
#include "cyclotome/rlwe/noise/canonical_embedding.hpp"

namespace cyclotome::rlwe {

/// What CanonicalEmbedding::of(ring) computes with, for engines that do the same elsewhere; made on first use and kept.
/// Thread-safe. Throws ParameterError for x^2 + 1.
const NormConstants& norm_constants(const RingShape& ring);

/// Those over Phi_m, of an embedding that is kept.
void fill_cyclotomic(NormConstants& constants, const RingShape& ring);

}  // namespace cyclotome::rlwe
