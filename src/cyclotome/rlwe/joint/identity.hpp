// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cyclotome/math/sha256.hpp"
#include "cyclotome/ring/randomness/secure_memory.hpp"
#include "cyclotome/ring/randomness/seed.hpp"

// Who a party of a joint key is: a key that signs (Ed25519, RFC 8032) and one that others seal messages for (X25519,
// RFC 7748, and ChaCha20-Poly1305, RFC 8439), both derived from one seed. The curves are the system's OpenSSL's, looked
// for when they are first needed: where there is none, everything that computes here throws EngineError.
namespace cyclotome::rlwe {

/// An Ed25519 signature.
using Signature = std::array<std::uint8_t, 64>;

/// Bytes that a sealed message has more than its text.
inline constexpr std::size_t sealing_bytes = 48;

/// What others know of a party: both public keys.
class PublicIdentity {
 public:
  /// How many bytes both keys have, 32 each.
  static constexpr std::size_t bytes_count = 64;
  /// Both keys.
  using Bytes = std::array<std::uint8_t, bytes_count>;

  /// The key that signs, then the one that messages are sealed for. Throws ArgumentError for another number of bytes,
  /// and for keys that no identity has: of small order, with which anybody could sign or open, or not in the one
  /// spelling of a point.
  static PublicIdentity from_bytes(std::span<const std::uint8_t> bytes);
  /// What `text` gave. Throws ArgumentError, too, where a letter was mistyped.
  static PublicIdentity from_text(std::string_view text);

  /// The key that signs, then the one that messages are sealed for.
  const Bytes& bytes() const noexcept { return bytes_; }
  /// 144 letters, hexadecimal digits after "cyid-": the bytes, and the first five of their SHA-256 against typing
  /// errors.
  std::string text() const;
  /// SHA-256 of both keys, under a domain of its own: a short name for them.
  Digest digest() const;

  /// Whether this is the signature that the owner made of the text in this domain. What is no signature is none.
  bool verify(std::string_view domain, std::span<const std::uint8_t> text,
              std::span<const std::uint8_t> signature) const;
  /// A text that the owner alone can read, with a key drawn for it: of the same text twice, nobody sees that. Who
  /// sealed it, it does not tell: sign it. context: not sent, but needed to open; it says what the message is, so that
  /// it can't pass for another.
  std::vector<std::uint8_t> seal(std::span<const std::uint8_t> context, std::span<const std::uint8_t> text) const;

  bool operator==(const PublicIdentity&) const = default;

 private:
  explicit PublicIdentity(const Bytes& bytes) noexcept : bytes_(bytes) {}
  Bytes bytes_;
};

/// What a party keeps: the seed of both keys. **Secret.** Movable; zeroised when it goes.
class Identity {
 public:
  /// A new one, of the operating system's generator.
  static Identity create() { return Identity(Seed::from_system()); }
  /// Of a seed that was kept.
  explicit Identity(Seed&& seed);

  /// What others need to know it by.
  const PublicIdentity& public_identity() const noexcept { return public_; }
  /// For a file.
  const Seed& seed() const noexcept { return seed_; }

  /// Another identity that comes of this one and a context, always the same: to be given away without giving this one.
  Identity derived(std::span<const std::uint8_t> context) const;

  /// Signs a text. domain: what signatures of this kind are for, such as "cyclotome joint 2|commit"; one of another
  /// domain doesn't verify.
  Signature sign(std::string_view domain, std::span<const std::uint8_t> text) const;
  /// What somebody sealed for this identity, in locked memory. context: what the sealer named. Throws ArgumentError for
  /// what does not open: sealed for somebody else or in another context, or altered.
  ZeroisingVector<std::uint8_t> open(std::span<const std::uint8_t> context, std::span<const std::uint8_t> sealed) const;

 private:
  Seed seed_;
  PublicIdentity public_;
};

}  // namespace cyclotome::rlwe
