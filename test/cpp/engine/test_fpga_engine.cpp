// SPDX-License-Identifier: Apache-2.0
// The FPGA engine on circuits in software (circuits/software_circuit.cpp): the CPU engine's bits, an exact account, and
// typed refusals.

#include <thread>

#include "bfv_fixture.hpp"
#include "check.hpp"
#include "cyclotome/engine/fpga/fpga_engine.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/scheme/bfv/scheme.hpp"
#include "cyclotome/scheme/bgv/scheme.hpp"
#include "cyclotome/scheme/scheme.hpp"
#include "one_composite.hpp"

namespace {

using namespace cyclotome;
using check::seed;
using fpga::Statistics;
using rlwe::Ciphertext;

constexpr std::size_t n = 128;

std::shared_ptr<FpgaEngine> engine_on(const char* library, CircuitMode mode = CircuitMode::product,
                                      std::size_t boards = 1) {
  const auto engine =
      FpgaEngine::create(CpuEngine::create(1), {.name = "circuit", .mode = mode, .boards = boards, .threads = 2});
  engine->open(library);
  return engine;
}

RingPtr ring_of(Word word, std::size_t limbs) {
  return Ring::negacyclic(n, Basis(word, primes_congruent_to_one(word == Word::u32 ? 29 : 60, 2 * n, limbs)));
}

PolyArray uniform(const EnginePtr& engine, const RingPtr& ring, std::size_t batch, std::size_t parts,
                  std::uint8_t number, Domain domain = Domain::transform) {
  PolyArray a(engine, ring, batch, parts, domain);
  engine->sample(a.view(), Law::uniform, seed(number), Stream::encryption_ternary);
  return a;
}

// Every verb with a product or a transform in it, and composites of products, with operands that are broadcast; the
// results in a row.
std::vector<std::vector<std::uint64_t>> results_on(const EnginePtr& engine, Word word) {
  const RingPtr ring = ring_of(word, 3);
  std::vector<std::vector<std::uint64_t>> results;
  PolyArray a = uniform(engine, ring, 3, 2, 1), b = uniform(engine, ring, 1, 2, 2),
            one = uniform(engine, ring, 3, 1, 3);
  PolyArray out(engine, ring, 3, 2, Domain::transform);
  engine->multiply(out.view(), a.view(), b.view());
  results.push_back(out.to_host());
  engine->multiply_accumulate(out.view(), one.view(), a.view());
  results.push_back(out.to_host());
  engine->multiply(a.view(), a.view(), a.view());
  results.push_back(a.to_host());
  PolyArray tensor(engine, ring, 3, 3, Domain::transform);
  check::tensor_product(*engine, tensor.view(), a.view(), out.view());
  results.push_back(tensor.to_host());
  PolyArray digits = uniform(engine, ring, 2, 3, 4), key = uniform(engine, ring, 3, 2, 5);
  PolyArray switched(engine, ring, 2, 2, Domain::transform);
  check::key_switch_product(*engine, switched.view(), digits.view(), key.view());
  results.push_back(switched.to_host());
  results.push_back(tensor.to_coefficient().to_host());
  results.push_back(tensor.to_transform().to_host());
  PolyArray pointwise = uniform(engine, ring, 2, 1, 6, Domain::coefficient);
  engine->multiply(pointwise.view(), pointwise.view(), pointwise.view());
  results.push_back(pointwise.to_host());
  return results;
}

TEST(verbs_give_the_bits_of_the_cpu_engine) {
  for (const Word word : {Word::u32, Word::u64}) {
    const auto expected = results_on(CpuEngine::create(1), word);
    for (const CircuitMode mode : {CircuitMode::product, CircuitMode::transform}) {
      const auto engine = engine_on(CIRCUIT_FULL, mode);
      CHECK_EQ(results_on(engine, word), expected);
      CHECK((engine->statistics().products != 0) == (mode == CircuitMode::product));
      CHECK((engine->statistics().forwards != 0) == (mode == CircuitMode::transform));
    }
  }
}

rlwe::ParametersLiteral literal(const rlwe::Scheme* scheme, std::size_t special_primes) {
  rlwe::ParametersLiteral p = check::literal(Word::u64, 0);
  p.scheme = scheme;
  p.degree = n;
  p.moduli = primes_congruent_to_one(50, 2 * n, 3 + special_primes);
  p.special_moduli.assign(p.moduli.end() - static_cast<std::ptrdiff_t>(special_primes), p.moduli.end());
  p.moduli.resize(3);
  return p;
}

struct Party {
  rlwe::ContextPtr context;
  rlwe::SecretKey secret;
  rlwe::PublicKey public_key;
  rlwe::EvaluationKeys evaluation;

