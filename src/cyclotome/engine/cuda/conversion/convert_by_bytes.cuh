// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/engine/cuda/conversion/conversion.cuh"
#include "cyclotome/engine/cuda/graph/launch.cuh"
#include "cyclotome/engine/cuda/memory/device_view.cuh"

// The conversions of convert.cuh for 32-bit words, by products of bytes (conversion_bytes.cuh). Each returns false
// where these do not serve the conversion or degree; then nothing was done.
namespace cyclotome::cuda {

bool convert_by_bytes(const Queue& queue, DeviceView<std::uint32_t> out, DeviceView<std::uint32_t> a,
                      const ColumnConversion<std::uint32_t>& conversion, unsigned items, TargetGap gap);

bool divide_by_bytes(const Queue& queue, DeviceView<std::uint32_t> out, DeviceView<std::uint32_t> kept,
                     DeviceView<std::uint32_t> dropped, const ColumnConversion<std::uint32_t>& conversion,
                     const ShoupFactor<std::uint32_t>* factors, DeviceView<std::uint32_t> addend,
                     std::uint32_t addend_parts, unsigned items);

bool hps_lift_by_bytes(const Queue& queue, DeviceView<std::uint32_t> first, DeviceView<std::uint32_t> second,
                       DeviceView<std::uint32_t> a, DeviceView<std::uint32_t> b,
                       const ColumnConversion<std::uint32_t>& extend, const ColumnConversion<std::uint32_t>& exchange,
                       const ColumnConversion<std::uint32_t>& restore, unsigned first_items, unsigned second_items);

}  // namespace cyclotome::cuda
