// SPDX-License-Identifier: Apache-2.0
#include <bit>

#include "cyclotome/engine/cuda/key_switch/side_by_side.cuh"
#include "cyclotome/engine/cuda/steps/products.cuh"
#include "cyclotome/engine/cuda/transform/limb_access.cuh"
#include "cyclotome/engine/cuda/transform/transform.cuh"
#include "cyclotome/engine/cuda/transform/transform_plans.cuh"

namespace cyclotome::cuda {

namespace {

/// One limb of one product: four transforms, of which three wait in shared memory, then three transforms back.
/// Grid: (blocks of the transform, items, limbs).
template <class T>
__global__ void __launch_bounds__(T::threads, fused_blocks<T>())
    multiply_kernel(DeviceView<typename T::W> out, DeviceView<typename T::W> a, DeviceView<typename T::W> b,
                    const RingTables<typename T::W>* tables) {
#if __CUDA_ARCH__ >= 900
  using W = typename T::W;
  extern __shared__ uint4 memory[];
  using Value = typename T::Value;
  const std::uint32_t item = blockIdx.y, l = blockIdx.z;
  const LimbTables<W>& t = tables->limb[l];
  let_next_start();
  if (!T::Arithmetic::serves(t)) return;
  typename T::Workspace space(memory);
  Value* const parked = space.words() + T::shared_words + threadIdx.x;  // this thread's own: [operand][value][thread]
  const typename T::Arithmetic m(t);
  wait_for_previous();
  W words[T::values];
  Value v[T::values];
#pragma unroll 1
  for (unsigned operand = 0; operand < 4; ++operand) {
    const DeviceView<W>& from = operand < 2 ? a : b;
    load_coefficients<T>(words, from.limb(item, operand & 1, l));
    to_values<T>(v, words, m);
    T::template forward<true>(v, space, t, m);
    if (operand == 3) break;
#pragma unroll
    for (unsigned i = 0; i < T::values; ++i) parked[(operand * T::values + i) * T::threads] = v[i];
  }
#pragma unroll
  for (unsigned i = 0; i < T::values; ++i) {
    const auto parked_at = [&](unsigned operand) -> Value& { return parked[(operand * T::values + i) * T::threads]; };
    const Value a0 = m.halved(parked_at(0)), a1 = m.halved(parked_at(1));
    const Value b0 = m.halved(parked_at(2)), b1 = m.halved(v[i]);
    parked_at(0) = m.product(a0, b0);
    parked_at(1) = m.products(a0, b1, a1, b0);
    v[i] = m.product(a1, b1);
  }
#pragma unroll 1
  for (unsigned part = 3; part-- > 0;) {
    if (part != 2) {
#pragma unroll
      for (unsigned i = 0; i < T::values; ++i) v[i] = parked[(part * T::values + i) * T::threads];
    }
    T::template inverse<true>(v, space, t, m);
    to_words<T>(words, v, m);
    store_coefficients<T>(words, out.limb(item, part, l));
  }
#else
  missing_body();
#endif
}

/// The same with both parts of a factor at once, as lanes of T2; `T` transforms the third part of the product back.
template <class T, class T2>
__global__ void __launch_bounds__(T2::threads, fused_blocks<T2>())
    multiply_pairs_kernel(DeviceView<typename T::W> out, DeviceView<typename T::W> a, DeviceView<typename T::W> b,
                          const RingTables<typename T::W>* tables) {
#if __CUDA_ARCH__ >= 900
  using W = typename T::W;
  static_assert(T::threads == T2::threads && T::values == T2::values && T::local == T2::local);
  extern __shared__ uint4 memory[];
  using Value = typename T2::Value;
  const std::uint32_t item = blockIdx.y, l = blockIdx.z;
  const LimbTables<W>& t = tables->limb[l];
  let_next_start();
  if (!T::Arithmetic::serves(t)) return;
  typename T2::Workspace space(memory);
  Value* const parked = space.words() + T2::shared_words + threadIdx.x;  // this thread's own: [value][thread]
  const typename T2::Arithmetic m(t);
  wait_for_previous();
  Value v[T::values];
#pragma unroll 1
  for (unsigned operand = 0; operand < 2; ++operand) {
    const DeviceView<W>& from = operand == 0 ? a : b;
#pragma unroll
    for (unsigned k = 0; k < 2; ++k) {
      W words[T::values];
      load_coefficients<T>(words, from.limb(item, k, l));
#pragma unroll
      for (unsigned i = 0; i < T::values; ++i) v[i].lane[k] = m.value(words[i]);
    }
    T2::template forward<true>(v, space, t, m);
    if (operand == 1) break;
#pragma unroll
    for (unsigned i = 0; i < T::values; ++i) parked[i * T::threads] = v[i];
  }
  const typename T::Arithmetic& one = m;
#pragma unroll
  for (unsigned i = 0; i < T::values; ++i) {
    const Value x = m.halved(parked[i * T::threads]), y = m.halved(v[i]);
    parked[i * T::threads].lane[0] = one.product(x.lane[1], y.lane[1]);
    v[i].lane[0] = one.product(x.lane[0], y.lane[0]);
    v[i].lane[1] = one.products(x.lane[0], y.lane[1], x.lane[1], y.lane[0]);
  }
  T2::template inverse<true>(v, space, t, m);
#pragma unroll
  for (unsigned k = 0; k < 2; ++k) {
    W words[T::values];
#pragma unroll
    for (unsigned i = 0; i < T::values; ++i) words[i] = one.word(v[i].lane[k]);
    store_coefficients<T>(words, out.limb(item, k, l));
  }
  typename T::Workspace rest(space);
  typename T::Value u[T::values];
#pragma unroll
  for (unsigned i = 0; i < T::values; ++i) u[i] = parked[i * T::threads].lane[0];
  T::template inverse<true>(u, rest, t, one);
  W words[T::values];
  to_words<T>(words, u, one);
  store_coefficients<T>(words, out.limb(item, 2, l));
#else
  missing_body();
#endif
}

/// One limb of one operand's part, transformed in place. Grid: (blocks of the transform, parts of a then of b, limbs).
template <class T>
__global__ void __launch_bounds__(T::threads)
    transform_operands(DeviceView<typename T::W> a, DeviceView<typename T::W> b, std::uint32_t parts_of_a,
                       const RingTables<typename T::W>* tables) {
#if __CUDA_ARCH__ >= 900
  using W = typename T::W;
  extern __shared__ uint4 memory[];
  const std::uint32_t l = blockIdx.z;
  const LimbTables<W>& t = tables->limb[l];
  W* const limb = blockIdx.y < parts_of_a ? a.limb(blockIdx.y, l) : b.limb(blockIdx.y - parts_of_a, l);
  let_next_start();
  if (!T::Arithmetic::serves(t)) return;
  typename T::Workspace space(memory);
  const typename T::Arithmetic m(t);
  wait_for_previous();
  W words[T::values];
  typename T::Value v[T::values];
  load_coefficients<T>(words, limb);
  to_values<T>(v, words, m);
  T::template forward<true>(v, space, t, m);
  to_canonical<T>(words, v, m);
  T::settle(words, space);
  store_transform<T>(words, limb);
#else
  missing_body();
#endif
}

/// One limb of one part of the product of transforms, transformed back. Grid: (blocks of the transform, items and
/// parts, limbs).
template <class T>
__global__ void __launch_bounds__(T::threads)
    product_part(DeviceView<typename T::W> out, DeviceView<typename T::W> a, DeviceView<typename T::W> b,
                 const RingTables<typename T::W>* tables) {
#if __CUDA_ARCH__ >= 900
  using W = typename T::W;
  extern __shared__ uint4 memory[];
  const std::uint32_t item = blockIdx.y / 3, part = blockIdx.y % 3, l = blockIdx.z;
  const LimbTables<W>& t = tables->limb[l];
  let_next_start();
  if (!T::Arithmetic::serves(t)) return;
  typename T::Workspace space(memory);
  const typename T::Arithmetic m(t);
  wait_for_previous();
  W words[T::values], others[T::values];
  typename T::Value x[T::values], y[T::values], v[T::values];
  const std::uint32_t high = part == 2 ? 1 : 0;  // part 0: a0 b0, part 1: a0 b1 + a1 b0, part 2: a1 b1
  load_transform<T>(words, a.limb(item, high, l));
  load_transform<T>(others, b.limb(item, part == 0 ? 0 : 1, l));
  to_values<T>(x, words, m);
  to_values<T>(y, others, m);
  if (part == 1) {
    load_transform<T>(words, a.limb(item, 1, l));
    load_transform<T>(others, b.limb(item, 0, l));
#pragma unroll
    for (unsigned i = 0; i < T::values; ++i) {
      v[i] = m.products(x[i], y[i], m.value(words[i]), m.value(others[i]));
    }
  } else {
#pragma unroll
    for (unsigned i = 0; i < T::values; ++i) v[i] = m.product(x[i], y[i]);
  }
  T::unsettle(v, space);
  T::template inverse<true>(v, space, t, m);
  to_words<T>(words, v, m);
  store_coefficients<T>(words, out.limb(blockIdx.y, l));
#else
  missing_body();
#endif
}

/// For few limbs: all transforms side by side, then all products.
template <class A, class W>
bool run_in_two(const Queue& queue, DeviceView<W> out, DeviceView<W> a, DeviceView<W> b, unsigned limbs, unsigned items,
                const RingTables<W>* tables) {
  return with_transform_side_by_side<A>(static_cast<unsigned>(std::bit_width(out.degree) - 1), [&]<class T>() {
    constexpr std::size_t bytes = T::shared_bytes;
    const unsigned of_a = a.batch_stride == 0 ? 2 : 2 * items, of_b = b.batch_stride == 0 ? 2 : 2 * items;
    const unsigned of_both = a.data == b.data ? of_a : of_a + of_b;
    launch<transform_operands<T>, behind_conversions<T>>(queue, dim3(T::blocks, of_both, limbs), T::threads, bytes,
                                                         T::blocks, "transforms", a, b, of_a, tables);
    launch<product_part<T>, Start::early>(queue, dim3(T::blocks, 3 * items, limbs), T::threads, bytes, T::blocks,
                                          "product", out, a, b, tables);
  });
}

/// For the degrees at which two polynomials at once are faster (measured); false for others.
template <class A, class W>
bool run_in_pairs(const Queue& queue, DeviceView<W> out, DeviceView<W> a, DeviceView<W> b, unsigned limbs,
                  unsigned items, const RingTables<W>* tables) {
  constexpr unsigned min_log_degree = 12, max_log_degree = 14;
  return with_transform<PairArithmetic<A>, Plan::fused, max_log_degree, min_log_degree>(
      static_cast<unsigned>(std::bit_width(out.degree) - 1), [&]<class T2>() {
        using T = BlockTransform<A, T2::log_degree, T2::log_values, T2::log_blocks>;
        constexpr std::size_t bytes = T2::shared_bytes + T::local * sizeof(typename T2::Value);
        static_assert(bytes <= max_shared_bytes);
        launch<multiply_pairs_kernel<T, T2>, Start::early>(queue, dim3(T::blocks, items, limbs), T::threads, bytes,
                                                           T::blocks, "product", out, a, b, tables);
      });
}

template <class A, Plan P, class W>
bool run(const Queue& queue, DeviceView<W> out, DeviceView<W> a, DeviceView<W> b, unsigned limbs, unsigned items,
         const RingTables<W>* tables) {
  bool fits = false;
  const auto log_n = static_cast<unsigned>(std::bit_width(out.degree) - 1);
  if constexpr (sizeof(W) == 4) {
    if (run_in_pairs<A>(queue, out, a, b, limbs, items, tables)) return true;
  }
  with_transform<A, P, max_fused_log_degree>(log_n, [&]<class T>() {
    constexpr std::size_t bytes = T::shared_bytes + 3 * T::local * sizeof(W);
    if constexpr (bytes <= max_shared_bytes) {
      launch<multiply_kernel<T>, Start::early>(queue, dim3(T::blocks, items, limbs), T::threads, bytes, T::blocks,
                                               "product", out, a, b, tables);
      fits = true;
    }
  });
  return fits;
}

}  // namespace

template <class W>
bool multiply_ciphertexts(const Queue& queue, DeviceView<W> out, DeviceView<W> a, DeviceView<W> b, unsigned limbs,
                          unsigned items, const RingTables<W>* tables, LimbArithmetics arithmetics) {
  return queue.one_pass && for_arithmetics<W>(arithmetics, [&]<class A>() {
           return few_limbs<W>(Verb::product, out.degree, std::size_t{limbs} * items, queue.multiprocessors)
                      ? run_in_two<A>(queue, out, a, b, limbs, items, tables)
                      : run<A, Plan::fused>(queue, out, a, b, limbs, items, tables);
         });
}

#define CYCLOTOME_INSTANTIATE(W)                                                                                    \
  template bool multiply_ciphertexts(const Queue&, DeviceView<W>, DeviceView<W>, DeviceView<W>, unsigned, unsigned, \
                                     const RingTables<W>*, LimbArithmetics);
CYCLOTOME_INSTANTIATE(std::uint32_t)
CYCLOTOME_INSTANTIATE(std::uint64_t)
#undef CYCLOTOME_INSTANTIATE

}  // namespace cyclotome::cuda
