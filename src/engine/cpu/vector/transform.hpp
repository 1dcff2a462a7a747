// SPDX-License-Identifier: Apache-2.0
#pragma once

// Included after a target pragma and after every other header: see kernels_avx512.cpp.

#include "cyclotome/engine/cpu/transform.hpp"
#include "cyclotome/engine/cpu/vector/lanes.hpp"
#include "cyclotome/engine/cpu/vector/unrolled.hpp"
#include "cyclotome/ring/transform_tables.hpp"

namespace cyclotome::cpu {
namespace {

/// What both directions share. The stages form a tree: node 1 is the whole array, nodes 2k and 2k + 1 are the halves of
/// node k, and the butterflies of node k use root k of the tables. A pass does `log_radix` stages on registers; a block
/// that fits the first-level cache is finished before the next one is begun; the last stages, whose partners share a
/// register, exchange lanes.
template <class L>
struct Transform {
  using Word = typename L::Word;
  using Vector = typename L::Vector;
  using Factor = typename L::Factor;
  using Prime = typename L::Prime;

  static constexpr std::size_t lanes = L::lanes;
  /// Four registers: what a leaf transforms on its own.
  static constexpr std::size_t leaf = 4 * lanes;
  /// Shorter transforms than this are not worth vectors.
  static constexpr std::size_t smallest = 16 * lanes;
  /// Words of a block that stays in the first-level cache while passes go over it.
  static constexpr std::size_t block = (std::size_t{32} << 10) / sizeof(Word);

  struct Roots {
    const Word* operands;
    const Word* quotients;
    CYCLOTOME_INLINE Factor one(std::size_t k) const {
      return L::factor(L::broadcast(operands[k]), L::broadcast(quotients[k]));
    }
    /// Roots k, k + 1, ..., each for `gap` lanes.
    template <std::size_t gap>
    CYCLOTOME_INLINE Factor several(std::size_t k) const {
      if constexpr (gap == 1) {
        return L::factor(L::Registers::load(operands + k), L::Registers::load(quotients + k));
      } else {
        return L::factor(L::template load_repeated<gap>(operands + k), L::template load_repeated<gap>(quotients + k));
      }
    }
  };

  /// Roots of the `log_radix` levels of the tree below `node`, in heap order from index 1.
  template <unsigned log_radix>
  struct Subtree {
    Factor factors[std::size_t{1} << log_radix];
    CYCLOTOME_INLINE Subtree(const Roots& roots, std::size_t node) {
      unrolled<log_radix>([&](auto level) __attribute__((always_inline)) {
        unrolled<std::size_t{1} << level>([&](auto i) __attribute__((always_inline)) {
          factors[(std::size_t{1} << level) + i] = roots.one((node << level) + i);
        });
      });
    }
  };

  /// Stages left to a block of `size` are done three at a time, or two where three would leave one.
  static unsigned log_radix_of(std::size_t size) noexcept {
    const unsigned stages = bit_length(size / leaf) - 1;
    return stages == 2 || stages == 4 ? 2 : 3;
  }
};

/// Forward stages: values in [0, 2 bound q).
template <class L>
struct Forward : Transform<L> {
  using typename Transform<L>::Word;
  using typename Transform<L>::Vector;
  using typename Transform<L>::Factor;
  using typename Transform<L>::Prime;
  using typename Transform<L>::Roots;
  using Transform<L>::lanes;
  using Transform<L>::leaf;

  /// x, y in [0, 2 bound q) -> x + w y, x - w y in the same range.
  CYCLOTOME_INLINE static void butterfly(Vector& x, Vector& y, const Factor& w, const Prime& p) {
    const Vector product = L::multiply(y, w, p);
    x = L::conditional_subtract(x, p.limit);
    y = L::subtract(L::add(x, p.limit), product);
    x = L::add(x, product);
  }

  template <unsigned log_radix>
  CYCLOTOME_INLINE static void stages(Vector* v, const Factor* w, const Prime& p) {
    unrolled<log_radix>([&](auto level) __attribute__((always_inline)) {
      constexpr std::size_t half = (std::size_t{1} << log_radix) >> (level + 1);
      unrolled<(std::size_t{1} << log_radix) / 2>([&](auto i) __attribute__((always_inline)) {
        constexpr std::size_t group = i / half, at = 2 * group * half + i % half;
        butterfly(v[at], v[at + half], w[(std::size_t{1} << level) + group], p);
      });
    });
  }

  template <unsigned log_radix>
  static void pass(Word* a, std::size_t size, std::size_t node, const Roots& roots, const Prime& p) noexcept {
    constexpr std::size_t radix = std::size_t{1} << log_radix;
    const typename Transform<L>::template Subtree<log_radix> w(roots, node);
    const std::size_t step = size / radix;
    for (Word* x = a; x != a + step; x += lanes) {
      Vector v[radix];
      unrolled<radix>([&](auto i) __attribute__((always_inline)) { v[i] = L::Registers::load(x + i * step); });
      stages<log_radix>(v, w.factors, p);
      unrolled<radix>([&](auto i) __attribute__((always_inline)) { L::Registers::store(x + i * step, v[i]); });
    }
  }

