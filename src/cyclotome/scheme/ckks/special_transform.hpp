// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <cstdint>
#include <span>
#include <vector>

namespace cyclotome::ckks {

/// Between n real coefficients and the n/2 values at zeta^(3^i), zeta = e^(pi i / n), that determine those at all n
/// roots of x^n + 1. The n/2 numbers a_j + i a_(j + n/2) are a polynomial modulo X^(n/2) - i, whose roots are the
/// powers zeta^(4k + 1): a complex transform that halves the modulus until values are left. A slot whose exponent is 3
/// modulo 4 is the conjugate of the value at the negated exponent. Every operation and its order are fixed, and
/// compiled without fused multiply-adds, so that the same doubles come out on every machine.
class SpecialTransform {
 public:
  /// degree: n, a power of two from 4 on.
  explicit SpecialTransform(std::size_t degree);
  std::size_t slots() const noexcept { return half_; }
  /// coefficients (n) = scale times those of the polynomial that has these values (n/2) at the slots.
  void to_coefficients(std::span<const std::complex<double>> slots, double scale, std::span<double> coefficients) const;
  /// slots (n/2) = the values of coefficients (n, used up), over scale.
  void to_slots(std::span<double> coefficients, double scale, std::span<std::complex<double>> slots) const;

 private:
  void forward(double* re, double* im) const;
  void inverse(double* re, double* im) const;

  std::size_t half_;
  std::vector<double> root_re_, root_im_;  // of block b of the stage with 2^s blocks: at 2^s + b
  std::vector<std::uint32_t> position_;    // of slot i among the leaves
  std::vector<double> sign_;               // -1 where the conjugate stands there
};

}  // namespace cyclotome::ckks
