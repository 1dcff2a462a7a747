// SPDX-License-Identifier: Apache-2.0
#include <bit>

#include "cyclotome/engine/cuda/steps/products.cuh"
#include "cyclotome/engine/cuda/transform/limb_access.cuh"
#include "cyclotome/engine/cuda/transform/transform.cuh"
#include "cyclotome/engine/cuda/transform/transform_plans.cuh"

namespace cyclotome::cuda {

namespace {

/// One limb: the transform of a times `each` parts of the key, transformed back. Grid: (blocks of the transform, items
/// and shares of the parts, limbs).
template <class T>
__global__ void __launch_bounds__(T::threads, fused_blocks<T>(768))
    multiply_key_kernel(DeviceView<typename T::W> out, DeviceView<typename T::W> a, DeviceView<typename T::W> key,
                        DeviceView<typename T::W> addend, const RingTables<typename T::W>* tables, std::uint32_t each) {
#if __CUDA_ARCH__ >= 900
  using W = typename T::W;
  extern __shared__ uint4 memory[];
  const std::uint32_t shares = out.parts / each, item = blockIdx.y / shares, l = blockIdx.z;
  const std::uint32_t first = blockIdx.y % shares * each;
  const LimbTables<W>& t = tables->limb[l];
  let_next_start();
  if (!T::Arithmetic::serves(t)) return;
  typename T::Workspace space(memory);
  const typename T::Arithmetic m(t);
  wait_for_previous();
  W words[T::values];
  typename T::Value factor[T::values], v[T::values];
  load_coefficients<T>(words, a.limb(item, l));
  to_values<T>(factor, words, m);
  T::template forward<true>(factor, space, t, m);
#pragma unroll
  for (unsigned i = 0; i < T::values; ++i) factor[i] = m.halved(factor[i]);
  T::settle(factor, space);
#pragma unroll 1
  for (std::uint32_t part = first; part < first + each; ++part) {
    load_transform<T>(words, key.limb(0, part, l));
#pragma unroll
    for (unsigned i = 0; i < T::values; ++i) v[i] = m.product(factor[i], m.value(words[i]));
    T::unsettle(v, space);
    T::template inverse<true>(v, space, t, m);
    to_words<T>(words, v, m);
    load_coefficients_and_add<T>(words, addend.limb(item, part, l), t.modulus.value());
    store_coefficients<T>(words, out.limb(item, part, l));
  }
#else
  missing_body();
#endif
}

template <class A, Plan P, class W>
bool run(const Queue& queue, DeviceView<W> out, DeviceView<W> a, DeviceView<W> key, DeviceView<W> addend,
         unsigned limbs, unsigned items, const RingTables<W>* tables) {
  return with_transform<A, P, max_fused_log_degree>(
      static_cast<unsigned>(std::bit_width(out.degree) - 1), [&]<class T>() {
        const std::uint32_t each = P == Plan::fused_latency ? 1 : out.parts;
        launch<multiply_key_kernel<T>, Start::early>(queue, dim3(T::blocks, items * (out.parts / each), limbs),
                                                     T::threads, T::shared_bytes, T::blocks, "product with a key", out,
                                                     a, key, addend, tables, each);
      });
}

}  // namespace

template <class W>
bool multiply_key(const Queue& queue, DeviceView<W> out, DeviceView<W> a, DeviceView<W> key, DeviceView<W> addend,
                  unsigned limbs, unsigned items, const RingTables<W>* tables, LimbArithmetics arithmetics) {
  return queue.one_pass && for_arithmetics<W>(arithmetics, [&]<class A>() {
           return few_limbs<W>(Verb::key_product, out.degree, std::size_t{limbs} * items, queue.multiprocessors)
                      ? run<A, Plan::fused_latency>(queue, out, a, key, addend, limbs, items, tables)
                      : run<A, Plan::fused>(queue, out, a, key, addend, limbs, items, tables);
         });
}

#define CYCLOTOME_INSTANTIATE(W)                                                                                 \
  template bool multiply_key(const Queue&, DeviceView<W>, DeviceView<W>, DeviceView<W>, DeviceView<W>, unsigned, \
                             unsigned, const RingTables<W>*, LimbArithmetics);
CYCLOTOME_INSTANTIATE(std::uint32_t)
CYCLOTOME_INSTANTIATE(std::uint64_t)
#undef CYCLOTOME_INSTANTIATE

}  // namespace cyclotome::cuda
