// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

// Where the launches of kernels go: to the device at once, or into a graph. What is launched is bytes here, so that
// this and what is built on it needs no CUDA.
namespace cyclotome::cuda {

/// How a kernel is launched.
struct KernelLaunch {
  const void* function;
  std::array<unsigned, 3> grid;
  unsigned threads;
  std::size_t shared;  ///< bytes of dynamic shared memory
  unsigned cluster;    ///< blocks of a cluster, along x
  bool early;          ///< in a graph: while the kernel before still runs
  const char* what;    ///< a literal: for errors, and for tests that ask what was launched
  /// Lets the kernel have that much shared memory on a device; null if every device gives it that.
  void (*raise_shared_memory)(int device, std::size_t shared, const char* what);

  bool operator==(const KernelLaunch&) const = default;
};

/// One argument of a kernel.
struct Argument {
  const void* data;
  std::uint32_t bytes;
  bool secret;  ///< it holds a seed: no copy of it outlives the launch
};

/// Structures that hold a seed say so.
template <class T>
inline constexpr bool holds_seed = false;

/// Whether bytes that differ make values that differ, and the other way round.
template <class T>
inline constexpr bool without_gaps = std::has_unique_object_representations_v<T> || std::is_empty_v<T>;

/// What an argument must be, so that its bytes can be compared for it.
template <class T>
concept KernelArgument = std::is_trivially_copyable_v<T> && alignof(T) <= 16 && without_gaps<T>;

template <KernelArgument T>
Argument argument_of(const T& argument) {
  return {&argument, static_cast<std::uint32_t>(std::is_empty_v<T> ? 0 : sizeof(T)), holds_seed<T>};
}

/// Of a kernel.
inline constexpr std::size_t max_arguments = 16;

class Launcher {
 public:
  virtual ~Launcher() = default;
  /// Throws EngineError.
  virtual void launch(const KernelLaunch& kernel, std::span<const Argument> arguments) = 0;
};

}  // namespace cyclotome::cuda
