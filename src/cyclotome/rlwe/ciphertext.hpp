// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "cyclotome/math/moved.hpp"
#include "cyclotome/math/once.hpp"
#include "cyclotome/rlwe/context.hpp"
#include "cyclotome/rlwe/noise/noise.hpp"

namespace cyclotome::rlwe {

/// An array of plaintext polynomials modulo one t: batch items of one part over Z_t, coefficient domain. One that was
/// moved from is refused where it is used (math/moved.hpp), as ciphertexts are.
class Plaintext {
 public:
  Plaintext(ContextPtr context, PlainIndex plain, PolyArray polynomials)
      : context_(std::move(context)), plain_(plain), polynomials_(std::move(polynomials)) {}

  const ContextPtr& context() const { return present(context_); }
  /// Number of the plaintext modulus, and the modulus.
  PlainIndex plain() const noexcept { return plain_; }
  PlainModulus plain_modulus() const { return context()->parameters().plain_modulus(plain_); }
  std::size_t batch() const { return polynomials().batch(); }
  const PolyArray& polynomials() const { return present(context_), polynomials_; }

  /// Their transforms over all ciphertext primes, which products then need not make; null without. See
  /// rlwe::prepared.
  const std::shared_ptr<const PolyArray>& transforms() const noexcept { return transforms_; }
  /// The same plaintext with these transforms.
  Plaintext with_transforms(PolyArray transforms) const {
    Plaintext result = *this;
    result.transforms_ = std::make_shared<const PolyArray>(std::move(transforms));
    return result;
  }

  /// Batch items `numbers`, in that order, repeats allowed, in arrays of their own; the norms stay those of all.
  Plaintext taken(std::span<const std::size_t> numbers) const;

  /// The largest norms of the centred polynomials: what a product does to noise. For public plaintexts (computed on the
  /// host, on first use; thread-safe).
  const PlainNorms& norms() const;

 private:
  ContextPtr context_;
  PlainIndex plain_;
  PolyArray polynomials_;
  struct Norms {
    Once once;
    PlainNorms largest;
  };
  std::shared_ptr<Norms> norms_ = std::make_shared<Norms>();
  std::shared_ptr<const PolyArray> transforms_;
};

/// An array of ciphertexts of one plaintext modulus: batch items of 2 parts (3 after a product that was not
/// relinearised) over Q, in the context's native domain or transformed (domains.hpp). Immutable: operations return new
/// arrays.
class Ciphertext {
 public:
  Ciphertext(ContextPtr context, const KeyId& key, PlainIndex plain, PolyArray polynomials, NoiseBound noise,
             std::optional<PublicSeed> uniform_seed = std::nullopt, std::uint64_t correction = 1);

  const ContextPtr& context() const { return present(context_); }
  /// Id of the secret key that it is encrypted under.
  const KeyId& key() const noexcept { return key_; }
  PlainIndex plain() const noexcept { return plain_; }
  PlainModulus plain_modulus() const { return context()->parameters().plain_modulus(plain_); }
  std::size_t batch() const { return polynomials().batch(); }
  std::size_t parts() const { return polynomials().parts(); }
  const PolyArray& polynomials() const& { return present(context_), polynomials_; }
  PolyArray polynomials() && { return present(context_), std::move(polynomials_); }
  /// Which domain they are in.
  Domain domain() const { return polynomials().domain(); }
  /// The same ciphertexts with their residues in that domain. What is asked for a second time is kept beside this
  /// array, which copies share, and is no work from then on. Thread-safe.
  Ciphertext in(Domain domain) const;
  /// Residues for a program that wants that domain: there if they are at hand or were wanted before, else as they are.
  PolyArray wanted(Domain domain) const;
  /// Bytes of its residues in the engine's memory: the same however it is used, and before packing what a file holds
  /// of them.
  std::size_t bytes() const { return polynomials().bytes(); }
  /// Bytes that it takes at present: with what is kept beside it in the other domain.
  std::size_t held_bytes() const;
  /// The number of its ciphertext primes, and the same as what it means.
  std::size_t limbs() const { return polynomials().limbs(); }
  Level level() const { return Level(limbs()); }
  /// Of how many first primes it was raised, as far as that is known: its residues modulo the others are 0. Saves work,
  /// and changes no result.
  Level raised_from() const { return std::min(raised_from_, level()); }
  /// BGV: the phase is this factor times the message, modulo t (specification 5.8). 1 in BFV.
  std::uint64_t correction() const noexcept { return correction_; }
  /// Bound for every item of the batch.
  const NoiseBound& noise() const noexcept { return noise_; }
  /// Of a fresh symmetric encryption: the seed that c1 expands from, so that files hold half.
  const std::optional<PublicSeed>& uniform_seed() const noexcept { return uniform_seed_; }

  /// Other residues and noise with this array's context, key and plaintext modulus: what an operation returns.
  Ciphertext derived(PolyArray polynomials, NoiseBound noise) const {
    return Ciphertext(context(), key_, plain_, std::move(polynomials), noise, std::nullopt, correction_);
  }
  /// The same where it is 0 modulo all primes but the first ones.
  Ciphertext derived(PolyArray polynomials, NoiseBound noise, Level raised_from) const {
    Ciphertext result = derived(std::move(polynomials), noise);
    result.raised_from_ = raised_from;
    return result;
  }
  /// The same with another correction factor.
  Ciphertext derived(PolyArray polynomials, NoiseBound noise, std::uint64_t correction) const {
    return Ciphertext(context(), key_, plain_, std::move(polynomials), noise, std::nullopt, correction);
  }
  /// An uninitialised array of this one's ring and domain, on its engine.
  PolyArray like(std::size_t batch, std::size_t parts) const {
    return context()->make(polynomials_.ring(), batch, parts, polynomials_.domain());
  }

  /// The same ciphertexts on another engine; `context` must have the same parameters (MismatchError).
  Ciphertext to(const ContextPtr& context) const;

 private:
  ContextPtr context_;
  KeyId key_;
  PlainIndex plain_;
  PolyArray polynomials_;
  NoiseBound noise_;
  std::optional<PublicSeed> uniform_seed_;
  std::uint64_t correction_;
  Level raised_from_ = Level(std::numeric_limits<std::size_t>::max());
  struct OtherDomain;
  std::shared_ptr<OtherDomain> other_;
};

/// What factors need: one context, key and plaintext modulus (MismatchError), 2 parts, batches that are equal or 1
/// (ArgumentError).
void require_multipliable(const Ciphertext& a, const Ciphertext& b);
/// What a ciphertext and a plaintext to add need: one context and plaintext modulus (MismatchError), batches that are
/// equal or 1 (ArgumentError).
void require_plain_operand(const char* operation, const Ciphertext& a, const Plaintext& b);

}  // namespace cyclotome::rlwe
