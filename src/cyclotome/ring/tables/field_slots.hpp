// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "cyclotome/math/binary_field.hpp"
#include "cyclotome/ring/ring_shape.hpp"
#include "cyclotome/ring/tables/cyclotomic_index.hpp"

namespace cyclotome {

class FieldSlots;
using FieldSlotsPtr = std::shared_ptr<const FieldSlots>;

/// Slots of polynomials modulo 2 and Phi_m: Phi_m falls into n/r factors of degree r, the order of 2 modulo m, so that
/// a polynomial is n/r elements of GF(2^r), its values at zeta^u for representatives u of the units modulo the powers
/// of 2. Sums and products act element by element; x -> x^2 squares each. Coefficients are those of the ring's basis,
/// in its places.
class FieldSlots {
 public:
  /// Slots form a box, the last dimension fastest: the one with coordinates x is the value at zeta^(product of
  /// generator_i^x_i).
  struct Dimension {
    std::uint64_t generator;
    std::size_t length;
    /// generator^length = 1, so that its automorphism rolls the dimension. Otherwise what wraps around arrives raised
    /// to a power of 2 and shifted along earlier dimensions, and a roll takes two automorphisms and masks.
    bool cyclic;
  };

  /// Null where residues modulo `modulus` have no such slots: x^n + 1, any modulus but 2, fields above GF(2^32). Made
  /// once for each ring and kept; thread-safe.
  static FieldSlotsPtr of(const RingShape& ring, std::uint64_t modulus);

  explicit FieldSlots(const RingShape& ring, unsigned field_degree);

  const BinaryField& field() const noexcept { return field_; }
  const std::vector<Dimension>& dimensions() const noexcept { return dimensions_; }
  /// Slots of a polynomial.
  std::size_t count() const noexcept { return count_; }

  /// coefficients: n numbers, 0 or 1. slots: count() elements. Neither branches on them or indexes by them.
  void decode(std::span<std::uint64_t> slots, std::span<const std::uint64_t> coefficients) const;
  void encode(std::span<std::uint64_t> coefficients, std::span<const std::uint64_t> slots) const;

 private:
  /// Along one axis: units and the representatives among them, and constants of both ways.
  struct Axis {
    std::size_t length, slots;
    std::vector<std::uint64_t> to_slots;    // [slots][length]
    std::vector<std::uint64_t> from_slots;  // [length][slots]
  };

  BinaryField field_;
  std::vector<Dimension> dimensions_;
  std::vector<Axis> axes_;
  std::size_t degree_, count_ = 1;
  // Within, the first axis is the fastest: that of the largest prime, whose sums are longest, then runs over vectors.
  std::vector<std::uint32_t> places_;   // where a coefficient is in memory
  std::vector<std::uint32_t> numbers_;  // of a slot
};

}  // namespace cyclotome
