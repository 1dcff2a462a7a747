// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/io/joint/identity_io.hpp"

#include <algorithm>

#include "cyclotome/io/container/container_layout.hpp"
#include "cyclotome/io/container/frame.hpp"
#include "cyclotome/io/files/file.hpp"
#include "cyclotome/io/keys/sealing.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/secure_zero.hpp"

namespace cyclotome::io {

namespace {

using Span = std::span<const std::uint8_t>;
using Passphrase = std::optional<Span>;

constexpr const char* damaged = ": the data is damaged; get a fresh copy";
constexpr std::size_t seed_bytes = 32;

std::size_t seed_size(std::size_t) { return seed_bytes; }

/// What the bytes hold, but for the secret.
struct Parts {
  rlwe::PublicIdentity identity;
  bool is_protected;
  Section secret;
};

rlwe::PublicIdentity read_public(const Section& section, Span fingerprint) {
  if (section.tag != layout::identity) {
    throw FormatError(message("the first section is ", section.tag, ", not ", layout::identity, damaged));
  }
  try {
    const auto identity = rlwe::PublicIdentity::from_bytes(section.bytes);
    if (std::ranges::equal(identity.digest(), fingerprint)) return identity;
  } catch (const ArgumentError& error) {
    throw FormatError(message("the keys at offset ", section.offset, ": ", error.what()));
  }
  throw FormatError(
      message("the fingerprint at offset ", layout::fingerprint_offset, " is not that of the identity", damaged));
}

Parts parts_of(Span bytes) {
  const Frame frame = open_frame(bytes, max_identity_bytes, format_version);
  if ((frame.kind != identity_kind && frame.kind != protected_identity_kind) || frame.version != format_version) {
    throw FormatError(message("the data holds an object of kind ", frame.kind, " and version ", frame.version,
                              ", not the identity of a party (kinds ", identity_kind, " and ", protected_identity_kind,
                              " of version ", format_version, ")"));
  }
  ByteReader reader(frame.sections, layout::header_bytes, "a section");
  const Section first = next_section(reader), second = next_section(reader);
  reader.finish();
  const bool is_protected = frame.kind == protected_identity_kind;
  if (is_protected) {
    static_cast<void>(sealed_section(second, "an identity protected by a passphrase", seed_size));
  } else if (second.tag != layout::identity_seed || second.bytes.size() != seed_bytes) {
    throw FormatError(message("an identity needs a section ", layout::identity_seed, " of ", seed_bytes,
                              " bytes after its keys", damaged));
  }
  return {read_public(first, frame.fingerprint), is_protected, second};
}

/// The seed, of which no other copy stays.
Seed seed_of(Span secret) {
  std::array<std::uint8_t, seed_bytes> bytes{};
  std::ranges::copy(secret, bytes.begin());
  Seed seed(bytes);
  secure_zero(bytes.data(), bytes.size());
  return seed;
}

}  // namespace

Bytes serialize(const rlwe::Identity& identity, const Passphrase& passphrase) {
  FrameWriter frame(passphrase ? protected_identity_kind : identity_kind, identity.public_identity().digest(), 1024,
                    Residence::locked);
  frame.section(layout::identity).bytes(identity.public_identity().bytes());
  if (passphrase) {
    return sealed_frame(frame, seed_bytes, [&](ByteWriter& writer) { writer.bytes(identity.seed().bytes()); },
                        *passphrase, {});
  }
  frame.section(layout::identity_seed).bytes(identity.seed().bytes());
  return frame.finish();
}

bool names_identity(Span bytes) noexcept {
  return names_kind(bytes, identity_kind) || names_kind(bytes, protected_identity_kind);
}

IdentityFacts inspect_identity(Span bytes) {
  const Parts parts = parts_of(bytes);
  return {parts.identity, parts.is_protected};
}

rlwe::Identity read_identity(Span bytes, const Passphrase& passphrase) {
  const Parts parts = parts_of(bytes);
  if (parts.is_protected && !passphrase) {
    throw PassphraseError("this identity is protected by a passphrase, and none was given");
  }
  rlwe::Identity identity(
      parts.is_protected
          ? seed_of(opened_text(sealed_section(parts.secret, "an identity", seed_size), *passphrase, "identity"))
          : seed_of(parts.secret.bytes));
  if (identity.public_identity() == parts.identity) return identity;
  throw FormatError(
      message("the seed at offset ", parts.secret.offset, " is not that of the identity's keys", damaged));
}

void write_identity(const std::string& path, const rlwe::Identity& identity, const Passphrase& passphrase,
                    Existing existing) {
  write_file(path, serialize(identity, passphrase), Privacy::secret, existing);
}

rlwe::Identity load_identity(const std::string& path, const Passphrase& passphrase) {
  return read_identity(read_object_file(path, max_identity_bytes), passphrase);
}

}  // namespace cyclotome::io
