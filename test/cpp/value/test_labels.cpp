// SPDX-License-Identifier: Apache-2.0
// Which security table parameters were judged by: files can't choose a weaker one, labels name it, and numbers that are
// no scheme's, table's or word's stand for nothing.
#include <string>
#include <type_traits>

#include "check.hpp"
#include "cyclotome/engine/cpu/cpu_engine.hpp"
#include "cyclotome/io/objects/inspect.hpp"
#include "cyclotome/io/objects/parameters_io.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/primes.hpp"
#include "cyclotome/ring/tables/key_switch_constants.hpp"
#include "cyclotome/scheme/bfv/behz.hpp"
#include "cyclotome/scheme/bfv/hps.hpp"
#include "cyclotome/scheme/bfv/scheme.hpp"
#include "cyclotome/scheme/bgv/scheme.hpp"
#include "cyclotome/scheme/encoding.hpp"
#include "cyclotome/scheme/planning.hpp"
#include "cyclotome/scheme/registry.hpp"
#include "cyclotome/scheme/scheme.hpp"

namespace {

using namespace cyclotome;
using io::Container;
using rlwe::SecurityTable;

/// Degree 8192 with a modulus of exactly `bits` bits.
rlwe::ParametersLiteral literal_of(unsigned bits, SecurityTable table, unsigned security = 128) {
  rlwe::ParametersLiteral p;
  p.scheme = &bfv::scheme();
  p.degree = 8192;
  p.plain_moduli = {2};
  p.table = table;
  p.security = security;
  for (unsigned left = bits, parts = (bits + 59) / 60; parts > 0; --parts) {
    const unsigned width = left / parts;
    p.moduli.push_back(primes_congruent_to_one(width, 16384, 1, p.moduli)[0]);
    left -= width;
  }
  return p;
}

io::Bytes file_of(unsigned bits, SecurityTable table, unsigned security = 128) {
  const rlwe::Parameters p(literal_of(bits, table, security));
  CHECK_EQ(p.key_modulus_bits(), bits);
  return io::serialize(p);
}

io::Limits judged_by(SecurityTable table) {
  io::Limits limits;
  limits.table = table;
  return limits;
}

constexpr SecurityTable guidelines = SecurityTable::guidelines_2024, standard = SecurityTable::he_standard_2018,
                        quantum = SecurityTable::quantum_guidelines_2024;

}  // namespace

TEST(a_file_can_not_choose_a_weaker_table) {
  // 214 bits are the guidelines' cap at 8192, 218 the standard's.
  CHECK_EQ(Container(file_of(214, standard)).parameters().key_modulus_bits(), 214U);
  for (const unsigned bits : {215U, 218U}) {
    const io::Bytes bytes = file_of(bits, standard);
    CHECK_THROWS_WITH(SecurityError, Container(bytes), "table guidelines-2024 allows 214 of its");
    CHECK_THROWS_WITH(SecurityError, Container(bytes), "security_table=\"he-standard-2018\"");
    CHECK_THROWS_WITH(SecurityError, Container(bytes, judged_by(quantum)), "quantum-guidelines-2024 allows 161");
    CHECK(Container(bytes, judged_by(standard)).parameters().table() == standard);
    CHECK(!Container(bytes, io::Limits{.allow_insecure = true}).parameters().insecure());
    const io::Inspection seen = io::inspect(bytes);  // reports only
    CHECK(seen.parameters.table() == standard);
    CHECK(seen.parameters.summary().ends_with("128-bit classical security by he-standard-2018"));
  }
}

TEST(what_a_file_claims_is_asked_of_the_callers_table) {
  // 147 bits are the guidelines' cap for 192 bits of security at 8192, 152 the standard's.
  CHECK_EQ(Container(file_of(147, standard, 192)).parameters().security(), 192U);
  const io::Bytes bytes = file_of(148, standard, 192);
  CHECK_THROWS_WITH(SecurityError, Container(bytes), "allows 147 of its 148 bits for 192-bit classical security");
  CHECK_EQ(Container(bytes, judged_by(standard)).parameters().security(), 192U);
  rlwe::ParametersLiteral none = literal_of(218, standard, 0);  // claims nothing, and flags are no way around
  none.allow_insecure = true;
  CHECK_THROWS_WITH(SecurityError, Container(io::serialize(rlwe::Parameters(none))), "allows 214 of its 218 bits");
}

