// SPDX-License-Identifier: Apache-2.0
#pragma once

// Included after a target pragma and after every other header: see kernels_avx512.cpp.

#include "cyclotome/engine/cpu/kernels.hpp"
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
    if constexpr (AddsProducts<L>) {
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
        const Vector before = HasRoom<L> || !reduces_x ? v[x] : L::conditional_subtract(v[x], p.limit);
        const Vector product = L::finish(products[i], p);
        v[x] = L::add(before, product);
        v[y] = L::subtract(L::add(before, p.limit), product);
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

  /// What a pass does to a register that it has loaded: to words of another pass nothing.
  struct AsIs {
    CYCLOTOME_INLINE Vector operator()(Vector x) const { return x; }
  };
  struct Entered {
    CYCLOTOME_INLINE Vector operator()(Vector x) const { return entered<L>(x); }
  };

  /// From `in`, whose words `entry` makes values, to a.
  template <unsigned log_radix, class Entry>
  static void pass(Word* a, const Word* in, std::size_t size, std::size_t node, const Roots& roots, const Prime& p,
                   const Entry& entry) noexcept {
    constexpr std::size_t radix = std::size_t{1} << log_radix, columns = Base::pass_registers / radix;
    typename Base::template Subtree<log_radix> w(roots, node);
    Base::template centre<log_radix>(w, p);
    const std::size_t step = size / radix;
    for (std::size_t at = 0; at != step; at += columns * L::lanes) {
      Vector v[radix * columns];
      Base::template load<radix, columns>(v, in + at, step);
      unrolled<radix * columns>([&](auto i) __attribute__((always_inline)) { v[i] = entry(v[i]); });
      stages<log_radix, columns, false, !std::is_same_v<Entry, AsIs>>(v, w.factors, p);
      Base::template store<radix, columns>(a + at, v, step);
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

  template <class Entry>
  static void any_pass(Word* a, const Word* in, std::size_t size, unsigned log_radix, std::size_t node,
                       const Roots& roots, const Prime& p, const Entry& entry) noexcept {
    if (log_radix == 2) {
      pass<2>(a, in, size, node, roots, p, entry);
    } else {
      pass<3>(a, in, size, node, roots, p, entry);
    }
  }
  static void later_pass(Word* a, std::size_t size, unsigned log_radix, std::size_t node, const Roots& roots,
                         const Prime& p) noexcept {
    any_pass(a, a, size, log_radix, node, roots, p, AsIs());
  }

  /// What is left to do for `node` after its first pass, of `log_radix` stages.
  static void tree(Word* a, std::size_t size, unsigned log_radix, std::size_t node, const Roots& roots,
                   const Prime& p) noexcept {
    std::size_t count = std::size_t{1} << log_radix, part = size >> log_radix;
    if (size > Base::block) {
      const unsigned next = Base::log_radix_of(part);
      for (std::size_t i = 0; i < count; ++i) {
        later_pass(a + i * part, part, next, count * node + i, roots, p);
        tree(a + i * part, part, next, count * node + i, roots, p);
      }
      return;
    }
    while (part > Base::leaf) {
      const unsigned next = Base::log_radix_of(part);
      for (std::size_t i = 0; i < count; ++i) later_pass(a + i * part, part, next, count * node + i, roots, p);
      part >>= next;
      count <<= next;
    }
    leaves(a, size, count * node, roots, p);
  }

  template <class Entry>
  static void all(Word* a, const Word* in, std::size_t size, const Roots& roots, const Prime& p,
                  const Entry& entry) noexcept {
    const unsigned log_radix = Base::log_radix_of(size);
    any_pass(a, in, size, log_radix, 1, roots, p, entry);
    tree(a, size, log_radix, 1, roots, p);
  }
  static void in_place(Word* a, std::size_t size, const Roots& roots, const Prime& p) noexcept {
    all(a, a, size, roots, p, Entered());
  }

  static void run(Word* a, const TransformTables<Word>& tables) noexcept {
    if (tables.degree < Base::smallest) return forward_transform(a, tables);
    if constexpr (HasRoomier<L>) {
      if (Base::fits_roomier(tables)) return Forward<typename L::Roomier>::run(a, tables);
    }
    in_place(a, tables.degree, Base::forward_roots(tables), Prime(tables.modulus.value()));
  }

  static void run_moved(Word* out, const Word* a, Word from, const TransformTables<Word>& tables) noexcept {
    static_assert(Base::smallest <= smallest_moved);
    if constexpr (HasRoomier<L>) {
      if (Base::fits_roomier(tables)) return Forward<typename L::Roomier>::run_moved(out, a, from, tables);
    }
    const Roots roots = Base::forward_roots(tables);
    const Prime p(tables.modulus.value());
    if constexpr (Ranged<L>) {
      all(out, a, tables.degree, roots, p, typename L::CentredMove(from));
    } else {
      all(out, a, tables.degree, roots, p, CentredMove<L, true>(from, tables.modulus.value()));
    }
  }
};

}  // namespace
}  // namespace cyclotome::cpu
