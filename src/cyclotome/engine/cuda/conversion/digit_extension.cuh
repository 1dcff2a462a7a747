// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <optional>

#include "cyclotome/engine/cuda/conversion/convert.cuh"
#include "cyclotome/engine/cuda/memory/device_constants.cuh"
#include "cyclotome/ring/tables/key_switch_constants.hpp"

namespace cyclotome::cuda {

/// A key switch's digit extended to all primes but its own, by a base conversion.
template <class W>
struct DigitExtension {
  Resident<ColumnConversion<W>> conversion;
  TargetGap gap;
};

/// Whether `part` has the constants of `all` for the targets that are not copied, which lie from `first` on.
template <class W>
bool is_rest_of(const BaseConversion& part, const BaseConversion& all, std::size_t first) {
  const auto &some = part.tables<W>(), &every = all.tables<W>();
  const std::size_t sources = all.source().size();
  for (std::size_t j = 0, k = 0; j < all.target().size(); ++j) {
    if (j >= first && j < first + sources) {
      if (all.copies()[j] != static_cast<int>(j - first)) return false;
      continue;
    }
    if (all.copies()[j] >= 0 || some.negative_wraps[k] != every.negative_wraps[j]) return false;
    for (std::size_t i = 0; i < sources; ++i) {
      if (some.matrix[k * sources + i] != every.matrix[j * sources + i]) return false;
    }
    ++k;
  }
  return std::ranges::equal(some.punctured_inverses, every.punctured_inverses,
                            [](const auto& a, const auto& b) { return a.operand == b.operand; });
}

/// Nothing where a digit is extended otherwise.
template <class W>
std::optional<DigitExtension<W>> digit_extension(DeviceConstants& constants, const KeySwitchConstants& step,
                                                 const KeySwitchConstants::Digit& digit) {
  const Basis& both = step.key_ring->basis();
  const std::size_t sources = digit.ring->limbs(), first = step.special_limbs() + digit.first;
  std::vector<std::uint64_t> others;
  for (std::size_t l = 0; l < both.size(); ++l) {
    if (l < first || l >= first + sources) others.push_back(both[l]);
  }
  if (digit.extension.lift() != Lift::centred) return std::nullopt;
  const BaseConversion rest(digit.extension.source(), Basis(step.key_ring->word(), others), Lift::centred);
  if (!is_rest_of<W>(rest, digit.extension, first)) return std::nullopt;
  return DigitExtension<W>{constants.conversion<W>(rest),
                           {static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(sources)}};
}

}  // namespace cyclotome::cuda
