// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/engine/cpu/transform.hpp"

namespace cyclotome::cpu {

namespace {

/// x, y in [0, 4q) -> x + w y, x - w y in [0, 4q).
template <LimbWord W>
inline void forward_butterfly(W& x, W& y, ShoupFactor<W> w, W q) noexcept {
  const W two_q = static_cast<W>(2 * q);
  const W reduced = static_cast<W>(x - (two_q & mask_if<W>(x >= two_q)));
  const W product = w.multiply_lazy(y, q);
  x = static_cast<W>(reduced + product);
  y = static_cast<W>(reduced + two_q - product);
}

/// x, y in [0, 2q) -> x + y, (x - y) w in [0, 2q).
template <LimbWord W>
inline void inverse_butterfly(W& x, W& y, ShoupFactor<W> w, W q) noexcept {
  const W two_q = static_cast<W>(2 * q);
  const W sum = static_cast<W>(x + y);
  const W difference = static_cast<W>(x + two_q - y);
  x = static_cast<W>(sum - (two_q & mask_if<W>(sum >= two_q)));
  y = w.multiply_lazy(difference, q);
}

template <LimbWord W>
ShoupFactor<W> factor(W operand, W quotient) noexcept {
  ShoupFactor<W> result;
  result.operand = operand;
  result.quotient = quotient;
  return result;
}

}  // namespace

template <LimbWord W>
void forward_transform(W* a, const TransformTables<W>& tables) noexcept {
  const std::size_t n = tables.degree;
  const W q = tables.modulus.value();
  const W* const roots = tables.roots.data();
  const W* const quotients = tables.root_quotients.data();
  std::size_t gap = n / 2;
  for (std::size_t groups = 1; gap > 1; groups *= 2, gap /= 2) {
    for (std::size_t i = 0; i < groups; ++i) {
      const ShoupFactor<W> w = factor(roots[groups + i], quotients[groups + i]);
      W* const x = a + 2 * i * gap;
      W* const y = x + gap;
      for (std::size_t j = 0; j < gap; ++j) forward_butterfly(x[j], y[j], w, q);
    }
  }
  const W two_q = static_cast<W>(2 * q);
  for (std::size_t i = 0; i < n / 2; ++i) {  // last stage, with the reduction from [0, 4q) to [0, q)
    W x = a[2 * i], y = a[2 * i + 1];
    forward_butterfly(x, y, factor(roots[n / 2 + i], quotients[n / 2 + i]), q);
    x = static_cast<W>(x - (two_q & mask_if<W>(x >= two_q)));
    y = static_cast<W>(y - (two_q & mask_if<W>(y >= two_q)));
    a[2 * i] = tables.modulus.subtract_if_reaches(x);
    a[2 * i + 1] = tables.modulus.subtract_if_reaches(y);
  }
}

template <LimbWord W>
void inverse_transform(W* a, const TransformTables<W>& tables, const InverseEnding<W>& ending) noexcept {
  const std::size_t n = tables.degree;
  const W q = tables.modulus.value();
  const W* const roots = tables.inverse_roots.data();
  const W* const quotients = tables.inverse_root_quotients.data();
  std::size_t gap = 1;
  for (std::size_t groups = n / 2; groups > 1; groups /= 2, gap *= 2) {
    for (std::size_t i = 0; i < groups; ++i) {
      const ShoupFactor<W> w = factor(roots[groups + i], quotients[groups + i]);
      W* const x = a + 2 * i * gap;
      W* const y = x + gap;
      for (std::size_t j = 0; j < gap; ++j) inverse_butterfly(x[j], y[j], w, q);
    }
  }
  const W two_q = static_cast<W>(2 * q);
  for (std::size_t j = 0; j < n / 2; ++j) {  // last stage, scaled by 1/n
    const W sum = static_cast<W>(a[j] + a[j + n / 2]);
    const W difference = static_cast<W>(a[j] + two_q - a[j + n / 2]);
    a[j] = ending.sum.multiply(sum, q);
    a[j + n / 2] = ending.difference.multiply(difference, q);
  }
}

template void forward_transform(std::uint32_t*, const TransformTables<std::uint32_t>&) noexcept;
template void forward_transform(std::uint64_t*, const TransformTables<std::uint64_t>&) noexcept;
template void inverse_transform(std::uint32_t*, const TransformTables<std::uint32_t>&,
                                const InverseEnding<std::uint32_t>&) noexcept;
template void inverse_transform(std::uint64_t*, const TransformTables<std::uint64_t>&,
                                const InverseEnding<std::uint64_t>&) noexcept;

}  // namespace cyclotome::cpu
