// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "cyclotome/engine/cuda/memory/device_view.cuh"
#include "cyclotome/math/errors.hpp"

namespace cyclotome::cuda::study {

/// Microseconds that the device takes for one call of `work`, by CUDA events around `repetitions` (>= 1) calls in a
/// row, which queue on `stream`. The calling thread is in the device's context.
inline double event_time(cudaStream_t stream, const std::function<void()>& work, unsigned repetitions) {
  if (repetitions == 0) throw ArgumentError("event_time: at least one repetition is needed");
  struct Event {
    cudaEvent_t value = nullptr;
    Event() { check(cudaEventCreate(&value), "event creation"); }
    ~Event() { succeeded(cudaEventDestroy(value)); }
    Event(const Event&) = delete;
    Event& operator=(const Event&) = delete;
  } start, stop;
  check(cudaEventRecord(start.value, stream), "event");
  for (unsigned i = 0; i < repetitions; ++i) work();
  check(cudaEventRecord(stop.value, stream), "event");
  check(cudaEventSynchronize(stop.value), "waiting for an event");
  float milliseconds = 0;
  check(cudaEventElapsedTime(&milliseconds, start.value, stop.value), "event times");
  return 1000.0 * milliseconds / repetitions;
}

}  // namespace cyclotome::cuda::study
