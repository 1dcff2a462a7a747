// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/engine/cuda/few_limbs.hpp"
#include "cyclotome/engine/cuda/graph/launch.cuh"
#include "cyclotome/engine/cuda/tables.cuh"

namespace cyclotome::cuda {

/// The arithmetics in which a ring's limbs are transformed. Where limbs differ, a kernel runs for each, and leaves the
/// other's limbs alone.
struct LimbArithmetics {
  bool integer, floating;
};

/// out = transforms of all limbs of `items` polynomials of a, which may be out. False where there is no kernel for the
/// degree or the device; then nothing was done.
template <class W>
bool forward_in_one_pass(const Queue& queue, DeviceView<W> out, DeviceView<W> a, unsigned limbs, unsigned items,
                         const RingTables<W>* tables, LimbArithmetics arithmetics);
template <class W>
bool inverse_in_one_pass(const Queue& queue, DeviceView<W> out, DeviceView<W> a, unsigned limbs, unsigned items,
                         const RingTables<W>* tables, LimbArithmetics arithmetics);

/// The degrees for which fused kernels exist: those that hold several polynomials.
inline constexpr unsigned min_fused_log_degree = 10, max_fused_log_degree = 16;

/// The same in place, stage by stage in radix 2, for every degree and device.
template <class W>
void forward_by_stages(const Queue& queue, DeviceView<W> a, unsigned limbs, unsigned items,
                       const RingTables<W>* tables);
template <class W>
void inverse_by_stages(const Queue& queue, DeviceView<W> a, unsigned limbs, unsigned items,
                       const RingTables<W>* tables);

}  // namespace cyclotome::cuda
