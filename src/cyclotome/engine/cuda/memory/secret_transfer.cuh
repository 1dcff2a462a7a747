// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>

#include "cyclotome/engine/cuda/memory/device_view.cuh"
#include "cyclotome/engine/cuda/streams/stream_wait.cuh"

namespace cyclotome::cuda {

/// Moves secrets between host and device. The driver copies to and from ordinary memory through pinned buffers of its
/// own, in which bytes stay; these go through one that holds zeros again when a call returns. Thread-safe; the calling
/// thread is in the device's context.
class SecretTransfer {
 public:
  explicit SecretTransfer(StreamWait& stream) : wait_(stream) {}
  ~SecretTransfer();
  SecretTransfer(const SecretTransfer&) = delete;
  SecretTransfer& operator=(const SecretTransfer&) = delete;

  /// stream: for which is waited. Complete when the call returns. Throw EngineError.
  void upload(void* destination, const void* host, std::size_t bytes, cudaStream_t stream);
  void download(void* host, const void* source, std::size_t bytes, cudaStream_t stream);
  /// `count` runs of `bytes` bytes, `stride` bytes apart on the device, one after another to the host.
  void download_runs(void* host, const void* source, std::size_t bytes, std::size_t stride, std::size_t count,
                     cudaStream_t stream);

  static constexpr std::size_t capacity = std::size_t{1} << 20;

 private:
  /// Bytes of a transfer from number `first` on, and where they lie on their way.
  struct Piece {
    std::byte* pinned;
    std::size_t first, bytes;
  };
  /// move(piece) for one after another, each in the half of the pinned memory in which the last one does not lie; what
  /// is left there is zeroised.
  template <class Move>
  void in_pieces(std::size_t total, std::size_t size, const Move& move);
  /// copy(piece) queues the copy of a piece into its pinned memory.
  template <class Copy>
  void download_piecewise(void* host, std::size_t total, std::size_t size, const Copy& copy);

  StreamWait& wait_;
  std::mutex mutex_;
  std::byte* pinned_ = nullptr;
};

}  // namespace cyclotome::cuda
