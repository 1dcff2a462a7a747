// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <optional>

#include "cyclotome/engine/cpu/steps/convert.hpp"
#include "cyclotome/engine/cpu/steps/limb_transform.hpp"
#include "cyclotome/engine/cpu/steps/operands.hpp"
#include "cyclotome/ring/tables/key_switch_constants.hpp"
#include "cyclotome/ring/view.hpp"

// A key switch on cores with caches: a few limbs of the key ring at a time go through everything, so that digits are
// extended, transformed and multiplied by the key without ever going to memory. All of them together are as large as
// the key. Computes exactly what the composite's operations do (program/key_switch.cpp).
namespace cyclotome::cpu {

/// Bytes of extended digits that each thread has at a time: what several ciphertexts that share the key may take, and
/// what limbs of one do, so that inner products find digits in the second-level cache.
inline constexpr std::size_t item_bytes_per_thread = std::size_t{4} << 20,
                             limb_bytes_per_thread = std::size_t{256} << 10;

/// Of a switched ciphertext.
inline constexpr std::size_t switched_parts = 2;

/// Where the scratch of `items` ciphertexts and `group` limbs of the key ring lies, in words.
struct KeySwitchLayout {
  std::size_t degree, limbs, special, digits, items, group;
  bool own_coefficients, own_lifts;  // digits in coefficients, and prepared for conversion, need memory of their own
  bool given_digits;                 // the caller's, extended already

  std::size_t ciphertext_limbs() const noexcept { return limbs - special; }
  // For each item:
  std::size_t coefficients() const noexcept { return 0; }                                                 // [limb of q]
  std::size_t lifts() const noexcept { return own_coefficients ? ciphertext_limbs() * degree : 0; }       // [limb of q]
  std::size_t wraps() const noexcept { return lifts() + (own_lifts ? ciphertext_limbs() * degree : 0); }  // [digit]
  std::size_t special_sums() const noexcept {
    return wraps() + (own_lifts ? digits * degree : 0);
  }  // [part][limb of P]
  std::size_t special_wraps() const noexcept { return special_sums() + switched_parts * special * degree; }  // [part]
  std::size_t sums() const noexcept { return special_wraps() + switched_parts * degree; }  // [limb][part]
  std::size_t extended() const noexcept {
    return sums() + switched_parts * group * degree;
  }  // [limb][digit, or later part]
  std::size_t extended_per_limb() const noexcept { return std::max<std::size_t>(digits, 2); }
  std::size_t words() const noexcept { return extended() + group * extended_per_limb() * degree; }
};

/// One key switch of a few ciphertexts. Each function is one loop over all threads by `Parallel`: (count, words, body).
template <LimbWord W, class Parallel>
class KeySwitchNative {
 public:
  KeySwitchNative(const Kernels<W>& kernels, const Parallel& parallel, const KeySwitchLayout& layout, W* scratch,
                  const KeySwitchConstants& constants, ConstView key)
      : kernels_(kernels), parallel_(parallel), layout_(layout), scratch_(scratch), constants_(constants), key_(key) {}

  void run(View out, ConstView c, const std::optional<ConstView>& addend) const {
    if (layout_.own_coefficients) find_coefficients(c);
    if (layout_.own_lifts) prepare_digits(c);
    const auto added = [&](W*, std::size_t item, std::size_t part, std::size_t limb, std::size_t at, std::size_t) {
      return addend && part < addend->parts ? addend->limb<W>(item, part, limb) + at : nullptr;
    };
    over_groups(out, added, [&](std::size_t first, std::size_t last) {
      extend(c, first, last);
      multiply(
          c.batch, first, last,
          [&](const W** operands, TileScratch<W>&, std::size_t item, std::size_t limb, std::size_t at, std::size_t) {
            for (std::size_t j = 0; j < layout_.digits; ++j) operands[j] = operand(c, item, first, limb, j) + at;
          });
    });
  }

