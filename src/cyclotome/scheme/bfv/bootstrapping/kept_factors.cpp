// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/scheme/bfv/bootstrapping/kept_factors.hpp"

#include "cyclotome/engine/memory_limit.hpp"
#include "cyclotome/math/interrupt.hpp"
#include "cyclotome/rlwe/context.hpp"

namespace cyclotome::bfv {

namespace {

/// How often a map's factors have to fit into the memory that is left: there are up to twelve maps, and half of that
/// memory is for others.
constexpr std::uint64_t spare = 24;

}  // namespace

std::shared_ptr<const KeptFactors::Rows> KeptFactors::at(rlwe::Level level,
                                                         const std::vector<rlwe::Plaintext>& factors) {
  {
    const std::lock_guard lock(mutex_);
    if (rows_ != nullptr && level <= level_) return rows_;
  }
  std::uint64_t bytes = 0;
  const rlwe::ContextPtr& context = factors.front().context();
  for (const rlwe::Plaintext& each : factors) {
    bytes += each.polynomials().bytes() * (context->special_limbs() + level.primes);
  }
  if (!has_memory(*context->engine(), spare * bytes)) return nullptr;
  Rows made;  // by two threads at worst, to the same bits
  for (const rlwe::Plaintext& each : factors) {
    check_interrupt();
    made.emplace_back(each, level);
  }
  const std::lock_guard lock(mutex_);
  level_ = level;
  rows_ = std::make_shared<const Rows>(std::move(made));
  return rows_;
}

}  // namespace cyclotome::bfv
