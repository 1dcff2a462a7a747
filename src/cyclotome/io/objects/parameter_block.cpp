// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/io/objects/parameter_block.hpp"

#include <algorithm>

#include "cyclotome/io/container/byte_reader.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/scheme/registry.hpp"

namespace cyclotome::io {

namespace {

constexpr std::size_t max_name_bytes = 255;
constexpr std::uint8_t flag_allow_insecure = 1, flag_strict = 2, flag_cyclotomic = 4, flag_parties = 8;

bool below_demand(const rlwe::Parameters& parameters) {
  return parameters.security_reached() < std::max(128U, parameters.security());
}

/// Eight characters for whoever looks at the bytes.
std::string security_label(const rlwe::Parameters& parameters) {
  return below_demand(parameters) ? "INSECURE" : message(parameters.security_reached(), " bits");
}

bool storable(std::string_view name) {
  return name.size() <= max_name_bytes && std::ranges::all_of(name, [](char c) { return c >= ' ' && c <= '~'; });
}

std::vector<std::uint64_t> read_numbers(ByteReader& reader, std::size_t count) {
  std::vector<std::uint64_t> numbers;
  for (std::size_t i = 0; i < count; ++i) numbers.push_back(reader.u64());
  return numbers;
}

/// A parameter block as it was read; nothing is checked but what its checks rely on.
struct Block {
  const rlwe::Scheme& scheme;
  rlwe::LatticeParameters lattice;
  std::vector<std::uint64_t> part;
  std::string name;
};

bool is_known(std::uint8_t scheme) {
  return std::ranges::any_of(scheme::known(), [&](const rlwe::Scheme* known) { return known->id() == scheme; });
}

Block read_block(const Section& section) {
  ByteReader reader(section.bytes, section.offset, "the parameter block");
  rlwe::LatticeParameters p;
  reader.take(8);  // the label follows from the rest
  const std::uint8_t id = reader.u8();
  p.word = static_cast<Word>(reader.u8());
  p.table = static_cast<rlwe::SecurityTable>(reader.u8());
  const std::uint8_t flags = reader.u8();
  p.allow_insecure = (flags & flag_allow_insecure) != 0;
  p.strict = (flags & flag_strict) != 0;
  p.security = reader.u16();
  p.digits = reader.u16();
  ((flags & flag_cyclotomic) != 0 ? p.cyclotomic : p.degree) = reader.u32();
  const std::uint16_t part = reader.u16(), moduli = reader.u16(), special = reader.u16(), name_bytes = reader.u16();
  std::vector<std::uint64_t> numbers = read_numbers(reader, part);
  p.moduli = read_numbers(reader, moduli);
  p.special_moduli = read_numbers(reader, special);
  std::string name(reader.text(name_bytes));
  if ((flags & flag_parties) != 0) p.parties = reader.u16();
  reader.finish();
  // Enumerations that the parameters' own checks rely on.
  if (!is_known(id) || (p.word != Word::u32 && p.word != Word::u64) ||
      std::ranges::find(rlwe::security_tables(), p.table) == rlwe::security_tables().end()) {
    throw FormatError(message("the parameter block at offset ", section.offset, " has scheme ",
                              static_cast<unsigned>(id), ", ", static_cast<unsigned>(p.word),
                              "-byte words and security ", "table ", static_cast<unsigned>(p.table),
                              ", of which this library does not know all"));
  }
  if (!storable(name)) {
    throw FormatError(message("the parameters' name at offset ", section.offset + section.bytes.size() - name_bytes,
                              " is longer than ", max_name_bytes,
                              " bytes or not printable ASCII; the data is damaged"));
  }
  return {scheme::numbered(id), std::move(p), std::move(numbers), std::move(name)};
}

rlwe::Parameters read_parameters(const Section& section) {
  const Block block = read_block(section);
  try {
    rlwe::Parameters parameters(block.scheme, block.lattice, *block.scheme.make_part(block.part), block.name);
    ByteWriter canonical;
    encode_parameters(canonical, parameters);
    if (!std::ranges::equal(canonical.view(), section.bytes)) {
      throw FormatError(
          message("the parameter block at offset ", section.offset,
                  " is not written as this library writes it (digits, security label or flags are inconsistent); ",
                  "the data is damaged"));
    }
    return parameters;
  } catch (const SecurityError&) {
    throw;
  } catch (const ParameterError& error) {
    throw FormatError(
        message("the parameter block at offset ", section.offset, " holds impossible parameters: ", error.what()));
  }
}

/// What the caller's table asks of parameters: as much as they claim, or 128 bits of the attacks that it counts.
unsigned level_asked(const rlwe::Parameters& parameters, rlwe::SecurityTable table) {
  return rlwe::counts_quantum_attacks(table) ? 128 : std::max(128U, parameters.security());
}

void require_secure(const rlwe::Parameters& parameters, const Limits& limits) {
  const std::string judge = rlwe::name_of(limits.table);  // refuses unknown ones
  if (limits.allow_insecure) return;
  if (below_demand(parameters)) {
    throw SecurityError(message("the data has INSECURE parameters, ", parameters.summary(), " where ",
                                std::max(128U, parameters.security()),
                                " bits are asked for; pass allow_insecure=True to load it for experiments"));
  }
  const unsigned asked = level_asked(parameters, limits.table), bits = parameters.key_modulus_bits();
  if (rlwe::security_granted(parameters.degree(), bits, limits.table) < asked) {
    const std::string own = rlwe::name_of(parameters.table());
    throw SecurityError(message("the data has parameters of table ", own, ", ", parameters.summary(), "; table ", judge,
                                " allows ", rlwe::max_modulus_bits(parameters.degree(), asked, limits.table),
                                " of its ", bits, " bits for ", rlwe::level_text(asked, limits.table),
                                ". If you trust the other table, name it: security_table=\"", own,
                                "\" (--security-table ", own, " for commands)"));
  }
}

}  // namespace

void encode_parameters(ByteWriter& writer, const rlwe::Parameters& parameters) {
  if (!storable(parameters.name())) {
    throw ArgumentError(message("the parameters' name has ", parameters.name().size(),
                                " bytes; files hold names of up to ", max_name_bytes,
                                " printable ASCII characters; choose another name"));
  }
  writer.text(security_label(parameters));
  writer.u8(parameters.scheme().id());
  writer.u8(static_cast<std::uint8_t>(parameters.word()));
  writer.u8(static_cast<std::uint8_t>(parameters.table()));
  writer.u8(static_cast<std::uint8_t>(
      (parameters.allow_insecure() ? flag_allow_insecure : 0) | (parameters.strict() ? flag_strict : 0) |
      (parameters.cyclotomic() != 0 ? flag_cyclotomic : 0) | (parameters.parties() > 1 ? flag_parties : 0)));
  writer.u16(static_cast<std::uint16_t>(parameters.security()));
  writer.u16(static_cast<std::uint16_t>(parameters.digits()));
  writer.u32(static_cast<std::uint32_t>(parameters.cyclotomic() != 0 ? parameters.cyclotomic() : parameters.degree()));
  const std::vector<std::uint64_t> part = parameters.part().numbers();
  writer.u16(static_cast<std::uint16_t>(part.size()));
  writer.u16(static_cast<std::uint16_t>(parameters.moduli().size()));
  writer.u16(static_cast<std::uint16_t>(parameters.special_moduli().size()));
  writer.u16(static_cast<std::uint16_t>(parameters.name().size()));
  for (const auto* numbers : {&part, &parameters.moduli(), &parameters.special_moduli()}) {
    for (const auto number : *numbers) writer.u64(number);
  }
  writer.text(parameters.name());
  if (parameters.parties() > 1) writer.u16(static_cast<std::uint16_t>(parameters.parties()));
}

rlwe::Parameters decode_parameters(const Section& section, const Limits& limits) {
  rlwe::Parameters parameters = read_parameters(section);
  require_secure(parameters, limits);
  return parameters;
}

}  // namespace cyclotome::io
