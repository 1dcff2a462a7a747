// SPDX-License-Identifier: Apache-2.0
// Work that is stopped from outside: wherever it is, it ends with what the check threw, and everything that it used
// gives right results afterwards. Here checks come as often as the library can ask, not ten times a second.
#include <atomic>
#include <chrono>
#include <functional>
#include <random>
#include <thread>
#include <vector>

#include "check.hpp"
#include "cyclotome/engine/cpu/thread_pool.hpp"
#include "cyclotome/io/keys/keys_io.hpp"
#include "cyclotome/io/objects/ciphertext_io.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/interrupt.hpp"
#include "cyclotome/rlwe/keys/encryption_program.hpp"
#include "cyclotome/scheme/bfv/scheme.hpp"
#include "cyclotome/scheme/bgv/scheme.hpp"
#include "cyclotome/scheme/planning.hpp"
#include "cyclotome/study/polynomial_product.hpp"
#include "interruption.hpp"
#include "party.hpp"

namespace {

using namespace cyclotome;
using check::always;
using check::count_checks;
using check::leaves_nothing;
using check::Party;
using check::stopped_at;
using check::Words;
using Work = std::function<Words(const Party&)>;

rlwe::ContextPtr fresh_context(const rlwe::Scheme* scheme, std::size_t threads) {
  rlwe::ParametersLiteral literal = check::literal(Word::u32, 2);
  literal.scheme = scheme;
  return scheme::make_context(rlwe::Parameters(literal), CpuEngine::create(threads));
}

Words words(const rlwe::Ciphertext& c) { return c.polynomials().to_host(); }

Words words(const io::Bytes& bytes) { return {bytes.begin(), bytes.end()}; }

const std::vector<std::pair<const char*, Work>> works = {
    {"encryption", [](const Party& p) { return words(p.encrypted(0, 5, 7)); }},
    {"product",
     [](const Party& p) {
       const auto x = p.encrypted(0, 3, 7);
       return words(scheme::multiply_relinearized(x, x, p.evaluation));
     }},
    {"product with plaintexts",
     [](const Party& p) { return words(rlwe::multiply_plain(p.encrypted(0, 3, 7), p.plain(0, 3, 5))); }},
    {"rotations",
     [](const Party& p) {
       const std::vector<std::uint64_t> elements = {3, 9, 3};
       Words all;
       for (const auto& turned : rlwe::apply_galois_hoisted(p.encrypted(0, 3, 7), elements, p.evaluation)) {
         const Words some = words(turned);
         all.insert(all.end(), some.begin(), some.end());
       }
       return all;
     }},
    {"matrix product",
     [](const Party& p) {
       const std::vector<std::int64_t> matrix = {1, -2, 3, 4, 5, -6, 7, 8, 9, 10, -11, 12, 13, 14, 15};
       return words(rlwe::linear_combination(p.encrypted(0, 3, 7), matrix, 5));
     }},
    {"decryption",
     [](const Party& p) {
       const auto values = decode_residues(scheme::decrypt(p.encrypted(0, 4, 7), p.secret), Encoding::Kind::slots);
       return Words(values.begin(), values.end());
     }},
    {"noise",
     [](const Party& p) {
       const auto budgets = scheme::noise_budget(p.encrypted(0, 4, 7), p.secret);
       return Words(budgets.begin(), budgets.end());
     }},
    {"writing and reading",
     [](const Party& p) {
       const io::Bytes bytes = io::serialize(p.encrypted(0, 2, 7));
       return words(io::read_ciphertext(io::Container(bytes, {.allow_insecure = true}), p.context));
     }},
    {"keys", [](const Party& p) { return words(io::serialize(Party(p.context, 40).evaluation)); }},
};

void exercise(const rlwe::Scheme* scheme, std::size_t threads, std::mt19937& random) {
  const Party reference(fresh_context(scheme, 1), 1);
  for (const auto& [name, work] : works) {
    const Words expected = work(reference);
    const auto context = fresh_context(scheme, threads);  // its tables are not there yet
    const Party party(context, 1);
    const std::size_t checks = count_checks([&] { static_cast<void>(work(party)); });
    if (checks < 3) CHECK_EQ(std::string(name), std::string("asks at least three times"));
    const Party other(fresh_context(scheme, threads), 1);
    for (int trial = 0; trial < 12; ++trial) {
      const std::size_t number = trial == 0 ? 0 : random() % checks;
      static_cast<void>(stopped_at(number, [&] { static_cast<void>(work(other)); }));
      if (work(other) != expected) CHECK_EQ(std::string(name), message("right after check ", number));
    }
  }
}

TEST(whatever_is_interrupted_can_be_done_again) {
  const unsigned start = std::random_device{}();
  std::cout << "seed " << start << '\n';
  std::mt19937 random(start);
  for (const auto scheme : {&bfv::scheme(), &bgv::scheme()}) {
    for (const std::size_t threads : {1, 3}) exercise(scheme, threads, random);
  }
}

TEST(what_stops_a_program_leaves_no_half_result) {
  for (const auto scheme : {&bfv::scheme(), &bgv::scheme()}) {
    for (const std::size_t threads : {1, 3}) {
      const Party party(fresh_context(scheme, threads), 1);
      const rlwe::Context& context = *party.context;
      const rlwe::Ciphertext c = party.encrypted(0, 5, 7);
      const ExecutionPtr phase = rlwe::phase_of(context, c.level(), 2, c.domain());
      PolyArray phases = context.make(context.ciphertext_ring(), 5, 1, Domain::coefficient, true);
      leaves_nothing(phase->program().name(), phases, [&] {
        const Operand operands[] = {phases.view(), c.polynomials().view(), party.secret.at_level(c.level())};
        phase->run(operands);
      });
      const ExecutionPtr encryption = rlwe::public_encryption(context, rlwe::PlainIndex(0), nullptr);
      PolyArray zero = context.make(context.ciphertext_ring(), 5, 2, context.native_domain());
      const Seed seed = check::seed(9);
      const Seed* const seeds[] = {&seed};
      leaves_nothing(encryption->program().name(), zero, [&] {
        const Operand operands[] = {zero.view(), party.key.polynomials().view()};
        encryption->run(operands, seeds);
      });
    }
  }
}

TEST(a_check_may_compute_itself) {
  // On the same thread and engine, in the middle of everything: no scratch is shared with what it interrupts.
  for (const auto scheme : {&bfv::scheme(), &bgv::scheme()}) {
    for (const std::size_t threads : {1, 3}) {
      const Party party(fresh_context(scheme, threads), 1);
      for (const auto& [name, work] : works) {
        const Words expected = work(party);
        for (const auto& [inner_name, inner] : works) {
          const Words inner_expected = inner(party);
          std::size_t checks = 0;
          bool right = true;
          const InterruptScope scope(
              [&] {
                if (++checks % 50 == 3) right &= inner(party) == inner_expected;
              },
              always);
          right &= work(party) == expected;
          if (!right) CHECK_EQ(std::string(name), message("not disturbed by ", inner_name));
        }
      }
    }
  }
}

TEST(contexts_and_plans_are_interrupted_too) {
  const auto engine = CpuEngine::create(1);
  const rlwe::Parameters parameters(check::literal(Word::u64, 1));
  CHECK(count_checks([&] { static_cast<void>(scheme::make_context(parameters, engine)); }) >= 3);
  CHECK_THROWS_WITH(
      Interrupted,
      [&] {
        const InterruptScope scope([] { throw Interrupted("stop"); }, always);
        static_cast<void>(scheme::suggest(scheme::Intent{}));
      }(),
      "stop");
}

TEST(products_of_polynomials_are_what_was_asked_for_last) {
  const auto context = study::ProductContext::generate({64, 120, 30, 60, study::Search::below});
  const std::size_t limbs = 2;
  Words a(64 * limbs), b(64 * limbs);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = i * i % 1000, b[i] = (7 * i + 3) % 1000;
  const auto run = [&](study::PolynomialProduct& p) {
    p.load(a, b, limbs);
    p.decompose();
    p.multiply();
    p.reconstruct();
    return Words(p.result().begin(), p.result().end());
  };
  study::PolynomialProduct first(context, study::Arithmetic::multi_word),
      second(context, study::Arithmetic::multi_word);
  const Words expected = run(first);
  static_cast<void>(run(second));
  const std::size_t checks = count_checks([&] { static_cast<void>(run(second)); });
  for (std::size_t number = 0; number < checks; ++number) {
    CHECK(stopped_at(number, [&] { static_cast<void>(run(second)); }));
    // Steps that were not completed can't be built upon.
    try {
      second.reconstruct();
      CHECK(Words(second.result().begin(), second.result().end()) == expected);
    } catch (const ArgumentError&) {
    }
    CHECK(run(second) == expected);
  }
}

TEST(scopes_nest_and_pause) {
  std::size_t outer = 0, inner = 0;
  const InterruptScope first([&] { ++outer; }, always);
  check_interrupt();
  {
    const InterruptScope second([&] { ++inner; }, always);
    check_interrupt();
    {
      const InterruptPause pause;
      CHECK(!interruptible());
      check_interrupt();
      check_interrupt_now();
    }
    check_interrupt_now();
  }
  check_interrupt();
  CHECK_EQ(outer, std::size_t{2});
  CHECK_EQ(inner, std::size_t{2});
  std::thread([&] { CHECK(!interruptible()); }).join();  // a scope is its thread's
}

TEST(checks_keep_their_distance) {
  std::vector<std::chrono::steady_clock::time_point> checks;
  const InterruptScope scope([&] { checks.push_back(std::chrono::steady_clock::now()); },
                             std::chrono::milliseconds{50});
  while (checks.size() < 4) check_interrupt_often();
  for (std::size_t i = 1; i < checks.size(); ++i) CHECK(checks[i] - checks[i - 1] >= std::chrono::milliseconds{40});
}

TEST(a_thread_that_waits_for_others_is_interrupted) {
  // The caller has nothing left to do; another thread's iteration is long, and asks.
  cpu::ThreadPool pool(2);
  const auto caller = std::this_thread::get_id();
  std::atomic<bool> stop{false};
  std::thread stopper([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds{100});
    stop = true;
  });
  CHECK_THROWS_WITH(
      Interrupted,
      [&] {
        const InterruptScope scope([&] {
          if (stop) throw Interrupted("enough");
        });
        pool.parallel_for(2, [&](std::size_t) {
          while (std::this_thread::get_id() != caller) {  // for ever, but for the check
            check_interrupt();
            std::this_thread::sleep_for(std::chrono::milliseconds{1});
          }
          while (std::this_thread::get_id() == caller && !stop)
            std::this_thread::sleep_for(std::chrono::milliseconds{1});
          std::this_thread::sleep_for(std::chrono::milliseconds{50});
        });
      }(),
      "enough");
  stopper.join();
  std::atomic<std::size_t> total{0};
  pool.parallel_for(100, [&](std::size_t i) { total += i; });
  CHECK_EQ(total.load(), std::size_t{4950});
}

TEST(a_thread_that_waits_for_its_turn_is_interrupted) {
  cpu::ThreadPool pool(2);
  std::atomic<bool> running{false}, release{false};
  std::thread other([&] {
    pool.parallel_for(2, [&](std::size_t) {
      running = true;
      while (!release) std::this_thread::sleep_for(std::chrono::milliseconds{1});
    });
  });
  while (!running) std::this_thread::yield();
  CHECK_THROWS_WITH(
      Interrupted,
      [&] {
        const InterruptScope scope([] { throw Interrupted("no patience"); });
        pool.parallel_for(2, [](std::size_t) {});
      }(),
      "no patience");
  release = true;
  other.join();
}

}  // namespace

int main() { return check::run(); }
