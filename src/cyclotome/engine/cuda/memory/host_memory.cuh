// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

namespace cyclotome::cuda {

/// The host's memory for numbers, pinned, into which kernels write while the host looks at it: no copy has to be queued
/// and waited for. Words say `unwritten` while nobody has them. Thread-safe; used in the device's context.
class HostMemory {
 public:
  static constexpr std::size_t words = 4096;  ///< of a piece
  static constexpr std::uint64_t unwritten = ~std::uint64_t{0};

  HostMemory() = default;
  ~HostMemory();
  HostMemory(const HostMemory&) = delete;
  HostMemory& operator=(const HostMemory&) = delete;

  /// Throws EngineError.
  std::uint64_t* take();
  /// All of its words are unwritten again, and no kernel writes there any more.
  void give_back(std::uint64_t* piece) noexcept;

 private:
  std::mutex mutex_;
  std::vector<std::uint64_t*> all_, free_;
};

}  // namespace cyclotome::cuda
