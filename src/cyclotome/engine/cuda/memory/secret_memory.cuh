// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <vector>

#include "cyclotome/engine/cuda/graph/launch.cuh"
#include "cyclotome/engine/cuda/streams/device_scope.cuh"

namespace cyclotome::cuda {

class SecretQueue;

/// An engine's memory for secrets: known from its allocation on, and zeroised before it is freed, by the queue of the
/// stream that frees it. What is still held when the process ends is zeroised then. Thread-safe.
class SecretMemory {
 public:
  explicit SecretMemory(CUcontext context);
  /// Everything has been given back.
  ~SecretMemory();
  SecretMemory(const SecretMemory&) = delete;
  SecretMemory& operator=(const SecretMemory&) = delete;

  /// From the stream-ordered allocator, whose pieces are multiples of 16 bytes.
  void hold(void* data, std::size_t bytes);
  /// It is on its way back, to a queue.
  void let_go(void* data) noexcept;
  /// Whether memory that is held contains this byte.
  bool holds(const void* pointer) const;

  /// For the end of the process: zeros in everything, whoever holds it. No engine computes with it any more.
  void close() noexcept;
  CUcontext context() const noexcept { return context_; }
  bool closed() const noexcept { return closed_.load(std::memory_order_relaxed); }

  static constexpr std::size_t max_pieces = 16, max_bytes = std::size_t{64} << 20;
  struct Pieces {
    uint4* data[max_pieces];
    std::size_t words[max_pieces];  ///< of 16 bytes
  };
  /// Zeros in the first `count` pieces.
  static void wipe(const Queue& queue, const Pieces& pieces, std::size_t count);

 private:
  friend class SecretQueue;

  CUcontext context_;
  mutable std::mutex mutex_;
  std::map<const std::byte*, std::size_t> held_;  ///< bytes by address
  std::vector<SecretQueue*> queues_;
  std::atomic<bool> closed_{false};
};

/// What zeroises and frees secret memory on one stream. The zeros are queued when a piece is given back; within an
/// operation, when that is over, so that several pieces take one launch. Nobody has to call again for it. Thread-safe.
class SecretQueue {
 public:
  /// What else may be done with a piece that was zeroised than to free it: true if it was. number: of take_back.
  using Keep = std::function<bool(void* data, std::size_t bytes, std::uint64_t number)>;

  SecretQueue(SecretMemory& memory, cudaStream_t stream, Keep keep = nullptr);
  ~SecretQueue();
  SecretQueue(const SecretQueue&) = delete;
  SecretQueue& operator=(const SecretQueue&) = delete;

  /// Frees what the memory let go, after everything that the stream was asked for. The calling thread is in the
  /// context. number: of the operation under way, on this stream, by whose end the zeros are queued: then the piece may
  /// be kept.
  void take_back(void* data, std::size_t bytes, std::uint64_t number = 0) noexcept;
  /// Queues zeros for everything that was given back.
  void flush() noexcept;

  /// What is given back while one of these lives is zeroised as the last of them goes.
  class Operation {
   public:
    explicit Operation(SecretQueue& queue);
    ~Operation();
    Operation(const Operation&) = delete;
    Operation& operator=(const Operation&) = delete;

   private:
    SecretQueue& queue_;
  };

 private:
  friend class SecretMemory;
  void wipe_and_free() noexcept;

  SecretMemory& memory_;
  cudaStream_t stream_;
  std::mutex mutex_;
  Keep keep_;
  SecretMemory::Pieces given_back_{};
  std::array<std::uint64_t, SecretMemory::max_pieces> numbers_{};
  std::size_t count_ = 0, bytes_ = 0;
  unsigned operations_ = 0;  ///< under way
};

/// Zeros queued for memory from the stream-ordered allocator, which is freed after them. Where the device takes no work
/// any more it is not freed either: nobody else gets what could not be zeroised.
void wipe_and_free(void* data, std::size_t bytes, cudaStream_t stream) noexcept;

}  // namespace cyclotome::cuda
