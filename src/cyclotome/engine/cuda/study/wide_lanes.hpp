// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/math/bits.hpp"
#include "cyclotome/math/word.hpp"

// Numbers modulo 2^G + 1 and 2^G - 1, G a multiple of 64, spread over lanes of a warp: lane l holds words l C ... l C +
// C - 1 of the lowest G bits, and 2^G itself is a word beside them, which all lanes know. A narrow number has one lane.
// Carries between lanes take one look at what every lane would do with one: two ballots and an addition, in place of a
// ripple. Compiled for the host too, where a test plays the lanes.
namespace cyclotome::cuda::study {

#if defined(__CUDACC__)

/// The lanes of one number, out of a warp's 32: `count` of them next to each other, a power of two. Every thread of the
/// warp takes part in every call.
struct WarpLanes {
  unsigned count;

  __device__ unsigned lane() const { return threadIdx.x & (count - 1); }
  /// Bit l: what lane l says.
  __device__ std::uint32_t ballot(bool said) const {
    const std::uint32_t all = __ballot_sync(~0U, said) >> (threadIdx.x & 31 & ~(count - 1));
    return count == 32 ? all : all & ((1U << count) - 1);
  }
  /// What lane `from` has.
  __device__ std::uint64_t of_lane(std::uint64_t x, unsigned from) const {
    return __shfl_sync(~0U, x, static_cast<int>(from), static_cast<int>(count));
  }
};

#endif

/// Bit l: whether a carry enters lane l; bit `count`: whether one leaves the last. generate: lanes that carry by
/// themselves; propagate: others, that pass one on.
CYCLOTOME_HD constexpr std::uint64_t carries_into(std::uint64_t generate, std::uint64_t propagate) noexcept {
  return ((generate | propagate) + generate) ^ propagate;
}

/// The arithmetic of one number on its lanes. plus: modulo 2^G + 1.
template <class Lanes, unsigned C>
class LaneArithmetic {
 public:
  using Word = std::uint64_t;
  CYCLOTOME_HD constexpr LaneArithmetic(Lanes lanes, bool plus) : lanes_(lanes), plus_(plus), lane_(lanes.lane()) {}
  CYCLOTOME_HD constexpr unsigned lane() const { return lane_; }

  // The word 2^G of each result is what the function gives.

  CYCLOTOME_HD constexpr Word add(Word (&t)[C], const Word (&a)[C], Word top_a, const Word (&b)[C], Word top_b) const {
    Word carry = 0;
    for (unsigned i = 0; i < C; ++i) t[i] = add_carry(a[i], b[i], carry);
    const i128 out = spread<true>(t, carry != 0) ? 1 : 0;
    return settle(t, plus_ ? -out - static_cast<i128>(top_a + top_b) : out);
  }

  CYCLOTOME_HD constexpr Word subtract(Word (&t)[C], const Word (&a)[C], Word top_a, const Word (&b)[C],
                                       Word top_b) const {
    Word borrow = 0;
    for (unsigned i = 0; i < C; ++i) t[i] = subtract_borrow(a[i], b[i], borrow);
    const i128 out = spread<false>(t, borrow != 0) ? 1 : 0;
    return settle(t, plus_ ? out + static_cast<i128>(top_b) - static_cast<i128>(top_a) : -out);
  }

  CYCLOTOME_HD constexpr Word scale(Word (&t)[C], const Word (&a)[C], Word top, Word factor) const {
    Word high = 0;
    for (unsigned i = 0; i < C; ++i) {
      const u128 term = static_cast<u128>(a[i]) * factor + high;
      t[i] = static_cast<Word>(term);
      high = static_cast<Word>(term >> 64);
    }
    const Word extra[2] = {high, 0};
    const u128 out = push_up(t, extra) + top * factor;  // one of both is 0 where the top is not
    return settle(t, plus_ ? -static_cast<i128>(out) : static_cast<i128>(out));
  }

