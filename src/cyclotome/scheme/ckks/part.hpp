// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/rlwe/scheme.hpp"

namespace cyclotome::ckks {

/// Plaintexts are integers modulo this number, centred: it only has to be larger than whatever a phase holds when it is
/// decrypted. It has no root of unity, so that nobody takes it for a modulus of integers in slots.
inline constexpr std::uint64_t carrier = std::uint64_t{1} << 60;
/// No scale is smaller.
inline constexpr double least_scale = 0x1p20;
/// Magnitude times scale stays below this in everything that is encoded or decrypted.
inline constexpr double carrier_limit = 0x1p58;

/// What the parameters have beside the lattice: the scale of the lowest level, from which those of all others follow
/// (levels.hpp), and the largest magnitude of a number that is encrypted.
class Part final : public rlwe::SchemePart {
 public:
  /// Throws ParameterError for a scale outside [2^20, 2^58] and a bound outside (0, 2^38].
  Part(double scale, double bound);

  /// Of parameters. Throws MismatchError if they are another scheme's.
  static const Part& of(const rlwe::Parameters& parameters);

  double scale() const noexcept { return scale_; }  ///< of the lowest level
  double bound() const noexcept { return bound_; }  ///< on magnitudes that are encrypted
  std::vector<std::uint64_t> numbers() const override;
  const std::vector<std::uint64_t>& plain_moduli() const noexcept override { return plain_moduli_; }
  std::string describe() const override;
  std::string summary() const override;

 private:
  std::vector<std::uint64_t> plain_moduli_ = {carrier};
  double scale_, bound_;
};

/// For messages: "2^40.25".
std::string power_of_two(double x);

}  // namespace cyclotome::ckks
