// SPDX-License-Identifier: Apache-2.0
// The inner loops in plain C++: what runs on any machine, and what every vector version must equal bit for bit.
#include <algorithm>

#include "cyclotome/engine/cpu/kernels.hpp"
#include "cyclotome/engine/cpu/steps/prime_factor.hpp"
#include "cyclotome/engine/cpu/transform.hpp"

namespace cyclotome::cpu {

namespace {

template <LimbWord W>
void add(W* out, const W* a, const W* b, std::size_t count, const Modulus<W>& modulus) noexcept {
  const Modulus<W> q = modulus;
  for (std::size_t c = 0; c < count; ++c) out[c] = q.add(a[c], b[c]);
}

template <LimbWord W>
void subtract(W* out, const W* a, const W* b, std::size_t count, const Modulus<W>& modulus) noexcept {
  const Modulus<W> q = modulus;
  for (std::size_t c = 0; c < count; ++c) out[c] = q.subtract(a[c], b[c]);
}

template <LimbWord W>
void negate(W* out, const W* a, std::size_t count, const Modulus<W>& modulus) noexcept {
  const Modulus<W> q = modulus;
  for (std::size_t c = 0; c < count; ++c) out[c] = q.negate(a[c]);
}

template <LimbWord W>
void multiply(W* out, const W* a, const W* b, std::size_t count, const Modulus<W>& modulus) noexcept {
  const Modulus<W> q = modulus;
  for (std::size_t c = 0; c < count; ++c) out[c] = q.multiply(a[c], b[c]);
}

template <LimbWord W>
void multiply_accumulate(W* accumulator, const W* a, const W* b, std::size_t count,
                         const Modulus<W>& modulus) noexcept {
  const Modulus<W> q = modulus;
  for (std::size_t c = 0; c < count; ++c) accumulator[c] = q.add(accumulator[c], q.multiply(a[c], b[c]));
}

template <LimbWord W>
void scale(W* out, const W* a, const ShoupFactor<W>& factor, std::size_t count, W q) noexcept {
  const ShoupFactor<W> f = factor;
  for (std::size_t c = 0; c < count; ++c) out[c] = f.multiply(a[c], q);
}

template <LimbWord W>
void scale_add(W* out, const W* a, const ShoupFactor<W>& factor, const W* b, std::size_t count, W q) noexcept {
  const ShoupFactor<W> f = factor;
  for (std::size_t c = 0; c < count; ++c) {
    const W sum = static_cast<W>(f.multiply(a[c], q) + b[c]);
    out[c] = static_cast<W>(sum - (q & mask_if<W>(sum >= q)));
  }
}

template <LimbWord W>
void move_centred(W* out, const W* a, std::size_t count, W from, W q) noexcept {
  const W half = from / 2, twice = static_cast<W>(2 * q), back = static_cast<W>(q - half % q);
  const auto subtract_if_reaches = [](W x, W y) { return static_cast<W>(x - (y & mask_if<W>(x >= y))); };
  for (std::size_t c = 0; c < count; ++c) {
    const W shifted = subtract_if_reaches(static_cast<W>(a[c] + half), from);  // the lift plus half
    const W residue = subtract_if_reaches(subtract_if_reaches(shifted, twice), q);
    out[c] = subtract_if_reaches(static_cast<W>(residue + back), q);
  }
}

template <LimbWord W>
void permute(W* out, const W* a, const std::uint32_t* sources, std::size_t count) noexcept {
  for (std::size_t c = 0; c < count; ++c) out[c] = a[sources[c]];
}

/// out = sum over i of left(i)[c] right(i, c), started by first(c), with a reduction after every `step` terms.
template <LimbWord W, class First, class Left, class Right>
void sum_products(W* out, std::size_t terms, std::size_t count, std::size_t step, const Modulus<W>& q,
                  const First& first, const Left& left, const Right& right) noexcept {
  Wide<W> sums[conversion_tile];
  for (std::size_t start = 0; start < count; start += conversion_tile) {
    const std::size_t width = std::min(conversion_tile, count - start);
    for (std::size_t c = 0; c < width; ++c) sums[c] = first(start + c);
    for (std::size_t begin = 0; begin < terms; begin += step) {
      const std::size_t end = std::min(terms, begin + step);
      if (begin != 0) {
        for (std::size_t c = 0; c < width; ++c) sums[c] = q.reduce_wide(sums[c]);
      }
      if constexpr (sizeof(W) == 4) {  // row by row: compilers make vector code of it
        for (std::size_t i = begin; i < end; ++i) {
          const W* const row = left(i) + start;
          for (std::size_t c = 0; c < width; ++c) sums[c] += static_cast<Wide<W>>(row[c]) * right(i, start + c);
        }
      } else {
        for (std::size_t c = 0; c < width; ++c) {
          Wide<W> sum = sums[c];
          for (std::size_t i = begin; i < end; ++i)
            sum += static_cast<Wide<W>>(left(i)[start + c]) * right(i, start + c);
          sums[c] = sum;
        }
      }
    }
    for (std::size_t c = 0; c < width; ++c) out[start + c] = q.reduce_wide(sums[c]);
  }
}

template <LimbWord W>
void inner_product(W* out, const W* const* a, const W* const* b, std::size_t terms, std::size_t count,
                   const Modulus<W>& modulus) noexcept {
  const Modulus<W> q = modulus;
  const std::size_t step = lazy_terms(q.bits(), q) - 1;  // a reduced sum counts as one more term
  sum_products<W>(
      out, terms, count, step, q, [](std::size_t) { return Wide<W>{0}; }, [&](std::size_t i) { return a[i]; },
      [&](std::size_t i, std::size_t c) { return b[i][c]; });
}

template <LimbWord W>
void weighted_sum(W* out, std::size_t count, Tile<const W> x, std::span<const W> factors, unsigned x_bits,
                  const Modulus<W>& modulus, const W* extra, W extra_factor) noexcept {
  const Modulus<W> q = modulus;
  const std::size_t step = lazy_terms(x_bits, q) - 2;  // the extra product is another term
  const auto first = [&](std::size_t c) {
    return extra == nullptr ? Wide<W>{0} : static_cast<Wide<W>>(static_cast<Wide<W>>(extra[c]) * extra_factor);
  };
  sum_products<W>(
      out, factors.size(), count, step, q, first, [&](std::size_t i) { return x.limb(i); },
      [&](std::size_t i, std::size_t) { return factors[i]; });
}

template <LimbWord W>
void count_wraps(W* wraps, std::size_t count, Tile<const W> y, const BaseConversion& conversion,
                 std::uint64_t* peak) noexcept {
  const auto source = conversion.source().moduli<W>();
  if (source.size() == 1) {
    const W q = source[0].value();
    for (std::size_t c = 0; c < count; ++c) wraps[c] = static_cast<W>(y.limb(0)[c] >= q - y.limb(0)[c]);
    return;
  }
  std::uint64_t fractions[conversion_tile];
  for (std::size_t c = 0; c < count; ++c) fractions[c] = std::uint64_t{1} << (fraction_bits - 1);
  for (std::size_t i = 0; i < source.size(); ++i) {
    const std::uint64_t reciprocal = conversion.tables<W>().reciprocals[i];
    for (std::size_t c = 0; c < count; ++c) fractions[c] += fraction(y.limb(i)[c], reciprocal, source[i].bits());
  }
  for (std::size_t c = 0; c < count; ++c) wraps[c] = static_cast<W>(fractions[c] >> fraction_bits);
  if (peak != nullptr) raise_peak(*peak, fractions, count);
}

template <LimbWord W>
W largest_centred(const W* a, std::size_t count, W q) noexcept {
  W largest = 0;
  for (std::size_t c = 0; c < count; ++c) {
    const W opposite = static_cast<W>(q - a[c]), distance = a[c] < opposite ? a[c] : opposite;
    largest = distance > largest ? distance : largest;
  }
  return largest;
}

template <LimbWord W>
void reduce_small(W* out, const int* small, std::size_t count, W q) noexcept {
  for (std::size_t c = 0; c < count; ++c) out[c] = small_residue(small[c], q);
}

template <LimbWord W>
std::uint64_t to_residues(W* out, const std::int64_t* values, std::size_t count, std::uint64_t t) noexcept {
  const std::uint64_t half = t / 2;
  std::uint64_t outside = 0;  // the sign of 2 half - (value + half), each as a number without a sign
  for (std::size_t c = 0; c < count; ++c) {
    const auto value = static_cast<std::uint64_t>(values[c]), shifted = value + half;
    outside |= shifted | (2 * half - shifted);
    out[c] = static_cast<W>(value + (t & static_cast<std::uint64_t>(values[c] >> 63)));
  }
  return outside >> 63;
}

template <LimbWord W>
void to_values(std::int64_t* out, const W* residues, std::size_t count, std::uint64_t t) noexcept {
  const std::uint64_t half = (t + 1) / 2;
  for (std::size_t c = 0; c < count; ++c) {
    const std::uint64_t residue = residues[c];
    out[c] = static_cast<std::int64_t>(residue - (t & mask_if<std::uint64_t>(residue >= half)));
  }
}

template <LimbWord W>
const ConvolutionKernels<W>& convolutions(W) noexcept {
  static constexpr ConvolutionKernels<W> kernels{
      .lanes = 1,
      .columns = [](W* tile, const FixedConvolution<W>& c, const Modulus<W>& q,
                    W*) noexcept { convolve_line(tile, c, q); },
      .line = convolve_line<W>,
      .split_rows = nullptr,
      .merge_rows = nullptr,
      .convolve_rows = nullptr,
      .convolve_257 = nullptr,
  };
  return kernels;
}

}  // namespace

template <LimbWord W>
const Kernels<W>& scalar_kernels() noexcept {
  static constexpr Kernels<W> table{
      .forward_transform = forward_transform<W>,
      .inverse_transform = inverse_transform<W>,
      .forward_moved = nullptr,
      .convolutions = convolutions<W>,
      .add = add<W>,
      .subtract = subtract<W>,
      .negate = negate<W>,
      .multiply = multiply<W>,
      .multiply_accumulate = multiply_accumulate<W>,
      .scale = scale<W>,
      .scale_add = scale_add<W>,
      .move_centred = move_centred<W>,
      .permute = permute<W>,
      .inner_product = inner_product<W>,
      .weighted_sum = weighted_sum<W>,
      .weighted_sums = nullptr,
      .count_wraps = count_wraps<W>,
      .largest_centred = largest_centred<W>,
      .sample_uniform = sample_uniform<W>,
      .sample_small = sample_small,
      .reduce_small = reduce_small<W>,
      .to_residues = to_residues<W>,
      .to_values = to_values<W>,
  };
  return table;
}

template const Kernels<std::uint32_t>& scalar_kernels() noexcept;
template const Kernels<std::uint64_t>& scalar_kernels() noexcept;

}  // namespace cyclotome::cpu
