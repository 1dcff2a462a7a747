// SPDX-License-Identifier: Apache-2.0
#pragma once

// Included after a target pragma and after every other header: see kernels_avx512.cpp.

#include <cstring>

#include "cyclotome/engine/cpu/sample.hpp"
#include "cyclotome/engine/cpu/vector/lanes/lanes.hpp"
#include "cyclotome/engine/cpu/vector/unrolled.hpp"

namespace cyclotome::cpu {
namespace {

/// As many blocks of ChaCha20 as a register has 32-bit lanes, one block a lane: word w of all blocks is words[w].
template <class R>
struct ChaChaBlocks {
  using Vector = typename R::Vector;
  static constexpr std::size_t count = R::bytes / 4;

  Vector words[16];

  CYCLOTOME_INLINE ChaChaBlocks(const StreamAddress& address, std::uint32_t counter) {
    Vector start[16];
    constexpr std::uint32_t constants[4] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574};
    unrolled<4>([&](auto i) __attribute__((always_inline)) { start[i] = R::broadcast32(constants[i]); });
    unrolled<8>([&](auto i) __attribute__((always_inline)) { start[4 + i] = R::broadcast32(address.key[i]); });
    start[12] = R::add32(R::broadcast32(counter), R::indices32());
    unrolled<3>([&](auto i) __attribute__((always_inline)) { start[13 + i] = R::broadcast32(address.nonce[i]); });
    unrolled<16>([&](auto i) __attribute__((always_inline)) { words[i] = start[i]; });
    for (int round = 0; round < 10; ++round) {
      quarter_rounds<0>();
      quarter_rounds<1>();
    }
    unrolled<16>([&](auto i) __attribute__((always_inline)) { words[i] = R::add32(words[i], start[i]); });
  }

  /// The 64-bit draws of words w, w + 1: blocks of the lower half of the lanes to `low`, of the upper half to `high`.
  CYCLOTOME_INLINE void draws64(std::size_t w, Vector& low, Vector& high) const {
    low = words[w];
    high = words[w + 1];
    R::interleave32(low, high);
  }

 private:
  /// Four quarter rounds on columns (shift 0) or diagonals (shift 1).
  template <std::size_t shift>
  CYCLOTOME_INLINE void quarter_rounds() {
    unrolled<4>([&](auto i) __attribute__((always_inline)) {
      Vector &a = words[i], &b = words[4 + (i + shift) % 4], &c = words[8 + (i + 2 * shift) % 4],
             &d = words[12 + (i + 3 * shift) % 4];
      step<16>(a, b, d);
      step<12>(c, d, b);
      step<8>(a, b, d);
      step<7>(c, d, b);
    });
  }
  /// a += b, d = (d ^ a) rotated.
  template <int rotation>
  CYCLOTOME_INLINE static void step(Vector& a, Vector b, Vector& d) {
    a = R::add32(a, b);
    d = R::template rotate_left32<rotation>(R::exclusive_or(d, a));
  }
};

/// The samplers of ring/randomness/sampling.hpp, whole groups of blocks at a time.
template <class R, LimbWord W>
struct Sampling {
  using Vector = typename R::Vector;
  using Blocks = ChaChaBlocks<R>;

  /// v[d] holds draw d of block l in lane l; afterwards v in order is block 0's draws, block 1's, ...
  template <std::size_t draws, class T>
  CYCLOTOME_INLINE static void order(Vector* v) {
    unrolled<draws / 2>([&](auto i) __attribute__((always_inline)) {
      if constexpr (sizeof(T) == 4) {
        R::interleave32(v[i], v[i + draws / 2]);
      } else {
        R::interleave64(v[i], v[i + draws / 2]);
      }
    });
    if constexpr (draws > 2) {
      order<draws / 2, T>(v);
      order<draws / 2, T>(v + draws / 2);
    }
  }

  /// fill(destination, block counter) for whole groups of blocks, into `out` or by way of a buffer that is longer than
  /// what is left.
  template <std::size_t draws, class T, class Fill>
  CYCLOTOME_INLINE static void in_groups(T* out, std::size_t first, std::size_t count, const Fill& fill) {
    constexpr std::size_t group = draws * Blocks::count;
    std::size_t done = 0;
    for (; done + group <= count; done += group) fill(out + done, static_cast<std::uint32_t>((first + done) / draws));
    if (done != count) {
      T rest[group];
      fill(rest, static_cast<std::uint32_t>((first + done) / draws));
      std::memcpy(out + done, rest, (count - done) * sizeof(T));
    }
  }

  static void uniform(W* out, std::size_t first, std::size_t count, W q, const StreamAddress& address) noexcept {
    constexpr std::size_t draws = uniform_draws_per_block;
    in_groups<draws>(out, first, count, [&](W* p, std::uint32_t counter) __attribute__((always_inline)) {
      const Blocks blocks(address, counter);
      if constexpr (sizeof(W) == 4) {
        Vector v[draws];
        unrolled<draws>([&](auto d) __attribute__((always_inline)) { v[d] = residue32(blocks.words + 4 * d, q); });
        order<draws, W>(v);
        unrolled<draws>([&](auto d) __attribute__((always_inline)) { R::store(p + d * Blocks::count, v[d]); });
      } else {
        Vector v[2 * draws];  // draws of the lower half of the blocks, then of the upper half
        unrolled<draws>([&](auto d) __attribute__((always_inline)) {
          Vector low[2], high[2];
          blocks.draws64(4 * d, low[0], low[1]);
          blocks.draws64(4 * d + 2, high[0], high[1]);
          v[d] = residue64(low[0], high[0], q);
          v[draws + d] = residue64(low[1], high[1], q);
        });
        order<draws, W>(v);
        order<draws, W>(v + draws);
        unrolled<2 * draws>([&](auto d)
                                __attribute__((always_inline)) { R::store(p + d * (Blocks::count / 2), v[d]); });
      }
    });
  }

