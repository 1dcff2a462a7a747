// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/engine/cuda/conversion/byte_matrix.hpp"
#include "cyclotome/engine/cuda/conversion/conversion.cuh"
#include "cyclotome/engine/cuda/transform/quad.hpp"

// Base conversions of 32-bit residues as products of bytes (byte_matrix.hpp): the y_i of a coefficient are a vector as
// they stand, how often q is taken off is one word more, and the matrix has a row for each byte of each target. A warp
// has 32 neighbouring coefficients, in registers. Nothing here knows a GPU: tests run it on the host, lane by lane.
namespace cyclotome::cuda {

/// Eight targets' rows in two products of 16: row r of the first is byte 0 of target r, row r + 8 byte 1, and bytes 2
/// and 3 in the second. So a lane has all bytes of one target for two coefficients.
inline constexpr unsigned byte_targets = 8, byte_words = 8;  ///< of a product: targets of two, words of each

/// The words of 32 coefficients that a warp has: y_i and then the wraps, at most 8 Steps of them.
template <class Warp, unsigned Steps>
class ByteColumns {
  using W = std::uint32_t;
  template <class T, unsigned N>
  using Array = typename Warp::template Array<T, N>;
  template <unsigned N>
  using Registers = typename Warp::template Registers<N>;

 public:
  static constexpr unsigned groups = 4, columns = 8 * groups;
  using Words = Registers<groups * 2 * Steps>;

  /// load(i, c): residue modulo source i of coefficient c.
  template <class Load>
  CYCLOTOME_HD static void fetch(Words& x, const ColumnConversion<W>& t, const Load& load) {
    Warp::each([&](unsigned lane) {
      CYCLOTOME_UNROLL()
      for (unsigned k = 0; k < 2 * Steps; ++k) {
        const unsigned i = source(lane, k);
        CYCLOTOME_UNROLL()
        for (unsigned g = 0; g < groups; ++g) x(lane)[at(g, k)] = i < t.sources ? load(i, column(lane, g)) : 0;
      }
    });
  }

  /// The x_i become y_i = [f x_i]_{q_i}, and the wraps are counted: from approximate fractions, and exactly where these
  /// leave one open.
  CYCLOTOME_HD static void scale(const ColumnConversion<W>& t, Words& x) {
    Array<std::int64_t, groups> fractions;
    Warp::each([&](unsigned lane) {
      CYCLOTOME_UNROLL()
      for (unsigned g = 0; g < groups; ++g) {
        fractions(lane)[g] = lane % 4 == 0 ? static_cast<std::int64_t>(t.fraction_start) << 32 : 0;
      }
      CYCLOTOME_UNROLL()
      for (unsigned k = 0; k < 2 * Steps; ++k) {
        const unsigned i = source(lane, k);
        if (i >= t.sources) continue;
        const SourceConstants<W> constants = t.source[i];
        CYCLOTOME_UNROLL()
        for (unsigned g = 0; g < groups; ++g) {
          W& word = x(lane)[at(g, k)];
          const Term<W> term = scaled(word, constants);
          word = canonical<W>(term, constants.modulus);
          fractions(lane)[g] = add_fraction<W>(fractions(lane)[g], term, constants.fraction);
          if (word != static_cast<W>(term)) fractions(lane)[g] += std::int64_t{1} << fraction_bits;
        }
      }
    });
    Warp::sum_fours(fractions);
    Registers<groups> wraps;
    Registers<1> open;
    Warp::each([&](unsigned lane) {
      open(lane)[0] = 0;
      CYCLOTOME_UNROLL()
      for (unsigned g = 0; g < groups; ++g) {
        const auto high = static_cast<std::uint32_t>(static_cast<std::uint64_t>(fractions(lane)[g]) >> 32);
        wraps(lane)[g] = high >> (fraction_bits - 32);
        open(lane)[0] |= (high & 0xffffff) >= t.fraction_limit ? 1 : 0;
      }
    });
    if (Warp::any(open)) count_exactly(t, x, wraps);
    Warp::each([&](unsigned lane) {
      CYCLOTOME_UNROLL()
      for (unsigned k = 0; k < 2 * Steps; ++k) {
        CYCLOTOME_UNROLL()
        for (unsigned g = 0; g < groups; ++g) {
          if (source(lane, k) == t.sources) x(lane)[at(g, k)] = wraps(lane)[g];
        }
      }
    });
  }

