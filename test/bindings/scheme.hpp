// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "bindings.hpp"
#include "cyclotome/ring/poly.hpp"
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

inline nb::bytes key_id_bytes(const rlwe::KeyId& id) { return nb::bytes(id.data(), id.size()); }

inline rlwe::KeyId key_id_from(const nb::bytes& bytes) {
  rlwe::KeyId id{};
  if (bytes.size() != id.size()) throw std::invalid_argument("a key id has 16 bytes");
  std::copy_n(static_cast<const std::uint8_t*>(bytes.data()), id.size(), id.begin());
  return id;
}

}  // namespace cyclotome::testing
