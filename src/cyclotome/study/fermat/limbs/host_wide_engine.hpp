// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/study/fermat/limbs/wide_engine.hpp"

namespace cyclotome::study::fermat {

/// Wide words on the threads of an engine whose memory this processor addresses; null for any other engine.
WideEnginePtr host_wide_engine(const EnginePtr& engine);

}  // namespace cyclotome::study::fermat
