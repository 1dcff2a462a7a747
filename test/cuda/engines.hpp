// SPDX-License-Identifier: Apache-2.0
#pragma once

// Both engines and equal seeds for them: what the tests that compare a GPU with the CPU share.

#include <array>

#include "cyclotome/engine/cpu/cpu_engine.hpp"
#include "cyclotome/engine/cuda/cuda_engine.hpp"

namespace cyclotome::check {

inline EnginePtr host() {
  static const EnginePtr engine = CpuEngine::create();
  return engine;
}

inline EnginePtr device() {
  static const EnginePtr engine = CudaEngine::create(0);
  return engine;
}

inline Seed seed(std::uint8_t value) {
  std::array<std::uint8_t, 32> bytes{};
  bytes.fill(value);
  return Seed(bytes);
}

}  // namespace cyclotome::check