  /// Of digits that were found, both turned as they are used.
  void run_turned(View out, ConstView body, ConstView digits, const Turn& turn) const {
    const auto added = [&](W* tile, std::size_t item, std::size_t part, std::size_t limb, std::size_t at,
                           std::size_t width) -> const W* {
      if (part != 0) return nullptr;
      const W* const whole = body.limb<W>(item, 0, limb);
      if (body.domain == Domain::transform) {
        turn.slots.apply(kernels_, tile, whole, at, width);
      } else {
        turn.coefficients.apply(tile, whole, at, width, constants_.ciphertext_ring->basis().moduli<W>()[limb]);
      }
      return tile;
    };
    over_groups(out, added, [&](std::size_t first, std::size_t last) {
      multiply(digits.batch, first, last,
               [&](const W** operands, TileScratch<W>& scratch, std::size_t item, std::size_t limb, std::size_t at,
                   std::size_t width) {
                 for (std::size_t j = 0; j < layout_.digits; ++j) {
                   W* const turned = scratch.tile(tiles_of_product).data;
                   turn.slots.apply(kernels_, turned, digits.limb<W>(item, j, limb), at, width);
                   operands[j] = turned;
                 }
               });
    });
  }

 private:
  static constexpr std::size_t tiles_of_product = product_tile / conversion_tile;

  /// products(first, last): the sums of a group of limbs. added: a tile of what is added to a limb of the result, or
  /// null; it may be made in memory that is given.
  template <class Added, class Products>
  void over_groups(View out, const Added& added, const Products& products) const {
    for (std::size_t first = 0; first < layout_.limbs; first += layout_.group) {
      const std::size_t last = std::min(layout_.limbs, first + layout_.group);
      products(first, last);
      if (first < layout_.special && layout_.special <= last) prepare_division(out.batch);
      if (layout_.special < last) finish(out, added, std::max(first, layout_.special), last);
    }
  }
  std::size_t n() const noexcept { return layout_.degree; }
  W* scratch(std::size_t item, std::size_t offset, std::size_t polynomial) const noexcept {
    return scratch_ + item * layout_.words() + offset + polynomial * n();
  }
  /// body(first coefficient, width) for the tiles of a polynomial.
  template <class Body>
  void over_tiles(const Body& body) const {
    for (std::size_t at = 0; at < n(); at += conversion_tile) body(at, std::min(conversion_tile, n() - at));
  }

  const W* coefficients(ConstView c, std::size_t item, std::size_t limb) const noexcept {
    return layout_.own_coefficients ? scratch(item, layout_.coefficients(), limb) : c.limb<W>(item, 0, limb);
  }
  /// From one limb of those to the next.
  std::size_t coefficient_words(ConstView c) const noexcept { return layout_.own_coefficients ? n() : c.limb_words(); }
  const W* lift(ConstView c, std::size_t item, std::size_t limb) const noexcept {
    return layout_.own_lifts ? scratch(item, layout_.lifts(), limb) : coefficients(c, item, limb);
  }
  W* sum(std::size_t item, std::size_t first, std::size_t limb, std::size_t part) const noexcept {
    return limb < layout_.special ? scratch(item, layout_.special_sums(), part * layout_.special + limb)
                                  : scratch(item, layout_.sums(), 2 * (limb - first) + part);
  }
  W* extended(std::size_t item, std::size_t index, std::size_t digit) const noexcept {
    return scratch(item, layout_.extended(), index * layout_.extended_per_limb() + digit);
  }
  /// Digit j over limb l, transformed: c itself where it has that limb and is a transform.
  const W* operand(ConstView c, std::size_t item, std::size_t first, std::size_t limb, std::size_t digit) const {
    return stands_in_c(c, limb, digit) ? c.limb<W>(item, 0, limb - layout_.special)
                                       : extended(item, limb - first, digit);
  }
  bool stands_in_c(ConstView c, std::size_t limb, std::size_t digit) const {
    return c.domain == Domain::transform && constants_.digits[digit].extension.copies()[limb] >= 0;
  }

