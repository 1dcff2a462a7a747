// SPDX-License-Identifier: Apache-2.0
// Programs on the CUDA engine, which makes a graph of each number of items that comes again: with operands that move or
// stay, by items of several strides, from several host threads, and when memory runs out, they give the CPU engine's
// bits. Needs a GPU; without one it says so and exits with 77, which CTest counts as skipped.
#include <atomic>
#include <cstdio>
#include <thread>

#include "cyclotome/engine/cuda/graph/launches.hpp"
#include "cyclotome/math/errors.hpp"
#include "engines.hpp"
#include "programs.hpp"
#include "trial.hpp"

using namespace cyclotome;
using check::Bases;
using check::device;
using check::host;
using check::Residues;
using check::Trial;

namespace {

void check_programs(const Bases& bases, std::initializer_list<std::size_t> sizes) {
  for (const program::ProgramPtr& program : check::programs(bases)) {
    Trial expected(program, host()), ours(program, device());
    std::uint8_t round = 0;
    for (const std::size_t items : sizes) {
      const std::size_t spread = 1 + round % 3 / 2;
      const std::uint32_t first_item = round % 4;
      const bool equal = ours(items, round, spread, first_item) == expected(items, round, spread, first_item);
      if (!equal) {
        std::printf("  %s differs: round %u, %zu items, degree %zu\n", std::string(program->name()).c_str(),
                    unsigned{round}, items, bases.q->degree());
      }
      CHECK(equal);
      expected.forget();
      if (++round % 5 == 0) ours.forget();  // what comes now lies where something lay before
    }
  }
}

TEST(programs_equal_the_cpu) {
  check_programs(Bases(1024, Word::u32, 3, 1, 1, 30), {1, 1, 1, 3, 1, 3, 3, 1, 7, 7, 7, 1});
  check_programs(Bases(4096, Word::u32, 3, 1, 1, 30), {1, 1, 1, 1, 64, 64, 64, 1});
  check_programs(Bases(4096, Word::u64, 2, 1, 1, 50), {1, 1, 1, 5, 5, 5});
  check_programs(Bases(8192, Word::u64, 4, 2, 2, 60), {1, 1, 1, 2, 2, 2});
  check_programs(Bases(16384, Word::u32, 12, 3, 3, 30), {1, 1, 1, 4, 4, 4});
  check_programs(Bases(512, Word::u32, 2, 1, 1, 30), {1, 1, 1, 2, 2});  // no kernel that holds limbs
  check_programs(Bases(65536, Word::u64, 8, 2, 4, 60), {1, 1, 3, 3});   // limbs that fit one kernel only
  check_programs(Bases(32768, Word::u32, 20, 4, 4, 30), {1, 1, 12});    // too large for graphs
}

TEST(more_sizes_than_are_kept) {
  const Bases bases(1024, Word::u32, 3, 1, 1, 30);
  const auto program = check::bfv_product(bases);
  Trial expected(program, host()), ours(program, device());
  for (std::uint8_t round = 0; round < 4; ++round) {
    for (std::size_t items = 1; items <= 12; ++items) CHECK(ours(items, round) == expected(items, round));
  }
}

TEST(memory_that_others_need_comes_back) {
  const auto engine = CudaEngine::create(0);
  const Bases bases(1024, Word::u32, 3, 1, 1, 30);
  const auto program = check::bgv_product(bases);
  Trial expected(program, host()), ours(program, engine);
  for (std::uint8_t round = 0; round < 6; ++round) {
    CHECK(ours(2, round) == expected(2, round));
    if (round == 3) CHECK_THROWS(EngineError, engine->allocate(std::size_t{1} << 45, false));
  }
}

TEST(executions_outlive_their_engines_owner) {
  for (int i = 0; i < 3; ++i) {
    const Bases bases(4096, Word::u32, 3, 1, 1, 30);
    auto engine = CudaEngine::create(0);
    Trial trial(check::encryption(bases, Domain::coefficient), engine);
    engine.reset();
    for (std::uint8_t round = 0; round < 4; ++round) trial(1, round);  // nobody waits for the last one
  }
}

TEST(host_threads_share_executions) {
  const Bases bases(4096, Word::u32, 3, 1, 1, 30);
  const auto program = check::bfv_product(bases);
  const ExecutionPtr shared = device()->prepare(program);
  constexpr std::uint8_t rounds = 12;
  std::vector<Residues> right;
  Trial expected(program, host());
  for (std::uint8_t round = 0; round < rounds; ++round) right.push_back(expected(1 + round % 2, round));
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 6; ++t) {
    threads.emplace_back([&, t] {
      Trial ours(program, device(), shared);
      for (unsigned repeat = 0; repeat < 3; ++repeat) {
        for (unsigned i = 0; i < rounds; ++i) {
          const auto round = static_cast<std::uint8_t>((i + 5 * t) % rounds);
          if (ours(1 + round % 2, round) != right[round]) ++wrong;
        }
        ours.forget();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK_EQ(wrong.load(), 0);
}

TEST(steps_are_what_they_are_without_a_device) {
  const auto* const cuda = dynamic_cast<const CudaEngine*>(device().get());
  CHECK(cuda != nullptr);
  if (cuda == nullptr || !cuda->holds_whole_limbs()) return;
  const Bases bases(4096, Word::u32, 3, 1, 1, 30);
  for (const program::ProgramPtr& program : check::programs(bases)) {
    const auto steps = device()->prepare(program)->steps();
    CHECK(steps == cuda::launches_of(*program, 1, {.one_pass = true, .doubles = true, .multiprocessors = 132}).steps);
  }
}

}  // namespace

int main() { return check::run_on_device(); }
