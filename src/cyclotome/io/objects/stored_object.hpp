// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "cyclotome/io/container/limits.hpp"
#include "cyclotome/io/keys/key_files.hpp"
#include "cyclotome/rlwe/ciphertext.hpp"
#include "cyclotome/rlwe/joint/dealing/messages.hpp"
#include "cyclotome/value/arrays/encrypted_array.hpp"
#include "cyclotome/value/arrays/plain_array.hpp"
#include "cyclotome/value/joint/joint_keys.hpp"

// Objects as bytes and in files, for programs that use the library. What a container is made of is
// io/container/container.hpp.
namespace cyclotome::io {

/// The caller's own bytes beside an object, in the clear, up to 1 MiB: opaque, whoever reads them must check them.
using Metadata = std::span<const std::uint8_t>;

/// An object as bytes (doc/wire-format.md), for files or to be sent. Keys that an array carries are not written.
/// Throws ArgumentError for metadata that is too long; NoiseError for an array that can't be decrypted.
Bytes to_bytes(const value::EncryptedArray& array, Metadata metadata = {});
/// Ciphertexts of one plaintext modulus, with their noise bound.
Bytes to_bytes(const rlwe::Ciphertext& ciphertext, Metadata metadata = {});
/// The integers, protected by nothing; what is encoded is made again by whoever reads them.
Bytes to_bytes(const value::PlainArray& plain, Metadata metadata = {});
/// Protected by nothing: whoever has the bytes reads them.
Bytes to_bytes(const rlwe::Plaintext& plaintext, Metadata metadata = {});
/// Parameters alone; everything else holds its parameters too.
Bytes to_bytes(const rlwe::Parameters& parameters, Metadata metadata = {});
/// The seed of the uniform half, and the other half.
Bytes to_bytes(const rlwe::PublicKey& key, Metadata metadata = {});
/// Of each key the seed of its uniform half, and the other half.
Bytes to_bytes(const rlwe::EvaluationKeys& keys, Metadata metadata = {});
/// Likewise, and the id of the secret key that it leads from.
Bytes to_bytes(const rlwe::RekeyingKey& key, Metadata metadata = {});
/// The secret itself, in locked memory: for its owner's file (`write_secret_key`), or under a passphrase.
Bytes to_bytes(const rlwe::SecretKey& key, Metadata metadata = {});
/// Under a passphrase, by scrypt and ChaCha20-Poly1305: no secret to those who can't guess it. Throws ArgumentError for
/// an empty passphrase, EngineError where there is no OpenSSL.
Bytes to_bytes(const rlwe::SecretKey& key, std::string_view passphrase, Metadata metadata = {});

/// What the parties of a joint key agree on, and their messages.
Bytes to_bytes(const rlwe::ThresholdSession& session, Metadata metadata = {});
Bytes to_bytes(const rlwe::Commitment& commitment, Metadata metadata = {});
Bytes to_bytes(const rlwe::Coin& coin, Metadata metadata = {});
Bytes to_bytes(const rlwe::Acceptance& acceptance, Metadata metadata = {});
Bytes to_bytes(const rlwe::KeyShare& share, Metadata metadata = {});
Bytes to_bytes(const value::DecryptionShare& share, Metadata metadata = {});
/// A message of a round of dealing. parameters: the session's.
Bytes to_bytes(const rlwe::DealingMessage& message, const rlwe::Parameters& parameters, Metadata metadata = {});
/// A **secret** of its receiver, in locked memory: for a channel that nobody else reads, or `write_secret_share`.
Bytes to_bytes(const rlwe::SecretShare& share, Metadata metadata = {});
/// Under a passphrase, as a secret key.
Bytes to_bytes(const rlwe::SecretShare& share, std::string_view passphrase, Metadata metadata = {});

/// Writes an object that is no secret to a file: whole, or not at all. Throws FileError, and what `to_bytes` does. A
/// secret key goes to `write_secret_key`, keys that were made together to `write_keys`, a dealt share of a joint secret
/// to `write_secret_share`.
template <class Object>
void save(const std::string& path, const Object& object, Existing existing = Existing::replaced) {
  static_assert(!std::is_same_v<Object, rlwe::SecretKey>, "a secret key is written by write_secret_key");
  static_assert(!std::is_same_v<Object, rlwe::SecretShare>, "a secret share is written by write_secret_share");
  write_file(path, to_bytes(object), Privacy::shared, existing);
}

/// Bytes from outside that have been checked: header, checksum, parameters and the shape of what they hold, which takes
/// milliseconds and hardly any memory, whatever they are. Residues are checked when the object is read. Movable.
///
///     const StoredObject question = StoredObject::load("question.cyc");
///     const auto context = make_context(question.parameters(), make_cpu_engine());
///     const EncryptedArray x = question.array(context);
///
/// What reads an object throws FormatError for an object of another kind or with bad contents, and MismatchError if the
/// context has other parameters.
class StoredObject {
 public:
  /// Takes the bytes. Throws FormatError for bytes that are no whole, undamaged object of a known version and kind, or
  /// more than `limits` allows; SecurityError for parameters that are insecure by limits.table, unless
  /// limits.allow_insecure.
  explicit StoredObject(Bytes bytes, const Limits& limits = {});
  /// The same of bytes that are copied: a std::vector<std::uint8_t>, an array or a view of such.
  explicit StoredObject(std::span<const std::uint8_t> bytes, const Limits& limits = {});
  /// The same of bytes of the other type that C++ has for them.
  explicit StoredObject(std::span<const std::byte> bytes, const Limits& limits = {})
      : StoredObject(std::span(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()), limits) {}
  /// Of a file, pipe or the like; what doesn't begin as an object, or announces more bytes than the limit, is refused
  /// before it is read. Throws FileError if it can't be read.
  static StoredObject load(const std::string& path, const Limits& limits = {});
  StoredObject(StoredObject&& other) noexcept;
  StoredObject& operator=(StoredObject&& other) noexcept;
  ~StoredObject();

