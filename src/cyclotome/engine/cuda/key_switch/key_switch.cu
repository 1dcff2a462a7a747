// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/engine/cuda/key_switch/key_switch_digits.cuh"
#include "cyclotome/engine/cuda/transform/transform.cuh"
#include "cyclotome/engine/cuda/transform/transform_plans.cuh"

namespace cyclotome::cuda {

namespace {

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

#define CYCLOTOME_INSTANTIATE(W) template bool key_switch(const Queue&, const KeySwitchLaunch<W>&, LimbArithmetics);
CYCLOTOME_INSTANTIATE(std::uint32_t)
CYCLOTOME_INSTANTIATE(std::uint64_t)
#undef CYCLOTOME_INSTANTIATE

}  // namespace cyclotome::cuda
