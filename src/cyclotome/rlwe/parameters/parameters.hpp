// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cyclotome/math/sha256.hpp"
#include "cyclotome/ring/ring_shape.hpp"
#include "cyclotome/ring/tables/field_slots.hpp"
#include "cyclotome/rlwe/noise/noise.hpp"
#include "cyclotome/rlwe/parameters/security.hpp"
#include "cyclotome/rlwe/scheme.hpp"

namespace cyclotome::rlwe {

/// What the parameters of every scheme have; unchecked.
struct LatticeParameters {
  std::size_t degree = 0;  ///< n of x^n + 1, a power of two in [2^10, 2^17] (smaller: allow_insecure); 0 or phi(m)
                           ///< where `cyclotomic` is m
  std::vector<std::uint64_t> moduli;          ///< ciphertext primes q_i with a transform in this ring
  std::vector<std::uint64_t> special_moduli;  ///< primes P_i of key switching, likewise; may be empty
  std::size_t digits = 0;                     ///< digits of key switching (dnum); 0: as few as the special primes allow
  /// That residues are kept in.
  Word word = Word::u64;
  unsigned security = 128;  ///< demanded level: 128, 192, 256, or 0 for none (needs allow_insecure)
  /// That the level is judged by.
  SecurityTable table = default_security_table;
  /// Take less than 128 bits.
  bool allow_insecure = false;
  bool strict = false;         ///< noise bounds that assume nothing of rounding errors (doc/noise.md)
  std::size_t cyclotomic = 0;  ///< m of Phi_m, odd and squarefree; 0: the ring is x^n + 1
  /// Secret keys that a joint one is the sum of at most (doc/threshold.md), which noise bounds allow for.
  std::size_t parties = 1;

  /// The ring that these parameters are for. Throws ParameterError where there is none.
  RingShapePtr ring() const {
    return cyclotomic == 0 ? RingShape::negacyclic(degree) : RingShape::cyclotomic(cyclotomic);
  }
};

/// What a user writes, of a scheme whose own part is plaintext moduli; unchecked. `Parameters` checks it.
struct ParametersLiteral : LatticeParameters {
  const Scheme* scheme = nullptr;           ///< &bfv::scheme(), ...
  std::vector<std::uint64_t> plain_moduli;  ///< t_1, ..., pairwise coprime: values live modulo their product
  std::string name;                         ///< of a preset; informative
};

/// Throws ParameterError for no scheme, and for a number, made by a cast, that is no word or table: none stands in for
/// it.
void require_known(const Scheme* scheme, Word word, SecurityTable table);

/// The most parties of a joint key.
inline constexpr std::size_t most_parties = 256;

/// Numbers with commas between them, as in the canonical text.
std::string list(const std::vector<std::uint64_t>& values);

/// Checked, immutable parameters.
class Parameters {
 public:
  /// Throws ParameterError for contradictions and SecurityError when log2(QP) exceeds the table's cap for the demanded
  /// level; the message names the value, the limit and the way out.
  explicit Parameters(const ParametersLiteral& literal);
  /// Of any scheme; ParameterError, too, for the part of another one.
  Parameters(const Scheme& scheme, LatticeParameters lattice, const SchemePart& part, std::string name = {});
  Parameters(const Parameters&) = default;  // and no move: math/moved.hpp
  Parameters& operator=(const Parameters&) = default;

  const Scheme& scheme() const noexcept { return *scheme_; }
  const LatticeParameters& lattice() const noexcept { return lattice_; }
  const SchemePart& part() const noexcept { return *part_; }
  /// The part as the class of the scheme that asks. Throws MismatchError if the parameters are another scheme's.
  template <class Part>
  const Part& part_of(const Scheme& scheme) const {
    require_scheme(scheme);
    return static_cast<const Part&>(*part_);  // make_part of that scheme made it
  }
  const std::string& name() const noexcept { return name_; }

