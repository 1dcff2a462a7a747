// SPDX-License-Identifier: Apache-2.0
// What the transforms under study (src/cyclotome/engine/cuda/study) rest on, without a GPU: which kernel runs which
// stage, which values and which root a butterfly takes, and the tables of the discrete Galois transform.
#include <algorithm>
#include <random>

#include "check.hpp"
#include "cyclotome/engine/cuda/study/design.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/primes.hpp"
#include "cyclotome/ring/galois_tables.hpp"
#include "galois_oracle.hpp"

using namespace cyclotome;
using check::gaussian_primes;
using check::schoolbook;
using namespace cyclotome::cuda::study;

namespace {

TEST(plans_run_every_stage_once_and_butterflies_touch_every_value_once) {
  for (const TransformDesign design : transform_designs) {
    for (unsigned log_degree = 1; log_degree <= 17; ++log_degree) {
      for (const std::size_t word_bytes : {4U, 8U}) {
        for (const bool inverse : {false, true}) {
          if (!supports(design, log_degree, word_bytes)) continue;
          const TransformPlan how = plan(design, log_degree, word_bytes, inverse);
          const std::size_t value_bytes = design == TransformDesign::galois ? 2 * word_bytes : word_bytes;
          CHECK_EQ(how.stages, design == TransformDesign::galois ? log_degree - 1 : log_degree);
          CHECK(how.block_stages <= how.stages);
          if (how.storage == Storage::shared) CHECK((value_bytes << how.block_stages) <= 48 * 1024);
          if (how.storage == Storage::shuffle) CHECK(how.block_stages >= shuffle_stages);
        }
      }
    }
  }
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

/// The stages of `tables` by the kernels' index arithmetic, one after another.
template <LimbWord W>
void transform_on_host(std::vector<Gaussian<W>>& x, const GaloisTables<W>& tables, bool inverse) {
  const unsigned stages = bit_length(x.size()) - 1;
  const Modulus<W>& p = tables.modulus;
  for (unsigned k = 0; k < stages; ++k) {
    const unsigned s = inverse ? k : stages - 1 - k;
    for (std::uint32_t i = 0; i < x.size() / 2; ++i) {
      const std::uint32_t low = lower_index(i, s), high = low + (1U << s), root = root_index(i, s, stages, stages, 0);
      const Gaussian<W> u = x[low], v = x[high];
      if (inverse) {
        const auto sum = add(u, v, p), difference = multiply(subtract(u, v, p), tables.inverse_roots[root], p);
        x[low] = {halve(sum.re, p.value()), halve(sum.im, p.value())};
        x[high] = {halve(difference.re, p.value()), halve(difference.im, p.value())};
      } else {
        const auto t = multiply(v, tables.roots[root], p);
        x[low] = add(u, t, p);
        x[high] = subtract(u, t, p);
      }
    }
  }
}

template <LimbWord W>
void check_tables(std::size_t n, W p) {
  const GaloisTables<W> tables(n, p);
  std::mt19937_64 random(n + p);
  const auto draw = [&] {
    std::vector<std::uint64_t> a(n);
    for (auto& value : a) value = random() % p;
    return a;
  };
  const auto fold = [&](const std::vector<std::uint64_t>& a) {
    std::vector<Gaussian<W>> x(n / 2);
    for (std::size_t j = 0; j < n / 2; ++j) x[j] = {static_cast<W>(a[j]), static_cast<W>(a[j + n / 2])};
    return x;
  };
  const auto a = draw(), b = draw();
  auto x = fold(a), y = fold(b);
  const auto folded = x;
  transform_on_host(x, tables, false);
  // The value at h^(4 br(k) + 1), by Horner's rule.
  for (const std::size_t k : {std::size_t{0}, n / 2 - 1, n / 4, n / 8 + 1}) {
    Gaussian<W> point{1, 0}, value{0, 0};
    for (std::size_t e = 0; e < 4 * reverse_bits(k, bit_length(n) - 2) + 1; ++e) {
      point = multiply(point, tables.root, tables.modulus);
    }
    for (std::size_t j = n / 2; j-- > 0;)
      value = add(multiply(value, point, tables.modulus), folded[j], tables.modulus);
    CHECK(x[k] == value);
  }
  transform_on_host(y, tables, false);
  for (std::size_t k = 0; k < n / 2; ++k) x[k] = multiply(x[k], y[k], tables.modulus);
  transform_on_host(x, tables, true);
  const auto expected = fold(schoolbook(a.data(), b.data(), n, p));
  CHECK(x == expected);
}

TEST(galois_tables_multiply_as_the_schoolbook_does) {
  for (const std::size_t n : {16U, 64U, 256U}) {
    check_tables<std::uint32_t>(n, static_cast<std::uint32_t>(primes_congruent_to_one(30, 2 * n, 1)[0]));
    check_tables<std::uint64_t>(n, primes_congruent_to_one(61, 2 * n, 1)[0]);
    check_tables<std::uint32_t>(n, static_cast<std::uint32_t>(gaussian_primes(31, n, 1)[0]));
    check_tables<std::uint64_t>(n, gaussian_primes(61, n, 1)[0]);
  }
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
