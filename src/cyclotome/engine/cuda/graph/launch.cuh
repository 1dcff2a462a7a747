// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <mutex>

#include "cyclotome/engine/cuda/code_paths.hpp"
#include "cyclotome/engine/cuda/graph/launcher.hpp"
#include "cyclotome/engine/cuda/memory/device_view.cuh"

namespace cyclotome::cuda {

/// Shared memory that a block may have on devices of compute capability 9.0.
inline constexpr std::size_t max_shared_bytes = 227 * 1024;

/// Launches at once, on a stream of a device.
class StreamLauncher final : public Launcher {
 public:
  StreamLauncher(cudaStream_t stream, int device) : stream_(stream), device_(device) {}
  void launch(const KernelLaunch& kernel, std::span<const Argument> arguments) override;

 private:
  cudaStream_t stream_;
  int device_;
};

/// Where launches go: to a stream, or to a launcher. The calling thread is in the device's context.
class Queue {
 public:
  Queue(cudaStream_t stream, int device, const CodePaths& paths = {})
      : one_pass(paths.one_pass),
        multiprocessors(paths.multiprocessors),
        stream_(stream),
        at_once_(stream, device),
        launcher_(&at_once_) {}
  Queue(Launcher& launcher, const CodePaths& paths)
      : one_pass(paths.one_pass),
        multiprocessors(paths.multiprocessors),
        stream_(nullptr),
        at_once_(nullptr, 0),
        launcher_(&launcher) {}
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;

  bool one_pass;             ///< whether kernels that hold whole limbs may be used (code_paths.hpp)
  unsigned multiprocessors;  ///< of the device
  /// For what does not go through `launch`; none where launches go to a launcher.
  cudaStream_t stream() const noexcept { return stream_; }
  Launcher& launcher() const noexcept { return *launcher_; }

 private:
  cudaStream_t stream_;
  StreamLauncher at_once_;
  Launcher* launcher_;
};

/// When a kernel of a graph may start: after the one before it, or, if it waits by itself (early_start.cuh), earlier.
/// On a stream every kernel starts in order: batches are slower otherwise (measured), and so are kernels in clusters of
/// blocks after base conversions, which occupy the whole device.
enum class Start { in_order, early };

/// Lets `Kernel` have `shared` bytes of dynamic shared memory on a device: a property that only ever grows. More than
/// 48 KB have to be asked for.
template <auto Kernel>
void raise_shared_memory(int device, std::size_t shared, const char* what) {
  static std::array<std::atomic<std::size_t>, 64> raised{};
  static std::mutex mutex;
  auto& limit = raised[static_cast<std::size_t>(device) % raised.size()];
  if (shared <= limit.load(std::memory_order_acquire)) return;
  const std::lock_guard lock(mutex);
  if (shared <= limit.load(std::memory_order_relaxed)) return;
  check(cudaFuncSetAttribute(Kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared)), what);
  limit.store(shared, std::memory_order_release);
}

/// Arguments as the kernel takes them.
template <class... Parameters>
void launch_as(void (*)(Parameters...), const Queue& queue, const KernelLaunch& kernel,
               const std::type_identity_t<Parameters>&... arguments) {
  static_assert(sizeof...(Parameters) <= max_arguments);
  const std::array<Argument, sizeof...(Parameters)> all{argument_of<Parameters>(arguments)...};
  queue.launcher().launch(kernel, all);
}

/// Launches `Kernel` in clusters of `cluster` blocks along x, with `shared` bytes of dynamic shared memory.
template <auto Kernel, Start When = Start::in_order, class... Arguments>
void launch(const Queue& queue, dim3 grid, unsigned threads, std::size_t shared, unsigned cluster, const char* what,
            const Arguments&... arguments) {
  constexpr std::size_t always = 48 * 1024;
  const bool early = When == Start::early && queue.one_pass;  // else nothing in it waits
  launch_as(Kernel, queue,
            {reinterpret_cast<const void*>(Kernel),
             {grid.x, grid.y, grid.z},
             threads,
             shared,
             cluster,
             early,
             what,
             shared <= always ? nullptr : raise_shared_memory<Kernel>},
            arguments...);
}

}  // namespace cyclotome::cuda
