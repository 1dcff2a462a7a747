// SPDX-License-Identifier: Apache-2.0
#pragma once

// Operands and comparisons that the tests of the vector code share.

#include <random>
#include <string>
#include <vector>

#include "check.hpp"
#include "cyclotome/engine/cpu/cpu_engine.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/primes.hpp"

namespace cyclotome::check {

using cpu::InstructionSet;

/// All but the scalar one.
inline std::vector<InstructionSet> vector_sets() {
  std::vector<InstructionSet> sets = cpu::instruction_sets();
  sets.erase(sets.begin());
  return sets;
}

template <LimbWord W>
using Words = std::vector<W>;

/// `count` residues below q: random, or one of the extremes where lazy arithmetic could overflow.
enum class Pattern { random, zeros, largest, alternating, ones };
constexpr Pattern patterns[] = {Pattern::random, Pattern::zeros, Pattern::largest, Pattern::alternating, Pattern::ones};

template <LimbWord W>
Words<W> residues(std::size_t count, std::uint64_t q, Pattern pattern, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Words<W> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    switch (pattern) {
      case Pattern::random:
        values[i] = static_cast<W>(random() % q);
        break;
      case Pattern::zeros:
        break;
      case Pattern::largest:
        values[i] = static_cast<W>(q - 1);
        break;
      case Pattern::alternating:
        values[i] = static_cast<W>(random() % 2 == 0 ? 0 : q - 1);
        break;
      case Pattern::ones:
        values[i] = static_cast<W>(1 % q);
        break;
    }
  }
  return values;
}

/// Moduli of every class of a word: tiny, composite, powers of two, and the neighbours of each path's limits.
template <LimbWord W>
std::vector<std::uint64_t> moduli() {
  if constexpr (sizeof(W) == 4) {
    return {2, 3, 65536, 65537, (1u << 30) - 1, 1u << 30, (1u << 31) - 2, (1u << 31) - 1};
  } else {
    return {2,
            3,
            65537,
            1ULL << 32,
            (1ULL << 46) - 1,  // sums on doubles are reduced after 64 terms, 16, 8, and 4 of 50 bits
            (1ULL << 48) - 1,
            (1ULL << 49) - 1,
            (1ULL << 49) + 1,
            1ULL << 49,
            (1ULL << 50) - 1,
            1ULL << 50,
            (1ULL << 50) + 1,
            (1ULL << 52) - 1,  // one word of the 52-bit multipliers, or two
            (1ULL << 52) + 1,
            (1ULL << 55) - 1,  // near a power of two: sums of 15, 31 and 3 terms
            (1ULL << 56) - 1,
            (1ULL << 56) - (1ULL << 26),
            (1ULL << 56) - (1ULL << 26) - 1,
            (1ULL << 57) - 1,
            (1ULL << 60) - 1,
            1ULL << 60,
            (1ULL << 61) - 2,
            (1ULL << 61) - 1};
  }
}

/// Primes with a transform of length n: the largest of each size class, the first above, and the smallest there is.
template <LimbWord W>
std::vector<std::uint64_t> transform_primes(std::size_t n) {
  std::vector<std::uint64_t> primes;
  const auto widths = sizeof(W) == 4 ? std::vector<unsigned>{30, 24}
                                     : std::vector<unsigned>{61, 60, 51, 50, 49, 47, 46, 36, 30, 58, 57, 55, 48};
  for (const unsigned bits : widths) primes.push_back(primes_congruent_to_one(bits, 2 * n, 1)[0]);
  const auto next_prime = [&](std::uint64_t above) {
    std::uint64_t next = above + 1;  // 1 modulo 2 n, since `above` is a multiple of it
    while (!is_prime(next)) next += 2 * n;
    return next;
  };
  primes.push_back(next_prime(2 * n));
  if (sizeof(W) == 8) {  // where lanes with less room begin
    for (const unsigned bits : {46, 47, 49, 50}) primes.push_back(next_prime(std::uint64_t{1} << bits));
  }
  return primes;
}

template <LimbWord W>
std::uint64_t reduced(u128 value, std::uint64_t q) {
  return static_cast<std::uint64_t>(value % q);
}

/// `got` against expected(c), reporting the first difference only.
template <LimbWord W, class Expected>
void check_all(const std::string& what, const Words<W>& got, const Expected& expected) {
  for (std::size_t c = 0; c < got.size(); ++c) {
    if (const std::uint64_t value = expected(c); got[c] != value) {
      record(false, __FILE__, __LINE__,
             message(what, ": coefficient ", c, " of ", got.size(), " is ", got[c], ", not ", value));
      return;
    }
  }
  record(true, __FILE__, __LINE__, "");
}

inline std::string label(InstructionSet set, unsigned bits, const char* verb, std::uint64_t q, Pattern pattern) {
  return message(cpu::name_of(set), ", ", bits, "-bit words, ", verb, ", q = ", q, ", pattern ",
                 static_cast<int>(pattern));
}

}  // namespace cyclotome::check
