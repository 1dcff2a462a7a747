// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/rlwe/execution_cache.hpp"

namespace cyclotome::rlwe {

ExecutionPtr ExecutionCache::look_up(const ProgramKey& key) const {
  const std::lock_guard lock(mutex_);
  const auto found = made_.find(key);
  return found == made_.end() ? nullptr : found->second;
}

ExecutionPtr ExecutionCache::insert(const ProgramKey& key, ExecutionPtr made) const {
  const std::lock_guard lock(mutex_);
  if (made_.size() >= most) made_.clear();
  return made_.emplace(key, std::move(made)).first->second;
}

}  // namespace cyclotome::rlwe
