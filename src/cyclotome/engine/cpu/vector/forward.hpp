// SPDX-License-Identifier: Apache-2.0
#pragma once

// Included after a target pragma and after every other header: see kernels_avx512.cpp.

#include "cyclotome/engine/cpu/vector/transform_tree.hpp"

namespace cyclotome::cpu {
namespace {

/// Forward stages: values in [0, 2 bound q).
template <class L>
struct Forward : Transform<L> {
  using Base = Transform<L>;
  using typename Base::Factor;
  using typename Base::Prime;
  using typename Base::Roots;
  using typename Base::Vector;
  using typename Base::Word;

  // With room: what values are below, in units of q. They grow by 2 a stage.
  static constexpr bool reduces(unsigned most) { return most + 2 > Base::room; }
  static constexpr unsigned after(unsigned most) { return reduces(most) ? 4 : most + 2; }
  static constexpr unsigned after(unsigned most, unsigned stages) {
    return stages == 0 ? most : after(after(most), stages - 1);
  }
  /// Before any pass, and before leaves. With much room no stage reduces: there are no 20 stages.
  static constexpr unsigned most_between = Base::room < 64 ? Base::room : 40;

  /// x, y in [0, 2 bound q) -> x + w y, x - w y in the same range, for `count` pairs of registers that are `half`
  /// apart. Group g of `half` pairs takes factor_of(g). All products are begun before the first is needed. With room,
  /// values are below most q; by ranges, x may stand as it is.
  template <std::size_t count, std::size_t half, unsigned most, bool reduces_x, class FactorOf>
  CYCLOTOME_INLINE static void butterflies(Vector* v, const FactorOf& factor_of, const Prime& p) {
    if constexpr (HasRoom<L>) {
      Vector sums[count], quotients[count];
      unrolled<count>([&](auto i) __attribute__((always_inline)) {
        constexpr std::size_t group = i / half, x = 2 * group * half + i % half, y = x + half;
        if constexpr (reduces(most)) v[x] = L::below_limit(v[x], p);
        const Factor& w = factor_of(group);
        quotients[i] = L::quotient_of(v[y], w.quotient);
        sums[i] = L::add_product(v[x], v[y], w.operand);
        v[y] = L::add(L::add(v[x], p.limit), v[x]);
      });
      unrolled<count>([&](auto i) __attribute__((always_inline)) {
        constexpr std::size_t group = i / half, x = 2 * group * half + i % half, y = x + half;
        v[x] = L::add_product(sums[i], quotients[i], p.negative);
        v[y] = L::subtract(v[y], v[x]);
      });
    } else {
      typename L::Product products[count];
      unrolled<count>([&](auto i) __attribute__((always_inline)) {
        constexpr std::size_t group = i / half, y = 2 * group * half + i % half + half;
        products[i] = L::begin(v[y], factor_of(group));
      });
      unrolled<count>([&](auto i) __attribute__((always_inline)) {
        constexpr std::size_t group = i / half, x = 2 * group * half + i % half, y = x + half;
        const Vector reduced_x = reduces_x ? L::conditional_subtract(v[x], p.limit) : v[x];
        const Vector product = L::finish(products[i], p);
        v[x] = L::add(reduced_x, product);
        v[y] = L::subtract(L::add(reduced_x, p.limit), product);
      });
    }
  }

  /// Stages of a leaf.
  static constexpr unsigned leaf_stages = Base::log_leaf + bit_length(L::lanes) - 1;
  /// Whether a stage of a pass, or of leaves, reduces its first operands, where lanes don't have room.
  template <unsigned stages, unsigned stage, bool leaf, bool first = false>
  static constexpr bool reduces_x() {
    if constexpr (Ranged<L>) {
      using Ranges = typename L::Ranges;
      constexpr typename Ranges::template Forward<stages> plan(first ? Ranges::unit : Ranges::forward_between,
                                                               leaf ? Ranges::forward_end : Ranges::forward_between,
                                                               leaf ? false : Ranges::centred);
      static_assert(plan.holds);
      return plan.reduces[stage];
    } else {
      return true;
    }
  }

  /// All stages of 2^log_radix rows of `columns` registers: of a pass, or those that begin a leaf.
  template <unsigned log_radix, std::size_t columns, bool leaf, bool first = false>
  CYCLOTOME_INLINE static void stages(Vector* v, const Factor* w, const Prime& p) {
    unrolled<log_radix>([&](auto level) __attribute__((always_inline)) {
      constexpr std::size_t pairs = (columns << log_radix) / 2, groups = std::size_t{1} << level;
      constexpr bool reduces = reduces_x<leaf ? leaf_stages : log_radix, level, leaf, first>();
      butterflies<pairs, pairs / groups, after(most_between, level), reduces>(
          v, [&](std::size_t group) __attribute__((always_inline)) { return w[groups + group]; }, p);
    });
  }

