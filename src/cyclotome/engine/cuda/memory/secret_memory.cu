// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdlib>
#include <set>
#include <unistd.h>

#include "cyclotome/engine/cuda/memory/secret_memory.cuh"

namespace cyclotome::cuda {

namespace {

/// Grid: (blocks, pieces).
__global__ void wipe_pieces(const __grid_constant__ SecretMemory::Pieces pieces) {
  uint4* const data = pieces.data[blockIdx.y];
  const std::size_t words = pieces.words[blockIdx.y], stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < words; i += stride) {
    data[i] = make_uint4(0, 0, 0, 0);
  }
}

/// All secret memory of this process, for its end. It comes before the end of CUDA, which was there first; a process
/// that is killed is left to the driver.
class Everywhere {
 public:
  /// Never destroyed: engines in static objects may go later.
  static Everywhere& get() {
    static auto* const everywhere = new Everywhere;
    return *everywhere;
  }
  void add(SecretMemory* memory) {
    const std::lock_guard lock(mutex_);
    all_.insert(memory);
  }
  void remove(SecretMemory* memory) noexcept {
    const std::lock_guard lock(mutex_);
    all_.erase(memory);
  }

 private:
  Everywhere() : process_(getpid()) {
    std::atexit([] { get().close(); });
  }
  void close() noexcept {
    if (getpid() != process_) return;  // a fork, in which there is no CUDA
    const std::lock_guard lock(mutex_);
    for (SecretMemory* const memory : all_) memory->close();
  }

  const pid_t process_;
  std::mutex mutex_;
  std::set<SecretMemory*> all_;
};

}  // namespace

void wipe_and_free(void* data, std::size_t bytes, cudaStream_t stream) noexcept {
  if (succeeded(cudaMemsetAsync(data, 0, bytes, stream))) succeeded(cudaFreeAsync(data, stream));
}

SecretMemory::SecretMemory(CUcontext context) : context_(context) { Everywhere::get().add(this); }

SecretMemory::~SecretMemory() { Everywhere::get().remove(this); }

void SecretMemory::hold(void* data, std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  held_.emplace(static_cast<const std::byte*>(data), bytes);
}

void SecretMemory::let_go(void* data) noexcept {
  const std::lock_guard lock(mutex_);
  held_.erase(static_cast<const std::byte*>(data));
}

bool SecretMemory::holds(const void* pointer) const {
  const auto* const byte = static_cast<const std::byte*>(pointer);
  const std::lock_guard lock(mutex_);
  const auto after = held_.upper_bound(byte);
  if (after == held_.begin()) return false;
  const auto& [begin, bytes] = *std::prev(after);
  return byte < begin + bytes;
}

void SecretMemory::close() noexcept {
  closed_.store(true, std::memory_order_relaxed);
  const std::lock_guard lock(mutex_);
  const DeviceScope scope(context_, std::nothrow);
  for (SecretQueue* const queue : queues_) {
    queue->flush();
    succeeded(cudaStreamSynchronize(queue->stream_));  // nothing writes there any more
  }
  if (queues_.empty()) return;
  cudaStream_t const stream = queues_.front()->stream_;
  for (const auto& [data, bytes] : held_) {
    succeeded(cudaMemsetAsync(const_cast<std::byte*>(data), 0, bytes, stream));
  }
  succeeded(cudaStreamSynchronize(stream));
}

void SecretMemory::wipe(const Queue& queue, const Pieces& pieces, std::size_t count) {
  const std::size_t largest = *std::max_element(pieces.words, pieces.words + count);
  const auto blocks = static_cast<unsigned>(std::clamp<std::size_t>(largest / 1024, 1, 256));
  // In order, in graphs too.
  launch<wipe_pieces>(queue, dim3(blocks, static_cast<unsigned>(count)), 256, 0, 1, "zeroising", pieces);
}

SecretQueue::SecretQueue(SecretMemory& memory, cudaStream_t stream, Keep keep)
    : memory_(memory), stream_(stream), keep_(std::move(keep)) {
  const std::lock_guard lock(memory.mutex_);
  memory.queues_.push_back(this);
}

SecretQueue::~SecretQueue() {
  const std::lock_guard lock(memory_.mutex_);
  std::erase(memory_.queues_, this);
}

void SecretQueue::take_back(void* data, std::size_t bytes, std::uint64_t number) noexcept {
  const std::lock_guard lock(mutex_);
  given_back_.data[count_] = static_cast<uint4*>(data);
  given_back_.words[count_] = (bytes + 15) / 16;
  numbers_[count_] = number;
  ++count_;
  bytes_ += bytes;
  if (operations_ == 0 || count_ == SecretMemory::max_pieces || bytes_ >= SecretMemory::max_bytes) wipe_and_free();
}

void SecretQueue::flush() noexcept {
  const std::lock_guard lock(mutex_);
  wipe_and_free();
}

SecretQueue::Operation::Operation(SecretQueue& queue) : queue_(queue) {
  const std::lock_guard lock(queue.mutex_);
  ++queue.operations_;
}

SecretQueue::Operation::~Operation() {
  const std::lock_guard lock(queue_.mutex_);
  if (--queue_.operations_ == 0) queue_.wipe_and_free();
}

void SecretQueue::wipe_and_free() noexcept {
  if (count_ == 0) return;
  const std::size_t count = std::exchange(count_, 0);
  bytes_ = 0;
  try {
    SecretMemory::wipe(Queue(stream_, 0), given_back_, count);
  } catch (const EngineError&) {
    for (std::size_t i = 0; i < count; ++i) {
      cuda::wipe_and_free(given_back_.data[i], given_back_.words[i] * sizeof(uint4), stream_);
    }
    return;
  }
  for (std::size_t i = 0; i < count; ++i) {
    void* const data = given_back_.data[i];
    const bool kept = numbers_[i] != 0 && keep_ && keep_(data, given_back_.words[i] * sizeof(uint4), numbers_[i]);
    if (!kept) succeeded(cudaFreeAsync(data, stream_));
  }
}

}  // namespace cyclotome::cuda