  /// The ring without moduli: whatever depends on its polynomial is asked there.
  const RingShapePtr& ring() const noexcept { return ring_; }
  std::size_t degree() const noexcept { return ring_->degree(); }
  /// m of Phi_m; 0: the ring is x^n + 1.
  std::size_t cyclotomic() const noexcept { return lattice_.cyclotomic; }
  const std::vector<std::uint64_t>& plain_moduli() const noexcept { return part_->plain_moduli(); }
  /// Throws std::out_of_range for one that is not there.
  PlainModulus plain_modulus(PlainIndex plain) const { return PlainModulus(plain_moduli().at(plain.number)); }
  const std::vector<std::uint64_t>& moduli() const noexcept { return lattice_.moduli; }
  const std::vector<std::uint64_t>& special_moduli() const noexcept { return lattice_.special_moduli; }
  /// Digits of key switching, never 0; the primes per digit are ceil(k / digits).
  std::size_t digits() const noexcept { return lattice_.digits; }
  std::size_t primes_per_digit() const noexcept {
    return (lattice_.moduli.size() + lattice_.digits - 1) / lattice_.digits;
  }
  Word word() const noexcept { return lattice_.word; }
  unsigned security() const noexcept { return lattice_.security; }
  SecurityTable table() const noexcept { return lattice_.table; }
  bool allow_insecure() const noexcept { return lattice_.allow_insecure; }
  bool strict() const noexcept { return lattice_.strict; }
  std::size_t parties() const noexcept { return lattice_.parties; }

  /// Bit lengths of Q, and of QP, which is what security depends on.
  unsigned modulus_bits() const noexcept { return modulus_bits_; }
  unsigned key_modulus_bits() const noexcept { return key_modulus_bits_; }
  /// log2 of the product of the first `limbs` ciphertext primes, 0 <= limbs <= all, and of all special primes.
  double log2_modulus(std::size_t limbs) const { return log2_moduli_.at(limbs); }
  double log2_special_modulus() const noexcept { return log2_special_modulus_; }
  /// True if arithmetic can act value by value in slots: every plaintext modulus has a transform of slot_ring(), or the
  /// only one has field_slots(). Of one modulus: where others have none, its own transform of this ring will do.
  bool has_slots(PlainIndex plain) const;
  bool has_slots() const noexcept { return has_transforms_ || field_slots_ != nullptr; }
  /// The ring whose transform modulo every plaintext modulus holds slots of integers: this one, or the subring of fewer
  /// slots that the moduli have roots of unity for. Its Galois group rotates slots. This ring where there are no slots.
  const RingShapePtr& slot_ring() const noexcept { return slot_ring_; }
  /// Whether arrays go into slots unless told otherwise. Fewer than fewest_slots of n hold few values for a ciphertext
  /// and occur by accident: one prime of so many has them.
  bool slots_by_default() const noexcept { return has_slots() && (slot_ring_ == ring_ || slots() >= fewest_slots); }
  static constexpr std::size_t fewest_slots = 64;
  /// Values modulo 2 over Phi_m are elements of GF(2^r), bits among them; null for all others.
  const FieldSlotsPtr& field_slots() const noexcept { return field_slots_; }
  /// Values that a ciphertext holds in slots: n, or fewer integers or elements of a field; n where it has none.
  std::size_t slots() const noexcept { return field_slots_ == nullptr ? slot_ring_->degree() : field_slots_->count(); }
  /// The degree of a slot over the residues modulo t: 1, or that of the extension of which values are constants, or of
  /// the field.
  std::size_t slot_degree() const noexcept { return degree() / slots(); }
  /// Whether values can stand in coefficients of powers of x.
  bool has_coefficients() const noexcept { return ring_->power_basis(); }

  /// How noise grows in this ring.
  const NoiseCalculus& noise() const noexcept { return noise_; }
  /// Below 128 bits of security by their table.
  bool insecure() const noexcept { return security_reached_ < 128; }
  /// The highest level that is reached: 128, 192, 256, or 0.
  unsigned security_reached() const noexcept { return security_reached_; }

  /// SHA-256 of a canonical text of everything but the name, which the scheme's part writes a line of: what every key
  /// and ciphertext carries.
  const Digest& fingerprint() const noexcept { return fingerprint_; }

  /// One line: "bfv n=8192 log q=174+44 t=65537 64-bit words, 128-bit classical security"; insecure ones say INSECURE,
  /// and all name the table unless it is the default one: "... by he-standard-2018".
  std::string summary() const;

 private:
  void require_scheme(const Scheme& scheme) const;
  void check_security() const;
  std::string canonical_text() const;

  const Scheme* scheme_;
  LatticeParameters lattice_;
  SchemePartPtr part_;
  std::string name_;
  RingShapePtr ring_, slot_ring_;
  FieldSlotsPtr field_slots_;
  bool has_transforms_ = false;
  unsigned modulus_bits_ = 0, key_modulus_bits_ = 0, security_reached_ = 0;
  std::vector<double> log2_moduli_;  // by number of primes
  double log2_special_modulus_ = 0;
  NoiseCalculus noise_;
  Digest fingerprint_{};
};

}  // namespace cyclotome::rlwe
