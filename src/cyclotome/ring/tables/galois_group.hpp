// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "cyclotome/math/once.hpp"

namespace cyclotome {

/// The automorphisms x -> x^g of a ring: the units g modulo its index, and where each sends coefficients and the values
/// of a transform. Everything that rotates slots asks here. Immutable.
class GaloisGroup {
 public:
  struct Generator {
    std::uint64_t element;
    std::size_t order;  ///< of what it generates beside the generators before it
  };
  /// A coefficient of a(x^g): that of a at from(), perhaps negated.
  class Signed {
   public:
    Signed() = default;
    /// from: below 2^31.
    Signed(std::uint32_t from, bool negative) noexcept : packed_(from << 1 | static_cast<std::uint32_t>(negative)) {}
    std::uint32_t from() const noexcept { return packed_ >> 1; }
    bool negative() const noexcept { return (packed_ & 1) != 0; }

   private:
    std::uint32_t packed_ = 0;
  };

  virtual ~GaloisGroup() = default;
  GaloisGroup(const GaloisGroup&) = delete;
  GaloisGroup& operator=(const GaloisGroup&) = delete;

  /// Elements are units modulo this.
  std::uint64_t index() const noexcept { return index_; }
  /// How many there are.
  std::size_t order() const noexcept { return order_; }
  /// Every element is one product of powers, exponents below the orders. The first generator rotates slots along rows.
  const std::vector<Generator>& generators() const noexcept { return generators_; }

  bool contains(std::uint64_t element) const noexcept;
  /// What elements are, for messages: "odd and below 2n = 16".
  virtual std::string requirement() const = 0;

  /// These three take elements of the group and throw ArgumentError for other numbers; exponents may be negative.
  std::uint64_t product(std::uint64_t g, std::uint64_t h) const;
  std::uint64_t inverse(std::uint64_t g) const;
  std::uint64_t power(std::uint64_t g, std::int64_t exponent) const;

  /// Which slot of a transform holds the value at zeta^element, zeta the root that a limb's tables name.
  virtual std::uint32_t slot(std::uint64_t element) const = 0;
  /// Slot i of the transform of a(x^element) is slot slots(element)[i] of a's.
  virtual std::vector<std::uint32_t> slots(std::uint64_t element) const = 0;
  /// Coefficient i of a(x^element) is what entry i says; in every ring so far each is one of a's.
  virtual std::vector<Signed> coefficients(std::uint64_t element) const = 0;

  /// Where numbered slots stand in a transform: number i_0 + order_0 (i_1 + order_1 (...)) is the value at
  /// zeta^(g_0^i_0 g_1^i_1 ...), so that the automorphism of g_0^s moves every row of order_0 slots by s to the left.
  /// Made at the first call and kept: making it takes several times as long as reading n slots by it.
  const std::vector<std::uint32_t>& slot_positions() const;

 protected:
  GaloisGroup(std::uint64_t index, std::vector<Generator> generators);
  /// Throws ArgumentError unless `element` is in the group.
  void require(std::uint64_t element) const;

 private:
  std::vector<std::uint32_t> make_slot_positions() const;

  std::uint64_t index_;
  std::size_t order_ = 1;
  std::vector<Generator> generators_;
  mutable Once positions_made_;
  mutable std::vector<std::uint32_t> positions_;
};

}  // namespace cyclotome
