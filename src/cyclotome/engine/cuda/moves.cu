// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "cyclotome/engine/cuda/moves.cuh"

namespace cyclotome::cuda {

namespace {

constexpr std::size_t max_moves = 96;

struct Moves {
  const uint4* from[max_moves];
  uint4* to[max_moves];
  std::uint64_t words[max_moves];  ///< of 16 bytes
};

/// Grid: (blocks, moves).
__global__ void move_words(const __grid_constant__ Moves moves) {
  const uint4* const from = moves.from[blockIdx.y];
  uint4* const to = moves.to[blockIdx.y];
  const std::size_t words = moves.words[blockIdx.y], stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < words; i += stride) to[i] = from[i];
}

}  // namespace

void queue_moves(const Queue& queue, const std::vector<Move>& moves) {
  for (std::size_t first = 0; first < moves.size(); first += max_moves) {
    const std::size_t count = std::min(max_moves, moves.size() - first);
    Moves some{};
    std::uint64_t largest = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const Move& move = moves[first + i];
      some.from[i] = static_cast<const uint4*>(move.from);
      some.to[i] = static_cast<uint4*>(move.to);
      some.words[i] = move.bytes / sizeof(uint4);
      largest = std::max(largest, some.words[i]);
    }
    const auto blocks = static_cast<unsigned>(std::clamp<std::uint64_t>(largest / 512, 1, 64));
    launch<move_words>(queue, dim3(blocks, static_cast<unsigned>(count)), 256, 0, 1, "moves", some);
  }
}

}  // namespace cyclotome::cuda
