// SPDX-License-Identifier: Apache-2.0
#pragma once

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
  /// m in Z_t -> factor * m, centred, modulo the primes of a level.
  BaseConversion message_lift(std::size_t limbs, std::size_t plain, std::uint64_t factor = 1) const;

 private:
  Context(const rlwe::Parameters& parameters, const EnginePtr& engine)
      : rlwe::Context(parameters, engine, {Domain::transform, true}) {}

  mutable std::mutex mutex_;
  mutable std::map<std::pair<std::size_t, std::size_t>, std::unique_ptr<DivideAndRound>> switches_;
};

using ContextPtr = std::shared_ptr<const Context>;

/// The BGV context behind a key, plaintext or ciphertext. Throws MismatchError if it is another scheme's.
const Context& bgv_context(const rlwe::ContextPtr& context);

}  // namespace cyclotome::bgv