  void find_coefficients(ConstView c) const {
    const std::size_t limbs = layout_.ciphertext_limbs();
    parallel_(limbs * c.batch, limbs * c.batch * n(), [&](std::size_t i) {
      const std::size_t item = i % c.batch, limb = i / c.batch;
      W* const out = scratch(item, layout_.coefficients(), limb);
      const W* const in = c.limb<W>(item, 0, limb);
      std::copy(in, in + n(), out);
      inverse(kernels_, out, *constants_.ciphertext_ring, limb);
    });
  }

  void prepare_digits(ConstView c) const {
    const std::size_t tiles = (n() + conversion_tile - 1) / conversion_tile;
    parallel_(tiles * c.batch, layout_.ciphertext_limbs() * c.batch * n(), [&](std::size_t i) {
      const std::size_t item = i / tiles, at = i % tiles * conversion_tile, width = std::min(conversion_tile, n() - at);
      for (std::size_t j = 0; j < layout_.digits; ++j) {
        const KeySwitchConstants::Digit& digit = constants_.digits[j];
        prepare_conversion<W>(kernels_, {scratch(item, layout_.lifts(), digit.first) + at, n()},
                              scratch(item, layout_.wraps(), j) + at,
                              {coefficients(c, item, digit.first) + at, coefficient_words(c)}, width, digit.extension);
      }
    });
  }

  void extend(ConstView c, std::size_t first, std::size_t last) const {
    const std::size_t jobs = (last - first) * layout_.digits * c.batch;
    parallel_(jobs, jobs * n(), [&](std::size_t i) {
      const std::size_t item = i % c.batch, j = i / c.batch % layout_.digits;
      const std::size_t limb = first + i / c.batch / layout_.digits;
      if (stands_in_c(c, limb, j)) return;
      const KeySwitchConstants::Digit& digit = constants_.digits[j];
      const W* const wraps = layout_.own_lifts ? scratch(item, layout_.wraps(), j) : nullptr;
      convert_and_transform<W>(kernels_, extended(item, limb - first, j), *constants_.key_ring, limb, limb,
                               {coefficients(c, item, digit.first), coefficient_words(c)},
                               {lift(c, item, digit.first), layout_.own_lifts ? n() : coefficient_words(c)}, wraps,
                               digit.extension);
    });
  }

  /// find(operands, scratch, item, limb, first coefficient, width): a tile of each digit.
  template <class Find>
  void multiply(std::size_t items, std::size_t first, std::size_t last, const Find& find) const {
    const std::size_t tiles = (n() + product_tile - 1) / product_tile, limbs = last - first;
    parallel_(limbs * tiles, limbs * layout_.digits * items * n(), [&](std::size_t i) {
      const std::size_t limb = first + i / tiles, at = i % tiles * product_tile;
      const std::size_t width = std::min(product_tile, n() - at);
      auto& operands = Operands<W>::of_thread(layout_.digits);
      for (std::size_t item = 0; item < items; ++item) {
        TileScratch<W> scratch(layout_.given_digits ? tiles_of_product * layout_.digits : 0);
        find(operands.left.data(), scratch, item, limb, at, width);
        for (std::size_t part = 0; part < 2; ++part) {
          for (std::size_t j = 0; j < layout_.digits; ++j) operands.right[j] = key_.limb<W>(j, part, limb) + at;
          kernels_.inner_product(sum(item, first, limb, part) + at, operands.left.data(), operands.right.data(),
                                 layout_.digits, width, constants_.key_ring->basis().moduli<W>()[limb]);
        }
      }
    });
  }

