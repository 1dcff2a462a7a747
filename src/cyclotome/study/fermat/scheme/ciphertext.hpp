// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/study/fermat/scheme/keys.hpp"

namespace cyclotome::study::fermat {

/// Messages modulo t, coefficients in [0, t), `degree` for each item; zeroised. What they mean is `encode`'s.
struct Plaintext {
  ContextPtr context;
  ZeroisingVector<std::uint64_t> coefficients;

  std::size_t items() const noexcept { return coefficients.size() / context->degree(); }
};

/// Some ciphertexts of two or three parts under one key, words[item][part][word][coefficient], with a bound of their
/// noise that holds for every program (doc/noise.md).
struct Ciphertext {
  ContextPtr context;
  KeyId key;
  std::size_t parts;
  std::vector<Parts> items;
  rlwe::NoiseBound noise;

  /// Bits that the noise may grow until decryption refuses; negative: it refuses.
  double headroom() const { return context->headroom(noise); }
  /// Whether some ciphertext hides nothing: all its parts but the first are 0, as in x - x.
  bool transparent() const;
  /// The same ciphertexts in another context of the same parameters: another engine, another version of conversion.
  Ciphertext in(const ContextPtr& other) const;
};

}  // namespace cyclotome::study::fermat
