// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

// What code for the lanes of a warp is written with, that runs on the host too.
namespace cyclotome::cuda {

#if defined(__CUDACC__)
#define CYCLOTOME_PRAGMA(text) _Pragma(#text)
#define CYCLOTOME_UNROLL(count) CYCLOTOME_PRAGMA(unroll count)
#else
#define CYCLOTOME_UNROLL(count)
#endif

/// Four neighbouring words.
struct alignas(16) Quad {
  std::uint32_t word[4];
};

}  // namespace cyclotome::cuda
