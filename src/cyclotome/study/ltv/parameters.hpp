// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/math/sha256.hpp"
#include "cyclotome/study/ltv/noise.hpp"
#include "cyclotome/study/ltv/polynomials/arithmetic.hpp"

namespace cyclotome::study::ltv {

/// What stands wherever these parameters, their keys and ciphertexts are shown.
inline constexpr const char* broken = "BROKEN: lattice reduction finds the key";

/// What a user writes, in the paper's order; unchecked. `Parameters` checks it.
struct ParametersLiteral {
  std::size_t primes = 0;   ///< d: levels, one prime each
  std::uint64_t index = 0;  ///< m: polynomials modulo Phi_m
  unsigned prime_bits = 0;  ///< B_p
  unsigned window = 16;     ///< w: digits of relinearisation, in bits; below B_p
  std::string name{};       ///< of a preset; informative
};

class Parameters;
using ParametersPtr = std::shared_ptr<const Parameters>;

/// Checked, immutable parameters of LTV/DHS (paper 002), with the arithmetic made of them. Plaintexts are polynomials
/// modulo 2. All of them are broken, whatever their size.
class Parameters {
 public:
  /// Throws ParameterError where products, or sums of relinearisation, eta n (2^w - 1)(p - 1), reach P, where w >= B_p,
  /// where there are too few primes, and as Arithmetic does; the message names the value, the limit and the way out.
  static ParametersPtr create(const ParametersLiteral& literal);

  const ArithmeticPtr& arithmetic() const noexcept { return arithmetic_; }
  const CyclotomicPolynomial& ring() const noexcept { return arithmetic_->ring(); }
  std::uint64_t index() const noexcept { return literal_.index; }
  std::size_t degree() const noexcept { return arithmetic_->degree(); }
  /// d; levels go from 0 to d - 1, and level i computes modulo d - i primes.
  std::size_t levels() const noexcept { return literal_.primes; }
  std::size_t primes_at(std::size_t level) const noexcept { return literal_.primes - level; }
  unsigned prime_bits() const noexcept { return literal_.prime_bits; }
  unsigned window() const noexcept { return literal_.window; }
  /// eta_i = ceil(bits of q_i / w).
  unsigned digits(std::size_t primes) const noexcept;
  const std::string& name() const noexcept { return literal_.name; }
  const ParametersLiteral& literal() const noexcept { return literal_; }
  const NoiseModel& noise() const noexcept { return noise_; }
  /// log2 q/2 of so many primes: what phases stay below.
  double log2_limit(std::size_t primes) const noexcept;
  const Digest& fingerprint() const noexcept { return fingerprint_; }

  /// "ltv m=21845 n=16384, 25 primes of 25 bits, 16-bit digits, BROKEN: lattice reduction finds the key".
  std::string summary() const;

 private:
  explicit Parameters(const ParametersLiteral& literal);

  ParametersLiteral literal_;
  ArithmeticPtr arithmetic_;
  NoiseModel noise_;
  Digest fingerprint_{};
};

/// The paper's sets: "002-prince", "002-sorting-8", "002-sorting-16", "002-sorting-32" and Table 5's "002-15-8192",
/// "002-25-16384", "002-40-32768".
std::vector<std::string> preset_names();
/// Throws ParameterError for an unknown name.
ParametersLiteral preset(const std::string& name);

/// The paper's precomputation routine d -> n -> delta_q -> B_p -> w, as far as it says what each depends on.
struct Precomputation {
  ParametersLiteral literal;
  double level_bits;                  ///< delta_q: what a product and its relinearisation add to noise, with `w` chosen
  unsigned most_prime_bits;           ///< the most that n (p - 1)^2 < P allows
  double log2_last, log2_last_limit;  ///< phases of the last level, and q/2 there
};
/// Parameters for `depth` products in a row, each of sums of `fan_in` ciphertexts: index 0 chooses n as the paper's
/// sets do, then the fewest bits B_p with which the last level decrypts, and of these the widest digits. Throws
/// ParameterError where nothing fits.
Precomputation precompute(std::size_t depth, std::uint64_t index = 0, std::size_t fan_in = 2);

}  // namespace cyclotome::study::ltv
