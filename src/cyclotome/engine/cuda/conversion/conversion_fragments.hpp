// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <vector>

#include "cyclotome/engine/cuda/conversion/byte_matrix.hpp"
#include "cyclotome/engine/cuda/transform/quad.hpp"
#include "cyclotome/ring/conversion/base_conversion.hpp"

// The constants of conversion_bytes.hpp.
namespace cyclotome::cuda {

struct ConversionFragments {
  std::uint32_t steps = 0;      ///< products along the words; 0: there are none for this conversion
  std::vector<Quad> fragments;  ///< [target / 8][step][bytes 0 and 1, bytes 2 and 3][lane]
  std::vector<ByteSums> sums;   ///< per target
};

/// Sums of so many words' bytes can be put together: with S_c <= 4 44 255^2 and bytes 3 of residues below 2^6, low <
/// 2.95e9 and high < 2^30, so that `combined` leaves low + 1.2 p < 2^32.
inline constexpr std::size_t most_byte_words = 44;

/// For centred lifts from several primes, all primes above 2^16 and below 2^30.
inline ConversionFragments conversion_fragments(const BaseConversion& conversion) {
  constexpr std::uint32_t least = std::uint32_t{1} << 16, most = std::uint32_t{1} << 30;
  const std::size_t sources = conversion.source().size(), words = sources + 1;
  const auto suits = [](const Modulus<std::uint32_t>& p) { return p.value() > least && p.value() < most; };
  const auto from = conversion.source().moduli<std::uint32_t>(), to = conversion.target().moduli<std::uint32_t>();
  if (sources < 2 || words > most_byte_words || conversion.lift() != Lift::centred ||
      !std::ranges::all_of(from, suits) || !std::ranges::all_of(to, suits) ||
      std::ranges::any_of(conversion.copies(), [](int i) { return i >= 0; })) {
    return {};
  }
  const auto& tables = conversion.tables<std::uint32_t>();
  ConversionFragments made;
  made.steps = static_cast<std::uint32_t>((words + 7) / 8);
  for (const auto& p : to) made.sums.push_back(byte_sums(p.value()));
  for (std::size_t first = 0; first < to.size(); first += 8) {
    for (std::size_t step = 0; step < made.steps; ++step) {
      for (unsigned half = 0; half < 2; ++half) {
        for (unsigned lane = 0; lane < 32; ++lane) {
          const std::size_t j = first + lane / 4;
          Quad quad{};
          for (unsigned r = 0; r < 4 && j < to.size(); ++r) {  // row r % 2, words r / 2
            const std::size_t i = 8 * step + 4 * (r / 2) + lane % 4;
            if (i > sources) continue;
            const std::uint32_t m = i == sources ? tables.negative_wraps[j] : tables.matrix[j * sources + i];
            quad.word[r] = packed_entry(m, to[j])[2 * half + r % 2];
          }
          made.fragments.push_back(quad);
        }
      }
    }
  }
  return made;
}

}  // namespace cyclotome::cuda
