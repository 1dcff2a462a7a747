// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/engine/cuda/phi_m/matrix_tables.hpp"
#include "cyclotome/engine/cuda/transform/quad.hpp"

// The transform over Phi_m for m = 17 257 d, d | 15, in words of 32 bits, as products with small matrices on bytes:
//
//   first    along the exponent of 17, 16 x 16
//   second   along those of 3 and 5 (8 x 8), then z^256 - 1 -> z^16 - theta^k along `high` of 257's, 16 high + low
//   third    modulo z^16 - theta^k, along `low`: the kernel's block k
//   fourth   back along k
//
// A limb lies in the shared memory of one or several blocks of threads. Each layer works on tasks of a warp, in place,
// but for the first, which sends results to the block that goes on with them. Nothing here knows a GPU: a `Warp` has
// the lanes and the product of a fragment, and tests run the layers on the host.
namespace cyclotome::cuda {

/// Small = phi(d); over 2^LogC blocks of threads, each thread with 32 values. A warp works on AtOnce tasks at a time, a
/// multiprocessor on Resident threads.
///
/// Of the exponent e of 17 and the number s of those of 3 and 5, groups of 8 pairs are put together that have all s:
/// pair f of group g is s = f mod Small, e = g (8 / Small) + f / Small. A block has the same groups of all high and
/// low.
template <unsigned Small, unsigned LogC, unsigned AtOnce = 2, unsigned Resident = 512>
struct MatrixPlan {
  static constexpr unsigned small = Small, blocks = 1u << LogC, degree = 4096 * Small, rows = 16 * Small,
                            local = degree / blocks, warps = 4 * Small / blocks, threads = 32 * warps, each = 8 / Small,
                            groups = 2 * Small / blocks, highs = 16 / blocks;
  static_assert((Small & (Small - 1)) == 0 && Small <= 8 && warps >= 1 && groups >= 1 && highs >= 2 && warps <= 16);
  static constexpr unsigned tasks = 2;  ///< of each warp in each layer but the third
  static constexpr unsigned at_once = AtOnce, resident_blocks = threads >= Resident ? 1 : Resident / threads;

  /// Where a coefficient lies in the limb (ring/tables/cyclotomic_index.cpp).
  CYCLOTOME_HD static constexpr unsigned place(unsigned e, unsigned s, unsigned high, unsigned low) {
    return low + 16 * e + 256 * s + 16 * rows * high;
  }
  /// Where four neighbours of `low` lie in a block's memory, by quads. The three lowest bits are mixed so that eight
  /// lanes find different banks in every layer.
  CYCLOTOME_HD static constexpr unsigned quad(unsigned g, unsigned f, unsigned high, unsigned q) {
    const unsigned mixed =
        ((f ^ f >> 2 ^ (Small == 8 ? g : 0)) & 1) | ((f >> 1 ^ high >> 1) & 1) << 1 | ((f ^ f >> 2) & 1) << 2;
    return (((g * 8 + f) * 16 + high) * 4 + q) ^ mixed;
  }
};

/// The layers of one limb for the warps of one block. Space: quads(i) is quad i of the block's memory, send(block, i,
/// quad) puts one into a block's. All are for whole warps.
template <class Plan, class Warp, class Space>
class MatrixTransform {
  template <unsigned N>
  using Registers = typename Warp::template Registers<N>;
  template <unsigned N>
  using Quads = typename Warp::template Quads<N>;
  static constexpr unsigned bytes = 4;

 public:
  CYCLOTOME_HD MatrixTransform(const MatrixTables& tables, Space& space, unsigned rank, unsigned warp)
      : t_(tables), sums_(tables.sums), space_(space), rank_(rank), warp_(warp) {}

  /// Coefficients [0, 2^32) of the limb -> this block's part of them, to be multiplied. fetch(i): those from i on.
  template <class Fetch>
  CYCLOTOME_HD void load(Quads<4> (&x)[Plan::tasks], const Fetch& fetch) const {
    CYCLOTOME_UNROLL()
    for (unsigned i = 0; i < Plan::tasks; ++i) {
      Warp::each([&](unsigned lane) {
        const unsigned from = first_place(warp_ * Plan::tasks + i, lane);
        CYCLOTOME_UNROLL()
        for (unsigned r = 0; r < 4; ++r) x[i](lane)[r] = fetch(from + 64 * r);
      });
    }
  }

