// SPDX-License-Identifier: Apache-2.0
#pragma once

// Included after a target pragma and after every other header: see kernels_avx512.cpp.

#include "cyclotome/engine/cpu/kernels.hpp"

namespace cyclotome::cpu {
namespace {

/// A table of 64-bit words where moduli below a limit have an arithmetic of their own. `Narrow` has
///  - `limit`: the exclusive bound of its moduli, and of the words that its weighted sums take;
///  - `table`: its kernels; null where it has none;
///  - `Surroundings`: what is made before and destroyed after each of them.
/// wide(): the table for all other moduli, and of what `Narrow` lacks.
template <class Narrow, const Kernels<std::uint64_t>& (*wide)() noexcept>
class ByModulus {
 public:
  static const Kernels<std::uint64_t>& table() noexcept {
    static const Kernels<Word> joined =
        join<&K::forward_transform, &K::inverse_transform, &K::forward_moved, &K::convolutions, &K::multiply,
             &K::multiply_accumulate, &K::scale, &K::scale_add, &K::inner_product, &K::weighted_sum, &K::count_wraps>();
    return joined;
  }

 private:
  using Word = std::uint64_t;
  using K = Kernels<Word>;
  using Q = Modulus<Word>;
  using Shoup = ShoupFactor<Word>;

  // What must stay below the limit, by a kernel's arguments.
  static Word largest(const Word*, const TransformTables<Word>& tables) noexcept { return tables.modulus.value(); }
  static Word largest(const Word*, const TransformTables<Word>& tables, const InverseEnding<Word>&) noexcept {
    return tables.modulus.value();
  }
  static Word largest(const Word*, const Word*, Word, const TransformTables<Word>& tables) noexcept {
    return tables.modulus.value();
  }
  static Word largest(Word q) noexcept { return q; }
  static Word largest(const Word*, const Word*, const Word*, std::size_t, const Q& q) noexcept { return q.value(); }
  static Word largest(const Word*, const Word*, const Shoup&, std::size_t, Word q) noexcept { return q; }
  static Word largest(const Word*, const Word*, const Shoup&, const Word*, std::size_t, Word q) noexcept { return q; }
  static Word largest(const Word*, const Word* const*, const Word* const*, std::size_t, std::size_t,
                      const Q& q) noexcept {
    return q.value();
  }
  static Word largest(const Word*, std::size_t, const Tile<const Word>&, std::span<const Word>, unsigned x_bits,
                      const Q& q, const Word*, Word) noexcept {
    return x_bits >= static_cast<unsigned>(bit_length(Narrow::limit)) ? Narrow::limit : q.value();
  }

  static Word largest(const Word*, std::size_t, const Tile<const Word>&, const BaseConversion& conversion,
                      const std::uint64_t*) noexcept {
    for (const Q& q : conversion.source().moduli<Word>()) {
      if (q.bits() >= static_cast<unsigned>(bit_length(Narrow::limit))) return Narrow::limit;
    }
    return 0;
  }

  template <auto kernel>
  struct Choice;
  template <class Result, class... Arguments, Result (*K::*kernel)(Arguments...) noexcept>
  struct Choice<kernel> {
    static Result run(Arguments... arguments) noexcept {
      if (largest(arguments...) >= Narrow::limit) return (wide().*kernel)(arguments...);
      [[maybe_unused]] const typename Narrow::Surroundings around;
      return (Narrow::table.*kernel)(arguments...);
    }
  };

  /// Targets of which one needs the other table go one by one.
  static void weighted_sums(Tile<Word> out, std::size_t count, Tile<const Word> x, std::size_t limbs,
                            const Word* matrix, unsigned x_bits, const Q* targets, const Word* extra,
                            const Word* extra_factors) noexcept {
    static_assert(targets_at_once == 4);
    const Word widest =
        std::max(std::max(targets[0].value(), targets[1].value()), std::max(targets[2].value(), targets[3].value()));
    if (x_bits < static_cast<unsigned>(bit_length(Narrow::limit)) && widest < Narrow::limit) {
      [[maybe_unused]] const typename Narrow::Surroundings around;
      Narrow::table.weighted_sums(out, count, x, limbs, matrix, x_bits, targets, extra, extra_factors);
      return;
    }
    const Word shortest =
        std::min(std::min(targets[0].value(), targets[1].value()), std::min(targets[2].value(), targets[3].value()));
    if (shortest >= Narrow::limit && wide().weighted_sums != nullptr) {
      return wide().weighted_sums(out, count, x, limbs, matrix, x_bits, targets, extra, extra_factors);
    }
    const auto one = [&](std::size_t j) {
      Choice<&K::weighted_sum>::run(out.limb(j), count, x, {matrix + j * limbs, limbs}, x_bits, targets[j], extra,
                                    extra == nullptr ? Word{0} : extra_factors[j]);
    };
    one(0), one(1), one(2), one(3);
  }

  template <auto... kernels>
  static K join() noexcept {
    // Asked as it runs: with sanitizers, whether a function has an address is no constant to GCC.
    K joined = wide();
    const K& narrow = Narrow::table;
    const auto take = [&]<auto kernel>() {
      if (narrow.*kernel != nullptr) joined.*kernel = Choice<kernel>::run;
    };
    (take.template operator()<kernels>(), ...);
    if (narrow.forward_moved == nullptr || wide().forward_moved == nullptr) joined.forward_moved = nullptr;
    joined.weighted_sums = narrow.weighted_sums != nullptr || wide().weighted_sums != nullptr ? weighted_sums : nullptr;
    return joined;
  }
};

}  // namespace
}  // namespace cyclotome::cpu
