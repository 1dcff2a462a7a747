// SPDX-License-Identifier: Apache-2.0
// Times the CUDA engine: transforms alone, and both schemes' operations, one ciphertext and batches; prints JSON lines.
// Host clock around calls that end with a synchronisation, median of 15 after warming up.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <string>

#include "cyclotome/math/primes.hpp"
#include "cyclotome/scheme/bfv/scheme.hpp"
#include "cyclotome/scheme/bgv/scheme.hpp"
#include "cyclotome/scheme/encoding.hpp"
#include "cyclotome/scheme/scheme.hpp"
#include "engines.hpp"
#include "seed.hpp"

using namespace cyclotome;

namespace {

std::shared_ptr<CudaEngine> engine;

double median_us(const std::function<void()>& call) {
  std::vector<double> times;
  for (int i = 0; i < 18; ++i) {
    engine->synchronize();
    const auto start = std::chrono::steady_clock::now();
    call();
    engine->synchronize();
    if (i >= 3)
      times.push_back(std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count());
  }
  std::nth_element(times.begin(), times.begin() + 7, times.end());
  return times[7];
}

void record(const char* operation, const char* scheme, std::size_t degree, unsigned log_q, Word word, std::size_t batch,
            double us) {
  std::printf(
      "{\"operation\": \"%s\", \"scheme\": \"%s\", \"degree\": %zu, \"log_q\": %u, \"engine\": \"cuda\", \"word\": %u, "
      "\"batch\": %zu, \"median_us\": %.2f, \"us_per_item\": %.3f}\n",
      operation, scheme, degree, log_q, bits_of(word), batch, us, us / static_cast<double>(batch));
}

/// As many primes as limbs, so that no limb's factors are another's: what long moduli need.
void time_distinct_limbs() {
  constexpr std::size_t degree = 65536;
  for (const std::size_t limbs : {std::size_t{48}, std::size_t{60}}) {
    const RingPtr ring = Ring::negacyclic(degree, Basis(Word::u32, primes_congruent_to_one(30, 2 * degree, limbs)));
    PolyArray a(engine, ring, 1, 1);
    engine->sample(a.view(), Law::uniform, check::seed(0), Stream::secret);
    View t = a.view();
    t.domain = Domain::transform;
    constexpr std::size_t calls = 20;  // one after another: the device's time, not that of starting it
    const auto repeated = [&](const auto& call) {
      for (std::size_t i = 0; i < calls; ++i) call();
    };
    record("ntt, distinct primes", "none", degree, 30, Word::u32, calls * limbs,
           median_us([&] { repeated([&] { engine->forward(a.view()); }); }));
    record("intt, distinct primes", "none", degree, 30, Word::u32, calls * limbs,
           median_us([&] { repeated([&] { engine->inverse(t); }); }));
  }
}

void time_transforms() {
  for (std::size_t degree = 2048; degree <= 131072; degree *= 2) {
    for (const unsigned bits : {30U, 50U, 60U}) {
      const Word word = bits == 30 ? Word::u32 : Word::u64;
      const RingPtr ring = Ring::negacyclic(degree, Basis(word, primes_congruent_to_one(bits, 2 * degree, 16)));
      for (const std::size_t batch : {std::size_t{1}, std::size_t{16}, std::size_t{64}}) {
        PolyArray a(engine, ring, batch, 1);
        engine->sample(a.view(), Law::uniform, check::seed(0), Stream::secret);
        View t = a.view();
        t.domain = Domain::transform;
        record("ntt", "none", degree, bits, word, 16 * batch, median_us([&] { engine->forward(a.view()); }));
        record("intt", "none", degree, bits, word, 16 * batch, median_us([&] { engine->inverse(t); }));
      }
    }
  }
}

void time_scheme(const rlwe::Scheme* kind, std::size_t degree, unsigned log_q, Word word, std::size_t batch) {
  const rlwe::Parameters parameters = check::planned(kind, degree, log_q, word, false);
  const std::string name(kind->name());
  const auto context = scheme::make_context(parameters, engine);
  const auto secret = rlwe::SecretKey::generate(context);
  const auto key = rlwe::PublicKey::generate(secret);
  const auto evaluation = rlwe::EvaluationKeys::generate(secret, true, {3});
  const std::vector<std::int64_t> values(batch * degree, 5);
  const auto message = encode_residues(context, rlwe::PlainIndex(0), Encoding::Kind::slots, values, batch, degree);
  const auto c = scheme::encrypt(message, key);
  const auto product = scheme::multiply(c, c);
  const auto note = [&](const char* operation, double us) {
    record(operation, name.c_str(), degree, parameters.modulus_bits(), word, batch, us);
  };
  note("encrypt", median_us([&] { scheme::encrypt(message, key); }));
  note("decrypt", median_us([&] { scheme::decrypt(c, secret); }));
  note("add", median_us([&] { scheme::add(c, c); }));
  note("multiply", median_us([&] { scheme::multiply(c, c); }));
  note("relinearize", median_us([&] { rlwe::relinearize(product, evaluation); }));
  note("multiply_relinearize", median_us([&] { scheme::multiply_relinearized(c, c, evaluation); }));
  note("rotate", median_us([&] { rlwe::apply_galois(c, 3, evaluation); }));
  std::printf("# %s noise budget after multiply + relinearise: %u\n", parameters.summary().c_str(),
              scheme::noise_budget(rlwe::relinearize(product, evaluation), secret)[0]);
}

}  // namespace

/// One product and its relinearisation, three times: for profilers.
void run_product(const rlwe::Scheme* kind, std::size_t degree, unsigned log_q, Word word, std::size_t batch) {
  const auto context = scheme::make_context(check::planned(kind, degree, log_q, word, false), engine);
  std::printf("%s\n", context->parameters().summary().c_str());
  const auto secret = rlwe::SecretKey::generate(context);
  const auto key = rlwe::PublicKey::generate(secret);
  const auto evaluation = rlwe::EvaluationKeys::generate(secret, true, {});
  const std::vector<std::int64_t> values(batch * degree, 5);
  const auto message = encode_residues(context, rlwe::PlainIndex(0), Encoding::Kind::slots, values, batch, degree);
  for (int i = 0; i < 3; ++i) {
    const auto c = scheme::encrypt(message, key);
    scheme::decrypt(scheme::multiply_relinearized(c, c, evaluation), secret);
  }
}

/// Without arguments: everything. `transforms`: those alone. SCHEME DEGREE LOG_Q WORD BATCH: products of that kind,
/// without timing them.
int main(int count, char** arguments) {
  if (!check::has_device()) return check::skipped;
  engine = CudaEngine::create(0);
  if (count == 6) {
    run_product(std::string(arguments[1]) == "bgv" ? &bgv::scheme() : &bfv::scheme(), std::stoul(arguments[2]),
                static_cast<unsigned>(std::stoul(arguments[3])), std::stoul(arguments[4]) == 32 ? Word::u32 : Word::u64,
                std::stoul(arguments[5]));
    return 0;
  }
  time_distinct_limbs();
  time_transforms();
  if (count == 2 && std::string(arguments[1]) == "transforms") return 0;
  for (const auto kind : {&bfv::scheme(), &bgv::scheme()}) {
    for (const Word word : {Word::u32, Word::u64}) {
      for (const auto& [degree, log_q] :
           {std::pair<std::size_t, unsigned>{4096, 72}, {8192, 174}, {16384, 372}, {32768, 750}}) {
        for (const std::size_t batch : {std::size_t{1}, std::size_t{16}}) time_scheme(kind, degree, log_q, word, batch);
      }
    }
  }
  return 0;
}
