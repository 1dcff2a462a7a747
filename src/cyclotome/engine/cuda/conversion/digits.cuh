// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/engine/cuda/conversion/conversion.cuh"
#include "cyclotome/engine/cuda/graph/launch.cuh"
#include "cyclotome/engine/cuda/memory/device_view.cuh"

// The digits of a key switch: runs of neighbouring limbs, which are extended to all moduli of the key.
namespace cyclotome::cuda {

/// Entries of an extension's matrix for neighbouring targets.
template <class W>
struct TargetTile {
  W word[tile_targets];
};

/// An extension's constants on the device. All words are reduced; matrix and negative_wraps are multiplied by R = 2^32
/// (2^64), so that sums come out divided by it.
template <class W>
struct DeviceConversion {
  const ShoupFactor<W>* punctured_inverses;  // [source]
  const std::uint64_t* reciprocals;          // [source]
  const Modulus<W>* source_moduli;           // [source]
  const TargetTile<W>* matrix;               // [target / tile_targets][source], 0 beyond the last target
  const W* negative_wraps;                   // [target]
  const int* copies;                         // [target]: the source limb, or -1
  std::uint32_t sources, targets, lazy_terms;

  /// Products that may be added to a reduced value and the term of the wraps.
  __device__ std::uint32_t step() const { return lazy_terms > 2 ? lazy_terms - 2 : 1; }
};

template <class W>
struct DeviceDigit {
  DeviceConversion<W> extension;
  std::uint32_t first_limb;  ///< of the operand
};

/// emit(i, y_i = [f_i x_i]_{q_i}) for the limbs of a digit, then emit(sources, how often their product is taken off);
/// x: load(i). As the CPU counts it, without a branch.
template <class W, unsigned Bytes, class Load, class Emit>
CYCLOTOME_INLINE void prepare_digit(const DeviceConversion<W>& t, const Load& load, const Emit& emit) {
  constexpr unsigned count = Columns<W, Bytes>::count, ahead = 4;
  std::uint64_t fractions[count];
#pragma unroll
  for (unsigned c = 0; c < count; ++c) fractions[c] = std::uint64_t{1} << (fraction_bits - 1);
  Columns<W, Bytes> value{};
  for (std::uint32_t start = 0; start < t.sources; start += ahead) {
    Columns<W, Bytes> x[ahead];
#pragma unroll
    for (unsigned k = 0; k < ahead; ++k) {
      if (start + k < t.sources) x[k] = load(start + k);
    }
#pragma unroll
    for (unsigned k = 0; k < ahead; ++k) {
      if (start + k >= t.sources) break;
      const Modulus<W> q = t.source_moduli[start + k];
      const ShoupFactor<W> factor = t.punctured_inverses[start + k];
      const std::uint64_t reciprocal = t.reciprocals[start + k];
#pragma unroll
      for (unsigned c = 0; c < count; ++c) {
        value.word[c] = factor.multiply(x[k].word[c], q.value());
        fractions[c] += fraction(value.word[c], reciprocal, q.bits());
      }
      emit(start + k, value);
    }
  }
  Columns<W, Bytes> wraps;
#pragma unroll
  for (unsigned c = 0; c < count; ++c) {
    wraps.word[c] = static_cast<W>(fractions[c] >> fraction_bits);
    if (t.sources == 1) wraps.word[c] = static_cast<W>(value.word[c] >= t.source_moduli[0].value() - value.word[c]);
  }
  emit(t.sources, wraps);
}

/// For each digit of c, what its extension to any modulus is a sum of: y_i = [f_i x_i]_{q_i} of its limbs, then how
/// often their product is taken off (the centred lift's wraps). Digit d has limbs first_limb + d, ..., first_limb + d +
/// sources of out. c: coefficients over q.
template <class W>
void prepare_digits(const Queue& queue, DeviceView<W> out, DeviceView<W> c, const DeviceDigit<W>* digits,
                    std::uint32_t digit_count, unsigned items);

}  // namespace cyclotome::cuda
