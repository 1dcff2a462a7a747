// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tuple>

#include "cyclotome/scheme/exact_context.hpp"

namespace cyclotome::bgv {

/// A BGV context: what all lattice schemes share, and the divisions of modulus switching at every level.
class Context final : public scheme::ExactContext {
 public:
  /// Division by the last primes of a level, all at once, until as many as `to` has are left, keeping residues modulo
  /// plaintext modulus number `plain`. Throws ArgumentError unless `to` is lower and at least 1. Tables are made on
  /// first use; thread-safe.
  const DivideAndRound& modulus_switch(rlwe::Level from, rlwe::Level to, rlwe::PlainIndex plain) const;
  /// The same by the special primes as well, which come first: for what a key switch leaves. There must be some.
  const DivideAndRound& joint_switch(rlwe::Level from, rlwe::Level to, rlwe::PlainIndex plain) const;
  /// A centred phase at a level -> factor times it modulo t. Conversions that were asked for lately are kept;
  /// thread-safe.
  std::shared_ptr<const BaseConversion> message_reduction(rlwe::Level level, rlwe::PlainIndex plain,
                                                          std::uint64_t factor) const;

  /// Sums: operands are brought to the lower of both levels, and to one correction factor by small balanced scalars or
  /// one scalar before the switch, whichever is quieter.
  Ciphertext add(const Ciphertext& a, const Ciphertext& b) const override;
  Ciphertext subtract(const Ciphertext& a, const Ciphertext& b) const override;
  Ciphertext multiply(const Ciphertext& a, const Ciphertext& b) const override;
  Ciphertext square(const Ciphertext& a) const override;
  /// Of members at the level of their products nothing is copied.
  Ciphertext sum_products(std::span<const rlwe::Member> a, std::span<const rlwe::Member> b,
                          std::size_t group) const override;
  Ciphertext multiply_relinearized(const Ciphertext& a, const Ciphertext& b,
                                   const rlwe::EvaluationKeys& keys) const override;
  Ciphertext square_relinearized(const Ciphertext& a, const rlwe::EvaluationKeys& keys) const override;
  /// One batch after the other, brought to the lowest level among them and to one correction factor.
  Ciphertext concatenate(std::span<const Ciphertext* const> arrays) const override;
  Ciphertext switch_to_level(const Ciphertext& a, rlwe::Level level) const override;
  /// By one division, where keys have errors for this plaintext modulus and there are special primes.
  Ciphertext relinearize_to_level(const Ciphertext& a, const rlwe::EvaluationKeys& keys,
                                  rlwe::Level level) const override;

 private:
  friend std::shared_ptr<const Context> make_context(const rlwe::Parameters& parameters, const EnginePtr& engine);
  Context(const rlwe::Parameters& parameters, const EnginePtr& engine) : ExactContext(parameters, engine) {}

  /// m in Z_t -> correction * m, centred, modulo the primes of a level.
  std::shared_ptr<const BaseConversion> message_lift(rlwe::Level level, rlwe::PlainIndex plain,
                                                     std::uint64_t correction) const override;
  rlwe::NoiseBound message_noise(rlwe::PlainIndex plain) const override;
  Plaintext open(const Ciphertext& ciphertext, const rlwe::SecretKey& key, rlwe::NoisePeaks& peaks) const override;
  Plaintext round(const Ciphertext& ciphertext, const PolyArray& phases, rlwe::NoisePeaks& peaks) const override;
  scheme::NoiseGauge gauge(const Ciphertext& ciphertext) const override;
  /// a plus fresh encryptions of zero at its level.
  Ciphertext rerandomize_from(const Ciphertext& a, const rlwe::PublicKey& key, Seed&& seed) const override;

  using Conversions = std::map<std::tuple<std::size_t, std::size_t, std::uint64_t>,  // limbs, plain, factor
                               std::shared_ptr<const BaseConversion>>;
  template <class Make>
  std::shared_ptr<const BaseConversion> find(Conversions& conversions, const Conversions::key_type& key,
                                             const Make& make) const;

  using Switches = std::map<std::tuple<std::size_t, std::size_t, std::size_t>, std::unique_ptr<DivideAndRound>>;
  const DivideAndRound& find(Switches& switches, const Switches::key_type& key, const RingPtr& special) const;

  mutable std::mutex mutex_;
  mutable Switches switches_, joint_switches_;  // by limbs before and after, and plain
  mutable Conversions lifts_, reductions_;
};

using ContextPtr = std::shared_ptr<const Context>;

}  // namespace cyclotome::bgv
