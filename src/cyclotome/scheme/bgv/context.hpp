// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tuple>

#include "cyclotome/rlwe/context.hpp"

namespace cyclotome::bgv {

/// A BGV context: what all lattice schemes share, and the divisions of modulus switching at every level.
class Context final : public rlwe::Context {
 public:
  /// Throws ParameterError if the parameters are not BGV's.
  static std::shared_ptr<const Context> create(const rlwe::Parameters& parameters, const EnginePtr& engine);

  /// Division by the last prime of level `limbs` >= 2, keeping residues modulo plaintext modulus number `plain`. Tables
  /// are made on first use; thread-safe.
  const DivideAndRound& modulus_switch(std::size_t limbs, std::size_t plain) const;
  /// m in Z_t -> factor * m, centred, modulo the primes of a level. Conversions that were asked for lately are kept;
  /// thread-safe.
  std::shared_ptr<const BaseConversion> message_lift(std::size_t limbs, std::size_t plain,
                                                     std::uint64_t factor = 1) const;
  /// A centred phase at a level -> factor times it modulo t.
  std::shared_ptr<const BaseConversion> message_reduction(std::size_t limbs, std::size_t plain,
                                                          std::uint64_t factor) const;

 private:
  Context(const rlwe::Parameters& parameters, const EnginePtr& engine)
      : rlwe::Context(parameters, engine, {Domain::transform, true}) {}

  using Conversions = std::map<std::tuple<std::size_t, std::size_t, std::uint64_t>,  // limbs, plain, factor
                               std::shared_ptr<const BaseConversion>>;
  template <class Make>
  std::shared_ptr<const BaseConversion> find(Conversions& conversions, const Conversions::key_type& key,
                                             const Make& make) const;

  mutable std::mutex mutex_;
  mutable std::map<std::pair<std::size_t, std::size_t>, std::unique_ptr<DivideAndRound>> switches_;
  mutable Conversions lifts_, reductions_;
};

using ContextPtr = std::shared_ptr<const Context>;

/// The BGV context behind a key, plaintext or ciphertext. Throws MismatchError if it is another scheme's.
const Context& bgv_context(const rlwe::ContextPtr& context);

}  // namespace cyclotome::bgv
