// SPDX-License-Identifier: Apache-2.0
// The check of keys: no number on its way is subnormal, it keeps to its limits to the last bit, looks at every item of
// a batch, and each key is the first draw of its seed that passes.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <random>

#include "check.hpp"
#include "cyclotome/engine/cpu/cpu_engine.hpp"
#include "cyclotome/engine/poly.hpp"
#include "cyclotome/math/primes.hpp"
#include "cyclotome/ring/tables/limb_values.hpp"
#include "cyclotome/rlwe/keys/deterministic.hpp"
#include "cyclotome/rlwe/keys/key_material.hpp"
#include "cyclotome/rlwe/noise/key_check.hpp"
#include "cyclotome/rlwe/noise/norm_constants.hpp"
#include "cyclotome/scheme/bgv/scheme.hpp"
#include "cyclotome/scheme/planning.hpp"
#include "cyclotome/scheme/scheme.hpp"
#include "seed.hpp"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

using namespace cyclotome;

namespace {

/// From a seed that is printed; CYCLOTOME_TEST_SEED repeats it.
std::mt19937_64 random_numbers() {
  const char* const given = std::getenv("CYCLOTOME_TEST_SEED");
  const std::uint64_t seed = given == nullptr ? std::random_device()() : std::strtoull(given, nullptr, 10);
  std::cout << "CYCLOTOME_TEST_SEED=" << seed << '\n';
  return std::mt19937_64(seed);
}

/// The last digit of x counts 2^-digit_of(x); 0 for x = 0.
int digit_of(double x) {
  if (x == 0) return 0;
  int exponent = 0, digits = 0;
  const double mantissa = std::frexp(x, &exponent);
  for (double rest = std::abs(mantissa); rest != 0; rest -= std::floor(rest)) rest *= 2, ++digits;
  return std::max(digits - exponent, 0);
}

int digit_of(const ComplexNumber& x) { return std::max(digit_of(x.real), digit_of(x.imaginary)); }

/// What canonical_embedding.cpp says: sums of last digits over all stages stay above the least normal number's.
TEST(values_in_powers_of_two_are_multiples_of_no_subnormal_number) {
  for (std::size_t n = 4; n <= RingShape::max_degree; n *= 2) {
    const auto& roots = rlwe::norm_constants(*RingShape::negacyclic(n)).half_turn;
    int first = 0, all = 0;
    for (std::size_t j = 0; j < n / 2; ++j) first = std::max(first, digit_of(roots[j]));
    all = first;
    for (std::size_t half = n / 4; half != 0; half /= 2) {
      int most = 0;
      for (std::size_t k = 0; k < half; ++k) most = std::max(most, digit_of(roots[k * (n / half)]));
      all += most;
    }
    CHECK(all > 0);
    CHECK(all <= 901);
  }
}

/// What cyclotomic_embedding.cpp says of its constants.
TEST(constants_over_cyclotomic_rings_end_early) {
  for (const std::uint64_t m : {15, 105, 127, 257, 8191, 21845, 65535, 65537}) {
    for (const auto& each : rlwe::norm_constants(*RingShape::cyclotomic(m)).convolutions) {
      for (const auto& root : each.roots) CHECK(digit_of(root) < 400);
      for (const auto& factor : each.kernel) CHECK(digit_of(factor) < 400);
    }
  }
}

#if defined(__SSE2__)
/// Polynomials whose values cancel, and random ones: the processor sees no subnormal operand or result.
TEST(no_subnormal_number_is_seen) {
  constexpr unsigned subnormal = 0x12;  // of MXCSR: an operand was, or a result
  std::mt19937_64 numbers = random_numbers();
  for (const auto& shape : {RingShape::negacyclic(4), RingShape::negacyclic(64), RingShape::negacyclic(4096),
                            RingShape::cyclotomic(105), RingShape::cyclotomic(127), RingShape::cyclotomic(21845)}) {
    const std::size_t n = shape->degree();
    const auto& embedding = rlwe::CanonicalEmbedding::of(*shape);
    for (int kind = 0; kind < 12; ++kind) {
      std::vector<std::int64_t> a(n, 0);
      for (std::size_t i = 0; i < n; ++i) {
        if (kind == 1) a[i] = 1;
        if (kind == 2) a[i] = i % 2 == 0 ? 1 : -1;
        if (kind == 3) a[i] = i < n / 2 ? 1 : -1;
        if (kind == 4) a[i] = i % 3 == 0 ? 1 : 0;
        if (kind > 4) a[i] = static_cast<std::int64_t>(numbers() % 43) - 21;
      }
      _mm_setcsr(_mm_getcsr() & ~0x3Fu);
      const auto squares = embedding.squares(a, 0x1p16);
      CHECK((_mm_getcsr() & subnormal) == 0);
      CHECK(squares.largest > 0);
    }
  }
}
#endif

RingPtr ring_of(const RingShapePtr& shape, Word word) {
  const unsigned bits = word == Word::u32 ? 30 : 60;
  return Ring::create(shape, Basis(word, primes_congruent_to_one(bits, shape->transform_step(), 2)));
}

bool passes(const EnginePtr& engine, const RingPtr& ring, const std::vector<std::int64_t>& coefficients,
            std::size_t items) {
  const std::size_t n = ring->degree();
  PolyArray a(engine, ring, items, 1, Domain::coefficient, true);
  std::vector<std::uint64_t> residues(a.size());
  for (std::size_t i = 0; i < residues.size(); ++i) {
    // The last item is what is asked about; others are zero.
    const std::int64_t x = i / (n * ring->limbs()) + 1 == items ? coefficients[i % n] : 0;
    residues[i] = small_residue<std::uint64_t>(static_cast<int>(x), ring->basis()[i / n % ring->limbs()]);
  }
  a.from_host(residues);
  return rlwe::secret_is_fit(a);
}

/// 0.7 n coefficients that are not 0 pass and one more does not, wherever they stand; so does one bad item of several.
TEST(a_secret_has_so_many_coefficients) {
  std::mt19937_64 numbers = random_numbers();
  const EnginePtr engine = CpuEngine::create(1);
  for (const Word word : {Word::u32, Word::u64}) {
    const RingPtr ring = ring_of(RingShape::negacyclic(1024), word);
    std::vector<std::int64_t> s(1024);
    const std::size_t most = 716;  // of 1024
    bool some = false;
    for (int i = 0; i < 20; ++i) {
      for (std::size_t k = 0; k < s.size(); ++k) s[k] = k < most ? (numbers() % 2 == 0 ? 1 : -1) : 0;
      std::shuffle(s.begin(), s.end(), numbers);
      const bool fits = passes(engine, ring, s, 1);
      some = some || fits;
      CHECK_EQ(passes(engine, ring, s, 3), fits);
      *std::ranges::find(s, 0) = 1;
      CHECK(!passes(engine, ring, s, 1));
      CHECK(!passes(engine, ring, s, 3));
    }
    CHECK(some);  // what is refused besides has a value too large
    CHECK(!passes(engine, ring, std::vector<std::int64_t>(1024, 1), 2));
  }
}

/// Both keys of a pair, drawn before either check has ended, are those that are drawn one after the other.
void check_pair(const rlwe::ContextPtr& context, std::uint8_t k) {
  const auto other = [k] { return check::seed(static_cast<std::uint8_t>(k + 100)); };
  const auto [secret, public_key] = rlwe::deterministic::generate_key_pair(context, check::seed(k), other());
  const auto alone = rlwe::deterministic::generate_secret_key(context, check::seed(k));
  const auto its = rlwe::deterministic::generate_public_key(alone, other());
  CHECK(secret.coefficients() == alone.coefficients());
  CHECK(secret.id() == alone.id() && public_key.id() == alone.id());
  CHECK(public_key.uniform_seed()->bytes() == its.uniform_seed()->bytes());
  CHECK(public_key.polynomials().to_host() == its.polynomials().to_host());
}

/// Whatever was drawn before it, and over Phi_m too.
TEST(a_key_is_the_first_draw_of_its_seed_that_passes) {
  std::size_t refused = 0;
  for (const auto& shape : {RingShape::negacyclic(1024), RingShape::cyclotomic(1285)}) {
    rlwe::ParametersLiteral literal;
    literal.scheme = &bgv::scheme();
    literal.degree = shape->degree();
    if (shape->kind() == RingKind::cyclotomic) literal.cyclotomic = shape->index();
    literal.plain_moduli = {2};
    literal.allow_insecure = true;
    const auto context = scheme::make_context(scheme::with_modulus_bits(literal, 60), CpuEngine::create(1));
    for (std::uint8_t k = 0; k < 60; ++k) {
      const Seed seed = check::seed(k);
      PolyArray made = rlwe::fit_secret(context, seed);
      made.to_coefficient();
      std::uint32_t item = 0;
      for (;; ++item) {
        PolyArray s = context->make(context->key_ring(), 1, 1, Domain::coefficient, true);
        context->engine()->sample(s.view(), Law::ternary, seed, Stream::secret, item);
        if (!rlwe::secret_is_fit(s)) continue;
        CHECK(made.to_host() == s.to_host());
        break;
      }
      refused += item;
      check_pair(context, k);
    }
  }
  CHECK(refused > 0);
}

}  // namespace

int main() { return check::run(); }
