// SPDX-License-Identifier: Apache-2.0
#pragma once

// Included after a target pragma and after every other header: see kernels_avx512.cpp.

#include "cyclotome/engine/cpu/vector/transform_tree.hpp"

namespace cyclotome::cpu {
namespace {

/// Inverse stages: values in [0, bound q).
template <class L>
struct Inverse : Transform<L> {
  using Base = Transform<L>;
  using typename Base::Factor;
  using typename Base::Prime;
  using typename Base::Roots;
  using typename Base::Vector;
  using typename Base::Word;

  /// With room: what values are below, in units of q, before any stage, and between passes and leaves.
  static constexpr unsigned most = Base::room / 2;
  static constexpr unsigned most_between = most < 4 * Base::product_bound ? most : 4 * Base::product_bound;

  /// x, y in [0, bound q) -> x + y, (x - y) w in the same range, for `count` pairs of registers that are `half` apart.
  /// Group g of `half` pairs takes factor_of(g). With room, pairs for which reduces(first register) have sums that may
  /// not stand.
  template <std::size_t count, std::size_t half, class FactorOf, class Reduces>
  CYCLOTOME_INLINE static void lazy_butterflies(Vector* v, const FactorOf& factor_of, const Prime& p, const Reduces&) {
    typename L::Product products[count];
    unrolled<count>([&](auto i) __attribute__((always_inline)) {
      constexpr std::size_t group = i / half, x = 2 * group * half + i % half, y = x + half;
      products[i] = L::begin(L::subtract(L::add(v[x], highest(p)), v[y]), factor_of(group));
      v[x] = L::add(v[x], v[y]);
    });
    unrolled<count>([&](auto i) __attribute__((always_inline)) {
      constexpr std::size_t group = i / half, x = 2 * group * half + i % half, y = x + half;
      if constexpr (Reduces{}(x)) v[x] = L::below_limit(v[x], p);
      v[y] = finished(products[i], p);
    });
  }

  /// A product as it may stand between stages.
  CYCLOTOME_INLINE static Vector finished(const typename L::Product& product, const Prime& p) {
    if constexpr (AddsProducts<L>) {
      return L::finish_unmasked(product, p);
    } else {
      return L::finish(product, p);
    }
  }

  /// A multiple of q that no value is above.
  CYCLOTOME_INLINE static auto highest(const Prime& p) {
    if constexpr (HasRoom<L>) {
      return p.half_room;
    } else {
      return p.limit;
    }
  }

  /// What rows of a pass are below, stage by stage, and which of their sums are reduced.
  template <unsigned log_radix>
  struct Plan {
    static constexpr std::size_t rows = std::size_t{1} << log_radix;
    bool reduces[log_radix][rows] = {};
    constexpr explicit Plan(unsigned begin) {
      unsigned below[rows];
      for (unsigned& row : below) row = begin;
      for (unsigned step = 0; step < log_radix; ++step) {
        const std::size_t half = std::size_t{1} << step;
        const unsigned allowed = step + 1 == log_radix ? most_between : most;
        for (std::size_t x = 0; x < rows; ++x) {
          if ((x & half) != 0) continue;
          const unsigned sum = below[x] + below[x + half];
          reduces[step][x] = sum > allowed;
          below[x] = reduces[step][x] ? Base::product_bound : sum;
          below[x + half] = Base::product_bound;
        }
      }
    }
  };

  /// By ranges, pairs for which reduces(first register) have sums that may not stand; else all.
  template <std::size_t count, std::size_t half, class FactorOf, class Reduces>
  CYCLOTOME_INLINE static void butterflies(Vector* v, const FactorOf& factor_of, const Prime& p, const Reduces&) {
    typename L::Product products[count];
    unrolled<count>([&](auto i) __attribute__((always_inline)) {
      constexpr std::size_t group = i / half, x = 2 * group * half + i % half, y = x + half;
      products[i] = L::begin(L::subtract(L::add(v[x], p.limit), v[y]), factor_of(group));
      v[x] = L::add(v[x], v[y]);
    });
    unrolled<count>([&](auto i) __attribute__((always_inline)) {
      constexpr std::size_t group = i / half, x = 2 * group * half + i % half, y = x + half;
      if constexpr (Reduces{}(x)) v[x] = L::conditional_subtract(v[x], p.limit);
      v[y] = L::finish(products[i], p);
    });
  }

