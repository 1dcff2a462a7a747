// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>

#include "cyclotome/engine/cuda/steps/products.cuh"
#include "cyclotome/engine/cuda/transform/limb_access.cuh"

// A digit of a key switch from where it lies to its transform modulo one prime, and sums of its products with the key.
namespace cyclotome::cuda {

/// The residues modulo limb l of a digit of `Sources` primes (0: as many as it has), below 4q. digit: as prepare_digits
/// leaves it; of one prime: the residues modulo it.
template <unsigned Sources, class T>
__device__ __forceinline__ void load_extended(typename T::W (&v)[T::values], const DeviceConversion<typename T::W>& t,
                                              const typename T::W* digit, std::uint32_t l,
                                              const LimbTables<typename T::W>& target) {
  using W = typename T::W;
  const TargetTile<W>* const row = t.matrix + l / tile_targets * t.sources;
  const unsigned j = l % tile_targets;
  const W negative = t.negative_wraps[l], q = target.modulus.value();
  digit += T::first_index();
  if constexpr (Sources != 0) {
    W factors[Sources];
#pragma unroll
    for (unsigned i = 0; i < Sources; ++i) factors[i] = row[i].word[j];
    const W single = Sources == 1 ? t.source_moduli[0].value() : 0;
#pragma unroll
    for (unsigned k = 0; k < T::values; ++k) {
      const W* const x = digit + first_offset<T>(k);
      Wide<W> sum = static_cast<Wide<W>>(x[0]) * factors[0];
#pragma unroll
      for (unsigned i = 1; i < Sources; ++i) sum += static_cast<Wide<W>>(x[i * T::degree]) * factors[i];
      if constexpr (Sources == 1) {
        sum += x[0] >= single - x[0] ? negative : 0;
      } else {
        sum += static_cast<Wide<W>>(x[Sources * T::degree]) * negative;
      }
      v[k] = divide_by_word(sum, q, target.negative_inverse);
    }
  } else {
    const std::uint32_t step = min(t.step(), 10u);  // so that the quotient by the word stays below 3q
#pragma unroll
    for (unsigned k = 0; k < T::values; ++k) {
      const W* const x = digit + first_offset<T>(k);
      Wide<W> sum = static_cast<Wide<W>>(x[t.sources * T::degree]) * negative;
#pragma unroll 1
      for (unsigned i = 0; i < t.sources; ++i) {
        if (i != 0 && i % step == 0) sum = target.modulus.reduce_wide(sum);
        sum += static_cast<Wide<W>>(x[i * T::degree]) * row[i].word[j];
      }
      v[k] = divide_by_word(sum, q, target.negative_inverse);
    }
  }
}

/// The same for digits of any number of primes, the numbers up to Max at compile time.
template <class T, unsigned Sources, unsigned Max>
__device__ __forceinline__ void load_prepared(typename T::W (&v)[T::values], const DeviceConversion<typename T::W>& t,
                                              const typename T::W* digit, std::uint32_t l,
                                              const LimbTables<typename T::W>& target) {
  if constexpr (Sources > Max) {
    load_extended<0, T>(v, t, digit, l, target);
  } else if (t.sources == Sources) {
    load_extended<Sources, T>(v, t, digit, l, target);
  } else {
    load_prepared<T, Sources + 1, Max>(v, t, digit, l, target);
  }
}

/// A digit's residues modulo limb l, below 4q.
template <class T>
__device__ __forceinline__ void load_digit(typename T::W (&v)[T::values], const KeySwitchLaunch<typename T::W>& work,
                                           std::uint32_t item, std::uint32_t d, std::uint32_t l,
                                           const LimbTables<typename T::W>& target) {
  constexpr bool narrow = sizeof(typename T::W) == 4;
  const DeviceDigit<typename T::W>& digit = work.digits[d];
  const auto& t = digit.extension;
  const int copy = t.copies[l];
  if (copy < 0 && work.converted.data != nullptr) {
    load_coefficients<T>(v, work.converted.limb(item, d, l));
    return;
  }
  if (copy >= 0 || t.sources == 1) {
    const auto* const limb = work.c.limb(item, digit.first_limb);
    if (copy >= 0) {
      load_coefficients<T>(v, limb + static_cast<std::size_t>(copy) * T::degree);
    } else {
      load_extended<1, T>(v, t, limb, l, target);
    }
    return;
  }
  load_prepared<T, 2, narrow ? 7 : 3>(v, t, work.prepared.limb(item, digit.first_limb + d), l, target);
}

/// The transform of a digit's residues modulo limb l.
template <class T>
__device__ __forceinline__ void transform_digit(typename T::Value (&v)[T::values],
                                                const KeySwitchLaunch<typename T::W>& work, std::uint32_t item,
                                                std::uint32_t d, std::uint32_t l, typename T::Workspace& space,
                                                const LimbTables<typename T::W>& t, const typename T::Arithmetic& m) {
  typename T::W words[T::values];
  load_digit<T>(words, work, item, d, l, t);
#pragma unroll
  for (unsigned i = 0; i < T::values; ++i) v[i] = m.lazy_value(words[i]);
  T::forward(v, space, t, m);
}

/// A thread's vectors of a limb of transforms.
template <class T>
struct Vectors {
  Vector<typename T::W> at[T::vectors];