  /// |a 2^(G - shift)|, 0 < shift < 64: LimbArithmetic::puncture. Its one borrow is taken wherever anything below is
  /// not 0, so that lanes need no carries at all.
  CYCLOTOME_HD constexpr Word puncture(Word (&out)[C], const Word (&a)[C], Word top, unsigned shift) const {
    if (!plus_) {  // a rotation
      const Word above = lanes_.of_lane(a[0], (lane_ + 1) % lanes_.count);
      for (unsigned i = 0; i < C; ++i) out[i] = (a[i] >> shift) | ((i + 1 < C ? a[i + 1] : above) << (64 - shift));
      return 0;
    }
    const Word first = lanes_.of_lane(a[0], 0), rest = ((first - 1) & ((Word{1} << shift) - 1)) + 1;
    Word any = lane_ == 0 ? Word{first > rest} : a[0];
    for (unsigned i = 1; i < C; ++i) any |= a[i];
    const std::uint32_t some = lanes_.ballot(any != 0);
    // What rest q_i - a has in each word.
    Word below = Word{(some & ((1U << lane_) - 1)) != 0}, word[C + 1] = {};
    for (unsigned i = 0; i < C; ++i) {
      const bool lowest = lane_ == 0 && i == 0;
      word[i] = lowest ? rest - first : 0 - a[i] - Word{below != 0};
      below |= lowest ? Word{first > rest} : a[i];
    }
    const Word last = rest - top - Word{some != 0};
    word[C] = lanes_.of_lane(word[0], (lane_ + 1) % lanes_.count);
    if (lane_ + 1 == lanes_.count) word[C] = last;
    for (unsigned i = 0; i < C; ++i) out[i] = (word[i] >> shift) | (word[i + 1] << (64 - shift));
    const bool zero = (some == 0) && first == 0 && top == 0;  // which made q_i
    if (zero && lane_ == 0) out[0] ^= 1;
    return (last >> shift) ^ Word { zero };
  }

  /// t + extra 2^(64 C), extra of each lane added to the next one: residue of a sum whose columns lanes made alone.
  /// minus: times 2^G, to be taken off (modulo 2^G + 1). For C = 1 there is one lane.
  CYCLOTOME_HD constexpr Word fold(Word (&t)[C], const Word (&extra)[2], u128 minus) const {
    if constexpr (C == 1) {
      // 2^128 is 1 and 2^64 is -1, or 1.
      const auto low = static_cast<i128>(extra[0]), high = static_cast<i128>(extra[1]);
      Word top = settle(t, plus_ ? -low : low);
      top = settle(t, high - static_cast<i128>(top));
      if (minus != 0) {
        top = settle(t, -static_cast<i128>(static_cast<Word>(minus)) - static_cast<i128>(top));
        top = settle(t, static_cast<i128>(minus >> 64) - static_cast<i128>(top));
      }
      return top;
    } else {
      const auto out = static_cast<i128>(push_up(t, extra));
      return settle(t, plus_ ? -out - static_cast<i128>(minus) : out);
    }
  }

 private:
  CYCLOTOME_HD static constexpr Word add_carry(Word a, Word b, Word& carry) {
    const u128 sum = static_cast<u128>(a) + b + carry;
    carry = static_cast<Word>(sum >> 64);
    return static_cast<Word>(sum);
  }
  CYCLOTOME_HD static constexpr Word subtract_borrow(Word a, Word b, Word& borrow) {
    const u128 difference = static_cast<u128>(a) - b - borrow;
    borrow = static_cast<Word>(difference >> 64) & 1;
    return static_cast<Word>(difference);
  }
  CYCLOTOME_HD static constexpr Word all_of(const Word (&t)[C]) {
    Word all = ~Word{0};
    for (unsigned i = 0; i < C; ++i) all &= t[i];
    return all;
  }
  CYCLOTOME_HD static constexpr Word any_of(const Word (&t)[C]) {
    Word any = 0;
    for (unsigned i = 0; i < C; ++i) any |= t[i];
    return any;
  }

