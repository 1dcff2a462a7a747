// SPDX-License-Identifier: Apache-2.0
#include "bindings/study/wide_engines.hpp"

#include "cyclotome/math/errors.hpp"

#ifdef CYCLOTOME_CUDA
#include "cyclotome/engine/cuda/study/wide_cuda_engine.hpp"
#endif

namespace cyclotome::python {

namespace {

constexpr unsigned warm_up = 3;

}  // namespace

study::fermat::WideEnginePtr wide_engine_of(const EnginePtr& engine) {
#ifdef CYCLOTOME_CUDA
  study::fermat::WideEngine::add_maker(wide_cuda_engine);
#endif
  return study::fermat::WideEngine::of(engine);
}

double device_microseconds(const EnginePtr& engine, const std::function<void()>& work, unsigned repetitions) {
#ifdef CYCLOTOME_CUDA
  for (unsigned i = 0; i < warm_up; ++i) work();
  return event_time_of(engine, work, repetitions);
#else
  static_cast<void>(work), static_cast<void>(repetitions), static_cast<void>(warm_up);
  throw EngineError(message("events measure GPUs; ", engine->name(), " is none, and this build has no CUDA engine"));
#endif
}

}  // namespace cyclotome::python
