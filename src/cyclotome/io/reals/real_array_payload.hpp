// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/io/container/envelope.hpp"
#include "cyclotome/value/reals/real_array.hpp"

namespace cyclotome::io {

/// What the ciphertexts of an array of real numbers mean: in a section in place of that of integers.
struct RealArrayPayload {
  value::Layout layout;
  value::Field field;
  ckks::Approximation about;
};

/// What the ciphertexts' own section says.
struct PhaseFacts {
  std::size_t batch, parts;
  rlwe::Level level;
  rlwe::NoiseBound noise;
};

/// It fits the ciphertexts, and is what its own bound and error say of their phase. Throws FormatError.
RealArrayPayload read_real_array_payload(const Section& section, const rlwe::Parameters& p, const PhaseFacts& c);

}  // namespace cyclotome::io
