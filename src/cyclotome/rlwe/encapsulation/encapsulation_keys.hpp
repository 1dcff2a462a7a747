// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/rlwe/encapsulation/sparse_secrets.hpp"
#include "cyclotome/rlwe/keys/keys.hpp"

namespace cyclotome::rlwe {

/// The keys s -> s~, over the first ciphertext prime and the first special prime alone, and s~ -> s, over P Q. Public
/// in the sense of evaluation keys. For schemes whose errors are multiples of 1 (BFV).
class EncapsulationKeys {
 public:
  /// to_sparse: 1 item of 2 parts over `encapsulation_ring`, transformed, whose part 1 expands from `uniform_seed`.
  EncapsulationKeys(unsigned weight, PolyArray to_sparse, const PublicSeed& uniform_seed, RekeyingKey back)
      : weight_(weight), to_sparse_(std::move(to_sparse)), uniform_seed_(uniform_seed), back_(std::move(back)) {}
  EncapsulationKeys(const EncapsulationKeys&) = default;  // and no move: math/moved.hpp
  EncapsulationKeys& operator=(const EncapsulationKeys&) = default;
  /// Draws s~, which nobody gets to see, and both keys. Throws what `sparse_secret_weight` does.
  static EncapsulationKeys generate(const SecretKey& secret);

  const ContextPtr& context() const noexcept { return back_.context(); }
  /// Id of s.
  const KeyId& id() const noexcept { return back_.to(); }
  /// Coefficients of s~ that are not 0.
  unsigned weight() const noexcept { return weight_; }
  const PolyArray& to_sparse() const noexcept { return to_sparse_; }
  const PublicSeed& uniform_seed() const noexcept { return uniform_seed_; }
  /// s~ -> s; it leads from an id that no other key has.
  const RekeyingKey& back() const noexcept { return back_; }
  /// Bytes of both in memory.
  std::size_t bytes() const noexcept { return to_sparse_.bytes() + back_.key().polynomials().bytes(); }

 private:
  unsigned weight_;
  PolyArray to_sparse_;
  PublicSeed uniform_seed_;
  RekeyingKey back_;
};

/// A copy on another engine, that of `context`, which has the same parameters.
EncapsulationKeys moved(const EncapsulationKeys& keys, const ContextPtr& context);
/// Evaluation keys with these among them. Throws MismatchError for keys of another secret or context.
EvaluationKeys with_encapsulation(const EvaluationKeys& keys, const EncapsulationKeys& encapsulation);

/// The first special prime, then the first ciphertext prime: all that a key under s~ is over.
RingPtr encapsulation_ring(const Context& context);

}  // namespace cyclotome::rlwe
