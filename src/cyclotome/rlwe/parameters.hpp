// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cyclotome/math/sha256.hpp"
#include "cyclotome/ring/ring_shape.hpp"
#include "cyclotome/rlwe/noise.hpp"
#include "cyclotome/rlwe/security.hpp"

namespace cyclotome::rlwe {

/// Which scheme gives the ciphertexts their meaning.
enum class SchemeKind : std::uint8_t { bfv = 1, bgv = 2 };

/// "bfv", "bgv". Throws ParameterError for a number that is no scheme's.
std::string name_of(SchemeKind scheme);

/// Throws ParameterError for a number, made by a cast, that is no scheme, word or table: none stands in for it.
void require_known(SchemeKind scheme, Word word, SecurityTable table);

/// What a user writes; unchecked. `Parameters` checks it.
struct ParametersLiteral {
  SchemeKind scheme = SchemeKind::bfv;
  std::size_t degree = 0;                   ///< n of x^n + 1, a power of two in [2^10, 2^17] (smaller: allow_insecure)
  std::vector<std::uint64_t> plain_moduli;  ///< t_1, ..., pairwise coprime: values live modulo their product
  std::vector<std::uint64_t> moduli;        ///< ciphertext primes q_i with a transform in this ring
  std::vector<std::uint64_t> special_moduli;  ///< primes P_i of key switching, likewise; may be empty
  std::size_t digits = 0;                     ///< digits of key switching (dnum); 0: as few as the special primes allow
  Word word = Word::u64;
  unsigned security = 128;  ///< demanded level: 128, 192, 256, or 0 for none (needs allow_insecure)
  SecurityTable table = default_security_table;
  bool allow_insecure = false;
  bool strict = false;  ///< noise bounds that assume nothing of rounding errors (doc/noise.md)
  std::string name;     ///< of a preset; informative

  /// The ring that these parameters are for. Throws ParameterError where there is none.
  RingShapePtr ring() const { return RingShape::negacyclic(degree); }
};

/// The fewest bits that a ciphertext modulus has which can hold anything modulo `t`: a fresh error reaches 21 and must
/// stay below q/(2t), after a rounding of up to 1/2; so q > 43 t. Shorter ones are refused by `Parameters`.
unsigned least_modulus_bits(std::uint64_t t);

/// Checked, immutable parameters.
class Parameters {
 public:
  /// Throws ParameterError for contradictions and SecurityError when log2(QP) exceeds the table's cap for the demanded
  /// level; the message names the value, the limit and the way out.
  explicit Parameters(ParametersLiteral literal);

  SchemeKind scheme() const noexcept { return literal_.scheme; }
  /// The ring without moduli: whatever depends on its polynomial is asked there.
  const RingShapePtr& ring() const noexcept { return ring_; }
  std::size_t degree() const noexcept { return ring_->degree(); }
  const std::vector<std::uint64_t>& plain_moduli() const noexcept { return literal_.plain_moduli; }
  const std::vector<std::uint64_t>& moduli() const noexcept { return literal_.moduli; }
  const std::vector<std::uint64_t>& special_moduli() const noexcept { return literal_.special_moduli; }
  /// Digits of key switching, never 0; the primes per digit are ceil(k / digits).
  std::size_t digits() const noexcept { return literal_.digits; }
  std::size_t primes_per_digit() const noexcept {
    return (literal_.moduli.size() + literal_.digits - 1) / literal_.digits;
  }
  Word word() const noexcept { return literal_.word; }
  unsigned security() const noexcept { return literal_.security; }
  SecurityTable table() const noexcept { return literal_.table; }
  bool strict() const noexcept { return literal_.strict; }
  const std::string& name() const noexcept { return literal_.name; }
  const ParametersLiteral& literal() const noexcept { return literal_; }

  /// Bit lengths of Q, and of QP, which is what security depends on.
  unsigned modulus_bits() const noexcept { return modulus_bits_; }
  unsigned key_modulus_bits() const noexcept { return key_modulus_bits_; }
  /// log2 of the product of the first `limbs` ciphertext primes, 0 <= limbs <= all, and of all special primes.
  double log2_modulus(std::size_t limbs) const { return log2_moduli_.at(limbs); }
  double log2_special_modulus() const noexcept { return log2_special_modulus_; }
  /// True if every plaintext modulus has a transform, so that arithmetic can act value by value in slots.
  bool has_slots() const;

  /// How noise grows in this ring.
  const NoiseCalculus& noise() const noexcept { return noise_; }
  /// Below 128 bits of security by their table.
  bool insecure() const noexcept { return security_reached_ < 128; }
  /// The highest level that is reached: 128, 192, 256, or 0.
  unsigned security_reached() const noexcept { return security_reached_; }

  /// SHA-256 of a canonical text of everything but the name: what every key and ciphertext carries.
  const Digest& fingerprint() const noexcept { return fingerprint_; }

  /// One line: "bfv n=8192 log q=174+44 t=65537 64-bit words, 128-bit classical security"; insecure ones say INSECURE,
  /// and all name the table unless it is the default one: "... by he-standard-2018".
  std::string summary() const;

 private:
  ParametersLiteral literal_;
  RingShapePtr ring_;
  unsigned modulus_bits_ = 0, key_modulus_bits_ = 0, security_reached_ = 0;
  std::vector<double> log2_moduli_;  // by number of primes
  double log2_special_modulus_ = 0;
  NoiseCalculus noise_;
  Digest fingerprint_{};
};

}  // namespace cyclotome::rlwe
