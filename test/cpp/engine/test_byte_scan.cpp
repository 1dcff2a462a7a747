// SPDX-License-Identifier: Apache-2.0
// Sums of bytes times digits, on every instruction set of this machine, against sums in 64 bits that go value by value:
// at the edges of 32 bits, for any number of rows, requests and threads.
#include <algorithm>
#include <iostream>
#include <random>
#include <string>
#include <vector>

#include "check.hpp"
#include "cyclotome/engine/cpu/cpu.hpp"
#include "cyclotome/engine/cpu/scan/byte_scan.hpp"
#include "cyclotome/engine/cpu/scan/kernels.hpp"
#include "cyclotome/math/errors.hpp"

namespace {

using cyclotome::ByteScan;
using cyclotome::ByteTiles;
using cyclotome::EnginePtr;
using cyclotome::make_cpu_engine;
namespace cpu = cyclotome::cpu;

struct Problem {
  std::size_t blocks, quads;
  std::vector<std::uint8_t> bytes;
  std::vector<std::vector<std::int8_t>> digits;

  ByteTiles tiles() const { return {bytes.data(), blocks, quads}; }
  std::vector<const std::int8_t*> requests() const {
    std::vector<const std::int8_t*> out;
    for (const auto& request : digits) out.push_back(request.data());
    return out;
  }
  std::size_t sums() const { return digits.size() * blocks * ByteScan::block_sums; }
};

template <class Byte, class Digit>
Problem problem(std::size_t blocks, std::size_t quads, std::size_t requests, const Byte& byte, const Digit& digit) {
  Problem p{blocks, quads, std::vector<std::uint8_t>(blocks * quads * 128), {}};
  for (auto& value : p.bytes) value = static_cast<std::uint8_t>(byte());
  for (std::size_t r = 0; r < requests; ++r) {
    p.digits.emplace_back(quads * ByteScan::digits * ByteTiles::rows);
    for (auto& value : p.digits.back()) value = static_cast<std::int8_t>(digit());
  }
  return p;
}

std::vector<std::int64_t> by_definition(const Problem& p) {
  std::vector<std::int64_t> sums;
  for (const auto& digits : p.digits) {
    for (std::size_t b = 0; b < p.blocks; ++b) {
      for (std::size_t d = 0; d < ByteScan::digits; ++d) {
        for (std::size_t c = 0; c < ByteTiles::columns; ++c) {
          std::int64_t sum = 0;
          for (std::size_t row = 0; row < 4 * p.quads; ++row) {
            const std::size_t quad = row / 4;
            sum += std::int64_t{p.bytes[((b * p.quads + quad) * 32 + c) * 4 + row % 4]} *
                   digits[(quad * ByteScan::digits + d) * 4 + row % 4];
          }
          sums.push_back(sum);
        }
      }
    }
  }
  return sums;
}

void check_everywhere(const Problem& p) {
  const std::vector<std::int64_t> expected = by_definition(p);
  for (const cpu::InstructionSet set : cpu::instruction_sets()) {
    for (const std::size_t threads : {1, 3}) {
      std::vector<std::int64_t> sums(p.sums(), 7);  // what was there counts for nothing
      cpu::make_byte_scan(make_cpu_engine(threads), set)->scan(sums, p.tiles(), p.requests());
      CHECK(sums == expected);
    }
  }
}

TEST(the_largest_products_fit_where_they_are_summed) {
  // One more quad than a 32-bit sum holds, then several times as many.
  for (const std::size_t quads : {cpu::quads_of_a_sum, cpu::quads_of_a_sum + 1, 3 * cpu::quads_of_a_sum - 1}) {
    check_everywhere(problem(1, quads, 1, [] { return 255; }, [] { return -128; }));
    check_everywhere(problem(1, quads, 1, [] { return 255; }, [] { return 127; }));
  }
  CHECK(std::int64_t{4} * 255 * 128 * static_cast<std::int64_t>(cpu::quads_of_a_sum) < std::int64_t{1} << 31);
}

TEST(random_bytes_and_digits_give_the_same_sums_everywhere) {
  const unsigned seed = std::random_device{}();
  std::cout << "seed " << seed << '\n';
  std::mt19937 random(seed);
  const auto draw = [&] { return random() & 0xff; };
  for (const std::size_t quads : {1, 2, 3, 127, 128, 129, 1000, 2048, 2049, 5000}) {
    check_everywhere(problem(1 + random() % 5, quads, 1 + random() % 3, draw, draw));
  }
}

TEST(digits_at_their_ends_beside_random_bytes) {
  std::mt19937 random(1);
  check_everywhere(problem(2, 300, 2, [&] { return random(); }, [&] { return (random() & 1) != 0 ? -128 : 127; }));
  check_everywhere(problem(2, 300, 1, [&] { return (random() & 1) * 255; }, [&] { return random(); }));
}

TEST(nothing_to_scan_gives_zeros) { check_everywhere(Problem{2, 0, {}, {{}}}); }

TEST(sums_of_another_size_are_refused) {
  const Problem p = problem(1, 4, 1, [] { return 1; }, [] { return 1; });
  std::vector<std::int64_t> sums(p.sums() - 1);
  const auto scan = cpu::make_byte_scan(make_cpu_engine(1));
  CHECK_THROWS_WITH(cyclotome::ArgumentError, scan->scan(sums, p.tiles(), p.requests()), "blocks of columns");
}

TEST(an_engine_without_threads_of_this_machine_is_refused) {
  CHECK_EQ(cpu::instruction_sets().empty(), false);
  for (const cpu::InstructionSet set : {cpu::InstructionSet::neon, cpu::InstructionSet::avx2}) {
    const auto sets = cpu::instruction_sets();
    if (std::find(sets.begin(), sets.end(), set) != sets.end()) continue;
    CHECK_THROWS_WITH(cyclotome::EngineError, cpu::make_byte_scan(make_cpu_engine(1), set), "this machine has no");
  }
}

}  // namespace

int main() { return cyclotome::check::run(); }
