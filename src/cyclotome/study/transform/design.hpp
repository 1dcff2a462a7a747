// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cyclotome/math/word.hpp"

// The transforms under study: which there are, and how each shares its stages out among kernels. An engine of any kind
// runs the steps listed here, one after another.
namespace cyclotome {

/// Ways to transform a polynomial modulo x^n + 1 and a prime. As an engine's transform all give the library's bits in
/// the library's order.
enum class TransformDesign : std::uint8_t {
  single_kernel,          ///< 001 D1: one kernel, one block a polynomial, every stage over global memory
  multi_kernel,           ///< 001 D2: a kernel for every stage
  single_kernel_shared,   ///< 001 D3: one kernel, the polynomial in shared memory; only where it fits
  single_kernel_shuffle,  ///< 001 D4: one kernel, global memory, the six narrowest stages by warp shuffles
  hybrid,                 ///< 001 D5: a kernel for every wide stage, then one for the rest in shared memory
  galois,                 ///< 000's DGT: n/2 Gaussian residues, radix 2, as D5
  radix_4,                ///< two stages a kernel, four values in a thread's registers
  radix_8,                ///< three stages, eight values
  radix_16,               ///< four stages, sixteen values
  stockham,               ///< self-sorting, radix 8, 4 and 2; twisted before, no merged twist
  four_step,              ///< n = n1 n2: columns, twiddles, rows, with a transposition as they are written
  galois_stockham,        ///< 000's DGT by a multi-radix Stockham, as the paper has it (Section 6.3)
};

/// What is known of a design by itself.
struct DesignFacts {
  /// Which one.
  TransformDesign design;
  std::string_view name;    ///< as people write it: "d5", "dgt-stockham"
  std::string_view label;   ///< as papers and records have it: "D5"
  std::string_view source;  ///< where it is from
};

/// All designs, in the order of TransformDesign.
inline constexpr DesignFacts transform_designs[] = {
    {TransformDesign::single_kernel, "d1", "D1", "paper 001, Section 5.1"},
    {TransformDesign::multi_kernel, "d2", "D2", "paper 001, Section 5.1"},
    {TransformDesign::single_kernel_shared, "d3", "D3", "paper 001, Section 5.1"},
    {TransformDesign::single_kernel_shuffle, "d4", "D4", "paper 001, Section 5.1"},
    {TransformDesign::hybrid, "d5", "D5", "paper 001, Sections 4 and 5.1"},
    {TransformDesign::galois, "dgt", "DGT", "paper 000, Algorithm 1, in radix 2"},
    {TransformDesign::radix_4, "radix-4", "radix 4", "paper 001, Algorithms 1 and 2, two stages at a time"},
    {TransformDesign::radix_8, "radix-8", "radix 8", "paper 001, Algorithms 1 and 2, three stages at a time"},
    {TransformDesign::radix_16, "radix-16", "radix 16", "paper 001, Algorithms 1 and 2, four stages at a time"},
    {TransformDesign::stockham, "stockham", "Stockham", "Stockham's self-sorting transform"},
    {TransformDesign::four_step, "four-step", "four-step", "Bailey's four steps"},
    {TransformDesign::galois_stockham, "dgt-stockham", "DGT multi-radix", "paper 000, Algorithm 1 and Section 6.3"},
};

/// What is known of a design.
constexpr const DesignFacts& facts_of(TransformDesign design) noexcept {
  return transform_designs[static_cast<std::size_t>(design)];
}
/// Throws ArgumentError, with the names there are, for another name; labels are taken too.
TransformDesign design_of(std::string_view name);
/// "d1, d2, ...", for messages.
std::string design_names();

/// Whether it works on Gaussian residues: a discrete Galois transform.
constexpr bool is_gaussian(TransformDesign design) noexcept {
  return design == TransformDesign::galois || design == TransformDesign::galois_stockham;
}
/// Whether it is of Stockham's kind: out of place and from natural order to natural order, its twist a pass of its own.
constexpr bool is_self_sorting(TransformDesign design) noexcept {
  return design == TransformDesign::stockham || design == TransformDesign::four_step ||
         design == TransformDesign::galois_stockham;
}

namespace study {

/// Where a block keeps the values that it transforms.
enum class Storage : std::uint8_t { global, shared, shuffle };

/// A block has at most this many threads, one for each butterfly of a stage (paper 001: 2048 values a block).
inline constexpr unsigned max_block_threads = 1024;
/// Stages of gap 1, 2, ..., 32: a warp holds 64 neighbouring values in two registers a thread.
inline constexpr unsigned shuffle_stages = 6;
/// Threads of a warp.
inline constexpr unsigned warp = 32;
/// log2 of the values in a thread's registers, at most: radix 16.
inline constexpr unsigned max_log_radix = 4;
/// log2 of the values that a block of a Stockham transform takes: 2048, which are the n = 4096 up to which paper 000's
/// DGT is one kernel.
inline constexpr unsigned group_stages = 11;
/// log2 of the largest radix of a Stockham transform's butterflies.
inline constexpr unsigned max_stockham_log_radix = 3;

/// log2 of the radix of the pass that comes after `done` of `count` stages.
CYCLOTOME_HD constexpr unsigned pass_log_radix(unsigned count, unsigned done) noexcept {
  return count - done < max_stockham_log_radix ? count - done : max_stockham_log_radix;
}

/// What one kernel does. Stages are told by the gap 2^s between the values of a butterfly.
struct TransformStep {
  /// Of which kind a kernel is.
  enum class Kind : std::uint8_t {
    stages,  ///< stages first ... first + count - 1 over global memory, 2^count values in a thread
    block,   ///< stages 0 ... count - 1, a block for each 2^count values
    group,   ///< Stockham: transforms of 2^count values, after `first` stages have been done
  };
  /// What the kernel does.
  Kind kind;
  /// Which stages it does, as its kind counts them.
  unsigned first, count;
  /// Where it keeps its values.
  Storage storage;

