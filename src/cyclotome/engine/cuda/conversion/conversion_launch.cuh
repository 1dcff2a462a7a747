// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "cyclotome/engine/cuda/conversion/conversion.cuh"
#include "cyclotome/engine/cuda/graph/launch.cuh"

// Which kernel of a base conversion is launched, and how.
namespace cyclotome::cuda {

/// How a kernel works: bytes of a limb that a thread has, threads of a block, and whether constants are staged in
/// shared memory and all sums divided by R.
template <unsigned Bytes, unsigned Threads, bool Staged>
struct Variant {
  static constexpr unsigned bytes = Bytes, threads = Threads;
  static constexpr bool staged = Staged;
};
using Batches = Variant<16, 128, true>;
using Latency = Variant<8, 64, true>;
using General = Variant<8, 32, false>;  // many limbs, or even targets

/// How a kernel is launched: each block works on `share` tiles.
struct Shape {
  dim3 grid;
  std::size_t bytes;
  std::uint32_t share;
};

/// From so many sources on products of bytes are faster than of words; in lifts, which convert twice, from fewer on
/// where there are few coefficients (measured: doc/gpu-notes.md).
inline constexpr std::uint32_t fewest_byte_sources = 20;
constexpr bool lifts_by_bytes(std::uint32_t sources, std::size_t degree, std::size_t items,
                              std::size_t multiprocessors) {
  constexpr std::uint32_t some_sources = 12;
  constexpr std::size_t few_coefficients = 4096;
  return sources >= fewest_byte_sources ||
         (sources >= some_sources && degree * items / multiprocessors < few_coefficients);
}

struct Work {
  std::uint32_t degree;
  unsigned items;
  std::size_t sources;    ///< limbs in shared memory
  std::size_t constants;  ///< bytes that may be staged there
  std::size_t factors;    ///< bytes besides
  std::uint32_t tiles;    ///< of targets, that blocks share
  bool divides;
  std::size_t multiprocessors;
};

template <class W, class V>
Shape shape(const Work& work) {
  // Few columns: several blocks share a column's targets, the more readily the less each of them has to repeat.
  const std::size_t enough_threads = work.multiprocessors * (work.sources <= 4 ? 2048 : 1024);
  const unsigned per_block = V::threads * Columns<W, V::bytes>::count;
  const unsigned along_x = (work.degree + per_block - 1) / per_block;
  const std::size_t threads = std::size_t{along_x} * work.items * V::threads;
  const auto shares = static_cast<std::uint32_t>(std::clamp<std::size_t>(enough_threads / threads, 1, work.tiles));
  const std::uint32_t share = (work.tiles + shares - 1) / shares;
  const std::size_t columns = work.sources * V::threads * V::bytes;
  return {dim3(along_x, work.items, (work.tiles + share - 1) / share),
          columns + work.factors + (V::staged ? work.constants : 0), share};
}

/// Calls body with the variant that suits the work.
template <class W, class Body>
void with_variant(const Queue& queue, const Work& work, const Body& body) {
  // Two blocks of a multiprocessor of compute capability 9.0, or what every device grants one.
  const std::size_t limit = (queue.one_pass ? 110 : 96) * 1024;
  const auto suits = [&]<class V>(V) {
    return work.divides && work.degree % Columns<W, V::bytes>::count == 0 && shape<W, V>(work).bytes <= limit;
  };
  const bool many = std::size_t{work.degree} * work.items * sizeof(W) >= work.multiprocessors * 256 * Batches::bytes;
  if (many && suits(Batches{})) {
    body.template operator()<Batches>(shape<W, Batches>(work));
  } else if (suits(Latency{})) {
    body.template operator()<Latency>(shape<W, Latency>(work));
  } else {
    body.template operator()<General>(shape<W, General>(work));
  }
}

}  // namespace cyclotome::cuda
