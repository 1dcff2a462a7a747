// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/math/bits.hpp"
#include "cyclotome/study/transform/stages.hpp"

// Stockham's self-sorting transform in radix 8, 4 and 2, for residues and Gaussian residues. A transform of N =
// 2^stages values is one group or two: a group does all passes that transforms of R = 2^count values take, for C
// columns at a time, in scratch memory. Two groups are the four steps: columns, twiddles, rows, and a transposition in
// how the second reads and the first writes (paper 000, Section 6.3: one kernel up to n = 4096, else two or three).
namespace cyclotome::study {

/// A transform of one polynomial: N values at `from`, their transforms at `to`.
struct StockhamGroup {
  unsigned stages;   ///< log2 of N
  unsigned first;    ///< log2 of the product of the groups before
  unsigned count;    ///< log2 of R
  unsigned columns;  ///< log2 of C, at most stages - count
  unsigned sorted;   ///< 0 or 1; else transforms lie in bit-reversed order, as the library has them

  CYCLOTOME_HD constexpr bool last() const noexcept { return first + count == stages; }
};

/// log2 of C: neighbours enough for whole sectors of memory, and few enough for many blocks.
constexpr unsigned columns_of(unsigned stages, unsigned count) noexcept {
  unsigned columns = 3;
  if (columns > group_stages - count) columns = group_stages - count;
  return columns < stages - count ? columns : stages - count;
}

/// v = its discrete Fourier transform of 2^LogRadix values, both in natural order. powers: those of a root of order
/// 2^stages.
template <unsigned LogRadix, class Field>
CYCLOTOME_HD inline void fourier(const Field& field, typename Field::Value* v, const typename Field::Value* powers,
                                 unsigned stages) {
  using Value = typename Field::Value;
  constexpr std::uint32_t radix = 1U << LogRadix;
  Value x[radix];
  CYCLOTOME_UNROLL
  for (std::uint32_t t = 0; t < radix; ++t) x[t] = v[reverse_bits(t, LogRadix)];
  CYCLOTOME_UNROLL
  for (unsigned k = 0; k < LogRadix; ++k) {
    CYCLOTOME_UNROLL
    for (std::uint32_t pair = 0; pair < radix / 2; ++pair) {
      const std::uint32_t low = lower_index(pair, k), exponent = pair & ((1U << k) - 1);
      const Value b = x[low + (1U << k)];
      const Value turned = exponent == 0 ? b : field.product(b, powers[exponent << (stages - k - 1)]);
      x[low + (1U << k)] = field.difference(x[low], turned);
      x[low] = field.sum(x[low], turned);
    }
  }
  CYCLOTOME_UNROLL
  for (std::uint32_t t = 0; t < radix; ++t) v[t] = x[t];
}

#if defined(__CUDACC__)
#pragma nv_exec_check_disable  // a team is of the host or of a device
#endif
/// One pass of radix 2^LogRadix after `done` of a group's stages: C columns of R values from `from` to `to`, value r of
/// column c at r C + c.
template <unsigned LogRadix, class Team, class Field>
CYCLOTOME_HD inline void stockham_pass(const Team& team, const Field& field, Cells<typename Field::Word> to,
                                       Cells<typename Field::Word> from, const StockhamGroup& group,
                                       const typename Field::Value* powers, unsigned done) {
  constexpr std::uint32_t radix = 1U << LogRadix;
  team.each(1U << (group.columns + group.count - LogRadix), [&](std::uint32_t t) {
    const std::uint32_t column = t & ((1U << group.columns) - 1), q = t >> group.columns;
    const std::uint32_t inner = q & ((1U << done) - 1), outer = q >> done;
    typename Field::Value v[radix];
    CYCLOTOME_UNROLL
    for (std::uint32_t k = 0; k < radix; ++k) {
      v[k] = Field::load(from, ((q + (k << (group.count - LogRadix))) << group.columns) + column);
      if (k != 0 && done != 0) v[k] = field.product(v[k], powers[(k * inner) << (group.stages - done - LogRadix)]);
    }
    fourier<LogRadix>(field, v, powers, group.stages);
    CYCLOTOME_UNROLL
    for (std::uint32_t k = 0; k < radix; ++k) {
      const std::uint32_t at = (outer << (done + LogRadix)) + inner + (k << done);
      Field::store(to, (at << group.columns) + column, v[k]);
    }
  });
  team.meet();
}

#if defined(__CUDACC__)
#pragma nv_exec_check_disable  // a team is of the host or of a device
#endif
/// A group on columns first_column ... first_column + C - 1 of N/R. The scratches have room for C R values each. `to`
/// may be `from` if there is one group.
template <bool Inverse, class Team, class Field>
CYCLOTOME_HD inline void stockham_group(const Team& team, const Field& field, Cells<typename Field::Word> to,
                                        Cells<typename Field::Word> from, Cells<typename Field::Word> scratch,
                                        Cells<typename Field::Word> other, const StockhamGroup& group,
                                        std::uint32_t first_column) {
  const auto* const powers = Inverse ? field.constants.inverse_roots : field.constants.roots;
  const std::uint32_t size = 1U << (group.columns + group.count), column_mask = (1U << group.columns) - 1;
  const std::uint32_t before = (1U << group.first) - 1;  // a column's place among those of its transform before
  team.each(size, [&](std::uint32_t t) {
    const std::uint32_t column = first_column + (t & column_mask), r = t >> group.columns;
    const std::uint32_t at = column + (r << (group.stages - group.count));
    const bool reversed = Inverse && group.first == 0 && !group.sorted;
    auto value = Field::load(from, reversed ? static_cast<std::uint32_t>(reverse_bits(at, group.stages)) : at);
    if (!Inverse && group.first == 0) value = field.product(value, field.constants.weights[at]);
    if (group.first != 0) {
      value = field.product(value, powers[(r * (column & before)) << (group.stages - group.first - group.count)]);
    }
    Field::store(scratch, t, value);
  });
  team.meet();
  auto now = scratch, next = other;
  for (unsigned done = 0; done < group.count;) {
    const unsigned log_radix = pass_log_radix(group.count, done);
    if (log_radix == 3) {
      stockham_pass<3>(team, field, next, now, group, powers, done);
    } else if (log_radix == 2) {
      stockham_pass<2>(team, field, next, now, group, powers, done);
    } else {
      stockham_pass<1>(team, field, next, now, group, powers, done);
    }
    done += log_radix;
    const auto swapped = now;
    now = next;
    next = swapped;
  }
  team.each(size, [&](std::uint32_t t) {
    // Neighbours in memory to neighbouring threads: a column's values in the first group, columns in the second.
    const bool by_columns = group.first == 0;
    const std::uint32_t c = by_columns ? t >> group.count : t & column_mask;
    const std::uint32_t r = by_columns ? t & ((1U << group.count) - 1) : t >> group.columns;
    const std::uint32_t column = first_column + c;
    const std::uint32_t at =
        ((column >> group.first) << (group.first + group.count)) + (column & before) + (r << group.first);
    auto value = Field::load(now, (r << group.columns) + c);
    if (Inverse && group.last()) value = field.product(value, field.constants.inverse_weights[at]);
    const bool reversed = !Inverse && group.last() && !group.sorted;
    Field::store(to, reversed ? static_cast<std::uint32_t>(reverse_bits(at, group.stages)) : at, value);
  });
  team.meet();
}

}  // namespace cyclotome::study
