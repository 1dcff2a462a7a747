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

RekeyingKeyPayload read_rekeying(const Section& section, const Envelope& envelope, const char* what) {
  ByteReader reader(section.bytes, section.offset, what);
  RekeyingKeyPayload payload;
  const auto from = reader.take(payload.from.size());
  std::ranges::copy(from, payload.from.begin());
  if (payload.from == envelope.key_id()) {
    throw FormatError(message(what, " at offset ", section.offset,
                              " leads from a secret key to the same one: the data is damaged; get a fresh copy"));
  }
  read_pairs(payload.key, reader, envelope.parameters(), envelope.parameters().digits());
  return payload;
}

/// Of two sections.
EncapsulationPayload read_encapsulation(std::span<const Section> sections, const Envelope& envelope) {
  const rlwe::Parameters& p = envelope.parameters();
  const Section& first = sections[0];
  if (sections.size() != 2 || sections[1].tag != layout::release_key || p.special_moduli().empty() ||
      p.cyclotomic() != 0) {
    throw FormatError(message(
        "section ", first.tag, " at offset ", first.offset, " is out of place: one ", layout::release_key,
        " section follows it, in the end, for parameters with special primes ", "over x^n + 1; the data is damaged"));
  }
  ByteReader reader(first.bytes, first.offset, "an encapsulation key");
  EncapsulationPayload payload;
  payload.weight = reader.u32();
  constexpr unsigned least = 8, most = 48;  // twice the digits that can be removed
  if (payload.weight < least || payload.weight > most || payload.weight % 2 != 0) {
    throw FormatError(message("the weight of a sparse secret at offset ", first.offset, " is ", payload.weight,
                              ", not even and in [", least, ", ", most, "]: the data is damaged"));
  }
  payload.to_sparse.uniform_seed = PublicSeed(reader.array32());
  const std::uint64_t moduli[] = {p.special_moduli().front(), p.moduli().front()};
  payload.to_sparse.residues = take_residues(reader, 1, packed_polynomial_bytes(p.degree(), moduli));
  payload.back = read_rekeying(sections[1], envelope, "a release key");
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
  const std::span<const Section> sections = envelope.payload();
  for (std::size_t i = 0; i < sections.size(); ++i) {
    const Section& section = sections[i];
    if (section.tag == layout::encapsulation_key) {
      payload.encapsulation = read_encapsulation(sections.subspan(i), envelope);
      break;
    }
    const bool is_galois = section.tag == layout::galois_key;
    if (!is_galois &&
        (section.tag != layout::relinearization_key || payload.relinearization || !payload.galois.empty())) {
      throw FormatError(message("section ", section.tag, " at offset ", section.offset,
                                " is out of place: evaluation keys are ", "at most one ", layout::relinearization_key,
                                ", then ", layout::galois_key, " sections, then perhaps ", layout::encapsulation_key,
                                " and ", layout::release_key, "; the data is damaged"));
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
  return read_rekeying(only_section(envelope, layout::rekeying_key), envelope, "a rekeying key");
}

std::uint64_t evaluation_keys_expanded_bytes(const Envelope& envelope) {
  const rlwe::Parameters& p = envelope.parameters();
  const std::uint64_t limb = p.degree() * bytes_of(p.word()), limbs = p.special_moduli().size() + p.moduli().size();
  std::uint64_t bytes = 0;
  for (const Section& section : envelope.payload()) {
    bytes += 2 * limb * (section.tag == layout::encapsulation_key ? 2 : limbs * p.digits());  // pairs
  }
  return bytes;
}

}  // namespace cyclotome::io
