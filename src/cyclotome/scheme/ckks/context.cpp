// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/scheme/ckks/context.hpp"

#include "cyclotome/math/errors.hpp"
#include "cyclotome/scheme/ckks/levels.hpp"

namespace cyclotome::ckks {

Context::Context(const rlwe::Parameters& parameters, const EnginePtr& engine)
    : ExactContext(parameters, engine),
      transform_(parameters.degree()),
      scales_(level_scales(parameters.moduli(), Part::of(parameters).scale())) {}

double Context::scale(Level level) const {
  static_cast<void>(level_ring(level));  // throws
  return scales_[level.primes - 1];
}

double Context::factor_scale(Level level) const {
  const double prime = static_cast<double>(rescaling(level).dropped->basis().values()[0]);
  return prime * scale(Level(level.primes - 1)) / scale(level);
}

const DivideAndRound& Context::rescaling(Level from) const {
  if (from.primes < 2) throw ArgumentError("the lowest level can't be rescaled: it has one prime");
  const std::lock_guard lock(mutex_);
  auto& slot = divisions_[from.primes];
  if (slot == nullptr) {
    slot = std::make_unique<DivideAndRound>(level_ring(Level(from.primes - 1)),
                                            level_ring(from)->slice(from.primes - 1, 1));
  }
  return *slot;
}

std::shared_ptr<const BaseConversion> Context::message_lift(Level level, PlainIndex plain, std::uint64_t) const {
  const std::lock_guard lock(mutex_);
  auto& slot = lifts_[level.primes];
  if (slot == nullptr) {
    slot =
        std::make_shared<const BaseConversion>(plain_ring(plain)->basis(), level_ring(level)->basis(), Lift::centred);
  }
  return slot;
}

NoiseBound Context::message_noise(PlainIndex) const { return ckks::message_noise(parameters()); }

}  // namespace cyclotome::ckks
