// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/study/fermat/limbs/wide_engine.hpp"

namespace cyclotome::python {

/// Wide words beside an engine of this build: the host's, or a GPU's. Throws EngineError for others.
study::fermat::WideEnginePtr wide_engine_of(const EnginePtr& engine);
/// Microseconds of one call of `work` on a GPU. Throws EngineError for other engines.
double device_microseconds(const EnginePtr& engine, const std::function<void()>& work, unsigned repetitions);

}  // namespace cyclotome::python
