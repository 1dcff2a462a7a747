// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>

#include "cyclotome/engine/cuda/memory/host_numbers.cuh"
#include "cyclotome/engine/cuda/state.cuh"

namespace cyclotome::cuda {

HostNumbers::HostNumbers(EnginePtr engine, DeviceState& state, std::size_t count)
    : engine_(std::move(engine)), state_(state), count_(count) {
  const DeviceScope scope = state.enter();
  words_ = state.host.take();
  try {
    state.order.add(words_, HostMemory::words * sizeof(std::uint64_t), StreamNumbers{});
  } catch (...) {
    state.host.give_back(words_);
    throw;
  }
}

HostNumbers::~HostNumbers() {
  const StreamNumbers touched = state_.order.remove(words_);
  try {
    const DeviceScope scope(state_.context, std::nothrow);
    for (std::size_t s = 0; asked_ && s < all_streams; ++s) {
      if (touched[s] != 0) state_.lanes.existing(s)->finish("waiting for numbers");
    }
  } catch (const EngineError&) {
    return;  // the device takes no work any more: nobody gets memory into which it may write
  }
  forget();
  state_.host.give_back(words_);
}

View HostNumbers::view() noexcept {
  asked_ = true;
  return {.data = words_, .ring = program::number_ring().get(), .batch = count_, .batch_stride = 1};
}

bool HostNumbers::written() {
  while (seen_ < count_ && std::atomic_ref(words_[seen_]).load(std::memory_order_acquire) != HostMemory::unwritten) {
    ++seen_;
  }
  return seen_ == count_;
}

void HostNumbers::forget() noexcept { std::fill_n(words_, count_, HostMemory::unwritten); }

void HostNumbers::take(std::uint64_t* numbers) {
  constexpr auto what = "waiting for numbers";
  seen_ = 0;
  if (!comes_soon([this] { return written(); })) {
    const DeviceScope scope = state_.enter();
    state_.lanes.mine().finish(what);
    if (!written()) state_.wait(what);  // another thread ran it
    if (!written()) throw EngineError("CUDA: a program has not written the numbers that are asked for");
  }
  std::copy_n(words_, count_, numbers);
  forget();
  asked_ = false;
}

}  // namespace cyclotome::cuda
