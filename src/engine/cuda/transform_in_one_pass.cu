// SPDX-License-Identifier: Apache-2.0
#include <bit>

#include "cyclotome/engine/cuda/limb_access.cuh"
#include "cyclotome/engine/cuda/transform.cuh"
#include "cyclotome/engine/cuda/transform_plans.cuh"

namespace cyclotome::cuda {

namespace {

// Grids: (blocks of the transform, items, limbs): blocks that run side by side share factors.

/// Registers for so many threads on a multiprocessor.
template <class T>
constexpr unsigned resident_blocks() {
  constexpr unsigned threads = T::values * sizeof(typename T::W) > 128 ? 512 : sizeof(typename T::W) == 8 ? 768
                               : T::degree == 32768                   ? 1280 : 1024;
  return T::threads >= threads ? 1 : threads / T::threads;
}

template <class T>
__global__ void __launch_bounds__(T::threads, resident_blocks<T>())
    forward(DeviceView<typename T::W> out, DeviceView<typename T::W> a, const RingTables<typename T::W>* tables) {
#if __CUDA_ARCH__ >= 900
  using W = typename T::W;
  extern __shared__ uint4 memory[];
  typename T::Workspace space(memory);
  const LimbTables<W>& t = tables->limb[blockIdx.z];
  const Bounds<W> m(t);
  W v[T::values];
  load_coefficients<T>(v, a.limb(blockIdx.y, blockIdx.z));
  T::forward(v, space, t.roots, m);
  make_canonical<T>(v, m);
  T::settle(v, space);
  store_transform<T>(v, out.limb(blockIdx.y, blockIdx.z));
#endif
}

template <class T>
__global__ void __launch_bounds__(T::threads, resident_blocks<T>())
    inverse(DeviceView<typename T::W> out, DeviceView<typename T::W> a, const RingTables<typename T::W>* tables) {
#if __CUDA_ARCH__ >= 900
  using W = typename T::W;
  extern __shared__ uint4 memory[];
  typename T::Workspace space(memory);
  const LimbTables<W>& t = tables->limb[blockIdx.z];
  W v[T::values];
  load_transform<T>(v, a.limb(blockIdx.y, blockIdx.z));
  T::unsettle(v, space);
  T::inverse(v, space, t.inverse_roots, t.scale, Bounds<W>(t));
  store_coefficients<T>(v, out.limb(blockIdx.y, blockIdx.z));
#endif
}

template <class W, bool Inverse, Plan P>
bool run(const Queue& queue, DeviceView<W> out, DeviceView<W> a, unsigned limbs, unsigned items,
         const RingTables<W>* tables) {
  const auto log_n = static_cast<unsigned>(std::bit_width(a.degree) - 1);
  return with_transform<W, P>(log_n, [&]<class T>() {
    launch<Inverse ? inverse<T> : forward<T>>(queue, dim3(T::blocks, items, limbs), T::threads,
                                              T::shared_bytes, T::blocks, "transform", out, a, tables);
  });
}

template <class W, bool Inverse>
bool run(const Queue& queue, DeviceView<W> out, DeviceView<W> a, unsigned limbs, unsigned items,
         const RingTables<W>* tables) {
  if (!queue.one_pass) return false;
  return few_values(std::size_t{a.degree} * limbs * items)
             ? run<W, Inverse, Plan::latency>(queue, out, a, limbs, items, tables)
             : run<W, Inverse, Plan::throughput>(queue, out, a, limbs, items, tables);
}

}  // namespace

template <class W>
bool forward_in_one_pass(const Queue& queue, DeviceView<W> out, DeviceView<W> a, unsigned limbs, unsigned items,
                         const RingTables<W>* tables) {
  return run<W, false>(queue, out, a, limbs, items, tables);
}

template <class W>
bool inverse_in_one_pass(const Queue& queue, DeviceView<W> out, DeviceView<W> a, unsigned limbs, unsigned items,
                         const RingTables<W>* tables) {
  return run<W, true>(queue, out, a, limbs, items, tables);
}

#define CYCLOTOME_INSTANTIATE(W)                                                                    \
  template bool forward_in_one_pass(const Queue&, DeviceView<W>, DeviceView<W>, unsigned, unsigned, \
                                    const RingTables<W>*);                                          \
  template bool inverse_in_one_pass(const Queue&, DeviceView<W>, DeviceView<W>, unsigned, unsigned, \
                                    const RingTables<W>*);
CYCLOTOME_INSTANTIATE(std::uint32_t)
CYCLOTOME_INSTANTIATE(std::uint64_t)
#undef CYCLOTOME_INSTANTIATE

}  // namespace cyclotome::cuda
