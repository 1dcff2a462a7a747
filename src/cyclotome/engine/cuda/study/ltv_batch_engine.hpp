// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/engine/cuda/study/ltv_engine.hpp"
#include "cyclotome/study/ltv/batch_engine.hpp"

namespace cyclotome {

/// What circuits over LTV are computed with on one GPU. The key is copied to it, and stays. Throws MissingKeyError
/// unless the key relinearises, MemoryLimitError where it does not fit.
study::ltv::BatchEnginePtr ltv_batch_engine(std::shared_ptr<LtvEngine> engine, study::ltv::SwitchingKey key);

}  // namespace cyclotome
