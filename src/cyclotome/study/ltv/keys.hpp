// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/study/ltv/ciphertext.hpp"

namespace cyclotome::study::ltv {

/// f = 2f' + 1, f' ternary, with its inverse. Moved, never copied. Whoever holds the public key can find it.
class SecretKey {
 public:
  /// Draws f' until f has an inverse modulo every prime. acknowledge_broken has to be true: else SecurityError, which
  /// says why and names what to use in its place.
  static SecretKey generate(const ParametersPtr& parameters, bool acknowledge_broken);
  /// From f', n values of -1, 0 and 1, as a file has it. ArgumentError where f has no inverse.
  static SecretKey restore(const ParametersPtr& parameters, const KeyId& id, std::span<const std::int64_t> half);
  SecretKey(SecretKey&&) = default;
  SecretKey& operator=(SecretKey&&) = default;
  SecretKey(const SecretKey&) = delete;
  SecretKey& operator=(const SecretKey&) = delete;

  const ParametersPtr& parameters() const noexcept { return parameters_; }
  const KeyId& id() const noexcept { return id_; }
  const Polynomial& value() const noexcept { return value_; }          ///< CRT, level 0
  const Polynomial& inverse() const noexcept { return inverse_; }      ///< CRT, level 0
  const Polynomial& transform() const noexcept { return transform_; }  ///< NTT of f, level 0

 private:
  SecretKey() = default;
  ParametersPtr parameters_;
  KeyId id_{};
  Polynomial value_, inverse_, transform_;
};

/// h = 2 g f^-1 modulo q_0.
class PublicKey {
 public:
  static PublicKey generate(const SecretKey& secret);
  /// From h in the CRT domain, at level 0.
  static PublicKey restore(const ParametersPtr& parameters, const KeyId& id, const Polynomial& h);
  const ParametersPtr& parameters() const noexcept { return parameters_; }
  const KeyId& id() const noexcept { return id_; }
  const Polynomial& transform() const noexcept { return transform_; }  ///< NTT, level 0

 private:
  PublicKey() = default;
  friend class SwitchingKey;
  ParametersPtr parameters_;
  KeyId id_{};
  Polynomial transform_;
};

/// ek_t = h s_t + 2 e_t + 2^(w t) target, t < eta_0, kept transformed at level 0: residues modulo fewer primes are the
/// keys of later levels (erratum 002-10). target f makes products decrypt under f again, f(x^k)/f what was moved by
/// x^k.
class SwitchingKey {
 public:
  static SwitchingKey relinearization(const SecretKey& secret, const PublicKey& public_key);
  /// k prime to m, else ArgumentError.
  static SwitchingKey galois(const SecretKey& secret, const PublicKey& public_key, std::uint64_t k);

  /// From all digits in the CRT domain, at level 0. element: 0, or prime to m (ArgumentError).
  static SwitchingKey restore(const ParametersPtr& parameters, const KeyId& id, std::uint64_t element,
                              std::span<const Polynomial> digits);

  const ParametersPtr& parameters() const noexcept { return parameters_; }
  const KeyId& id() const noexcept { return id_; }
  /// 0: relinearisation.
  std::uint64_t element() const noexcept { return element_; }
  const std::vector<Polynomial>& digits() const noexcept { return digits_; }
  std::size_t bytes() const noexcept;

 private:
  SwitchingKey() = default;
  static SwitchingKey make(const SecretKey& secret, const PublicKey& public_key, const Polynomial& target,
                           std::uint64_t element);
  ParametersPtr parameters_;
  KeyId id_{};
  std::uint64_t element_ = 0;
  std::vector<Polynomial> digits_;
};

/// h s + 2 e of two draws from a seed, in the CRT domain modulo so many primes: what hides a message.
Polynomial mask(const PublicKey& key, const Seed& seed, std::uint32_t item, std::size_t primes);

}  // namespace cyclotome::study::ltv
