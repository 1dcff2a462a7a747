// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <mutex>

#include "cyclotome/engine/cuda/conversion/peaks.cuh"
#include "cyclotome/engine/cuda/graph/device_graph.cuh"
#include "cyclotome/engine/cuda/memory/kept_blocks.hpp"
#include "cyclotome/engine/cuda/memory/secret_memory.cuh"
#include "cyclotome/engine/cuda/memory/secret_transfer.cuh"
#include "cyclotome/engine/cuda/streams/stream_order.hpp"
#include "cyclotome/engine/cuda/streams/stream_wait.cuh"

namespace cyclotome::cuda {

/// A stream of the current device's that is destroyed with this object.
class OwnedStream {
 public:
  OwnedStream();
  ~OwnedStream();
  OwnedStream(const OwnedStream&) = delete;
  OwnedStream& operator=(const OwnedStream&) = delete;
  operator cudaStream_t() const noexcept { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

/// An event that is destroyed with this object.
class OwnedEvent {
 public:
  OwnedEvent();
  ~OwnedEvent();
  OwnedEvent(const OwnedEvent&) = delete;
  OwnedEvent& operator=(const OwnedEvent&) = delete;
  operator cudaEvent_t() const noexcept { return event_; }

 private:
  cudaEvent_t event_ = nullptr;
};

/// BlockCells of a stream, with their memory.
class OwnedCells {
 public:
  explicit OwnedCells(cudaStream_t stream);
  ~OwnedCells();
  OwnedCells(const OwnedCells&) = delete;
  OwnedCells& operator=(const OwnedCells&) = delete;
  operator BlockCells() const noexcept { return cells_; }

 private:
  void* memory_ = nullptr;
  BlockCells cells_;
};

/// One of an engine's streams, with all that may be used in its order only. Made and destroyed in the device's context.
class Lane {
 public:
  /// kept: for small secrets that were zeroised. budget: null if it has no graphs. Throws EngineError.
  Lane(std::size_t number, SecretMemory& memory, KeptBlocks& kept, GraphBudget* budget);
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;

  const std::size_t index;
  OwnedStream stream;
  SecretQueue secrets;
  StreamWait wait;
  SecretTransfer transfer;
  OwnedCells cells;
  std::unique_ptr<GraphStore> programs;  ///< null: programs are interpreted

  /// Whoever queues an operation here holds it until all of it is queued.
  std::recursive_mutex turn;
  std::uint64_t operation = 0;  ///< the number of the one that is being queued, 0 if none is; `turn` guards it
  /// Operations of other streams that what comes here waits for in any case; `turn` guards it.
  StreamNumbers known{};

  /// Every operation up to this number has been queued.
  void is_queued(std::uint64_t number) noexcept;
  std::uint64_t queued() const noexcept { return queued_.load(std::memory_order_acquire); }
  /// For another thread: until that is so.
  void await_queued(std::uint64_t number) const noexcept;
  /// What is queued on `other` from now on waits for this stream's operations up to a number, or for more of them: up
  /// to the one that is returned. Throws EngineError.
  std::uint64_t hold_up(cudaStream_t other, std::uint64_t number);
  /// The same for everything that has been queued here in whatever way.
  void hold_up(cudaStream_t other);

  /// Something is queued here of which nobody has to wait for the end by its number.
  void note_work() noexcept { work_.fetch_add(1, std::memory_order_release); }
  /// Waits until nothing is left to do. Throws EngineError.
  void finish(const char* what);

 private:
  std::uint64_t mark();

  std::atomic<std::uint64_t> queued_{0}, work_{0}, finished_{0};
  std::mutex mark_mutex_;
  OwnedEvent mark_;           ///< recorded when another stream is to wait
  std::uint64_t marked_ = 0;  ///< what comes before the mark
};

/// The streams of one engine. Each thread that computes takes one, as long as there are enough; so what a thread asks
/// for is done in order, and different threads' work side by side. Streams are made when they are first needed.
/// Thread-safe; the calling thread is in the device's context.
class Lanes {
 public:
  /// count: 1 to max_streams. graph_bytes: that graphs may have together; 0: there are none.
  Lanes(std::size_t count, SecretMemory& memory, KeptBlocks& kept, std::size_t graph_bytes);
  ~Lanes();

  /// The calling thread's.
  Lane& mine();
  bool is_mine(const Lane& lane) const;
  /// For the memory that several streams have seen: freed here, after all of them.
  Lane& freeing() { return at(freeing_stream); }
  Lane& copying() { return at(copying_stream); }
  /// The calling thread's, if it is within an operation; else null.
  Lane* within() const;
  /// Whether all of these operations have been queued to their end.
  bool are_queued(const StreamNumbers& numbers) const noexcept;
  /// Null if it has not been needed yet.
  Lane* existing(std::size_t index) const noexcept { return lanes_[index].load(std::memory_order_acquire); }
  /// Calls body(lane) for those that there are.
  template <class Body>
  void for_each(const Body& body) const {
    for (std::size_t i = 0; i < all_streams; ++i) {
      if (Lane* const lane = existing(i); lane != nullptr) body(*lane);
    }
  }

  /// What is queued on a lane, whose turn the calling thread has, from now on waits for those operations. Throws
  /// EngineError.
  void wait_for(Lane& lane, const StreamNumbers& numbers);
  /// The lane on which memory can be freed that those operations touched: it waits for them. Memory that is freed
  /// within an operation goes back on that one's. Throws EngineError.
  Lane& after(const StreamNumbers& touched);
  /// The lane that frees, after everything that is queued on any other. Throws EngineError.
  Lane& after_everything();

 private:
  Lane& at(std::size_t index);

  const std::size_t count_;
  SecretMemory& memory_;
  KeptBlocks& kept_;
  GraphBudget budget_;
  std::mutex making_;
  std::array<std::atomic<Lane*>, all_streams> lanes_{};
};

}  // namespace cyclotome::cuda
