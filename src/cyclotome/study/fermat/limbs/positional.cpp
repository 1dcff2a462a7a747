// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/study/fermat/limbs/positional.hpp"

#include <algorithm>

#include "cyclotome/math/interrupt.hpp"
#include "cyclotome/study/fermat/limbs/conversion.hpp"

namespace cyclotome::study::fermat::positional {

namespace {

/// value += factor a for words below `count`; what is carried out is dropped.
void add_multiple(std::uint64_t* value, std::size_t count, const std::uint64_t* a, std::size_t words,
                  std::uint64_t factor) noexcept {
  std::uint64_t carry = 0;
  for (std::size_t w = 0; w < count; ++w) {
    const u128 term = (w < words ? static_cast<u128>(a[w]) * factor : 0) + value[w] + carry;
    value[w] = static_cast<std::uint64_t>(term);
    carry = static_cast<std::uint64_t>(term >> 64);
  }
}

/// out = floor(q/2) = 2^(g - 1) - 1.
void half_q(std::span<std::uint64_t> out, std::size_t words) {
  std::ranges::fill(out, 0);
  std::ranges::fill(out.first(words), ~std::uint64_t{0});
  out[words - 1] >>= 1;
}

LimbArithmetic arithmetic_of(std::size_t words) {
  return LimbArithmetic(Limb{static_cast<unsigned>(64 * words), false, 0, 0, words});
}

}  // namespace

std::uint64_t round(std::uint64_t* messages, const std::uint64_t* phase, const PositionalRounding& rounding,
                    std::size_t degree, std::size_t first, std::size_t count) {
  const std::size_t words = rounding.words;
  const Modulus<std::uint64_t>& t = rounding.t;
  ZeroisingVector<std::uint64_t> x(words), scaled(words + 1);
  std::uint64_t peak = 0;
  for (std::size_t c = first; c < first + count; ++c) {
    check_interrupt_often();
    gather(x.data(), phase, words, degree, c, 1);
    // t X + floor(q/2) = high 2^g + low; the quotient is high, and 1 more if high + low reaches q.
    half_q(scaled, words);
    add_multiple(scaled.data(), words + 1, x.data(), words, t.value());
    const std::uint64_t high = scaled[words];
    std::uint64_t carry = high, all = ~std::uint64_t{0};
    for (std::size_t w = 0; w < words; ++w) {
      scaled[w] += carry;
      carry = std::uint64_t{scaled[w] < carry};
      all &= scaled[w];
    }
    const Rounded rounded = round_top(t, high, carry, all, scaled[words - 1]);
    messages[c] = rounded.message;
    const std::uint64_t further = mask_if<std::uint64_t>(rounded.distance > peak);
    peak = (peak & ~further) | (rounded.distance & further);
  }
  return peak;
}

void divide(std::uint64_t* out, const std::uint64_t* products, const PositionalRounding& rounding, std::size_t degree,
            std::size_t first, std::size_t count) {
  const std::size_t words = rounding.words, wide = product_words(words);
  const std::uint64_t t = rounding.t.value();
  const LimbArithmetic limb = arithmetic_of(words), whole = arithmetic_of(wide);
  std::vector<std::uint64_t> offset(wide), d(wide), value(wide + 1), quotient(words), sum(words), moved(words);
  // With q 2^(g + 64) added, which t/q makes t 2^(g + 64) = t 2^64 of, products are positive.
  std::fill(offset.begin() + static_cast<std::ptrdiff_t>(words + 1),
            offset.begin() + static_cast<std::ptrdiff_t>(2 * words + 1), ~std::uint64_t{0});
  const std::uint64_t shifted[2] = {0, t};
  limb.reduce(moved, shifted);
  for (std::size_t c = first; c < first + count; ++c) {
    check_interrupt_often();
    gather(d.data(), products, wide, degree, c, 1);
    whole.add(d.data(), d.data(), offset.data());
    half_q(value, words);
    add_multiple(value.data(), wide + 1, d.data(), wide, t);
    std::ranges::fill(quotient, 0);
    // floor(A/q): A = high 2^g + low = high q + (high + low), until no chunk is left above.
    std::span<std::uint64_t> rest(value);
    while (std::ranges::any_of(rest.subspan(words), [](std::uint64_t w) { return w != 0; })) {
      const std::vector<std::uint64_t> high(rest.begin() + static_cast<std::ptrdiff_t>(words), rest.end());
      limb.reduce(sum, high);
      limb.add(quotient.data(), quotient.data(), sum.data());
      std::ranges::fill(rest.subspan(words), 0);
      add_multiple(rest.data(), rest.size(), high.data(), high.size(), 1);
    }
    if (std::ranges::all_of(rest.first(words), [](std::uint64_t w) { return w == ~std::uint64_t{0}; })) {
      const std::uint64_t one[1] = {1};
      limb.reduce(sum, one);
      limb.add(quotient.data(), quotient.data(), sum.data());
    }
    limb.subtract(quotient.data(), quotient.data(), moved.data());
    scatter(out, quotient.data(), words, degree, c, 1);
  }
}

void centre(std::uint64_t* residues, const std::uint64_t* rows, const Basis& basis,
            const std::vector<std::uint64_t>& q_mod, const PositionalRounding& rounding, std::size_t degree,
            std::size_t first, std::size_t count) {
  const std::uint64_t* const top = rows + (rounding.words - 1) * degree;
  for (std::size_t j = 0; j < basis.size(); ++j) {
    const Modulus<std::uint64_t>& p = basis.moduli<std::uint64_t>()[j];
    for (std::size_t c = first; c < first + count; ++c) {
      std::uint64_t& r = residues[j * degree + c];
      r = p.subtract(r, q_mod[j] & (0 - (top[c] >> 63)));  // above q/2: the top bit
    }
  }
}

std::vector<std::uint64_t> modulus_mod(const Basis& basis, std::size_t words) {
  std::vector<std::uint64_t> all;
  for (const Modulus<std::uint64_t>& p : basis.moduli<std::uint64_t>()) {
    all.push_back(p.subtract(p.power(p.reduce(2), 64 * words), p.reduce(1)));
  }
  return all;
}

}  // namespace cyclotome::study::fermat::positional
