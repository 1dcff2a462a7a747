// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cuda_runtime.h>

// Where a transform in one pass over global memory has its values: which thread, at which place of a block's words.
namespace cyclotome::cuda {

/// How a limb of 2^LogN values is spread over 2^LogC blocks of threads with 2^LogV values each.
///
/// Pass 0 sees the whole limb: thread `unit` u holds the values r (n >> E0) + u. Pass P > 0 sees one block's chunk of
/// n / 2^LogC successive values. After the last pass a unit holds 2^last successive values; once settled, lanes hold
/// successive vectors of 16 bytes, as they are best loaded and stored.
template <unsigned WordBytes, unsigned ValueBytes, unsigned LogN, unsigned LogV, unsigned LogC>
struct TransformLayout {
  static constexpr unsigned log_degree = LogN, log_values = LogV, log_blocks = LogC;
  static constexpr unsigned degree = 1u << LogN, values = 1u << LogV, blocks = 1u << LogC, local = degree >> LogC,
                            threads = local >> LogV, passes = (LogN + LogV - 1) / LogV;

 private:
  static constexpr unsigned most_stages = (LogN + passes - 1) / passes;
  /// What pass 1 can do on values that threads of the same number, one of each block, had in pass 0.
  static constexpr unsigned aligned_stages = LogC + LogV - most_stages;
  static constexpr bool aligned_fits() {
    if (LogC == 0 || passes < 4 || LogV <= LogC || aligned_stages > LogV) return false;
    return LogN - most_stages - aligned_stages <= (passes - 2) * LogV;
  }

 public:
  /// Whether values go between pass 0 and pass 1 so, as vectors of what one thread has for another. Words of 64 bits
  /// were not measured.
  static constexpr bool aligned = WordBytes == 4 && aligned_fits();
  /// Stages of pass p, as even as can be but for pass 1 where `aligned`.
  static constexpr unsigned exponent(unsigned p) {
    if (!aligned) return LogN / passes + (p + 1 <= LogN % passes ? 1 : 0);
    if (p < 2) return p == 0 ? most_stages : aligned_stages;
    const unsigned left = LogN - most_stages - aligned_stages;
    return left / (passes - 2) + (p - 1 <= left % (passes - 2) ? 1 : 0);
  }
  static constexpr unsigned before(unsigned p) { return p == 0 ? 0 : before(p - 1) + exponent(p - 1); }
  static constexpr unsigned rest_after(unsigned p) { return LogN - before(p + 1); }
  static_assert(passes >= 2 && LogC < exponent(0) + 1 && exponent(0) <= LogV && threads % 32 == 0);
  static constexpr unsigned first = exponent(0), last = exponent(passes - 1);
  static constexpr unsigned units = values >> first;      ///< of the first pass that a thread has
  static constexpr unsigned rows = 1u << (first - LogC);  ///< of the first pass that a block gets
  static constexpr unsigned wide = 16 / ValueBytes, quads = (1u << last) / wide;  ///< values of a vector, its of a unit
  static constexpr unsigned vectors = values / wide;
  static_assert(quads >= 1);
  static_assert(WordBytes == 8 || last >= 3, "passes before the last one find the shared factors only");

  __device__ static unsigned rank() { return LogC == 0 ? 0 : blockIdx.x; }
  __device__ static unsigned lane() { return threadIdx.x % 32; }
  __device__ static unsigned warp_start() { return (threadIdx.x / 32) << (5 + last); }

  /// Where value r of unit k of this thread lies in the limb, in the first pass; that of (0, 0), and the distance.
  __device__ static unsigned first_index() { return rank() * units * threads + threadIdx.x; }
  __device__ static constexpr unsigned first_offset(unsigned k, unsigned r) {
    return (r << (LogN - first)) + k * threads;
  }
  /// Where vector j of unit k of this thread lies once settled.
  __device__ static unsigned settled_index() { return rank() * local + warp_start() + lane() * wide; }
  __device__ static constexpr unsigned settled_offset(unsigned k, unsigned j) {
    return ((k * threads) << last) + j * 32 * wide;
  }

  template <unsigned P>
  __device__ static unsigned group_of(unsigned k) {
    constexpr unsigned rest = rest_after(P);
    return (1u << before(P)) + (rank() << (before(P) - LogC)) + ((k * threads + threadIdx.x) >> rest);
  }
  /// Where value r of a unit lies within this block's chunk, P > 0.
  template <unsigned P>
  __device__ static constexpr unsigned local_index(unsigned unit, unsigned r) {
    constexpr unsigned rest = rest_after(P);
    return ((unit >> rest) << (rest + exponent(P))) | (r << rest) | (unit & ((1u << rest) - 1));
  }

 private:
  static constexpr unsigned lane_bits = ValueBytes == 4 ? 5 : 4;  // lanes whose words fill the banks once

  static constexpr bool has_runs(unsigned p) { return rest_after(p) > 0 && rest_after(p) < lane_bits; }
  static constexpr unsigned run_pass(unsigned x) { return has_runs(x + 1) ? x + 1 : x; }

 public:
  /// How values that are exchanged are padded in shared memory, so that the lanes of both sides find different banks:
  /// by a vector for every 128 bytes, and `extra` words for every 2^shift, where one side's lanes take runs of 2^run
  /// words at distance 2^shift. at(a + b) = at(a) + at(b) where a and b have no bit in common. So a thread computes one
  /// address, and finds its other values at constant distances.
  template <unsigned Shift, unsigned Run>
  struct Padding {
    static constexpr unsigned extra =
        Run >= lane_bits || Run == 0 ? 0 : ((1u << Run) - (wide << Shift >> lane_bits)) & ((1u << lane_bits) - 1);
    static_assert(extra % wide == 0, "vectors would not be aligned");
    __host__ __device__ static constexpr unsigned at(unsigned i) {
      return i + wide * (i >> lane_bits) + extra * (i >> Shift);
    }
  };
  /// Between pass X and the next, except backwards from pass 1 to pass 0.
  template <unsigned X>
  using Exchange = Padding<rest_after(run_pass(X)) + exponent(run_pass(X)), rest_after(run_pass(X))>;
  static constexpr unsigned log_segment = LogN - LogC - first;  ///< a block's columns of a row of the first pass
  using BackExchange = Padding<log_segment, rest_after(1)>;

 private:
  template <unsigned X>
  static constexpr unsigned most_words() {
    if constexpr (X + 1 == passes) {
      return BackExchange::at(local);
    } else {
      return std::max(Exchange<X>::at(local), most_words<X + 1>());
    }
  }

 public:
  static constexpr unsigned shared_words = most_words<0>();  ///< values that a block's words have room for
  static_assert(shared_words % wide == 0);
};

}  // namespace cyclotome::cuda
