// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/value/arrays/encrypted_array.hpp"
#include "cyclotome/value/arrays/options.hpp"

// The same values with fresh noise: what makes the number of products unlimited (doc/bootstrapping.md).
namespace cyclotome::value {

/// x with noise that does not depend on what was computed before, over all primes; products that were not relinearised
/// are first. Exact, whatever the noise was. Takes evaluation keys for it (KeyOptions::bootstrap). Throws NoiseError
/// before anything is computed if there is too much noise already, and says how much earlier to refresh;
/// MissingKeyError; and UnsupportedError for parameters that can't be refreshed: bootstrappable_parameters can.
EncryptedArray refresh(const EncryptedArray& x, const Options& options = {});
/// The same, which reports as `what`.
EncryptedArray refresh_as(std::string_view what, const EncryptedArray& x, const Options& options);
/// One ciphertext after the other, of 2 parts, as far as memory and interruption are concerned; a step each.
Ciphertext refresh_channel(const Ciphertext& channel, const rlwe::EvaluationKeys& keys, Task& task);

/// What refreshing takes and leaves, by the parameters alone; the largest or least of all plaintext moduli.
struct RefreshFacts {
  unsigned weight = 0;            ///< of the sparse secret
  unsigned products = 0;          ///< of ciphertexts, in one refresh of each
  double refreshed_headroom = 0;  ///< bits of noise headroom that a refreshed array has
  double least_headroom = 0;      ///< bits that an array needs which shall be refreshed
};
/// Makes the tables that refreshing takes, once for a context, which takes seconds. Throws UnsupportedError as above.
RefreshFacts refresh_facts(const rlwe::ContextPtr& context);

}  // namespace cyclotome::value
