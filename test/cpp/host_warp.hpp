// SPDX-License-Identifier: Apache-2.0
#pragma once

// A warp on the host: what is written for the lanes of one, lane after lane.

#include <algorithm>
#include <cstring>

#include "cyclotome/engine/cuda/transform/quad.hpp"

namespace cyclotome::check {

/// 32 lanes in turn, and mma.m16n8k32 by its definition.
struct HostWarp {
  static inline std::uint32_t largest_sum = 0;  ///< of bytes' products

  template <class T, unsigned N>
  struct Array {
    T value[32][N];
    T* operator()(unsigned lane) { return value[lane]; }
    const T* operator()(unsigned lane) const { return value[lane]; }
  };
  template <unsigned N>
  using Registers = Array<std::uint32_t, N>;
  template <unsigned N>
  using Quads = Array<cuda::Quad, N>;

  template <class Body>
  static void each(const Body& body) {
    for (unsigned lane = 0; lane < 32; ++lane) body(lane);
  }
  static cuda::Quad load(const std::uint32_t* from) {
    cuda::Quad quad;
    std::memcpy(&quad, from, sizeof(quad));
    return quad;
  }
  static void store(std::uint32_t* to, const cuda::Quad& quad) { std::memcpy(to, &quad, sizeof(quad)); }
  static std::uint32_t constant(const std::uint32_t* from) { return *from; }
  static cuda::Quad constant(const cuda::Quad* from) { return *from; }
  static void together() {}
  template <unsigned N>
  static void sum_fours(Array<std::int64_t, N>& x) {
    for (unsigned i = 0; i < N; ++i) {
      for (unsigned lane = 0; lane < 32; lane += 4) {
        std::int64_t sum = 0;
        for (unsigned k = 0; k < 4; ++k) sum += x(lane + k)[i];
        for (unsigned k = 0; k < 4; ++k) x(lane + k)[i] = sum;
      }
    }
  }
  static bool any(const Registers<1>& x) {
    bool found = false;
    each([&](unsigned lane) { found = found || x(lane)[0] != 0; });
    return found;
  }
  static void clear(Registers<4>& s) { std::memset(&s, 0, sizeof(s)); }

  template <class Matrix, class Vectors>
  static void multiply(Registers<4>& s, const Matrix& matrix, const Vectors& vectors) {
    std::uint32_t m[16][32], v[32][8];
    each([&](unsigned lane) {
      for (unsigned i = 0; i < 4; ++i) {
        for (unsigned b = 0; b < 4; ++b) {
          m[lane / 4 + 8 * (i % 2)][16 * (i / 2) + 4 * (lane % 4) + b] = matrix(lane, i) >> 8 * b & 0xff;
          if (i < 2) v[16 * i + 4 * (lane % 4) + b][lane / 4] = vectors(lane, i) >> 8 * b & 0xff;
        }
      }
    });
    each([&](unsigned lane) {
      for (unsigned n = 0; n < 4; ++n) {
        std::uint32_t& sum = s(lane)[n];
        for (unsigned k = 0; k < 32; ++k) sum += m[lane / 4 + 8 * (n / 2)][k] * v[k][2 * (lane % 4) + n % 2];
        largest_sum = std::max(largest_sum, sum);
      }
    });
  }
};

}  // namespace cyclotome::check
