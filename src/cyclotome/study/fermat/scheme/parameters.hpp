// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cyclotome/math/sha256.hpp"
#include "cyclotome/rlwe/noise/noise.hpp"
#include "cyclotome/rlwe/parameters/security.hpp"
#include "cyclotome/study/fermat/limbs/basis.hpp"

namespace cyclotome::study::fermat {

/// What errors are drawn from.
enum class ErrorLaw : std::uint8_t {
  standard,    ///< the library's: centred binomial, sigma = 3.24
  one_bounded  ///< paper 003's: -1, 0 or 1 (erratum 003-15): outside every standard, so INSECURE
};

/// What a user writes; unchecked. `Parameters` checks it.
struct ParametersLiteral {
  std::size_t degree = 0;  ///< n, a power of two in [2^10, 2^17] (smaller: allow_insecure)
  unsigned x = 0;          ///< q = 2^(2^x) - 1, x at least 6
  std::optional<unsigned> splits{};
  std::uint64_t plain_modulus = 0;  ///< t, below 2^31 and coprime to q
  /// Relinearisation splits what it multiplies into digits of so many bits, at most 59; 0: one digit a limb, as the
  /// paper prints it, which adds noise of 2^(g/2) (specification 5.10).
  unsigned digit_bits = 30;
  /// Hybrid key switching: relinearisation keys are made modulo q P, P of so many bits at least and of as few primes
  /// of up to 60 bits, coprime to q; what keys add is divided by P. Security counts the bits of both. 0: none, else
  /// from 30 on.
  unsigned special_bits = 0;
  ErrorLaw error = ErrorLaw::standard;
  unsigned security = 128;  ///< demanded level: 128, 192, 256, or 0 for none (needs allow_insecure)
  rlwe::SecurityTable table = rlwe::default_security_table;
  bool allow_insecure = false;
  bool strict = false;  ///< noise bounds that assume nothing of rounding errors (doc/noise.md)
  std::string name{};   ///< of a preset; informative
};

/// Checked, immutable parameters of BFV on q = 2^(2^x) - 1.
class Parameters {
 public:
  /// Throws ParameterError for contradictions and SecurityError when q is longer than the table allows for the demanded
  /// level; the message names the value, the limit and the way out.
  explicit Parameters(ParametersLiteral literal);

  std::size_t degree() const noexcept { return literal_.degree; }
  /// Z[x]/(x^n + 1).
  const RingShapePtr& ring() const noexcept { return ring_; }
  const FermatBasis& basis() const noexcept { return basis_; }
  std::uint64_t plain_modulus() const noexcept { return literal_.plain_modulus; }
  unsigned digit_bits() const noexcept { return literal_.digit_bits; }
  /// P's primes, 1 modulo what the ring's transforms need.
  const std::vector<std::uint64_t>& special_primes() const noexcept { return special_primes_; }
  double log2_special() const noexcept;
  /// Of q P: what security is judged by.
  unsigned key_bits() const noexcept;
  ErrorLaw error() const noexcept { return literal_.error; }
  const std::string& name() const noexcept { return literal_.name; }
  const ParametersLiteral& literal() const noexcept { return literal_; }
  const rlwe::NoiseCalculus& noise() const noexcept { return noise_; }

  /// log2 of what a digit of relinearisation stays below, digit by digit.
  std::vector<double> log2_digits() const;
  /// 128, 192, 256, or 0: by the table, and 0 for errors outside the standard.
  unsigned security_reached() const noexcept { return security_reached_; }
  bool insecure() const noexcept { return security_reached_ < 128; }
  const Digest& fingerprint() const noexcept { return fingerprint_; }

  /// "fermat bfv n=32768 q=2^512-1 (4 limbs) t=1024 30-bit digits, 128-bit classical security"; insecure ones say
  /// INSECURE.
  std::string summary() const;

 private:
  ParametersLiteral literal_;
  FermatBasis basis_;
  RingShapePtr ring_;
  rlwe::NoiseCalculus noise_;
  std::vector<std::uint64_t> special_primes_;
  unsigned security_reached_ = 0;
  Digest fingerprint_{};
};

/// Sets that paper 003 measures: "003-1024-128", ..., "003-1024-16384", "003-16384-2048", "003-8192-128",
/// "003-16384-256", "003-32768-512", with t = 1024 and the printed relinearisation. Only the last three hide anything:
/// the others need allow_insecure.
std::vector<std::string> preset_names();
/// Throws ParameterError for an unknown name, SecurityError for a set that hides nothing, unless allow_insecure.
Parameters preset(const std::string& name, bool allow_insecure = false);

}  // namespace cyclotome::study::fermat
