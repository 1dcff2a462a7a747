// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/engine/cpu/convolution_kernels.hpp"
#include "cyclotome/engine/cpu/instruction_set.hpp"
#include "cyclotome/engine/cpu/sample.hpp"
#include "cyclotome/engine/cpu/tile.hpp"
#include "cyclotome/engine/cpu/transform.hpp"
#include "cyclotome/ring/conversion/base_conversion.hpp"
#include "cyclotome/ring/tables/transform_tables.hpp"

namespace cyclotome::cpu {

/// The least degree of transforms that lift what they take.
inline constexpr std::size_t smallest_moved = 1024;
/// The runs of values that `permute` moves as wholes: as long as the longest register.
inline constexpr std::size_t permuted_run = 16;
/// Targets of a conversion that are summed for together.
inline constexpr std::size_t targets_at_once = 4;

/// The inner loops that vector instructions speed up, one table for each instruction set and word. Residues are in [0,
/// q) on entry and exit; `out` may be an operand unless it says otherwise. Every table gives the same bits.
template <LimbWord W>
struct Kernels {
  /// a[0 ... n-1] -> its negacyclic transform, in place (paper 001, Algorithm 1), and back, scaled by 1/n (Algorithm 2,
  /// errata 001-2 and 001-3), times what the ending says.
  void (*forward_transform)(W* a, const TransformTables<W>& tables) noexcept;
  void (*inverse_transform)(W* a, const TransformTables<W>& tables, const InverseEnding<W>& ending) noexcept;
  /// out = the transform of the centred lift of a modulo `from` (move_centred, from < 2q), or with from = q of a
  /// itself, moved in the first pass. Null where there is none; degrees from `smallest_moved` on.
  void (*forward_moved)(W* out, const W* a, W from, const TransformTables<W>& tables) noexcept;
  /// What transforms over Phi_m modulo q are made of.
  const ConvolutionKernels<W>& (*convolutions)(W q) noexcept;

  /// out = a + b, a - b, -a, a b, coefficient by coefficient; q need not be prime.
  void (*add)(W* out, const W* a, const W* b, std::size_t count, const Modulus<W>& q) noexcept;
  void (*subtract)(W* out, const W* a, const W* b, std::size_t count, const Modulus<W>& q) noexcept;
  void (*negate)(W* out, const W* a, std::size_t count, const Modulus<W>& q) noexcept;
  void (*multiply)(W* out, const W* a, const W* b, std::size_t count, const Modulus<W>& q) noexcept;
  /// accumulator += a b.
  void (*multiply_accumulate)(W* accumulator, const W* a, const W* b, std::size_t count, const Modulus<W>& q) noexcept;
  /// out = factor a, and out = factor a + b.
  void (*scale)(W* out, const W* a, const ShoupFactor<W>& factor, std::size_t count, W q) noexcept;
  void (*scale_add)(W* out, const W* a, const ShoupFactor<W>& factor, const W* b, std::size_t count, W q) noexcept;
  /// out = the representative of a modulo `from` in [-from/2, from/2), modulo q: a centred lift of one limb. from < 4
  /// q.
  void (*move_centred)(W* out, const W* a, std::size_t count, W from, W q) noexcept;
  /// out[c] = a[sources[c]], where sources are as `moves_runs` says; count is a multiple of
  /// `permuted_run`, and out is not a.
  void (*permute)(W* out, const W* a, const std::uint32_t* sources, std::size_t count) noexcept;

