// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "cyclotome/math/bits.hpp"
#include "cyclotome/math/interrupt.hpp"
#include "cyclotome/study/montgomery_field.hpp"

namespace cyclotome::study {

/// The negacyclic transform of length N over one field, for elements of any width: paper 001, Algorithms 1 and 2
/// (errata 001-2 and 001-3), in which the powers of phi that paper 004 multiplies before and after stand in the
/// twiddles. Elements stay in ordinary form; the twiddles are in Montgomery's.
template <class Field>
class NegacyclicTransform {
 public:
  using Element = typename Field::Element;

  /// root: of order 2N modulo the field's prime; ordinary form.
  NegacyclicTransform(const Field& field, std::size_t degree, const Element& root)
      : field_(field), degree_(degree), forward_(degree), inverse_(degree) {
    const auto log_degree = static_cast<unsigned>(std::countr_zero(degree));
    const Element phi = field.enter(root), phi_inverse = field.inverse(phi);
    Element power = field.one(), inverse_power = field.one();
    for (std::size_t i = 0; i < degree; ++i) {
      const auto position = static_cast<std::size_t>(reverse_bits(i, log_degree));
      forward_[position] = power;
      inverse_[position] = inverse_power;
      power = field.multiply(power, phi);
      inverse_power = field.multiply(inverse_power, phi_inverse);
    }
    // One Montgomery product drops an R in a b, the next the one that stands in this factor beside N^-1 R.
    const std::uint64_t exponent[] = {log_degree};
    const Element half = field.inverse(field.enter(Element{2}));
    scale_ = field.enter(field.power(half, exponent));
  }

  /// Coefficients in natural order -> values at phi^(2 br(k) + 1), in place; all in [0, p).
  void forward(std::vector<Element>& a) const {
    for (std::size_t groups = 1, gap = degree_ / 2; groups < degree_; groups *= 2, gap /= 2) {
      check_interrupt();
      for (std::size_t i = 0; i < groups; ++i) {
        const Element twiddle = forward_[groups + i];
        for (std::size_t j = 2 * i * gap; j < (2 * i + 1) * gap; ++j) {
          const Element u = a[j], v = field_.multiply(a[j + gap], twiddle);
          a[j] = field_.add(u, v);
          a[j + gap] = field_.subtract(u, v);
        }
      }
    }
  }

  /// Back, times N.
  void inverse_unscaled(std::vector<Element>& a) const {
    for (std::size_t groups = degree_ / 2, gap = 1; groups >= 1; groups /= 2, gap *= 2) {
      check_interrupt();
      for (std::size_t i = 0; i < groups; ++i) {
        const Element twiddle = inverse_[groups + i];
        for (std::size_t j = 2 * i * gap; j < (2 * i + 1) * gap; ++j) {
          const Element u = a[j], v = a[j + gap];
          a[j] = field_.add(u, v);
          a[j + gap] = field_.multiply(field_.subtract(u, v), twiddle);
        }
      }
    }
  }

  /// a = a b modulo x^N + 1; coefficients; b is left transformed.
  void multiply(std::vector<Element>& a, std::vector<Element>& b) const {
    forward(a);
    forward(b);
    for (std::size_t i = 0; i < degree_; ++i) a[i] = field_.multiply(field_.multiply(a[i], b[i]), scale_);
    inverse_unscaled(a);
  }

 private:
  Field field_;
  std::size_t degree_;
  std::vector<Element> forward_, inverse_;  // phi^br(k), phi^-br(k)
  Element scale_;                           // N^-1 R^2
};

}  // namespace cyclotome::study
