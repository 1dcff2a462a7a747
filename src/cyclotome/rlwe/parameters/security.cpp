// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/rlwe/parameters/security.hpp"

#include <algorithm>
#include <array>

#include "cyclotome/math/errors.hpp"

namespace cyclotome::rlwe {

namespace {

constexpr std::array<unsigned, 3> levels{128, 192, 256};

struct Row {
  std::size_t degree;
  std::array<unsigned, 3> bits;  // 128, 192, 256
};

// Bossuat, Cammarota, Chillotti, Curtis, Dai, Gong, Hales, Kim, Kumara, Lee, Lu, Maple, Pedrouzo-Ulloa, Player,
// Polyakov, Lopez, Song, Yhee: "Security Guidelines for Implementing Homomorphic Encryption" (2024), largest log2 q for
// a ternary secret and sigma = 3.19, classical attacks. No row entry: the degree is too small for the level.
constexpr std::array<Row, 8> guidelines = {{{1024, {26, 0, 0}},
                                            {2048, {53, 36, 27}},
                                            {4096, {106, 73, 56}},
                                            {8192, {214, 147, 114}},
                                            {16384, {430, 297, 230}},
                                            {32768, {868, 597, 462}},
                                            {65536, {1747, 1199, 929}},
                                            {131072, {3523, 2411, 1866}}}};

// Albrecht et al.: "Homomorphic Encryption Standard" (2018), Table 1, ternary secret, classical attacks.
constexpr std::array<Row, 6> standard = {{{1024, {27, 19, 14}},
                                          {2048, {54, 37, 29}},
                                          {4096, {109, 75, 58}},
                                          {8192, {218, 152, 118}},
                                          {16384, {438, 305, 237}},
                                          {32768, {881, 611, 476}}}};

// The guidelines' script (github.com/gong-cr/FHE-Security-Guidelines, max_logQ_tables.py) with its quantum cost model,
// sieving by quantum random walks (Chailloux and Loyer 2021), as HomomorphicEncryption.org tabulates its results
// (github.com/HomomorphicEncryption/SparseLWEkit, Security/README.md): ternary secret, sigma = 3.19, 128 bits without a
// margin. Its classical column is the table `guidelines`.
constexpr std::array<Row, 8> quantum = {{{1024, {20, 0, 0}},
                                         {2048, {40, 0, 0}},
                                         {4096, {80, 0, 0}},
                                         {8192, {161, 0, 0}},
                                         {16384, {322, 0, 0}},
                                         {32768, {644, 0, 0}},
                                         {65536, {1289, 0, 0}},
                                         {131072, {2578, 0, 0}}}};

/// What there is to know of a table.
struct Facts {
  SecurityTable table;
  const char* name;
  bool quantum;
  std::size_t levels;  // how many of `levels` it has
  std::span<const Row> rows;
};

// Strictest first.
constexpr std::array<Facts, 3> all_facts = {
    {{SecurityTable::quantum_guidelines_2024, "quantum-guidelines-2024", true, 1, quantum},
     {SecurityTable::guidelines_2024, "guidelines-2024", false, levels.size(), guidelines},
     {SecurityTable::he_standard_2018, "he-standard-2018", false, levels.size(), standard}}};
constexpr std::array<SecurityTable, 3> all_tables = {all_facts[0].table, all_facts[1].table, all_facts[2].table};

const Facts& facts_of(SecurityTable table) {
  for (const Facts& facts : all_facts) {
    if (facts.table == table) return facts;
  }
  throw ParameterError(message("security table number ", static_cast<unsigned>(table), " is unknown; there are 1 to ",
                               all_facts.size(), ", see rlwe::SecurityTable"));
}

}  // namespace

std::span<const SecurityTable> security_tables() noexcept { return all_tables; }

std::string name_of(SecurityTable table) { return facts_of(table).name; }

SecurityTable security_table(const std::string& name) {
  std::string known;
  for (const Facts& facts : all_facts) {
    if (name == facts.name) return facts.table;
    known += (known.empty() ? "" : ", ") + std::string(facts.name);
  }
  throw ParameterError(message("security table '", name, "' is unknown; choose one of ", known));
}

bool counts_quantum_attacks(SecurityTable table) { return facts_of(table).quantum; }

std::string level_text(unsigned security, SecurityTable table) {
  return message(security, "-bit ", counts_quantum_attacks(table) ? "quantum" : "classical", " security");
}

std::string table_suffix(SecurityTable table) {
  return table == default_security_table ? std::string() : " by " + name_of(table);
}

unsigned max_modulus_bits(std::size_t degree, unsigned security, SecurityTable table) {
  const Facts& facts = facts_of(table);
  const auto level = std::find(levels.begin(), levels.end(), security);
  if (level == levels.end()) {
    throw ParameterError(message("security of ", security, " bits is not in the tables; choose 128, 192 or 256"));
  }
  const auto column = static_cast<std::size_t>(level - levels.begin());
  if (column >= facts.levels) {
    throw ParameterError(message("table ", facts.name, " has limits for 128 bits of quantum security only, not for ",
                                 security, "; choose 128, or another table for classical levels"));
  }
  for (const Row& row : facts.rows) {  // each twice the one before
    if (row.degree <= degree && degree / 2 < row.degree) {
      return static_cast<unsigned>(std::uint64_t{degree} * row.bits[column] / row.degree);
    }
  }
  return 0;
}

unsigned security_reached(std::size_t degree, unsigned modulus_bits, SecurityTable table) {
  for (std::size_t column = facts_of(table).levels; column-- > 0;) {
    if (modulus_bits <= max_modulus_bits(degree, levels[column], table)) return levels[column];
  }
  return 0;
}

unsigned security_granted(std::size_t degree, unsigned modulus_bits, SecurityTable table) {
  unsigned highest = security_reached(degree, modulus_bits, table);
  for (const SecurityTable stricter : all_tables) {
    if (stricter == table) break;
    highest = std::max(highest, security_reached(degree, modulus_bits, stricter));
  }
  return highest;
}

SecurityTable weaker_of(SecurityTable a, SecurityTable b) {
  return std::find(all_tables.begin(), all_tables.end(), facts_of(a).table) <
                 std::find(all_tables.begin(), all_tables.end(), facts_of(b).table)
             ? b
             : a;
}

}  // namespace cyclotome::rlwe
