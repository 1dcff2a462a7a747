// SPDX-License-Identifier: Apache-2.0
#include <bit>

#include "cyclotome/engine/cuda/limb_access.cuh"
#include "cyclotome/engine/cuda/products.cuh"
#include "cyclotome/engine/cuda/transform.cuh"
#include "cyclotome/engine/cuda/transform_plans.cuh"

namespace cyclotome::cuda {

namespace {

/// One limb of one product: four transforms, of which three wait in shared memory, then three transforms back.
/// Grid: (blocks of the transform, items, limbs).
template <class T>
__global__ void __launch_bounds__(T::threads, T::threads > 512 ? 1 : 768 / T::threads)
    multiply_kernel(DeviceView<typename T::W> out, DeviceView<typename T::W> a, DeviceView<typename T::W> b,
                    const RingTables<typename T::W>* tables) {
#if __CUDA_ARCH__ >= 900
  using W = typename T::W;
  extern __shared__ uint4 memory[];
  typename T::Workspace space(memory);
  W* const parked = space.words() + T::shared_words + threadIdx.x;  // this thread's own: [operand][value][thread]
  const std::uint32_t item = blockIdx.y, l = blockIdx.z;
  const LimbTables<W>& t = tables->limb[l];
  const Bounds<W> m(t);
  W v[T::values];
#pragma unroll 1
  for (unsigned operand = 0; operand < 4; ++operand) {
    const DeviceView<W>& from = operand < 2 ? a : b;
    load_coefficients<T>(v, from.limb(item, operand & 1, l));
    T::forward(v, space, t.roots, m);
    if (operand == 3) break;
#pragma unroll
    for (unsigned i = 0; i < T::values; ++i) parked[(operand * T::values + i) * T::threads] = v[i];
  }
#pragma unroll
  for (unsigned i = 0; i < T::values; ++i) {
    const auto parked_at = [&](unsigned operand) -> W& { return parked[(operand * T::values + i) * T::threads]; };
    const auto factor = [&](W x) { return subtract_if_reaches(x, m.two_q); };  // (2q)^2 times 2 fits the double word
    const W a0 = factor(parked_at(0)), a1 = factor(parked_at(1)), b0 = factor(parked_at(2)), b1 = factor(v[i]);
    const auto quotient = [&](Wide<W> x) { return divide_by_word(x, m.q, t.negative_inverse); };
    parked_at(0) = quotient(static_cast<Wide<W>>(a0) * b0);
    parked_at(1) =
        subtract_if_reaches(quotient(static_cast<Wide<W>>(a0) * b1 + static_cast<Wide<W>>(a1) * b0), m.two_q);
    v[i] = quotient(static_cast<Wide<W>>(a1) * b1);
  }
#pragma unroll 1
  for (unsigned part = 3; part-- > 0;) {
    if (part != 2) {
#pragma unroll
      for (unsigned i = 0; i < T::values; ++i) v[i] = parked[(part * T::values + i) * T::threads];
    }
    T::inverse(v, space, t.inverse_roots, t.scale_times_word, m);
    store_coefficients<T>(v, out.limb(item, part, l));
  }
#endif
}

/// One limb of one operand's part, transformed in place. Grid: (blocks of the transform, parts of a then of b, limbs).
template <class T>
__global__ void __launch_bounds__(T::threads, T::threads > 512 ? 1 : 768 / T::threads)
    transform_operands(DeviceView<typename T::W> a, DeviceView<typename T::W> b, std::uint32_t parts_of_a,
                       const RingTables<typename T::W>* tables) {
#if __CUDA_ARCH__ >= 900
  using W = typename T::W;
  extern __shared__ uint4 memory[];
  const std::uint32_t l = blockIdx.z;
  const LimbTables<W>& t = tables->limb[l];
  W* const limb = blockIdx.y < parts_of_a ? a.limb(blockIdx.y, l) : b.limb(blockIdx.y - parts_of_a, l);
  typename T::Workspace space(memory);
  const Bounds<W> m(t);
  W v[T::values];
  load_coefficients<T>(v, limb);
  T::forward(v, space, t.roots, m);
  make_canonical<T>(v, m);
  T::settle(v, space);
  store_transform<T>(v, limb);
#endif
}

/// One limb of one part of the product of transforms, transformed back. Grid: (blocks of the transform, items and
/// parts, limbs).
template <class T>
__global__ void __launch_bounds__(T::threads, T::threads > 512 ? 1 : 768 / T::threads)
    product_part(DeviceView<typename T::W> out, DeviceView<typename T::W> a, DeviceView<typename T::W> b,
                 const RingTables<typename T::W>* tables) {
#if __CUDA_ARCH__ >= 900
  using W = typename T::W;
  extern __shared__ uint4 memory[];
  typename T::Workspace space(memory);
  const std::uint32_t item = blockIdx.y / 3, part = blockIdx.y % 3, l = blockIdx.z;
  const LimbTables<W>& t = tables->limb[l];
  W x[T::values], y[T::values], v[T::values];
  const std::uint32_t high = part == 2 ? 1 : 0;  // part 0: a0 b0, part 1: a0 b1 + a1 b0, part 2: a1 b1
  const Bounds<W> m(t);
  load_transform<T>(x, a.limb(item, high, l));
  load_transform<T>(y, b.limb(item, part == 0 ? 0 : 1, l));
  if (part == 1) {
    W z[T::values];
    load_transform<T>(v, a.limb(item, 1, l));
    load_transform<T>(z, b.limb(item, 0, l));
#pragma unroll
    for (unsigned i = 0; i < T::values; ++i) {
      v[i] = divide_by_word(static_cast<Wide<W>>(x[i]) * y[i] + static_cast<Wide<W>>(v[i]) * z[i], m.q,
                            t.negative_inverse);
    }
  } else {
#pragma unroll
    for (unsigned i = 0; i < T::values; ++i) {
      v[i] = divide_by_word(static_cast<Wide<W>>(x[i]) * y[i], m.q, t.negative_inverse);
    }
  }
  T::unsettle(v, space);
  T::inverse(v, space, t.inverse_roots, t.scale_times_word, m);
  store_coefficients<T>(v, out.limb(blockIdx.y, l));
#endif
}

/// For few limbs: all transforms side by side, then all products.
template <class W>
bool run_in_two(const Queue& queue, DeviceView<W> out, DeviceView<W> a, DeviceView<W> b, unsigned limbs, unsigned items,
                const RingTables<W>* tables) {
  return with_transform<W, Plan::fused_latency, 16>(
      static_cast<unsigned>(std::bit_width(out.degree) - 1), [&]<class T>() {
        constexpr std::size_t bytes = T::shared_bytes;
        const unsigned of_a = a.batch_stride == 0 ? 2 : 2 * items, of_b = b.batch_stride == 0 ? 2 : 2 * items;
        const unsigned of_both = a.data == b.data ? of_a : of_a + of_b;
        launch<transform_operands<T>>(queue, dim3(T::blocks, of_both, limbs), T::threads, bytes, T::blocks,
                                      "transforms", a, b, of_a, tables);
        launch<product_part<T>>(queue, dim3(T::blocks, 3 * items, limbs), T::threads, bytes, T::blocks, "product", out,
                                a, b, tables);
      });
}

template <class W, Plan P>
bool run(const Queue& queue, DeviceView<W> out, DeviceView<W> a, DeviceView<W> b, unsigned limbs, unsigned items,
         const RingTables<W>* tables) {
  bool fits = false;
  with_transform<W, P, 16>(static_cast<unsigned>(std::bit_width(out.degree) - 1), [&]<class T>() {
    constexpr std::size_t bytes = T::shared_bytes + 3 * T::local * sizeof(W);
    if constexpr (bytes <= max_shared_bytes) {
      launch<multiply_kernel<T>>(queue, dim3(T::blocks, items, limbs), T::threads, bytes, T::blocks, "product", out, a,
                                 b, tables);
      fits = true;
    }
  });
  return fits;
}

}  // namespace

template <class W>
bool multiply_ciphertexts(const Queue& queue, DeviceView<W> out, DeviceView<W> a, DeviceView<W> b, unsigned limbs,
                          unsigned items, const RingTables<W>* tables) {
  if (!queue.one_pass) return false;
  return few_values(std::size_t{out.degree} * limbs * items)
             ? run_in_two(queue, out, a, b, limbs, items, tables)
             : run<W, Plan::fused>(queue, out, a, b, limbs, items, tables);
}

template bool multiply_ciphertexts(const Queue&, DeviceView<std::uint32_t>, DeviceView<std::uint32_t>,
                                   DeviceView<std::uint32_t>, unsigned, unsigned, const RingTables<std::uint32_t>*);
template bool multiply_ciphertexts(const Queue&, DeviceView<std::uint64_t>, DeviceView<std::uint64_t>,
                                   DeviceView<std::uint64_t>, unsigned, unsigned, const RingTables<std::uint64_t>*);

}  // namespace cyclotome::cuda
