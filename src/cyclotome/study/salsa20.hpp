// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/math/word.hpp"

namespace cyclotome::study {

/// y ^= (a + b) turned left by `count` bits: a quarter-round's step.
CYCLOTOME_HD constexpr void salsa20_step(std::uint32_t& y, std::uint32_t a, std::uint32_t b, int count) noexcept {
  const std::uint32_t sum = a + b;
  y ^= (sum << count) | (sum >> (32 - count));
}

CYCLOTOME_HD constexpr void salsa20_quarter_round(std::uint32_t& a, std::uint32_t& b, std::uint32_t& c,
                                                  std::uint32_t& d) noexcept {
  salsa20_step(b, a, d, 7);
  salsa20_step(c, b, a, 9);
  salsa20_step(d, c, b, 13);
  salsa20_step(a, d, c, 18);
}

/// One 64-byte block of Salsa20/20 with a key of 256 bits (Bernstein, "The Salsa20 family of stream ciphers", 2008; the
/// generator of paper 001, 4.3.1). `out` receives sixteen words whose little-endian bytes are the stream.
CYCLOTOME_HD constexpr void salsa20_block(const std::uint32_t (&key)[8], std::uint64_t counter, std::uint64_t nonce,
                                          std::uint32_t (&out)[16]) noexcept {
  const std::uint32_t start[16] = {0x61707865,
                                   key[0],
                                   key[1],
                                   key[2],
                                   key[3],
                                   0x3320646e,
                                   static_cast<std::uint32_t>(nonce),
                                   static_cast<std::uint32_t>(nonce >> 32),
                                   static_cast<std::uint32_t>(counter),
                                   static_cast<std::uint32_t>(counter >> 32),
                                   0x79622d32,
                                   key[4],
                                   key[5],
                                   key[6],
                                   key[7],
                                   0x6b206574};
  std::uint32_t x[16] = {};
  for (int i = 0; i < 16; ++i) x[i] = start[i];
  for (int round = 0; round < 10; ++round) {
    salsa20_quarter_round(x[0], x[4], x[8], x[12]);  // columns
    salsa20_quarter_round(x[5], x[9], x[13], x[1]);
    salsa20_quarter_round(x[10], x[14], x[2], x[6]);
    salsa20_quarter_round(x[15], x[3], x[7], x[11]);
    salsa20_quarter_round(x[0], x[1], x[2], x[3]);  // rows
    salsa20_quarter_round(x[5], x[6], x[7], x[4]);
    salsa20_quarter_round(x[10], x[11], x[8], x[9]);
    salsa20_quarter_round(x[15], x[12], x[13], x[14]);
  }
  for (int i = 0; i < 16; ++i) out[i] = x[i] + start[i];
}

}  // namespace cyclotome::study
