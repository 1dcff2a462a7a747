// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/io/keys/sealed_key.hpp"

#include "cyclotome/io/container/container_layout.hpp"
#include "cyclotome/io/joint/threshold_payload.hpp"
#include "cyclotome/io/keys/key_coefficients.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/ring/randomness/libcrypto.hpp"

namespace cyclotome::io {

namespace {

constexpr std::size_t salt_bytes = 32;

bool within(std::uint32_t value, std::uint32_t low, std::uint32_t high) noexcept {
  return value >= low && value <= high;
}

bool within_bounds(const ScryptCost& c) noexcept {
  constexpr ScryptCost low = least_scrypt_cost, high = most_scrypt_cost;
  return within(c.log2_n, low.log2_n, high.log2_n) && within(c.r, low.r, high.r) && within(c.p, low.p, high.p);
}

std::string words(const ScryptCost& c) { return message("scrypt with N = 2^", c.log2_n, ", r = ", c.r, ", p = ", c.p); }

/// Bytes of what is encrypted there; rest: those that are there for it and its tag, which decide of a party's file.
std::size_t secret_bytes(const Envelope& envelope, std::size_t rest) {
  if (envelope.kind() == Kind::protected_secret_share) return secret_share_bytes(envelope.parameters());
  if (envelope.kind() == Kind::protected_party) return party_bytes_of(rest);
  envelope.require_kind(Kind::protected_secret_key);
  return packed_key_bytes(envelope.parameters());
}

std::string bounds() {
  return message("N = 2^", least_scrypt_cost.log2_n, " to 2^", most_scrypt_cost.log2_n, ", r = ", most_scrypt_cost.r,
                 " and p = ", least_scrypt_cost.p, " to ", most_scrypt_cost.p);
}

}  // namespace

void require_possible(const ScryptCost& cost) {
  if (!within_bounds(cost)) {
    throw ArgumentError(message(words(cost), " is out of bounds; possible are ", bounds()));
  }
}

SealedPayload sealed_section(const Section& section, const std::string& what,
                             const std::function<std::size_t(std::size_t rest)>& text_bytes) {
  if (section.tag != layout::sealed_key) {
    throw FormatError(
        message(what, " needs one section ", layout::sealed_key, ": the data is damaged; get a fresh copy"));
  }
  ByteReader reader(section.bytes, section.offset, "a secret under a passphrase");
  const std::uint32_t method = reader.u32();
  if (method != scrypt_and_chacha) {
    throw FormatError(message(what, ": method ", method, " at offset ", section.offset,
                              ", which is unknown; use the library version that wrote it or a newer one"));
  }
  SealedPayload sealed;
  sealed.cost = {reader.u32(), reader.u32(), reader.u32()};
  if (!within_bounds(sealed.cost)) {
    throw FormatError(message(what, " asks for ", words(sealed.cost), " at offset ", section.offset + 4,
                              "; files may ask for ", bounds(), ": it was not written by this library"));
  }
  sealed.salt = reader.take(salt_bytes);
  sealed.nonce = reader.take(libcrypto::aead_nonce_bytes);
  const std::size_t before = reader.offset();
  sealed.text = reader.take(text_bytes(reader.rest().size()));
  sealed.tag = reader.take(libcrypto::aead_tag_bytes);
  reader.finish();
  sealed.header = {sealed.text.data() - before, before};  // sections are views of the container's bytes
  return sealed;
}

SealedPayload sealed_payload(const Envelope& envelope) {
  if (envelope.kind() != Kind::protected_secret_share && envelope.kind() != Kind::protected_party) {
    envelope.require_kind(Kind::protected_secret_key);
  }
  const auto payload = envelope.payload();
  if (payload.size() != 1) {
    throw FormatError(message(name_of(envelope.kind()), " needs one section ", layout::sealed_key,
                              ": the data is damaged; get a fresh copy"));
  }
  return sealed_section(payload[0], name_of(envelope.kind()),
                        [&](std::size_t rest) { return secret_bytes(envelope, rest); });
}

}  // namespace cyclotome::io
