// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace cyclotome::rlwe {

/// Where the largest log2(QP) of a degree comes from. Secrets are uniform ternary, errors have sigma of about 3.2.
enum class SecurityTable : std::uint8_t {
  guidelines_2024 =
      1,  ///< Bossuat et al., Security Guidelines for Implementing Homomorphic Encryption, 2024 (the default)
  he_standard_2018 = 2,        ///< HomomorphicEncryption.org standard, 2018: what SEAL and OpenFHE enforce
  quantum_guidelines_2024 = 3  ///< the guidelines' estimates for attacks with quantum sieves; 128 bits only
};

/// The table by which parameters are judged unless a caller names another.
inline constexpr SecurityTable default_security_table = SecurityTable::guidelines_2024;

/// All tables, each at least as strict as the ones after it wherever both have a row.
std::span<const SecurityTable> security_tables() noexcept;

/// Name of a table as users write it: "guidelines-2024", "he-standard-2018", "quantum-guidelines-2024". Throws
/// ParameterError for a number that is no table's.
std::string name_of(SecurityTable table);
/// Throws ParameterError for an unknown name.
SecurityTable security_table(const std::string& name);
/// Whether the table counts attacks by quantum computers; the others count classical ones.
bool counts_quantum_attacks(SecurityTable table);

/// "128-bit classical security", "128-bit quantum security": what a level of a table means.
std::string level_text(unsigned security, SecurityTable table);
/// " by he-standard-2018" for labels; empty for the default table.
std::string table_suffix(SecurityTable table);

/// The largest bit length of QP (ciphertext primes times special primes) at `degree` for 128, 192 or 256 bits of
/// security; 0 where the table allows none. Between two powers of two, where no table has a row and Phi_m has its
/// degree, it is floor(degree cap/row) for the next lower row: this library's choice, below what estimates would grant,
/// as cap/row grows with the degree. Throws ParameterError for any other level, among them 192 and 256 bits in a
/// table of quantum attacks.
unsigned max_modulus_bits(std::size_t degree, unsigned security, SecurityTable table);

/// The highest of the table's levels that `modulus_bits` reaches at `degree`, or 0.
unsigned security_reached(std::size_t degree, unsigned modulus_bits, SecurityTable table);

/// The same by `table` or any stricter one: what someone who trusts `table` grants, also for degrees it has no row for.
unsigned security_granted(std::size_t degree, unsigned modulus_bits, SecurityTable table);

/// The one of two tables that grants more.
SecurityTable weaker_of(SecurityTable a, SecurityTable b);

}  // namespace cyclotome::rlwe
