// SPDX-License-Identifier: Apache-2.0
#include <bit>

#include "cyclotome/engine/cuda/transform/limb_access.cuh"
#include "cyclotome/engine/cuda/transform/transform.cuh"
#include "cyclotome/engine/cuda/transform/transform_plans.cuh"

namespace cyclotome::cuda {

namespace {

// Grids: (blocks of the transform, limbs, items).

/// Registers for so many threads on a multiprocessor.
template <class T>
constexpr unsigned resident_blocks() {
  constexpr unsigned threads = T::values * sizeof(typename T::W) > 128 ? 512
                               : is_floating<typename T::Arithmetic>   ? 1024
                               : sizeof(typename T::W) == 8            ? 768
                               : T::values == 16 && T::degree >= 16384 ? 1280
                                                                       : 1024;
  return T::threads >= threads ? 1 : threads / T::threads;
}

/// Whether a block asks for its last pass' factors at once: where limbs have long tables, which seldom are in a cache.
template <class T>
inline constexpr bool prefetches_factors = sizeof(typename T::W) == 4 && T::log_degree >= 15;

template <class T>
__global__ void __launch_bounds__(T::threads, resident_blocks<T>())
    forward(DeviceView<typename T::W> out, DeviceView<typename T::W> a, const RingTables<typename T::W>* tables) {
#if __CUDA_ARCH__ >= 900
  using W = typename T::W;
  extern __shared__ uint4 memory[];
  const LimbTables<W>& t = tables->limb[blockIdx.y];
  let_next_start();
  if (!T::Arithmetic::serves(t)) return;
  if constexpr (prefetches_factors<T>) T::prefetch_factors(t);
  typename T::Workspace space(memory);
  const typename T::Arithmetic m(t);
  wait_for_previous();
  W words[T::values];
  typename T::Value v[T::values];
  load_coefficients<T, Use::once>(words, a.limb(blockIdx.z, blockIdx.y));
  to_values<T>(v, words, m);
  T::template forward<true>(v, space, t, m);
  to_canonical<T>(words, v, m);
  T::settle(words, space);
  store_transform<T, Use::once>(words, out.limb(blockIdx.z, blockIdx.y));
#else
  missing_body();
#endif
}

template <class T>
__global__ void __launch_bounds__(T::threads, resident_blocks<T>())
    inverse(DeviceView<typename T::W> out, DeviceView<typename T::W> a, const RingTables<typename T::W>* tables) {
#if __CUDA_ARCH__ >= 900
  using W = typename T::W;
  extern __shared__ uint4 memory[];
  const LimbTables<W>& t = tables->limb[blockIdx.y];
  let_next_start();
  if (!T::Arithmetic::serves(t)) return;
  typename T::Workspace space(memory);
  const typename T::Arithmetic m(t);
  wait_for_previous();
  W words[T::values];
  typename T::Value v[T::values];
  const auto factors = T::first_factors_back(t);
  load_transform<T, Use::once>(words, a.limb(blockIdx.z, blockIdx.y));
  T::unsettle(words, space);
  to_values<T>(v, words, m);
  T::inverse(v, space, t, m, factors);
  to_words<T>(words, v, m);
  store_coefficients<T, Use::once>(words, out.limb(blockIdx.z, blockIdx.y));
#else
  missing_body();
#endif
}

template <class A, bool Inverse, Plan P, class W>
bool run(const Queue& queue, DeviceView<W> out, DeviceView<W> a, unsigned limbs, unsigned items,
         const RingTables<W>* tables) {
  const auto log_n = static_cast<unsigned>(std::bit_width(a.degree) - 1);
  return with_transform<A, P>(log_n, [&]<class T>() {
    launch<(Inverse ? inverse<T> : forward<T>), Start::early>(queue, dim3(T::blocks, limbs, items), T::threads,
                                                              T::shared_bytes, T::blocks, "transform", out, a, tables);
  });
}

template <bool Inverse, class W>
bool run(const Queue& queue, DeviceView<W> out, DeviceView<W> a, unsigned limbs, unsigned items,
         const RingTables<W>* tables, LimbArithmetics arithmetics) {
  return queue.one_pass && for_arithmetics<W>(arithmetics, [&]<class A>() {
           return few_limbs<W>(Inverse ? Verb::inverse : Verb::forward, a.degree, std::size_t{limbs} * items,
                               queue.multiprocessors)
                      ? run<A, Inverse, Plan::latency>(queue, out, a, limbs, items, tables)
                      : run<A, Inverse, Inverse ? Plan::throughput_back : Plan::throughput>(queue, out, a, limbs, items,
                                                                                            tables);
         });
}

}  // namespace

template <class W>
bool forward_in_one_pass(const Queue& queue, DeviceView<W> out, DeviceView<W> a, unsigned limbs, unsigned items,
                         const RingTables<W>* tables, LimbArithmetics arithmetics) {
  return run<false>(queue, out, a, limbs, items, tables, arithmetics);
}

template <class W>
bool inverse_in_one_pass(const Queue& queue, DeviceView<W> out, DeviceView<W> a, unsigned limbs, unsigned items,
                         const RingTables<W>* tables, LimbArithmetics arithmetics) {
  return run<true>(queue, out, a, limbs, items, tables, arithmetics);
}

#define CYCLOTOME_INSTANTIATE(W)                                                                    \
  template bool forward_in_one_pass(const Queue&, DeviceView<W>, DeviceView<W>, unsigned, unsigned, \
                                    const RingTables<W>*, LimbArithmetics);                         \
  template bool inverse_in_one_pass(const Queue&, DeviceView<W>, DeviceView<W>, unsigned, unsigned, \
                                    const RingTables<W>*, LimbArithmetics);
CYCLOTOME_INSTANTIATE(std::uint32_t)
CYCLOTOME_INSTANTIATE(std::uint64_t)
#undef CYCLOTOME_INSTANTIATE

}  // namespace cyclotome::cuda
