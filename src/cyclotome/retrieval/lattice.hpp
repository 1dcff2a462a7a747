// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "cyclotome/engine/byte_scan.hpp"
#include "cyclotome/engine/engine.hpp"
#include "cyclotome/engine/poly.hpp"
#include "cyclotome/math/sha256.hpp"
#include "cyclotome/ring/randomness/seed.hpp"

/// Private look-ups in a database that lies in the clear: ring-LWE encryptions of a row's number under masks that all
/// clients share, one exact scan of the database, and packing by one integer matrix (README.md has the protocol).
namespace cyclotome::retrieval {

/// Z[x]/(x^2048 + 1).
inline constexpr std::size_t degree = 2048;
/// Stored words have 16 bits, and count as -2^15 ... 2^15 - 1.
inline constexpr unsigned word_bits = 16;
inline constexpr std::int64_t word_offset = std::int64_t{1} << (word_bits - 1);
/// Words from -2^7 to 2^7 - 1 may be stored in one byte each.
inline constexpr std::int64_t byte_offset = std::int64_t{1} << 7;
/// What key switches decompose into: 3 signed digits of 18 bits.
inline constexpr std::size_t gadget_digits = 3;
inline constexpr unsigned gadget_bits = 18;
/// Entries of the packing matrix stay below this in magnitude: 2046 digits of at most 2^17.
inline constexpr std::int64_t matrix_offset = std::int64_t{1} << 31;

using Residues = std::vector<std::uint64_t>;

/// The modulus q = p1 p2 of 53 bits that the 2024 guidelines grant 128 bits of security at degree 2048, its ring on an
/// engine whose memory this machine addresses, and the way between residues and integers below q. Immutable.
class Lattice {
 public:
  /// Throws SecurityError where the table `guidelines-2024` does not grant 128 bits.
  explicit Lattice(EnginePtr engine);

  const EnginePtr& engine() const noexcept { return engine_; }
  const RingPtr& ring() const noexcept { return ring_; }
  /// Z_p[x]/(x^2048 + 1) of one prime of 30 bits, which holds the packing matrix.
  const RingPtr& matrix_ring() const noexcept { return matrix_ring_; }
  std::uint64_t modulus() const noexcept { return modulus_; }
  const Modulus<std::uint64_t>& reduction() const noexcept { return reduction_; }
  /// floor(q / 2^16): what a message is multiplied by.
  std::uint64_t scale() const noexcept { return modulus_ >> word_bits; }

  PolyArray make(std::size_t batch, std::size_t parts, Domain domain, bool secret = false) const {
    return {engine_, ring_, batch, parts, domain, secret};
  }
  /// Integers in [0, q), degree() for each polynomial, as polynomials' coefficients; and back. Constant time.
  PolyArray polynomials(std::span<const std::uint64_t> integers, std::size_t batch, std::size_t parts) const;
  void integers(std::span<std::uint64_t> out, const PolyArray& coefficients) const;
  Residues integers(const PolyArray& coefficients) const;
  /// Each of `values` modulo both primes, as factors of multiply_scalars.
  std::vector<std::uint64_t> factors(std::uint64_t value) const;

 private:
  EnginePtr engine_;
  RingPtr ring_, matrix_ring_;
  std::uint64_t modulus_;
  Modulus<std::uint64_t> reduction_;
  Modulus<std::uint32_t> first_, second_;
  std::uint32_t inverse_;  // of p1 modulo p2
};

using LatticePtr = std::shared_ptr<const Lattice>;

/// What seeds of a request are derived for. Each has a seed of its own: HMAC-SHA-256 of the number and the database's
/// version under the request's master seed.
enum class Purpose : std::uint32_t { secret = 1, request_error = 2, key_error = 3, dither = 4 };

Seed derived(const Seed& master, Purpose purpose, const Digest& version);

/// What is public and the same for all clients of a database: masks of the rows and of the two packing keys, from a
/// seed that is published.
class Masks {
 public:
  /// rows: a multiple of the degree. Throws ArgumentError for others.
  Masks(LatticePtr lattice, const PublicSeed& seed, std::size_t rows);

  const LatticePtr& lattice() const noexcept { return lattice_; }
  std::size_t rows() const noexcept { return rows_.batch() * degree; }
  /// Transforms: rows / 2048 items; one item of 3 parts for x -> x^5, for x -> x^-1.
  ConstView row_masks() const noexcept { return rows_.view(); }
  ConstView turn_masks() const noexcept { return turn_.view(); }
  ConstView flip_masks() const noexcept { return flip_.view(); }

 private:
  LatticePtr lattice_;
  PolyArray rows_, turn_, flip_;
};

/// The elements of the Galois group that the packing keys are for: x -> x^5, x -> 1/x.
inline constexpr std::uint64_t turn_element = 5;
inline std::uint64_t flip_element(const GaloisGroup& group) { return group.index() - 1; }

}  // namespace cyclotome::retrieval
