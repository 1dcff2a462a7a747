// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <cuda_runtime.h>
#include <mutex>
#include <thread>

namespace cyclotome::cuda {

/// For so long, in all, something is looked for without sleeping: at first a core is kept, and then others get a turn
/// in between.
inline constexpr std::chrono::microseconds alone{50}, awake{1000};

/// Whether done() says so within that time.
template <class Done>
bool comes_soon(const Done& done) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  for (;;) {
    for (int i = 0; i < 16; ++i) {
      if (done()) return true;
    }
    const auto passed = Clock::now() - start;
    if (passed >= awake) return false;
    if (passed >= alone) std::this_thread::yield();
  }
}

/// Waits for a stream by a word of the host's memory, which the device writes when it has come so far: that is seen
/// sooner than a synchronisation returns. Whoever has waited for long sleeps in between. Thread-safe; the calling
/// thread is in the device's context.
class StreamWait {
 public:
  /// Throws EngineError.
  explicit StreamWait(cudaStream_t stream);
  ~StreamWait();
  StreamWait(const StreamWait&) = delete;
  StreamWait& operator=(const StreamWait&) = delete;

  /// Until everything is done that the stream was asked for so far. Throws EngineError, naming `what`, for errors of
  /// the device too.
  void until_done(const char* what);

 private:
  /// A number that the device will write; 0 if it does not take that.
  std::uint32_t ask();
  bool reached(std::uint32_t number) const noexcept;

  cudaStream_t stream_;
  std::mutex mutex_;
  std::uint32_t* word_ = nullptr;  ///< the host's, mapped: the device has it at the same address
  std::uint32_t last_ = 0;
};

}  // namespace cyclotome::cuda