  /// Stages of gap `gap` down to 1 within the registers x and y, nodes `node` and `node` + 1.
  template <std::size_t gap>
  CYCLOTOME_INLINE static void within(Vector& x, Vector& y, std::size_t node, const Roots& roots, const Prime& p) {
    L::template exchange<gap>(x, y);
    butterfly(x, y, roots.template several<gap>(node), p);
    if constexpr (gap > 1) within<gap / 2>(x, y, 2 * node, roots, p);
  }

  static void leaves(Word* a, std::size_t size, std::size_t node, const Roots& roots, const Prime& p) noexcept {
    for (Word* x = a; x != a + size; x += leaf, ++node) {
      Vector v[4];
      unrolled<4>([&](auto i) __attribute__((always_inline)) { v[i] = L::Registers::load(x + i * lanes); });
      stages<2>(v, typename Transform<L>::template Subtree<2>(roots, node).factors, p);
      within<lanes / 2>(v[0], v[1], 4 * node, roots, p);
      within<lanes / 2>(v[2], v[3], 4 * node + 2, roots, p);
      unrolled<4>([&](auto i)
                      __attribute__((always_inline)) { v[i] = reduced<L>(L::conditional_subtract(v[i], p.limit), p); });
      L::interleave(v[0], v[1]);
      L::interleave(v[2], v[3]);
      unrolled<4>([&](auto i) __attribute__((always_inline)) { L::Registers::store(x + i * lanes, v[i]); });
    }
  }

  static void any_pass(Word* a, std::size_t size, unsigned log_radix, std::size_t node, const Roots& roots,
                       const Prime& p) noexcept {
    if (log_radix == 2) {
      pass<2>(a, size, node, roots, p);
    } else {
      pass<3>(a, size, node, roots, p);
    }
  }

  static void tree(Word* a, std::size_t size, std::size_t node, const Roots& roots, const Prime& p) noexcept {
    if (size > Transform<L>::block) {
      const unsigned log_radix = Transform<L>::log_radix_of(size);
      any_pass(a, size, log_radix, node, roots, p);
      const std::size_t radix = std::size_t{1} << log_radix, part = size / radix;
      for (std::size_t i = 0; i < radix; ++i) tree(a + i * part, part, radix * node + i, roots, p);
      return;
    }
    std::size_t count = 1;
    for (std::size_t part = size; part > leaf;) {
      const unsigned log_radix = Transform<L>::log_radix_of(part);
      for (std::size_t i = 0; i < count; ++i) any_pass(a + i * part, part, log_radix, count * node + i, roots, p);
      part >>= log_radix;
      count <<= log_radix;
    }
    leaves(a, size, count * node, roots, p);
  }

  static void run(Word* a, const TransformTables<Word>& tables) noexcept {
    if (tables.degree < Transform<L>::smallest) return forward_transform(a, tables);
    tree(a, tables.degree, 1, {tables.roots.data(), tables.root_quotients.data()}, Prime(tables.modulus.value()));
  }
};

/// Inverse stages: values in [0, bound q).
template <class L>
struct Inverse : Transform<L> {
  using typename Transform<L>::Word;
  using typename Transform<L>::Vector;
  using typename Transform<L>::Factor;
  using typename Transform<L>::Prime;
  using typename Transform<L>::Roots;
  using Transform<L>::lanes;
  using Transform<L>::leaf;

  /// x, y in [0, bound q) -> x + y, (x - y) w in the same range.
  CYCLOTOME_INLINE static void butterfly(Vector& x, Vector& y, const Factor& w, const Prime& p) {
    const Vector difference = L::subtract(L::add(x, p.limit), y);
    x = L::conditional_subtract(L::add(x, y), p.limit);
    y = L::multiply(difference, w, p);
  }
  /// The last stage: x, y in [0, bound q) -> (x + y) s, (x - y) w in [0, q); the factors carry 1/n.
  CYCLOTOME_INLINE static void last_butterfly(Vector& x, Vector& y, const Factor& s, const Factor& w, const Prime& p) {
    const Vector difference = L::subtract(L::add(x, p.limit), y);
    x = reduced<L>(L::multiply(L::add(x, y), s, p), p);
    y = reduced<L>(L::multiply(difference, w, p), p);
  }

  /// w[0] and w[1] scale the last stage of a pass that ends the transform.
  template <unsigned log_radix, bool last>
  CYCLOTOME_INLINE static void stages(Vector* v, const Factor* w, const Prime& p) {
    unrolled<log_radix>([&](auto step) __attribute__((always_inline)) {
      constexpr std::size_t level = log_radix - 1 - step, half = std::size_t{1} << step;
      unrolled<(std::size_t{1} << log_radix) / 2>([&](auto i) __attribute__((always_inline)) {
        constexpr std::size_t group = i / half, at = 2 * group * half + i % half;
        if constexpr (last && level == 0) {
          last_butterfly(v[at], v[at + half], w[0], w[1], p);
        } else {
          butterfly(v[at], v[at + half], w[(std::size_t{1} << level) + group], p);
        }
      });
    });
  }

