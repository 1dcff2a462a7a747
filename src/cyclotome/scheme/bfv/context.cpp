// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/scheme/bfv/context.hpp"

#include <algorithm>

#include "cyclotome/math/primes.hpp"
#include "cyclotome/scheme/bfv/noise.hpp"

namespace cyclotome::bfv {

Context::Context(const rlwe::Parameters& parameters, const EnginePtr& engine) : ExactContext(parameters, engine) {
  const auto& plain_moduli = parameters.plain_moduli();
  taken_ = parameters.moduli();
  taken_.insert(taken_.end(), parameters.special_moduli().begin(), parameters.special_moduli().end());
  taken_.insert(taken_.end(), plain_moduli.begin(), plain_moduli.end());
  // gamma needs no transform; any prime of the word's width that is not taken will do.
  gamma_ = primes_congruent_to_one(gamma_bits(parameters.word()), 2, 1, taken_)[0];
}

const PlainScale& Context::plain_scale(rlwe::Level level, rlwe::PlainIndex plain) const {
  const std::lock_guard lock(tables_mutex_);
  auto& slot = plain_scales_[{level.primes, plain.number}];
  if (slot == nullptr) slot = std::make_unique<PlainScale>(level_ring(level), plain_ring(plain), gamma_);
  return *slot;
}

std::shared_ptr<const BaseConversion> Context::message_lift(rlwe::Level level, rlwe::PlainIndex plain,
                                                            std::uint64_t) const {
  const std::lock_guard lock(tables_mutex_);
  auto& slot = message_scales_[{level.primes, plain.number}];
  if (slot == nullptr) {
    // round(q m / t) = (q m - [q m]_t)/t, and q = 0 modulo q_i: so it is -[q m]_t t^-1 there, [.]_t centred.
    const std::uint64_t t = parameters().plain_modulus(plain).value;
    const Basis& q = level_ring(level)->basis();
    std::vector<std::uint64_t> factors;
    for (const auto modulus : q.values()) factors.push_back(modulus - inverse_or_zero(t % modulus, modulus));
    slot = std::make_shared<const BaseConversion>(plain_ring(plain)->basis(), q, Lift::centred,
                                                  std::vector{q.product().mod(t)}, factors);
  }
  return slot;
}

const Bootstrapping& Context::bootstrapping(rlwe::PlainIndex plain,
                                            const std::function<std::shared_ptr<const Bootstrapping>()>& make) const {
  const std::lock_guard lock(bootstrapping_mutex_);
  auto& slot = bootstrappings_[plain.number];
  if (slot == nullptr) slot = make();
  return *slot;
}

const BehzTables& Context::behz() const {
  {
    const std::lock_guard lock(tables_mutex_);
    if (behz_ != nullptr) return *behz_;
  }
  auto made = std::make_unique<BehzTables>();  // by several threads at once, if need be: this may be interrupted
  const RingPtr& q = ciphertext_ring();
  const auto& plain_moduli = parameters().plain_moduli();
  const std::uint64_t m_tilde = behz_m_tilde(parameters().word());
  const rlwe::PlainModulus largest_plain(*std::max_element(plain_moduli.begin(), plain_moduli.end()));
  made->auxiliary_ring = q->with_basis(behz_auxiliary_basis(q->basis(), *q->shape(), largest_plain, m_tilde, taken_));
  made->product_ring = q->joined(*made->auxiliary_ring);
  made->lift = std::make_unique<BehzLift>(q, made->auxiliary_ring, m_tilde);
  for (const auto t : plain_moduli) {
    made->scales.push_back(std::make_unique<BehzScale>(q, made->auxiliary_ring, rlwe::PlainModulus(t)));
  }
  const std::lock_guard lock(tables_mutex_);
  if (behz_ == nullptr) behz_ = std::move(made);
  return *behz_;
}

/// For all of Q; lower levels take a part of it.
RingPtr Context::hps_auxiliary() const {
  {
    const std::lock_guard lock(tables_mutex_);
    if (hps_auxiliary_ != nullptr) return hps_auxiliary_;
  }
  const RingPtr& q = ciphertext_ring();
  const RingPtr made = q->with_basis(hps_auxiliary_basis(q->basis(), *q->shape(), taken_));
  const std::lock_guard lock(tables_mutex_);
  if (hps_auxiliary_ == nullptr) hps_auxiliary_ = made;
  return hps_auxiliary_;
}

const HpsProduct& Context::hps(rlwe::Level level, rlwe::PlainIndex plain) const {
  const rlwe::PlainModulus t = parameters().plain_modulus(plain);
  const RingPtr& q = level_ring(level);
  const RingPtr auxiliary = hps_auxiliary();
  const std::lock_guard lock(tables_mutex_);
  auto& slot = hps_[{level.primes, plain.number}];
  if (slot == nullptr) {
    const RingPtr p = auxiliary->slice(0, hps_auxiliary_limbs(q->basis(), auxiliary->basis()));
    slot = std::make_unique<HpsProduct>(q, p, t);
  }
  return *slot;
}

}  // namespace cyclotome::bfv