  template <unsigned log_radix, bool first>
  static void pass(Word* a, std::size_t size, std::size_t node, const Roots& roots, const Prime& p) noexcept {
    constexpr std::size_t radix = std::size_t{1} << log_radix, columns = Base::pass_registers / radix;
    typename Base::template Subtree<log_radix> w(roots, node);
    Base::template centre<log_radix>(w, p);
    const std::size_t step = size / radix;
    for (Word* x = a; x != a + step; x += columns * L::lanes) {
      Vector v[radix * columns];
      Base::template load<radix, columns>(v, x, step);
      if constexpr (first) {
        unrolled<radix * columns>([&](auto i) __attribute__((always_inline)) { v[i] = entered<L>(v[i]); });
      }
      stages<log_radix, columns, false, first>(v, w.factors, p);
      Base::template store<radix, columns>(x, v, step);
    }
  }

  /// Stages of gap `gap` down to 1 within registers, taken in pairs; `node`: of the first register.
  template <std::size_t gap, unsigned most>
  CYCLOTOME_INLINE static void within(Vector* v, std::size_t node, const Roots& roots, const Prime& p) {
    constexpr std::size_t pairs = Base::leaf_registers / 2, nodes_of_pair = L::lanes / gap;
    constexpr unsigned stage = leaf_stages - static_cast<unsigned>(bit_length(gap));
    unrolled<pairs>([&](auto i) __attribute__((always_inline)) { L::template exchange<gap>(v[2 * i], v[2 * i + 1]); });
    butterflies<pairs, 1, most, reduces_x<leaf_stages, stage, true>()>(
        v,
        [&](std::size_t i)
            __attribute__((always_inline)) { return roots.template several<gap>(node + i * nodes_of_pair); },
        p);
    if constexpr (gap > 1) within<gap / 2, after(most)>(v, 2 * node, roots, p);
  }

  /// What a stage leaves -> [0, q).
  CYCLOTOME_INLINE static Vector canonical(Vector x, const Prime& p) {
    if constexpr (HasRoom<L>) {
      return L::canonical(x, p);
    } else if constexpr (Ranged<L>) {
      if constexpr (L::Ranges::whole) {
        return L::left_whole(x, p);
      } else {
        return L::left(x, p);
      }
    } else {
      return reduced<L>(L::conditional_subtract(x, p.limit), p);
    }
  }

  static void leaves(Word* a, std::size_t size, std::size_t node, const Roots& roots, const Prime& p) noexcept {
    constexpr std::size_t registers = Base::leaf_registers;
    for (Word* x = a; x != a + size; x += Base::leaf, ++node) {
      Vector v[registers];
      Base::template load<registers, 1>(v, x, L::lanes);
      const typename Base::template Subtree<Base::log_leaf> w(roots, node);
      stages<Base::log_leaf, 1, true>(v, w.factors, p);
      within<L::lanes / 2, after(most_between, Base::log_leaf)>(v, registers * node, roots, p);
      unrolled<registers>([&](auto i) __attribute__((always_inline)) { v[i] = canonical(v[i], p); });
      unrolled<registers / 2>([&](auto i) __attribute__((always_inline)) { L::interleave(v[2 * i], v[2 * i + 1]); });
      Base::template store<registers, 1>(x, v, L::lanes);
    }
  }

  static void any_pass(Word* a, std::size_t size, unsigned log_radix, std::size_t node, const Roots& roots,
                       const Prime& p) noexcept {
    if (log_radix == 2) {
      node == 1 ? pass<2, true>(a, size, node, roots, p) : pass<2, false>(a, size, node, roots, p);
    } else {
      node == 1 ? pass<3, true>(a, size, node, roots, p) : pass<3, false>(a, size, node, roots, p);
    }
  }

  static void tree(Word* a, std::size_t size, std::size_t node, const Roots& roots, const Prime& p) noexcept {
    if (size > Base::block) {
      const unsigned log_radix = Base::log_radix_of(size);
      any_pass(a, size, log_radix, node, roots, p);
      const std::size_t radix = std::size_t{1} << log_radix, part = size / radix;
      for (std::size_t i = 0; i < radix; ++i) tree(a + i * part, part, radix * node + i, roots, p);
      return;
    }
    std::size_t count = 1;
    for (std::size_t part = size; part > Base::leaf;) {
      const unsigned log_radix = Base::log_radix_of(part);
      for (std::size_t i = 0; i < count; ++i) any_pass(a + i * part, part, log_radix, count * node + i, roots, p);
      part >>= log_radix;
      count <<= log_radix;
    }
    leaves(a, size, count * node, roots, p);
  }

  static void run(Word* a, const TransformTables<Word>& tables) noexcept {
    if (tables.degree < Base::smallest) return forward_transform(a, tables);
    if constexpr (HasRoomier<L>) {
      if (Base::fits_roomier(tables)) return Forward<typename L::Roomier>::run(a, tables);
    }
    tree(a, tables.degree, 1, {tables.roots.data(), tables.root_quotients.data()}, Prime(tables.modulus.value()));
  }
};

}  // namespace
}  // namespace cyclotome::cpu
