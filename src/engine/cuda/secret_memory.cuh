// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>

#include "cyclotome/engine/cuda/launch.cuh"

namespace cyclotome::cuda {

/// Takes back secret memory, which is zeroised before it is freed: several pieces in one launch, when enough have come
/// together or `flush` is called. No operation waits for it, and nothing else can use the memory until then.
/// Thread-safe.
class SecretMemory {
 public:
  /// data: from the stream-ordered allocator, whose pieces are multiples of 16 bytes.
  void take_back(void* data, std::size_t bytes, cudaStream_t stream) noexcept;
  void flush(cudaStream_t stream) noexcept;

  static constexpr std::size_t max_pieces = 16, max_bytes = std::size_t{64} << 20;
  struct Pieces {
    uint4* data[max_pieces];
    std::size_t words[max_pieces];  ///< of 16 bytes
  };
  /// Zeros in the first `count` pieces.
  static void wipe(const Queue& queue, const Pieces& pieces, std::size_t count);

 private:
  void wipe_and_free(cudaStream_t stream) noexcept;

  std::mutex mutex_;
  Pieces pieces_{};
  std::size_t count_ = 0, bytes_ = 0;
};

/// What is wiped is the operation's own.
template <class Visit>
void visit_pointers(const SecretMemory::Pieces& pieces, const Visit& visit) {
  for (const auto& data : pieces.data) visit(&data, Reach::residues);
}

}  // namespace cyclotome::cuda
