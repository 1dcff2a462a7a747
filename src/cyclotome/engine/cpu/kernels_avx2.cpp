// SPDX-License-Identifier: Apache-2.0
// The inner loops for AVX2.
#if defined(__x86_64__)

// Every header that may define functions comes before the target pragma, so that this file leaves no copy of a shared
// inline function behind that needs AVX2.
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

CYCLOTOME_TARGET_BEGIN("avx2,bmi2,fma")

#include "cyclotome/engine/cpu/vector/arithmetic_double.hpp"
#include "cyclotome/engine/cpu/vector/lanes_double.hpp"
#include "cyclotome/engine/cpu/vector/registers_avx2.hpp"
#include "cyclotome/engine/cpu/vector/table.hpp"

CYCLOTOME_TARGET_END

namespace cyclotome::cpu {

namespace {

using Word = std::uint64_t;
using Q = Modulus<Word>;
using Integers = Lanes64<Avx2>;

/// Runs what is for moduli below 2^50, in the arithmetic that it needs, or what is for all.
template <class Double, class Integer, class... Arguments>
void choose(Word q, Double of_doubles, Integer of_integers, Arguments&&... arguments) noexcept {
  if (q >= max_double_modulus) return of_integers(arguments...);
  const UsualArithmetic arithmetic;
  of_doubles(arguments...);
}

void forward(Word* a, const TransformTables<Word>& tables) noexcept {
  choose(tables.modulus.value(), Forward<LanesDouble>::run, Forward<Integers>::run, a, tables);
}
void inverse(Word* a, const TransformTables<Word>& tables) noexcept {
  choose(tables.modulus.value(), Inverse<LanesDouble>::run, Inverse<Integers>::run, a, tables);
}
void multiply(Word* out, const Word* a, const Word* b, std::size_t count, const Q& q) noexcept {
  choose(q.value(), ArithmeticDouble::multiply, Pointwise<Integers>::multiply, out, a, b, count, q);
}
void multiply_accumulate(Word* accumulator, const Word* a, const Word* b, std::size_t count, const Q& q) noexcept {
  choose(q.value(), ArithmeticDouble::multiply_accumulate, Pointwise<Integers>::multiply_accumulate, accumulator, a, b,
         count, q);
}
void scale(Word* out, const Word* a, const ShoupFactor<Word>& factor, std::size_t count, Word q) noexcept {
  choose(q, ArithmeticDouble::scale, Pointwise<Integers>::scale, out, a, factor, count, q);
}
void scale_add(Word* out, const Word* a, const ShoupFactor<Word>& factor, const Word* b, std::size_t count,
               Word q) noexcept {
  choose(q, ArithmeticDouble::scale_add, Pointwise<Integers>::scale_add, out, a, factor, b, count, q);
}
void inner_product(Word* out, const Word* const* a, const Word* const* b, std::size_t terms, std::size_t count,
                   const Q& q) noexcept {
  choose(q.value(), ArithmeticDouble::inner_product, Sums<Integers>::inner_product, out, a, b, terms, count, q);
}
void weighted_sum(Word* out, std::size_t count, Tile<const Word> x, std::span<const Word> factors, unsigned x_bits,
                  const Q& q, const Word* extra, Word extra_factor) noexcept {
  choose(x_bits > 50 ? max_double_modulus : q.value(), ArithmeticDouble::weighted_sum, Sums<Integers>::weighted_sum,
         out, count, x, factors, x_bits, q, extra, extra_factor);
}

}  // namespace

template <>
const Kernels<std::uint32_t>& avx2_kernels() noexcept {
  return vector_table<Lanes32<Avx2>>;
}

template <>
const Kernels<std::uint64_t>& avx2_kernels() noexcept {
  static const Kernels<Word> table = [] {
    Kernels<Word> chosen = vector_table<Integers>;
    chosen.forward_transform = forward;
    chosen.inverse_transform = inverse;
    chosen.multiply = multiply;
    chosen.multiply_accumulate = multiply_accumulate;
    chosen.scale = scale;
    chosen.scale_add = scale_add;
    chosen.inner_product = inner_product;
    chosen.weighted_sum = weighted_sum;
    return chosen;
  }();
  return table;
}

}  // namespace cyclotome::cpu

#endif
