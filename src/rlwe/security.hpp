// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace cyclotome::rlwe {

/// Where the largest log2(QP) of a degree comes from. Secrets are uniform ternary, errors have sigma of about 3.2.
enum class SecurityTable : std::uint8_t {
  guidelines_2024 =
      1,  ///< Bossuat et al., Security Guidelines for Implementing Homomorphic Encryption, 2024 (the default)
  he_standard_2018 = 2  ///< HomomorphicEncryption.org standard, 2018: what SEAL and OpenFHE enforce
};

/// Name of a table as users write it: "guidelines-2024", "he-standard-2018".
std::string name_of(SecurityTable table);
/// Throws ParameterError for an unknown name.
SecurityTable security_table(const std::string& name);

/// The largest bit length of QP (ciphertext primes times special primes) at `degree` for 128, 192 or 256 bits of
/// classical security; 0 where the table allows none. Throws ParameterError for any other level.
unsigned max_modulus_bits(std::size_t degree, unsigned security, SecurityTable table);

/// The highest of 128, 192, 256 that `modulus_bits` reaches at `degree`, or 0.
unsigned security_reached(std::size_t degree, unsigned modulus_bits, SecurityTable table);

}  // namespace cyclotome::rlwe
