// SPDX-License-Identifier: Apache-2.0
// Every instruction set of this machine computes the same bits as plain integers (sums and products) or as the scalar
// loops (transforms), on random and on extreme residues.
#include <algorithm>
#include <cfenv>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "cyclotome/ring/conversion/base_conversion.hpp"
#include "cyclotome/ring/ring.hpp"
#include "vector_operands.hpp"

namespace {

using namespace cyclotome;
using check::check_all;
using check::label;
using check::moduli;
using check::Pattern;
using check::patterns;
using check::reduced;
using check::residues;
using check::transform_primes;
using check::vector_sets;
using check::Words;
using cpu::InstructionSet;

template <LimbWord W>
void test_pointwise(InstructionSet set, std::uint64_t q, Pattern pattern, std::size_t count) {
  const cpu::Kernels<W>& kernels = cpu::kernels<W>(set);
  const Modulus<W> modulus(static_cast<W>(q));
  const Words<W> a = residues<W>(count, q, pattern, 1), b = residues<W>(count, q, pattern, 2);
  const ShoupFactor<W> factor(static_cast<W>(q - 1), static_cast<W>(q));
  Words<W> out(count);
  const auto name = [&](const char* verb) { return label(set, word_bits<W>, verb, q, pattern); };
  const auto at = [](const Words<W>& x, std::size_t c) { return static_cast<u128>(x[c]); };

  kernels.add(out.data(), a.data(), b.data(), count, modulus);
  check_all(name("add"), out, [&](std::size_t c) { return reduced<W>(at(a, c) + b[c], q); });
  kernels.subtract(out.data(), a.data(), b.data(), count, modulus);
  check_all(name("subtract"), out, [&](std::size_t c) { return reduced<W>(at(a, c) + q - b[c], q); });
  kernels.negate(out.data(), a.data(), count, modulus);
  check_all(name("negate"), out, [&](std::size_t c) { return reduced<W>(q - at(a, c), q); });
  kernels.multiply(out.data(), a.data(), b.data(), count, modulus);
  check_all(name("multiply"), out, [&](std::size_t c) { return reduced<W>(at(a, c) * b[c], q); });
  out = a;
  kernels.multiply_accumulate(out.data(), a.data(), b.data(), count, modulus);
  check_all(name("multiply_accumulate"), out, [&](std::size_t c) { return reduced<W>(a[c] + at(a, c) * b[c], q); });
  kernels.scale(out.data(), a.data(), factor, count, static_cast<W>(q));
  check_all(name("scale"), out, [&](std::size_t c) { return reduced<W>(at(a, c) * (q - 1), q); });
  kernels.scale_add(out.data(), a.data(), factor, b.data(), count, static_cast<W>(q));
  check_all(name("scale_add"), out, [&](std::size_t c) { return reduced<W>(at(a, c) * (q - 1) + b[c], q); });
}

/// x modulo `from` in [-from/2, from/2), modulo q, for every x or random and extreme ones.
template <LimbWord W>
void test_moves(InstructionSet set, std::uint64_t from, std::uint64_t q) {
  const cpu::Kernels<W>& kernels = cpu::kernels<W>(set);
  for (const Pattern pattern : patterns) {
    for (const std::size_t count : {1, 7, 77}) {
      Words<W> x = residues<W>(count, from, pattern, q);
      if (pattern == Pattern::ones) {  // and the neighbours of half
        for (std::size_t c = 0; c < count; ++c) x[c] = static_cast<W>((from / 2 + c % 5) % from);
      }
      const auto expected = [&, x](std::size_t c) {
        return 2 * static_cast<u128>(x[c]) >= from ? (q - (from - x[c]) % q) % q : x[c] % q;
      };
      Words<W> out(count);
      kernels.move_centred(out.data(), x.data(), count, static_cast<W>(from), static_cast<W>(q));
      check_all(label(set, word_bits<W>, "move_centred", q, pattern), out, expected);
      kernels.move_centred(x.data(), x.data(), count, static_cast<W>(from), static_cast<W>(q));
      check_all(label(set, word_bits<W>, "move_centred in place", q, pattern), x, expected);
    }
  }
}

template <LimbWord W>
void test_sums(InstructionSet set, std::uint64_t q, Pattern pattern, std::size_t terms) {
  constexpr std::size_t count = 77;  // whole blocks of registers, single registers and a rest
  const cpu::Kernels<W>& kernels = cpu::kernels<W>(set);
  const Modulus<W> modulus(static_cast<W>(q));
  std::vector<Words<W>> a, b;
  std::vector<const W*> left, right;
  for (std::size_t i = 0; i < terms; ++i) {
    a.push_back(residues<W>(count, q, pattern, 2 * i));
    b.push_back(residues<W>(count, q, pattern, 2 * i + 1));
    left.push_back(a[i].data());
    right.push_back(b[i].data());
  }
  Words<W> out(count);
  kernels.inner_product(out.data(), left.data(), right.data(), terms, count, modulus);
  check_all(label(set, word_bits<W>, message("inner_product of ", terms).c_str(), q, pattern), out, [&](std::size_t c) {
    u128 sum = 0;
    for (std::size_t i = 0; i < terms; ++i) sum = (sum + static_cast<u128>(a[i][c]) * b[i][c]) % q;
    return static_cast<std::uint64_t>(sum);
  });

  // The x of a weighted sum belong to other moduli, narrower and wider than q.
  const auto widths =
      sizeof(W) == 4 ? std::vector<unsigned>{8, 30, 31} : std::vector<unsigned>{8, 50, 51, 55, 56, 57, 61};
  for (const unsigned x_bits : widths) {
    const Words<W> x = residues<W>(count * terms, std::uint64_t{1} << x_bits, pattern, 7);
    const Words<W> factors = residues<W>(terms, q, pattern, 8), extra = residues<W>(count, terms + 1, pattern, 9);
    for (const bool with_extra : {false, true}) {
      const W extra_factor = static_cast<W>(with_extra ? q - 1 : 0);
      kernels.weighted_sum(out.data(), count, {x.data(), count}, factors, x_bits, modulus,
                           with_extra ? extra.data() : nullptr, extra_factor);
      const auto name =
          message("weighted_sum of ", terms, " terms below 2^", x_bits, with_extra ? " and an extra" : "");
      check_all(label(set, word_bits<W>, name.c_str(), q, pattern), out, [&](std::size_t c) {
        u128 sum = with_extra ? static_cast<u128>(extra[c]) * extra_factor % q : 0;
        for (std::size_t i = 0; i < terms; ++i) sum = (sum + static_cast<u128>(x[i * count + c]) * factors[i]) % q;
        return static_cast<std::uint64_t>(sum);
      });
    }
  }
}

/// Sums for several targets at once, of different lengths, and whole and broken registers.
template <LimbWord W>
void test_targets(InstructionSet set, const std::vector<std::uint64_t>& targets, unsigned x_bits, std::size_t terms,
                  std::size_t count) {
  if (cpu::kernels<W>(set).weighted_sums == nullptr) return;
  std::vector<Modulus<W>> moduli;
  Words<W> matrix, extra_factors;
  for (const std::uint64_t q : targets) {
    moduli.emplace_back(static_cast<W>(q));
    const Words<W> row = residues<W>(terms, q, Pattern::random, q);
    matrix.insert(matrix.end(), row.begin(), row.end());
    extra_factors.push_back(static_cast<W>(q - 1));
  }
  for (const Pattern pattern : {Pattern::random, Pattern::largest}) {
    const Words<W> x = residues<W>(count * terms, std::uint64_t{1} << x_bits, pattern, 7);
    const Words<W> extra = residues<W>(count, terms + 1, pattern, 9);
    if (pattern == Pattern::largest) {  // and factors that are the largest of either sign
      for (std::size_t at = 0; at < matrix.size(); ++at) {
        matrix[at] = static_cast<W>((targets[at / terms] / 2 + count % 2) % targets[at / terms]);
      }
    }
    for (const bool with_extra : {false, true}) {
      Words<W> out(count * targets.size());
      cpu::kernels<W>(set).weighted_sums({out.data(), count}, count, {x.data(), count}, terms, matrix.data(), x_bits,
                                         moduli.data(), with_extra ? extra.data() : nullptr, extra_factors.data());
      const auto name = message("weighted_sums of ", terms, " terms below 2^", x_bits, " for ", targets.size());
      check_all(label(set, word_bits<W>, name.c_str(), targets[0], pattern), out, [&](std::size_t at) {
        const std::size_t j = at / count, c = at % count;
        u128 sum = with_extra ? static_cast<u128>(extra[c]) * extra_factors[j] % targets[j] : 0;
        for (std::size_t i = 0; i < terms; ++i)
          sum = (sum + static_cast<u128>(x[i * count + c]) * matrix[j * terms + i]) % targets[j];
        return static_cast<std::uint64_t>(sum);
      });
    }
  }
}

template <LimbWord W>
void test_transforms(std::size_t n) {
  for (const std::uint64_t q : transform_primes<W>(n)) {
    const TransformTables<W> tables(n, static_cast<W>(q));
    for (const Pattern pattern : patterns) {
      const Words<W> a = residues<W>(n, q, pattern, n + q);
      Words<W> forward = a, inverse = a;
      cpu::kernels<W>(InstructionSet::scalar).forward_transform(forward.data(), tables);
      const cpu::InverseEnding<W> plain(tables);
      cpu::kernels<W>(InstructionSet::scalar).inverse_transform(inverse.data(), tables, plain);
      for (const InstructionSet set : vector_sets()) {
        const auto name = [&](const char* verb) {
          return label(set, word_bits<W>, message(verb, " transform of length ", n).c_str(), q, pattern);
        };
        Words<W> got = a;
        cpu::kernels<W>(set).forward_transform(got.data(), tables);
        check_all(name("forward"), got, [&](std::size_t c) { return forward[c]; });
        cpu::kernels<W>(set).inverse_transform(got.data(), tables, plain);
        check_all(name("forward and inverse"), got, [&](std::size_t c) { return a[c]; });
        cpu::kernels<W>(set).inverse_transform((got = a).data(), tables, plain);
        check_all(name("inverse"), got, [&](std::size_t c) { return inverse[c]; });
      }
      for (const std::uint64_t factor : {std::uint64_t{0}, std::uint64_t{1}, q / 2 + 1, q - 1}) {
        const cpu::InverseEnding<W> times(tables, static_cast<W>(factor));
        for (const InstructionSet set : cpu::instruction_sets()) {
          Words<W> got = a;
          cpu::kernels<W>(set).inverse_transform(got.data(), tables, times);
          check_all(label(set, word_bits<W>, message("inverse times ", factor, ", length ", n).c_str(), q, pattern),
                    got, [&](std::size_t c) { return tables.modulus.multiply(inverse[c], static_cast<W>(factor)); });
        }
      }
    }
  }
}

template <LimbWord W>
void test_wraps(InstructionSet set, const std::vector<std::uint64_t>& source) {
  constexpr std::size_t count = 77;
  const Word word = sizeof(W) == 4 ? Word::u32 : Word::u64;
  const BaseConversion conversion(Basis(word, source), Basis(word, {65537}), Lift::centred);
  for (const Pattern pattern : patterns) {
    Words<W> y, wraps(count);
    for (std::size_t i = 0; i < source.size(); ++i) {
      const Words<W> row = residues<W>(count, source[i], pattern, i);
      y.insert(y.end(), row.begin(), row.end());
    }
    cpu::kernels<W>(set).count_wraps(wraps.data(), count, {y.data(), count}, conversion, nullptr);
    check_all(label(set, word_bits<W>, message("count_wraps of ", source.size(), " limbs").c_str(), source[0], pattern),
              wraps, [&](std::size_t c) {
                if (source.size() == 1) return static_cast<std::uint64_t>(2 * static_cast<u128>(y[c]) >= source[0]);
                u128 sum = u128{1} << (fraction_bits - 1);
                for (std::size_t i = 0; i < source.size(); ++i) {
                  const auto& tables = conversion.tables<W>();
                  const unsigned bits = conversion.source().moduli<W>()[i].bits();
                  const unsigned shift = (sizeof(W) == 4 ? 63 : bits + 63) - fraction_bits;
                  sum += static_cast<u128>(y[i * count + c]) * tables.reciprocals[i] >> shift;
                }
                return static_cast<std::uint64_t>(sum >> fraction_bits);
              });
  }
}

template <LimbWord W>
void pointwise_everywhere() {
  for (const InstructionSet set : cpu::instruction_sets()) {
    for (const std::uint64_t q : moduli<W>()) {
      for (const Pattern pattern : patterns) test_pointwise<W>(set, q, pattern, 77);
      for (const std::size_t count : {1, 3, 7, 8, 15, 16, 31, 1024}) test_pointwise<W>(set, q, Pattern::random, count);
    }
  }
}
TEST(pointwise_verbs_equal_integers_32) { pointwise_everywhere<std::uint32_t>(); }
TEST(pointwise_verbs_equal_integers_64) { pointwise_everywhere<std::uint64_t>(); }

/// Values become residues and come back, and one outside [-t/2, t/2] shows wherever it stands.
template <LimbWord W>
void values_everywhere() {
  for (const std::uint64_t t :
       {std::uint64_t{2}, std::uint64_t{3}, std::uint64_t{65537}, (std::uint64_t{1} << (word_bits<W> - 2)) - 35}) {
    const auto half = static_cast<std::int64_t>(t / 2);
    for (const std::size_t count : {1, 7, 16, 77, 256}) {
      std::vector<std::int64_t> values(count), back(count);
      for (std::size_t c = 0; c < count; ++c) {
        values[c] = c % 3 == 0 ? half : c % 3 == 1 ? -half : static_cast<std::int64_t>(c % t) - half;
      }
      for (const InstructionSet set : cpu::instruction_sets()) {
        const cpu::Kernels<W>& kernels = cpu::kernels<W>(set);
        Words<W> out(count);
        CHECK_EQ(kernels.to_residues(out.data(), values.data(), count, t), 0U);
        check_all(label(set, word_bits<W>, "to_residues", t, Pattern::random), out, [&](std::size_t c) {
          return static_cast<std::uint64_t>(values[c] < 0 ? values[c] + static_cast<std::int64_t>(t) : values[c]);
        });
        kernels.to_values(back.data(), out.data(), count, t);
        std::size_t wrong = 0;
        for (std::size_t c = 0; c < count; ++c) {
          const bool least = t % 2 == 0 && values[c] == half;  // stands for -t/2
          wrong += back[c] != (least ? -half : values[c]);
        }
        CHECK_EQ(wrong, 0U);
        for (const std::int64_t outside : {half + 1, -half - 1, INT64_MAX, INT64_MIN, INT64_MAX - half}) {
          std::vector<std::int64_t> other = values;
          other[count * 5 / 7] = outside;
          CHECK(kernels.to_residues(out.data(), other.data(), count, t) != 0);
        }
      }
    }
  }
}
TEST(values_and_residues_are_each_others_way_back_32) { values_everywhere<std::uint32_t>(); }
TEST(values_and_residues_are_each_others_way_back_64) { values_everywhere<std::uint64_t>(); }

/// Automorphisms of transforms in x^n + 1 move runs, and every path moves them to where they belong.
template <LimbWord W>
void permutations_everywhere() {
  for (const std::size_t degree : {16, 32, 1024, 4096}) {
    const RingShapePtr shape = RingShape::negacyclic(degree);
    const GaloisGroup& galois = shape->galois();
    const Words<W> a = residues<W>(degree, (std::uint64_t{1} << 30) - 35, Pattern::random, 1);
    for (const std::uint64_t element :
         {std::uint64_t{3}, std::uint64_t{9}, degree + 1, 2 * degree - 1, 2 * degree - 3}) {
      const std::vector<std::uint32_t> sources = galois.slots(element);
      CHECK(cpu::moves_runs(sources));
      for (const InstructionSet set : cpu::instruction_sets()) {
        for (const std::size_t first : {std::size_t{0}, degree / 32 * 16}) {
          Words<W> out(degree - first);
          cpu::kernels<W>(set).permute(out.data(), a.data(), sources.data() + first, out.size());
          check_all(label(set, word_bits<W>, "permute", element, Pattern::random), out,
                    [&](std::size_t c) { return std::uint64_t{a[sources[first + c]]}; });
        }
      }
    }
  }
}
TEST(permutations_move_every_value_32) { permutations_everywhere<std::uint32_t>(); }
TEST(permutations_move_every_value_64) { permutations_everywhere<std::uint64_t>(); }

TEST(permutations_that_break_runs_are_told) {
  const RingShapePtr small = RingShape::negacyclic(8);
  CHECK(!cpu::moves_runs(small->galois().slots(3)));
  std::vector<std::uint32_t> sources(64);
  for (std::uint32_t c = 0; c < 64; ++c) sources[c] = 63 - c;
  CHECK(cpu::moves_runs(sources));
  std::swap(sources[15], sources[16]);  // across the border of two runs
  CHECK(!cpu::moves_runs(sources));
  for (std::uint32_t c = 0; c < 64; ++c) sources[c] = c - c % 16 + (c * 5 + 3) % 16;  // within runs, but not halves
  CHECK(!cpu::moves_runs(sources));
  for (const std::size_t index : {1365, 1105}) {  // 1105: an axis of 16 values is a run
    const RingShapePtr phi = RingShape::cyclotomic(index);
    CHECK(!cpu::moves_runs(phi->galois().slots(phi->galois().generators().front().element)));
    CHECK(!cpu::moves_runs(phi->galois().slots(2)));
  }
}

template <LimbWord W>
void moves_everywhere() {
  for (const InstructionSet set : cpu::instruction_sets()) {
    for (const std::uint64_t from : moduli<W>()) {
      for (const std::uint64_t q : moduli<W>()) {
        if (from / 4 < q) test_moves<W>(set, from, q);
      }
      for (const std::uint64_t q : {from / 4 + 1, from / 3 + 1, from / 2 + 1}) {
        if (q > 1) test_moves<W>(set, from, q);
      }
    }
  }
}
TEST(centred_moves_equal_integers_32) { moves_everywhere<std::uint32_t>(); }
TEST(centred_moves_equal_integers_64) { moves_everywhere<std::uint64_t>(); }

template <LimbWord W>
void sums_everywhere() {
  for (const InstructionSet set : cpu::instruction_sets()) {
    for (const std::uint64_t q : moduli<W>()) {
      for (const std::size_t terms : {1, 2, 3, 4, 5, 8, 13, 14, 15, 16, 17, 30, 31, 33, 64, 128}) {
        for (const Pattern pattern : {Pattern::random, Pattern::largest}) test_sums<W>(set, q, pattern, terms);
      }
    }
  }
}
TEST(sums_of_products_equal_integers_32) { sums_everywhere<std::uint32_t>(); }
TEST(sums_of_products_equal_integers_64) { sums_everywhere<std::uint64_t>(); }

template <LimbWord W>
void targets_everywhere(const std::vector<unsigned>& widths, const std::vector<unsigned>& x_widths) {
  std::vector<std::uint64_t> targets;
  for (const unsigned bits : widths) targets.push_back(bits == 2 ? 3 : primes_congruent_to_one(bits, 64, 1)[0]);
  for (const InstructionSet set : cpu::instruction_sets()) {
    for (const unsigned x_bits : x_widths) {
      for (const std::size_t terms : {1, 5, 14, 15, 16, 17, 31, 32}) test_targets<W>(set, targets, x_bits, terms, 77);
      for (std::size_t count = 1; count <= 64; ++count) test_targets<W>(set, targets, x_bits, 3, count);
    }
  }
}
TEST(sums_for_several_targets_equal_integers_32) { targets_everywhere<std::uint32_t>({31, 2, 30, 20}, {8, 30, 31}); }
TEST(sums_for_several_targets_equal_integers_64) {
  targets_everywhere<std::uint64_t>({50, 2, 49, 50}, {8, 49, 50, 51, 61});
  targets_everywhere<std::uint64_t>({50, 61, 49, 51}, {50, 51});
  targets_everywhere<std::uint64_t>({51, 61, 55, 60}, {50, 55, 56, 57, 61});  // near powers of two
  targets_everywhere<std::uint64_t>({55, 56, 52, 56}, {8, 56, 57, 61});
}

TEST(wrap_counts_equal_the_fixed_point_formula) {
  for (const InstructionSet set : cpu::instruction_sets()) {
    test_wraps<std::uint32_t>(set, {(1u << 31) - 1});
    test_wraps<std::uint32_t>(set, {65536});
    test_wraps<std::uint32_t>(set, primes_congruent_to_one(30, 64, 4));
    test_wraps<std::uint32_t>(set, {2, 3, 5, (1u << 31) - 1});
    for (const unsigned bits : {61, 58, 57, 56, 50, 30}) {
      test_wraps<std::uint64_t>(set, primes_congruent_to_one(bits, 64, 1));
      test_wraps<std::uint64_t>(set, primes_congruent_to_one(bits, 64, 5));
    }
    test_wraps<std::uint64_t>(set, {2, 3, 1ULL << 40 | 1, (1ULL << 61) - 1});
    test_wraps<std::uint64_t>(set, {2, 3, 1ULL << 40 | 1, (1ULL << 50) - 27});
  }
}

/// Whatever the caller does with doubles, results are the same and so is its own arithmetic afterwards: rounded up,
/// down, to zero, and with inexact results trapped.
TEST(the_callers_arithmetic_does_not_matter) {
  for (const int rounding : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
    CHECK_EQ(std::fesetround(rounding), 0);
    test_transforms<std::uint64_t>(256);
    pointwise_everywhere<std::uint64_t>();
    sums_everywhere<std::uint64_t>();
    CHECK_EQ(std::fegetround(), rounding);
  }
  std::fesetround(FE_TONEAREST);
#if defined(__x86_64__)
  const unsigned before = _mm_getcsr();
  const std::uint64_t q = transform_primes<std::uint64_t>(64)[4];
  const TransformTables<std::uint64_t> tables(64, q);
  for (const InstructionSet set : vector_sets()) {
    Words<std::uint64_t> a = residues<std::uint64_t>(64, q, patterns[0], 1);
    const Words<std::uint64_t> same = a;
    _mm_setcsr(before & ~0x1000U);  // traps
    cpu::kernels<std::uint64_t>(set).forward_transform(a.data(), tables);
    cpu::kernels<std::uint64_t>(set).inverse_transform(a.data(), tables, cpu::InverseEnding<std::uint64_t>(tables));
    CHECK_EQ(_mm_getcsr() & 0x1000U, 0U);
    _mm_setcsr(before);
    check_all(label(set, 64, "with traps", q, patterns[0]), a, [&](std::size_t c) { return same[c]; });
  }
#endif
}

/// Products next to every multiple of q/2, where a quotient is hardest to round, for the widest moduli of doubles.
TEST(products_next_to_half_a_modulus_equal_integers) {
  for (const unsigned bits : {50U, 49U, 20U}) {
    const std::uint64_t q = primes_congruent_to_one(bits, 64, 1)[0];
    const Modulus<std::uint64_t> modulus(q);
    Words<std::uint64_t> a, b;
    for (std::uint64_t x = 1; x < q && a.size() < 4096; x = 3 * x + 1) {
      const std::uint64_t inverse = inverse_or_zero(x, q);
      for (const std::uint64_t product : {q / 2, q / 2 + 1, q - 1, std::uint64_t{1}, q / 2 - 1}) {
        a.push_back(x);
        b.push_back(modulus.multiply(inverse, product));
      }
    }
    for (const InstructionSet set : vector_sets()) {
      Words<std::uint64_t> out(a.size());
      cpu::kernels<std::uint64_t>(set).multiply(out.data(), a.data(), b.data(), a.size(), modulus);
      check_all(label(set, 64, "halves", q, patterns[0]), out,
                [&](std::size_t c) { return modulus.multiply(a[c], b[c]); });
    }
  }
}

TEST(transforms_equal_the_scalar_path_32) {
  for (std::size_t n = 2; n <= Ring::max_degree; n *= 2) test_transforms<std::uint32_t>(n);
}
TEST(transforms_equal_the_scalar_path_64) {
  for (std::size_t n = 2; n <= Ring::max_degree; n *= 2) test_transforms<std::uint64_t>(n);
}

}  // namespace

int main() { return cyclotome::check::run(); }
