// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/value/renewal/rekeying.hpp"

#include "cyclotome/rlwe/operations.hpp"
#include "cyclotome/value/polynomials/polynomials.hpp"

namespace cyclotome::value {

namespace {

/// Its channels changed one by one.
template <class Change>
EncryptedArray changed(const char* operation, const EncryptedArray& x, const Keyring& keys, const Options& options,
                       const Change& change) {
  Channels channels;
  Task task(options, operation, x.channels().size());
  for (const Ciphertext& channel : x.channels()) {
    channels.push_back(change(channel));
    task.advance();
  }
  require_decryptable(operation, channels, options);
  return {{std::move(channels), x.layout()}, x.bound(), keys};
}

}  // namespace

EncryptedArray rekey(const EncryptedArray& x, const rlwe::RekeyingKey& key, const Options& options) {
  const EncryptedArray two_parts = relinearized(x, options);
  return changed("rekey", two_parts, {}, options, [&](const Ciphertext& c) { return rlwe::rekey(c, key); });
}

EncryptedArray rerandomize(const EncryptedArray& x, const rlwe::PublicKey& key, const Options& options) {
  return changed("rerandomize", x, x.keys(), options, [&](const Ciphertext& c) { return scheme::rerandomize(c, key); });
}

}  // namespace cyclotome::value
