// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/scheme/bgv/context.hpp"

#include "cyclotome/math/errors.hpp"

namespace cyclotome::bgv {

const DivideAndRound& Context::find(Switches& switches, const Switches::key_type& key, const RingPtr& special) const {
  const auto [from, to, plain] = key;
  if (to == 0 || to >= from) {
    throw ArgumentError(message("a ciphertext of ", from, " primes can't be switched to ", to));
  }
  const std::lock_guard lock(mutex_);
  auto& slot = switches[key];
  if (slot == nullptr) {
    const RingPtr last = level_ring(rlwe::Level(from))->slice(to, from - to);
    slot = std::make_unique<DivideAndRound>(level_ring(rlwe::Level(to)),
                                            special == nullptr ? last : special->joined(*last),
                                            PreservedModulus(preserved_modulus(rlwe::PlainIndex(plain))));
  }
  return *slot;
}

const DivideAndRound& Context::modulus_switch(rlwe::Level from, rlwe::Level to, rlwe::PlainIndex plain) const {
  return find(switches_, {from.primes, to.primes, plain.number}, nullptr);
}

const DivideAndRound& Context::joint_switch(rlwe::Level from, rlwe::Level to, rlwe::PlainIndex plain) const {
  return find(joint_switches_, {from.primes, to.primes, plain.number}, special_ring());
}

template <class Make>
std::shared_ptr<const BaseConversion> Context::find(Conversions& conversions, const Conversions::key_type& key,
                                                    const Make& make) const {
  constexpr std::size_t most = 256;  // there may be as many factors as residues modulo t
  const std::lock_guard lock(mutex_);
  const auto found = conversions.find(key);
  if (found != conversions.end()) return found->second;
  if (conversions.size() >= most) conversions.clear();
  return conversions.emplace(key, std::make_shared<const BaseConversion>(make())).first->second;
}

std::shared_ptr<const BaseConversion> Context::message_lift(rlwe::Level level, rlwe::PlainIndex plain,
                                                            std::uint64_t correction) const {
  return find(lifts_, {level.primes, plain.number, correction}, [&] {
    return BaseConversion(plain_ring(plain)->basis(), level_ring(level)->basis(), Lift::centred, {correction});
  });
}

std::shared_ptr<const BaseConversion> Context::message_reduction(rlwe::Level level, rlwe::PlainIndex plain,
                                                                 std::uint64_t factor) const {
  return find(reductions_, {level.primes, plain.number, factor}, [&] {
    return BaseConversion(level_ring(level)->basis(), plain_ring(plain)->basis(), Lift::centred, {}, {factor});
  });
}

}  // namespace cyclotome::bgv
