// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/io/objects/fermat_io.hpp"

#include <algorithm>

#include "cyclotome/io/container/container_layout.hpp"
#include "cyclotome/io/container/noise_limits.hpp"
#include "cyclotome/io/container/study_frame.hpp"

namespace cyclotome::io {

namespace {

using namespace study::fermat;

constexpr const char* damaged = study_damaged;
constexpr const char* names[] = {"Fermat parameters", "Fermat secret key", "Fermat public key",
                                 "Fermat evaluation keys", "Fermat array"};
constexpr StudyFormat format{fermat_kind, layout::fermat_parameters, layout::fermat_data, "the study of Fermat moduli"};
constexpr std::uint8_t flag_insecure = 1, flag_strict = 2, flag_one_bounded = 4, all_flags = 7;
constexpr std::uint8_t flag_rows = 1, flag_slots = 2, flag_bounded = 4;
constexpr std::size_t most_items = std::size_t{1} << 20;

FrameWriter begin(std::size_t alternative, const Parameters& parameters, const KeyId& key, std::uint64_t reserve,
                  Residence residence = Residence::heap) {
  FrameWriter writer(fermat_kind, parameters.fingerprint(), reserve + 256, residence);
  const ParametersLiteral& p = parameters.literal();
  ByteWriter& head = writer.section(layout::fermat_parameters);
  head.u8(static_cast<std::uint8_t>(alternative));
  head.u8(static_cast<std::uint8_t>(p.x));
  head.u8(static_cast<std::uint8_t>(parameters.basis().splits()));
  head.u8(static_cast<std::uint8_t>(p.digit_bits));
  head.u8(static_cast<std::uint8_t>((p.allow_insecure ? flag_insecure : 0) | (p.strict ? flag_strict : 0) |
                                    (p.error == ErrorLaw::one_bounded ? flag_one_bounded : 0)));
  head.u8(static_cast<std::uint8_t>(p.table));
  head.u16(static_cast<std::uint16_t>(p.security));
  head.u32(static_cast<std::uint32_t>(p.degree));
  head.u32(p.special_bits);
  head.u64(p.plain_modulus);
  head.bytes(key);
  return writer;
}

void write_words(ByteWriter& data, std::span<const std::uint64_t> words) {
  for (const std::uint64_t word : words) data.u64(word);
}

struct Head {
  FermatInspection found;
  Section data;
};

Head read_head(std::span<const std::uint8_t> bytes, std::uint64_t max_bytes) {
  const StudyFrame frame = open_study(bytes, max_bytes, format);
  ByteReader reader(frame.head.bytes, frame.head.offset, "the description of an object on Fermat moduli");
  const std::uint8_t alternative = reader.u8();
  ParametersLiteral p;
  p.x = reader.u8();
  p.splits = reader.u8();
  p.digit_bits = reader.u8();
  const std::uint8_t flags = reader.u8();
  p.allow_insecure = (flags & flag_insecure) != 0;
  p.strict = (flags & flag_strict) != 0;
  p.error = (flags & flag_one_bounded) != 0 ? ErrorLaw::one_bounded : ErrorLaw::standard;
  p.table = static_cast<rlwe::SecurityTable>(reader.u8());
  p.security = reader.u16();
  p.degree = reader.u32();
  p.special_bits = reader.u32();
  p.plain_modulus = reader.u64();
  KeyId key;
  std::ranges::copy(reader.take(key.size()), key.begin());
  reader.finish();
  if (alternative >= std::size(names) || flags > all_flags ||
      std::ranges::find(rlwe::security_tables(), p.table) == rlwe::security_tables().end()) {
    throw FormatError(message("an object of kind ", static_cast<int>(alternative), " with flags ",
                              static_cast<int>(flags), " and security table ", static_cast<int>(p.table), " at offset ",
                              frame.head.offset, damaged));
  }
  const auto checked = [&] {
    try {
      return Parameters(p);
    } catch (const ParameterError& error) {
      throw FormatError(message("the parameters of an object on Fermat moduli are impossible: ", error.what()));
    }
  };
  Head head{{alternative, checked(), key}, frame.data};
  require_study_fingerprint(frame.fingerprint, head.found.parameters.fingerprint());
  return head;
}

/// Words of one part of one digit: residues modulo q and modulo P.
std::uint64_t polynomial_words(const Parameters& parameters) {
  return std::uint64_t{parameters.basis().words()} * parameters.degree();
}

/// What an array's data begins with.
struct ArrayHead {
  std::size_t parts, items;
  std::uint32_t width;
  bool rows, slots;
  std::optional<std::uint64_t> bound;
  rlwe::NoiseBound noise;
};

ArrayHead read_array_head(ByteReader& data, const Parameters& parameters) {
  const std::uint64_t offset = data.offset();
  ArrayHead head{};
  head.parts = data.u8();
  const std::uint8_t flags = data.u8();
  const std::uint16_t reserved = data.u16();
  head.items = data.u32();
  head.width = data.u32();
  const std::uint64_t bound = data.u64();
  head.noise = {data.f64(), data.f64(), data.f64()};
  head.rows = (flags & flag_rows) != 0;
  head.slots = (flags & flag_slots) != 0;
  if ((flags & flag_bounded) != 0) head.bound = bound;
  const bool sizes = (head.parts == 2 || head.parts == 3) && head.items >= 1 && head.items <= most_items &&
                     (head.rows || head.items == 1) && head.width >= 1 && head.width <= parameters.degree() &&
                     (head.slots || head.width == parameters.degree());
  const bool meaning = flags <= 7 && reserved == 0 &&
                       2 * std::min(bound, parameters.plain_modulus()) < parameters.plain_modulus() &&
                       (head.bound || bound == 0) && storable(head.noise);
  if (!sizes || !meaning) {
    throw FormatError(message("the description of an array on Fermat moduli at offset ", offset,
                              " is impossible: ", head.parts, " parts, ", head.items, " items of ", head.width,
                              " values within ", bound, ", noise 2^", head.noise.log2_max, damaged));
  }
  return head;
}

/// Exactly so many bytes, before anything is made of them.
void require_exact(const ByteReader& data, std::uint64_t bytes) {
  require_study_bytes(data, bytes, format);
  if (data.rest().size() == bytes) return;
  throw FormatError(
      message(data.rest().size() - bytes, " bytes too many after the data of an object on Fermat moduli", damaged));
}

std::uint64_t payload_bytes(std::size_t alternative, const Parameters& parameters) {
  const std::uint64_t polynomial = 8 * polynomial_words(parameters);
  const std::uint64_t special = 8 * parameters.degree() * parameters.special_primes().size();
  switch (alternative) {
    case 0:
      return 0;
    case 1:
      return parameters.degree();
    case 2:
      return 2 * polynomial;
    default:
      return 2 * parameters.log2_digits().size() * (polynomial + special);
  }
}

class DataReader {
 public:
  DataReader(ByteReader& reader, const Context& context) : reader_(reader), context_(context) {}

