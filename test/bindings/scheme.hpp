// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "bindings.hpp"
#include "cyclotome/engine/poly.hpp"
#include "cyclotome/scheme/bfv/context.hpp"

/// What the bindings of rlwe and scheme share.
namespace cyclotome::testing {

using NoGil = nb::call_guard<nb::gil_scoped_release>;

inline Word word_from_bits(unsigned bits) {
  if (bits != 32 && bits != 64) throw std::invalid_argument("words have 32 or 64 bits");
  return bits == 32 ? Word::u32 : Word::u64;
}

/// Residues[batch][part][limb][coefficient] of an array: coefficients of its polynomials whatever its domain is.
inline Numpy<4> coefficients_of(const PolyArray& array) {
  PolyArray copy = array.clone();
  copy.to_coefficient();
  return to_numpy<4>(copy.to_host(), {array.batch(), array.parts(), array.limbs(), array.degree()});
}

/// Residues as they are stored, for comparing bytes.
inline Numpy<4> residues_of(const PolyArray& array) {
  return to_numpy<4>(array.to_host(), {array.batch(), array.parts(), array.limbs(), array.degree()});
}

/// log2 of max, rms and canonical norm.
inline std::array<double, 3> triple(const rlwe::NoiseBound& noise) {
  return {noise.log2_max, noise.log2_rms, noise.log2_canonical};
}
/// The bound of an error that somebody chose, of coefficients up to 2^log2_max.
inline rlwe::NoiseBound chosen(const rlwe::Context& context, double log2_max) {
  const double canonical = log2_max + std::log2(static_cast<double>(context.degree())) / 2;
  return context.parameters().noise().tidy({log2_max, log2_max, canonical});
}

inline nb::bytes key_id_bytes(const rlwe::KeyId& id) { return nb::bytes(id.data(), id.size()); }

inline rlwe::KeyId key_id_from(const nb::bytes& bytes) {
  rlwe::KeyId id{};
  if (bytes.size() != id.size()) throw std::invalid_argument("a key id has 16 bytes");
  std::copy_n(static_cast<const std::uint8_t*>(bytes.data()), id.size(), id.begin());
  return id;
}

}  // namespace cyclotome::testing
