// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>

#include "cyclotome/engine/cuda/driver.cuh"
#include "cyclotome/engine/cuda/memory/device_view.cuh"
#include "cyclotome/engine/cuda/streams/stream_wait.cuh"

namespace cyclotome::cuda {

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
  // It is slept for a part of the time that has passed, so that what takes long is known a little later and costs no
  // core.
  using Clock = std::chrono::steady_clock;
  constexpr int part = 16;
  const auto start = Clock::now();
  if (comes_soon([&] { return reached(number); })) return;
  while (!reached(number)) {
    const cudaError_t status = cudaStreamQuery(stream_);  // a device that failed writes no word
    if (status == cudaSuccess) return;
    if (status != cudaErrorNotReady) return check(status, what);
    std::this_thread::sleep_for(
        std::min<Clock::duration>((Clock::now() - start) / part, std::chrono::milliseconds(10)));
  }
}

}  // namespace cyclotome::cuda