TEST(a_stricter_table_can_be_asked_for) {
  CHECK(Container(file_of(161, guidelines), judged_by(quantum)).parameters().table() == guidelines);
  CHECK_THROWS_WITH(SecurityError, Container(file_of(162, guidelines), judged_by(quantum)),
                    "allows 161 of its 162 bits for 128-bit quantum security");
  // A classical claim of 192 bits is the file's own; of quantum attacks the table knows 128 bits only.
  CHECK_EQ(Container(file_of(147, guidelines, 192), judged_by(quantum)).parameters().security(), 192U);
  for (const SecurityTable table : {quantum, guidelines, standard}) {
    CHECK(Container(file_of(161, quantum), judged_by(table)).parameters().table() == quantum);
  }
}

TEST(degrees_without_a_row_are_judged_by_the_stricter_table) {
  rlwe::ParametersLiteral p = literal_of(100, guidelines);
  p.degree = 65536;  // the standard of 2018 ends at 32768
  p.moduli = primes_congruent_to_one(50, 131072, 2);
  const io::Bytes bytes = io::serialize(rlwe::Parameters(p));
  CHECK_EQ(Container(bytes, judged_by(standard)).parameters().degree(), 65536U);
  CHECK_EQ(rlwe::security_reached(65536, 100, standard), 0U);
  CHECK_EQ(rlwe::security_granted(65536, 100, standard), 256U);
}

TEST(presets_of_seal_are_used_by_name) {
  const rlwe::Parameters seal = scheme::preset("seal-8192");
  CHECK(seal.summary().ends_with("128-bit classical security by he-standard-2018"));
  const io::Bytes bytes = io::serialize(seal);
  CHECK_THROWS_WITH(SecurityError, Container(bytes), "name it");
  CHECK(Container(bytes, judged_by(standard)).parameters().fingerprint() == seal.fingerprint());
}

TEST(the_weaker_of_two_tables_grants_more) {
  for (const SecurityTable table : rlwe::security_tables()) {
    CHECK(rlwe::weaker_of(table, standard) == standard && rlwe::weaker_of(standard, table) == standard);
    CHECK(rlwe::weaker_of(table, quantum) == table && rlwe::weaker_of(quantum, table) == table);
    CHECK(rlwe::security_table(rlwe::name_of(table)) == table);
  }
}

TEST(unknown_numbers_are_refused_everywhere) {
  for (const unsigned number : {0U, 4U, 7U, 255U}) {
    const auto table = static_cast<SecurityTable>(number);
    const std::string named = message("security table number ", number, " is unknown");
    CHECK_THROWS_WITH(ParameterError, rlwe::name_of(table), named);
    CHECK_THROWS_WITH(ParameterError, rlwe::level_text(128, table), named);
    CHECK_THROWS_WITH(ParameterError, rlwe::max_modulus_bits(8192, 128, table), named);
    CHECK_THROWS_WITH(ParameterError, rlwe::security_reached(8192, 1, table), named);
    CHECK_THROWS_WITH(ParameterError, rlwe::security_granted(8192, 1, table), named);
    CHECK_THROWS_WITH(ParameterError, rlwe::weaker_of(guidelines, table), named);
    CHECK_THROWS_WITH(ParameterError, rlwe::weaker_of(table, guidelines), named);
    rlwe::ParametersLiteral literal = literal_of(100, table);
    for (const bool insecure : {false, true}) {
      literal.allow_insecure = insecure;
      CHECK_THROWS_WITH(ParameterError, rlwe::Parameters(literal), named);
    }
    scheme::Intent intent;
    intent.table = table;
    CHECK_THROWS_WITH(ParameterError, scheme::suggest(intent), named);
    CHECK_THROWS_WITH(ParameterError, scheme::with_modulus_bits(literal, 100), named);
    CHECK_THROWS_WITH(ParameterError, Container(file_of(100, guidelines), judged_by(table)), named);
  }
  for (const std::uint8_t number : {std::uint8_t{0}, std::uint8_t{4}, std::uint8_t{255}}) {
    CHECK_THROWS_WITH(ParameterError, scheme::numbered(number),
                      message("scheme number ", unsigned{number}, " is unknown; there are 1 (bfv), 2 (bgv) and 3 (ckks)"));
  }
  for (const std::string_view name : {"", "BFV", "bfv ", "tfhe"}) {
    CHECK_THROWS_WITH(ParameterError, scheme::named(name),
                      message("scheme '", name, "' is not known; there are 'bfv', 'bgv' and 'ckks'"));
  }
  rlwe::ParametersLiteral nobodys = literal_of(100, guidelines);
  nobodys.scheme = nullptr;
  CHECK_THROWS_WITH(ParameterError, rlwe::Parameters(nobodys), "no scheme was given");
  CHECK_THROWS_WITH(ParameterError, scheme::with_modulus_bits(nobodys, 100), "no scheme was given");
  scheme::Intent bits;  // no scheme: the usual one for integers, and for bits
  CHECK(&scheme::suggest(bits).scheme() == &bfv::scheme());
  bits.bits = true;
  bits.terms = 16;
  CHECK(&scheme::suggest(bits).scheme() == &bgv::scheme());
  for (const unsigned number : {0U, 2U, 16U, 255U}) {
    rlwe::ParametersLiteral literal = literal_of(100, guidelines);
    literal.word = static_cast<Word>(number);
    CHECK_THROWS_WITH(ParameterError, rlwe::Parameters(literal), message("words of ", number, " bytes are unknown"));
    scheme::Intent intent;
    intent.word = static_cast<Word>(number);
    CHECK_THROWS_WITH(ParameterError, scheme::suggest(intent), "bytes are unknown");
  }
}

