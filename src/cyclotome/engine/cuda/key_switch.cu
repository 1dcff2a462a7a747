// SPDX-License-Identifier: Apache-2.0
#include <bit>

#include "cyclotome/engine/cuda/limb_access.cuh"
#include "cyclotome/engine/cuda/products.cuh"
#include "cyclotome/engine/cuda/transform.cuh"
#include "cyclotome/engine/cuda/transform_plans.cuh"

namespace cyclotome::cuda {

namespace {

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

/// A sum as a limb of the result: as coefficients or as transform.
template <class T>
__device__ __forceinline__ void store_sum(typename T::Value (&sum)[T::values], typename T::W* limb,
                                          typename T::Workspace& space, const LimbTables<typename T::W>& t,
                                          const typename T::Arithmetic& m, bool coefficients) {
  typename T::W words[T::values];
  if (coefficients) {
#pragma unroll
    for (unsigned i = 0; i < T::values; ++i) sum[i] = m.reduced(sum[i]);
    T::unsettle(sum, space);
    T::template inverse<true>(sum, space, t, m);
    to_words<T>(words, sum, m);
    store_coefficients<T>(words, limb);
  } else {
#pragma unroll
    for (unsigned i = 0; i < T::values; ++i) words[i] = m.residue(sum[i], t);
    store_transform<T>(words, limb);
  }
}

/// One limb of one key switch: for each digit its extension to this limb, the transform and two products added up in
/// shared memory, then perhaps two transforms back. Grid: (blocks of the transform, items, limbs).
template <class T>
__global__ void __launch_bounds__(T::threads, fused_blocks<T>())
    key_switch_kernel(const __grid_constant__ KeySwitchLaunch<typename T::W> work) {
#if __CUDA_ARCH__ >= 900
  using W = typename T::W;
  using Value = typename T::Value;
  extern __shared__ uint4 memory[];
  const std::uint32_t item = blockIdx.y, l = blockIdx.z;
  const LimbTables<W>& t = work.tables->limb[l];
  let_next_start();
  if (!T::Arithmetic::serves(t)) return;
  typename T::Workspace space(memory);
  const typename T::Arithmetic m(t);
  wait_for_previous();
  // This thread's own: [part][vector][thread].
  auto* const own = reinterpret_cast<Vector<Value>*>(space.words() + T::shared_words) + threadIdx.x;
  const auto sums = [&](unsigned part) {
    return [own, part](unsigned i) -> Vector<Value>& { return own[(part * T::vectors + i) * T::threads]; };
  };
  Value v[T::values];
#pragma unroll 1
  for (std::uint32_t d = 0; d < work.digit_count; ++d) {
    transform_digit<T>(v, work, item, d, l, space, t, m);
#pragma unroll
    for (unsigned i = 0; i < T::values; ++i) v[i] = m.operand(v[i]);
    T::settle(v, space);
#pragma unroll
    for (unsigned part = 0; part < 2; ++part) {
      Vectors<T> key;
      key.load(work.key.limb(d, part, l));
      add_products<T>(sums(part), v, key, d, m);
    }
  }
#pragma unroll 1
  for (unsigned part = 0; part < 2; ++part) {
#pragma unroll
    for (unsigned i = 0; i < T::vectors; ++i) sums(part)(i).store(v + i * T::wide);
    store_sum<T>(v, work.out.limb(item, part, l), space, t, m, l < work.inverse_limbs);
  }
#else
  missing_body();
#endif
}

/// One limb of one extended digit, transformed. Grid: (blocks of the transform, items and digits, limbs).
template <class T>
__global__ void __launch_bounds__(T::threads)
    extend_kernel(const __grid_constant__ KeySwitchLaunch<typename T::W> work, DeviceView<typename T::W> extended) {
#if __CUDA_ARCH__ >= 900
  using W = typename T::W;
  extern __shared__ uint4 memory[];
  const std::uint32_t item = blockIdx.y / work.digit_count, d = blockIdx.y % work.digit_count, l = blockIdx.z;
  const LimbTables<W>& t = work.tables->limb[l];
  let_next_start();
  if (!T::Arithmetic::serves(t)) return;
  typename T::Workspace space(memory);
  const typename T::Arithmetic m(t);
  wait_for_previous();
  typename T::Value v[T::values];
  transform_digit<T>(v, work, item, d, l, space, t, m);
  W words[T::values];
  to_canonical<T>(words, v, m);
  T::settle(words, space);
  store_transform<T>(words, extended.limb(item, d, l));
#else
  missing_body();
#endif
}

/// One limb of one part of the sum over digits. Grid: (blocks of the transform, items and parts, limbs).
template <class T>
__global__ void __launch_bounds__(T::threads)
    sum_kernel(const __grid_constant__ KeySwitchLaunch<typename T::W> work, DeviceView<typename T::W> extended) {
#if __CUDA_ARCH__ >= 900
  using W = typename T::W;
  extern __shared__ uint4 memory[];
  const std::uint32_t item = blockIdx.y / 2, part = blockIdx.y % 2, l = blockIdx.z;
  const LimbTables<W>& t = work.tables->limb[l];
  let_next_start();
  if (!T::Arithmetic::serves(t)) return;
  typename T::Workspace space(memory);
  const typename T::Arithmetic m(t);
  wait_for_previous();
  // So many digits' loads are under way at a time.
  constexpr std::uint32_t ahead = T::threads > 256 ? 1 : 256 / (T::values * sizeof(W));
  typename T::Value v[T::values];
  Vector<typename T::Value> sums[T::vectors] = {};
  for (std::uint32_t start = 0; start < work.digit_count; start += ahead) {
    Vectors<T> digits[ahead], key[ahead];
#pragma unroll
    for (std::uint32_t k = 0; k < ahead; ++k) {
      if (start + k >= work.digit_count) break;
      digits[k].load(extended.limb(item, start + k, l));
      key[k].load(work.key.limb(start + k, part, l));
    }
#pragma unroll
    for (std::uint32_t k = 0; k < ahead; ++k) {
      if (start + k >= work.digit_count) break;
#pragma unroll
      for (unsigned i = 0; i < T::values; ++i) v[i] = m.value(digits[k].at[i / T::wide].word[i % T::wide]);
      add_products<T>([&](unsigned i) -> auto& { return sums[i]; }, v, key[k], start + k, m);
    }
  }
#pragma unroll
  for (unsigned i = 0; i < T::vectors; ++i) sums[i].store(v + i * T::wide);
  store_sum<T>(v, work.out.limb(item, part, l), space, t, m, l < work.inverse_limbs);
#else
  missing_body();
#endif
}

template <class W>
unsigned log_degree(const KeySwitchLaunch<W>& work) {
  return static_cast<unsigned>(std::bit_width(work.out.degree) - 1);
}

}  // namespace

template <class W>
bool key_switch(const Queue& queue, const KeySwitchLaunch<W>& work, LimbArithmetics arithmetics) {
  return queue.one_pass && for_arithmetics<W>(arithmetics, [&]<class A>() {
           return with_transform<A, Plan::fused, max_fused_log_degree>(log_degree(work), [&]<class T>() {
             constexpr std::size_t bytes = T::shared_bytes + 2 * T::local * sizeof(typename T::Value);
             static_assert(bytes <= max_shared_bytes);
             launch<key_switch_kernel<T>, Start::early>(queue, dim3(T::blocks, work.items, work.limbs), T::threads,
                                                        bytes, T::blocks, "key switch", work);
           });
         });
}

template <class W>
bool key_switch_in_two(const Queue& queue, const KeySwitchLaunch<W>& work, DeviceView<W> extended,
                       LimbArithmetics arithmetics) {
  const auto body = [&]<class T>() {
    constexpr std::size_t bytes = T::shared_bytes;
    launch<extend_kernel<T>>(queue, dim3(T::blocks, work.items * work.digit_count, work.limbs), T::threads, bytes,
                             T::blocks, "extension of digits", work, extended);
    launch<sum_kernel<T>, Start::early>(queue, dim3(T::blocks, 2 * work.items, work.limbs), T::threads, bytes,
                                        T::blocks, "key switch", work, extended);
  };
  return queue.one_pass && for_arithmetics<W>(arithmetics, [&]<class A>() {
           return with_transform<A, Plan::fused_latency, max_fused_log_degree>(log_degree(work), body);
         });
}

#define CYCLOTOME_INSTANTIATE(W)                                                      \
  template bool key_switch(const Queue&, const KeySwitchLaunch<W>&, LimbArithmetics); \
  template bool key_switch_in_two(const Queue&, const KeySwitchLaunch<W>&, DeviceView<W>, LimbArithmetics);
CYCLOTOME_INSTANTIATE(std::uint32_t)
CYCLOTOME_INSTANTIATE(std::uint64_t)
#undef CYCLOTOME_INSTANTIATE

}  // namespace cyclotome::cuda
