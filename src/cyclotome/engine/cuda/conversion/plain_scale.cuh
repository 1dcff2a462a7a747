// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/engine/cuda/conversion/conversion.cuh"

// The rounding of a decryption: what may be a phase stays in registers, and nothing branches on it.
namespace cyclotome::cuda {

/// One coefficient of a conversion of a single source limb to a single target.
template <bool Divides, class W>
CYCLOTOME_INLINE W convert_one(const ColumnConversion<W>& t, const SourceConstants<W>& source,
                               const TargetConstants<W>& target, Term<W> entry, W x) {
  const Term<W> term = scaled(x, source);
  const Term<W> wraps = exact_wraps(t, [&](std::uint32_t) { return term; });
  const Sum<W> sum = multiply_add<W>(wraps, target.wraps, multiply_add<W>(term, entry, 0));
  return Divides || t.divides ? divided(sum, target) : reduced(sum, t.target_moduli[0]);
}

/// `t` to t and gamma, the second part of which goes on to t by `correction`; x: load(i). Divides: whether all sums are
/// divided by R for sure. peak: of the second part, the noise as it shows modulo gamma.
template <bool Divides, class W, unsigned Bytes, class Load, class P = NoPeak>
CYCLOTOME_INLINE Columns<W, Bytes> scaled_to_plain(const ColumnConversion<W>& t, const ColumnConversion<W>& correction,
                                                   const Load& load, P&& peak = P{}) {
  constexpr unsigned count = Columns<W, Bytes>::count, ahead = 8;
  const TargetConstants<W> plain = t.target[0], gamma = t.target[1], target = correction.target[0];
  const SourceConstants<W> source = correction.source[0];
  const Term<W> entry = correction.matrix[0].word[0];
  Sum<W> sums[2][count]{};
  std::uint32_t end = t.step;  // of the products that may be added up
  for (std::uint32_t start = 0; start < t.sources; start += ahead) {
    Columns<W, Bytes> x[ahead];
#pragma unroll
    for (unsigned k = 0; k < ahead; ++k) {
      if (start + k < t.sources) x[k] = load(start + k);
    }
#pragma unroll
    for (unsigned k = 0; k < ahead; ++k) {
      const std::uint32_t i = start + k;
      if (i >= t.sources) break;
      if (i == end) {
        end += t.step;
#pragma unroll
        for (unsigned c = 0; c < count; ++c) {
          sums[0][c] = folded(sums[0][c], plain);
          sums[1][c] = folded(sums[1][c], gamma);
        }
      }
      const SourceConstants<W> constants = t.source[i];
      const Term<W> entries[2] = {t.matrix[i].word[0], t.matrix[i].word[1]};
#pragma unroll
      for (unsigned c = 0; c < count; ++c) {
        const auto y = static_cast<Term<W>>(canonical<W>(scaled(x[k].word[c], constants), constants.modulus));
        sums[0][c] = multiply_add<W>(y, entries[0], sums[0][c]);
        sums[1][c] = multiply_add<W>(y, entries[1], sums[1][c]);
      }
    }
  }
  Columns<W, Bytes> result;
#pragma unroll
  for (unsigned c = 0; c < count; ++c) {
    const bool divides = Divides || t.divides;
    const W first = divides ? divided(sums[0][c], plain) : reduced(sums[0][c], t.target_moduli[0]);
    const W second = divides ? divided(sums[1][c], gamma) : reduced(sums[1][c], t.target_moduli[1]);
    peak.of_residue(second, gamma.modulus);
    const W sum = first + convert_one<Divides>(correction, source, target, entry, second), b = plain.modulus;
    result.word[c] = sum < b ? sum : sum - b;
  }
  return result;
}

}  // namespace cyclotome::cuda
