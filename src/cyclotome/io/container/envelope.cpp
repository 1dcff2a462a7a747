// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/io/container/envelope.hpp"

#include <algorithm>

#include "cyclotome/io/container/container_layout.hpp"
#include "cyclotome/io/objects/parameter_block.hpp"
#include "cyclotome/math/errors.hpp"

namespace cyclotome::io {

namespace {

using Span = std::span<const std::uint8_t>;

constexpr const char* fresh_copy = "; get a fresh copy";

/// The version that objects of these parameters are written in.
std::uint16_t version_of(const rlwe::Parameters& parameters) {
  if (parameters.parties() > 1) return parties_version;
  return parameters.cyclotomic() == 0 ? format_version : cyclotomic_version;
}

}  // namespace

std::string name_of(Kind kind) {
  switch (kind) {
    case Kind::parameters:
      return "parameters";
    case Kind::secret_key:
      return "a secret key";
    case Kind::public_key:
      return "a public key";
    case Kind::evaluation_keys:
      return "evaluation keys";
    case Kind::ciphertext:
      return "a ciphertext array";
    case Kind::plaintext:
      return "a plaintext array";
    case Kind::bundle:
      return "a bundle of ciphertext arrays";
    case Kind::protected_secret_key:
      return "a secret key protected by a passphrase";
    case Kind::rekeying_key:
      return "a rekeying key";
    case Kind::threshold_session:
      return "a session of a joint key";
    case Kind::key_share:
      return "a share of a joint key";
    case Kind::secret_share:
      return "a share of a joint secret";
    case Kind::protected_secret_share:
      return "a share of a joint secret protected by a passphrase";
    case Kind::decryption_share:
      return "a decryption share";
    case Kind::party:
      return "a party's own file";
    case Kind::key_commitment:
      return "a commitment to a share of a joint key";
    case Kind::coin:
      return "a coin of a joint key's audit";
    case Kind::acceptance:
      return "an acceptance of a joint key";
    case Kind::protected_party:
      return "a party's own file protected by a passphrase";
    case Kind::plain_array:
      return "a plain array";
    case Kind::dealing_message:
      return "a message of a dealing";
  }
  return message("kind ", static_cast<unsigned>(kind));
}

bool names_secret_key(Span bytes) noexcept {
  if (bytes.size() < layout::kind_offset + 2) return false;
  const int number = bytes[layout::kind_offset] | bytes[layout::kind_offset + 1] << 8;
  return std::equal(layout::magic.begin(), layout::magic.end(), bytes.begin()) &&
         (is_secret(static_cast<Kind>(number)) || number == identity_kind || number == protected_identity_kind);
}

Envelope Envelope::open(Span bytes, const Limits& limits) {
  const Frame frame = open_frame(bytes, limits.max_bytes, parties_version);
  if (frame.kind == ltv_kind) {
    throw FormatError(
        "the data holds an object of LTV, a scheme that is BROKEN and no part of this library; to study it, read it "
        "with "
        "cyclotome_study.ltv.load");
  }
  if (frame.kind == fermat_kind) {
    throw FormatError(
        "the data holds an object of the study of Fermat moduli, not of this library; read it with "
        "cyclotome_study.fermat.load");
  }
  if (frame.kind == product_context_kind) {
    throw FormatError("the data holds a context of polynomial products, not an object of encryption; read it as such");
  }
  if (frame.kind == identity_kind || frame.kind == protected_identity_kind) {
    throw FormatError("the data holds the identity of a party, which belongs to no parameters; read it as such");
  }
  const auto kind = static_cast<Kind>(frame.kind);
  if ((kind < Kind::parameters || kind > Kind::bundle) && kind != Kind::protected_secret_key &&
      (kind < Kind::rekeying_key || kind > Kind::key_commitment) && kind != Kind::dealing_message &&
      kind != Kind::coin && kind != Kind::acceptance) {
    throw FormatError(
        message("kind ", frame.kind, " at offset 10 is unknown in format version ", frame.version, fresh_copy));
  }
  ByteReader reader(frame.sections, layout::header_bytes, "a section");
  const Section first = next_section(reader);
  if (first.tag != layout::parameters) {
    throw FormatError(
        message("the first section is ", first.tag, ", not ", layout::parameters, ": the data is damaged", fresh_copy));
  }
  Envelope envelope(decode_parameters(first, limits));
  const rlwe::Parameters& parameters = envelope.parameters_;
  if (!std::ranges::equal(parameters.fingerprint(), frame.fingerprint)) {
    throw FormatError(message("the fingerprint at offset ", layout::fingerprint_offset,
                              " is not that of the parameters in the data, ", parameters.summary(),
                              ": the data is damaged", fresh_copy));
  }
  if (parameters.strict() && frame.version < 2) {
    throw FormatError(
        message("strict parameters in format version 1, which has none: the data is damaged", fresh_copy));
  }
  if (const std::uint16_t own = version_of(parameters);
      frame.version != own && (frame.version != oldest_version || own != format_version)) {
    throw FormatError(message("parameters of ", parameters.ring()->modulus(), " and ", parameters.parties(),
                              parameters.parties() == 1 ? " party" : " parties", " in format version ", frame.version,
                              ": those of Phi_m, and no others, have version ", cyclotomic_version,
                              ", and those of several parties ", parties_version, "; the data is damaged", fresh_copy));
  }
  envelope.kind_ = kind;
  envelope.version_ = frame.version;
  envelope.size_ = bytes.size();
  envelope.limits_ = limits;
  envelope.sections_.push_back(first);
  // No object has more sections than evaluation keys with every Galois element but 1, and two to refresh.
  const std::size_t most = parameters.ring()->galois().order() + 5;
  while (!reader.rest().empty()) {
    if (envelope.sections_.size() == most) {
      throw FormatError(message("there are more than ", most, " sections, at offset ", reader.offset(),
                                ": the data is damaged", fresh_copy));
    }
    envelope.sections_.push_back(next_section(reader));
  }
  envelope.payload_ = 1;
  if (has_key_id(envelope.kind_)) envelope.take_key_id();
  if (envelope.next_is(layout::metadata)) envelope.take_metadata();
  if (envelope.kind_ == Kind::parameters && !envelope.payload().empty()) {
    throw FormatError(message("section ", envelope.payload()[0].tag, " at offset ", envelope.payload()[0].offset,
                              " has no place in a container of parameters alone: the data is damaged", fresh_copy));
  }
  return envelope;
}

bool Envelope::next_is(std::string_view tag) const noexcept {
  return payload_ < sections_.size() && sections_[payload_].tag == tag;
}

void Envelope::take_key_id() {
  if (!next_is(layout::key_id) || sections_[payload_].bytes.size() != key_id_.size()) {
    throw FormatError(message(name_of(kind_), " needs a section ", layout::key_id, " of ", key_id_.size(),
                              " bytes after the parameters: the data is damaged", fresh_copy));
  }
  std::ranges::copy(sections_[payload_++].bytes, key_id_.begin());
}

void Envelope::take_metadata() {
  const Section& section = sections_[payload_++];
  metadata_ = section.bytes;
  if (metadata_.empty() || metadata_.size() > max_metadata_bytes) {
    throw FormatError(message("the metadata at offset ", section.offset, " has ", metadata_.size(),
                              " bytes; between 1 and ", max_metadata_bytes, " are allowed"));
  }
}

void Envelope::require_kind(Kind kind) const {
  if (kind_ != kind) throw FormatError(message("the data holds ", name_of(kind_), ", not ", name_of(kind)));
}

void Envelope::require_expanded(std::uint64_t bytes) const {
  if (bytes > limits_.max_expanded_bytes) {
    throw FormatError(message(name_of(kind_), " of ", size_, " bytes expands to ", bytes,
                              " bytes, more than the limit of ", limits_.max_expanded_bytes,
                              "; raise the limit (max_expanded_bytes) if you trust its source"));
  }
}

ContainerWriter::ContainerWriter(Kind kind, const rlwe::Parameters& parameters, const rlwe::KeyId& key, Span metadata,
                                 std::uint64_t payload)
    : FrameWriter(static_cast<std::uint16_t>(kind), parameters.fingerprint(), payload + metadata.size() + 8192,
                  is_secret(kind) ? Residence::locked : Residence::heap, version_of(parameters)) {
  if (metadata.size() > max_metadata_bytes) {
    throw ArgumentError(message("the metadata has ", metadata.size(), " bytes; at most ", max_metadata_bytes,
                                " can be stored with an object"));
  }
  encode_parameters(section(layout::parameters), parameters);
  if (has_key_id(kind)) section(layout::key_id).bytes(key);
  if (!metadata.empty()) section(layout::metadata).bytes(metadata);
}

}  // namespace cyclotome::io
