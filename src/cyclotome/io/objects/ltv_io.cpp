// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/io/objects/ltv_io.hpp"

#include <algorithm>
#include <cmath>

#include "cyclotome/io/container/container_layout.hpp"
#include "cyclotome/io/container/study_frame.hpp"

namespace cyclotome::io {

namespace {

using namespace study::ltv;

constexpr const char* damaged = study_damaged;
constexpr const char* names[] = {"LTV secret key", "LTV public key", "LTV evaluation keys", "LTV array"};
constexpr StudyFormat format{ltv_kind, layout::ltv_parameters, layout::ltv_data, "LTV"};
constexpr unsigned most_galois_keys = 2048;

/// Sections "LTVP": which object, parameters, key id; "LTVD": its residues.
FrameWriter begin(std::size_t alternative, const Parameters& parameters, const KeyId& key, std::uint64_t reserve,
                  Residence residence = Residence::heap) {
  FrameWriter writer(ltv_kind, parameters.fingerprint(), reserve, residence);
  ByteWriter& head = writer.section(layout::ltv_parameters);
  head.u8(static_cast<std::uint8_t>(alternative));
  head.u8(static_cast<std::uint8_t>(parameters.prime_bits()));
  head.u8(static_cast<std::uint8_t>(parameters.window()));
  head.u8(0);
  head.u32(static_cast<std::uint32_t>(parameters.levels()));
  head.u32(static_cast<std::uint32_t>(parameters.index()));
  head.bytes(key);
  return writer;
}

void write_residues(ByteWriter& data, const Polynomial& a, std::size_t count) {
  for (std::size_t j = 0; j < a.primes; ++j) {
    for (std::size_t i = 0; i < count; ++i) data.u32(a.words[j * a.length + i]);
  }
}

/// A transform's n coefficients: those of a reduced polynomial, so nothing stands behind them.
void write_transform(ByteWriter& data, const Parameters& parameters, const Polynomial& a) {
  write_residues(data, parameters.arithmetic()->intt(a), parameters.degree());
}

void write_key(ByteWriter& data, const SwitchingKey& key) {
  data.u32(static_cast<std::uint32_t>(key.element()));
  for (const Polynomial& digit : key.digits()) write_transform(data, *key.parameters(), digit);
}

struct Head {
  LtvInspection found;
  std::span<const std::uint8_t> fingerprint;
  Section data;
};

Head read_head(std::span<const std::uint8_t> bytes, std::uint64_t max_bytes) {
  const StudyFrame frame = open_study(bytes, max_bytes, format);
  const Section& head = frame.head;
  ByteReader reader(head.bytes, head.offset, "the description of an LTV object");
  Head result{{}, frame.fingerprint, frame.data};
  result.found.alternative = reader.u8();
  result.found.parameters.prime_bits = reader.u8();
  result.found.parameters.window = reader.u8();
  const std::uint8_t reserved = reader.u8();
  result.found.parameters.primes = reader.u32();
  result.found.parameters.index = reader.u32();
  std::ranges::copy(reader.take(result.found.key.size()), result.found.key.begin());
  reader.finish();
  if (result.found.alternative >= std::size(names) || reserved != 0) {
    throw FormatError(message("an LTV object of kind ", result.found.alternative, " at offset ", head.offset, damaged));
  }
  return result;
}

/// n small numbers, or rows of residues, taken with their range checked.
class DataReader {
 public:
  DataReader(const Section& section, ParametersPtr parameters)
      : parameters_(std::move(parameters)), reader_(section.bytes, section.offset, "the data of an LTV object") {}
  ByteReader& bytes() noexcept { return reader_; }

  Polynomial residues(std::size_t primes) {
    const std::size_t n = parameters_->degree();
    require_study_bytes(reader_, primes * n * 4, format);
    Polynomial a{Domain::crt, primes, n};
    a.words.resize(primes * n);
    for (std::size_t j = 0; j < primes; ++j) {
      for (std::size_t i = 0; i < n; ++i) {
        const std::uint64_t offset = reader_.offset();
        const std::uint32_t residue = reader_.u32();
        if (residue >= parameters_->arithmetic()->basis().prime(j)) {
          throw FormatError(message("the residue ", residue, " at offset ", offset, " is not below its prime ",
                                    parameters_->arithmetic()->basis().prime(j), damaged));
        }
        a.words[j * n + i] = residue;
      }
    }
    return a;
  }
  SwitchingKey key(const KeyId& id) {
    const std::uint64_t offset = reader_.offset();
    const std::uint32_t element = reader_.u32();
    std::vector<Polynomial> digits;
    const std::size_t levels = parameters_->levels();
    const unsigned count = parameters_->digits(levels);
    require_study_bytes(reader_, std::uint64_t{count} * levels * parameters_->degree() * 4, format);
    for (unsigned i = 0; i < count; ++i) digits.push_back(residues(levels));
    try {
      return SwitchingKey::restore(parameters_, id, element, digits);
    } catch (const ArgumentError& error) {
      throw FormatError(message("the key at offset ", offset, ": ", error.what()));
    }
  }