  /// Along 17, and to the blocks that go on.
  CYCLOTOME_HD void first(const Quads<4> (&x)[Plan::tasks]) const {
    Registers<4 * bytes> m;  // rows 8 further are columns 8 less
    Warp::each([&](unsigned lane) {
      CYCLOTOME_UNROLL()
      for (unsigned c = 0; c < bytes; ++c) {
        CYCLOTOME_UNROLL()
        for (unsigned r = 0; r < 4; ++r) {
          m(lane)[4 * c + r] = Warp::constant(t_.along_17[c] + ((row(lane) - column(lane) - 4 * r) & 15));
        }
      }
    });
    const auto entry = [&](unsigned lane, unsigned c, unsigned r, unsigned a) {
      return m(lane)[4 * c + ((r + 2 * a) & 3)];
    };
    CYCLOTOME_UNROLL()
    for (unsigned i = 0; i < Plan::tasks; ++i) {
      const unsigned number = warp_ * Plan::tasks + i, s = number % Plan::small;
      Quads<4> y;
      multiply_quads(y, x[i], entry);
      Warp::each([&](unsigned lane) {
        CYCLOTOME_UNROLL()
        for (unsigned k = 0; k < 4; ++k) {
          const unsigned n = 2 * column(lane) + (k & 1), e = row(lane) + 8 * (k >> 1), group = e / Plan::each;
          const unsigned high = rank_ * Plan::highs + number / Plan::small * 2 + (n >> 2);
          space_.send(group / Plan::groups,
                      Plan::quad(group % Plan::groups, s + Plan::small * (e % Plan::each), high, n & 3), y(lane)[k]);
        }
      });
    }
  }

  /// Along 3 and 5, and the split of 257's.
  CYCLOTOME_HD void second() const {
    Registers<2 * bytes> along;
    Registers<6 * bytes> m;  // theta^(k high); row k + 8 differs for odd `high` only
    Warp::each([&](unsigned lane) {
      const unsigned g = row(lane), t = column(lane);
      CYCLOTOME_UNROLL()
      for (unsigned c = 0; c < bytes; ++c) {
        CYCLOTOME_UNROLL()
        for (unsigned w = 0; w < 2; ++w) {
          if (Plan::small > 1) along(lane)[2 * c + w] = Warp::constant(&t_.along_small[c][g][t + 4 * w]);
          const unsigned power = g * (8 * w + 2 * t);
          m(lane)[6 * c + 3 * w] = Warp::constant(t_.roots[c] + (power & 15));
          m(lane)[6 * c + 3 * w + 1] = Warp::constant(t_.roots[c] + ((power + g) & 15));
          m(lane)[6 * c + 3 * w + 2] = Warp::constant(t_.roots[c] + ((power + g + 8) & 15));
        }
      }
    });
    const auto entry = [&](unsigned lane, unsigned c, unsigned r, unsigned a) {
      return m(lane)[6 * c + 3 * (r >> 1) + (r & 1) * (1 + a)];
    };
    CYCLOTOME_UNROLL(Plan::at_once)
    for (unsigned i = 0; i < Plan::tasks; ++i) {
      const unsigned number = warp_ * Plan::tasks + i, group = number / 4, q = number % 4;
      Quads<4> x, y;
      Warp::each([&](unsigned lane) {
        CYCLOTOME_UNROLL()
        for (unsigned k = 0; k < 4; ++k) {
          // [high half][pair of f]; where nothing is multiplied, as the split takes it.
          x(lane)[k] = space_.quads(Plan::small > 1
                                        ? Plan::quad(group, column(lane) + 4 * (k & 1), row(lane) + 8 * (k >> 1), q)
                                        : Plan::quad(group, row(lane), 8 * (k >> 1) + 2 * column(lane) + (k & 1), q));
        }
      });
      if constexpr (Plan::small > 1) multiply_small(x, along);
      multiply_quads(y, x, entry);
      Warp::together();
      Warp::each([&](unsigned lane) {
        CYCLOTOME_UNROLL()
        for (unsigned k = 0; k < 4; ++k) {
          space_.quads(Plan::quad(group, 2 * column(lane) + (k & 1), row(lane) + 8 * (k >> 1), q)) = y(lane)[k];
        }
      });
    }
  }