  /// The limbs of P in coefficients and prepared for the conversion to q.
  void prepare_division(std::size_t items) const {
    const BaseConversion& correction = constants_.rounding->correction;
    const std::size_t special = layout_.special, tiles = (n() + conversion_tile - 1) / conversion_tile;
    parallel_(special * 2 * items, special * 2 * items * n(), [&](std::size_t i) {
      const std::size_t item = i % items, part = i / items % 2, limb = i / items / 2;
      inverse_times(kernels_, sum(item, 0, limb, part), *constants_.key_ring, limb,
                    correction.tables<W>().punctured_inverses[limb]);
    });
    if (special == 1) return;
    parallel_(tiles * 2 * items, special * 2 * items * n(), [&](std::size_t i) {
      const std::size_t item = i / tiles / 2, part = i / tiles % 2, at = i % tiles * conversion_tile;
      kernels_.count_wraps(scratch(item, layout_.special_wraps(), part) + at, std::min(conversion_tile, n() - at),
                           Tile<const W>{sum(item, 0, 0, part) + at, n()}, correction, nullptr);
    });
  }

  /// out = what is added + sums, divided by P if there is one, for the limbs [first, last) of the key ring.
  template <class Added>
  void finish(View out, const Added& added, std::size_t first, std::size_t last) const {
    const std::size_t group_first = first / layout_.group * layout_.group;
    const std::size_t jobs = (last - first) * 2 * out.batch;
    parallel_(jobs, jobs * n(), [&](std::size_t i) {
      const std::size_t item = i % out.batch, part = i / out.batch % 2, limb = first + i / out.batch / 2;
      const std::size_t target = limb - layout_.special;
      W* const total = sum(item, group_first, limb, part);
      const bool coefficients = out.domain == Domain::coefficient;
      if (constants_.rounding) {
        divide(item, part, limb, total, extended(item, limb - group_first, part), coefficients);
      } else if (coefficients) {
        inverse(kernels_, total, *constants_.key_ring, limb);
      }
      const bool corrects = constants_.rounding && coefficients;
      const Modulus<W>& q = constants_.ciphertext_ring->basis().moduli<W>()[target];
      W* const result = out.limb<W>(item, part, target);
      over_tiles([&](std::size_t at, std::size_t width) {
        W* const tile = total + at;
        W room[conversion_tile];
        const W* const more = added(room, item, part, target, at, width);
        if (corrects) {
          W* const correction = extended(item, limb - group_first, part);  // of every tile: it stays in cache
          correct(item, part, target, correction, at, width);
          kernels_.add(more != nullptr ? tile : result + at, tile, correction, width, q);
        }
        if (more != nullptr) {
          kernels_.add(result + at, tile, more, width, q);
        } else if (!corrects) {
          std::copy(tile, tile + width, result + at);
        }
      });
    });
  }

  /// total / P, to which for coefficients the correction is still to be added: they are divided as they are transformed
  /// back.
  void divide(std::size_t item, std::size_t part, std::size_t limb, W* total, W* scratch, bool coefficients) const {
    const std::size_t target = limb - layout_.special;
    const W q = constants_.ciphertext_ring->basis().moduli<W>()[target].value();
    const ShoupFactor<W> factor(static_cast<W>(constants_.rounding->factors[target]), q);
    if (coefficients) return inverse_times(kernels_, total, *constants_.key_ring, limb, factor);
    const Tile<const W> in{sum(item, 0, 0, part), n()};
    convert_and_transform<W>(kernels_, scratch, *constants_.key_ring, limb, target, in, in, wraps_of(item, part),
                             constants_.rounding->correction);
    over_tiles([&](std::size_t at, std::size_t width) {
      kernels_.scale_add(total + at, total + at, factor, scratch + at, width, q);
    });
  }
  /// What the division adds to a tile of a limb of q, in coefficients.
  void correct(std::size_t item, std::size_t part, std::size_t target, W* out, std::size_t at,
               std::size_t width) const {
    const Tile<const W> in{sum(item, 0, 0, part) + at, n()};
    convert_limb<W>(kernels_, out, target, in, in, wraps_of(item, part) + at, width, constants_.rounding->correction);
  }
  const W* wraps_of(std::size_t item, std::size_t part) const { return scratch(item, layout_.special_wraps(), part); }

  const Kernels<W>& kernels_;
  const Parallel& parallel_;
  const KeySwitchLayout& layout_;
  W* scratch_;
  const KeySwitchConstants& constants_;
  ConstView key_;
};

}  // namespace cyclotome::cpu