  struct Ending {
    ShoupFactor<Word> sum, difference;
    CYCLOTOME_INLINE static Factor factor(const ShoupFactor<Word>& w) {
      return L::factor(L::broadcast(w.operand), L::broadcast(w.quotient));
    }
  };

  template <unsigned log_radix, bool last>
  static void pass(Word* a, std::size_t size, std::size_t node, const Roots& roots, const Prime& p,
                   const Ending& ending) noexcept {
    constexpr std::size_t radix = std::size_t{1} << log_radix;
    typename Transform<L>::template Subtree<log_radix> w(roots, node);
    if constexpr (last) {
      w.factors[0] = Ending::factor(ending.sum);
      w.factors[1] = Ending::factor(ending.difference);
    }
    const std::size_t step = size / radix;
    for (Word* x = a; x != a + step; x += lanes) {
      Vector v[radix];
      unrolled<radix>([&](auto i) __attribute__((always_inline)) { v[i] = L::Registers::load(x + i * step); });
      stages<log_radix, last>(v, w.factors, p);
      unrolled<radix>([&](auto i) __attribute__((always_inline)) { L::Registers::store(x + i * step, v[i]); });
    }
  }

  template <std::size_t gap>
  CYCLOTOME_INLINE static void within(Vector& x, Vector& y, std::size_t node, const Roots& roots, const Prime& p) {
    if constexpr (gap > 1) within<gap / 2>(x, y, 2 * node, roots, p);
    butterfly(x, y, roots.template several<gap>(node), p);
    L::template exchange<gap>(x, y);
  }

  static void leaves(Word* a, std::size_t size, std::size_t node, const Roots& roots, const Prime& p) noexcept {
    for (Word* x = a; x != a + size; x += leaf, ++node) {
      Vector v[4];
      unrolled<4>([&](auto i) __attribute__((always_inline)) { v[i] = L::Registers::load(x + i * lanes); });
      L::deinterleave(v[0], v[1]);
      L::deinterleave(v[2], v[3]);
      within<lanes / 2>(v[0], v[1], 4 * node, roots, p);
      within<lanes / 2>(v[2], v[3], 4 * node + 2, roots, p);
      stages<2, false>(v, typename Transform<L>::template Subtree<2>(roots, node).factors, p);
      unrolled<4>([&](auto i) __attribute__((always_inline)) { L::Registers::store(x + i * lanes, v[i]); });
    }
  }

  static void any_pass(Word* a, std::size_t size, unsigned log_radix, std::size_t node, const Roots& roots,
                       const Prime& p, const Ending& ending) noexcept {
    if (log_radix == 2) {
      node == 1 ? pass<2, true>(a, size, node, roots, p, ending) : pass<2, false>(a, size, node, roots, p, ending);
    } else {
      node == 1 ? pass<3, true>(a, size, node, roots, p, ending) : pass<3, false>(a, size, node, roots, p, ending);
    }
  }

  static void tree(Word* a, std::size_t size, std::size_t node, const Roots& roots, const Prime& p,
                   const Ending& ending) noexcept {
    if (size > Transform<L>::block) {
      const unsigned log_radix = Transform<L>::log_radix_of(size);
      const std::size_t radix = std::size_t{1} << log_radix, part = size / radix;
      for (std::size_t i = 0; i < radix; ++i) tree(a + i * part, part, radix * node + i, roots, p, ending);
      any_pass(a, size, log_radix, node, roots, p, ending);
      return;
    }
    leaves(a, size, size / leaf * node, roots, p);
    within_cache(a, size, size, node, roots, p, ending);
  }

  /// The passes over blocks of `part` words and larger, up to the `size` words of `node`; smaller blocks first.
  static void within_cache(Word* a, std::size_t size, std::size_t part, std::size_t node, const Roots& roots,
                           const Prime& p, const Ending& ending) noexcept {
    if (part <= leaf) return;
    const unsigned log_radix = Transform<L>::log_radix_of(part);
    within_cache(a, size, part >> log_radix, node, roots, p, ending);
    const std::size_t count = size / part;
    for (std::size_t i = 0; i < count; ++i) any_pass(a + i * part, part, log_radix, count * node + i, roots, p, ending);
  }

  static void run(Word* a, const TransformTables<Word>& tables) noexcept {
    if (tables.degree < Transform<L>::smallest) return inverse_transform(a, tables);
    tree(a, tables.degree, 1, {tables.inverse_roots.data(), tables.inverse_root_quotients.data()},
         Prime(tables.modulus.value()), {tables.inverse_degree, tables.last_inverse_root});
  }
};

}  // namespace
}  // namespace cyclotome::cpu