  /// Modulo z^16 - theta^k.
  CYCLOTOME_HD void third() const {
    CYCLOTOME_UNROLL(1)
    for (unsigned k = warp_; k < 16; k += Plan::warps) {
      Registers<8 * bytes> m;
      Warp::each([&](unsigned lane) {
        CYCLOTOME_UNROLL()
        for (unsigned c = 0; c < bytes; ++c) {
          CYCLOTOME_UNROLL()
          for (unsigned r = 0; r < 4; ++r) {
            CYCLOTOME_UNROLL()
            for (unsigned a = 0; a < 2; ++a) {
              m(lane)[8 * c + 2 * r + a] =
                  Warp::constant(t_.blocks[k][c] + (15 + row(lane) + 8 * a - 4 * column(lane) - r));
            }
          }
        }
      });
      const auto entry = [&](unsigned lane, unsigned c, unsigned r, unsigned a) { return m(lane)[8 * c + 2 * r + a]; };
      CYCLOTOME_UNROLL(2)
      for (unsigned group = 0; group < Plan::groups; ++group) {
        Registers<4> x, y;
        Warp::each([&](unsigned lane) {
          const Quad quad = space_.quads(Plan::quad(group, row(lane), k, column(lane)));
          CYCLOTOME_UNROLL()
          for (unsigned r = 0; r < 4; ++r) x(lane)[r] = quad.word[r];
        });
        multiply_words(y, x, entry);
        Warp::together();
        Warp::each([&](unsigned lane) {
          CYCLOTOME_UNROLL()
          for (unsigned n = 0; n < 4; ++n) {
            const unsigned low = row(lane) + 8 * (n >> 1);
            space_.quads(Plan::quad(group, 2 * column(lane) + (n & 1), k, low / 4)).word[low % 4] = y(lane)[n];
          }
        });
      }
    }
  }

  /// Back along k, and to the limb: keep(i, values in [0, p) from i on).
  template <class Keep>
  CYCLOTOME_HD void fourth(const Keep& keep) const {
    Registers<8 * bytes> m;  // theta^(-k high)
    Warp::each([&](unsigned lane) {
      CYCLOTOME_UNROLL()
      for (unsigned c = 0; c < bytes; ++c) {
        CYCLOTOME_UNROLL()
        for (unsigned r = 0; r < 4; ++r) {
          CYCLOTOME_UNROLL()
          for (unsigned a = 0; a < 2; ++a) {
            m(lane)[8 * c + 2 * r + a] =
                Warp::constant(t_.roots[c] + ((0 - (row(lane) + 8 * a) * (column(lane) + 4 * r)) & 15));
          }
        }
      }
    });
    const auto entry = [&](unsigned lane, unsigned c, unsigned r, unsigned a) { return m(lane)[8 * c + 2 * r + a]; };
    CYCLOTOME_UNROLL(Plan::at_once)
    for (unsigned i = 0; i < Plan::tasks; ++i) {
      const unsigned number = warp_ * Plan::tasks + i, group = number / 4, pair = number % 4 * 2;
      Quads<4> x, y;
      Warp::each([&](unsigned lane) {
        const unsigned g = row(lane), t = column(lane);
        CYCLOTOME_UNROLL()
        for (unsigned r = 0; r < 4; ++r)
          x(lane)[r] = space_.quads(Plan::quad(group, pair + (g & 1), t + 4 * r, g >> 1));
      });
      multiply_quads(y, x, entry);
      Warp::each([&](unsigned lane) {
        CYCLOTOME_UNROLL()
        for (unsigned k = 0; k < 4; ++k) {
          Quad result = y(lane)[k];
          CYCLOTOME_UNROLL()
          for (unsigned v = 0; v < 4; ++v) result.word[v] = sums_.canonical(result.word[v]);
          const unsigned f = pair + (k & 1);
          const unsigned e = (rank_ * Plan::groups + group) * Plan::each + f / Plan::small;
          keep(Plan::place(e, f % Plan::small, row(lane) + 8 * (k >> 1), 4 * column(lane)), result);
        }
      });
    }
  }

