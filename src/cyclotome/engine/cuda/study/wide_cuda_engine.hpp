// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/engine/cuda/cuda_engine.hpp"
#include "cyclotome/engine/cuda/study/words_of_lane.hpp"
#include "cyclotome/study/fermat/limbs/wide_engine.hpp"

namespace cyclotome {

/// Residues of paper 003's wide limbs on the GPU of an engine, on its stream: the host's bits. Null for other engines.
study::fermat::WideEnginePtr wide_cuda_engine(const EnginePtr& engine);

/// Microseconds that the device takes for one call of `work`, by CUDA events around `repetitions` (>= 1) of them.
double event_time_of(const EnginePtr& engine, const std::function<void()>& work, unsigned repetitions);

}  // namespace cyclotome