  /// emit(j, c, residues modulo target j of coefficients c and c + 1) for all targets.
  template <class Emit>
  CYCLOTOME_HD static void spread(const ColumnConversion<W>& t, const Words& y, const Emit& emit) {
    const Quad* fragments = t.fragments;
    CYCLOTOME_UNROLL(1)
    for (unsigned first = 0; first < t.targets; first += byte_targets, fragments += t.byte_steps * 64) {
      Registers<4> sums[groups][2];
      CYCLOTOME_UNROLL()
      for (unsigned g = 0; g < groups; ++g) {
        Warp::clear(sums[g][0]);
        Warp::clear(sums[g][1]);
      }
      CYCLOTOME_UNROLL()
      for (unsigned s = 0; s < Steps; ++s) {
        if (s >= t.byte_steps) break;
        typename Warp::template Quads<2> m;
        Warp::each([&](unsigned lane) {
          m(lane)[0] = Warp::constant(fragments + s * 64 + lane);
          m(lane)[1] = Warp::constant(fragments + s * 64 + 32 + lane);
        });
        CYCLOTOME_UNROLL()
        for (unsigned g = 0; g < groups; ++g) {
          CYCLOTOME_UNROLL()
          for (unsigned k = 0; k < 2; ++k) {
            Warp::multiply(
                sums[g][k], [&](unsigned lane, unsigned i) { return m(lane)[k].word[i]; },
                [&](unsigned lane, unsigned i) { return y(lane)[at(g, 2 * s + i)]; });
          }
        }
      }
      Warp::each([&](unsigned lane) {
        const unsigned j = first + lane / 4;
        if (j >= t.targets) return;
        const ByteSums p = t.byte_sums[j];
        CYCLOTOME_UNROLL()
        for (unsigned g = 0; g < groups; ++g) {
          Columns<W, 8> result;
          CYCLOTOME_UNROLL()
          for (unsigned e = 0; e < 2; ++e) {
            result.word[e] = p.canonical(
                p.combined(sums[g][0](lane)[e], sums[g][0](lane)[2 + e], sums[g][1](lane)[e], sums[g][1](lane)[2 + e]));
          }
          emit(j, 8 * g + 2 * (lane % 4), result);
        }
      });
    }
  }

 private:
  CYCLOTOME_HD static constexpr unsigned at(unsigned group, unsigned k) { return group * 2 * Steps + k; }
  CYCLOTOME_HD static constexpr unsigned source(unsigned lane, unsigned k) { return 4 * k + lane % 4; }
  CYCLOTOME_HD static constexpr unsigned column(unsigned lane, unsigned group) { return 8 * group + lane / 4; }

  /// As the CPU counts wraps.
  CYCLOTOME_HD static void count_exactly(const ColumnConversion<W>& t, const Words& y, Registers<groups>& wraps) {
    Array<std::int64_t, groups> fractions;
    Warp::each([&](unsigned lane) {
      CYCLOTOME_UNROLL()
      for (unsigned g = 0; g < groups; ++g) {
        fractions(lane)[g] = lane % 4 == 0 ? std::int64_t{1} << (fraction_bits - 1) : 0;
        CYCLOTOME_UNROLL()
        for (unsigned k = 0; k < 2 * Steps; ++k) {
          const unsigned i = source(lane, k);
          if (i >= t.sources) continue;
          const ExactFraction<W> exact = t.exact[i];
          fractions(lane)[g] += static_cast<std::int64_t>(fraction<W>(y(lane)[at(g, k)], exact.reciprocal, exact.bits));
        }
      }
    });
    Warp::sum_fours(fractions);
    Warp::each([&](unsigned lane) {
      CYCLOTOME_UNROLL()
      for (unsigned g = 0; g < groups; ++g) {
        wraps(lane)[g] = static_cast<W>(static_cast<std::uint64_t>(fractions(lane)[g]) >> fraction_bits);
      }
    });
  }
};

}  // namespace cyclotome::cuda
