// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "cyclotome/engine/cuda/launch.cuh"

namespace cyclotome::cuda {

/// Bytes from one place to another: both multiples of 16.
struct Move {
  const void* from;
  void* to;
  std::size_t bytes;
};

/// Queues copies, many in a launch.
void queue_moves(const Queue& queue, const std::vector<Move>& moves);

}  // namespace cyclotome::cuda