 private:
  // Fragments: a product has 16 rows and 8 columns. A lane has rows `row` and row + 8 of the matrix, words `column` + 4
  // r (or whichever the layer says) of vector number `row`, and results in those rows for vectors 2 column, 2 column
  // + 1.
  CYCLOTOME_HD static constexpr unsigned row(unsigned lane) { return lane / 4; }
  CYCLOTOME_HD static constexpr unsigned column(unsigned lane) { return lane % 4; }

  /// Of the lane's first words of a task of the first layer.
  CYCLOTOME_HD unsigned first_place(unsigned number, unsigned lane) const {
    const unsigned high = rank_ * Plan::highs + number / Plan::small * 2 + (row(lane) >> 2);
    return Plan::place(column(lane), number % Plan::small, high, 4 * (row(lane) & 3));
  }

  /// y = matrix x for 8 vectors of 16 words. entry(lane, c, r, a): byte c's part for word r, row + 8 a.
  template <class Entry>
  CYCLOTOME_HD void multiply_words(Registers<4>& y, const Registers<4>& x, const Entry& entry) const {
    Registers<4> s[bytes];
    CYCLOTOME_UNROLL()
    for (unsigned c = 0; c < bytes; ++c) {
      Warp::clear(s[c]);
      CYCLOTOME_UNROLL()
      for (unsigned h = 0; h < 2; ++h) {
        Warp::multiply(
            s[c], [&](unsigned lane, unsigned i) { return entry(lane, c, 2 * h + (i >> 1), i & 1); },
            [&](unsigned lane, unsigned i) { return x(lane)[2 * h + i]; });
      }
    }
    Warp::each([&](unsigned lane) {
      CYCLOTOME_UNROLL()
      for (unsigned n = 0; n < 4; ++n) {
        y(lane)[n] = sums_.combined(s[0](lane)[n], s[1](lane)[n], s[2](lane)[n], s[3](lane)[n]);
      }
    });
  }

  /// The same for each word of the quads.
  template <class Entry>
  CYCLOTOME_HD void multiply_quads(Quads<4>& y, const Quads<4>& x, const Entry& entry) const {
    CYCLOTOME_UNROLL()
    for (unsigned v = 0; v < 4; ++v) {
      Registers<4> from, to;
      Warp::each([&](unsigned lane) {
        CYCLOTOME_UNROLL()
        for (unsigned r = 0; r < 4; ++r) from(lane)[r] = x(lane)[r].word[v];
      });
      multiply_words(to, from, entry);
      Warp::each([&](unsigned lane) {
        CYCLOTOME_UNROLL()
        for (unsigned n = 0; n < 4; ++n) y(lane)[n].word[v] = to(lane)[n];
      });
    }
  }

  /// Vectors of 8 words, those of 8 `high` at once: rows of a product are 8 results of two bytes. What comes out has
  /// result number `row` of high 8 h + 2 column + d at [2 h + d], as the split takes it.
  CYCLOTOME_HD void multiply_small(Quads<4>& x, const Registers<2 * bytes>& along) const {
    CYCLOTOME_UNROLL()
    for (unsigned v = 0; v < 4; ++v) {
      CYCLOTOME_UNROLL()
      for (unsigned h = 0; h < 2; ++h) {
        Registers<4> s[2];
        CYCLOTOME_UNROLL()
        for (unsigned two = 0; two < 2; ++two) {
          Warp::clear(s[two]);
          Warp::multiply(
              s[two], [&](unsigned lane, unsigned i) { return along(lane)[2 * (2 * two + (i & 1)) + (i >> 1)]; },
              [&](unsigned lane, unsigned i) { return x(lane)[2 * h + i].word[v]; });
        }
        Warp::each([&](unsigned lane) {
          CYCLOTOME_UNROLL()
          for (unsigned d = 0; d < 2; ++d) {
            x(lane)[2 * h + d].word[v] =
                sums_.combined(s[0](lane)[d], s[0](lane)[2 + d], s[1](lane)[d], s[1](lane)[2 + d]);
          }
        });
      }
    }
  }

  const MatrixTables& t_;
  ByteSums sums_;
  Space& space_;
  unsigned rank_, warp_;
};

}  // namespace cyclotome::cuda