TEST(unknown_encodings_are_refused) {
  rlwe::ParametersLiteral literal = literal_of(100, guidelines);
  literal.plain_moduli = {65537};
  const rlwe::ContextPtr context = scheme::make_context(rlwe::Parameters(literal), CpuEngine::create(1));
  const std::vector<std::int64_t> values{1, 2, 3};
  const rlwe::Plaintext message = encode_residues(context, rlwe::PlainIndex(0), Encoding::Kind::slots, values, 1, 3);
  for (const unsigned number : {3U, 7U, 255U}) {
    const auto kind = static_cast<Encoding::Kind>(number);
    const std::string named = cyclotome::message("encoding number ", number, " is unknown");
    CHECK_THROWS_WITH(ArgumentError, encode_residues(context, rlwe::PlainIndex(0), kind, values, 1, 3), named);
    CHECK_THROWS_WITH(ArgumentError, decode_residues(message, kind), named);
  }
}

TEST(a_context_has_the_scheme_that_its_parameters_name) {
  for (const auto kind : {&bfv::scheme(), &bgv::scheme()}) {
    rlwe::ParametersLiteral literal = literal_of(100, guidelines);
    literal.scheme = kind;
    const rlwe::ContextPtr context = scheme::make_context(rlwe::Parameters(literal), CpuEngine::create(1));
    CHECK(&context->scheme() == kind && &context->parameters().scheme() == kind);
    CHECK(context->parameters().summary().starts_with(kind->name()));
    CHECK(&scheme::named(kind->name()) == kind && &scheme::numbered(kind->id()) == kind);
  }
}

// A level, a plaintext modulus's number and a plain count can't stand in for one another, in either order.
template <class... Arguments>
concept SwitchesKeys =
    requires(const rlwe::Context& context, Arguments... arguments) { context.key_switch(arguments...); };
static_assert(SwitchesKeys<rlwe::Level, rlwe::PlainIndex>);
static_assert(!SwitchesKeys<rlwe::PlainIndex, rlwe::Level>);
static_assert(!SwitchesKeys<std::size_t, rlwe::PlainIndex> && !SwitchesKeys<rlwe::Level, int>);
static_assert(!std::is_convertible_v<std::size_t, rlwe::Level> && !std::is_convertible_v<rlwe::Level, std::size_t>);
static_assert(!std::is_convertible_v<int, rlwe::PlainIndex> && !std::is_convertible_v<rlwe::PlainIndex, rlwe::Level>);

// Nor can a plaintext modulus be taken for another number, or a division's preserved modulus for its numerator.
static_assert(std::is_constructible_v<bfv::HpsProduct, RingPtr, RingPtr, rlwe::PlainModulus>);
static_assert(!std::is_constructible_v<bfv::HpsProduct, RingPtr, RingPtr, std::uint64_t>);
static_assert(!std::is_constructible_v<bfv::BehzScale, RingPtr, RingPtr, rlwe::PlainIndex>);
static_assert(std::is_constructible_v<DivideAndRound, RingPtr, RingPtr, PreservedModulus, std::uint64_t>);
static_assert(!std::is_constructible_v<DivideAndRound, RingPtr, RingPtr, std::uint64_t, PreservedModulus>);
static_assert(!std::is_constructible_v<DivideAndRound, RingPtr, RingPtr, int, int>);
static_assert(!std::is_constructible_v<KeySwitchConstants, RingPtr, RingPtr, PreservedModulus, std::size_t>);
static_assert(sizeof(rlwe::PlainModulus) == sizeof(std::uint64_t) && std::is_trivially_copyable_v<rlwe::PlainModulus>);

int main() { return cyclotome::check::run(); }