  /// Carries (or borrows) that lanes made alone go to the lanes above them; whether one leaves the last.
  template <bool Up>
  CYCLOTOME_HD constexpr bool spread(Word (&t)[C], bool made) const {
    const bool passes = Up ? all_of(t) == ~Word{0} : any_of(t) == 0;
    const std::uint64_t into = carries_into(lanes_.ballot(made), lanes_.ballot(passes && !made));
    Word carry = (into >> lane_) & 1;
    for (unsigned i = 0; i < C; ++i) t[i] = Up ? add_carry(t[i], 0, carry) : subtract_borrow(t[i], 0, carry);
    return ((into >> lanes_.count) & 1) != 0;
  }

  /// Each lane's two words above it are added to the next lane; what the last one has above it.
  CYCLOTOME_HD constexpr u128 push_up(Word (&t)[C], const Word (&extra)[2]) const {
    const unsigned previous = (lane_ + lanes_.count - 1) % lanes_.count;
    Word low = lanes_.of_lane(extra[0], previous), high = lanes_.of_lane(extra[1], previous);
    const u128 above = static_cast<u128>(lanes_.of_lane(extra[1], lanes_.count - 1)) << 64 |
                       lanes_.of_lane(extra[0], lanes_.count - 1);
    if (lane_ == 0) low = high = 0;
    Word carry = 0;
    for (unsigned i = 0; i < C; ++i) t[i] = add_carry(t[i], i == 0 ? low : i == 1 ? high : 0, carry);
    return above + (spread<true>(t, carry != 0) ? 1 : 0);
  }

  /// t += value, |value| <= 2^64 in one word, < 2^100 in more; -1, 0 or 1 leaves the last lane.
  CYCLOTOME_HD constexpr int add_signed(Word (&t)[C], i128 value) const {
    if (lane_ != 0) value = 0;
    for (unsigned i = 0; i < C; ++i) {
      value += static_cast<i128>(t[i]);
      if (lane_ == 0) t[i] = static_cast<Word>(value);
      value >>= 64;
    }
    if (lanes_.count == 1) return static_cast<int>(value);
    const auto carry = static_cast<int>(
        static_cast<std::int64_t>(lanes_.of_lane(static_cast<Word>(static_cast<std::int64_t>(value)), 0)));
    // Through lanes of ones, or of zeros.
    const bool passes = carry > 0 ? all_of(t) == ~Word{0} : any_of(t) == 0;
    const std::uint64_t stops = ~static_cast<std::uint64_t>(lanes_.ballot(passes)) & ~std::uint64_t{1};
    if (lane_ != 0 && (stops & ((std::uint64_t{1} << lane_) - 1)) == 0) {  // nothing stops it below
      i128 moved = carry;
      for (unsigned i = 0; i < C; ++i) {
        moved += static_cast<i128>(t[i]);
        t[i] = static_cast<Word>(moved);
        moved >>= 64;
      }
    }
    return (stops & ((std::uint64_t{1} << lanes_.count) - 1)) == 0 ? carry : 0;
  }

  /// Canonical residue of t + value; its word 2^G.
  CYCLOTOME_HD constexpr Word settle(Word (&t)[C], i128 value) const {
    const int carry = add_signed(t, value), second = add_signed(t, plus_ ? -carry : carry);
    bool zero = false;
    if (plus_) {  // a second carry leaves 2^G, a second borrow -1, which is 2^G too
      zero = (second & 1) != 0;
    } else {
      const std::uint32_t ones = lanes_.ballot(all_of(t) == ~Word{0});
      zero = ones == static_cast<std::uint32_t>((std::uint64_t{1} << lanes_.count) - 1);
    }
    for (unsigned i = 0; i < C; ++i) t[i] = zero ? 0 : t[i];
    return Word{plus_ && zero};
  }

  Lanes lanes_;
  bool plus_;
  unsigned lane_;
};

}  // namespace cyclotome::cuda::study