  /// What it holds, for people: "a public key".
  std::string kind() const;
  /// Version of the format.
  unsigned version() const;
  /// Of every kind of object.
  const rlwe::Parameters& parameters() const;
  /// The secret key that the object belongs to; zeros for parameters and what is not encrypted.
  const rlwe::KeyId& key_id() const;
  /// The caller's own bytes; they live as long as this object.
  Metadata metadata() const;
  /// Bytes of the object as it is stored.
  std::size_t bytes() const;
  /// Whether it is a secret key, a share of a joint secret or a party's own file, under a passphrase.
  bool needs_passphrase() const;

  /// The encrypted array, which knows no keys.
  value::EncryptedArray array(const rlwe::ContextPtr& context) const;
  /// The ciphertexts of one plaintext modulus.
  rlwe::Ciphertext ciphertext(const rlwe::ContextPtr& context) const;
  /// The plaintext polynomials.
  rlwe::Plaintext plaintext(const rlwe::ContextPtr& context) const;
  /// The public operands, encoded. Throws MemoryLimitError where there is no memory for that.
  value::PlainArray plain_array(const rlwe::ContextPtr& context) const;
  /// The key that encrypts.
  rlwe::PublicKey public_key(const rlwe::ContextPtr& context) const;
  /// The keys that compute.
  rlwe::EvaluationKeys evaluation_keys(const rlwe::ContextPtr& context) const;
  /// The key that turns ciphertexts under one secret key into those under another.
  rlwe::RekeyingKey rekeying_key(const rlwe::ContextPtr& context) const;
  /// What the parties of a joint key agreed on.
  rlwe::ThresholdSession threshold_session() const;
  /// A party's commitment to its first share.
  rlwe::Commitment key_commitment() const;
  /// A party's part of the coin of an audit, or the hash of it.
  rlwe::Coin coin() const;
  /// A party's word that it accepts a joint key.
  rlwe::Acceptance acceptance() const;
  /// A message of one of the two rounds that make a joint key.
  rlwe::KeyShare key_share(const rlwe::ContextPtr& context) const;
  /// What one party dealt to another, or the sum of what it was dealt: secret. Throws PassphraseError where it is
  /// under a passphrase.
  rlwe::SecretShare secret_share(const rlwe::ContextPtr& context) const;
  /// The share under a passphrase; PassphraseError for another one, and for a file that somebody altered.
  rlwe::SecretShare secret_share(const rlwe::ContextPtr& context, std::string_view passphrase) const;
  /// A message of a round of dealing, which is secret to nobody.
  rlwe::DealingMessage dealing_message() const;
  /// A party's part in decrypting one array.
  value::DecryptionShare decryption_share(const rlwe::ContextPtr& context) const;
  /// The secret key. Throws PassphraseError where it is under one.
  rlwe::SecretKey secret_key(const rlwe::ContextPtr& context) const;
  /// The secret key under a passphrase; PassphraseError for another one, and for a file that somebody altered.
  rlwe::SecretKey secret_key(const rlwe::ContextPtr& context, std::string_view passphrase) const;

 private:
  struct Held;
  std::unique_ptr<const Held> held_;
};

}  // namespace cyclotome::io
