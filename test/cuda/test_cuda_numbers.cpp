// SPDX-License-Identifier: Apache-2.0
// Numbers of programs that the GPU writes into the host's memory: they are the CPU engine's, come to whoever waits for
// them, and leave nothing behind, also where nobody takes them or a program is stopped; and what they refuse is refused
// by the call that the CPU engine's refuses it by. Needs a GPU; without one it says so and exits with 77.
#include <atomic>
#include <thread>

#include "cyclotome/scheme/bfv/scheme.hpp"
#include "cyclotome/scheme/bgv/scheme.hpp"
#include "engines.hpp"
#include "interruption.hpp"
#include "party.hpp"
#include "programs.hpp"

using namespace cyclotome;
using check::device;
using check::host;
using check::Words;

namespace {

/// A decryption's operands, and the numbers that it leaves.
class Decryption {
 public:
  Decryption(EnginePtr engine, const program::ProgramPtr& program, std::size_t items, std::uint8_t round)
      : engine_(std::move(engine)), program_(program), items_(items) {
    for (const std::uint32_t v : program->operands()) {
      const program::Value& value = program->values()[v];
      if (value.is_numbers()) continue;
      PolyArray& array = arrays_.emplace_back(engine_, value.ring, value.items == program::each ? items : value.items,
                                              value.parts, value.domain, value.secret);
      if (value.role == program::Value::Role::input) {
        engine_->sample(array.view(), Law::uniform, check::seed(round), Stream::secret);
      }
    }
  }

  void run(const Execution& execution, ProgramNumbers& numbers) {
    std::vector<Operand> operands;
    std::size_t next = 0;
    for (const std::uint32_t v : program_->operands()) {
      operands.emplace_back(program_->values()[v].is_numbers() ? numbers.view() : arrays_[next++].view());
    }
    execution.run(operands);
  }
  Words taken(ProgramNumbers& numbers) const {
    Words found(items_);
    numbers.take(found.data());
    return found;
  }
  PolyArray& message() { return arrays_.front(); }

 private:
  EnginePtr engine_;
  program::ProgramPtr program_;
  std::size_t items_;
  std::vector<PolyArray> arrays_;  ///< all operands but the numbers; the first is the message
};

Words expected_numbers(const program::ProgramPtr& program, std::size_t items, std::uint8_t round) {
  Decryption right(host(), program, items, round);
  const auto numbers = host()->make_numbers(items);
  right.run(*host()->prepare(program), *numbers);
  return right.taken(*numbers);
}

TEST(numbers_are_the_cpus) {
  const check::Bases bases(1024, Word::u32, 3, 1, 1, 30);
  for (const auto& program : {check::bfv_decryption(bases), check::bgv_decryption(bases)}) {
    const ExecutionPtr execution = device()->prepare(program);
    // Walked, then as a graph; as many as lie in the host's memory, and one more.
    for (const std::size_t items : {1, 1, 1, 5, 5, 5, 700, 4096, 4097}) {
      for (std::uint8_t round = 0; round < (items < 100 ? 4 : 1); ++round) {
        Decryption ours(device(), program, items, round);
        const auto numbers = device()->make_numbers(items);
        ours.run(*execution, *numbers);
        const Words right = expected_numbers(program, items, round);
        CHECK(ours.taken(*numbers) == right);
        ours.run(*execution, *numbers);  // once more into the same
        CHECK(ours.taken(*numbers) == right);
      }
    }
  }
}

TEST(numbers_that_nobody_takes_do_not_come_to_others) {
  const check::Bases bases(4096, Word::u32, 3, 1, 1, 30);
  const auto program = check::bfv_decryption(bases);
  const ExecutionPtr execution = device()->prepare(program);
  Decryption first(device(), program, 3, 1), second(device(), program, 3, 2);
  const Words right = expected_numbers(program, 3, 2);
  for (int i = 0; i < 100; ++i) {
    {
      const auto unread = device()->make_numbers(3), unused = device()->make_numbers(3);
      first.run(*execution, *unread);
    }
    const auto numbers = device()->make_numbers(3);
    second.run(*execution, *numbers);
    CHECK(second.taken(*numbers) == right);
  }
  // And where no program has written any, that is an error, not a wait without an end.
  const auto never = device()->make_numbers(3);
  CHECK_THROWS_WITH(EngineError, first.taken(*never), "has not written");
}

TEST(what_stops_a_decryption_leaves_nothing_and_the_engine_lives_on) {
  const check::Bases bases(1024, Word::u32, 3, 1, 1, 30);
  for (const auto& program : {check::bfv_decryption(bases), check::bgv_decryption(bases)}) {
    for (const std::size_t items : {1, 5}) {
      Decryption ours(device(), program, items, 3);
      const Words right = expected_numbers(program, items, 3);
      std::size_t wiped = 0;
      for (std::size_t number = 0; number < 20; ++number) {
        const auto numbers = device()->make_numbers(items);
        const Words ones(ours.message().size(), 1), zeros(ones.size(), 0);
        ours.message().from_host(ones);
        const bool stopped =
            check::stopped_at(number, [&] { ours.run(*device()->prepare(program), *numbers); });  // walked
        if (stopped) {
          const Words left = ours.message().to_host();
          CHECK(left == zeros || (number == 0 && left == ones));
          wiped += left == zeros;
        } else {
          CHECK(ours.taken(*numbers) == right);
        }
      }
      CHECK(wiped >= 2);
    }
  }
}

TEST(threads_take_their_own_numbers) {
  const check::Bases bases(4096, Word::u32, 3, 1, 1, 30);
  const auto program = check::bgv_decryption(bases);
  const ExecutionPtr execution = device()->prepare(program);
  std::vector<Words> right;
  for (std::uint8_t round = 0; round < 6; ++round) right.push_back(expected_numbers(program, 2, round));
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < 20; ++t) {
    threads.emplace_back([&, t] {
      const std::size_t round = t % right.size();
      Decryption ours(device(), program, 2, static_cast<std::uint8_t>(round));
      for (int i = 0; i < 50; ++i) {
        const auto numbers = device()->make_numbers(2);
        ours.run(*execution, *numbers);
        wrong += ours.taken(*numbers) != right[round];
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK_EQ(wrong.load(), 0);
}

TEST(garbage_is_refused_by_the_call_that_decrypts_it) {
  for (const auto kind : {&bfv::scheme(), &bgv::scheme()}) {
    const rlwe::Parameters parameters = check::planned(kind, 4096, 109, Word::u32, true);
    for (const EnginePtr& engine : {host(), device()}) {
      const check::Party party(scheme::make_context(parameters, engine), 1);
      for (const std::size_t batch : {1, 3}) {
        const rlwe::Ciphertext c = party.encrypted(0, batch, 7);
        PolyArray polynomials = c.polynomials().clone();
        engine->sample(polynomials.view().items(batch - 1), Law::uniform, check::seed(9), Stream::secret);
        const rlwe::Ciphertext garbage = c.derived(std::move(polynomials), c.noise());
        for (int i = 0; i < 4; ++i) {
          CHECK_THROWS(ContradictionError, scheme::decrypt(garbage, party.secret));
          CHECK(scheme::decrypt(c, party.secret).polynomials().to_host() ==
                party.plain(0, batch, 7).polynomials().to_host());
        }
        static_cast<void>(scheme::decrypt_unchecked(garbage, party.secret));
      }
    }
  }
}

}  // namespace

int main() { return check::run_on_device(); }
