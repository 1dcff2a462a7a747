// SPDX-License-Identifier: Apache-2.0
// Sorting, selecting and comparing as circuits over plain values, against the standard library's stable sort.

#include <algorithm>
#include <bit>
#include <iostream>
#include <numeric>
#include <random>

#include "check.hpp"
#include "circuit_values.hpp"
#include "cyclotome/circuit/counts.hpp"
#include "cyclotome/circuit/jobs/ranks.hpp"
#include "cyclotome/circuit/jobs/sorting.hpp"
#include "cyclotome/math/errors.hpp"

namespace {

using namespace cyclotome;
using check::append_bits;
using check::numbers_of;
using check::Residues;
using check::run_plain;
using circuit::Sign;
using circuit::Sorting;

std::int64_t meaning(std::uint64_t value, const Sorting& s) {
  if (s.sign == Sign::none || s.bits == 64 || (value >> (s.bits - 1) & 1) == 0) return static_cast<std::int64_t>(value);
  return static_cast<std::int64_t>(value - (std::uint64_t{1} << s.bits));
}

/// The numbers of the items in order, by the standard library.
std::vector<std::size_t> expected_order(const Residues& values, const Sorting& s) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, [&](std::size_t i, std::size_t j) {
    const std::int64_t x = meaning(values[i], s), y = meaning(values[j], s);
    return s.descending ? x > y : x < y;
  });
  return order;
}

Residues bits_of(const Residues& values, std::size_t bits) {
  Residues result;
  for (const std::uint64_t value : values) append_bits(result, value, bits);
  return result;
}

/// Sorts with each item's number carried along, and compares with the standard library.
void check_sort(const Residues& values, Sorting s) {
  s.count = values.size();
  s.carried = 7;
  Residues numbers(values.size());
  std::iota(numbers.begin(), numbers.end(), 0);
  const auto outputs = run_plain(circuit::sort_circuit(s), {bits_of(values, s.bits), bits_of(numbers, s.carried)});
  const std::size_t width = circuit::word_bits(s.modulus);
  std::vector<std::size_t> order = expected_order(values, s);
  if (s.kept > 0) order.resize(s.kept);
  Residues sorted;
  for (const std::size_t i : order) sorted.push_back(values[i]);
  CHECK_EQ(numbers_of(outputs[0], s.bits, width), sorted);
  CHECK_EQ(numbers_of(outputs[1], s.carried, width), Residues(order.begin(), order.end()));
}

std::mt19937_64& random_numbers() {
  static std::mt19937_64 generator = [] {
    const auto seed = std::random_device()();
    std::cout << "seed " << seed << "\n";
    return std::mt19937_64(seed);
  }();
  return generator;
}

/// Few different ones, so that many are equal.
Residues drawn(std::size_t count, std::size_t bits, std::uint64_t different) {
  Residues values(count);
  const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
  const std::uint64_t base = random_numbers()();
  for (std::uint64_t& value : values) value = (base + (random_numbers()() % different) * 0x9e3779b97f4a7c15) & mask;
  return values;
}

TEST(sorting_is_stable_for_every_count) {
  for (const std::size_t count : {1, 2, 3, 4, 5, 7, 8, 9, 16, 31, 33, 64}) {
    for (const bool descending : {false, true}) {
      for (const Sign sign : {Sign::none, Sign::twos_complement}) {
        check_sort(drawn(count, 8, 5), {.count = 0, .bits = 8, .sign = sign, .descending = descending});
        check_sort(drawn(count, 8, 1000), {.count = 0, .bits = 8, .sign = sign, .descending = descending});
      }
    }
  }
}

TEST(sorting_numbers_of_any_length) {
  for (const std::size_t bits : {1, 2, 3, 5, 12, 16, 32, 63}) {
    check_sort(drawn(6, bits, 4), {.count = 0, .bits = bits});
    check_sort(drawn(6, bits, 100), {.count = 0, .bits = bits, .sign = Sign::twos_complement});
  }
}

TEST(sorting_by_plain_sums_of_ranks) {
  for (const std::size_t count : {1, 2, 3, 5, 8, 17, 64}) {
    for (const Sign sign : {Sign::none, Sign::twos_complement}) {
      check_sort(drawn(count, 8, 5), {.count = 0, .bits = 8, .sign = sign, .modulus = 65537});
    }
  }
  check_sort(drawn(5, 32, 3), {.count = 0, .bits = 32, .modulus = 65537});
  check_sort(drawn(5, 32, 3), {.count = 0, .bits = 32, .descending = true, .modulus = 67});
}

TEST(sorting_the_same_the_sorted_and_the_extreme) {
  for (const std::uint64_t modulus : {2ULL, 65537ULL}) {
    const Sorting plain{.count = 0, .bits = 8, .modulus = modulus};
    check_sort(Residues(9, 77), plain);
    check_sort({1, 2, 3, 4, 5, 6, 7}, plain);
    check_sort({7, 6, 5, 4, 3, 2, 1}, plain);
    check_sort({0, 255, 128, 127, 255, 0, 1}, plain);
    check_sort({0, 255, 128, 127, 255, 0, 1},
               {.count = 0, .bits = 8, .sign = Sign::twos_complement, .modulus = modulus});
  }
}

TEST(selecting_the_first_ones) {
  for (const std::uint64_t modulus : {2ULL, 65537ULL}) {
    for (const std::size_t kept : {1, 2, 5, 11}) {
      check_sort(drawn(11, 8, 6), {.count = 0, .bits = 8, .kept = kept, .descending = true, .modulus = modulus});
    }
  }
  // Fewer are wanted, fewer products are made.
  const auto products = [](std::size_t kept) {
    return circuit::counts_of(circuit::sort_circuit({.count = 16, .bits = 8, .kept = kept})).products;
  };
  CHECK(products(1) + 15 * 16 * 8 <= products(0));
}

