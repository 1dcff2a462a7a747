// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <mutex>

#include "cyclotome/scheme/bfv/behz.hpp"
#include "cyclotome/scheme/bfv/hps.hpp"
#include "cyclotome/scheme/exact_context.hpp"

namespace cyclotome::bfv {

class Bootstrapping;

/// What BEHZ products need (specification 5.5): B_sk, Q then B_sk, the lift, and the scaling for each plaintext
/// modulus.
struct BehzTables {
  RingPtr auxiliary_ring, product_ring;
  std::unique_ptr<BehzLift> lift;
  std::vector<std::unique_ptr<BehzScale>> scales;
};

/// A BFV context: what all lattice schemes share, and the constants of products and decryption for each plaintext
/// modulus.
class Context final : public scheme::ExactContext {
 public:
  /// Tables of the two ways to multiply, made on first use; thread-safe.
  const BehzTables& behz() const;
  const HpsProduct& hps(rlwe::Level level, rlwe::PlainIndex plain) const;

  /// What decryption at a level needs; made on first use, thread-safe.
  const PlainScale& plain_scale(rlwe::Level level, rlwe::PlainIndex plain) const;

  /// What refreshing takes: made by whoever knows how (scheme/bfv/bootstrapping/bootstrapping.hpp), once. Thread-safe.
  const Bootstrapping& bootstrapping(rlwe::PlainIndex plain,
                                     const std::function<std::shared_ptr<const Bootstrapping>()>& make) const;

  /// Sums, and joined arrays, are brought to the lowest level among the operands.
  Ciphertext add(const Ciphertext& a, const Ciphertext& b) const override;
  Ciphertext subtract(const Ciphertext& a, const Ciphertext& b) const override;
  Ciphertext concatenate(std::span<const Ciphertext* const> arrays) const override;
  Ciphertext switch_to_level(const Ciphertext& a, rlwe::Level level) const override;
  Ciphertext multiply(const Ciphertext& a, const Ciphertext& b) const override;
  Ciphertext square(const Ciphertext& a) const override;
  Ciphertext sum_products(std::span<const rlwe::Member> a, std::span<const rlwe::Member> b,
                          std::size_t group) const override;
  Ciphertext multiply_relinearized(const Ciphertext& a, const Ciphertext& b,
                                   const rlwe::EvaluationKeys& keys) const override;
  Ciphertext square_relinearized(const Ciphertext& a, const rlwe::EvaluationKeys& keys) const override;
  Ciphertext multiply_by(std::string_view method, const Ciphertext& a, const Ciphertext* b,
                         const rlwe::EvaluationKeys* keys) const override;

 private:
  friend std::shared_ptr<const Context> make_context(const rlwe::Parameters& parameters, const EnginePtr& engine);
  Context(const rlwe::Parameters& parameters, const EnginePtr& engine);

  std::shared_ptr<const BaseConversion> message_lift(rlwe::Level level, rlwe::PlainIndex plain,
                                                     std::uint64_t correction) const override;
  rlwe::NoiseBound message_noise(rlwe::PlainIndex plain) const override;
  Plaintext open(const Ciphertext& ciphertext, const rlwe::SecretKey& key, rlwe::NoisePeaks& peaks) const override;
  Plaintext round(const Ciphertext& ciphertext, const PolyArray& phases, rlwe::NoisePeaks& peaks) const override;
  scheme::NoiseGauge gauge(const Ciphertext& ciphertext) const override;

  Ciphertext rerandomize_from(const Ciphertext& a, const rlwe::PublicKey& key, Seed&& seed) const override;

  std::vector<std::uint64_t> taken_;  // primes that auxiliary bases must not contain
  std::uint64_t gamma_;
  RingPtr hps_auxiliary() const;

  mutable std::mutex tables_mutex_;  // of what is made on first use; held to look and to publish, not to make rings
  mutable std::unique_ptr<const BehzTables> behz_;
  mutable RingPtr hps_auxiliary_;  // for all of Q; lower levels take a part of it
  template <class Table>
  using ByPair = std::map<std::pair<std::size_t, std::size_t>, Table>;
  mutable ByPair<std::unique_ptr<HpsProduct>> hps_;                       // by limbs, plaintext modulus
  mutable ByPair<std::unique_ptr<PlainScale>> plain_scales_;              // likewise
  mutable ByPair<std::shared_ptr<const BaseConversion>> message_scales_;  // m in Z_t -> round(q m / t) modulo each q_i
  mutable std::mutex bootstrapping_mutex_;  // held while one is made: whoever comes second would take as long
  mutable std::map<std::size_t, std::shared_ptr<const Bootstrapping>> bootstrappings_;  // by plaintext modulus
};

using ContextPtr = std::shared_ptr<const Context>;

}  // namespace cyclotome::bfv
