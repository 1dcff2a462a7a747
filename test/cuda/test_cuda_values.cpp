// SPDX-License-Identifier: Apache-2.0
// Values on their way into polynomials and back (HostValues): the device's residues and values are the CPU engine's,
// for every word, width and number of rows, and it refuses the same. Needs a GPU; without one it says so and exits
// with 77.
#include <cstdlib>
#include <iostream>
#include <numeric>
#include <random>
#include <utility>

#include "cyclotome/engine/host_values.hpp"
#include "cyclotome/engine/poly.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/primes.hpp"
#include "engines.hpp"
#include "seed.hpp"

using namespace cyclotome;
using check::device;
using check::host;

namespace {

using Values = std::vector<std::int64_t>;

HostValues& values_of(const EnginePtr& engine) { return dynamic_cast<HostValues&>(*engine); }

/// From a seed that is printed; CYCLOTOME_TEST_SEED repeats it.
std::mt19937_64 random_numbers() {
  const char* const given = std::getenv("CYCLOTOME_TEST_SEED");
  const std::uint64_t seed = given == nullptr ? std::random_device()() : std::strtoull(given, nullptr, 10);
  std::cout << "CYCLOTOME_TEST_SEED=" << seed << '\n';
  return std::mt19937_64(seed);
}

/// Residues that `place` leaves, and whether it took the values.
std::pair<std::vector<std::uint64_t>, bool> placed(const EnginePtr& engine, const RingPtr& ring, const Values& values,
                                                   std::size_t rows, std::span<const std::uint32_t> positions,
                                                   bool reduce) {
  PolyArray out(engine, ring, rows, 1, Domain::transform, true);
  engine->sample(out.view(), Law::uniform, check::seed(7), Stream::secret);  // what was there before
  const bool taken = values_of(engine).place(out.view(), values, values.size() / rows, positions, reduce);
  return {taken ? out.to_host() : std::vector<std::uint64_t>{}, taken};
}

TEST(residues_and_values_are_the_cpus) {
  std::mt19937_64 numbers = random_numbers();
  for (const auto& [word, bits] : {std::pair{Word::u32, 20U}, {Word::u32, 30U}, {Word::u64, 17U}, {Word::u64, 60U}}) {
    for (const std::size_t n : {16U, 1024U, 8192U}) {
      const RingPtr ring = Ring::create(RingShape::negacyclic(n), Basis(word, primes_congruent_to_one(bits, 2 * n, 1)));
      const auto t = static_cast<std::int64_t>(ring->basis()[0]);
      std::vector<std::uint32_t> places(n);
      std::iota(places.begin(), places.end(), 0U);
      std::shuffle(places.begin(), places.end(), std::mt19937_64(n));  // of the ring: once for all
      for (const std::size_t rows : {1U, 3U}) {
        for (const std::size_t width : {n, n - 1, n / 2, std::size_t{1}}) {
          const std::span<const std::uint32_t> positions = width % 2 == 0 ? places : std::span<const std::uint32_t>{};
          Values any(rows * width), centred(rows * width);
          for (auto& x : any) x = static_cast<std::int64_t>(numbers());
          any.front() = INT64_MIN, any.back() = rows * width == 1 ? INT64_MIN : INT64_MAX;
          for (auto& x : centred) x = static_cast<std::int64_t>(numbers() % static_cast<std::uint64_t>(t)) - t / 2;
          centred.front() = -(t / 2), centred.back() = t / 2;
          CHECK(placed(device(), ring, any, rows, positions, true) == placed(host(), ring, any, rows, positions, true));
          const auto right = placed(host(), ring, centred, rows, positions, false);
          CHECK(right.second);
          CHECK(placed(device(), ring, centred, rows, positions, false) == right);
          for (const std::int64_t beyond : {t / 2 + 1, -(t / 2) - 1, INT64_MAX, INT64_MIN}) {
            Values wrong = centred;
            wrong[numbers() % wrong.size()] = beyond;
            CHECK(!placed(device(), ring, wrong, rows, positions, false).second);
            CHECK(!placed(host(), ring, wrong, rows, positions, false).second);
          }
          PolyArray there(device(), ring, rows, 1, Domain::transform, true),
              here(host(), ring, rows, 1, Domain::transform);
          device()->sample(there.view(), Law::uniform, check::seed(9), Stream::secret);
          here.from_host(there.to_host());
          Values found(rows * width, 1), expected(rows * width, 2);
          values_of(device()).collect(found, std::as_const(there).view(), width, positions);
          values_of(host()).collect(expected, std::as_const(here).view(), width, positions);
          CHECK(found == expected);
        }
      }
    }
  }
}

TEST(rows_of_another_size_are_refused) {
  const RingPtr ring = Ring::create(RingShape::negacyclic(64), Basis(Word::u64, primes_congruent_to_one(30, 128, 1)));
  PolyArray out(device(), ring, 2, 1, Domain::transform, true);
  const Values values(128, 1);
  const std::vector<std::uint32_t> few(63);
  CHECK_THROWS(ArgumentError, values_of(device()).place(out.view(), values, 63, {}, true));
  CHECK_THROWS(ArgumentError, values_of(device()).place(out.view(), values, 64, few, true));
  Values found(100);
  CHECK_THROWS(ArgumentError, values_of(device()).collect(found, std::as_const(out).view(), 64, {}));
}

}  // namespace

int main() { return check::run_on_device(); }
