// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "cyclotome/math/modulus.hpp"
#include "cyclotome/ring/ring_shape.hpp"

namespace cyclotome::bfv {

/// Values at all roots of x^n + 1 modulo p or p^2, p with a transform: slots modulo p, and the slots modulo p^2 that
/// they are residues of (Hensel). On the host, for public polynomials. Slot k of row r is the value at zeta^g, g =
/// (-1)^r 3^k, so that automorphisms rotate and swap rows as they do those of plaintexts; which zeta does not matter
/// here.
class SlotTransform {
 public:
  /// ring: x^n + 1; prime: p, with a transform there (ParameterError). power: 1, or 2 for p^2, which must be below
  /// 2^60.
  SlotTransform(const RingShape& ring, std::uint64_t prime, unsigned power);

  std::size_t degree() const noexcept { return unit_.size(); }
  std::uint64_t prime() const noexcept { return prime_; }
  const Modulus<std::uint64_t>& modulus() const noexcept { return modulus_; }
  /// The order of zeta, 2n.
  std::size_t index() const noexcept { return roots_.size(); }
  /// g of a slot; below that.
  std::size_t unit(std::size_t slot) const noexcept { return unit_[slot]; }
  /// zeta^exponent, exponent below its order.
  std::uint64_t root(std::size_t exponent) const noexcept { return roots_[exponent]; }
  /// zeta^-exponent.
  std::uint64_t inverse_root(std::size_t exponent) const noexcept {
    return roots_[exponent == 0 ? 0 : roots_.size() - exponent];
  }
  /// Of a unit modulo p.
  std::uint64_t inverse(std::uint64_t value) const noexcept;

  /// The polynomial with these values, by slot; n of them, below the modulus.
  std::vector<std::uint64_t> coefficients(const std::vector<std::uint64_t>& values) const;

 private:
  std::uint64_t prime_;
  unsigned power_;
  Modulus<std::uint64_t> modulus_;
  std::vector<std::uint64_t> roots_;
  std::vector<std::size_t> unit_;
};

}  // namespace cyclotome::bfv
