// SPDX-License-Identifier: Apache-2.0
// The transforms under study (src/cyclotome/study/transform): which step runs which stage, which values and which root
// a butterfly takes, the tables of the discrete Galois transform; and every design on the host, against schoolbook
// products, values by Horner's rule and the library's own transform.
#include <algorithm>
#include <cstdio>
#include <optional>
#include <random>
#include <string>

#include "check.hpp"
#include "cyclotome/engine/cpu/cpu.hpp"
#include "cyclotome/engine/poly.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/primes.hpp"
#include "cyclotome/ring/tables/galois_tables.hpp"
#include "cyclotome/study/transform/host_transform.hpp"
#include "cyclotome/study/transform/polynomial_transform.hpp"
#include "cyclotome/study/transform/tables.hpp"
#include "cyclotome/study/transform/transform_engine.hpp"
#include "galois_oracle.hpp"
#include "seed.hpp"

using namespace cyclotome;
using check::gaussian_primes;
using check::schoolbook;
using namespace cyclotome::study;

namespace {

bool has_stage(const TransformStep& step, unsigned s) { return s >= step.first && s < step.first + step.count; }

TEST(plans_run_every_stage_once) {
  for (const auto& [design, name, label, source] : transform_designs) {
    CHECK(design_of(name) == design);
    CHECK(design_of(label) == design);
    CHECK(facts_of(design).name == name);
    for (unsigned log_degree = 1; log_degree <= 17; ++log_degree) {
      for (const std::size_t word_bytes : {4U, 8U}) {
        for (const bool inverse : {false, true}) {
          if (!supports(design, log_degree, word_bytes)) {
            CHECK_THROWS(ArgumentError, require_supported(design, std::size_t{1} << log_degree, word_bytes));
            continue;
          }
          const std::size_t value_bytes = is_gaussian(design) ? 2 * word_bytes : word_bytes;
          const unsigned stages = is_gaussian(design) ? log_degree - 1 : log_degree;
          const auto steps = plan(design, log_degree, word_bytes, inverse);
          CHECK_EQ(describe(design, log_degree, word_bytes, inverse).size(), steps.size());
          for (unsigned s = 0; s < stages; ++s) {
            CHECK_EQ(std::ranges::count_if(steps, [&](const auto& step) { return has_stage(step, s); }), 1);
          }
          for (std::size_t i = 0; i < steps.size(); ++i) {
            const TransformStep& step = steps[i];
            const bool group = step.kind == TransformStep::Kind::group;
            // In place from the widest stage down, backwards up; Stockham's up both ways.
            if (i != 0) CHECK((step.first > steps[i - 1].first) == (inverse || group));
            if (step.kind == TransformStep::Kind::stages) CHECK(step.count >= 1 && step.count <= max_log_radix);
            if (step.storage == Storage::shared) CHECK((value_bytes << step.count) <= 48 * 1024);
            if (step.storage == Storage::shuffle) CHECK(step.count >= shuffle_stages);
            if (group) CHECK(is_self_sorting(design) && steps.size() <= 2);
          }
        }
      }
    }
  }
  CHECK_EQ(plan(TransformDesign::multi_kernel, 14, 4, false).size(), std::size_t{14});
  CHECK_EQ(plan(TransformDesign::radix_16, 14, 4, true).size(), std::size_t{4});
  CHECK_EQ(plan(TransformDesign::galois_stockham, 12, 8, false).size(), std::size_t{1});  // one kernel up to 4096
  CHECK_EQ(plan(TransformDesign::galois_stockham, 16, 4, false).size(), std::size_t{2});
  CHECK_EQ(plan(TransformDesign::four_step, 4, 8, false).size(), std::size_t{2});
}

TEST(designs_without_a_name_are_refused) {
  for (const char* const name : {"", "d6", "D5 ", "ntt", "DGT-stockham"}) CHECK_THROWS(ArgumentError, design_of(name));
  try {
    design_of("d6");
    CHECK(false);
  } catch (const ArgumentError& error) {
    CHECK(std::string(error.what()).find("d1, d2, d3, d4, d5, dgt, radix-4") != std::string::npos);
  }
}

TEST(butterflies_touch_every_value_once) {
  for (const unsigned stages : {1U, 5U, 11U}) {
    for (unsigned s = 0; s < stages; ++s) {
      std::vector<int> touched(std::size_t{1} << stages, 0);
      for (std::uint32_t i = 0; i < 1U << (stages - 1); ++i) {
        ++touched[lower_index(i, s)];
        ++touched[lower_index(i, s) + (1U << s)];
        // A block's butterfly takes the root that the same butterfly takes in the whole polynomial.
        const std::uint32_t whole = root_index(i, s, stages, stages, 0);
        for (unsigned block_stages = s + 1; block_stages <= stages; ++block_stages) {
          const std::uint32_t mask = (1U << (block_stages - 1)) - 1;
          CHECK_EQ(root_index(i & mask, s, stages, block_stages, i >> (block_stages - 1)), whole);
        }
      }
      CHECK(std::ranges::all_of(touched, [](int times) { return times == 1; }));
    }
  }
}

/// Random residues, or all of them p - 1.
std::vector<std::uint64_t> draw(std::size_t count, std::uint64_t p, bool worst, std::uint64_t seed_value) {
  std::mt19937_64 random(seed_value);
  std::vector<std::uint64_t> a(count);
  for (auto& value : a) value = worst ? p - 1 : random() % p;
  return a;
}

EnginePtr on_cpu(TransformDesign design) { return make_transform_engine(design, make_cpu_engine(2)); }

void check_products(TransformDesign design, std::size_t n, std::uint64_t p, std::optional<Word> word = std::nullopt) {
  const PolynomialTransform transform(on_cpu(design), n, p, word);
  for (const bool worst : {false, true}) {
    const auto a = draw(n, p, worst, n + p), b = draw(n, p, worst, n + p + 1);
    const auto product = transform.multiply(a, b);
    const bool right = product == schoolbook(a.data(), b.data(), n, p);
    if (!right) std::printf("  %s, n = %zu, p = %llu\n", facts_of(design).label.data(), n, (unsigned long long)p);
    CHECK(right);
    CHECK(transform.inverse(transform.forward(a)) == a);
  }
}

TEST(every_design_multiplies_as_the_schoolbook_does) {
  for (const auto& facts : transform_designs) {
    for (const std::size_t n : {2U, 4U, 8U, 64U, 128U, 512U}) {
      if (!supports(facts.design, bit_length(n) - 1, 8)) {
        CHECK_THROWS(ArgumentError, PolynomialTransform(on_cpu(facts.design), n, 12289, Word::u64));
        continue;
      }
      check_products(facts.design, n, primes_congruent_to_one(30, 2 * n, 1)[0]);  // the largest in 32-bit words
      check_products(facts.design, n, primes_congruent_to_one(61, 2 * n, 1)[0]);  // and in 64-bit words
      check_products(facts.design, n, 12289, Word::u64);
      check_products(facts.design, n, smallest_primes_congruent_to_one(2 * n, 1)[0]);
      if (!is_gaussian(facts.design)) continue;
      check_products(facts.design, n, gaussian_primes(31, n, 1)[0], Word::u32);
      check_products(facts.design, n, gaussian_primes(61, n, 1)[0]);
    }
  }
}

/// The values at the exponents that the transform names, by Horner's rule.
template <LimbWord W>
void check_values(TransformDesign design, std::size_t n, std::uint64_t p) {
  const PolynomialTransform transform(on_cpu(design), n, p, static_cast<Word>(sizeof(W)));
  const Modulus<W> q(static_cast<W>(p));
  const auto a = draw(n, p, false, p), values = transform.forward(a), root = transform.root(),
             exponents = transform.exponents();
  const std::size_t count = exponents.size();
  CHECK_EQ(count, transform.gaussian() ? n / 2 : n);
  const Gaussian<W> base{static_cast<W>(root[0]), static_cast<W>(transform.gaussian() ? root[1] : 0)};
  for (std::size_t k = 0; k < count; ++k) {
    Gaussian<W> point{1, 0}, value{0, 0};
    for (std::size_t e = 0; e < exponents[k]; ++e) point = multiply(point, base, q);
    for (std::size_t j = count; j-- > 0;) {
      value = multiply(value, point, q);
      value = add(value, {static_cast<W>(a[j]), static_cast<W>(transform.gaussian() ? a[j + n / 2] : 0)}, q);
    }
    CHECK_EQ(std::uint64_t{value.re}, values[k]);
    if (transform.gaussian()) CHECK_EQ(std::uint64_t{value.im}, values[k + n / 2]);
  }
}

TEST(values_are_at_the_points_that_are_named) {
  for (const auto& facts : transform_designs) {
    check_values<std::uint32_t>(facts.design, 64, primes_congruent_to_one(30, 128, 1)[0]);
    check_values<std::uint64_t>(facts.design, 64, primes_congruent_to_one(61, 128, 1)[0]);
    if (is_gaussian(facts.design)) check_values<std::uint64_t>(facts.design, 64, gaussian_primes(61, 64, 1)[0]);
  }
}

TEST(every_design_has_the_bits_of_the_library) {
  const EnginePtr cpu = make_cpu_engine(2);
  for (const auto& facts : transform_designs) {
    const EnginePtr engine = on_cpu(facts.design);
    CHECK_EQ(engine->name(), message("cpu/", facts.name));
    for (unsigned log_degree = 1; log_degree <= 17; log_degree += log_degree < 14 ? 1 : 3) {
      for (const Word word : {Word::u32, Word::u64}) {
        const std::size_t n = std::size_t{1} << log_degree, limbs = log_degree < 13 ? 2 : 1;
        const RingPtr ring =
            Ring::negacyclic(n, Basis(word, primes_congruent_to_one(word == Word::u32 ? 30 : 61, 2 * n, limbs)));
        PolyArray a(engine, ring, limbs, 2);
        if (!supports(facts.design, log_degree, bytes_of(word))) {
          engine->clear(a.view());
          CHECK_THROWS(ArgumentError, a.to_transform());
          continue;
        }
        std::uint8_t number = 7;
        engine->sample(a.view(), Law::uniform, check::seed(number), Stream::public_uniform);
        const auto before = a.to_host();
        PolyArray expected = a.to(cpu);
        expected.to_transform();
        a.to_transform();
        const bool forward = a.to_host() == expected.to_host();
        a.to_coefficient();
        const bool inverse = a.to_host() == before;
        if (!forward || !inverse) {
          std::printf("  %s, n = 2^%u: forward %d, inverse %d\n", facts.label.data(), log_degree, forward, inverse);
        }
        CHECK(forward);
        CHECK(inverse);
      }
    }
  }
}

/// Whether a transform there and back is still right when entry `index` of a table is another number.
template <class Field>
bool survives_fault(TransformDesign design, const Ring& ring, std::size_t table, std::size_t index) {
  using W = typename Field::Word;
  std::vector<std::vector<typename Field::Value>> vectors;
  Field field = make_field<Field>(ring, 0, is_self_sorting(design), [&](const auto& values) {
    vectors.push_back(values);
    return static_cast<const typename Field::Value*>(vectors.back().data());
  });
  if (index >= vectors[table].size()) return false;
  std::vector<W> x(ring.degree());
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<W>(i * i + 1);
  auto right = x;
  const bool inverse = table % 2 == 1;  // as LimbTables has them
  const auto run = [&](std::vector<W>& values) {
    inverse ? transform_on_host<true>(values.data(), ring.degree(), field, design, false)
            : transform_on_host<false>(values.data(), ring.degree(), field, design, false);
  };
  run(right);
  auto* const fault = reinterpret_cast<W*>(&vectors[table][index]);
  *fault = static_cast<W>((*fault + 1) % ring.basis()[0]);
  run(x);
  return x == right;
}

TEST(one_wrong_constant_is_noticed) {
  constexpr std::size_t n = 128;
  const RingPtr ring = Ring::negacyclic(n, Basis(Word::u64, primes_congruent_to_one(61, 2 * n, 1)));
  for (const auto& facts : transform_designs) {
    const std::size_t values = is_gaussian(facts.design) ? n / 2 : n;
    std::size_t used = 0;
    for (std::size_t table = 0; table < (is_self_sorting(facts.design) ? 4U : 2U); ++table) {
      for (std::size_t index = 0; index < values; ++index) {
        const bool survived = is_gaussian(facts.design)
                                  ? survives_fault<GaussianField<std::uint64_t>>(facts.design, *ring, table, index)
                                  : survives_fault<ResidueField<std::uint64_t>>(facts.design, *ring, table, index);
        used += !survived;
        // In place all roots but entry 0, which no stage has; all weights; of powers those that passes ask for.
        if (!is_self_sorting(facts.design)) CHECK_EQ(survived, index == 0);
        if (table >= 2) CHECK(!survived);
      }
    }
    CHECK(used > values);
  }
}

TEST(transforms_refuse_what_they_do_not_take) {
  const EnginePtr d5 = on_cpu(TransformDesign::hybrid), dgt = on_cpu(TransformDesign::galois_stockham);
  for (const std::uint64_t p : {15U, 13U, 31U}) CHECK_THROWS(ParameterError, PolynomialTransform(d5, 8, p));
  CHECK_THROWS(ParameterError, PolynomialTransform(d5, 12, 12289));
  CHECK_THROWS(ParameterError, PolynomialTransform(d5, 1, 12289));
  CHECK_THROWS(ParameterError, PolynomialTransform(d5, std::size_t{1} << 18, 12289));
  CHECK_THROWS(ParameterError, PolynomialTransform(d5, 8, 2305843009213693967U));  // above 2^61
  for (const std::uint64_t p : {13U, 29U, 37U}) CHECK_THROWS(ParameterError, PolynomialTransform(dgt, 8, p));
  CHECK_THROWS(ParameterError, PolynomialTransform(dgt, 64, 31));
  CHECK_EQ(PolynomialTransform(dgt, 32, 31).root().size(), std::size_t{2});
  const PolynomialTransform small(d5, 8, 17);
  const std::vector<std::uint64_t> seven(7, 1), eight(8, 1), sixteen(16, 1), wide(8, 17);
  CHECK_THROWS(ArgumentError, small.forward(seven));
  CHECK_THROWS(ArgumentError, small.inverse({}));
  CHECK_THROWS(ArgumentError, small.multiply(eight, sixteen));
  CHECK_THROWS(ArgumentError, small.multiply_values(eight, sixteen));
  CHECK_THROWS(RangeError, small.forward(wide));
  CHECK_EQ(small.forward(sixteen).size(), std::size_t{16});
}

TEST(galois_tables_refuse_primes_without_a_root) {
  for (const std::uint32_t p : {13U, 17U, 29U, 37U, 41U}) {  // 1 mod 4, not 1 mod 2n (erratum 000-1)
    CHECK_THROWS(ParameterError, GaloisTables<std::uint32_t>(p == 17 ? 16 : 8, p));
  }
  CHECK_THROWS(ParameterError, GaloisTables<std::uint32_t>(64, 31));  // 3 mod 4, 64 does not divide 32
  CHECK_EQ(GaloisTables<std::uint32_t>(32, 31).degree, std::size_t{32});
  CHECK_THROWS(ParameterError, GaloisTables<std::uint32_t>(8, 15));
  CHECK_THROWS(ParameterError, GaloisTables<std::uint32_t>(24, 97));
  CHECK_THROWS(ParameterError, GaloisTables<std::uint32_t>(2, 17));
}

}  // namespace

int main() { return check::run(); }
