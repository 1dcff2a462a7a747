// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/study/fermat/limbs/limb_arithmetic.hpp"

#include <algorithm>

namespace cyclotome::study::fermat {

namespace {

std::uint64_t small_modulus(const Limb& limb) noexcept {
  if (limb.aligned()) return 2;  // not used
  return (std::uint64_t{1} << limb.bits) + (limb.plus ? 1 : std::uint64_t(-1));
}

/// value + a + carry; the carry out of it in `carry`.
inline std::uint64_t add_carry(std::uint64_t a, std::uint64_t b, std::uint64_t& carry) noexcept {
  const u128 sum = static_cast<u128>(a) + b + carry;
  carry = static_cast<std::uint64_t>(sum >> 64);
  return static_cast<std::uint64_t>(sum);
}

inline std::uint64_t subtract_borrow(std::uint64_t a, std::uint64_t b, std::uint64_t& borrow) noexcept {
  const u128 difference = static_cast<u128>(a) - b - borrow;
  borrow = static_cast<std::uint64_t>(difference >> 64) & 1;
  return static_cast<std::uint64_t>(difference);
}

/// words += value, a signed number of two words; what leaves the last word: -1, 0 or 1.
inline std::int64_t add_signed(std::uint64_t* words, std::size_t count, i128 value) noexcept {
  for (std::size_t w = 0; w < count; ++w) {
    value += static_cast<i128>(words[w]);
    words[w] = static_cast<std::uint64_t>(value);
    value >>= 64;
  }
  return static_cast<std::int64_t>(value);
}

}  // namespace

BigUnsigned Limb::modulus() const {
  const BigUnsigned power = BigUnsigned::power_of_two(bits);
  return plus ? power + 1 : power - 1;
}

LimbArithmetic::LimbArithmetic(const Limb& limb) noexcept
    : limb_(limb), low_(limb.bits / 64), small_(small_modulus(limb)) {}

bool LimbArithmetic::holds(std::span<const std::uint64_t> words) const noexcept {
  if (!limb_.aligned()) return words[0] < small_.value();
  const auto low = words.first(low_);
  if (!limb_.plus) return std::ranges::any_of(low, [](std::uint64_t w) { return w != ~std::uint64_t{0}; });
  return words[low_] == 0 || (words[low_] == 1 && std::ranges::all_of(low, [](std::uint64_t w) { return w == 0; }));
}

void LimbArithmetic::settle(Out out, std::uint64_t plus, std::uint64_t minus) const noexcept {
  const std::int64_t carry = add_signed(out, low_, static_cast<i128>(plus) - static_cast<i128>(minus));
  const std::int64_t second = add_signed(out, low_, limb_.plus ? -carry : carry);
  if (limb_.plus) {
    // A second carry leaves 2^G, which is 2^G; a second borrow leaves -1, which is 2^G too.
    const auto top = static_cast<std::uint64_t>(second) & 1;
    for (std::size_t w = 0; w < low_; ++w) out[w] &= top - 1;
    out[low_] = top;
  } else {
    std::uint64_t all = ~std::uint64_t{0};
    for (std::size_t w = 0; w < low_; ++w) all &= out[w];
    const std::uint64_t is_modulus = mask_if<std::uint64_t>(all == ~std::uint64_t{0});
    for (std::size_t w = 0; w < low_; ++w) out[w] &= ~is_modulus;
  }
}

void LimbArithmetic::add(Out out, In a, In b) const noexcept {
  if (!limb_.aligned()) {
    out[0] = small_.add(a[0], b[0]);
    return;
  }
  const std::uint64_t tops = limb_.plus ? a[low_] + b[low_] : 0;
  std::uint64_t carry = 0;
  for (std::size_t w = 0; w < low_; ++w) out[w] = add_carry(a[w], b[w], carry);
  if (limb_.plus) {
    settle(out, 0, carry + tops);
  } else {
    settle(out, carry, 0);
  }
}

void LimbArithmetic::subtract(Out out, In a, In b) const noexcept {
  if (!limb_.aligned()) {
    out[0] = small_.subtract(a[0], b[0]);
    return;
  }
  const std::uint64_t top_a = limb_.plus ? a[low_] : 0, top_b = limb_.plus ? b[low_] : 0;
  std::uint64_t borrow = 0;
  for (std::size_t w = 0; w < low_; ++w) out[w] = subtract_borrow(a[w], b[w], borrow);
  if (limb_.plus) {
    settle(out, borrow + top_b, top_a);
  } else {
    settle(out, 0, borrow);
  }
}

void LimbArithmetic::negate(Out out, In a) const noexcept {
  if (!limb_.aligned()) {
    out[0] = small_.negate(a[0]);
    return;
  }
  const std::uint64_t top = limb_.plus ? a[low_] : 0;
  std::uint64_t borrow = 0;
  for (std::size_t w = 0; w < low_; ++w) out[w] = subtract_borrow(0, a[w], borrow);
  if (limb_.plus) {
    settle(out, borrow + top, 0);
  } else {
    settle(out, 0, borrow);
  }
}

void LimbArithmetic::scale(Out out, In a, std::uint64_t factor) const noexcept {
  if (!limb_.aligned()) {
    out[0] = small_.multiply(a[0], small_.reduce(factor));
    return;
  }
  const std::uint64_t top = limb_.plus ? a[low_] : 0;
  std::uint64_t high = 0;
  for (std::size_t w = 0; w < low_; ++w) {
    const u128 term = static_cast<u128>(a[w]) * factor + high;
    out[w] = static_cast<std::uint64_t>(term);
    high = static_cast<std::uint64_t>(term >> 64);
  }
  high += top * factor;  // 2^G has no other bits: one of both is 0
  if (limb_.plus) {
    settle(out, 0, high);
  } else {
    settle(out, high, 0);
  }
}

void LimbArithmetic::reduce(std::span<std::uint64_t> out, std::span<const std::uint64_t> value) const noexcept {
  if (!limb_.aligned()) {
    std::uint64_t rest = 0;
    for (std::size_t w = value.size(); w-- > 0;) rest = small_.reduce_wide((static_cast<u128>(rest) << 64) | value[w]);
    out[0] = rest;
    return;
  }
  // Chunks of G bits are added, or added and subtracted in turn; `high` counts what is carried out of 2^G.
  std::ranges::fill(out, 0);
  std::int64_t high = 0;
  for (std::size_t chunk = 0; chunk * low_ < value.size(); ++chunk) {
    const auto part = value.subspan(chunk * low_, std::min(low_, value.size() - chunk * low_));
    std::uint64_t carry = 0;
    const bool minus = limb_.plus && chunk % 2 == 1;
    for (std::size_t w = 0; w < low_; ++w) {
      const std::uint64_t word = w < part.size() ? part[w] : 0;
      out[w] = minus ? subtract_borrow(out[w], word, carry) : add_carry(out[w], word, carry);
    }
    high += minus ? -static_cast<std::int64_t>(carry) : static_cast<std::int64_t>(carry);
  }
  if (limb_.plus) high = -high;
  const auto positive = static_cast<std::uint64_t>(high) & ~static_cast<std::uint64_t>(high >> 63);
  const auto negative = static_cast<std::uint64_t>(-high) & ~static_cast<std::uint64_t>(-high >> 63);
  settle(out.data(), positive, negative);
}

void LimbArithmetic::puncture(Out out, In a) const noexcept {
  const unsigned shift = limb_.shift, exponent = limb_.exponent();
  if (!limb_.aligned()) {
    const std::uint64_t one = limb_.plus ? std::uint64_t{a[0] != 0} : 0, v = (a[0] - one) >> shift;
    const std::uint64_t rest = a[0] - (v << shift);  // with the one that was taken off
    out[0] = limb_.plus ? (rest << exponent) - v : (rest << exponent) + v;
    return;
  }
  if (shift == 0) {  // one limb: q/q_i is 1
    std::copy_n(a, limb_.words, out);
    return;
  }
  if (!limb_.plus) {  // a rotation of G bits to the right: never all ones, as a is not
    for (std::size_t w = 0; w < low_; ++w) {
      out[w] = (a[w] >> shift) | (a[w + 1 < low_ ? w + 1 : 0] << (64 - shift));
    }
    return;
  }
  // r 2^exponent - v = (r q_i - a) / 2^shift with r in [1, 2^shift] the rest of a - 1, and one more: one borrow,
  // shifted as it comes. It is taken where anything below is not 0, so no word waits for more than the last one's OR.
  const std::uint64_t rest = ((a[0] - 1) & ((std::uint64_t{1} << shift) - 1)) + 1;
  std::uint64_t below = std::uint64_t{a[0] > rest}, word = rest - a[0];
  for (std::size_t w = 1; w < low_; ++w) {
    const std::uint64_t next = 0 - a[w] - std::uint64_t{below != 0};
    below |= a[w];
    out[w - 1] = (word >> shift) | (next << (64 - shift));
    word = next;
  }
  const std::uint64_t top = rest - a[low_] - std::uint64_t{below != 0};
  out[low_ - 1] = (word >> shift) | (top << (64 - shift));
  out[low_] = top >> shift;
  const auto is_zero = std::uint64_t{(below | a[0] | a[low_]) == 0};  // which made q_i
  out[0] ^= is_zero;
  out[low_] ^= is_zero;
}

}  // namespace cyclotome::study::fermat
