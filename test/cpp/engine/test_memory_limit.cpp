// SPDX-License-Identifier: Apache-2.0
// Memory limits: what is refused, when, and that nothing was taken for it.
#include "check.hpp"
#include "cyclotome/engine/memory_limit.hpp"
#include "cyclotome/math/errors.hpp"
#include "party.hpp"

namespace {

using namespace cyclotome;

// Every test leaves the process without a limit.
struct Unlimited {
  ~Unlimited() { set_memory_limit(std::nullopt); }
};

TEST(sizes_are_for_people) {
  CHECK_EQ(byte_size(1023), std::string("1023 B"));
  CHECK_EQ(byte_size(12 << 10), std::string("12.0 KiB"));
  CHECK_EQ(byte_size(3 << 19), std::string("1.5 MiB"));
  CHECK_EQ(byte_size(std::uint64_t{5000} << 40), std::string("5000.0 TiB"));
}

TEST(arrays_beyond_the_limit_are_refused) {
  const Unlimited after;
  const auto engine = CpuEngine::create(1);
  const auto context = scheme::make_context(rlwe::Parameters(check::literal(Word::u64, 1)), engine);
  const check::Party party(context, 1);
  const auto x = party.encrypted(0, 4, 9);
  const std::size_t held = engine->memory_used();
  set_memory_limit(held + 10000);
  CHECK_EQ(*memory_limit(), held + 10000);
  CHECK_THROWS_WITH(MemoryLimitError, scheme::multiply(x, x), "in use on cpu");
  CHECK_THROWS_WITH(EngineError, party.encrypted(0, 1000, 9), "limit is");
  CHECK_EQ(engine->memory_used(), held);
  set_memory_limit(0);
  CHECK_THROWS(MemoryLimitError, scheme::add(x, x));
  set_memory_limit(~std::uint64_t{0} - 1);  // no sum overflows
  CHECK_EQ(scheme::add(x, x).batch(), std::size_t{4});
  CHECK_THROWS(MemoryLimitError, require_memory(*engine, "nothing", ~std::uint64_t{0}));
}

TEST(more_than_the_machine_has_is_refused_without_a_limit) {
  const auto engine = CpuEngine::create(1);
  const auto free = free_main_memory();
  CHECK(free.has_value());
  CHECK(*free > 0);
  require_memory(*engine, "little", *free / 100);
  CHECK_THROWS_WITH(MemoryLimitError, require_memory(*engine, "the sky", *free + announced_bytes, "look down"),
                    "the sky takes");
  CHECK_THROWS_WITH(MemoryLimitError, require_memory(*engine, "the sky", ~std::uint64_t{0}, "look down"), "look down");
  CHECK_THROWS(MemoryLimitError, require_main_memory("the sky", ~std::uint64_t{0}));
  const RingPtr ring = Ring::negacyclic(1024, Basis(Word::u64, primes_congruent_to_one(50, 2048, 1)));
  CHECK_THROWS_WITH(MemoryLimitError, PolyArray(engine, ring, std::size_t{1} << 40, 2), "polynomials of degree 1024");
  CHECK_EQ(engine->memory_used(), std::size_t{0});
}

}  // namespace

int main() { return check::run(); }
