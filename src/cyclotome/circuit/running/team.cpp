// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/circuit/running/team.hpp"

#include <utility>

namespace cyclotome::circuit {

Team::Team(std::size_t members, bool threads) : members_(members) {
  for (std::size_t member = 1; threads && member < members; ++member) {
    others_.emplace_back([this, member] { serve(member); });
  }
}

Team::~Team() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  begun_.notify_all();
}

void Team::each(const std::function<void(std::size_t)>& work) {
  {
    const std::lock_guard lock(mutex_);
    work_ = &work;
    busy_ = others_.size();
    ++round_;
  }
  begun_.notify_all();
  for (std::size_t member = 0; member < (others_.empty() ? members_ : 1); ++member) guarded(member);
  std::unique_lock lock(mutex_);
  ended_.wait(lock, [this] { return busy_ == 0; });
  if (const std::exception_ptr failure = std::exchange(failure_, nullptr)) std::rethrow_exception(failure);
}

void Team::guarded(std::size_t member) {
  try {
    (*work_)(member);
  } catch (...) {
    const std::lock_guard lock(mutex_);
    if (failure_ == nullptr) failure_ = std::current_exception();
  }
}

void Team::serve(std::size_t member) {
  for (std::size_t round = 1;; ++round) {
    {
      std::unique_lock lock(mutex_);
      begun_.wait(lock, [&] { return over_ || round_ >= round; });
      if (over_) return;
    }
    guarded(member);
    const std::lock_guard lock(mutex_);
    if (--busy_ == 0) ended_.notify_all();
  }
}

}  // namespace cyclotome::circuit