TEST(the_first_of_the_largest) {
  for (const std::uint64_t modulus : {2ULL, 65537ULL}) {
    for (const std::size_t count : {2, 3, 8, 13, 64}) {
      Sorting s{.count = count, .bits = 8, .sign = Sign::twos_complement, .descending = true, .modulus = modulus};
      const Residues values = drawn(count, 8, 4);
      const std::size_t first = expected_order(values, s)[0];
      const auto outputs = run_plain(circuit::argmax_circuit(s), {bits_of(values, 8)});
      CHECK_EQ(numbers_of(outputs[0], std::bit_width(count - 1), circuit::word_bits(modulus))[0], first);
      Residues mask(count);
      mask[first] = 1;
      CHECK_EQ(outputs[1], mask);
    }
  }
}

TEST(comparing_every_pair_of_small_numbers) {
  for (const std::uint64_t modulus : {2ULL, 65537ULL}) {
    for (const std::size_t bits : {1, 2, 3, 4}) {
      for (const Sign sign : {Sign::none, Sign::twos_complement}) {
        const circuit::Circuit less = circuit::less_circuit(bits, sign, modulus);
        const circuit::Circuit equal = circuit::equal_circuit(bits, modulus);
        for (std::uint64_t x = 0; x < 1U << bits; ++x) {
          for (std::uint64_t y = 0; y < 1U << bits; ++y) {
            const Sorting s{.count = 2, .bits = bits, .sign = sign};
            const std::vector<Residues> inputs = {bits_of({x}, bits), bits_of({y}, bits)};
            CHECK_EQ(run_plain(less, inputs)[0][0], std::uint64_t{meaning(x, s) < meaning(y, s)});
            CHECK_EQ(run_plain(equal, inputs)[0][0], std::uint64_t{x == y});
          }
        }
      }
    }
  }
}

TEST(counts_are_those_of_the_specification) {
  struct Row {
    std::size_t bits, count, products, depth, relinearizations;
  };
  for (const Row& row : {Row{8, 4, 254, 7, 158}, Row{8, 8, 1124, 8, 676}, Row{8, 16, 4728, 9, 2808},
                         Row{8, 32, 19408, 10, 11472}, Row{8, 64, 78688, 11, 46432}, Row{32, 4, 1058, 9, 674},
                         Row{32, 8, 4620, 10, 2828}, Row{32, 16, 19272, 11, 11592}, Row{32, 32, 78704, 12, 46960}}) {
    const circuit::Circuit sort = circuit::sort_circuit({.count = row.count, .bits = row.bits});
    const circuit::Counts counts = circuit::counts_of(sort);
    CHECK_EQ(counts.products, row.products);
    CHECK_EQ(counts.relinearizations, row.relinearizations);
    CHECK_EQ(sort.depth(), row.depth);
  }
}

TEST(bits_are_counted_with_as_many_products_as_carries) {
  for (std::size_t count = 1; count <= 70; ++count) {
    circuit::Writer writer("count");
    const auto bits = writer.input("bits", count);
    writer.output("sum", circuit::bit_count(writer, bits));
    const circuit::Circuit counting = writer.finish();
    CHECK_EQ(circuit::counts_of(counting).products, count - static_cast<std::size_t>(std::popcount(count)));
    for (std::size_t k = 0; k < counting.outputs()[0].wires.size(); ++k) {
      CHECK_EQ(counting.gate(counting.outputs()[0].wires[k]).depth, k);
    }
    Residues set(count);
    for (auto& bit : set) bit = random_numbers()() & 1;
    CHECK_EQ(numbers_of(run_plain(counting, {set})[0], 7, 1)[0],
             static_cast<std::uint64_t>(std::accumulate(set.begin(), set.end(), std::uint64_t{0})));
  }
}

TEST(numbers_out_of_range_are_refused) {
  CHECK_THROWS_WITH(ArgumentError, circuit::sort_circuit({.count = 65, .bits = 8}), "at most 64");
  CHECK_THROWS(ArgumentError, circuit::sort_circuit({.count = 0, .bits = 8}));
  CHECK_THROWS_WITH(ArgumentError, circuit::sort_circuit({.count = 4, .bits = 65}), "[1, 64]");
  CHECK_THROWS(ArgumentError, circuit::sort_circuit({.count = 4, .bits = 8, .kept = 5}));
  CHECK_THROWS_WITH(ArgumentError, circuit::sort_circuit({.count = 4, .bits = 8, .modulus = 17}), "above 64");
  CHECK_THROWS(ArgumentError, circuit::sort_circuit({.count = 4, .bits = 8, .modulus = 65535}));
  CHECK_THROWS(ArgumentError, circuit::argmax_circuit({.count = 1, .bits = 8}));
  CHECK_THROWS(ArgumentError, circuit::less_circuit(0, Sign::none));
}

TEST(writers_refuse_what_is_no_circuit) {
  circuit::Writer writer("test");
  const auto x = writer.input("x", 2);
  const circuit::Wire both = writer.product(x[0], x[1]);
  CHECK_THROWS_WITH(ArgumentError, writer.product(both, x[0]), "relinearise it first");
  CHECK_THROWS_WITH(ArgumentError, writer.sum({{x[0]}, {x[0]}}, 1), "a constant");
  CHECK_THROWS(ArgumentError, writer.sum({{circuit::Wire{99}}}));
  writer.output("both", {both});
  CHECK_THROWS_WITH(ArgumentError, writer.finish(), "not relinearised");
  CHECK_THROWS(ArgumentError, circuit::Writer("test", 4));
}

}  // namespace

int main() { return cyclotome::check::run(); }
