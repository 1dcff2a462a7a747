// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/engine/cuda/study/wide_kernels.cuh"

// Integers of many words, a coefficient a thread: q as one integer (study/fermat/limbs/positional.hpp), sums for limbs
// that no lanes hold, and the paper's versions that multiply and divide.
namespace cyclotome::cuda::study {

#if defined(__CUDACC__)

/// Columns of a ToLimb sum, C words a thread and two above them: columns[tile][C + 2][coefficient]. grid.y counts
/// tiles. weights: `low` words for each of `count` factors, the last one the wraps'.
template <unsigned C>
__global__ void to_columns(Word* columns, DeviceRows y, const std::int64_t* wraps, const Word* weights,
                           const Word* start, unsigned low, unsigned count, std::int64_t offset) {
  const Place place(y.degree);
  if (!place.inside) return;
  const std::size_t n = y.degree;
  const unsigned first = blockIdx.y * C;
  const auto moved = static_cast<Word>(offset - wraps[place.c]);
  Word t[C + 2] = {};
  for (unsigned i = 0; i < C && first + i < low; ++i) t[i] = start[first + i];
  for (unsigned j = 0; j < count; ++j) {
    const Word factor = j + 1 == count ? moved : y.data[j * n + place.c];
    Word carry = 0;
#pragma unroll
    for (unsigned i = 0; i < C; ++i) {
      const Word weight = first + i < low ? weights[std::size_t{j} * low + first + i] : 0;
      const u128 term = static_cast<u128>(weight) * factor + t[i] + carry;
      t[i] = static_cast<Word>(term);
      carry = static_cast<Word>(term >> 64);
    }
    t[C] += carry;
    t[C + 1] += Word{t[C] < carry};
  }
  Word* const to = columns + std::size_t{blockIdx.y} * (C + 2) * n + place.c;
#pragma unroll
  for (unsigned i = 0; i < C + 2; ++i) to[i * n] = t[i];
}

/// out (rows) = what columns stand for, modulo 2^(64 low) - 1.
template <unsigned C>
__global__ void join_columns(DeviceRows out, const Word* columns, unsigned low) {
  const Place place(out.degree);
  if (!place.inside) return;
  const std::size_t n = out.degree;
  const unsigned tiles = (low + C - 1) / C;
  const auto column = [&](unsigned tile, unsigned i) {
    return columns[(std::size_t{tile} * (C + 2) + i) * n + place.c];
  };
  Word* const r = out.data + place.c;
  u128 carry = 0;
  for (unsigned w = 0; w < low; ++w) {
    const unsigned tile = w / C, i = w % C;
    carry += column(tile, i);
    if (tile > 0 && i < 2) carry += column(tile - 1, C + i);
    r[w * n] = static_cast<Word>(carry);
    carry >>= 64;
  }
  // Above the last word: what the last tile has there, and behind its words where it is not full.
  const unsigned used = low - (tiles - 1) * C;
  u128 above = carry + column(tiles - 1, used);
  if (used < 2 && tiles > 1) above += column(tiles - 2, C + used);
  above += static_cast<u128>(column(tiles - 1, used + 1)) << 64;
  for (int round = 0; round < 2; ++round) {
    for (unsigned w = 0; w < low; ++w) {
      const u128 sum = above + r[w * n];
      r[w * n] = static_cast<Word>(sum);
      above = sum >> 64;
    }
  }
  Word all = ~Word{0};
  for (unsigned w = 0; w < low; ++w) all &= r[w * n];
  for (unsigned w = 0; all == ~Word{0} && w < low; ++w) r[w * n] = 0;
}

/// positional::round. floor(q/2) is all ones but for the top bit.
static __global__ void round_positional(Word* messages, Word* peak, const Word* x, std::size_t n,
                                        const Modulus<Word>* modulus, unsigned words) {
  const Place place(n);
  const Modulus<Word> t = *modulus;
  const auto half = [&](unsigned w) { return w + 1 == words ? ~Word{0} >> 1 : ~Word{0}; };
  u128 term = 0;
  for (unsigned w = 0; w < words; ++w)
    term = static_cast<u128>(x[w * n + place.c]) * t.value() + half(w) + (term >> 64);
  const auto high = static_cast<Word>(term >> 64);
  Word above = 0, carry = high, all = ~Word{0}, top = 0;
  for (unsigned w = 0; w < words; ++w) {
    const u128 one = static_cast<u128>(x[w * n + place.c]) * t.value() + half(w) + above;
    above = static_cast<Word>(one >> 64);
    top = static_cast<Word>(one) + carry;
    carry = Word{top < carry};
    all &= top;
  }
  const auto rounded = cyclotome::study::fermat::round_top(t, high, carry, all, top);
  if (place.inside) messages[place.c] = rounded.message;
  keep_largest(peak, place.inside ? rounded.distance : 0);
}

/// positional::divide. value: room for 2 words + 3 rows. With 2^(i g) = q (1 + 2^g + ... ) + 1, floor(A/q) is the sum
/// of i A_i over A's chunks of g bits, modulo q, and floor of the sum of all chunks over q.
static __global__ void divide_positional(DeviceRows out, DeviceRows products, Word* value, unsigned words, Word t) {
  const Place place(out.degree);
  if (!place.inside) return;
  const std::size_t n = out.degree;
  const unsigned wide = 2 * words + 2, length = wide + 1;
  const Word* const d = products.part(blockIdx.y) + place.c;
  Word* const a = value + std::size_t{blockIdx.y} * length * n + place.c;
  Word* const r = out.part(blockIdx.y) + place.c;
  const auto offset = [&](unsigned w) { return w > words && w <= 2 * words ? ~Word{0} : 0; };
  u128 carry = 0;
  for (unsigned w = 0; w < wide; ++w) carry = (carry >> 64) + d[w * n] + offset(w);
  Word round = static_cast<Word>(carry >> 64), above = 0;  // modulo 2^(64 wide) - 1 a carry comes in again below
  for (unsigned w = 0; w < wide; ++w) {
    const u128 sum = static_cast<u128>(d[w * n]) + offset(w) + round;
    round = static_cast<Word>(sum >> 64);
    const Word half = w + 1 < words ? ~Word{0} : w + 1 == words ? ~Word{0} >> 1 : 0;
    const u128 term = static_cast<u128>(static_cast<Word>(sum)) * t + half + above;
    a[w * n] = static_cast<Word>(term);
    above = static_cast<Word>(term >> 64);
  }
  a[wide * n] = above;
  // R = the sum of all chunks.
  carry = 0;
  const auto chunks = [&](unsigned w) {
    u128 sum = 0;
    for (unsigned at = w; at < length; at += words) sum += a[at * n];
    return sum;
  };
  for (unsigned w = 0; w < words; ++w) carry = (carry >> 64) + chunks(w);
  const auto over = static_cast<Word>(carry >> 64);
  Word again = over, all = ~Word{0};
  carry = 0;
  for (unsigned w = 0; w < words; ++w) {
    carry = (carry >> 64) + chunks(w);
    const Word sum = static_cast<Word>(carry) + again;
    again = Word{sum < again};
    all &= sum;
  }
  const Word whole = over + (again | Word{all == ~Word{0}});
  // floor(A/q) - t 2^64, modulo q.
  i128 signed_carry = static_cast<i128>(whole);
  for (unsigned w = 0; w < words; ++w) {
    unsigned i = 0;
    for (unsigned at = w; at < length; at += words, ++i) signed_carry += static_cast<i128>(a[at * n]) * i;
    if (w == 1 % words) signed_carry -= static_cast<i128>(t);
    r[w * n] = static_cast<Word>(signed_carry);
    signed_carry >>= 64;
  }
  for (int pass = 0; pass < 2; ++pass) {
    for (unsigned w = 0; w < words; ++w) {
      signed_carry += static_cast<i128>(r[w * n]);
      r[w * n] = static_cast<Word>(signed_carry);
      signed_carry >>= 64;
    }
  }
  all = ~Word{0};
  for (unsigned w = 0; w < words; ++w) all &= r[w * n];
  for (unsigned w = 0; all == ~Word{0} && w < words; ++w) r[w * n] = 0;
}

/// positional::centre. grid.z counts primes; top: the highest row.
static __global__ void centre_residues(DeviceRows residues, DeviceRows top, const Modulus<Word>* moduli,
                                       const Word* q_mod) {
  const Place place(residues.degree);
  if (!place.inside) return;
  Word& r = residues.part(blockIdx.y)[blockIdx.z * residues.degree + place.c];
  r = moduli[blockIdx.z].subtract(r, q_mod[blockIdx.z] & (0 - (top.part(blockIdx.y)[place.c] >> 63)));
}

/// What a version of FastBConv's first half does without the shifts of paper 003.
struct GeneralPuncture {
  std::uint32_t multiplies;  ///< a product of integers; else a shift
  std::uint32_t divides;     ///< a division; else Lemma 3's quotient
  std::uint32_t inverse_words, divisor_words;
};

/// y = x 2^exponent mod q_i, of an aligned limb, by the schoolbook. inverse: words of 2^exponent; divisor: of q_i,
/// shifted up by `shift` so that the top bit is set; product: room for inverse_words + words + 2 rows a part.
static __global__ void puncture_generally(DeviceRows out, DeviceRows in, Word* product, const Word* inverse,
                                          const Word* divisor, unsigned shift, GeneralPuncture general,
                                          DeviceLimb limb) {
  const Place place(out.degree);
  if (!place.inside) return;
  const std::size_t n = out.degree;
  const unsigned words = limb.words, length = words + general.inverse_words, m = general.divisor_words;
  const Word* const x = in.part(blockIdx.y) + place.c;
  Word* const y = out.part(blockIdx.y) + place.c;
  Word* const p = product + std::size_t{blockIdx.y} * (length + 2) * n + place.c;
  if (general.multiplies != 0) {
    TripleWord sum{};
    for (unsigned k = 0; k < length; ++k) {
      const unsigned first = k < general.inverse_words ? 0 : k - general.inverse_words + 1;
      for (unsigned j = first; j <= k && j < words; ++j) sum.add_product(x[j * n], inverse[k - j]);
      p[k * n] = sum.low;
      sum = {sum.middle, sum.high, 0};
    }
  } else {
    const unsigned exponent = limb.bits - limb.shift, whole = exponent / 64, rest = exponent % 64;
    for (unsigned k = 0; k < length; ++k) {
      const Word at = k >= whole && k - whole < words ? x[(k - whole) * n] : 0;
      const Word under = k > whole && k - whole - 1 < words ? x[(k - whole - 1) * n] : 0;
      p[k * n] = rest == 0 ? at : at << rest | under >> (64 - rest);
    }
  }
  if (general.divides == 0) {  // product - q_i v, v = (x - [x > 0]) >> shift
    Word any = 0;
    for (unsigned w = 0; w < words; ++w) any |= x[w * n];
    Word borrow = limb.plus != 0 ? Word{any != 0} : 0, carry = 0, v0 = 0;
    const auto less_one = [&](unsigned w) {
      const Word value = w < words ? x[w * n] : 0, result = value - borrow;
      borrow &= Word{value == 0};
      return result;
    };
    Word here = less_one(0);
    for (unsigned w = 0; w < words; ++w) {
      const Word next = w + 1 < words ? less_one(w + 1) : 0;
      const Word v = limb.shift == 0 ? here : here >> limb.shift | next << (64 - limb.shift);
      here = next;
      if (w == 0) v0 = v;
      const u128 sum =
          limb.plus != 0 ? static_cast<u128>(p[w * n]) - v - carry : static_cast<u128>(p[w * n]) + v + carry;
      carry = static_cast<Word>(sum >> 64) & 1;
      y[w * n] = static_cast<Word>(sum) - (limb.plus != 0 && w + 1 == words ? v0 : 0);
    }
    return;
  }
  // Knuth, TAOCP 4.3.1, algorithm D, with the divisor's top bit set.
  p[length * n] = 0;
  for (unsigned k = length + 1; shift != 0 && k-- > 0;) {
    p[k * n] = p[k * n] << shift | (k > 0 ? p[(k - 1) * n] >> (64 - shift) : 0);
  }
  const Word v1 = divisor[m - 1], v2 = m > 1 ? divisor[m - 2] : 0;
  for (unsigned j = length + 1 - m; j-- > 0;) {
    const Word u0 = p[(j + m) * n], u1 = p[(j + m - 1) * n], u2 = m > 1 ? p[(j + m - 2) * n] : 0;
    const u128 numerator = static_cast<u128>(u0) << 64 | u1;
    u128 digit = u0 >= v1 ? ~Word{0} : numerator / v1, rest = numerator - digit * v1;
    while (rest >> 64 == 0 && digit * v2 > (rest << 64 | u2)) {
      --digit;
      rest += v1;
    }
    Word carry = 0, borrow = 0;
    for (unsigned i = 0; i <= m; ++i) {
      const u128 term = (i < m ? digit * divisor[i] : 0) + carry;
      carry = static_cast<Word>(term >> 64);
      const u128 difference = static_cast<u128>(p[(j + i) * n]) - static_cast<Word>(term) - borrow;
      borrow = static_cast<Word>(difference >> 64) & 1;
      p[(j + i) * n] = static_cast<Word>(difference);
    }
    if (borrow == 0) continue;
    carry = 0;
    for (unsigned i = 0; i <= m; ++i) {
      const u128 sum = static_cast<u128>(p[(j + i) * n]) + (i < m ? divisor[i] : 0) + carry;
      carry = static_cast<Word>(sum >> 64);
      p[(j + i) * n] = static_cast<Word>(sum);
    }
  }
  for (unsigned w = 0; w < words; ++w) {
    const Word here = w < m ? p[w * n] : 0, above = w + 1 < m ? p[(w + 1) * n] : 0;
    y[w * n] = shift == 0 ? here : here >> shift | above << (64 - shift);
  }
}

#endif

}  // namespace cyclotome::cuda::study
