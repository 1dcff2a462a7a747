// SPDX-License-Identifier: Apache-2.0
#pragma once

// Included after a target pragma and after every other header: see kernels_avx512.cpp.

#include "cyclotome/engine/cpu/transform.hpp"
#include "cyclotome/engine/cpu/vector/lanes/lanes.hpp"
#include "cyclotome/engine/cpu/vector/lanes/range_plans.hpp"
#include "cyclotome/engine/cpu/vector/unrolled.hpp"
#include "cyclotome/ring/tables/transform_tables.hpp"

namespace cyclotome::cpu {
namespace {

/// Lanes of which transforms reduce only what would leave its word (lanes_ifma.hpp).
template <class L>
concept HasRoom = requires { L::room; };

/// Lanes whose multipliers add, of values that may stand modulo 2^52.
template <class L>
concept AddsProducts = requires(typename L::Vector x) { L::add_product(x, x, x); };

/// Lanes that have others for shorter moduli.
template <class L>
concept HasRoomier = requires { typename L::Roomier; };

/// What both directions share. The stages form a tree: node 1 is the whole array, nodes 2k and 2k + 1 are the halves of
/// node k, and the butterflies of node k use root k of the tables. A pass does two or three stages on registers; a
/// block that fits the first-level cache is finished before the next one is begun; a leaf does the last stages, whose
/// partners come to share a register, by exchanging lanes.
template <class L>
struct Transform {
  using Word = typename L::Word;
  using Vector = typename L::Vector;
  using Factor = typename L::Factor;
  using Prime = typename L::Prime;

  static constexpr std::size_t lanes = L::lanes;
  /// Exclusive upper bound of values in units of q, where lanes reduce by it.
  static constexpr unsigned room = [] {
    if constexpr (HasRoom<L>) {
      return L::room;
    } else {
      return 0U;
    }
  }();
  /// The same of products.
  static constexpr unsigned product_bound = [] {
    if constexpr (HasRoom<L>) {
      return L::bound;
    } else {
      return 0U;
    }
  }();
  /// Registers of a leaf.
  static constexpr unsigned log_leaf = L::Registers::registers == 32 ? 3 : 2;
  static constexpr std::size_t leaf_registers = std::size_t{1} << log_leaf;
  static constexpr std::size_t leaf = leaf_registers * lanes;
  /// Registers that a pass works on at a time.
  static constexpr std::size_t pass_registers = L::Registers::registers / 2;
  /// Shorter transforms than this are left to the scalar code: there must be a pass besides the leaves.
  static constexpr std::size_t smallest = 4 * leaf;
  /// Words of a block that stays in the first-level cache while passes go over it.
  static constexpr std::size_t block = (std::size_t{32} << 10) / sizeof(Word);

  /// Lanes with more room are for the lengths of rings: they state their ranges for so many stages.
  static bool fits_roomier(const TransformTables<Word>& tables) noexcept {
    if (!L::has_roomier(tables.modulus.value()) || tables.degree > std::size_t{1} << 17) return false;
    return !TakesHalves<typename L::Roomier> || tables.halved_roots() != nullptr;
  }

  /// A factor for all lanes as their tables have it.
  struct FactorWords {
    Word first, second;
    CYCLOTOME_INLINE FactorWords(const ShoupFactor<Word>& w, [[maybe_unused]] Word q)
        : first(w.operand), second(w.quotient) {
      if constexpr (TakesHalves<L>) {
        const HalvedFactor halved(w.operand, NearPower(q));
        first = halved.factor;
        second = halved.lifted;
      }
    }
    CYCLOTOME_INLINE Factor factor() const { return L::factor(L::broadcast(first), L::broadcast(second)); }
  };

  struct Roots {
    const Word* operands;
    const Word* quotients;
    CYCLOTOME_INLINE Factor one(std::size_t k) const {
      if constexpr (TakesHalves<L>) {
        return L::repeated_at(operands + k, quotients + k);
      } else {
        return L::factor(L::broadcast(operands[k]), L::broadcast(quotients[k]));
      }
    }
    /// Roots k, k + 1, ..., each for `gap` lanes.
    template <std::size_t gap>
    CYCLOTOME_INLINE Factor several(std::size_t k) const {
      if constexpr (gap == 1 && TakesHalves<L>) {
        return L::factors_at(operands + k, quotients + k);
      } else if constexpr (gap == 1) {
        return L::factor(L::Registers::load(operands + k), L::Registers::load(quotients + k));
      } else {
        return L::factor(L::template load_repeated<gap>(operands + k), L::template load_repeated<gap>(quotients + k));
      }
    }
  };

  static Roots forward_roots(const TransformTables<Word>& tables) noexcept {
    if constexpr (TakesHalves<L>) {
      return {tables.halved_roots()->roots.data(), tables.halved_roots()->lifted_roots.data()};
    } else {
      return {tables.roots.data(), tables.root_quotients.data()};
    }
  }
  static Roots inverse_roots(const TransformTables<Word>& tables) noexcept {
    if constexpr (TakesHalves<L>) {
      return {tables.halved_roots()->inverse_roots.data(), tables.halved_roots()->lifted_inverse_roots.data()};
    } else {
      return {tables.inverse_roots.data(), tables.inverse_root_quotients.data()};
    }
  }

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

  /// Factors `from`, from + 1, ... of a pass as its range has them.
  template <unsigned log_radix, std::size_t from = 1>
  CYCLOTOME_INLINE static void centre([[maybe_unused]] Subtree<log_radix>& w, [[maybe_unused]] const Prime& p) {
    if constexpr (Ranged<L>) {
      if constexpr (L::Ranges::centred) {
        unrolled<(std::size_t{1} << log_radix) - from>(
            [&](auto i) __attribute__((always_inline)) { w.factors[from + i] = L::centred(w.factors[from + i], p); });
      }
    }
  }

  /// `rows` times `columns` registers from / to memory: row i starts at x + i * step.
  template <std::size_t rows, std::size_t columns>
  CYCLOTOME_INLINE static void load(Vector* v, const Word* x, std::size_t step) {
    unrolled<rows * columns>([&](auto i) __attribute__((always_inline)) {
      v[i] = L::Registers::load(x + i / columns * step + i % columns * lanes);
    });
  }
  template <std::size_t rows, std::size_t columns>
  CYCLOTOME_INLINE static void store(Word* x, const Vector* v, std::size_t step) {
    unrolled<rows * columns>([&](auto i) __attribute__((always_inline)) {
      L::Registers::store(x + i / columns * step + i % columns * lanes, v[i]);
    });
  }

  /// Stages left to a block of `size` are done three at a time, or two where three would leave one.
  static unsigned log_radix_of(std::size_t size) noexcept {
    const unsigned stages = bit_length(size / leaf) - 1;
    return stages == 2 || stages == 4 ? 2 : 3;
  }
};

}  // namespace
}  // namespace cyclotome::cpu
