// SPDX-License-Identifier: Apache-2.0
// Operations that are asked for again and again, which the CUDA engine repeats from a graph: on other operands, keys
// and seeds each time, from several host threads, and when memory runs out, they give the CPU engine's bits. Needs a
// GPU; without one it says so and exits with 77, which CTest counts as skipped.
#include <array>
#include <atomic>
#include <cstdio>
#include <thread>

#include "cyclotome/math/errors.hpp"
#include "cyclotome/rlwe/keys/encryption.hpp"
#include "cyclotome/rlwe/keys/encryption_program.hpp"
#include "cyclotome/scheme/bfv/scheme.hpp"
#include "cyclotome/scheme/bgv/scheme.hpp"
#include "engines.hpp"
#include "interruption.hpp"
#include "party.hpp"

using namespace cyclotome;
using check::device;
using check::host;
using check::Party;
using check::seed;
using rlwe::Ciphertext;

namespace {

using Residues = std::vector<std::vector<std::uint64_t>>;

/// What every operation makes of arrays that `round` says. Results are kept until the end, so that each round's lie
/// elsewhere.
Residues results(const Party& party, std::size_t batch, std::uint8_t round, std::vector<Ciphertext>& kept) {
  Residues residues;
  const auto note = [&](Ciphertext c) -> const Ciphertext& {
    residues.push_back(c.polynomials().to_host());
    kept.push_back(std::move(c));
    return kept.back();
  };
  const auto note_plain = [&](const rlwe::Plaintext& m) { residues.push_back(m.polynomials().to_host()); };
  kept.reserve(1000);
  const Ciphertext &a = note(party.encrypted(0, batch, round)), &b = note(party.encrypted(0, 1, round + 50));
  const Ciphertext& s = note(scheme::deterministic::encrypt(party.plain(0, batch, round), party.secret, seed(round)));
  note(rlwe::deterministic::encrypt_zero(party.key, rlwe::PlainIndex(0), batch, seed(round + 1)));
  note(rlwe::deterministic::encrypt_zero(party.secret, rlwe::PlainIndex(0), batch, seed(round + 1)));
  const Ciphertext& product = note(scheme::multiply(a, b));
  note(scheme::multiply(a, a));
  note(scheme::multiply(b, s));
  note(scheme::square(a));
  const Ciphertext& relinearized = note(scheme::multiply_relinearized(a, s, party.evaluation));
  note(scheme::multiply_relinearized(a, a, party.evaluation));
  note(scheme::square_relinearized(s, party.evaluation));
  note(scheme::multiply_relinearized(relinearized, relinearized, party.evaluation));
  note(rlwe::relinearize(product, party.evaluation));
  note(rlwe::apply_galois(a, 3, party.evaluation));
  note(rlwe::apply_galois(a, 9, party.evaluation));
  note_plain(scheme::decrypt_unchecked(a, party.secret));
  note_plain(scheme::decrypt_unchecked(product, party.secret));
  if (&party.context->parameters().scheme() == &bfv::scheme()) {
    note(bfv::multiply(a, s, bfv::ProductMethod::behz));
    note(bfv::multiply_relinearized(a, b, party.evaluation, bfv::ProductMethod::behz));
    note(bfv::square_relinearized(a, party.evaluation, bfv::ProductMethod::behz));
  } else if (a.limbs() > 2) {
    const Ciphertext& low = note(scheme::switch_to_level(a, rlwe::Level(a.limbs() - 2)));
    note_plain(scheme::decrypt_unchecked(low, party.secret));
    note(scheme::multiply_relinearized(a, low, party.evaluation));
  }
  return residues;
}

void check_rounds(const rlwe::Scheme* kind, std::size_t degree, unsigned log_q, Word word, std::size_t batch) {
  const rlwe::Parameters parameters = check::planned(kind, degree, log_q, word, true);
  const auto cpu = scheme::make_context(parameters, host()), gpu = scheme::make_context(parameters, device());
  std::vector<Ciphertext> kept_cpu, kept_gpu;
  for (const std::uint8_t first_key : {std::uint8_t{1}, std::uint8_t{11}}) {  // the second keys come when the first go
    const Party expected(cpu, first_key), party(gpu, first_key);
    for (std::uint8_t round = 0; round < 4; ++round) {
      const auto number = static_cast<std::uint8_t>(20 + round);
      const Residues right = results(expected, batch, number, kept_cpu), ours = results(party, batch, number, kept_gpu);
      CHECK_EQ(ours.size(), right.size());
      for (std::size_t i = 0; i < right.size(); ++i) {
        if (ours[i] != right[i]) std::printf("  round %u: result %zu differs\n", unsigned{round}, i);
        CHECK(ours[i] == right[i]);
      }
      kept_cpu.clear();
      if (round == 2) kept_gpu.clear();  // the last round gets memory that was in use before
    }
  }
}

TEST(repeated_operations_equal_the_cpu) {
  for (const auto kind : {&bfv::scheme(), &bgv::scheme()}) {
    for (const Word word : {Word::u32, Word::u64}) {
      check_rounds(kind, 1024, 120, word, 3);
      check_rounds(kind, 4096, 109, word, 1);
      check_rounds(kind, 16384, 389, word, 1);
    }
    check_rounds(kind, 8192, 218, Word::u32, 40);  // more memory than graphs may have
    check_rounds(kind, 65536, 300, Word::u32, 1);  // transforms that take several launches
  }
}

/// Products and rotations of BFV one after the other, until nothing would decrypt: each in as few primes as it can.
Residues deep_results(const Party& party, std::size_t batch) {
  Residues residues;
  const auto note = [&](const Ciphertext& c) { residues.push_back(c.polynomials().to_host()); };
  Ciphertext a = party.encrypted(0, batch, 3), b = party.encrypted(0, batch, 4);
  while (scheme::noise_headroom(a) >= 0) {
    note(rlwe::apply_galois(a, 3, party.evaluation));
    for (const Ciphertext& c : rlwe::apply_galois_hoisted(a, std::vector<std::uint64_t>{3, 9, 3}, party.evaluation)) {
      note(c);
    }
    const Ciphertext product = scheme::multiply(a, b), square = scheme::square_relinearized(b, party.evaluation);
    note(product);
    note(rlwe::relinearize(product, party.evaluation));
    a = scheme::multiply_relinearized(a, b, party.evaluation);
    b = rlwe::add(square, rlwe::apply_galois(square, 9, party.evaluation));
    note(a);
    note(b);
  }
  return residues;
}

TEST(key_switches_in_fewer_primes_equal_the_cpu) {
  for (const Word word : {Word::u32, Word::u64}) {
    for (const auto& [degree, log_q, batch] :
         {std::array<std::size_t, 3>{1024, 400, 3}, {4096, 300, 1}, {8192, 400, 16}, {16384, 389, 1}}) {
      const rlwe::Parameters parameters =
          check::planned(&bfv::scheme(), degree, static_cast<unsigned>(log_q), word, true);
      const Residues right = deep_results(Party(scheme::make_context(parameters, host()), 1), batch);
      const Residues ours = deep_results(Party(scheme::make_context(parameters, device()), 1), batch);
      CHECK(right.size() > 20);
      CHECK(ours == right);
    }
  }
}

TEST(host_threads_share_engines) {
  const rlwe::Parameters parameters = check::planned(&bfv::scheme(), 4096, 109, Word::u32, true);
  const auto cpu = scheme::make_context(parameters, host());
  const Party expected(cpu, 1);
  constexpr std::uint8_t rounds = 12;
  Residues right;
  for (std::uint8_t i = 0; i < rounds; ++i) {
    const Ciphertext a = expected.encrypted(0, 1, i), b = expected.encrypted(0, 1, i + 100);
    right.push_back(scheme::multiply_relinearized(a, b, expected.evaluation).polynomials().to_host());
  }
  std::vector<std::unique_ptr<Party>> parties;
  for (int engine = 0; engine < 2; ++engine) {
    parties.push_back(std::make_unique<Party>(scheme::make_context(parameters, CudaEngine::create(0)), 1));
  }
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 6; ++t) {
    threads.emplace_back([&, t] {
      const Party& party = *parties[t % 2];
      for (unsigned repeat = 0; repeat < 3; ++repeat) {
        for (unsigned i = 0; i < rounds; ++i) {
          const auto round = static_cast<std::uint8_t>((i + 5 * t) % rounds);
          const Ciphertext a = party.encrypted(0, 1, round), b = party.encrypted(0, 1, round + 100);
          const Ciphertext c = scheme::multiply_relinearized(a, b, party.evaluation);
          if (c.polynomials().to_host() != right[round]) ++wrong;
          if (i == 7 && t < 2) {
            try {
              party.context->engine()->allocate(std::size_t{1} << 45, false);
              ++wrong;
            } catch (const EngineError&) {
            }
          }
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK_EQ(wrong.load(), 0);
}

TEST(engines_go_with_their_graphs) {
  for (int i = 0; i < 3; ++i) {
    const auto engine = CudaEngine::create(0);
    const rlwe::Parameters parameters = check::planned(&bgv::scheme(), 4096, 109, Word::u32, true);
    const Party party(scheme::make_context(parameters, engine), 1);
    const Ciphertext a = party.encrypted(0, 1, 1);
    for (int j = 0; j < 5; ++j) scheme::multiply_relinearized(a, a, party.evaluation);  // nobody waits for them
  }
}

TEST(what_stops_a_program_leaves_no_half_result) {
  const Party party(scheme::make_context(rlwe::Parameters(check::literal(Word::u32, 2)), device()), 1);
  const rlwe::Context& context = *party.context;
  const Ciphertext c = party.encrypted(0, 5, 7);
  const ExecutionPtr phase = rlwe::phase_of(context, c.level(), 2, c.domain());
  PolyArray phases = context.make(context.ciphertext_ring(), 5, 1, Domain::coefficient, true);
  check::leaves_nothing(
      phase->program().name(), phases,
      [&] {
        // Prepared anew, it is walked step by step: a graph asks before its launch only.
        const ExecutionPtr walked = device()->prepare(program::ProgramPtr(phase, &phase->program()));
        const Operand operands[] = {phases.view(), c.polynomials().view(), party.secret.at_level(c.level())};
        walked->run(operands);
      },
      1);
}

}  // namespace

int main() { return check::run_on_device(); }
