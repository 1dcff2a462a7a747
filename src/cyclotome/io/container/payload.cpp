// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/io/container/payload.hpp"

#include <numeric>

#include "cyclotome/io/container/byte_reader.hpp"
#include "cyclotome/io/container/container_layout.hpp"
#include "cyclotome/io/container/noise_limits.hpp"
#include "cyclotome/io/container/payload_sections.hpp"
#include "cyclotome/io/joint/dealing_io.hpp"
#include "cyclotome/io/joint/threshold_payload.hpp"
#include "cyclotome/io/keys/key_payload.hpp"
#include "cyclotome/io/keys/sealed_key.hpp"
#include "cyclotome/io/objects/plain_array_payload.hpp"
#include "cyclotome/io/objects/polynomials_io.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/scheme/registry.hpp"
#include "cyclotome/value/arrays/assumption.hpp"

namespace cyclotome::io {

namespace {

/// Version 1 counted factors of the secret in the noise.
constexpr std::uint32_t most_secret_factors = 1U << 20;

/// Parts, level and seed flag.
void read_shape(ByteReader& reader, const rlwe::Parameters& p, CiphertextPayload& payload, bool& seeded) {
  const std::uint64_t offset = reader.offset();
  const std::uint16_t parts = reader.u16(), limbs = reader.u16();
  const std::uint32_t flag = reader.u32();
  const rlwe::PartRange range = p.scheme().ciphertext_parts();
  if (parts < range.least || parts > range.most || flag > 1 || (flag == 1 && parts != 2)) {
    throw FormatError(message("a ciphertext of ", parts, " parts with seed flag ", flag, " at offset ", offset, "; ",
                              range.least, range.least == range.most ? "" : message(" or ", range.most),
                              " parts are known, and a seed stands for the second of 2: the data is damaged"));
  }
  const std::size_t most = p.moduli().size(), least = p.scheme().drops_primes() ? 1 : most;
  if (limbs < least || limbs > most) {
    throw FormatError(message("a ciphertext of level ", limbs, " at offset ", offset + 2, ", but levels are ", least,
                              " to ", most, " here: the data is damaged; get a fresh copy"));
  }
  payload.parts = parts;
  payload.level = rlwe::Level(limbs);
  seeded = flag == 1;
}

std::uint64_t read_correction(ByteReader& reader, const rlwe::Parameters& p, rlwe::PlainIndex plain) {
  const std::uint64_t offset = reader.offset(), correction = reader.u64(), t = p.plain_modulus(plain).value;
  const bool is_unit = correction < t && std::gcd(correction, t) == 1;
  const std::string reason =
      is_unit ? p.scheme().refuse_correction(p, plain, correction) : message("no unit modulo t = ", t);
  if (!reason.empty()) {
    throw FormatError(message("correction factor ", correction, " at offset ", offset, " is ", reason,
                              ": the data is damaged; get a fresh copy"));
  }
  return correction;
}

/// Three logarithms; in version 1 one deviation, before which stood a number of factors of the secret.
rlwe::NoiseBound read_noise(ByteReader& reader, const rlwe::Parameters& p, std::uint16_t version) {
  const std::uint64_t offset = reader.offset();
  rlwe::NoiseBound noise;
  noise.log2_max = reader.f64();
  noise.log2_rms = version == 1 ? noise.log2_max : reader.f64();
  noise.log2_canonical = version == 1 ? noise.log2_max : reader.f64();
  if (!storable(noise)) {
    throw FormatError(message("the noise bound at offset ", offset, " (log2 ", noise.log2_max, ", ", noise.log2_rms,
                              ", ", noise.log2_canonical,
                              ") is no sane number: the data is damaged; get a fresh copy"));
  }
  if (version == 1) return from_deviation(p.noise(), noise.log2_max);
  if (!(p.noise().tidy(noise) == noise)) {
    throw FormatError(message("the noise bound at offset ", offset, " (log2 ", noise.log2_max, ", ", noise.log2_rms,
                              ", ", noise.log2_canonical,
                              ") states more than its own parts allow: the data is damaged; get a "
                              "fresh copy"));
  }
  return noise;
}

CiphertextPayload read_ciphertext(const Section& section, const rlwe::Parameters& p, std::uint16_t version) {
  ByteReader reader(section.bytes, section.offset, "a ciphertext section");
  CiphertextPayload payload;
  bool seeded = false;
  payload.plain = read_plain(reader, p);
  read_shape(reader, p, payload, seeded);
  const std::uint64_t reserved_offset = reader.offset();
  if (const std::uint32_t reserved = reader.u32(); reserved > (version == 1 ? most_secret_factors : 0)) {
    throw FormatError(message("the four bytes at offset ", reserved_offset, " hold ", reserved,
                              ", which format version ", version, " has no meaning for: the data is damaged"));
  }
  const std::uint64_t batch = reader.u64();
  payload.correction = read_correction(reader, p, payload.plain);
  payload.noise = read_noise(reader, p, version);
  if (seeded) payload.uniform_seed = PublicSeed(reader.array32());
  const auto moduli = std::span(p.moduli()).first(payload.level.primes);
  payload.residues = take_residues(reader, batch, payload.stored_parts() * packed_polynomial_bytes(p.degree(), moduli));
  payload.batch = static_cast<std::size_t>(batch);
  return payload;
}

const Section& description_section(const Envelope& envelope) {
  const auto payload = envelope.payload();
  const std::string_view tag = scheme::holds_reals(envelope.parameters()) ? layout::real_array : layout::array;
  if (payload.empty() || payload[0].tag != tag) {
    throw FormatError(message(name_of(envelope.kind()), " needs a section ", tag,
                              " before its ciphertexts: the data is damaged; get a fresh copy"));
  }
  return payload[0];
}

/// Throws FormatError unless there are as many ciphertexts of every plaintext modulus.
void require_channels(const std::vector<CiphertextPayload>& payloads, const rlwe::Parameters& p) {
  bool fits = payloads.size() == p.plain_moduli().size();
  for (const CiphertextPayload& payload : payloads) fits = fits && payload.batch == payloads[0].batch;
  if (!fits) {
    throw FormatError(message("an encrypted array needs equally many ciphertexts of each of ", p.plain_moduli().size(),
                              " plaintext moduli: the data is damaged; get a fresh copy"));
  }
}

/// An integer of `count` words without leading zeros; `most` of them are possible.
BigUnsigned read_integer(ByteReader& reader, std::size_t count, std::size_t most) {
  const std::uint64_t offset = reader.offset();
  std::vector<std::uint64_t> limbs;
  for (std::size_t i = 0; i < count && count <= most; ++i) limbs.push_back(reader.u64());
  if (count > most || (count > 0 && limbs.back() == 0)) {
    throw FormatError(message("a bound of ", count, " words at offset ", offset, "; it has at most ", most,
                              " here, and the last is not 0: the data is damaged; get a fresh copy"));
  }
  return BigUnsigned::from_limbs(limbs);
}

/// Of flags 1 and 3.
value::Interval read_interval(ByteReader& reader, bool stated, const BigUnsigned& largest, std::size_t most) {
  if (!stated) return value::Interval::around_zero(largest);
  const std::uint64_t offset = reader.offset();
  const auto read_signed = [&] {
    const std::uint16_t words = reader.u16(), sign = reader.u16();
    const value::Integer value(read_integer(reader, words, most), sign == 1);
    if (sign > 1 || value.negative != (sign == 1)) {
      throw FormatError(message("an integer with sign ", sign, " at offset ", offset,
                                "; it is 1 below 0, and else 0: the data is damaged; get a fresh copy"));
    }
    return value;
  };
  const value::Integer low = read_signed(), high = read_signed();
  const value::Interval values{low, high};
  if (low > high || values.is_symmetric() || values.largest() != largest) {
    throw FormatError(message("values ", shown(low), " to ", shown(high), " at offset ", offset, ", and magnitudes of ",
                              value::shown(largest), " at most, contradict each other: the data is damaged; get a ",
                              "fresh copy"));
  }
  return values;
}

value::Layout read_layout(ByteReader& reader, const rlwe::Parameters& p, std::uint8_t placement, std::uint8_t clean,
                          std::size_t axes) {
  const std::uint64_t offset = reader.offset();
  value::Shape shape;
  for (std::size_t i = 0; i < axes; ++i) shape.push_back(reader.u64());
  try {
    const auto kind = static_cast<value::Placement>(placement);
    value::Layout layout(std::move(shape), value::Widths(p), kind, clean == 1);
    static_cast<void>(layout.batch());
    // One spelling: what can't be unclean, is clean; beside coefficients there are always zeros.
    const bool known = placement <= 2 && clean <= 1 && layout.clean() == (clean == 1);
    const bool possible = layout.slots() ? p.has_slots() : layout.clean() && (!layout.packed() || p.has_coefficients());
    if (known && possible) return layout;
  } catch (const ArgumentError&) {
    // A shape that no array has.
  }
  throw FormatError(message("the description before offset ", offset, " is of a layout that arrays of ", p.summary(),
                            " can't have: the data is damaged; get a fresh copy"));
}

ArrayPayload read_description(const Section& section, const rlwe::Parameters& p) {
  ByteReader reader(section.bytes, section.offset, "the description of an array");
  const std::uint8_t placement = reader.u8(), clean = reader.u8(), bounded = reader.u8(), axes = reader.u8();
  const std::uint16_t largest_words = reader.u16(), row_words = reader.u16();
  const bool known = bounded < 2 || bounded == 3 || (bounded == 2 && value::holds_bits(p));
  const bool integers = bounded == 1 || bounded == 3;
  if (!known || axes > value::max_axes || (!integers && largest_words + row_words != 0)) {
    throw FormatError(message("the description of an array at offset ", section.offset, " has ",
                              static_cast<unsigned>(axes), " axes (at most ", value::max_axes,
                              " are possible) and a flag of ", static_cast<unsigned>(bounded),
                              " for its bound: the data is damaged; get a fresh copy"));
  }
  const value::Layout layout = read_layout(reader, p, placement, clean, axes);
  const BigUnsigned capacity = value::capacity(p);
  const std::size_t words = capacity.limbs().size();
  const BigUnsigned largest = read_integer(reader, largest_words, words);
  const BigUnsigned row = read_integer(reader, row_words, words + 1);
  const value::Interval values = read_interval(reader, bounded == 3, largest, words);
  reader.finish();
  if (!integers) return {layout, bounded == 0 ? value::Bound::wrapping() : value::Bound::bits()};
  if (p.field_slots() != nullptr) {
    throw FormatError(message("the description of an array at offset ", section.offset,
                              " has a bound on integers, but ", p.summary(),
                              " hold elements of a field: the data is damaged; get a fresh copy"));
  }
  const value::Bound bound(values, layout.last(), row);
  if (largest > capacity || bound.values() != values || bound.row() != row || !value::are_possible(values, 1, row)) {
    throw FormatError(message("the bounds in the description at offset ", section.offset, ", ", value::shown(largest),
                              " for a value and ", value::shown(row), " for a row of ", layout.last(),
                              ", contradict each other or these parameters: the data is damaged; get a fresh copy"));
  }
  return {layout, bound};
}

}  // namespace

std::vector<CiphertextPayload> ciphertext_payloads(const Envelope& envelope) {
  std::vector<CiphertextPayload> payloads;
  const rlwe::Parameters& p = envelope.parameters();
  if (envelope.kind() != Kind::bundle) {
    envelope.require_kind(Kind::ciphertext);
    payloads.push_back(read_ciphertext(only_section(envelope, layout::ciphertext), p, envelope.version()));
    return payloads;
  }
  const bool described = envelope.version() > 1 || scheme::holds_reals(p);
  if (described) static_cast<void>(description_section(envelope));
  for (const Section& section : envelope.payload().subspan(described ? 1 : 0)) {
    if (section.tag != layout::ciphertext) {
      throw FormatError(message("section ", section.tag, " at offset ", section.offset, " has no place in ",
                                name_of(envelope.kind()), ": the data is damaged; get a fresh copy"));
    }
    payloads.push_back(read_ciphertext(section, p, envelope.version()));
    if (payloads.size() > 1 && payloads.back().plain <= payloads[payloads.size() - 2].plain) {
      throw FormatError(message("the ciphertexts at offset ", section.offset, " are of plaintext modulus number ",
                                payloads.back().plain,
                                ", which must be larger than that of those before: the data is damaged"));
    }
  }
  if (payloads.empty()) throw FormatError("a bundle without ciphertexts: the data is damaged; get a fresh copy");
  if (described) require_channels(payloads, p);
  return payloads;
}

ArrayPayload array_payload(const Envelope& envelope) {
  envelope.require_kind(Kind::bundle);
  if (envelope.version() == 1) {
    throw FormatError(
        "an encrypted array of format version 1, which says what its values mean to the Python package "
        "only; load and save it there once");
  }
  const rlwe::Parameters& p = envelope.parameters();
  if (scheme::holds_reals(p)) throw FormatError("the data is an array of real numbers, not of integers");
  const Section& section = description_section(envelope);
  ArrayPayload payload = read_description(section, p);
  const std::size_t batch = ciphertext_payloads(envelope)[0].batch;
  if (payload.layout.batch() != batch) {
    throw FormatError(message(
        "the description at offset ", section.offset, " is of shape ", value::to_string(payload.layout.shape()), ", ",
        value::to_string(payload.layout.placement()), ", which takes ", payload.layout.batch(),
        " ciphertexts of each plaintext modulus, but there are ", batch, ": the data is damaged; get a fresh copy"));
  }
  return payload;
}

RealArrayPayload real_array_payload(const Envelope& envelope) {
  envelope.require_kind(Kind::bundle);
  const CiphertextPayload c = ciphertext_payloads(envelope)[0];
  return read_real_array_payload(description_section(envelope), envelope.parameters(),
                                 {c.batch, c.parts, c.level, c.noise});
}

PlaintextPayload plaintext_payload(const Envelope& envelope) {
  envelope.require_kind(Kind::plaintext);
  const Section& section = only_section(envelope, layout::plaintext);
  const rlwe::Parameters& p = envelope.parameters();
  ByteReader reader(section.bytes, section.offset, "a plaintext section");
  PlaintextPayload payload;
  payload.plain = read_plain(reader, p);
  if (const std::uint32_t reserved = reader.u32(); reserved != 0) {
    throw FormatError(message("the reserved bytes at offset ", section.offset + 4, " are ", reserved, ", not 0"));
  }
  const std::uint64_t batch = reader.u64();
  payload.residues = take_residues(
      reader, batch, packed_polynomial_bytes(p.degree(), std::span(p.plain_moduli()).subspan(payload.plain.number, 1)));
  payload.batch = static_cast<std::size_t>(batch);
  return payload;
}

void check_payload(const Envelope& envelope) {
  switch (envelope.kind()) {
    case Kind::parameters:
      break;
    case Kind::secret_key:
      static_cast<void>(secret_key_payload(envelope));
      break;
    case Kind::protected_secret_key:
    case Kind::protected_secret_share:
    case Kind::protected_party:
      static_cast<void>(sealed_payload(envelope));
      break;
    case Kind::public_key:
      static_cast<void>(public_key_payload(envelope));
      break;
    case Kind::evaluation_keys:
      static_cast<void>(evaluation_keys_payload(envelope));
      break;
    case Kind::rekeying_key:
      static_cast<void>(rekeying_key_payload(envelope));
      break;
    case Kind::threshold_session:
    case Kind::key_share:
    case Kind::secret_share:
    case Kind::decryption_share:
    case Kind::party:
    case Kind::key_commitment:
    case Kind::coin:
    case Kind::acceptance:
      check_threshold_payload(envelope);
      break;
    case Kind::dealing_message:
      static_cast<void>(read_dealing_message(envelope));
      break;
    case Kind::plaintext:
      static_cast<void>(plaintext_payload(envelope));
      break;
    case Kind::plain_array:
      static_cast<void>(plain_array_payload(envelope));
      break;
    case Kind::bundle:
      if (scheme::holds_reals(envelope.parameters())) {
        static_cast<void>(real_array_payload(envelope));
      } else if (envelope.version() > 1) {
        static_cast<void>(array_payload(envelope));
      }
      [[fallthrough]];
    case Kind::ciphertext:
      static_cast<void>(ciphertext_payloads(envelope));
  }
}

std::uint64_t expanded_bytes(const Envelope& envelope) {
  const rlwe::Parameters& p = envelope.parameters();
  const std::uint64_t limb = p.degree() * bytes_of(p.word());
  const std::uint64_t key_limbs = p.special_moduli().size() + p.moduli().size();
  // Every batch item and key occupies bytes of the input, so that none of these products overflows.
  switch (envelope.kind()) {
    case Kind::parameters:
    case Kind::party:
    case Kind::key_commitment:
    case Kind::coin:
    case Kind::acceptance:
    case Kind::protected_party:
    case Kind::dealing_message:
      return 0;
    case Kind::secret_key:
    case Kind::protected_secret_key:
      return key_limbs * limb;
    case Kind::public_key:
      return 2 * key_limbs * limb;
    case Kind::evaluation_keys:
      return evaluation_keys_expanded_bytes(envelope);
    case Kind::rekeying_key:
      return p.digits() * 2 * key_limbs * limb;
    case Kind::threshold_session:
    case Kind::key_share:
    case Kind::secret_share:
    case Kind::protected_secret_share:
    case Kind::decryption_share:
      return threshold_expanded_bytes(envelope);
    case Kind::plaintext:
      return plaintext_payload(envelope).batch * limb;
    case Kind::plain_array:
      return plain_array_expanded_bytes(envelope);
    case Kind::ciphertext:
    case Kind::bundle:
      break;
  }
  std::uint64_t bytes = 0;
  for (const CiphertextPayload& c : ciphertext_payloads(envelope)) bytes += c.batch * c.parts * c.level.primes * limb;
  return bytes;
}

}  // namespace cyclotome::io
