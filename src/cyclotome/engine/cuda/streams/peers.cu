// SPDX-License-Identifier: Apache-2.0
// The device's memory as a whole, and copies from one GPU to another.
#include <algorithm>
#include <mutex>
#include <optional>
#include <set>
#include <utility>

#include "cyclotome/engine/cuda/cuda_engine.hpp"
#include "cyclotome/engine/cuda/state.cuh"

namespace cyclotome {

using cuda::check;
using cuda::DeviceScope;
using cuda::succeeded;

namespace {

/// What has been queued on a stream of the current context's. Goes when the device has passed it.
class Mark {
 public:
  explicit Mark(cudaStream_t stream) {
    check(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming), "event creation");
    if (!succeeded(cudaEventRecord(event_, stream))) {
      succeeded(cudaEventDestroy(event_));
      throw EngineError("GPU: an event could not be recorded");
    }
  }
  ~Mark() { succeeded(cudaEventDestroy(event_)); }
  Mark(const Mark&) = delete;
  Mark& operator=(const Mark&) = delete;
  /// Work queued on `stream`, of any device, from now on waits for it.
  void hold_up(cudaStream_t stream) const { check(cudaStreamWaitEvent(stream, event_, 0), "waiting for another GPU"); }

 private:
  cudaEvent_t event_ = nullptr;
};

/// Lets a device reach the memory of another's pool, where they are connected; else copies take the way past the host.
/// Done once for each pair.
void connect(cudaMemPool_t pool, int owner, int reader) {
  static std::mutex mutex;
  static std::set<std::pair<int, int>> done;
  const std::lock_guard lock(mutex);
  if (owner == reader || !done.emplace(owner, reader).second) return;
  int reachable = 0;
  if (!succeeded(cudaDeviceCanAccessPeer(&reachable, reader, owner)) || reachable == 0) return;
  cudaMemAccessDesc access{};
  access.location.type = cudaMemLocationTypeDevice;
  access.location.id = reader;
  access.flags = cudaMemAccessFlagsProtReadWrite;
  succeeded(cudaMemPoolSetAccess(pool, &access, 1));
}

}  // namespace

MemoryState CudaEngine::memory(bool with_free) const {
  const DeviceScope scope = state_->enter();
  std::uint64_t used = 0, reserved = 0;
  check(cudaMemPoolGetAttribute(state_->pool, cudaMemPoolAttrUsedMemCurrent, &used), "memory query");
  used -= std::min<std::uint64_t>(used, cuda::kept_bytes(state_->device));
  if (!with_free) return {used, std::nullopt};
  check(cudaMemPoolGetAttribute(state_->pool, cudaMemPoolAttrReservedMemCurrent, &reserved), "memory query");
  std::size_t free = 0, total = 0;
  check(cudaMemGetInfo(&free, &total), "memory query");
  return {used, free + (reserved - std::min(reserved, used))};
}

bool CudaEngine::fetch(void* destination, Engine& other, const void* source, std::size_t bytes) {
  auto* const from = dynamic_cast<CudaEngine*>(&other);
  if (from == nullptr) return false;
  cuda::DeviceState &here = *state_, &there = *from->state_;
  connect(there.pool, there.device, here.device);
  // Beside what either computes, but for those who have to do with these bytes. One engine's turn after the other's:
  // two threads that copy to and fro would wait for each other.
  std::optional<Mark> written, read;
  {
    const cuda::Turn turn(there, there.copying(), {source}, {});
    written.emplace(turn.stream());
  }
  {
    const cuda::Turn turn(here, here.copying(), {}, {destination});
    written->hold_up(turn.stream());
    check(cudaMemcpyPeerAsync(destination, here.device, source, there.device, bytes, turn.stream()),
          "copy from another GPU");
    read.emplace(turn.stream());
  }
  const cuda::Turn turn(there, there.copying(), {source}, {});
  read->hold_up(turn.stream());  // the source may be written, or freed, as soon as it has been read
  return true;
}

}  // namespace cyclotome