  /// By ranges: the plan of a pass, or of the last stages of a leaf.
  template <unsigned log_radix, bool leaf>
  static constexpr auto ranged() {
    using Ranges = typename L::Ranges;
    using Plan = typename Ranges::template Inverse<log_radix>;
    constexpr Plan plan = leaf ? Plan(ranged_before(L::lanes), false) : Plan(Ranges::inverse_between, Ranges::centred);
    static_assert(plan.holds);
    return plan;
  }
  /// What values are below when the stages inside registers of gaps smaller than `gap` are done.
  static constexpr unsigned ranged_before(std::size_t gap) {
    if constexpr (Ranged<L>) {
      return gap == 1 ? L::Ranges::unit : L::Ranges::after_inverse_stage(ranged_before(gap / 2));
    } else {
      return 0;
    }
  }

  /// The last stage: x, y in [0, bound q) -> (x + y) s, (x - y) w in [0, q); the factors carry 1/n. near: by ranges,
  /// products are in (-q, q).
  template <bool near>
  CYCLOTOME_INLINE static void last_butterfly(Vector& x, Vector& y, const Factor& s, const Factor& w, const Prime& p) {
    const Vector difference = L::subtract(L::add(x, highest(p)), y);
    x = multiply<L>(L::add(x, y), s, p);
    y = multiply<L>(difference, w, p);
    if constexpr (near) {
      x = L::left_near(x, p);
      y = L::left_near(y, p);
    } else {
      x = reduced<L>(x, p);
      y = reduced<L>(y, p);
    }
  }

  /// w[0] and w[1] scale the last stage of a pass that ends the transform.
  template <unsigned log_radix, std::size_t columns, bool last, unsigned begin = most_between, bool leaf = false>
  CYCLOTOME_INLINE static void stages(Vector* v, const Factor* w, const Prime& p) {
    constexpr std::size_t pairs = (columns << log_radix) / 2;
    static constexpr Plan<log_radix> plan(begin);
    unrolled<log_radix>([&](auto step) __attribute__((always_inline)) {
      constexpr std::size_t groups = (std::size_t{1} << log_radix) / 2 >> step;
      if constexpr (last && groups == 1) {
        constexpr bool near = [] {
          if constexpr (requires(Vector x) { L::left_near(x, p); }) {
            using Ranges = typename L::Ranges;
            return Ranges::product(ranged<log_radix, leaf>().last_difference, Ranges::centred) <= Ranges::unit;
          } else {
            return false;
          }
        }();
        unrolled<pairs>(
            [&](auto i) __attribute__((always_inline)) { last_butterfly<near>(v[i], v[i + pairs], w[0], w[1], p); });
      } else {
        const auto factor_of = [&](std::size_t group) __attribute__((always_inline)) { return w[groups + group]; };
        if constexpr (HasRoom<L>) {
          lazy_butterflies<pairs, pairs / groups>(v, factor_of, p, [](std::size_t x) constexpr {
            return plan.reduces[decltype(step)::value][x / columns];
          });
        } else if constexpr (Ranged<L>) {
          butterflies<pairs, pairs / groups>(v, factor_of, p, [](std::size_t x) constexpr {
            return ranged<log_radix, leaf>().reduces[decltype(step)::value][x / columns];
          });
        } else {
          butterflies<pairs, pairs / groups>(v, factor_of, p, [](std::size_t) constexpr { return true; });
        }
      }
    });
  }

  /// Factors of the last stage.
  struct Ending {
    typename Base::FactorWords sum, difference;
  };

  template <unsigned log_radix, bool last>
  static void pass(Word* a, std::size_t size, std::size_t node, const Roots& roots, const Prime& p,
                   const Ending& ending) noexcept {
    constexpr std::size_t radix = std::size_t{1} << log_radix, columns = Base::pass_registers / radix;
    typename Base::template Subtree<log_radix> w(roots, node);
    if constexpr (last) {
      w.factors[0] = ending.sum.factor();
      w.factors[1] = ending.difference.factor();
    }
    Base::template centre<log_radix, last ? 0 : 1>(w, p);
    const std::size_t step = size / radix;
    for (Word* x = a; x != a + step; x += columns * L::lanes) {
      Vector v[radix * columns];
      Base::template load<radix, columns>(v, x, step);
      stages<log_radix, columns, last>(v, w.factors, p);
      Base::template store<radix, columns>(x, v, step);
    }
  }