  static void small(int* out, std::size_t first, std::size_t count, Law law, const StreamAddress& address) noexcept {
    constexpr std::size_t draws = small_draws_per_block;
    in_groups<draws>(out, first, count, [&](int* p, std::uint32_t counter) __attribute__((always_inline)) {
      const Blocks blocks(address, counter);
      Vector v[draws];
      if (law == Law::ternary) {
        unrolled<draws>([&](auto d) __attribute__((always_inline)) {
          v[d] = ternary(blocks.words[2 * d], blocks.words[2 * d + 1]);
        });
      } else {
        unrolled<draws>(
            [&](auto d) __attribute__((always_inline)) { v[d] = error(blocks.words[2 * d], blocks.words[2 * d + 1]); });
      }
      order<draws, std::uint32_t>(v);
      unrolled<draws>([&](auto d) __attribute__((always_inline)) { R::store(p + d * Blocks::count, v[d]); });
    });
  }

  /// A loop that compilers turn into vector code for the instruction set of this file.
  static void reduce(W* out, const int* small, std::size_t count, W q) noexcept {
    for (std::size_t c = 0; c < count; ++c) {
      const auto sign = static_cast<W>(small[c] >> 31);  // 0 or all ones
      out[c] = static_cast<W>(static_cast<W>(small[c]) + (q & sign));
    }
  }

 private:
  /// floor(r q / 2^128) for r = words[0] + 2^32 words[1] + 2^64 words[2] + 2^96 words[3], lane by lane; q < 2^32.
  CYCLOTOME_INLINE static Vector residue32(const Vector* words, std::uint32_t q) {
    const Vector factor = R::broadcast64(q);
    Vector even = R::zero(), odd = R::zero();
    unrolled<4>([&](auto i) __attribute__((always_inline)) {
      even = R::add64(R::multiply32(words[i], factor), R::template shift_right64<32>(even));
      odd =
          R::add64(R::multiply32(R::template shift_right64<32>(words[i]), factor), R::template shift_right64<32>(odd));
    });
    return R::high_halves(even, odd);
  }

  /// floor((low + 2^64 high) q / 2^128), q < 2^64.
  CYCLOTOME_INLINE static Vector residue64(Vector low, Vector high, std::uint64_t q) {
    const Vector mask = R::broadcast64(0xffffffff), factor = R::broadcast64(q), factor_high = R::broadcast64(q >> 32);
    const Vector carried = multiply_high64<R>(low, factor), high_half = R::template shift_right64<32>(high);
    const Vector bottom = R::multiply32(high, factor), cross1 = R::multiply32(high_half, factor),
                 cross2 = R::multiply32(high, factor_high);
    // What is added to the low word of high q may carry into the high word; sums of 32-bit halves see that.
    const Vector half = R::add64(R::both(bottom, mask), R::both(carried, mask));
    const Vector middle =
        R::add64(R::add64(R::add64(R::template shift_right64<32>(bottom), R::template shift_right64<32>(carried)),
                          R::add64(R::both(cross1, mask), R::both(cross2, mask))),
                 R::template shift_right64<32>(half));
    const Vector top = R::add64(R::multiply32(high_half, factor_high), R::template shift_right64<32>(middle));
    return R::add64(top, R::add64(R::template shift_right64<32>(cross1), R::template shift_right64<32>(cross2)));
  }

  /// 3 y + floor(3 x / 2^32) for the low halves of 64-bit lanes.
  CYCLOTOME_INLINE static Vector triple(Vector x, Vector y) {
    const Vector three = R::broadcast64(3);
    return R::add64(R::multiply32(y, three), R::template shift_right64<32>(R::multiply32(x, three)));
  }
  /// floor(3 r / 2^64) - 1 for r = low + 2^32 high, in 32-bit lanes.
  CYCLOTOME_INLINE static Vector ternary(Vector low, Vector high) {
    const Vector odd = triple(R::template shift_right64<32>(low), R::template shift_right64<32>(high));
    return R::subtract32(R::high_halves(triple(low, high), odd), R::broadcast32(1));
  }

  CYCLOTOME_INLINE static Vector error(Vector low, Vector high) {
    const Vector next = R::add32(R::template shift_right32<21>(low), R::template shift_left32<11>(high));
    return R::subtract32(count_ones_of_21(low), count_ones_of_21(next));
  }
  CYCLOTOME_INLINE static Vector masked(Vector x, std::uint32_t mask) { return R::both(x, R::broadcast32(mask)); }
  CYCLOTOME_INLINE static Vector count_ones_of_21(Vector x) {
    x = masked(x, 0x1fffff);
    x = R::subtract32(x, masked(R::template shift_right32<1>(x), 0x55555555));
    x = R::add32(masked(x, 0x33333333), masked(R::template shift_right32<2>(x), 0x33333333));
    x = masked(R::add32(x, R::template shift_right32<4>(x)), 0x0f0f0f0f);
    return R::template shift_right32<24>(R::product_low32(x, R::broadcast32(0x01010101)));
  }
};

}  // namespace
}  // namespace cyclotome::cpu
