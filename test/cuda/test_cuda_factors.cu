// SPDX-License-Identifier: Apache-2.0
// The integer arithmetic of the CUDA engine's transforms, compiled for the host: factors that lie as their quotients
// come back whole, and every stage keeps its range and computes what it says, at the ends of the ranges too. Needs no
// GPU.
#include <random>

#include "check.hpp"
#include "cyclotome/engine/cuda/integer_arithmetic.cuh"
#include "cyclotome/math/primes.hpp"
#include "cyclotome/ring/tables/transform_tables.hpp"

using namespace cyclotome;

namespace {

using W = std::uint32_t;
using Arithmetic = cuda::IntegerArithmetic<W>;

std::mt19937_64 numbers(20261123);

cuda::LimbTables<W> tables_of(W q) {
  cuda::LimbTables<W> t{};
  t.modulus = Modulus<W>(q);
  t.two_q = 2 * q;
  W inverse = 1;
  for (int i = 0; i < 5; ++i) inverse *= 2 - q * inverse;
  t.negative_inverse = 0 - inverse;
  return t;
}

/// Primes of every length that a ring's degree leaves room for, the shortest and the longest of each.
std::vector<W> moduli() {
  std::vector<W> result;
  for (unsigned bits = 8; bits <= 30; ++bits) {
    for (const std::uint64_t q : primes_congruent_to_one(bits, 2, 2)) result.push_back(static_cast<W>(q));
    std::uint64_t least = (std::uint64_t{1} << (bits - 1)) + 1;
    while (!is_prime(least)) least += 2;
    result.push_back(static_cast<W>(least));
  }
  return result;
}

/// The first and last of [low, high), and some between.
std::vector<W> between(std::uint64_t low, std::uint64_t high) {
  std::vector<W> result;
  for (std::uint64_t i = 0; i < 4 && low + i < high; ++i) {
    result.push_back(static_cast<W>(low + i));
    result.push_back(static_cast<W>(high - 1 - i));
  }
  for (int i = 0; i < 8; ++i) result.push_back(static_cast<W>(low + numbers() % (high - low)));
  return result;
}

TEST(quotients_give_whole_factors) {
  for (const W q : moduli()) {
    auto factors = between(1, q);
    if (q < 1U << 12) {
      factors.clear();
      for (W w = 1; w < q; ++w) factors.push_back(w);
    }
    for (int i = 0; i < 2000; ++i) factors.push_back(static_cast<W>(1 + numbers() % (q - 1)));
    for (const W w : factors) {
      const ShoupFactor<W> shoup(w, q);
      const auto whole = cuda::Quotient::of(shoup.operand, shoup.quotient).whole(q);
      CHECK(whole.operand == w);
      CHECK(whole.quotient == shoup.quotient);
    }
  }
}

TEST(stages_keep_their_ranges) {
  for (const W q : moduli()) {
    const cuda::LimbTables<W> t = tables_of(q);
    const Arithmetic m(t);
    const auto residue = [q](std::uint64_t x) { return x % q; };
    for (const W w : between(1, q)) {
      const ShoupFactor<W> shoup(w, q);
      const auto factor = m.factor(cuda::Quotient::of(shoup.operand, shoup.quotient));
      for (const W x : between(0, 4ULL * q)) {
        for (const W y : between(0, 4ULL * q)) {
          W sum = x, difference = y;
          const std::uint64_t product = residue(static_cast<std::uint64_t>(w) * y);
          m.forward_butterfly(sum, difference, factor);
          CHECK(sum < 4ULL * q && residue(sum) == residue(x + product));
          CHECK(difference < 4ULL * q && residue(difference) == residue(std::uint64_t{x} + q - product));
          CHECK(m.canonical(sum) == residue(sum));
          if (x >= 2ULL * q || y >= 2ULL * q) continue;
          sum = x, difference = y;
          m.first_butterfly(sum, difference, factor);
          CHECK(sum < 4ULL * q && residue(sum) == residue(x + product));
          CHECK(difference < 4ULL * q && residue(difference) == residue(std::uint64_t{x} + q - product));
          sum = x, difference = y;
          m.inverse_butterfly(sum, difference, factor);
          CHECK(sum < 2ULL * q && residue(sum) == residue(std::uint64_t{x} + y));
          CHECK(difference < 2ULL * q && residue(difference) == residue(w * residue(x + 2ULL * q - y)));
        }
      }
    }
  }
}

TEST(factors_of_rings_come_back_whole) {
  for (const std::size_t degree : {std::size_t{8}, std::size_t{1024}, std::size_t{65536}}) {
    const auto q = static_cast<W>(primes_congruent_to_one(30, 2 * degree, 1).front());
    const TransformTables<W> tables(degree, q);
    for (std::size_t i = 0; i < degree; ++i) {
      CHECK(cuda::Quotient::of(0, tables.root_quotients[i]).whole(q).operand == tables.roots[i]);
      CHECK(cuda::Quotient::of(0, tables.inverse_root_quotients[i]).whole(q).operand == tables.inverse_roots[i]);
    }
  }
}

}  // namespace

int main() { return cyclotome::check::run(); }
