// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "cyclotome/engine/cuda/conversion.cuh"
#include "cyclotome/engine/cuda/launch.cuh"

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

struct Work {
  std::uint32_t degree;
  unsigned items;
  std::size_t sources;    ///< limbs in shared memory
  std::size_t constants;  ///< bytes that may be staged there
  std::size_t factors;    ///< bytes besides
  std::uint32_t tiles;    ///< of targets, that blocks share
  bool divides;
};

template <class W, class V>
Shape shape(const Work& work) {
  // Few columns: several blocks share a column's targets, the more readily the less each of them has to repeat.
  const std::size_t enough_threads = std::size_t{132} * (work.sources <= 4 ? 2048 : 1024);
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
  const bool many = std::size_t{work.degree} * work.items * sizeof(W) >= std::size_t{132} * 256 * Batches::bytes;
  if (many && suits(Batches{})) {
    body.template operator()<Batches>(shape<W, Batches>(work));
  } else if (suits(Latency{})) {
    body.template operator()<Latency>(shape<W, Latency>(work));
  } else {
    body.template operator()<General>(shape<W, General>(work));
  }
}

}  // namespace cyclotome::cuda
