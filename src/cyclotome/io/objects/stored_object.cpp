// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/io/objects/stored_object.hpp"

#include "cyclotome/io/container/payload.hpp"
#include "cyclotome/io/joint/dealing_io.hpp"
#include "cyclotome/io/joint/threshold_io.hpp"
#include "cyclotome/io/keys/keys_io.hpp"
#include "cyclotome/io/keys/protected_key.hpp"
#include "cyclotome/io/objects/array_io.hpp"
#include "cyclotome/io/objects/ciphertext_io.hpp"
#include "cyclotome/io/objects/parameters_io.hpp"
#include "cyclotome/io/objects/plain_array_io.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/moved.hpp"

namespace cyclotome::io {

namespace {

std::span<const std::uint8_t> bytes_of_text(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

Container opened(std::span<const std::uint8_t> bytes, const Limits& limits) {
  Container container(bytes, limits);
  container.require_expanded(expanded_bytes(container));
  return container;
}

}  // namespace

Bytes to_bytes(const value::EncryptedArray& array, Metadata metadata) { return serialize(array, metadata); }
Bytes to_bytes(const rlwe::Ciphertext& ciphertext, Metadata metadata) { return serialize(ciphertext, metadata); }
Bytes to_bytes(const value::PlainArray& plain, Metadata metadata) { return serialize(plain, metadata); }
Bytes to_bytes(const rlwe::Plaintext& plaintext, Metadata metadata) { return serialize(plaintext, metadata); }
Bytes to_bytes(const rlwe::Parameters& parameters, Metadata metadata) { return serialize(parameters, metadata); }
Bytes to_bytes(const rlwe::PublicKey& key, Metadata metadata) { return serialize(key, metadata); }
Bytes to_bytes(const rlwe::EvaluationKeys& keys, Metadata metadata) { return serialize(keys, metadata); }
Bytes to_bytes(const rlwe::RekeyingKey& key, Metadata metadata) { return serialize(key, metadata); }
Bytes to_bytes(const rlwe::SecretKey& key, Metadata metadata) { return serialize(key, metadata); }
Bytes to_bytes(const rlwe::SecretKey& key, std::string_view passphrase, Metadata metadata) {
  return serialize_protected(key, bytes_of_text(passphrase), metadata);
}
Bytes to_bytes(const rlwe::ThresholdSession& session, Metadata metadata) { return serialize(session, metadata); }
Bytes to_bytes(const rlwe::Commitment& commitment, Metadata metadata) { return serialize(commitment, metadata); }
Bytes to_bytes(const rlwe::Coin& coin, Metadata metadata) { return serialize(coin, metadata); }
Bytes to_bytes(const rlwe::Acceptance& acceptance, Metadata metadata) { return serialize(acceptance, metadata); }
Bytes to_bytes(const rlwe::KeyShare& share, Metadata metadata) { return serialize(share, metadata); }
Bytes to_bytes(const value::DecryptionShare& share, Metadata metadata) { return serialize(share, metadata); }
Bytes to_bytes(const rlwe::DealingMessage& message, const rlwe::Parameters& parameters, Metadata metadata) {
  return serialize(message, parameters, metadata);
}
Bytes to_bytes(const rlwe::SecretShare& share, Metadata metadata) { return serialize(share, metadata); }
Bytes to_bytes(const rlwe::SecretShare& share, std::string_view passphrase, Metadata metadata) {
  return serialize_protected(share, bytes_of_text(passphrase), metadata);
}

/// The bytes, and the container that looks at them: neither moves.
struct StoredObject::Held {
  Held(Bytes owned, const Limits& limits) : bytes(std::move(owned)), container(opened(bytes, limits)) {}
  Bytes bytes;
  Container container;
};

StoredObject::StoredObject(Bytes bytes, const Limits& limits)
    : held_(std::make_unique<const Held>(std::move(bytes), limits)) {}
StoredObject::StoredObject(std::span<const std::uint8_t> bytes, const Limits& limits)
    : StoredObject(Bytes(bytes.begin(), bytes.end()), limits) {}
StoredObject StoredObject::load(const std::string& path, const Limits& limits) {
  return StoredObject(read_object_file(path, limits.max_bytes), limits);
}
StoredObject::StoredObject(StoredObject&& other) noexcept = default;
StoredObject& StoredObject::operator=(StoredObject&& other) noexcept = default;
StoredObject::~StoredObject() = default;

std::string StoredObject::kind() const { return name_of(present(held_)->container.kind()); }
unsigned StoredObject::version() const { return present(held_)->container.version(); }
const rlwe::Parameters& StoredObject::parameters() const { return present(held_)->container.parameters(); }
const rlwe::KeyId& StoredObject::key_id() const { return present(held_)->container.key_id(); }
Metadata StoredObject::metadata() const { return present(held_)->container.metadata(); }
std::size_t StoredObject::bytes() const { return present(held_)->bytes.size(); }
bool StoredObject::needs_passphrase() const {
  const Kind kind = present(held_)->container.kind();
  return kind == Kind::protected_secret_key || kind == Kind::protected_secret_share || kind == Kind::protected_party;
}

value::EncryptedArray StoredObject::array(const rlwe::ContextPtr& context) const {
  return read_array(present(held_)->container, present(context));
}
rlwe::Ciphertext StoredObject::ciphertext(const rlwe::ContextPtr& context) const {
  return read_ciphertext(present(held_)->container, present(context));
}
rlwe::Plaintext StoredObject::plaintext(const rlwe::ContextPtr& context) const {
  return read_plaintext(present(held_)->container, present(context));
}
value::PlainArray StoredObject::plain_array(const rlwe::ContextPtr& context) const {
  return read_plain_array(present(held_)->container, present(context));
}
rlwe::PublicKey StoredObject::public_key(const rlwe::ContextPtr& context) const {
  return read_public_key(present(held_)->container, present(context));
}
rlwe::EvaluationKeys StoredObject::evaluation_keys(const rlwe::ContextPtr& context) const {
  return read_evaluation_keys(present(held_)->container, present(context));
}
rlwe::RekeyingKey StoredObject::rekeying_key(const rlwe::ContextPtr& context) const {
  return read_rekeying_key(present(held_)->container, present(context));
}
rlwe::ThresholdSession StoredObject::threshold_session() const {
  return read_threshold_session(present(held_)->container);
}
rlwe::Commitment StoredObject::key_commitment() const { return read_key_commitment(present(held_)->container); }
rlwe::Coin StoredObject::coin() const { return read_coin(present(held_)->container); }
rlwe::Acceptance StoredObject::acceptance() const { return read_acceptance(present(held_)->container); }
rlwe::KeyShare StoredObject::key_share(const rlwe::ContextPtr& context) const {
  return read_key_share(present(held_)->container, present(context));
}
rlwe::SecretShare StoredObject::secret_share(const rlwe::ContextPtr& context) const {
  if (present(held_)->container.kind() == Kind::protected_secret_share) {
    throw PassphraseError("this secret share is under a passphrase; give it, secret_share(context, passphrase)");
  }
  return read_secret_share(present(held_)->container, present(context));
}
rlwe::SecretShare StoredObject::secret_share(const rlwe::ContextPtr& context, std::string_view passphrase) const {
  return read_protected_share(present(held_)->container, present(context), bytes_of_text(passphrase));
}
rlwe::DealingMessage StoredObject::dealing_message() const { return read_dealing_message(present(held_)->container); }
value::DecryptionShare StoredObject::decryption_share(const rlwe::ContextPtr& context) const {
  return read_decryption_share(present(held_)->container, present(context));
}
rlwe::SecretKey StoredObject::secret_key(const rlwe::ContextPtr& context) const {
  if (present(held_)->container.kind() == Kind::protected_secret_key) {
    throw PassphraseError("this secret key is under a passphrase; give it, secret_key(context, passphrase)");
  }
  return read_secret_key(present(held_)->container, present(context));
}
rlwe::SecretKey StoredObject::secret_key(const rlwe::ContextPtr& context, std::string_view passphrase) const {
  return read_protected_key(present(held_)->container, present(context), bytes_of_text(passphrase));
}

}  // namespace cyclotome::io
