// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "cyclotome/engine/poly.hpp"
#include "cyclotome/rlwe/context.hpp"
#include "testing.hpp"

/// What the bindings of rlwe and scheme share.
namespace cyclotome::testing {

/// Residues[batch][part][limb][coefficient] of an array: coefficients of its polynomials whatever its domain is.
inline Numpy<4> coefficients_of(const PolyArray& array) {
  PolyArray copy = array.clone();
  copy.to_coefficient();
  return to_numpy<4>(copy.to_host(), {array.batch(), array.parts(), array.limbs(), array.degree()});
}

/// log2 of max, rms and canonical norm.
inline std::array<double, 3> triple(const rlwe::NoiseBound& noise) {
  return {noise.log2_max, noise.log2_rms, noise.log2_canonical};
}

inline rlwe::KeyId key_id_from(const nb::bytes& bytes) {
  rlwe::KeyId id{};
  if (bytes.size() != id.size()) throw std::invalid_argument("a key id has 16 bytes");
  std::copy_n(static_cast<const std::uint8_t*>(bytes.data()), id.size(), id.begin());
  return id;
}

}  // namespace cyclotome::testing