 private:
  ParametersPtr parameters_;
  ByteReader reader_;
};

/// Before anything of that size is made: the least that any object of these parameters takes.
void require_size(const Head& head) {
  const CyclotomicPolynomial ring(head.found.parameters.index);
  if (head.data.bytes.size() < ring.degree()) {
    throw FormatError(message("the data of an LTV object has ", head.data.bytes.size(),
                              " bytes, too few for n = ", ring.degree(), damaged));
  }
}

ParametersPtr parameters_of(const Head& head) {
  ParametersPtr parameters;
  try {
    require_size(head);
    parameters = Parameters::create(head.found.parameters);
  } catch (const ParameterError& error) {
    throw FormatError(message("the parameters of an LTV object are impossible: ", error.what()));
  }
  require_study_fingerprint(head.fingerprint, parameters->fingerprint());
  return parameters;
}

SecretKey read_secret(DataReader& data, const ParametersPtr& parameters, const KeyId& id) {
  ZeroisingVector<std::int64_t> half(parameters->degree());
  for (auto& value : half) {
    const std::uint64_t offset = data.bytes().offset();
    const std::uint8_t stored = data.bytes().u8();
    if (stored > 2)
      throw FormatError(message("a coefficient of f' at offset ", offset, " is none of 0, 1 and 2", damaged));
    value = static_cast<std::int64_t>(stored) - 1;
  }
  try {
    return SecretKey::restore(parameters, id, half);
  } catch (const ArgumentError& error) {
    throw FormatError(message("the secret key is none: ", error.what()));
  }
}

LtvArray read_array(DataReader& data, const ParametersPtr& parameters, const KeyId& id) {
  ByteReader& bytes = data.bytes();
  const std::uint64_t offset = bytes.offset();
  const std::uint32_t primes = bytes.u32(), length = bytes.u32();
  const std::uint8_t key_power = bytes.u8(), field = bytes.u8();
  const double log2_phase = bytes.f64();
  constexpr double most_bits = 1e6;
  if (primes < 1 || primes > parameters->levels() || length < 1 || length > parameters->degree() || key_power < 1 ||
      key_power > 2 || field > 1 || !(std::abs(log2_phase) <= most_bits)) {
    throw FormatError(message("the description of an LTV array at offset ", offset, " is impossible: ", primes,
                              " primes, ", length, " slots, a power ", static_cast<int>(key_power),
                              " of the key, noise 2^", log2_phase / 2, damaged));
  }
  return {{parameters, id, data.residues(primes), key_power, log2_phase}, length, field == 1};
}

}  // namespace

const char* name_of_ltv(std::size_t alternative) noexcept { return names[alternative]; }

Bytes serialize(const SecretKey& key) {
  const Parameters& parameters = *key.parameters();
  FrameWriter writer = begin(0, parameters, key.id(), parameters.degree() + 256, Residence::locked);
  ByteWriter& data = writer.section(layout::ltv_data);
  const auto& p = parameters.arithmetic()->basis().modulus(0);
  for (std::size_t i = 0; i < parameters.degree(); ++i) {
    // f = 2f' + [i = 0], f' + 1 in 0, 1, 2: f is -2 ... 3 in the first coefficient.
    const std::uint32_t shifted = p.add(key.value().words[i], i == 0 ? 1 : 2);
    data.u8(static_cast<std::uint8_t>(shifted / 2));
  }
  return writer.finish();
}

Bytes serialize(const PublicKey& key) {
  FrameWriter writer = begin(1, *key.parameters(), key.id(), key.transform().bytes());
  write_transform(writer.section(layout::ltv_data), *key.parameters(), key.transform());
  return writer.finish();
}

Bytes serialize(const SwitchingKey& relinearization, std::span<const SwitchingKey* const> galois) {
  FrameWriter writer = begin(2, *relinearization.parameters(), relinearization.id(), 256);
  ByteWriter& data = writer.section(layout::ltv_data);
  data.u32(static_cast<std::uint32_t>(galois.size()));
  write_key(data, relinearization);
  for (const SwitchingKey* const key : galois) write_key(data, *key);
  return writer.finish();
}

Bytes serialize(const Ciphertext& ciphertext, std::uint32_t length, bool field) {
  FrameWriter writer = begin(3, *ciphertext.parameters, ciphertext.key, ciphertext.polynomial.bytes() + 256);
  ByteWriter& data = writer.section(layout::ltv_data);
  data.u32(static_cast<std::uint32_t>(ciphertext.polynomial.primes));
  data.u32(length);
  data.u8(static_cast<std::uint8_t>(ciphertext.key_power));
  data.u8(field ? 1 : 0);
  data.f64(ciphertext.log2_phase);
  write_residues(data, ciphertext.polynomial, ciphertext.polynomial.length);
  return writer.finish();
}

bool names_ltv(std::span<const std::uint8_t> bytes) noexcept { return names_kind(bytes, ltv_kind); }

LtvInspection inspect_ltv(std::span<const std::uint8_t> bytes, std::uint64_t max_bytes) {
  return read_head(bytes, max_bytes).found;
}

LtvObject read_ltv(std::span<const std::uint8_t> bytes, std::uint64_t max_bytes) {
  const Head head = read_head(bytes, max_bytes);
  const ParametersPtr parameters = parameters_of(head);
  const KeyId& id = head.found.key;
  DataReader data(head.data, parameters);
  const auto finished = [&](auto object) -> LtvObject {
    data.bytes().finish();
    return LtvObject(std::move(object));
  };
  switch (head.found.alternative) {
    case 0: {
      SecretKey key = read_secret(data, parameters, id);
      data.bytes().finish();
      return key;
    }
    case 1:
      return finished(PublicKey::restore(parameters, id, data.residues(parameters->levels())));
    case 2: {
      const std::uint32_t count = data.bytes().u32();
      if (count > most_galois_keys)
        throw FormatError(message(count, " keys that move slots; ", most_galois_keys, " at most", damaged));
      LtvEvaluationKeys keys{data.key(id), {}};
      for (std::uint32_t i = 0; i < count; ++i) keys.galois.push_back(data.key(id));
      return finished(std::move(keys));
    }
    default:
      return finished(read_array(data, parameters, id));
  }
}

}  // namespace cyclotome::io
