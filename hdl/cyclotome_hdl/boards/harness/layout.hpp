// SPDX-License-Identifier: Apache-2.0
// What the generator says of a circuit: which word goes where, and which primes it takes; and the words of its tables.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

asm(".section .rodata\n.balign 16\n.hidden circuit_layout\n.global "
    "circuit_layout\ncircuit_layout:\n.incbin " LAYOUT_FILE "\n.previous\n");
extern "C" const std::int32_t circuit_layout[];

namespace {

using Wide = unsigned __int128;

constexpr std::uint64_t degree = DEGREE;
constexpr std::uint32_t operations = OPERATIONS;
constexpr bool several_primes = (operations & CYCLOTOME_CIRCUIT_SEVERAL_PRIMES) != 0;
enum Operation : unsigned { product, forward, inverse };

std::uint64_t multiply(std::uint64_t a, std::uint64_t b, std::uint64_t p) {
  return static_cast<std::uint64_t>(static_cast<Wide>(a) * b % p);
}

std::uint64_t power(std::uint64_t base, std::uint64_t exponent, std::uint64_t p) {
  std::uint64_t result = 1 % p;
  for (; exponent != 0; exponent >>= 1, base = multiply(base, base, p)) {
    if (exponent & 1) result = multiply(result, base, p);
  }
  return result;
}

/// One word on its way to a table: psi^exponent 2^power, or the modulus where the exponent is negative.
struct TableWord {
  std::int32_t address, exponent, power, offset;
};

/// [beat][lane]: which coefficient.
struct Order {
  std::size_t beats = 0, lanes = 0;
  const std::int32_t* index = nullptr;
};

/// The layout that the generator wrote, read in place.
struct Layout {
  /// Whether a table's words are written at ticks that count from their product's first word; else ahead of it.
  bool timed;
  struct Lane {
    std::size_t count;
    const TableWord* words;
  };
  std::vector<Lane> tables;
  Order inputs[3], outputs[3];

  Layout() {
    const std::int32_t* at = circuit_layout;
    timed = *at++ != 0;
    const auto lanes = static_cast<std::size_t>(*at++);
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      const auto count = static_cast<std::size_t>(*at++);
      tables.push_back({count, reinterpret_cast<const TableWord*>(at)});
      at += 4 * count;
    }
    for (unsigned operation = product; operation <= inverse; ++operation) {
      for (Order* order : {&inputs[operation], &outputs[operation]}) {
        order->beats = static_cast<std::size_t>(*at++);
        order->lanes = static_cast<std::size_t>(*at++);
        order->index = at;
        at += order->beats * order->lanes;
      }
    }
  }
};

const Layout& layout() {
  static const Layout the;
  return the;
}

/// A prime and the words that the tables hold for it, lane by lane.
struct Prime {
  std::uint64_t modulus = 0;
  std::vector<std::vector<std::uint64_t>> words;

  Prime() = default;

  Prime(std::uint64_t p, std::uint64_t psi) : modulus(p) {
    std::vector<std::uint64_t> powers(2 * degree);
    powers[0] = 1;
    for (std::size_t i = 1; i < powers.size(); ++i) powers[i] = multiply(powers[i - 1], psi, p);
    const std::uint64_t half = (p + 1) / 2;
    std::int32_t known = 0;
    std::uint64_t scale = 1;
    for (const auto& lane : layout().tables) {
      auto& column = words.emplace_back(lane.count);
      for (std::size_t i = 0; i < lane.count; ++i) {
        const TableWord& word = lane.words[i];
        if (word.power != known) {
          known = word.power;
          scale = known < 0 ? power(half, static_cast<std::uint64_t>(-static_cast<std::int64_t>(known)), p)
                            : power(2, static_cast<std::uint64_t>(known), p);
        }
        if (word.exponent < 0) {
          column[i] = p;
          continue;
        }
        column[i] = multiply(powers[static_cast<std::size_t>(word.exponent)], scale, p);
      }
    }
  }
};

}  // namespace