  /// out = sum of a[i] b[i] over `terms` >= 1 pairs of polynomials; out is none of them.
  void (*inner_product)(W* out, const W* const* a, const W* const* b, std::size_t terms, std::size_t count,
                        const Modulus<W>& q) noexcept;
  /// out[c] = sum over limbs i of x[i][c] factors[i], plus extra[c] extra_factor if there is an extra. Every x is below
  /// 2^x_bits, every factor below q, every extra at most the number of limbs. out is not in x.
  void (*weighted_sum)(W* out, std::size_t count, Tile<const W> x, std::span<const W> factors, unsigned x_bits,
                       const Modulus<W>& q, const W* extra, W extra_factor) noexcept;
  /// Limb j of `out` = weighted_sum with row j of `matrix` (an entry for each of the `limbs` of x) modulo targets[j],
  /// and extra_factors[j], for `targets_at_once` targets. Null where that is no faster than one after the other.
  void (*weighted_sums)(Tile<W> out, std::size_t count, Tile<const W> x, std::size_t limbs, const W* matrix,
                        unsigned x_bits, const Modulus<W>* targets, const W* extra, const W* extra_factors) noexcept;
  /// wraps[c] = floor(sum over limbs i of y[i][c] / q_i + 1/2) in the fixed point of BaseConversion's centred lift;
  /// y[i] in [0, q_i), count <= conversion_tile. peak: null, or for several limbs what is raised to the largest
  /// peak_of_sum. Constant time.
  void (*count_wraps)(W* wraps, std::size_t count, Tile<const W> y, const BaseConversion& conversion,
                      std::uint64_t* peak) noexcept;
  /// The largest min(a, q - a). Constant time.
  W (*largest_centred)(const W* a, std::size_t count, W q) noexcept;

  /// Coefficients [first, first + count) of a uniform polynomial modulo q; multiples of 4 (or the whole of a shorter
  /// one).
  void (*sample_uniform)(W* out, std::size_t first, std::size_t count, W q, const StreamAddress& address) noexcept;
  /// Coefficients [first, first + count) of a ternary or error polynomial as small integers; multiples of 8 (or the
  /// whole of a shorter one). Constant time.
  void (*sample_small)(int* out, std::size_t first, std::size_t count, Law law, const StreamAddress& address) noexcept;
  /// Small integers, |x| < q, as residues. Constant time.
  void (*reduce_small)(W* out, const int* small, std::size_t count, W q) noexcept;
  /// Values as residues modulo t; not 0 if one lies outside [-t/2, t/2]. Constant time.
  std::uint64_t (*to_residues)(W* out, const std::int64_t* values, std::size_t count, std::uint64_t t) noexcept;
  /// Residues as their representatives in [-t/2, t/2). Constant time.
  void (*to_values)(std::int64_t* out, const W* residues, std::size_t count, std::uint64_t t) noexcept;
};

/// The table for `set`, which must be one of `instruction_sets()`.
template <LimbWord W>
const Kernels<W>& kernels(InstructionSet set) noexcept;

/// Whether a permutation takes aligned runs of `permuted_run` values, and those of half and a quarter as many, which
/// are shorter registers' own, to such runs, as automorphisms of transforms in x^n + 1 do: slots are in bit-reversed
/// order, so that the first bits of a slot's index depend on those of its source alone.
inline bool moves_runs(std::span<const std::uint32_t> sources) noexcept {
  if (sources.size() % permuted_run != 0) return false;
  for (const std::size_t run : {permuted_run, permuted_run / 2, permuted_run / 4}) {
    for (std::size_t c = 0; c < sources.size(); ++c) {
      if (sources[c] / run != sources[c - c % run] / run) return false;
    }
  }
  return true;
}

/// peak = max(peak, peak_of_sum of every sum). Constant time.
inline void raise_peak(std::uint64_t& peak, const std::uint64_t* sums, std::size_t count) noexcept {
  std::uint64_t largest = peak;
  for (std::size_t c = 0; c < count; ++c) {
    const std::uint64_t here = peak_of_sum(sums[c]);
    largest = here > largest ? here : largest;
  }
  peak = largest;
}

/// How many products of an x below 2^x_bits and a factor below q fit the double word; at most 1024.
template <LimbWord W>
std::size_t lazy_terms(unsigned x_bits, const Modulus<W>& q) noexcept {
  const unsigned spare = 2 * word_bits<W> - x_bits - q.bits();
  return std::size_t{1} << (spare < 10 ? spare : 10);
}

// The tables themselves. A processor has the scalar ones and those of its own kind: NEON's are of 64-bit ARM, the rest
// of x86-64.
template <LimbWord W>
const Kernels<W>& scalar_kernels() noexcept;
template <LimbWord W>
const Kernels<W>& neon_kernels() noexcept;
template <LimbWord W>
const Kernels<W>& avx2_kernels() noexcept;
template <LimbWord W>
const Kernels<W>& avx512_kernels() noexcept;
template <LimbWord W>
const Kernels<W>& avx512_ifma_kernels() noexcept;

}  // namespace cyclotome::cpu
