// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/math/word.hpp"

namespace cyclotome {

namespace detail {
CYCLOTOME_HD constexpr std::uint32_t rotate_left(std::uint32_t x, int count) noexcept {
  return (x << count) | (x >> (32 - count));
}
CYCLOTOME_HD constexpr void quarter_round(std::uint32_t& a, std::uint32_t& b, std::uint32_t& c,
                                          std::uint32_t& d) noexcept {
  a += b;
  d = rotate_left(d ^ a, 16);
  c += d;
  b = rotate_left(b ^ c, 12);
  a += b;
  d = rotate_left(d ^ a, 8);
  c += d;
  b = rotate_left(b ^ c, 7);
}
}  // namespace detail

/// One 64-byte block of ChaCha20 (RFC 8439, 2.3): `out` receives sixteen words whose little-endian bytes are the
/// stream. counter: 32-bit block counter; nonce: three little-endian words.
CYCLOTOME_HD constexpr void chacha20_block(const std::uint32_t (&key)[8], std::uint32_t counter,
                                           const std::uint32_t (&nonce)[3], std::uint32_t (&out)[16]) noexcept {
  const std::uint32_t start[16] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574, key[0], key[1],
                                   key[2],     key[3],     key[4],     key[5],     key[6], key[7],
                                   counter,    nonce[0],   nonce[1],   nonce[2]};
  std::uint32_t x[16] = {};
  for (int i = 0; i < 16; ++i) x[i] = start[i];
  for (int round = 0; round < 10; ++round) {
    detail::quarter_round(x[0], x[4], x[8], x[12]);
    detail::quarter_round(x[1], x[5], x[9], x[13]);
    detail::quarter_round(x[2], x[6], x[10], x[14]);
    detail::quarter_round(x[3], x[7], x[11], x[15]);
    detail::quarter_round(x[0], x[5], x[10], x[15]);
    detail::quarter_round(x[1], x[6], x[11], x[12]);
    detail::quarter_round(x[2], x[7], x[8], x[13]);
    detail::quarter_round(x[3], x[4], x[9], x[14]);
  }
  for (int i = 0; i < 16; ++i) out[i] = x[i] + start[i];
}

}  // namespace cyclotome
