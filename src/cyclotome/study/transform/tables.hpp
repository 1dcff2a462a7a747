// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "cyclotome/ring/ring.hpp"
#include "cyclotome/study/transform/field.hpp"

namespace cyclotome::study {

/// The constants of one limb's transforms, for the fields to point at.
template <class Value>
struct LimbTables {
  std::vector<Value> roots, inverse_roots, weights, inverse_weights;

  /// The same on the host.
  Constants<Value> constants() const noexcept {
    return {roots.data(), inverse_roots.data(), weights.data(), inverse_weights.data()};
  }
};

/// For residues: those of the ring's own tables. self_sorting: whether for Stockham's transforms, else in place. Throws
/// ParameterError for a limb without a transform.
template <LimbWord W>
LimbTables<W> residue_tables(const Ring& ring, std::size_t limb, bool self_sorting);

/// For Gaussian residues, with the root that `galois` has.
template <LimbWord W>
LimbTables<Gaussian<W>> gaussian_tables(const GaloisTables<W>& galois, bool self_sorting);

/// The field of a limb, whose constants lie where `place(vector)` says: a pointer for each vector of LimbTables.
template <class Field, class Place>
Field make_field(const Ring& ring, std::size_t limb, bool self_sorting, const Place& place) {
  using W = typename Field::Word;
  const auto q = static_cast<W>(ring.basis()[limb]);
  const auto put = [&](const auto& tables) {
    return Constants<typename Field::Value>{place(tables.roots), place(tables.inverse_roots), place(tables.weights),
                                            place(tables.inverse_weights)};
  };
  if constexpr (Field::words == 1) {
    const Modulus<W> modulus(q);
    return {modulus, BarrettProduct<W>(q, modulus.bits()), put(residue_tables<W>(ring, limb, self_sorting))};
  } else {
    const GaloisTables<W> galois(ring.degree(), q);
    return {galois.modulus, put(gaussian_tables<W>(galois, self_sorting)), galois.imaginary_unit};
  }
}

}  // namespace cyclotome::study
