// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/engine/cuda/study/wide_lanes.hpp"
#include "cyclotome/study/fermat/limbs/rounding.hpp"

// Kernels on words[part][word][coefficient] of one limb, or of residues[part][limb][coefficient]. grid.y counts parts.
// Every thread computes to the end, so that warps stay whole; those beyond the last coefficient store nothing.
namespace cyclotome::cuda::study {

using Word = std::uint64_t;

inline constexpr unsigned wide_threads = 128;

/// One limb for kernels.
struct DeviceLimb {
  std::uint32_t bits, plus, shift, words;
};

/// Rows of several parts.
struct DeviceRows {
  Word* data;
  std::size_t stride;
  std::size_t degree;

  CYCLOTOME_HD Word* part(unsigned p) const { return data + p * stride; }
};

/// Three words of a sum of products.
struct TripleWord {
  Word low, middle, high;

  CYCLOTOME_HD constexpr void add_product(Word a, Word b) {
    const u128 product = static_cast<u128>(a) * b;
    const u128 lower = (static_cast<u128>(middle) << 64 | low) + product;
    high += Word{lower < product};
    low = static_cast<Word>(lower);
    middle = static_cast<Word>(lower >> 64);
  }
  CYCLOTOME_HD constexpr void add(const TripleWord& other) {
    const u128 one = static_cast<u128>(other.middle) << 64 | other.low;
    const u128 lower = (static_cast<u128>(middle) << 64 | low) + one;
    high += other.high + Word{lower < one};
    low = static_cast<Word>(lower);
    middle = static_cast<Word>(lower >> 64);
  }
  CYCLOTOME_HD constexpr Word modulo(const Modulus<Word>& m) const {
    const Word upper = m.reduce_wide(static_cast<u128>(m.reduce(high)) << 64 | middle);
    return m.reduce_wide(static_cast<u128>(upper) << 64 | low);
  }
};

#if defined(__CUDACC__)

/// Which coefficient a thread works on, and whether it is one.
struct Place {
  std::size_t c;
  bool inside;
  __device__ Place(std::size_t index, std::size_t degree)
      : c(index < degree ? index : degree - 1), inside(index < degree) {}
  __device__ explicit Place(std::size_t degree) : Place(blockIdx.x * std::size_t{blockDim.x} + threadIdx.x, degree) {}
};

/// What a limb's number is, on its lanes.
template <unsigned C>
struct Loaded {
  Word word[C], top;
  __device__ Loaded(const Word* rows, std::size_t c, std::size_t degree, unsigned lane, const DeviceLimb& limb) {
#pragma unroll
    for (unsigned i = 0; i < C; ++i) word[i] = rows[(std::size_t{lane} * C + i) * degree + c];
    top = limb.plus != 0 ? rows[std::size_t{limb.words - 1} * degree + c] : 0;
  }
};

template <unsigned C>
__device__ void store(Word* rows, const Word (&t)[C], Word top, const Place& place, std::size_t degree, unsigned lane,
                      const DeviceLimb& limb) {
  if (!place.inside) return;
#pragma unroll
  for (unsigned i = 0; i < C; ++i) rows[(std::size_t{lane} * C + i) * degree + place.c] = t[i];
  if (limb.plus != 0 && lane == 0) rows[std::size_t{limb.words - 1} * degree + place.c] = top;
}

enum class LimbOperation { add, subtract, scale, puncture };

/// An aligned limb: every number on `lanes` lanes of C words. b: for sums.
template <unsigned C, LimbOperation Operation>
__global__ void on_lanes(DeviceRows out, DeviceRows a, DeviceRows b, DeviceLimb limb, unsigned lanes, Word factor) {
  const std::size_t n = out.degree;
  const Place place((blockIdx.x * std::size_t{blockDim.x} + threadIdx.x) / lanes, n);
  const LaneArithmetic<WarpLanes, C> arithmetic(WarpLanes{lanes}, limb.plus != 0);
  const unsigned lane = arithmetic.lane();
  const Loaded<C> x(a.part(blockIdx.y), place.c, n, lane, limb);
  Word t[C], top;
  if constexpr (Operation == LimbOperation::scale) {
    top = arithmetic.scale(t, x.word, x.top, factor);
  } else if constexpr (Operation == LimbOperation::puncture) {
    top = arithmetic.puncture(t, x.word, x.top, limb.shift);
  } else {
    const Loaded<C> y(b.part(blockIdx.y), place.c, n, lane, limb);
    top = Operation == LimbOperation::add ? arithmetic.add(t, x.word, x.top, y.word, y.top)
                                          : arithmetic.subtract(t, x.word, x.top, y.word, y.top);
  }
  store<C>(out.part(blockIdx.y), t, top, place, n, lane, limb);
}

/// ToLimb of an aligned limb. weights: the limb's lowest words for each of `count` factors, the last one's the wraps';
/// tops: their words 2^G, or null where all are 0; start: the limb's words.
template <unsigned C>
__global__ void to_lanes(DeviceRows out, DeviceRows y, const std::int64_t* wraps, const Word* weights, const Word* tops,
                         const Word* start, DeviceLimb limb, unsigned lanes, unsigned count, std::int64_t offset) {
  const std::size_t n = out.degree, low = std::size_t{lanes} * C;
  const Place place((blockIdx.x * std::size_t{blockDim.x} + threadIdx.x) / lanes, n);
  const LaneArithmetic<WarpLanes, C> arithmetic(WarpLanes{lanes}, limb.plus != 0);
  const unsigned lane = arithmetic.lane();
  const Word* const from = y.part(blockIdx.y) + place.c;
  const auto moved = static_cast<Word>(offset - wraps[blockIdx.y * n + place.c]);
  Word t[C], extra[2] = {0, 0};
  u128 minus = limb.plus != 0 ? start[limb.words - 1] : 0;
#pragma unroll
  for (unsigned i = 0; i < C; ++i) t[i] = start[lane * C + i];
  for (unsigned j = 0; j < count; ++j) {
    const Word factor = j + 1 == count ? moved : from[j * n];
    const Word* const weight = weights + j * low + lane * C;
    Word carry = 0;
#pragma unroll
    for (unsigned i = 0; i < C; ++i) {
      const u128 term = static_cast<u128>(weight[i]) * factor + t[i] + carry;
      t[i] = static_cast<Word>(term);
      carry = static_cast<Word>(term >> 64);
    }
    extra[0] += carry;
    extra[1] += Word{extra[0] < carry};
    if (tops != nullptr) minus += static_cast<u128>(tops[j]) * factor;
  }
  const Word top = arithmetic.fold(t, extra, minus);
  store<C>(out.part(blockIdx.y), t, top, place, n, lane, limb);
}

/// Limbs of less than a word, modulo 2^G + 1 or 2^G - 1 below 2^33.
template <LimbOperation Operation>
__global__ void on_small(DeviceRows out, DeviceRows a, DeviceRows b, const Modulus<Word>* modulus, Word factor) {
  const Place place(out.degree);
  if (!place.inside) return;
  const Modulus<Word> m = *modulus;
  const Word x = a.part(blockIdx.y)[place.c];
  Word& to = out.part(blockIdx.y)[place.c];
  if constexpr (Operation == LimbOperation::add) to = m.add(x, b.part(blockIdx.y)[place.c]);
  if constexpr (Operation == LimbOperation::subtract) to = m.subtract(x, b.part(blockIdx.y)[place.c]);
  if constexpr (Operation == LimbOperation::scale) to = m.multiply(x, factor);
  if constexpr (Operation == LimbOperation::puncture) to = m.multiply(x, factor);
}

/// ToLimb of a limb of less than a word. weights: `count`, the last one the wraps'.
static __global__ void to_small(DeviceRows out, DeviceRows y, const std::int64_t* wraps, const Word* weights,
                                const Modulus<Word>* modulus, Word start, unsigned count, std::int64_t offset) {
  const Place place(out.degree);
  if (!place.inside) return;
  TripleWord sum{start, 0, 0};
  const Word* const from = y.part(blockIdx.y) + place.c;
  for (unsigned j = 0; j + 1 < count; ++j) sum.add_product(from[j * out.degree], weights[j]);
  sum.add_product(static_cast<Word>(offset - wraps[blockIdx.y * out.degree + place.c]), weights[count - 1]);
  out.part(blockIdx.y)[place.c] = sum.modulo(*modulus);
}

/// Any residue of limb `from` as an integer modulo limb `to`, a coefficient a thread: chunks of G bits are added, or
/// added and taken off in turn. words: of `from`.
static __global__ void move_words(DeviceRows out, DeviceRows in, DeviceLimb to, unsigned words,
                                  const Modulus<Word>* small) {
  const Place place(out.degree);
  if (!place.inside) return;
  const std::size_t n = out.degree;
  const Word* const x = in.data + place.c;
  Word* const r = out.data + place.c;
  if (small != nullptr) {
    Word rest = 0;
    for (unsigned w = words; w-- > 0;) rest = small->reduce_wide(static_cast<u128>(rest) << 64 | x[w * n]);
    r[0] = rest;
    return;
  }
  const unsigned low = to.bits / 64;
  i128 carry = 0;  // of the column below
  for (unsigned w = 0; w < low; ++w) {
    for (unsigned at = w, chunk = 0; at < words; at += low, ++chunk) {
      carry += to.plus != 0 && chunk % 2 == 1 ? -static_cast<i128>(x[at * n]) : static_cast<i128>(x[at * n]);
    }
    r[w * n] = static_cast<Word>(carry);
    carry >>= 64;
  }
  for (int round = 0; round < 2; ++round) {  // what left 2^G comes in again below
    if (to.plus != 0) carry = -carry;
    for (unsigned w = 0; w < low; ++w) {
      carry += static_cast<i128>(r[w * n]);
      r[w * n] = static_cast<Word>(carry);
      carry >>= 64;
    }
  }
  Word all = ~Word{0};
  for (unsigned w = 0; w < low; ++w) all &= r[w * n];
  const bool zero = to.plus != 0 ? carry != 0 : all == ~Word{0};
  for (unsigned w = 0; zero && w < low; ++w) r[w * n] = 0;
  if (to.plus != 0) r[low * n] = Word{zero};
}

/// residues_j = sum over words of y_w weight_jw modulo b_j, T targets at a time: grid.z counts those. weights:
/// [tile][word][T]. A block's threads share `coefficients` coefficients; sums of words are split among the others.
template <unsigned T>
__global__ void dot_words(DeviceRows out, DeviceRows y, const Word* weights, const Modulus<Word>* moduli,
                          unsigned words, unsigned targets, unsigned coefficients) {
  extern __shared__ TripleWord partial[];
  const unsigned x = threadIdx.x % coefficients, segment = threadIdx.x / coefficients,
                 segments = blockDim.x / coefficients, first = blockIdx.z * T;
  const Place place(blockIdx.x * std::size_t{coefficients} + x, out.degree);
  const Word* const from = y.part(blockIdx.y) + place.c;
  const Word* const w0 = weights + std::size_t{first} * words;
  TripleWord sums[T] = {};
  for (unsigned w = segment; w < words; w += segments) {
    const Word value = from[w * y.degree];
#pragma unroll
    for (unsigned j = 0; j < T; ++j) sums[j].add_product(value, w0[w * T + j]);
  }
  if (segments > 1) {
    for (unsigned j = 0; j < T; ++j) partial[j * blockDim.x + threadIdx.x] = sums[j];
    __syncthreads();
    // Segment j adds what the others have of target j.
    for (unsigned j = segment; j < T; j += segments) {
      TripleWord sum = partial[j * blockDim.x + x];
      for (unsigned s = 1; s < segments; ++s) sum.add(partial[j * blockDim.x + s * coefficients + x]);
      if (place.inside && first + j < targets) {
        out.part(blockIdx.y)[(first + j) * out.degree + place.c] = sum.modulo(moduli[first + j]);
      }
    }
    return;
  }
#pragma unroll
  for (unsigned j = 0; j < T; ++j) {
    if (place.inside && first + j < targets) {
      out.part(blockIdx.y)[(first + j) * out.degree + place.c] = sums[j].modulo(moduli[first + j]);
    }
  }
}

/// y_i = x_i times a factor modulo q_i, of ordinary limbs: grid.z counts those.
static __global__ void puncture_words(DeviceRows out, DeviceRows in, const Modulus<Word>* moduli, const Word* factors) {
  const Place place(out.degree);
  if (!place.inside) return;
  const std::size_t at = blockIdx.z * out.degree + place.c;
  out.part(blockIdx.y)[at] = moduli[blockIdx.z].multiply(in.part(blockIdx.y)[at], factors[blockIdx.z]);
}

static __global__ void centred_wraps(std::int64_t* wraps, DeviceRows y,
                                     const cyclotome::study::fermat::Fraction* fractions, unsigned primes) {
  const Place place(y.degree);
  if (!place.inside) return;
  u128 sum = static_cast<u128>(1) << 63;
  for (unsigned j = 0; j < primes; ++j) sum += fractions[j](y.part(blockIdx.y)[j * y.degree + place.c]);
  wraps[blockIdx.y * y.degree + place.c] = static_cast<std::int64_t>(static_cast<Word>(sum >> 64));
}

static __global__ void redundant_wraps(std::int64_t* wraps, DeviceRows y, const Modulus<Word>* modulus,
                                       const Word* weights, Word inverse, unsigned terms) {
  const Place place(y.degree);
  if (!place.inside) return;
  const Word* const from = y.part(blockIdx.y) + place.c;
  TripleWord sum{};
  for (unsigned j = 0; j < terms; ++j) sum.add_product(from[j * y.degree], weights[j]);
  wraps[blockIdx.y * y.degree + place.c] = cyclotome::study::fermat::RedundantModulus::wraps(
      sum.modulo(*modulus), from[terms * y.degree], *modulus, inverse);
}

/// peak: one number, 0 before.
__device__ inline void keep_largest(Word* peak, Word distance) {
  for (unsigned step = 16; step > 0; step /= 2) {
    const Word other = __shfl_xor_sync(~0U, distance, static_cast<int>(step));
    distance = other > distance ? other : distance;
  }
  if (threadIdx.x % 32 == 0) atomicMax(reinterpret_cast<unsigned long long*>(peak), distance);
}

static __global__ void round_behz(Word* messages, Word* peak, const Word* in, std::size_t degree,
                                  const cyclotome::study::fermat::BehzRounding* rounding) {
  const Place place(degree);
  const auto rounded = (*rounding)(in[place.c], in[degree + place.c]);
  if (place.inside) messages[place.c] = rounded.message;
  keep_largest(peak, place.inside ? rounded.distance : 0);
}

static __global__ void digit_rows(Word* out, const Word* row, std::size_t degree, unsigned last, unsigned shift,
                                  unsigned width, unsigned copies) {
  const Place place(degree);
  if (!place.inside) return;
  const Word digit =
      cyclotome::study::fermat::bits_of(row[place.c], last != 0 ? 0 : row[degree + place.c], shift, width);
  for (unsigned j = 0; j < copies; ++j) out[j * degree + place.c] = digit;
}

#endif

}  // namespace cyclotome::cuda::study
