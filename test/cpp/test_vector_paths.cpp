// SPDX-License-Identifier: Apache-2.0
// Every instruction set of this machine computes the same bits as plain integers (sums and products) or as the scalar
// loops (transforms, and whole verbs of the engine), on random and on extreme residues.
#include <algorithm>
#include <random>
#include <string>

#include "check.hpp"
#include "cyclotome/engine/cpu/cpu_engine.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/primes.hpp"
#include "cyclotome/ring/behz.hpp"
#include "cyclotome/ring/divide_and_round.hpp"
#include "cyclotome/ring/poly.hpp"

namespace {

using namespace cyclotome;
using cpu::InstructionSet;

std::vector<InstructionSet> vector_sets() {
  std::vector<InstructionSet> sets = cpu::instruction_sets();
  sets.erase(sets.begin());
  return sets;
}

template <LimbWord W>
using Words = std::vector<W>;

/// `count` residues below q: random, or one of the extremes where lazy arithmetic could overflow.
enum class Pattern { random, zeros, largest, alternating, ones };
constexpr Pattern patterns[] = {Pattern::random, Pattern::zeros, Pattern::largest, Pattern::alternating, Pattern::ones};

template <LimbWord W>
Words<W> residues(std::size_t count, std::uint64_t q, Pattern pattern, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Words<W> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    switch (pattern) {
      case Pattern::random:
        values[i] = static_cast<W>(random() % q);
        break;
      case Pattern::zeros:
        break;
      case Pattern::largest:
        values[i] = static_cast<W>(q - 1);
        break;
      case Pattern::alternating:
        values[i] = static_cast<W>(random() % 2 == 0 ? 0 : q - 1);
        break;
      case Pattern::ones:
        values[i] = static_cast<W>(1 % q);
        break;
    }
  }
  return values;
}

/// Moduli of every class of a word: tiny, composite, powers of two, and the neighbours of each path's limits.
template <LimbWord W>
std::vector<std::uint64_t> moduli() {
  if constexpr (sizeof(W) == 4) {
    return {2, 3, 65536, 65537, (1u << 30) - 1, 1u << 30, (1u << 31) - 2, (1u << 31) - 1};
  } else {
    return {2,
            3,
            65537,
            1ULL << 32,
            (1ULL << 49) + 1,
            1ULL << 49,
            (1ULL << 50) - 1,
            1ULL << 50,
            (1ULL << 50) + 1,
            (1ULL << 60) - 1,
            1ULL << 60,
            (1ULL << 61) - 2,
            (1ULL << 61) - 1};
  }
}

/// Primes with a transform of length n: the largest of each size class and the smallest there is.
template <LimbWord W>
std::vector<std::uint64_t> transform_primes(std::size_t n) {
  std::vector<std::uint64_t> primes;
  const auto widths = sizeof(W) == 4 ? std::vector<unsigned>{30, 24} : std::vector<unsigned>{61, 60, 51, 50, 49, 30};
  for (const unsigned bits : widths) primes.push_back(primes_congruent_to_one(bits, 2 * n, 1)[0]);
  std::uint64_t smallest = 2 * n + 1;
  while (!is_prime(smallest)) smallest += 2 * n;
  primes.push_back(smallest);
  return primes;
}

template <LimbWord W>
std::uint64_t reduced(u128 value, std::uint64_t q) {
  return static_cast<std::uint64_t>(value % q);
}

/// `got` against expected(c), reporting the first difference only.
template <LimbWord W, class Expected>
void check_all(const std::string& what, const Words<W>& got, const Expected& expected) {
  for (std::size_t c = 0; c < got.size(); ++c) {
    if (const std::uint64_t value = expected(c); got[c] != value) {
      check::record(false, __FILE__, __LINE__,
                    message(what, ": coefficient ", c, " of ", got.size(), " is ", got[c], ", not ", value));
      return;
    }
  }
  check::record(true, __FILE__, __LINE__, "");
}

std::string label(InstructionSet set, unsigned bits, const char* verb, std::uint64_t q, Pattern pattern) {
  return message(cpu::name_of(set), ", ", bits, "-bit words, ", verb, ", q = ", q, ", pattern ",
                 static_cast<int>(pattern));
}

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
  const auto widths = sizeof(W) == 4 ? std::vector<unsigned>{8, 30, 31} : std::vector<unsigned>{8, 50, 51, 61};
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

