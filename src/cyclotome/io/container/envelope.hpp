// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cyclotome/io/container/frame.hpp"
#include "cyclotome/io/container/limits.hpp"
#include "cyclotome/rlwe/context.hpp"

// What is around every stored object; doc/wire-format.md describes it byte by byte.
namespace cyclotome::io {

/// What a container holds.
enum class Kind : std::uint16_t {
  parameters = 1,
  secret_key = 2,
  public_key = 3,
  evaluation_keys = 4,
  ciphertext = 5,
  plaintext = 6,
  bundle = 7,  ///< ciphertexts of several plaintext moduli that belong together
  // 8 is no container: product_context_kind.
  protected_secret_key = 9,  ///< encrypted with a passphrase
  // 16 and 17 are objects of studies, 28 and 29 identities: no containers.
  rekeying_key = 18,
  // Of joint keys (doc/threshold.md).
  threshold_session = 19,
  key_share = 20,
  secret_share = 21,  ///< secret, for one party
  decryption_share = 22,
  plain_array = 23,             ///< integers, public operands
  protected_secret_share = 24,  ///< encrypted with a passphrase
  party = 25,                   ///< what a party of a joint key keeps: secret
  protected_party = 26,         ///< encrypted with a passphrase
  key_commitment = 27,
  dealing_message = 30,  ///< of verified dealing
  coin = 31,             ///< of the audit of a joint key
  acceptance = 32        ///< of a joint key, by a party
};

/// Whether only one person may have the file, even under a passphrase.
constexpr bool is_secret(Kind kind) noexcept {
  return kind == Kind::secret_key || kind == Kind::protected_secret_key || kind == Kind::secret_share ||
         kind == Kind::protected_secret_share || kind == Kind::party || kind == Kind::protected_party;
}

/// Whether such objects belong to a secret key: all but parameters, what is not
/// encrypted, and messages of a dealing, which name its round.
constexpr bool has_key_id(Kind kind) noexcept {
  return kind != Kind::parameters && kind != Kind::plaintext && kind != Kind::plain_array &&
         kind != Kind::dealing_message;
}
/// Whether these bytes, the first ones of an object, say that it is a secret key, protected or not, a share of one, or
/// the identity of a party. Nothing else is checked.
bool names_secret_key(std::span<const std::uint8_t> bytes) noexcept;
/// "a secret key", "a public key", ...: for messages.
std::string name_of(Kind kind);

/// The caller's own bytes that a container may carry.
inline constexpr std::size_t max_metadata_bytes = std::size_t{1} << 20;

/// What stands around an object: header, lengths, checksum, parameters, key id, metadata, and which sections there are,
/// all of it checked. What the sections hold is not (`Container` is what was checked throughout). The bytes must
/// outlive it.
class Envelope {
 public:
  /// Throws FormatError for bytes that are no whole, undamaged container of a known version and kind, or more than
  /// `limits` allows; SecurityError for parameters that are insecure, by their own table or by limits.table, unless
  /// limits.allow_insecure.
  static Envelope open(std::span<const std::uint8_t> bytes, const Limits& limits);

  Kind kind() const noexcept { return kind_; }
  std::uint16_t version() const noexcept { return version_; }
  const rlwe::Parameters& parameters() const& noexcept { return parameters_; }
  rlwe::Parameters parameters() && { return std::move(parameters_); }
  /// The caller's own bytes; empty if there are none. Opaque: whoever wrote them must check them.
  std::span<const std::uint8_t> metadata() const noexcept { return metadata_; }
  /// The secret key that the object belongs to; zeros for kinds without one.
  const rlwe::KeyId& key_id() const noexcept { return key_id_; }
  /// All sections in their order, and those that hold the object itself.
  std::span<const Section> sections() const& noexcept { return sections_; }
  std::span<const Section> payload() const& noexcept { return std::span(sections_).subspan(payload_); }
  void sections() const&& = delete;  // they would not outlive the container
  void payload() const&& = delete;
  const Limits& limits() const noexcept { return limits_; }
  std::uint64_t bytes() const noexcept { return size_; }

  /// Throws FormatError unless the container holds this kind of object.
  void require_kind(Kind kind) const;
  /// Throws FormatError if that many bytes of residues are more than the limits allow.
  void require_expanded(std::uint64_t bytes) const;

 private:
  explicit Envelope(rlwe::Parameters parameters) : parameters_(std::move(parameters)) {}
  bool next_is(std::string_view tag) const noexcept;
  void take_key_id();
  void take_metadata();

  rlwe::Parameters parameters_;
  Kind kind_{};
  std::uint16_t version_ = 0;
  std::uint64_t size_ = 0;
  Limits limits_;
  std::vector<Section> sections_;
  std::size_t payload_ = 0;  // first section of the object itself
  rlwe::KeyId key_id_{};
  std::span<const std::uint8_t> metadata_;
};

/// Writes a container: header, parameters, key id and metadata first, then one section after the other.
class ContainerWriter : public FrameWriter {
 public:
  /// Throws ArgumentError for metadata longer than max_metadata_bytes, and for parameters whose name can't be stored.
  /// key: the secret key that the object belongs to; left out for kinds without one. payload: expected bytes of the
  /// sections, to take the memory at once.
  ContainerWriter(Kind kind, const rlwe::Parameters& parameters, const rlwe::KeyId& key,
                  std::span<const std::uint8_t> metadata, std::uint64_t payload = 0);
};

}  // namespace cyclotome::io