  __device__ __forceinline__ void load(const typename T::W* limb) {
    limb += T::settled_index();
#pragma unroll
    for (unsigned i = 0; i < T::vectors; ++i) {
      at[i] = *reinterpret_cast<const Vector<typename T::W>*>(limb + T::settled_offset(i / T::quads, i % T::quads));
    }
  }
  /// Words that are needed once: the first to leave the caches.
  __device__ __forceinline__ void load_once(const typename T::W* limb) {
    limb += T::settled_index();
#pragma unroll
    for (unsigned i = 0; i < T::vectors; ++i) {
      union {
        uint4 words;
        Vector<typename T::W> value;
      } const bits{__ldcs(reinterpret_cast<const uint4*>(limb + T::settled_offset(i / T::quads, i % T::quads)))};
      at[i] = bits.value;
    }
  }
};

/// sums(i) += v times vector i of the factors; product d of a sum, which need not be there before the first.
template <class T, class Sums>
__device__ __forceinline__ void add_products(const Sums& sums, const typename T::Value (&v)[T::values],
                                             const Vectors<T>& factors, std::uint32_t d,
                                             const typename T::Arithmetic& m) {
  constexpr std::uint32_t lazy_products = T::Arithmetic::lazy_products;
#pragma unroll
  for (unsigned i = 0; i < T::vectors; ++i) {
    Vector<typename T::Value> sum = {};
    if (d != 0) sum = sums(i);
#pragma unroll
    for (unsigned j = 0; j < T::wide; ++j) {
      if (lazy_products != 0 && d != 0 && d % lazy_products == 0) sum.word[j] = m.reduced(sum.word[j]);
      m.add_product(sum.word[j], v[i * T::wide + j], m.value(factors.at[i].word[j]));
    }
    sums(i) = sum;
  }
}

/// A sum as coefficients.
template <class T>
__device__ __forceinline__ void sum_to_coefficients(typename T::W (&words)[T::values],
                                                    typename T::Value (&sum)[T::values], typename T::Workspace& space,
                                                    const LimbTables<typename T::W>& t,
                                                    const typename T::Arithmetic& m) {
#pragma unroll
  for (unsigned i = 0; i < T::values; ++i) sum[i] = m.reduced(sum[i]);
  T::unsettle(sum, space);
  T::template inverse<true>(sum, space, t, m);
  to_words<T>(words, sum, m);
}

/// A sum as a limb of the result: as coefficients or as transform.
template <class T>
__device__ __forceinline__ void store_sum(typename T::Value (&sum)[T::values], typename T::W* limb,
                                          typename T::Workspace& space, const LimbTables<typename T::W>& t,
                                          const typename T::Arithmetic& m, bool coefficients) {
  typename T::W words[T::values];
  if (coefficients) {
    sum_to_coefficients<T>(words, sum, space, t, m);
    store_coefficients<T>(words, limb);
  } else {
#pragma unroll
    for (unsigned i = 0; i < T::values; ++i) words[i] = m.residue(sum[i], t);
    store_transform<T>(words, limb);
  }
}

template <class W>
unsigned log_degree(const KeySwitchLaunch<W>& work) {
  return static_cast<unsigned>(std::bit_width(work.out.degree) - 1);
}

}  // namespace cyclotome::cuda
