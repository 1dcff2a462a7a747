// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "cyclotome/engine/cuda/secret_memory.cuh"

namespace cyclotome::cuda {

namespace {

/// Grid: (blocks, pieces).
__global__ void wipe_pieces(const __grid_constant__ SecretMemory::Pieces pieces) {
  let_next_start();
  wait_for_previous();
  uint4* const data = pieces.data[blockIdx.y];
  const std::size_t words = pieces.words[blockIdx.y], stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < words; i += stride) {
    data[i] = make_uint4(0, 0, 0, 0);
  }
}

}  // namespace

void SecretMemory::take_back(void* data, std::size_t bytes, cudaStream_t stream) noexcept {
  const std::lock_guard lock(mutex_);
  pieces_.data[count_] = static_cast<uint4*>(data);
  pieces_.words[count_] = (bytes + 15) / 16;
  ++count_;
  bytes_ += bytes;
  if (count_ == max_pieces || bytes_ >= max_bytes) wipe_and_free(stream);
}

void SecretMemory::flush(cudaStream_t stream) noexcept {
  const std::lock_guard lock(mutex_);
  if (count_ > 0) wipe_and_free(stream);
}

void SecretMemory::wipe(const Queue& queue, const Pieces& pieces, std::size_t count) {
  const std::size_t largest = *std::max_element(pieces.words, pieces.words + count);
  const auto blocks = static_cast<unsigned>(std::clamp<std::size_t>(largest / 1024, 1, 256));
  launch<wipe_pieces, Start::early>(queue, dim3(blocks, static_cast<unsigned>(count)), 256, 0, 1, "zeroising", pieces);
}

void SecretMemory::wipe_and_free(cudaStream_t stream) noexcept {
  try {
    wipe(Queue(stream, 0, false), pieces_, count_);
  } catch (const EngineError&) {
    // A device that launches nothing any more gives its memory to nobody either.
  }
  for (std::size_t i = 0; i < count_; ++i) cudaFreeAsync(pieces_.data[i], stream);
  count_ = bytes_ = 0;
}

}  // namespace cyclotome::cuda