  /// What a stage inside registers leaves where values were below `begin`.
  static constexpr unsigned after(unsigned begin) { return 2 * begin > most ? 2 : 2 * begin; }
  /// What values are below when the stages of gaps smaller than `gap` are done; residues may be as large as 2 q.
  static constexpr unsigned before(std::size_t gap) { return gap == 1 ? 2 : after(before(gap / 2)); }

  template <std::size_t gap>
  CYCLOTOME_INLINE static void within(Vector* v, std::size_t node, const Roots& roots, const Prime& p) {
    constexpr std::size_t pairs = Base::leaf_registers / 2, nodes_of_pair = L::lanes / gap;
    if constexpr (gap > 1) within<gap / 2>(v, 2 * node, roots, p);
    const auto factor_of = [&](std::size_t i) __attribute__((always_inline)) {
      return roots.template several<gap>(node + i * nodes_of_pair);
    };
    if constexpr (HasRoom<L>) {
      lazy_butterflies<pairs, 1>(v, factor_of, p, [](std::size_t) constexpr { return 2 * before(gap) > most; });
    } else {
      butterflies<pairs, 1>(v, factor_of, p, [](std::size_t) constexpr {
        if constexpr (Ranged<L>) {
          static_assert(2 * ranged_before(gap) <= L::Ranges::widest(false));
          return L::Ranges::reduces_sum(ranged_before(gap));
        } else {
          return true;
        }
      });
    }
    unrolled<pairs>([&](auto i) __attribute__((always_inline)) { L::template exchange<gap>(v[2 * i], v[2 * i + 1]); });
  }

  static void leaves(Word* a, std::size_t size, std::size_t node, const Roots& roots, const Prime& p) noexcept {
    constexpr std::size_t registers = Base::leaf_registers;
    for (Word* x = a; x != a + size; x += Base::leaf, ++node) {
      Vector v[registers];
      Base::template load<registers, 1>(v, x, L::lanes);
      unrolled<registers>([&](auto i) __attribute__((always_inline)) { v[i] = entered<L>(v[i]); });
      unrolled<registers / 2>([&](auto i) __attribute__((always_inline)) { L::deinterleave(v[2 * i], v[2 * i + 1]); });
      within<L::lanes / 2>(v, registers * node, roots, p);
      const typename Base::template Subtree<Base::log_leaf> w(roots, node);
      stages<Base::log_leaf, 1, false, before(L::lanes), true>(v, w.factors, p);
      Base::template store<registers, 1>(x, v, L::lanes);
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
    if (size > Base::block) {
      const unsigned log_radix = Base::log_radix_of(size);
      const std::size_t radix = std::size_t{1} << log_radix, part = size / radix;
      for (std::size_t i = 0; i < radix; ++i) tree(a + i * part, part, radix * node + i, roots, p, ending);
      any_pass(a, size, log_radix, node, roots, p, ending);
      return;
    }
    leaves(a, size, size / Base::leaf * node, roots, p);
    within_cache(a, size, size, node, roots, p, ending);
  }

  /// The passes over blocks of `part` words and larger, up to the `size` words of `node`; smaller blocks first.
  static void within_cache(Word* a, std::size_t size, std::size_t part, std::size_t node, const Roots& roots,
                           const Prime& p, const Ending& ending) noexcept {
    if (part <= Base::leaf) return;
    const unsigned log_radix = Base::log_radix_of(part);
    within_cache(a, size, part >> log_radix, node, roots, p, ending);
    const std::size_t count = size / part;
    for (std::size_t i = 0; i < count; ++i) any_pass(a + i * part, part, log_radix, count * node + i, roots, p, ending);
  }

  static void run(Word* a, const TransformTables<Word>& tables, const InverseEnding<Word>& ending) noexcept {
    if (tables.degree < Base::smallest) return inverse_transform(a, tables, ending);
    if constexpr (HasRoomier<L>) {
      if (Base::fits_roomier(tables)) return Inverse<typename L::Roomier>::run(a, tables, ending);
    }
    const Word q = tables.modulus.value();
    tree(a, tables.degree, 1, Base::inverse_roots(tables), Prime(q), {{ending.sum, q}, {ending.difference, q}});
  }
};

}  // namespace
}  // namespace cyclotome::cpu
