// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/rlwe/domains.hpp"
#include "cyclotome/scheme/scheme.hpp"

namespace cyclotome::scheme {

/// Computes on ciphertexts modulo one plaintext modulus, with the keys that this takes, as programs for other libraries
/// are used to. Results wrap around modulo t, and nothing notices: exact integers are value::EncryptedArray. Operations
/// are those of scheme/scheme.hpp and rlwe/operations.hpp, which say what they throw; operands may be batches. Copies
/// share the keys.
class Evaluator {
 public:
  /// Of sums and products with plaintexts, which take no keys; others throw MissingKeyError.
  Evaluator() = default;
  /// Copies share the keys' residues.
  explicit Evaluator(const rlwe::EvaluationKeys& keys) : keys_(std::make_shared<const rlwe::EvaluationKeys>(keys)) {}

  /// a + b, of any levels.
  Ciphertext add(const Ciphertext& a, const Ciphertext& b) const { return scheme::add(a, b); }
  /// a - b, of any levels.
  Ciphertext subtract(const Ciphertext& a, const Ciphertext& b) const { return scheme::subtract(a, b); }
  /// -a.
  Ciphertext negate(const Ciphertext& a) const { return rlwe::negate(a); }
  /// a b, relinearised.
  Ciphertext multiply(const Ciphertext& a, const Ciphertext& b) const {
    return scheme::multiply_relinearized(a, b, keys());
  }
  /// a^2, relinearised.
  Ciphertext square(const Ciphertext& a) const { return scheme::square_relinearized(a, keys()); }
  /// a b of three parts, without keys: for sums of products, which `relinearize` afterwards, once.
  Ciphertext multiply_lazily(const Ciphertext& a, const Ciphertext& b) const { return scheme::multiply(a, b); }
  /// Back to two parts.
  Ciphertext relinearize(const Ciphertext& a) const { return rlwe::relinearize(a, keys()); }
  /// a + b with a plaintext.
  Ciphertext add_plain(const Ciphertext& a, const Plaintext& b) const { return scheme::add_plain(a, b); }
  /// a - b with a plaintext.
  Ciphertext subtract_plain(const Ciphertext& a, const Plaintext& b) const { return scheme::subtract_plain(a, b); }
  /// a b with a plaintext.
  Ciphertext multiply_plain(const Ciphertext& a, const Plaintext& b) const { return rlwe::multiply_plain(a, b); }
  /// The same plaintext with its transforms, for many products.
  Plaintext prepared(const Plaintext& b) const { return rlwe::prepared(b); }
  /// The same ciphertexts transformed, for many products with plaintexts: they, and their sums, then transform nothing.
  /// BFV's are in coefficients at first, BGV's are transformed always.
  Ciphertext transformed(const Ciphertext& a) const { return rlwe::transformed(a); }
  /// Back to where products and rotations have them, which they do by themselves: for operands of several.
  Ciphertext native(const Ciphertext& a) const { return rlwe::native(a); }
  /// a times one signed integer.
  Ciphertext multiply_scalar(const Ciphertext& a, std::int64_t factor) const {
    return rlwe::multiply_scalar(a, factor);
  }
  /// Slots of both rows moved by `steps` to the left; to the right if negative. Needs the key of this very rotation.
  Ciphertext rotate_rows(const Ciphertext& a, std::int64_t steps) const { return rlwe::rotate_rows(a, steps, keys()); }
  /// The two rows of slots swapped.
  Ciphertext rotate_columns(const Ciphertext& a) const { return rlwe::rotate_columns(a, keys()); }
  /// The sum of all slots, in every slot.
  Ciphertext sum_slots(const Ciphertext& a) const { return rlwe::sum_slots(a, keys()); }
  /// a(x^element), for a Galois element.
  Ciphertext apply_galois(const Ciphertext& a, std::uint64_t element) const {
    return rlwe::apply_galois(a, element, keys());
  }
  /// The same messages in fewer ciphertext primes.
  Ciphertext switch_to_level(const Ciphertext& a, rlwe::Level level) const { return scheme::switch_to_level(a, level); }

 private:
  const rlwe::EvaluationKeys& keys() const;

  std::shared_ptr<const rlwe::EvaluationKeys> keys_;
};

}  // namespace cyclotome::scheme
