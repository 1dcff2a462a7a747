// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/engine/cuda/conversion/conversion.cuh"
#include "cyclotome/engine/cuda/key_switch/ticketed_grid.cuh"
#include "cyclotome/engine/cuda/memory/device_view.cuh"

// A division by a few special primes within the kernel that adds up a key switch, of transforms: blocks that end with
// the residues modulo one of them, as coefficients, tell those that transform the correction and divide.
namespace cyclotome::cuda {

/// Special primes at most: a coefficient's residues modulo all of them stay in registers.
inline constexpr unsigned max_divided = 4;

/// The division of a sum over P q: out (over q) = factors kept + correction of the limbs modulo P + addend.
template <class W>
struct SumDivision {
  DeviceView<W> out, addend;
  ColumnConversion<W> correction;  ///< P -> q
  const ShoupFactor<W>* factors;   ///< one for each prime of q
  std::uint32_t* arrived;  ///< [item][part][block of a limb]: limbs modulo P whose share of that block is stored
  TicketedGrid grid;
  std::uint32_t special, addend_parts;
};

/// nvcc does not always see through the base of a ColumnConversion.
template <class W>
inline constexpr bool without_gaps<SumDivision<W>> =
    without_gaps<ColumnConversion<W>> &&
    sizeof(SumDivision<W>) == 2 * sizeof(DeviceView<W>) + sizeof(ColumnConversion<W>) + 3 * sizeof(void*) + 8;

/// Whether LimbCorrection serves a correction.
template <class W>
bool divides_limb_by_limb(const ColumnConversion<W>& correction) {
  return correction.sources <= max_divided && correction.step >= correction.sources && correction.divides &&
         correction.centred && !correction.copies;
}

/// A division's correction modulo one prime of q, its constants in registers. Of what is no secret.
template <class W>
struct LimbCorrection {
  SourceConstants<W> source[max_divided];
  Term<W> matrix[max_divided];
  TargetConstants<W> target;

  LimbCorrection() = default;
  /// For prime number j of q.
  CYCLOTOME_INLINE LimbCorrection(const ColumnConversion<W>& t, std::uint32_t j) : target(t.target[j]) {
#pragma unroll
    for (unsigned i = 0; i < max_divided; ++i) {
      if (i >= t.sources) break;
      source[i] = t.source[i];
      matrix[i] = t.matrix[j / tile_targets * t.sources + i].word[j % tile_targets];
    }
  }

  /// The correction for x, the residues modulo P's primes, all reduced. open: whether approximate fractions leave the
  /// wraps open, so that `settled` has to follow.
  CYCLOTOME_INLINE W correction(const ColumnConversion<W>& t, const W (&x)[max_divided], bool& open) const {
    return divided(correction_sum(t, x, open), target);
  }

  /// The correction with wraps counted as the CPU does, from that with approximate ones.
  CYCLOTOME_INLINE W settled(const ColumnConversion<W>& t, const W (&x)[max_divided], W result) const {
    Terms terms = terms_of(t, x);
    const Term<W> exact = exact_wraps(t, [&](std::uint32_t i) {
      Term<W> term = terms.y[0];
#pragma unroll
      for (unsigned k = 1; k < max_divided; ++k) {
        if (k == i) term = terms.y[k];
      }
      return term;
    });
    const Sum<W> off = multiply_add<W>(static_cast<Term<W>>(exact - terms.wraps()), target.wraps, 0);
    return divided(multiply_add<W>(static_cast<Term<W>>(result), target.of_word, off), target);
  }

 private:
  struct Terms {
    Term<W> y[max_divided];
    std::int32_t fractions;  ///< the upper word of their sum

    CYCLOTOME_INLINE Term<W> wraps() const { return static_cast<Term<W>>(fractions >> (fraction_bits - 32)); }
  };

  CYCLOTOME_INLINE Terms terms_of(const ColumnConversion<W>& t, const W (&x)[max_divided]) const {
    Terms terms;
    std::int64_t fractions = static_cast<std::int64_t>(t.fraction_start) << 32;
#pragma unroll
    for (unsigned i = 0; i < max_divided; ++i) {
      if (i >= t.sources) break;
      terms.y[i] = scaled(x[i], source[i]);
      fractions = add_fraction<W>(fractions, terms.y[i], source[i].fraction);
    }
    terms.fractions = static_cast<std::int32_t>(fractions >> 32);
    return terms;
  }

  CYCLOTOME_INLINE Sum<W> correction_sum(const ColumnConversion<W>& t, const W (&x)[max_divided], bool& open) const {
    const Terms terms = terms_of(t, x);
    open = (static_cast<std::uint32_t>(terms.fractions) & 0xffffff) >= t.fraction_limit;
    Sum<W> sum = multiply_add<W>(terms.wraps(), target.wraps, 0);
#pragma unroll
    for (unsigned i = 0; i < max_divided; ++i) {
      if (i >= t.sources) break;
      sum = multiply_add<W>(terms.y[i], matrix[i], sum);
    }
    return sum;
  }
};

/// The block's stores so far are there for whoever waits at `count`.
__device__ __forceinline__ void tell(std::uint32_t* count) {
  __syncthreads();
  if (threadIdx.x == 0) asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(count) : "memory");
}

/// Returns when `wanted` blocks have told. Those that are waited for have places before the one that waits in a
/// TicketedGrid, so that they run.
__device__ __forceinline__ void await(const std::uint32_t* count, std::uint32_t wanted) {
  if (threadIdx.x == 0) {
    std::uint32_t found;
    do {
      asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(found) : "l"(count) : "memory");
    } while (found < wanted);
  }
  __syncthreads();
}

}  // namespace cyclotome::cuda
