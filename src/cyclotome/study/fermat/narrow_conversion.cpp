// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/study/fermat/narrow_conversion.hpp"

#include <algorithm>

#include "cyclotome/math/bits.hpp"
#include "cyclotome/math/interrupt.hpp"
#include "cyclotome/math/secure_zero.hpp"

namespace cyclotome::study::fermat {

namespace {

/// A word in three pieces, so that their products with 31 bits can be added up some hundred times.
constexpr unsigned low_bits = 22, middle_bits = 21;
constexpr std::size_t most_words = 600, tile_size = 256;
constexpr std::uint64_t odd_limit = std::uint64_t{1} << 31, even_limit = std::uint64_t{1} << 32;

#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && __GNUC__ >= 12 && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define CYCLOTOME_WIDEST_VECTORS __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define CYCLOTOME_WIDEST_VECTORS
#endif

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

/// r of y = (r q_i - x)/2^i, or (x + r q_i)/2^i of the last limb: 0 for x = 0. No branch on x.
std::uint64_t rest_of(std::uint64_t word, std::uint64_t any, const Limb& limb) noexcept {
  const std::uint64_t mask = (std::uint64_t{1} << limb.shift) - 1;
  if (limb.shift == 0) return 0;
  return limb.plus ? (((word - 1) & mask) + 1) & mask_if<std::uint64_t>(any != 0) : word & mask;
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
  const std::uint64_t lowest = lowest_of(limb);
  for (std::size_t j = 0; j < targets_.size(); ++j) {
    const std::uint64_t weight = targets_[j].rests[i];
    for (std::size_t c = 0; c < count; ++c) {
      const std::uint64_t x = rows[c], r = rest_of(x, any[c], limb), multiple = r * lowest;
      // Of 0 r is 0, and so is y.
      const std::uint64_t y = (limb.plus && limb.shift != 0 ? multiple - x : x + multiple) >> limb.shift;
      sums[j * degree + c] += (targets_[j].even ? y : r) * weight;
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
      for (std::size_t c = first; c < first + count; ++c) {
        std::uint64_t& sum = out[j * degree + c];
        sum = targets_[j].even ? sum & (m.value() - 1) : m.reduce(sum);
      }
    }
  }
  secure_zero(any, sizeof any);  // of a phase, when decrypting
}

}  // namespace cyclotome::study::fermat
