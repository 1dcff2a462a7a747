// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/engine/cpu/sample.hpp"

#include <algorithm>
#include <cstring>

namespace cyclotome::cpu {

namespace {

/// Blocks that are computed side by side: plain loops that compilers turn into vector code.
constexpr std::size_t lanes = 16;

using Lanes = std::uint32_t[lanes];

inline void add_rotate(Lanes& a, const Lanes& b, Lanes& d, int count) noexcept {
  for (std::size_t l = 0; l < lanes; ++l) {
    a[l] += b[l];
    d[l] = detail::rotate_left(d[l] ^ a[l], count);
  }
}

inline void quarter_rounds(Lanes& a, Lanes& b, Lanes& c, Lanes& d) noexcept {
  add_rotate(a, b, d, 16);
  add_rotate(c, d, b, 12);
  add_rotate(a, b, d, 8);
  add_rotate(c, d, b, 7);
}

/// out[w][l]: word w of block counter + l.
void blocks(std::uint32_t (&out)[16][lanes], const StreamAddress& address, std::uint32_t counter) noexcept {
  constexpr std::uint32_t constants[4] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574};
  std::uint32_t start[16][lanes];
  for (std::uint32_t l = 0; l < lanes; ++l) {
    for (std::size_t w = 0; w < 4; ++w) start[w][l] = constants[w];
    for (std::size_t w = 0; w < 8; ++w) start[4 + w][l] = address.key[w];
    start[12][l] = counter + l;
    for (std::size_t w = 0; w < 3; ++w) start[13 + w][l] = address.nonce[w];
  }
  std::memcpy(out, start, sizeof(start));
  for (int round = 0; round < 10; ++round) {
    for (std::size_t i = 0; i < 4; ++i) quarter_rounds(out[i], out[4 + i], out[8 + i], out[12 + i]);
    for (std::size_t i = 0; i < 4; ++i) {
      quarter_rounds(out[i], out[4 + (i + 1) % 4], out[8 + (i + 2) % 4], out[12 + (i + 3) % 4]);
    }
  }
  for (std::size_t w = 0; w < 16; ++w) {
    for (std::size_t l = 0; l < lanes; ++l) out[w][l] += start[w][l];
  }
}

inline std::uint64_t word64(const std::uint32_t (&block)[16][lanes], std::size_t lane, std::size_t index) noexcept {
  return block[2 * index][lane] | static_cast<std::uint64_t>(block[2 * index + 1][lane]) << 32;
}

}  // namespace

template <LimbWord W>
void sample_uniform(W* out, std::size_t first, std::size_t count, W q, const StreamAddress& address) noexcept {
  constexpr std::size_t draws = uniform_draws_per_block;
  std::uint32_t words[16][lanes];
  for (std::size_t done = 0; done < count; done += draws * lanes) {
    blocks(words, address, static_cast<std::uint32_t>((first + done) / draws));
    const std::size_t width = std::min(count - done, draws * lanes);
    for (std::size_t c = 0; c < width; ++c) {
      const std::size_t lane = c / draws, draw = c % draws;
      out[done + c] =
          static_cast<W>(uniform_residue(word64(words, lane, 2 * draw), word64(words, lane, 2 * draw + 1), q));
    }
  }
}

void sample_small(int* out, std::size_t first, std::size_t count, Law law, const StreamAddress& address) noexcept {
  constexpr std::size_t draws = small_draws_per_block;
  std::uint32_t words[16][lanes];
  for (std::size_t done = 0; done < count; done += draws * lanes) {
    blocks(words, address, static_cast<std::uint32_t>((first + done) / draws));
    const std::size_t width = std::min(count - done, draws * lanes);
    for (std::size_t c = 0; c < width; ++c) {
      const std::uint64_t random = word64(words, c / draws, c % draws);
      out[done + c] = law == Law::ternary ? ternary_value(random) : error_value(random);
    }
  }
}

template void sample_uniform(std::uint32_t*, std::size_t, std::size_t, std::uint32_t, const StreamAddress&) noexcept;
template void sample_uniform(std::uint64_t*, std::size_t, std::size_t, std::uint64_t, const StreamAddress&) noexcept;

}  // namespace cyclotome::cpu
