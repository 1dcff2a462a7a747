// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/ring/behz.hpp"
#include "cyclotome/rlwe/context.hpp"

namespace cyclotome::bfv {

/// A BFV context: what all lattice schemes share, and BEHZ's bases and constants for each plaintext modulus.
class Context final : public rlwe::Context {
 public:
  /// Throws ParameterError if the parameters are not BFV's.
  static std::shared_ptr<const Context> create(const rlwe::Parameters& parameters, const EnginePtr& engine);

  /// Q, then B_sk: the ring products are formed in.
  const RingPtr& product_ring() const noexcept { return product_ring_; }
  const RingPtr& auxiliary_ring() const noexcept { return auxiliary_ring_; }
  const BehzLift& lift() const noexcept { return *lift_; }
  const BehzScale& product_scale(std::size_t plain) const { return *product_scales_.at(plain); }
  const PlainScale& plain_scale(std::size_t plain) const { return *plain_scales_.at(plain); }
  /// m in Z_t -> round(q m / t) modulo every q_i: see `scale_to_ciphertext` in encryption.cpp.
  const BaseConversion& message_scale(std::size_t plain) const { return message_scales_.at(plain); }
  /// How far below 1/2 the invariant noise must stay for decryption: k/gamma.
  double decryption_slack() const noexcept { return decryption_slack_; }

 private:
  Context(const rlwe::Parameters& parameters, const EnginePtr& engine);

  RingPtr auxiliary_ring_, product_ring_;
  std::unique_ptr<BehzLift> lift_;
  std::vector<std::unique_ptr<BehzScale>> product_scales_;
  std::vector<std::unique_ptr<PlainScale>> plain_scales_;
  std::vector<BaseConversion> message_scales_;
  double decryption_slack_ = 0;
};

using ContextPtr = std::shared_ptr<const Context>;

/// The BFV context behind a key, plaintext or ciphertext. Throws MismatchError if it is another scheme's.
const Context& bfv_context(const rlwe::ContextPtr& context);

}  // namespace cyclotome::bfv
