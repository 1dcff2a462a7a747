// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <mutex>

#include "cyclotome/engine/cuda/recording.cuh"

namespace cyclotome::cuda {

/// Shared memory that a block may have on devices of compute capability 9.0.
inline constexpr std::size_t max_shared_bytes = 227 * 1024;

/// Where a launch goes: to a stream, or into a recording. The calling thread is in the device's context.
class Queue {
 public:
  Queue(cudaStream_t stream, int to_device, bool in_one_pass, Recording* recorded = nullptr)
      : device(to_device), one_pass(in_one_pass), recording(recorded), stream_(stream) {}
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;

  int device;
  bool one_pass;         ///< whether kernels that hold whole limbs may be used (code_paths.hpp)
  Recording* recording;  ///< null for the stream
  /// The stream, for what does not go through `launch`. Throws NotRecordable while an operation is recorded.
  cudaStream_t stream() const {
    if (recording != nullptr) throw NotRecordable{};
    return stream_;
  }

 private:
  cudaStream_t stream_;
};

/// When a kernel of a recorded operation may start: after the one before it, or, if it waits by itself
/// (early_start.cuh), earlier. On a stream every kernel starts in order: batches are slower otherwise (measured), and
/// so are kernels in clusters of blocks after base conversions, which occupy the whole device.
enum class Start { in_order, early };

/// Arguments as the kernel takes them.
template <class... Parameters>
void record(void (*)(Parameters...), Recording& recording, const KernelLaunch& launch,
            const std::type_identity_t<Parameters>&... arguments) {
  recording.add(launch, arguments...);
}

/// Lets `Kernel` have `shared` bytes of dynamic shared memory on a device: a property that only ever grows.
template <auto Kernel>
void raise_shared_memory(int device, std::size_t shared, const char* what) {
  constexpr std::size_t always = 48 * 1024;
  if (shared <= always) return;
  static std::array<std::atomic<std::size_t>, 64> raised{};
  static std::mutex mutex;
  auto& limit = raised[static_cast<std::size_t>(device) % raised.size()];
  if (shared <= limit.load(std::memory_order_acquire)) return;
  const std::lock_guard lock(mutex);
  if (shared <= limit.load(std::memory_order_relaxed)) return;
  check(cudaFuncSetAttribute(Kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared)), what);
  limit.store(shared, std::memory_order_release);
}

/// Launches `Kernel` in clusters of `cluster` blocks along x, with `shared` bytes of dynamic shared memory.
template <auto Kernel, Start When = Start::in_order, class... Arguments>
void launch(const Queue& queue, dim3 grid, unsigned threads, std::size_t shared, unsigned cluster, const char* what,
            Arguments... arguments) {
  raise_shared_memory<Kernel>(queue.device, shared, what);
  if (queue.recording != nullptr) {
    const bool early = When == Start::early && queue.one_pass;  // else nothing in it waits
    record(Kernel, *queue.recording,
           {reinterpret_cast<const void*>(Kernel), grid, threads, shared, cluster, early, what}, arguments...);
    return;
  }
  cudaLaunchConfig_t config{};
  config.gridDim = grid;
  config.blockDim = dim3(threads);
  config.dynamicSmemBytes = shared;
  config.stream = queue.stream();
  cudaLaunchAttribute attribute{};
  if (cluster > 1) {
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = cluster;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    config.attrs = &attribute;
    config.numAttrs = 1;
  }
  check(cudaLaunchKernelEx(&config, Kernel, arguments...), what);
}

}  // namespace cyclotome::cuda
