// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/engine/cuda/conversion/conversion.cuh"
#include "cyclotome/engine/cuda/graph/launch.cuh"
#include "cyclotome/engine/cuda/memory/device_view.cuh"

// Kernels around base conversions, coefficient by coefficient: each thread has all limbs of a few of them.
namespace cyclotome::cuda {

/// out = conversion of a, for `items` polynomials. peaks: of a where the lift is centred, unless its pointers are null.
template <class W>
void convert(const Queue& queue, DeviceView<W> out, DeviceView<W> a, const ColumnConversion<W>& conversion,
             unsigned items, PeakOutput peaks);

/// The same of what is no secret, by a centred lift: wraps are counted exactly only where approximate fractions leave
/// them open.
template <class W>
void convert_public(const Queue& queue, DeviceView<W> out, DeviceView<W> a, const ColumnConversion<W>& conversion,
                    unsigned items, TargetGap gap = {});

/// out = factors kept + conversion of dropped + addend; addend.data may be null, and has `addend_parts` parts for the
/// first parts of out. factors: one for each limb, on the device.
template <class W>
void divide_and_round(const Queue& queue, DeviceView<W> out, DeviceView<W> kept, DeviceView<W> dropped,
                      const ColumnConversion<W>& conversion, const ShoupFactor<W>* factors, DeviceView<W> addend,
                      std::uint32_t addend_parts, unsigned items);

/// The operands of a product by HPS over Q: first = a over q, then extended to p; second = `exchange` of b over p, then
/// `restore` of that over q, in the order q, p. The items of both may differ in number.
template <class W>
void hps_lift(const Queue& queue, DeviceView<W> first, DeviceView<W> second, DeviceView<W> a, DeviceView<W> b,
              const ColumnConversion<W>& extend, const ColumnConversion<W>& exchange,
              const ColumnConversion<W>& restore, unsigned first_items, unsigned second_items);

/// out (over t) = conversion of a to t and gamma, the second part of which goes on to t by `correction`. peaks: of the
/// second part, unless its pointers are null.
template <class W>
void scale_to_plain(const Queue& queue, DeviceView<W> out, DeviceView<W> a, const ColumnConversion<W>& scale,
                    const ColumnConversion<W>& correction, unsigned items, PeakOutput peaks);

}  // namespace cyclotome::cuda