  Party(const rlwe::ParametersLiteral& p, const EnginePtr& engine)
      : context(scheme::make_context(rlwe::Parameters(p), engine)),
        secret(rlwe::deterministic::generate_secret_key(context, seed(1))),
        public_key(rlwe::deterministic::generate_public_key(secret, seed(2))),
        evaluation(rlwe::deterministic::generate_evaluation_keys(secret, true, {3}, seed(3))) {}

  rlwe::Plaintext plain(const check::Values& values) const {
    return encode_residues(context, rlwe::PlainIndex(0), Encoding::Kind::coefficients, values, values.size() / n, n);
  }
};

struct Outcome {
  std::vector<std::uint64_t> fresh, product, rotated;
  check::Values decrypted;
};

Outcome program_on(const EnginePtr& engine, const rlwe::ParametersLiteral& p) {
  const Party f(p, engine);
  const Ciphertext x = scheme::deterministic::encrypt(f.plain(check::numbers(2 * n, 5)), f.public_key, seed(4));
  const Ciphertext y = scheme::deterministic::encrypt(f.plain(check::numbers(2 * n, 77)), f.secret, seed(5));
  const Ciphertext product = rlwe::relinearize(scheme::multiply(scheme::add(x, y), y), f.evaluation);
  const Ciphertext rotated = rlwe::apply_galois(product, 3, f.evaluation);
  return {x.polynomials().to_host(), product.polynomials().to_host(), rotated.polynomials().to_host(),
          decode_residues(scheme::decrypt(product, f.secret), Encoding::Kind::coefficients)};
}

TEST(schemes_give_the_bytes_of_the_cpu_engine) {
  for (const auto scheme : {&bfv::scheme(), &bgv::scheme()}) {
    for (const std::size_t special_primes : {0, 1}) {
      const auto p = literal(scheme, special_primes);
      const Outcome expected = program_on(CpuEngine::create(1), p);
      for (const CircuitMode mode : {CircuitMode::product, CircuitMode::transform}) {
        const Outcome outcome = program_on(engine_on(CIRCUIT_FULL, mode), p);
        CHECK_EQ(outcome.fresh, expected.fresh);
        CHECK_EQ(outcome.product, expected.product);
        CHECK_EQ(outcome.rotated, expected.rotated);
        CHECK_EQ(outcome.decrypted, expected.decrypted);
      }
    }
  }
}

// The thesis's scheme: one product for a key, two for an encryption, one for a decryption, modulo each prime.
TEST(bgv_needs_the_products_of_paper_004) {
  const auto engine = engine_on(CIRCUIT_FULL);
  const auto context = scheme::make_context(rlwe::Parameters(literal(&bgv::scheme(), 0)), engine);
  const auto products = [&] {
    const std::uint64_t count = engine->statistics().products;
    engine->reset_statistics();
    return count;
  };
  const auto secret = rlwe::deterministic::generate_secret_key(context, seed(1));
  CHECK_EQ(products(), 0U);
  const auto public_key = rlwe::deterministic::generate_public_key(secret, seed(2));
  CHECK_EQ(products(), 3U);
  const auto message =
      encode_residues(context, rlwe::PlainIndex(0), Encoding::Kind::coefficients, check::numbers(n, 5), 1, n);
  const Ciphertext x = scheme::deterministic::encrypt(message, public_key, seed(4));
  CHECK_EQ(products(), 6U);
  CHECK_EQ(decode_residues(scheme::decrypt(x, secret), Encoding::Kind::coefficients), check::numbers(n, 5));
  CHECK_EQ(products(), 3U);
}

// With operands kept transformed: one transform for u and one for each part of the ciphertext, one back to decrypt.
TEST(bgv_needs_three_transforms_to_encrypt_and_one_to_decrypt) {
  const auto engine = engine_on(CIRCUIT_FULL, CircuitMode::transform);
  const auto context = scheme::make_context(rlwe::Parameters(literal(&bgv::scheme(), 0)), engine);
  const auto secret = rlwe::deterministic::generate_secret_key(context, seed(1));
  const auto public_key = rlwe::deterministic::generate_public_key(secret, seed(2));
  const auto message =
      encode_residues(context, rlwe::PlainIndex(0), Encoding::Kind::coefficients, check::numbers(n, 5), 1, n);
  engine->reset_statistics();
  const Ciphertext x = scheme::deterministic::encrypt(message, public_key, seed(4));
  CHECK_EQ(engine->statistics().forwards, 3U * 3);
  CHECK_EQ(engine->statistics().inverses, 0U);
  engine->reset_statistics();
  CHECK_EQ(decode_residues(scheme::decrypt(x, secret), Encoding::Kind::coefficients), check::numbers(n, 5));
  CHECK_EQ(engine->statistics().forwards, 0U);
  CHECK_EQ(engine->statistics().inverses, 3U);
}

void multiply_once(const EnginePtr& engine, const RingPtr& ring, std::size_t batch) {
  PolyArray a = uniform(engine, ring, batch, 1, 1);
  engine->multiply(a.view(), a.view(), a.view());
}

TEST(composites_take_every_product_to_the_circuit) {
  const auto engine = engine_on(CIRCUIT_FULL);
  const RingPtr ring = ring_of(Word::u64, 2);
  const PolyArray a = uniform(engine, ring, 3, 2, 1), b = uniform(engine, ring, 3, 2, 2);
  PolyArray tensor(engine, ring, 3, 3, Domain::transform);
  check::tensor_product(*engine, tensor.view(), a.view(), b.view());
  CHECK_EQ(engine->statistics().products, 3U * 4 * 2);
  engine->reset_statistics();
  const PolyArray digits = uniform(engine, ring, 3, 4, 3), key = uniform(engine, ring, 4, 2, 4);
  PolyArray out(engine, ring, 3, 2, Domain::transform);
  check::key_switch_product(*engine, out.view(), digits.view(), key.view());
  CHECK_EQ(engine->statistics().products, 3U * 4 * 2 * 2);
}

TEST(residues_in_slots_of_their_own_are_no_polynomials) {
  // 97 is not 1 modulo 256: there is no transform, so there is nothing that a circuit could multiply.
  const RingPtr ring = Ring::negacyclic(n, Basis(Word::u64, {97}));
  const auto engine = engine_on(CIRCUIT_FULL);
  PolyArray a = uniform(engine, ring, 1, 1, 1), expected(engine, ring, 1, 1, Domain::transform);
  CpuEngine::create(1)->multiply(expected.view(), a.view(), a.view());
  engine->multiply(a.view(), a.view(), a.view());
  CHECK_EQ(a.to_host(), expected.to_host());
  CHECK_EQ(engine->statistics().products, 0U);
}

TEST(more_primes_than_circuits_are_kept) {
  const auto engine = engine_on(CIRCUIT_FULL);
  const RingPtr ring = ring_of(Word::u32, fpga::CircuitPool::max_idle + 6);
  for (int again = 0; again < 2; ++again) {
    PolyArray a = uniform(engine, ring, 1, 1, 1), expected(engine, ring, 1, 1, Domain::transform);
    CpuEngine::create(1)->multiply(expected.view(), a.view(), a.view());
    engine->multiply(a.view(), a.view(), a.view());
    CHECK(a.to_host() == expected.to_host());
  }
}

TEST(one_board_works_prime_by_prime) {
  const auto engine = engine_on(CIRCUIT_FULL);
  const RingPtr ring = ring_of(Word::u64, 5);
  multiply_once(engine, ring, 4);
  const Statistics s = engine->statistics();
  CHECK_EQ(s.products, 20U);
  CHECK_EQ(s.ticks, 5U * (10 * n + 3 * 3 * n));
  CHECK_EQ(s.critical_ticks, s.ticks);
  CHECK_EQ(s.loads, 5U);
  CHECK_EQ(s.transfer_bytes, 8 * n * (3U * 20 + 5));
  CHECK_EQ(s.forwards + s.inverses, 0U);
  engine->reset_statistics();
  CHECK_EQ(engine->statistics().ticks, 0U);
}

TEST(boards_share_the_primes) {
  const auto engine = engine_on(CIRCUIT_FULL, CircuitMode::product, 3);
  const RingPtr ring = ring_of(Word::u64, 5), prefix = ring->slice(0, 3);
  multiply_once(engine, ring, 1);  // boards 0 1 2 0 1
  CHECK_EQ(engine->statistics().critical_ticks, 2U * 10 * n);
  CHECK_EQ(engine->statistics().ticks, 5U * 10 * n);
  CHECK_EQ(engine->statistics().loads, 5U);
  multiply_once(engine, prefix, 1);  // boards 0 and 1 have gone on to other primes, board 2 has not
  CHECK_EQ(engine->statistics().loads, 7U);
  multiply_once(engine, prefix, 1);
  CHECK_EQ(engine->statistics().loads, 7U);
  CHECK_EQ(engine->statistics().critical_ticks, 4U * 10 * n);
}

TEST(circuits_that_take_several_primes_overlap_them) {
  const RingPtr ring = ring_of(Word::u64, 5);
  for (const std::size_t batch : {1, 2}) {
    const auto engine = engine_on(CIRCUIT_OVERLAPPING);
    multiply_once(engine, ring, batch);
    CHECK_EQ(engine->statistics().ticks, 10 * n + (5 * batch - 1) * 2 * n);
    CHECK_EQ(engine->statistics().critical_ticks, engine->statistics().ticks);
    CHECK_EQ(engine->statistics().products, 5 * batch);
  }
  for (const Word word : {Word::u32, Word::u64}) {
    CHECK_EQ(results_on(engine_on(CIRCUIT_OVERLAPPING, CircuitMode::product, 2), word),
             results_on(CpuEngine::create(1), word));
  }
}

TEST(transforms_are_counted_by_direction) {
  const auto engine = engine_on(CIRCUIT_FULL, CircuitMode::transform);
  PolyArray a = uniform(engine, ring_of(Word::u64, 2), 3, 2, 1);
  a.to_coefficient();
  const Statistics s = engine->statistics();
  CHECK_EQ(s.inverses, 12U);
  CHECK_EQ(s.forwards + s.products, 0U);
  CHECK_EQ(s.ticks, 2U * (5 * n + 5 * n));
  CHECK_EQ(s.transfer_bytes, 8 * n * (2U * 12 + 2));
  a.to_transform();
  CHECK_EQ(engine->statistics().forwards, 12U);
}

TEST(host_threads_share_one_engine) {
  const auto engine = engine_on(CIRCUIT_FULL);
  const RingPtr ring = ring_of(Word::u64, 3);
  PolyArray a = uniform(engine, ring, 2, 1, 1), expected(engine, ring, 2, 1, Domain::transform);
  CpuEngine::create(1)->multiply(expected.view(), a.view(), a.view());
  std::vector<std::vector<std::uint64_t>> results(4);
  {
    std::vector<std::jthread> threads;
    for (auto& result : results) {
      threads.emplace_back([&] {
        PolyArray out(engine, ring, 2, 1, Domain::transform);
        for (int i = 0; i < 3; ++i) engine->multiply(out.view(), std::as_const(a).view(), std::as_const(a).view());
        result = out.to_host();
      });
    }
  }
  for (const auto& result : results) CHECK_EQ(result, expected.to_host());
  CHECK_EQ(engine->statistics().products, 4U * 3 * 2 * 3);
}

TEST(rings_that_no_circuit_knows_are_refused_when_an_array_is_made) {
  const auto engine = engine_on(CIRCUIT_FULL);
  const Basis basis(Word::u64, {241});  // a prime of both rings
  const RingPtr dense = Ring::negacyclic(8, basis), other = Ring::cyclotomic(15, basis);
  CHECK_EQ(dense->degree(), other->degree());
  PolyArray a(engine, dense, 1, 1);
  CHECK_THROWS_WITH(EngineError, PolyArray(engine, other, 1, 1),
                    "does not compute in Z_q[x]/(Phi_15); the CPU engine does");
  CHECK_THROWS_WITH(EngineError, PolyArray(engine, dense->spaced(9), 1, 1), "limbs 9 words apart");
  CHECK_THROWS_WITH(EngineError, PolyArray(CpuEngine::create(1), other, 1, 1).to(engine), "does not compute in");
  // Whoever has tables of one method only says so as well.
  CHECK_THROWS_WITH(EngineError, other->tables<std::uint64_t>(0), "is prime-factor on 64-bit words");
  CHECK_THROWS_WITH(EngineError, dense->tables<std::uint32_t>(0), "on 32-bit words");
}

TEST(what_cannot_work_is_refused) {
  const auto host = CpuEngine::create(1);
  const auto engine = FpgaEngine::create(host, {});
  CHECK_THROWS_WITH(EngineError, multiply_once(engine, ring_of(Word::u64, 2), 1),
                    "no circuit for polynomials of degree 128");
  CHECK(!engine->is_open(n));
  CHECK_THROWS_WITH(EngineError, engine->open("/nonexistent/circuit.so"), "can't be loaded");
  CHECK_THROWS_WITH(EngineError, engine->open(CIRCUIT_OF_ANOTHER_VERSION), "has version 2 of the interface");
  CHECK_THROWS_WITH(EngineError, engine->open(CIRCUIT_WITHOUT_POWER_OF_TWO), "degree 96");
  CHECK(!engine->is_open(96));
  CHECK_THROWS_WITH(EngineError, engine_on(CIRCUIT_PRODUCTS_ONLY, CircuitMode::transform), "use mode product");
  CHECK_THROWS_WITH(EngineError, multiply_once(engine_on(CIRCUIT_NARROW), ring_of(Word::u64, 2), 1), "has 60 bits");
  CHECK_THROWS_WITH(ArgumentError, FpgaEngine::create(host, {.boards = 0}), "0 boards");
  CHECK_THROWS_WITH(ArgumentError, FpgaEngine::create(host, {.threads = 1025}), "1025 threads");
}

TEST(a_circuit_that_fails_says_why_and_is_replaced) {
  const auto engine = engine_on(CIRCUIT_THAT_FAILS);
  const RingPtr ring = ring_of(Word::u64, 1);
  for (int good = 0; good < 3; ++good) multiply_once(engine, ring, 1);
  CHECK_THROWS_WITH(EngineError, multiply_once(engine, ring, 1), "a fuse has blown");
  CHECK_EQ(engine->statistics().products, 3U);
  multiply_once(engine, ring, 1);
  CHECK_EQ(engine->statistics().products, 4U);
}

TEST(a_library_that_is_no_circuit_is_refused) {
  const auto engine = FpgaEngine::create(CpuEngine::create(1), {});
  CHECK_THROWS_WITH(EngineError, engine->open("libm.so.6"), "lacks the function cyclotome_circuit_describe");
}

}  // namespace

int main() { return cyclotome::check::run(); }
