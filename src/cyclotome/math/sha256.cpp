// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/math/sha256.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "cyclotome/math/secure_zero.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

namespace cyclotome {

namespace {
constexpr std::array<std::uint32_t, 64> round_constants = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

/// One 64-byte block in portable code.
void compress_portable(std::array<std::uint32_t, 8>& state, const std::uint8_t* block) noexcept {
  std::array<std::uint32_t, 64> w;
  for (std::size_t i = 0; i < 16; ++i) {
    w[i] = static_cast<std::uint32_t>(block[4 * i]) << 24 | static_cast<std::uint32_t>(block[4 * i + 1]) << 16 |
           static_cast<std::uint32_t>(block[4 * i + 2]) << 8 | block[4 * i + 3];
  }
  for (std::size_t i = 16; i < 64; ++i) {
    const std::uint32_t s0 = std::rotr(w[i - 15], 7) ^ std::rotr(w[i - 15], 18) ^ (w[i - 15] >> 3);
    const std::uint32_t s1 = std::rotr(w[i - 2], 17) ^ std::rotr(w[i - 2], 19) ^ (w[i - 2] >> 10);
    w[i] = w[i - 16] + s0 + w[i - 7] + s1;
  }
  auto [a, b, c, d, e, f, g, h] = state;
  for (std::size_t i = 0; i < 64; ++i) {
    const std::uint32_t s1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
    const std::uint32_t t1 = h + s1 + ((e & f) ^ (~e & g)) + round_constants[i] + w[i];
    const std::uint32_t s0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
    const std::uint32_t t2 = s0 + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = d + t1;
    d = c;
    c = b;
    b = a;
    a = t1 + t2;
  }
  const std::array<std::uint32_t, 8> add = {a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < 8; ++i) state[i] += add[i];
  secure_zero(w.data(), sizeof(w));
}

#if defined(__x86_64__)

/// The same with the SHA extensions: four rounds a step, the state as the words (a, b, e, f) and (c, d, g, h).
__attribute__((target("sha,sse4.1,ssse3"))) void compress_sha_extensions(std::array<std::uint32_t, 8>& state,
                                                                         const std::uint8_t* block) noexcept {
  const __m128i big_endian = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
  const auto load = [](const void* data) { return _mm_loadu_si128(static_cast<const __m128i*>(data)); };
  const __m128i cdab = _mm_shuffle_epi32(load(state.data()), 0xb1), efgh = _mm_shuffle_epi32(load(&state[4]), 0x1b);
  __m128i abef = _mm_alignr_epi8(cdab, efgh, 8), cdgh = _mm_blend_epi16(efgh, cdab, 0xf0);
  const __m128i abef_before = abef, cdgh_before = cdgh;
  __m128i words[4];
  for (int i = 0; i < 4; ++i) words[i] = _mm_shuffle_epi8(load(block + 16 * i), big_endian);
  for (int step = 0; step < 16; ++step) {
    __m128i& current = words[step % 4];
    __m128i sum = _mm_add_epi32(current, load(&round_constants[static_cast<std::size_t>(4 * step)]));
    cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sum);
    sum = _mm_shuffle_epi32(sum, 0x0e);
    abef = _mm_sha256rnds2_epu32(abef, cdgh, sum);
    const __m128i next = words[(step + 1) % 4], second = words[(step + 2) % 4], last = words[(step + 3) % 4];
    current = _mm_sha256msg2_epu32(_mm_add_epi32(_mm_sha256msg1_epu32(current, next), _mm_alignr_epi8(last, second, 4)),
                                   last);
  }
  abef = _mm_add_epi32(abef, abef_before);
  cdgh = _mm_add_epi32(cdgh, cdgh_before);
  const __m128i feba = _mm_shuffle_epi32(abef, 0x1b), dchg = _mm_shuffle_epi32(cdgh, 0xb1);
  _mm_storeu_si128(reinterpret_cast<__m128i*>(state.data()), _mm_blend_epi16(feba, dchg, 0xf0));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(&state[4]), _mm_alignr_epi8(dchg, feba, 8));
  secure_zero(words, sizeof(words));
}

bool has_sha_extensions() noexcept {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  return __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) != 0 && (ebx >> 29 & 1) != 0 &&
         __builtin_cpu_supports("sse4.1") != 0;
}

#endif

}  // namespace

Sha256::Sha256(bool accelerated) noexcept : compress_(compress_portable) {
#if defined(__x86_64__)
  static const bool available = has_sha_extensions();
  if (accelerated && available) compress_ = compress_sha_extensions;
#else
  static_cast<void>(accelerated);
#endif
}

Sha256::~Sha256() {
  secure_zero(state_.data(), sizeof(state_));
  secure_zero(pending_.data(), pending_.size());
}

void Sha256::update(std::span<const std::uint8_t> bytes) noexcept {
  std::size_t filled = length_ % 64;
  length_ += bytes.size();
  while (!bytes.empty()) {
    if (filled == 0 && bytes.size() >= 64) {
      compress_(state_, bytes.data());
      bytes = bytes.subspan(64);
      continue;
    }
    const std::size_t take = std::min<std::size_t>(64 - filled, bytes.size());
    std::memcpy(pending_.data() + filled, bytes.data(), take);
    bytes = bytes.subspan(take);
    filled += take;
    if (filled == 64) {
      compress_(state_, pending_.data());
      filled = 0;
    }
  }
}

Digest Sha256::finish() noexcept {
  const std::uint64_t bit_count = length_ * 8;
  const std::size_t filled = length_ % 64;
  std::array<std::uint8_t, 128> tail{};
  tail[0] = 0x80;
  const std::size_t padding = (filled < 56 ? 56 : 120) - filled;
  for (std::size_t i = 0; i < 8; ++i) tail[padding + i] = static_cast<std::uint8_t>(bit_count >> (56 - 8 * i));
  update({tail.data(), padding + 8});
  Digest digest;
  for (std::size_t i = 0; i < 32; ++i) digest[i] = static_cast<std::uint8_t>(state_[i / 4] >> (24 - 8 * (i % 4)));
  return digest;
}

Digest sha256(std::span<const std::uint8_t> bytes) noexcept {
  Sha256 hash;
  hash.update(bytes);
  return hash.finish();
}

}  // namespace cyclotome
