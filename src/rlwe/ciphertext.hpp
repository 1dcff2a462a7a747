// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "cyclotome/rlwe/context.hpp"
#include "cyclotome/rlwe/noise.hpp"

namespace cyclotome::rlwe {

/// An array of plaintext polynomials modulo one t: batch items of one part over Z_t, coefficient domain.
class Plaintext {
 public:
  Plaintext(ContextPtr context, std::size_t plain, PolyArray polynomials)
      : context_(std::move(context)), plain_(plain), polynomials_(std::move(polynomials)) {}

  const ContextPtr& context() const noexcept { return context_; }
  /// Number of the plaintext modulus, and the modulus.
  std::size_t plain() const noexcept { return plain_; }
  std::uint64_t plain_modulus() const { return context_->parameters().plain_moduli()[plain_]; }
  std::size_t batch() const noexcept { return polynomials_.batch(); }
  const PolyArray& polynomials() const noexcept { return polynomials_; }

  /// Canonical norms of the centred polynomials, one for each batch item: what a product multiplies noise by. For
  /// public plaintexts (computed on the host, on first use; not thread-safe).
  const std::vector<double>& canonical_norms() const;

 private:
  ContextPtr context_;
  std::size_t plain_;
  PolyArray polynomials_;
  mutable std::vector<double> canonical_norms_;
};

/// An array of ciphertexts of one plaintext modulus: batch items of 2 parts (3 after a product that was not
/// relinearised) over Q, coefficient domain. Immutable: operations return new arrays.
class Ciphertext {
 public:
  Ciphertext(ContextPtr context, const KeyId& key, std::size_t plain, PolyArray polynomials, NoiseBound noise,
             std::optional<Seed> uniform_seed = std::nullopt)
      : context_(std::move(context)),
        key_(key),
        plain_(plain),
        polynomials_(std::move(polynomials)),
        noise_(noise),
        uniform_seed_(uniform_seed) {}

  const ContextPtr& context() const noexcept { return context_; }
  /// Id of the secret key that it is encrypted under.
  const KeyId& key() const noexcept { return key_; }
  std::size_t plain() const noexcept { return plain_; }
  std::uint64_t plain_modulus() const { return context_->parameters().plain_moduli()[plain_]; }
  std::size_t batch() const noexcept { return polynomials_.batch(); }
  std::size_t parts() const noexcept { return polynomials_.parts(); }
  const PolyArray& polynomials() const noexcept { return polynomials_; }
  /// Bound for every item of the batch.
  const NoiseBound& noise() const noexcept { return noise_; }
  /// Of a fresh symmetric encryption: the seed that c1 expands from, so that files hold half.
  const std::optional<Seed>& uniform_seed() const noexcept { return uniform_seed_; }

  /// Other residues and noise with this array's context, key and plaintext modulus: what an operation returns.
  Ciphertext derived(PolyArray polynomials, NoiseBound noise) const {
    return Ciphertext(context_, key_, plain_, std::move(polynomials), noise);
  }

  /// The same ciphertexts on another engine; `context` must have the same parameters (MismatchError).
  Ciphertext to(const ContextPtr& context) const;

 private:
  ContextPtr context_;
  KeyId key_;
  std::size_t plain_;
  PolyArray polynomials_;
  NoiseBound noise_;
  std::optional<Seed> uniform_seed_;
};

}  // namespace cyclotome::rlwe
