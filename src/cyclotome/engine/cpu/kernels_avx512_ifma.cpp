// SPDX-License-Identifier: Apache-2.0
// The inner loops for AVX-512 with 52-bit multipliers. They serve 64-bit words with moduli below 2^50; everything else
// is the AVX-512 table's.
#if defined(__x86_64__)

// Every header that may define functions comes before the target pragma: see kernels_avx512.cpp.
#include <algorithm>
#include <array>
#include <cstring>
#include <immintrin.h>
#include <span>
#include <utility>

#include "cyclotome/engine/cpu/kernels.hpp"
#include "cyclotome/engine/cpu/prime_factor.hpp"
#include "cyclotome/engine/cpu/transform.hpp"
#include "cyclotome/engine/cpu/vector/macros.hpp"

CYCLOTOME_TARGET_BEGIN("avx512f,avx512dq,avx512bw,avx512vl,avx512ifma,bmi2")

#include "cyclotome/engine/cpu/vector/lanes_ifma.hpp"
#include "cyclotome/engine/cpu/vector/table.hpp"

CYCLOTOME_TARGET_END

namespace cyclotome::cpu {

namespace {

using Word = std::uint64_t;
using Q = Modulus<Word>;

/// The table to use for moduli up to `q`.
const Kernels<Word>& table_for(Word q) noexcept {
  return q < max_ifma_modulus ? vector_table<LanesIfma> : avx512_kernels<Word>();
}

void forward(Word* a, const TransformTables<Word>& tables) noexcept {
  table_for(tables.modulus.value()).forward_transform(a, tables);
}
void inverse(Word* a, const TransformTables<Word>& tables) noexcept {
  table_for(tables.modulus.value()).inverse_transform(a, tables);
}
const ConvolutionKernels<Word>& convolutions_for(Word q) noexcept { return table_for(q).convolutions(q); }
void multiply(Word* out, const Word* a, const Word* b, std::size_t count, const Q& q) noexcept {
  table_for(q.value()).multiply(out, a, b, count, q);
}
void multiply_accumulate(Word* accumulator, const Word* a, const Word* b, std::size_t count, const Q& q) noexcept {
  table_for(q.value()).multiply_accumulate(accumulator, a, b, count, q);
}
void scale(Word* out, const Word* a, const ShoupFactor<Word>& factor, std::size_t count, Word q) noexcept {
  table_for(q).scale(out, a, factor, count, q);
}
void scale_add(Word* out, const Word* a, const ShoupFactor<Word>& factor, const Word* b, std::size_t count,
               Word q) noexcept {
  table_for(q).scale_add(out, a, factor, b, count, q);
}
void inner_product(Word* out, const Word* const* a, const Word* const* b, std::size_t terms, std::size_t count,
                   const Q& q) noexcept {
  table_for(q.value()).inner_product(out, a, b, terms, count, q);
}
void weighted_sum(Word* out, std::size_t count, Tile<const Word> x, std::span<const Word> factors, unsigned x_bits,
                  const Q& q, const Word* extra, Word extra_factor) noexcept {
  const Word largest = x_bits > 50 ? max_ifma_modulus : q.value();
  table_for(largest).weighted_sum(out, count, x, factors, x_bits, q, extra, extra_factor);
}
void weighted_sums(Tile<Word> out, std::size_t count, Tile<const Word> x, std::size_t limbs, const Word* matrix,
                   unsigned x_bits, const Q* targets, const Word* extra, const Word* extra_factors) noexcept {
  static_assert(targets_at_once == 4);
  const Word widest =
      std::max(std::max(targets[0].value(), targets[1].value()), std::max(targets[2].value(), targets[3].value()));
  if (x_bits <= 50 && widest < max_ifma_modulus) {
    vector_table<LanesIfma>.weighted_sums(out, count, x, limbs, matrix, x_bits, targets, extra, extra_factors);
    return;
  }
  const auto one = [&](std::size_t j) {
    weighted_sum(out.limb(j), count, x, {matrix + j * limbs, limbs}, x_bits, targets[j], extra,
                 extra == nullptr ? 0 : extra_factors[j]);
  };
  one(0), one(1), one(2), one(3);
}
void count_wraps(Word* wraps, std::size_t count, Tile<const Word> y, const BaseConversion& conversion,
                 std::uint64_t* peak) noexcept {
  unsigned bits = 0;
  for (const Q& q : conversion.source().moduli<Word>()) bits = std::max(bits, q.bits());
  table_for(bits > 50 ? max_ifma_modulus : 0).count_wraps(wraps, count, y, conversion, peak);
}

}  // namespace

template <>
const Kernels<std::uint32_t>& avx512_ifma_kernels() noexcept {
  return avx512_kernels<std::uint32_t>();
}

template <>
const Kernels<std::uint64_t>& avx512_ifma_kernels() noexcept {
  static const Kernels<Word> table = [] {
    Kernels<Word> chosen = avx512_kernels<Word>();
    chosen.forward_transform = forward;
    chosen.inverse_transform = inverse;
    chosen.convolutions = convolutions_for;
    chosen.multiply = multiply;
    chosen.multiply_accumulate = multiply_accumulate;
    chosen.scale = scale;
    chosen.scale_add = scale_add;
    chosen.inner_product = inner_product;
    chosen.weighted_sum = weighted_sum;
    chosen.weighted_sums = weighted_sums;
    chosen.count_wraps = count_wraps;
    return chosen;
  }();
  return table;
}

}  // namespace cyclotome::cpu

#endif
