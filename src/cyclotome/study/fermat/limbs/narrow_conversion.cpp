// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/study/fermat/limbs/narrow_conversion.hpp"

#include <algorithm>

#include "cyclotome/math/bits.hpp"
#include "cyclotome/math/interrupt.hpp"
#include "cyclotome/math/secure_zero.hpp"
#include "cyclotome/math/widest_vectors.hpp"

namespace cyclotome::study::fermat {

namespace {

/// A word in three pieces, so that their products with 31 bits can be added up some hundred times.
constexpr unsigned low_bits = 22, middle_bits = 21;
constexpr std::size_t most_words = 600, tile_size = 256;
constexpr std::uint64_t odd_limit = std::uint64_t{1} << 31, even_limit = std::uint64_t{1} << 32;

/// sums += one limb's words times their pieces' weights; any: the OR of the words.
CYCLOTOME_WIDEST_VECTORS void add_rows(std::uint64_t* sums, std::uint64_t* any, const std::uint64_t* rows,
                                       std::size_t degree, std::size_t words, std::size_t count,
                                       const std::uint32_t* pieces) {
  for (std::size_t w = 0; w < words; ++w) {
    const std::uint64_t* const row = rows + w * degree;
    const std::uint64_t low = pieces[3 * w], middle = pieces[3 * w + 1], high = pieces[3 * w + 2];
    for (std::size_t c = 0; c < count; ++c) {
      const std::uint64_t v = row[c];
      any[c] |= v;
      sums[c] += (v & ((1U << low_bits) - 1)) * low + ((v >> low_bits) & ((1U << middle_bits) - 1)) * middle +
                 (v >> (low_bits + middle_bits)) * high;
    }
  }
}

/// The OR of rows, where nothing else is asked of them.
CYCLOTOME_WIDEST_VECTORS void or_rows(std::uint64_t* any, const std::uint64_t* rows, std::size_t degree,
                                      std::size_t words, std::size_t count) {
  for (std::size_t w = 0; w < words; ++w) {
    for (std::size_t c = 0; c < count; ++c) any[c] |= rows[w * degree + c];
  }
}

/// rests (the OR of a limb's words, before) = r of y = (r q_i - x)/2^i, or (x + r q_i)/2^i of the last limb: 0 for
/// x = 0. No branch on x.
CYCLOTOME_WIDEST_VECTORS void to_rests(std::uint64_t* rests, const std::uint64_t* row, std::size_t count, bool plus,
                                       unsigned shift) {
  const std::uint64_t mask = (std::uint64_t{1} << shift) - 1;
  if (plus && shift != 0) {
    for (std::size_t c = 0; c < count; ++c)
      rests[c] = (((row[c] - 1) & mask) + 1) & mask_if<std::uint64_t>(rests[c] != 0);
  } else {
    for (std::size_t c = 0; c < count; ++c) rests[c] = row[c] & mask;
  }
}

/// sums += r weight, both below 2^32.
CYCLOTOME_WIDEST_VECTORS void add_rests(std::uint64_t* sums, const std::uint64_t* rests, std::size_t count,
                                        std::uint32_t weight) {
  for (std::size_t c = 0; c < count; ++c) sums[c] += (rests[c] & 0xffffffff) * weight;
}

/// sums += y weight, modulo 2^32, of y's lowest word. lowest: of q_i.
CYCLOTOME_WIDEST_VECTORS void add_lowest(std::uint64_t* sums, const std::uint64_t* rests, const std::uint64_t* row,
                                         std::size_t count, std::uint64_t lowest, bool minus, unsigned shift,
                                         std::uint64_t weight) {
  const std::uint64_t sign = minus ? ~std::uint64_t{0} : 0;  // (a ^ sign) - sign is -a
  for (std::size_t c = 0; c < count; ++c) {
    sums[c] += (((rests[c] * lowest + ((row[c] ^ sign) - sign)) >> shift) & 0xffffffff) * weight;
  }
}

/// Sums modulo an odd m below 2^31. ratio: floor(2^64/m).
CYCLOTOME_WIDEST_VECTORS void reduce_row(std::uint64_t* sums, std::size_t count, std::uint64_t m, std::uint64_t ratio) {
  for (std::size_t c = 0; c < count; ++c) {
    const std::uint64_t rest = sums[c] - multiply_high(sums[c], ratio) * m;
    sums[c] = rest - (m & mask_if<std::uint64_t>(rest >= m));
  }
}

/// The lowest word of q_i.
std::uint64_t lowest_of(const Limb& limb) noexcept {
  const std::uint64_t power = limb.aligned() ? 0 : std::uint64_t{1} << limb.bits;
  return limb.plus ? power + 1 : power - 1;
}

}  // namespace

bool NarrowConversion::serves(const Punctured& source, const Basis& target) {
  const auto* const fermat = dynamic_cast<const FermatPunctured*>(&source);
  return fermat != nullptr && fermat->method() == Method::both && source.words() <= most_words &&
         std::ranges::all_of(target.values(), [](std::uint64_t m) {
           return m % 2 == 1 ? m < odd_limit : is_power_of_two(m) && m <= even_limit;
         });
}

NarrowConversion::NarrowConversion(const FermatPunctured& source, Basis target,
                                   const std::vector<std::uint64_t>& weights)
    : basis_(source.basis()), target_(std::move(target)) {
  const std::size_t words = source.words();
  for (std::size_t j = 0; j < target_.size(); ++j) {
    const Modulus<std::uint64_t>& m = target_.moduli<std::uint64_t>()[j];
    const std::uint64_t* const own = weights.data() + j * words;
    Target one{{}, {}, m.value() % 2 == 0};
    for (const Limb& limb : basis_.limbs()) {
      if (one.even) {
        one.rests.push_back(own[limb.first_word]);
        continue;
      }
      const std::uint64_t shifted = inverse_or_zero(m.power(m.reduce(2), limb.shift), m.value());
      const std::uint64_t scale = limb.plus ? m.negate(shifted) : shifted;
      for (std::size_t w = 0; w < limb.words; ++w) {
        const std::uint64_t weight = m.multiply(own[limb.first_word + w], scale);
        for (const unsigned up : {0U, low_bits, low_bits + middle_bits}) {
          one.pieces.push_back(static_cast<std::uint32_t>(m.multiply(weight, m.power(m.reduce(2), up))));
        }
      }
      one.rests.push_back(m.multiply(m.multiply(own[limb.first_word], shifted), limb.modulus().mod(m.value())));
    }
    targets_.push_back(std::move(one));
  }
}

void NarrowConversion::add_limb(std::uint64_t* sums, std::uint64_t* any, const std::uint64_t* in, std::size_t degree,
                                std::size_t count, std::size_t i) const {
  const Limb& limb = basis_.limbs()[i];
  const std::uint64_t* const rows = in + limb.first_word * degree;
  std::fill_n(any, count, 0);
  bool looked = false;
  for (std::size_t j = 0; j < targets_.size(); ++j) {
    if (targets_[j].even) continue;
    add_rows(sums + j * degree, any, rows, degree, limb.words, count, targets_[j].pieces.data() + 3 * limb.first_word);
    looked = true;
  }
  if (!looked) or_rows(any, rows, degree, limb.words, count);
  to_rests(any, rows, count, limb.plus, limb.shift);
  for (std::size_t j = 0; j < targets_.size(); ++j) {
    const std::uint64_t weight = targets_[j].rests[i];
    if (targets_[j].even) {
      add_lowest(sums + j * degree, any, rows, count, lowest_of(limb), limb.plus && limb.shift != 0, limb.shift,
                 weight);
    } else if (limb.shift != 0) {
      add_rests(sums + j * degree, any, count, static_cast<std::uint32_t>(weight));
    }
  }
}

void NarrowConversion::run(std::uint64_t* out, const std::uint64_t* in, std::size_t degree, std::size_t begin,
                           std::size_t size) const {
  alignas(64) std::uint64_t any[tile_size];
  for (std::size_t first = begin; first < begin + size; first += tile_size) {
    check_interrupt_often();
    const std::size_t count = std::min(tile_size, begin + size - first);
    for (std::size_t j = 0; j < targets_.size(); ++j) std::fill_n(out + j * degree + first, count, 0);
    for (std::size_t i = 0; i < basis_.limbs().size(); ++i) add_limb(out + first, any, in + first, degree, count, i);
    for (std::size_t j = 0; j < targets_.size(); ++j) {
      const Modulus<std::uint64_t>& m = target_.moduli<std::uint64_t>()[j];
      std::uint64_t* const sums = out + j * degree + first;
      if (targets_[j].even) {
        for (std::size_t c = 0; c < count; ++c) sums[c] &= m.value() - 1;
      } else {
        reduce_row(sums, count, m.value(), ~std::uint64_t{0} / m.value());
      }
    }
  }
  secure_zero(any, sizeof any);  // of a phase, when decrypting
}

}  // namespace cyclotome::study::fermat