  Rows polynomial() {
    const std::uint64_t offset = reader_.offset();
    Rows rows(context_.ring().size());
    for (auto& word : rows) word = reader_.u64();
    if (!context_.ring().holds(rows.data())) {
      throw FormatError(
          message("a residue of the polynomial at offset ", offset, " is not below its modulus", damaged));
    }
    return rows;
  }
  RelinearizationKey::Residues digit() {
    RelinearizationKey::Residues out{polynomial(), {}};
    for (const std::uint64_t p : context_.parameters().special_primes()) {
      for (std::size_t c = 0; c < context_.degree(); ++c) {
        const std::uint64_t offset = reader_.offset();
        out.special.push_back(reader_.u64());
        if (out.special.back() < p) continue;
        throw FormatError(message("the residue ", out.special.back(), " at offset ", offset,
                                  " is not below its special prime ", p, damaged));
      }
    }
    return out;
  }

 private:
  ByteReader& reader_;
  const Context& context_;
};

SecretKey read_secret(ByteReader& data, const ContextPtr& context, const KeyId& id) {
  ZeroisingVector<std::int64_t> s(context->degree());
  for (auto& value : s) value = static_cast<std::int64_t>(data.u8()) - 1;
  try {
    return SecretKey::restore(context, id, s);
  } catch (const ArgumentError& error) {
    throw FormatError(message("the secret key is none: ", error.what()));
  }
}

void require_secure(const Parameters& parameters, bool allow_insecure) {
  if (!parameters.insecure() || allow_insecure) return;
  throw SecurityError(message("the data has the parameters ", parameters.summary(),
                              ", below 128 bits; pass allow_insecure=True to load it for experiments"));
}

}  // namespace

const char* name_of_fermat(std::size_t alternative) noexcept { return names[alternative]; }

Bytes serialize(const Parameters& parameters) {
  FrameWriter writer = begin(0, parameters, {}, 0);
  writer.section(layout::fermat_data);
  return writer.finish();
}

Bytes serialize(const SecretKey& key) {
  const Parameters& parameters = key.context()->parameters();
  FrameWriter writer = begin(1, parameters, key.id(), parameters.degree(), Residence::locked);
  ByteWriter& data = writer.section(layout::fermat_data);
  for (const std::int64_t s : key.coefficients()) data.u8(static_cast<std::uint8_t>(s + 1));
  return writer.finish();
}

Bytes serialize(const PublicKey& key) {
  const Parameters& parameters = key.context()->parameters();
  FrameWriter writer = begin(2, parameters, key.id(), payload_bytes(2, parameters));
  ByteWriter& data = writer.section(layout::fermat_data);
  for (std::size_t part = 0; part < 2; ++part) write_words(data, key.rows(part));
  return writer.finish();
}

Bytes serialize(const RelinearizationKey& key) {
  const Parameters& parameters = key.context()->parameters();
  FrameWriter writer = begin(3, parameters, key.id(), payload_bytes(3, parameters));
  ByteWriter& data = writer.section(layout::fermat_data);
  for (std::size_t digit = 0; digit < key.digits(); ++digit) {
    for (std::size_t part = 0; part < 2; ++part) {
      const auto residues = key.residues(digit, part);
      write_words(data, residues.rows);
      write_words(data, residues.special);
    }
  }
  return writer.finish();
}

Bytes serialize(const FermatArray& array) {
  const Ciphertext& c = array.ciphertext;
  const Parameters& parameters = c.context->parameters();
  FrameWriter writer = begin(4, parameters, c.key, c.items.size() * c.parts * polynomial_words(parameters) * 8);
  ByteWriter& data = writer.section(layout::fermat_data);
  data.u8(static_cast<std::uint8_t>(c.parts));
  data.u8(static_cast<std::uint8_t>((array.rows ? flag_rows : 0) | (array.slots ? flag_slots : 0) |
                                    (array.bound ? flag_bounded : 0)));
  data.u16(0);
  data.u32(static_cast<std::uint32_t>(c.items.size()));
  data.u32(array.width);
  data.u64(array.bound.value_or(0));
  for (const double log2 : {c.noise.log2_max, c.noise.log2_rms, c.noise.log2_canonical}) data.f64(log2);
  for (const Parts& parts : c.items) write_words(data, parts);
  return writer.finish();
}

bool names_fermat(std::span<const std::uint8_t> bytes) noexcept { return names_kind(bytes, fermat_kind); }

FermatInspection inspect_fermat(std::span<const std::uint8_t> bytes, std::uint64_t max_bytes) {
  return read_head(bytes, max_bytes).found;
}

FermatObject read_fermat(std::span<const std::uint8_t> bytes, const FermatReading& reading,
                         const std::function<ContextPtr(const Parameters&)>& make_context) {
  const Head head = read_head(bytes, reading.max_bytes);
  const auto& [alternative, parameters, id] = head.found;
  require_secure(parameters, reading.allow_insecure);
  ByteReader data(head.data.bytes, head.data.offset, "the data of an object on Fermat moduli");
  std::optional<ArrayHead> array;
  if (alternative == 4) array = read_array_head(data, parameters);
  require_exact(data, array ? array->items * array->parts * polynomial_words(parameters) * 8
                            : payload_bytes(alternative, parameters));
  const ContextPtr context = make_context(parameters);
  DataReader reader(data, *context);
  switch (alternative) {
    case 0:
      return FermatObject(context);
    case 1:
      return read_secret(data, context, id);
    case 2: {
      const Rows body = reader.polynomial();
      return PublicKey::restore(context, id, body, reader.polynomial());
    }
    case 3:
      return RelinearizationKey::restore(context, id, [&](std::size_t, std::size_t) { return reader.digit(); });
    default: {
      Ciphertext c{context, id, array->parts, {}, array->noise};
      for (std::size_t i = 0; i < array->items; ++i) {
        Parts parts;
        for (std::size_t part = 0; part < array->parts; ++part) {
          const Rows rows = reader.polynomial();
          parts.insert(parts.end(), rows.begin(), rows.end());
        }
        c.items.push_back(std::move(parts));
      }
      return FermatArray{std::move(c), array->width, array->rows, array->slots, array->bound};
    }
  }
}

}  // namespace cyclotome::io