template <LimbWord W>
void test_transforms(std::size_t n) {
  for (const std::uint64_t q : transform_primes<W>(n)) {
    const TransformTables<W> tables(n, static_cast<W>(q));
    for (const Pattern pattern : patterns) {
      const Words<W> a = residues<W>(n, q, pattern, n + q);
      Words<W> forward = a, inverse = a;
      cpu::kernels<W>(InstructionSet::scalar).forward_transform(forward.data(), tables);
      cpu::kernels<W>(InstructionSet::scalar).inverse_transform(inverse.data(), tables);
      for (const InstructionSet set : vector_sets()) {
        const auto name = [&](const char* verb) {
          return label(set, word_bits<W>, message(verb, " transform of length ", n).c_str(), q, pattern);
        };
        Words<W> got = a;
        cpu::kernels<W>(set).forward_transform(got.data(), tables);
        check_all(name("forward"), got, [&](std::size_t c) { return forward[c]; });
        cpu::kernels<W>(set).inverse_transform(got.data(), tables);
        check_all(name("forward and inverse"), got, [&](std::size_t c) { return a[c]; });
        cpu::kernels<W>(set).inverse_transform((got = a).data(), tables);
        check_all(name("inverse"), got, [&](std::size_t c) { return inverse[c]; });
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
    cpu::kernels<W>(set).count_wraps(wraps.data(), count, {y.data(), count}, conversion);
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

/// 64-bit word `word` of a block of the stream, straight from RFC 8439's block function.
std::uint64_t stream_word(const cpu::StreamAddress& address, std::uint32_t block, std::size_t word) {
  std::uint32_t key[8], out[16];
  std::copy(address.key.begin(), address.key.end(), key);
  const std::uint32_t nonce[3] = {address.nonce[0], address.nonce[1], address.nonce[2]};
  chacha20_block(key, block, nonce, out);
  return out[2 * word] | static_cast<std::uint64_t>(out[2 * word + 1]) << 32;
}

template <LimbWord W>
void test_samplers(InstructionSet set, std::size_t first, std::size_t count) {
  const cpu::Kernels<W>& kernels = cpu::kernels<W>(set);
  const cpu::StreamAddress address{{1, 0xffffffff, 3, 4, 5, 6, 7, 0x80000000}, {9, 10, 0xffffffff}};
  for (const std::uint64_t q : moduli<W>()) {
    Words<W> out(count);
    kernels.sample_uniform(out.data(), first, count, static_cast<W>(q), address);
    check_all(label(set, word_bits<W>, "sample_uniform", q, Pattern::random), out, [&](std::size_t c) {
      const auto block = static_cast<std::uint32_t>((first + c) / 4);
      const std::size_t word = 2 * ((first + c) % 4);
      return uniform_residue(stream_word(address, block, word), stream_word(address, block, word + 1), q);
    });
  }
  for (const Law law : {Law::ternary, Law::error}) {
    std::vector<int> small(count);
    kernels.sample_small(small.data(), first, count, law, address);
    const std::uint64_t q = 65537;
    Words<W> out(count);
    kernels.reduce_small(out.data(), small.data(), count, static_cast<W>(q));
    check_all(label(set, word_bits<W>, "sample_small", q, Pattern::random), out, [&](std::size_t c) {
      const auto random = stream_word(address, static_cast<std::uint32_t>((first + c) / 8), (first + c) % 8);
      const int value = law == Law::ternary ? ternary_value(random) : error_value(random);
      return static_cast<std::uint64_t>(value < 0 ? static_cast<std::int64_t>(q) + value : value);
    });
  }
}

/// What one engine makes of fixed inputs, verb by verb.
std::vector<std::vector<std::uint64_t>> all_verbs(const EnginePtr& engine, Word word, unsigned bits, std::size_t n) {
  const std::uint64_t plain = 65537, gamma = word == Word::u32 ? (1ULL << 30) - 35 : (1ULL << 60) - 93;
  const Basis basis(word, primes_congruent_to_one(bits, 2 * n, 5));
  const RingPtr ring = Ring::negacyclic(n, basis), q = ring->slice(0, 3), p = ring->slice(3, 2);
  const RingPtr auxiliary =
      Ring::negacyclic(n, behz_auxiliary_basis(q->basis(), n, plain, behz_m_tilde(word), basis.values()));
  const RingPtr plain_ring = Ring::negacyclic(n, Basis(word, {plain}));
  const Seed seed;
  std::vector<std::vector<std::uint64_t>> results;
  const auto keep = [&](const PolyArray& a) { results.push_back(a.to_host()); };
  const auto draw = [&](const RingPtr& r, std::size_t batch, std::size_t parts, Domain domain) {
    PolyArray a(engine, r, batch, parts, domain);
    engine->sample(a.view(), Law::uniform, seed, Stream::flooding);
    return a;
  };
  const auto made = [&](const RingPtr& r, const PolyArray& like, Domain domain) {
    return PolyArray(engine, r, like.batch(), like.parts(), domain);
  };

  PolyArray a = draw(q, 2, 2, Domain::coefficient), b = a.clone();
  engine->sample(b.view(), Law::error, seed, Stream::secret, 5);
  keep(b);
  engine->sample(b.view(), Law::ternary, seed, Stream::secret, 5);
  keep(b);
  a.to_transform();
  b.to_transform();
  keep(a);
  PolyArray out = a.clone();
  engine->add(out.view(), a.view(), b.view());
  keep(out);
  engine->subtract(out.view(), a.view(), b.view());
  keep(out);
  engine->negate(out.view(), a.view());
  keep(out);
  engine->multiply(out.view(), a.view(), b.view());
  keep(out);
  engine->multiply_accumulate(out.view(), a.view(), b.view());
  keep(out);
  engine->multiply_scalars(out.view(), a.view(), {{1, 2, basis[2] - 1}});
  keep(out);
  engine->automorphism(out.view(), a.view(), 3);
  keep(out);
  PolyArray product(engine, q, 2, 3, Domain::transform);
  engine->tensor_product(product.view(), a.view(), b.view());
  keep(product);
  const PolyArray key = draw(q, 2, 2, Domain::transform);
  engine->key_switch_product(out.view(), a.view(), key.view());
  keep(out);
  PolyArray rows(engine, q, 3, 2, Domain::transform);
  engine->linear_combination(rows.view(), a.view(), {{1, -2, 3, 0, -5, 1000000007}});
  keep(rows);
  keep(a.to_coefficient());
  out.set_domain(Domain::coefficient);
  engine->automorphism(out.view(), b.to_coefficient().view(), 2 * n - 1);
  keep(out);

  const BehzLift lift(q, auxiliary, behz_m_tilde(word));
  PolyArray lifted = made(auxiliary, a, Domain::coefficient);
  engine->behz_lift(lifted.view(), a.view(), lift);
  keep(lifted);
  const BehzScale scale(q, auxiliary, plain);
  const PolyArray joined = draw(scale.joined, 2, 2, Domain::coefficient);
  PolyArray scaled = made(q, a, Domain::coefficient);
  engine->behz_scale(scaled.view(), joined.view(), scale);
  keep(scaled);
  const PlainScale to_plain(q, plain_ring, gamma);
  PolyArray message = made(plain_ring, a, Domain::coefficient);
  engine->scale_to_plain(message.view(), a.view(), to_plain);
  keep(message);
  const DivideAndRound divide(q, p);
  const PolyArray wide = draw(ring, 2, 2, Domain::coefficient);
  engine->divide_and_round(scaled.view(), wide.view().limbs_at(0, *q), wide.view().limbs_at(3, *p), divide);
  keep(scaled);
  PolyArray converted = made(auxiliary, a, Domain::coefficient);
  engine->convert(converted.view(), a.view(), BaseConversion(q->basis(), auxiliary->basis(), Lift::centred));
  keep(converted);
  return results;
}

TEST(scalar_path_is_always_there_and_sets_ascend) {
  const auto sets = cpu::instruction_sets();
  CHECK(!sets.empty() && sets.front() == InstructionSet::scalar);
  CHECK(std::is_sorted(sets.begin(), sets.end()));
  CHECK(CpuEngine::create(1)->instruction_set() == sets.back());
  for (const InstructionSet set : sets) CHECK(CpuEngine::create(1, set)->instruction_set() == set);
}

TEST(a_set_that_the_machine_lacks_is_refused) {
  const auto sets = cpu::instruction_sets();
  for (const InstructionSet set : {InstructionSet::avx2, InstructionSet::avx512, InstructionSet::avx512_ifma}) {
    if (std::find(sets.begin(), sets.end(), set) == sets.end()) {
      std::cout << "SKIPPED: this machine has no " << cpu::name_of(set) << "; that path was not tested\n";
      CHECK_THROWS_WITH(EngineError, CpuEngine::create(1, set), "this machine has no");
    }
  }
  CHECK(!sets.empty());
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
  }
}

TEST(samplers_equal_the_block_function) {
  for (const InstructionSet set : cpu::instruction_sets()) {
    for (const std::size_t count : {2, 8, 24, 64, 128, 136, 1024}) {
      for (const std::size_t first : {0, 128}) {
        test_samplers<std::uint32_t>(set, first, count);
        test_samplers<std::uint64_t>(set, first, count);
      }
    }
  }
}

TEST(transforms_equal_the_scalar_path_32) {
  for (std::size_t n = 2; n <= Ring::max_degree; n *= 2) test_transforms<std::uint32_t>(n);
}
TEST(transforms_equal_the_scalar_path_64) {
  for (std::size_t n = 2; n <= Ring::max_degree; n *= 2) test_transforms<std::uint64_t>(n);
}

TEST(every_verb_of_the_engine_equals_the_scalar_engine) {
  const struct {
    Word word;
    unsigned bits;
  } bases[] = {{Word::u32, 30}, {Word::u64, 36}, {Word::u64, 50}, {Word::u64, 60}};
  for (const auto& [word, bits] : bases) {
    for (const std::size_t n : {16, 2048}) {
      const auto expected = all_verbs(CpuEngine::create(1, InstructionSet::scalar), word, bits, n);
      for (const InstructionSet set : vector_sets()) {
        const auto got = all_verbs(CpuEngine::create(2, set), word, bits, n);
        CHECK_EQ(got.size(), expected.size());
        for (std::size_t i = 0; i < std::min(got.size(), expected.size()); ++i) {
          check::record(got[i] == expected[i], __FILE__, __LINE__,
                        message(cpu::name_of(set), ": result ", i, " differs from the scalar engine's (", bits,
                                "-bit primes, degree ", n, ")"));
        }
      }
    }
  }
}

}  // namespace

int main() { return cyclotome::check::run(); }
