// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/rlwe/security.hpp"

#include <array>

#include "cyclotome/math/errors.hpp"

namespace cyclotome::rlwe {

namespace {

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

template <std::size_t N>
unsigned find(const std::array<Row, N>& rows, std::size_t degree, std::size_t column) {
  for (const Row& row : rows) {
    if (row.degree == degree) return row.bits[column];
  }
  return 0;
}

}  // namespace

std::string name_of(SecurityTable table) {
  return table == SecurityTable::guidelines_2024 ? "guidelines-2024" : "he-standard-2018";
}

SecurityTable security_table(const std::string& name) {
  for (const auto table : {SecurityTable::guidelines_2024, SecurityTable::he_standard_2018}) {
    if (name == name_of(table)) return table;
  }
  throw ParameterError(message("security table '", name, "' is unknown; choose guidelines-2024 or he-standard-2018"));
}

unsigned max_modulus_bits(std::size_t degree, unsigned security, SecurityTable table) {
  if (security != 128 && security != 192 && security != 256) {
    throw ParameterError(message("security of ", security, " bits is not in the tables; choose 128, 192 or 256"));
  }
  const std::size_t column = security / 64 - 2;
  return table == SecurityTable::guidelines_2024 ? find(guidelines, degree, column) : find(standard, degree, column);
}

unsigned security_reached(std::size_t degree, unsigned modulus_bits, SecurityTable table) {
  for (const unsigned security : {256U, 192U, 128U}) {
    if (modulus_bits <= max_modulus_bits(degree, security, table)) return security;
  }
  return 0;
}

}  // namespace cyclotome::rlwe
