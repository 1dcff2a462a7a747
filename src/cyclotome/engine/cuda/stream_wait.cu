// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "cyclotome/engine/cuda/device_view.cuh"
#include "cyclotome/engine/cuda/driver.cuh"
#include "cyclotome/engine/cuda/stream_wait.cuh"

namespace cyclotome::cuda {

using std::chrono::microseconds;

namespace {

using Clock = std::chrono::steady_clock;

/// A core is kept so long; others get a turn in between so long; and after that it is slept for a part of the time
/// that has passed, so that what takes long is known a little later and costs no core.
constexpr microseconds alone{50}, yielding{1000};
constexpr int part = 16;

}  // namespace

StreamWait::StreamWait(cudaStream_t stream) : stream_(stream) {
  void* word = nullptr;
  check(cudaHostAlloc(&word, sizeof(std::uint32_t), cudaHostAllocMapped), "allocation of pinned memory");
  word_ = static_cast<std::uint32_t*>(word);
  *word_ = 0;
}

StreamWait::~StreamWait() { succeeded(cudaFreeHost(word_)); }

std::uint32_t StreamWait::ask() {
  const std::lock_guard lock(mutex_);  // numbers are written in the order in which they are counted
  if (++last_ == 0) ++last_;
  const auto address = reinterpret_cast<CUdeviceptr>(word_);
  return Driver::get().write_word(stream_, address, last_, CU_STREAM_WRITE_VALUE_DEFAULT) == CUDA_SUCCESS ? last_ : 0;
}

bool StreamWait::reached(std::uint32_t number) const noexcept {
  const std::uint32_t found = std::atomic_ref(*word_).load(std::memory_order_acquire);
  return static_cast<std::int32_t>(found - number) >= 0;
}

void StreamWait::until_done(const char* what) {
  const std::uint32_t number = ask();
  if (number == 0) return check(cudaStreamSynchronize(stream_), what);
  const auto start = Clock::now();
  for (;;) {
    for (int i = 0; i < 16; ++i) {
      if (reached(number)) return;
    }
    const auto passed = Clock::now() - start;
    if (passed < alone) continue;
    if (passed < yielding) {
      std::this_thread::yield();
      continue;
    }
    const cudaError_t status = cudaStreamQuery(stream_);  // a device that failed writes no word
    if (status == cudaSuccess) return;
    if (status != cudaErrorNotReady) return check(status, what);
    std::this_thread::sleep_for(std::min<Clock::duration>(passed / part, microseconds(10000)));
  }
}

}  // namespace cyclotome::cuda
