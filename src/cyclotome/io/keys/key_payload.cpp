// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/io/keys/key_payload.hpp"

#include <algorithm>

#include "cyclotome/io/container/byte_reader.hpp"
#include "cyclotome/io/container/container_layout.hpp"
#include "cyclotome/io/container/payload_sections.hpp"
#include "cyclotome/io/keys/key_coefficients.hpp"
#include "cyclotome/io/objects/polynomials_io.hpp"
#include "cyclotome/math/errors.hpp"

namespace cyclotome::io {

namespace {

/// The rest of a key section: a seed and `pairs` of polynomials, of which half are stored.
void read_pairs(KeyPayload& payload, ByteReader& reader, const rlwe::Parameters& p, std::uint64_t pairs) {
  payload.uniform_seed = PublicSeed(reader.array32());
  payload.residues = take_residues(reader, pairs, packed_polynomial_bytes(p.degree(), key_moduli(p)));
}

KeyPayload read_key(const Section& section, const rlwe::Parameters& p, std::uint64_t pairs, bool is_galois) {
  ByteReader reader(section.bytes, section.offset, "a key section");
  KeyPayload payload;
  if (is_galois) {
    payload.galois_element = reader.u64();
    const GaloisGroup& group = p.ring()->galois();
    if (payload.galois_element == 1 || !group.contains(payload.galois_element)) {
      throw FormatError(message("Galois element ", payload.galois_element, " at offset ", section.offset,
                                " is not above 1, ", group.requirement(), ": the data is damaged"));
    }
  }
  read_pairs(payload, reader, p, pairs);
  return payload;
}

}  // namespace

Packed secret_key_payload(const Envelope& envelope) {
  envelope.require_kind(Kind::secret_key);
  const Section& section = only_section(envelope, layout::secret_key);
  return take_residues(ByteReader(section.bytes, section.offset, "a secret key"), 1,
                       packed_key_bytes(envelope.parameters()));
}

KeyPayload public_key_payload(const Envelope& envelope) {
  envelope.require_kind(Kind::public_key);
  return read_key(only_section(envelope, layout::public_key), envelope.parameters(), 1, false);
}

EvaluationKeysPayload evaluation_keys_payload(const Envelope& envelope) {
  envelope.require_kind(Kind::evaluation_keys);
  const rlwe::Parameters& p = envelope.parameters();
  EvaluationKeysPayload payload;
  for (const Section& section : envelope.payload()) {
    const bool is_galois = section.tag == layout::galois_key;
    if (!is_galois &&
        (section.tag != layout::relinearization_key || payload.relinearization || !payload.galois.empty())) {
      throw FormatError(message("section ", section.tag, " at offset ", section.offset,
                                " is out of place: evaluation keys are ", "at most one ", layout::relinearization_key,
                                ", then ", layout::galois_key, " sections; the data is damaged"));
    }
    KeyPayload key = read_key(section, p, p.digits(), is_galois);
    if (!is_galois) {
      payload.relinearization = std::move(key);
      continue;
    }
    if (!payload.galois.empty() && key.galois_element <= payload.galois.back().galois_element) {
      throw FormatError(message("Galois element ", key.galois_element, " at offset ", section.offset,
                                " does not exceed the one ", "before, ", payload.galois.back().galois_element,
                                ": elements ascend without repetition; the ", "data is damaged"));
    }
    payload.galois.push_back(std::move(key));
  }
  return payload;
}

RekeyingKeyPayload rekeying_key_payload(const Envelope& envelope) {
  envelope.require_kind(Kind::rekeying_key);
  const Section& section = only_section(envelope, layout::rekeying_key);
  ByteReader reader(section.bytes, section.offset, "a rekeying key");
  RekeyingKeyPayload payload;
  const auto from = reader.take(payload.from.size());
  std::ranges::copy(from, payload.from.begin());
  if (payload.from == envelope.key_id()) {
    throw FormatError(message("the rekeying key at offset ", section.offset,
                              " leads from a secret key to the same one: the data is damaged; get a fresh copy"));
  }
  read_pairs(payload.key, reader, envelope.parameters(), envelope.parameters().digits());
  return payload;
}

}  // namespace cyclotome::io