  constexpr bool operator==(const TransformStep&) const noexcept = default;
};

/// The steps of a transform of 2^log_degree residues of word_bytes bytes, in their order.
/// Precondition: supports(design, log_degree, word_bytes).
std::vector<TransformStep> plan(TransformDesign design, unsigned log_degree, std::size_t word_bytes, bool inverse);
/// The same for people, one sentence each.
std::vector<std::string> describe(TransformDesign design, unsigned log_degree, std::size_t word_bytes, bool inverse);

/// log2 of the values that fit the shared memory which paper 001 gives a block: 32 KB forwards; half of it backwards,
/// where one more kernel was found to be cheaper (Table 3). value_bytes: 4 or 8, twice that for Gaussian residues.
constexpr unsigned shared_stages(std::size_t value_bytes, bool inverse) noexcept {
  unsigned stages = inverse ? 14 : 15;
  for (; value_bytes > 1; value_bytes /= 2) --stages;
  return stages;
}

/// Whether `design` can transform 2^log_degree residues of word_bytes bytes.
constexpr bool supports(TransformDesign design, unsigned log_degree, std::size_t word_bytes) noexcept {
  if (design == TransformDesign::single_kernel_shared) {
    return log_degree >= 1 && log_degree <= shared_stages(word_bytes, false);
  }
  if (design == TransformDesign::single_kernel_shuffle) return log_degree >= shuffle_stages;
  return log_degree >= (is_gaussian(design) || design == TransformDesign::four_step ? 2U : 1U);
}
/// Throws ArgumentError, with the limits, unless it can.
void require_supported(TransformDesign design, std::size_t degree, std::size_t word_bytes);

/// Butterfly i of the stage with gap 2^s combines the values lower_index(i, s) and lower_index(i, s) + 2^s.
CYCLOTOME_HD constexpr std::uint32_t lower_index(std::uint32_t i, unsigned s) noexcept {
  return ((i >> s) << (s + 1)) | (i & ((1U << s) - 1));
}

/// Its root's place in the tables of a transform of 2^stages values. `i` counts butterflies within a block of
/// 2^block_stages values, `block` the blocks.
CYCLOTOME_HD constexpr std::uint32_t root_index(std::uint32_t i, unsigned s, unsigned stages, unsigned block_stages,
                                                std::uint32_t block) noexcept {
  // Preconditions that the analyser does not see: s < block_stages <= stages.
  return (1U << (stages - s - 1)) + (block << (block_stages - s - 1)) + (i >> s);  // NOLINT(*-core.BitwiseShift)
}

}  // namespace study
}  // namespace cyclotome
