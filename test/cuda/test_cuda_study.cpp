// SPDX-License-Identifier: Apache-2.0
// The transforms under study: every design equals the CPU's transform bit for bit, the DGT's products equal the CPU's
// or the schoolbook's, and a scheme computes the same on all. Needs a GPU; without one it says so and exits with 77,
// which CTest counts as skipped.
#include <cstdio>

#include "cyclotome/engine/cuda/study/study_engine.hpp"
#include "cyclotome/engine/integers.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/primes.hpp"
#include "cyclotome/ring/conversion/mixed_radix.hpp"
#include "cyclotome/rlwe/noise/phase_norm.hpp"
#include "cyclotome/scheme/bfv/scheme.hpp"
#include "cyclotome/scheme/encoding.hpp"
#include "cyclotome/scheme/planning.hpp"
#include "cyclotome/scheme/scheme.hpp"
#include "cyclotome/study/transform/polynomial_transform.hpp"
#include "cyclotome/study/transform/transform_engine.hpp"
#include "engines.hpp"
#include "galois_oracle.hpp"
#include "seed.hpp"

using namespace cyclotome;
using check::gaussian_primes;
using check::host;
using check::schoolbook;
using check::seed;
using namespace cyclotome::study;

namespace {

/// A prime for which the Barrett product is wrong as paper 001 prints it (erratum 001-1), and the largest ones.
RingPtr make_ring(std::size_t degree, unsigned bits, std::size_t limbs) {
  std::vector<std::uint64_t> primes{bits == 30 ? 1070727169U : 2197910829991723009U};
  if (primes[0] % (2 * degree) != 1) primes.clear();
  for (const auto p : primes_congruent_to_one(bits, 2 * degree, limbs - primes.size(), primes)) primes.push_back(p);
  return Ring::negacyclic(degree, Basis(bits == 30 ? Word::u32 : Word::u64, primes));
}

std::vector<TransformDesign> all_designs() {
  std::vector<TransformDesign> designs;
  for (const DesignFacts& facts : transform_designs) designs.push_back(facts.design);
  return designs;
}

PolyArray random_array(const RingPtr& ring, std::size_t batch, std::size_t parts, std::uint8_t value) {
  PolyArray result(host(), ring, batch, parts);
  host()->sample(result.view(), Law::uniform, seed(value), Stream::public_uniform);
  return result;
}

TEST(every_design_equals_the_cpu) {
  for (const TransformDesign design : all_designs()) {
    const auto engine = StudyEngine::create(design);
    CHECK_EQ(engine->name(), message("cuda:0/", facts_of(design).name));
    for (unsigned log_degree = 10; log_degree <= 17; ++log_degree) {
      for (const unsigned bits : {30U, 61U}) {
        const RingPtr ring = make_ring(std::size_t{1} << log_degree, bits, 3);
        const PolyArray a = random_array(ring, 2, 2, static_cast<std::uint8_t>(log_degree));
        PolyArray expected = a.clone(), gpu = a.to(engine);
        expected.to_transform();
        if (!supports(design, log_degree, bytes_of(ring->word()))) {
          CHECK_THROWS(ArgumentError, gpu.to_transform());
          CHECK(gpu.to_host() == a.to_host());
          continue;
        }
        gpu.to_transform();
        const bool forward = gpu.to_host() == expected.to_host();
        gpu = expected.to(engine);
        gpu.to_coefficient();
        const bool inverse = gpu.to_host() == a.to_host();
        if (!forward || !inverse) {
          std::printf("  %s, n = 2^%u, %u-bit primes: forward %s, inverse %s\n", facts_of(design).label.data(),
                      log_degree, bits, forward ? "equal" : "DIFFERS", inverse ? "equal" : "DIFFERS");
        }
        CHECK(forward);
        CHECK(inverse);
      }
    }
  }
}

TEST(small_rings_and_parts_of_arrays) {
  for (const TransformDesign design : all_designs()) {
    const auto engine = StudyEngine::create(design);
    for (unsigned log_degree = 1; log_degree < 10; ++log_degree) {
      const RingPtr ring = make_ring(std::size_t{1} << log_degree, 30, 2);
      if (!supports(design, log_degree, 4)) continue;
      const PolyArray a = random_array(ring, 3, 2, 77);
      PolyArray cpu = a.clone(), gpu = a.to(engine);
      host()->forward(cpu.view().items(1, 2).part(1));
      engine->forward(gpu.view().items(1, 2).part(1));
      CHECK(gpu.to_host() == cpu.to_host());
      auto on_cpu = cpu.view().items(2).part(1), on_gpu = gpu.view().items(2).part(1);
      on_cpu.domain = on_gpu.domain = Domain::transform;
      host()->inverse(on_cpu);
      engine->inverse(on_gpu);
      CHECK(gpu.to_host() == cpu.to_host());
    }
  }
}

TEST(more_items_than_a_grid_holds) {
  for (const TransformDesign design : {TransformDesign::hybrid, TransformDesign::galois, TransformDesign::radix_8,
                                       TransformDesign::four_step, TransformDesign::galois_stockham}) {
    const auto engine = StudyEngine::create(design);
    PolyArray a = random_array(make_ring(64, 30, 1), 33000, 2, 5);
    PolyArray gpu = a.to(engine);
    a.to_transform();
    gpu.to_transform();
    CHECK(gpu.to_host() == a.to_host());
    a.to_coefficient();
    gpu.to_coefficient();
    CHECK(gpu.to_host() == a.to_host());
  }
}

void check_gaussian_products(TransformDesign design) {
  const auto engine = StudyEngine::create(design);
  for (unsigned log_degree = 10; log_degree <= 16; ++log_degree) {
    for (const unsigned bits : {30U, 61U}) {
      const RingPtr ring = make_ring(std::size_t{1} << log_degree, bits, 2);
      PolyArray a = random_array(ring, 2, 1, 1), b = random_array(ring, 2, 1, 2);
      PolyArray x = a.to(engine), y = b.to(engine);
      for (PolyArray* array : {&x, &y}) {
        engine->forward_gaussian(array->view());
        array->set_domain(Domain::transform);
      }
      engine->multiply_gaussian(x.view(), x.view(), y.view());
      engine->inverse_gaussian(x.view());
      a.to_transform();
      b.to_transform();
      host()->multiply(a.view(), a.view(), b.view());
      a.to_coefficient();
      const bool equal = x.to_host() == a.to_host();
      if (!equal) std::printf("  n = 2^%u, %u-bit primes: products DIFFER\n", log_degree, bits);
      CHECK(equal);
    }
  }
}

TEST(gaussian_products_equal_the_cpu_where_primes_have_both_transforms) {
  check_gaussian_products(TransformDesign::galois);
  check_gaussian_products(TransformDesign::galois_stockham);
}

TEST(polynomials_on_the_gpu_equal_those_on_the_cpu) {
  for (const TransformDesign design : all_designs()) {
    const EnginePtr gpu = StudyEngine::create(design), cpu = make_transform_engine(design, host());
    for (const std::size_t n : {64U, 1024U, 4096U, 32768U}) {
      std::vector<std::uint64_t> primes{primes_congruent_to_one(30, 2 * n, 1)[0],
                                        primes_congruent_to_one(61, 2 * n, 1)[0]};
      if (is_gaussian(design)) primes.push_back(gaussian_primes(61, n, 1)[0]);
      for (const std::uint64_t p : primes) {
        const Word word = p < (1U << 30) ? Word::u32 : Word::u64;
        if (!supports(design, bit_length(n) - 1, bytes_of(word))) {
          CHECK_THROWS(ArgumentError, PolynomialTransform(gpu, n, p));
          continue;
        }
        const PolynomialTransform ours(gpu, n, p), theirs(cpu, n, p);
        std::vector<std::uint64_t> a(3 * n, p - 1), b(3 * n, p - 1);  // worst operands, and some others
        for (std::size_t i = n; i < 3 * n; ++i) a[i] = (i * i * 2654435761U) % p, b[i] = (i * 40503U + 7) % p;
        const bool same = ours.forward(a) == theirs.forward(a) && ours.inverse(theirs.forward(b)) == b &&
                          ours.multiply(a, b) == theirs.multiply(a, b);
        if (!same) std::printf("  %s, n = %zu: DIFFERS from the CPU\n", facts_of(design).label.data(), n);
        CHECK(same);
      }
    }
  }
}

void check_gaussian_primes(TransformDesign design) {
  const auto engine = StudyEngine::create(design);
  for (const std::size_t n : {1024U, 2048U}) {
    for (const unsigned bits : {31U, 61U}) {
      const RingPtr ring = Ring::negacyclic(n, Basis(bits == 31 ? Word::u32 : Word::u64, gaussian_primes(bits, n, 2)));
      PolyArray x = random_array(ring, 1, 1, 3), y = random_array(ring, 1, 1, 4);
      const auto a = x.to_host(), b = y.to_host();
      x = x.to(engine);
      y = y.to(engine);
      CHECK_THROWS(ArgumentError, engine->inverse_gaussian(x.view()));
      for (PolyArray* array : {&x, &y}) {
        engine->forward_gaussian(array->view());
        array->set_domain(Domain::transform);
      }
      CHECK_THROWS(ArgumentError, engine->forward_gaussian(x.view()));
      engine->multiply_gaussian(y.view(), x.view(), y.view());
      engine->inverse_gaussian(y.view());
      std::vector<std::uint64_t> expected;
      for (std::size_t l = 0; l < 2; ++l) {
        const auto limb = schoolbook(&a[l * n], &b[l * n], n, ring->basis()[l]);
        expected.insert(expected.end(), limb.begin(), limb.end());
      }
      CHECK(y.to_host() == expected);
    }
  }
  PolyArray refused = random_array(Ring::negacyclic(64, Basis(Word::u32, {31})), 1, 1, 3).to(engine);
  CHECK_THROWS(ParameterError, engine->forward_gaussian(refused.view()));
}

TEST(gaussian_products_equal_the_schoolbook_where_primes_are_3_mod_4) {
  check_gaussian_primes(TransformDesign::hybrid);  // which takes the DGT in radix 2
  check_gaussian_primes(TransformDesign::galois_stockham);
}

TEST(a_scheme_runs_on_every_design) {
  rlwe::ParametersLiteral literal;
  literal.scheme = &bfv::scheme();
  literal.degree = 4096;
  literal.plain_moduli = {786433};
  literal.allow_insecure = true;
  for (const Word word : {Word::u32, Word::u64}) {
    literal.word = word;
    const auto parameters = scheme::with_modulus_bits(literal, 100);
    std::vector<std::uint64_t> expected;
    std::vector<EnginePtr> engines{host()};
    for (const TransformDesign design : all_designs()) {
      if (supports(design, 12, bytes_of(word))) engines.push_back(StudyEngine::create(design));
    }
    CHECK_EQ(engines.size(), 1 + all_designs().size());
    for (const EnginePtr& engine : engines) {
      const auto context = scheme::make_context(parameters, engine);
      const auto secret = rlwe::deterministic::generate_secret_key(context, seed(1));
      const auto key = rlwe::deterministic::generate_public_key(secret, seed(2));
      const auto evaluation = rlwe::deterministic::generate_evaluation_keys(secret, true, {3}, seed(3));
      const std::vector<std::int64_t> values(4096, 321);
      const auto c = scheme::deterministic::encrypt(
          encode_residues(context, rlwe::PlainIndex(0), Encoding::Kind::slots, values, 1, 4096), key, seed(4));
      const auto product = rlwe::relinearize(scheme::multiply(c, c), evaluation).polynomials().to_host();
      if (expected.empty()) expected = product;
      CHECK(product == expected);
    }
  }
}

void check_garner(const Basis& basis, std::size_t degree, std::size_t batch, std::size_t parts) {
  const auto engine = StudyEngine::create(TransformDesign::hybrid);
  const RingPtr ring = Ring::negacyclic(degree, basis);
  PolyArray a = random_array(ring, batch, parts, 9);
  std::vector<std::uint64_t> residues = a.to_host();  // among random integers: 0, q - 1, and a multiple of q_0
  for (std::size_t l = 0; l < basis.size(); ++l) {
    residues[l * degree] = 0;
    residues[l * degree + 1] = basis[l] - 1;
    residues[l * degree + 2] = basis[0] % basis[l];
  }
  a.from_host(residues);
  PolyArray gpu = a.to(engine);
  const MixedRadix step(ring);
  const bool same_integers = integers(gpu) == integers(a);
  CHECK(cyclotome::residues(engine, ring, parts, integers(a)).to_host() == a.to_host());
  PolyArray digits(engine, ring, batch, parts);
  engine->mixed_radix(digits.view(), gpu.view(), step);
  engine->mixed_radix(gpu.view(), gpu.view(), step);
  const bool in_place = gpu.to_host() == digits.to_host();
  host()->mixed_radix(a.view(), a.view(), step);
  const bool same_digits = digits.to_host() == a.to_host();
  if (!same_integers || !in_place || !same_digits) {
    std::printf("  %zu limbs of %u bits: integers %d, in place %d, digits %d\n", basis.size(), bits_of(basis.word()),
                same_integers, in_place, same_digits);
  }
  CHECK(same_integers);
  CHECK(in_place);
  CHECK(same_digits);
}

TEST(reconstruction_equals_the_cpu) {
  for (const std::size_t limbs : {1U, 2U, 6U, 12U, 24U, 60U}) {
    // With 60 of these primes, q - 1 has sums of digits times weights that one product more would not fit.
    check_garner(Basis(Word::u32, primes_congruent_to_one(31, 1024, limbs)), 1024, 2, 1);
    check_garner(Basis(Word::u64, primes_congruent_to_one(61, 2048, limbs)), 1024, 1, 2);
  }
  check_garner(Basis(Word::u32, primes_congruent_to_one(31, 64, 2)), 4, 40000, 2);  // more items than a grid holds
  check_garner(Basis(Word::u64, {2, 3, 1152921504606846883, 25, 4194301, 49}), 64, 3, 1);
  check_garner(Basis(Word::u32, {2147483647, 4, 2147483629, 9, 2147483587}), 64, 1, 3);
}

TEST(norms_equal_the_cpu) {
  const auto engine = StudyEngine::create(TransformDesign::hybrid);
  for (const unsigned bits : {30U, 61U}) {
    PolyArray a = random_array(make_ring(4096, bits, 7), 3, 1, 10);
    CHECK(rlwe::largest_coefficients(a.to(engine), 786433) == rlwe::largest_coefficients(a, 786433));
  }
}

TEST(event_times) {
  const auto engine = StudyEngine::create(TransformDesign::hybrid);
  PolyArray a = random_array(make_ring(8192, 30, 4), 4, 1, 6).to(engine);
  const auto once = [&] { engine->forward(a.view()); };
  once();
  const double few = engine->event_time(once, 10), many = engine->event_time([&] { once(), once(), once(); }, 10);
  std::printf("  D5, n = 8192, 30-bit primes, 16 limbs: %.1f us, three of them %.1f us\n", few, many);
  CHECK(few > 0 && many > few);
  CHECK_THROWS(ArgumentError, engine->event_time(once, 0));
}

}  // namespace

int main() { return check::run_on_device(); }
