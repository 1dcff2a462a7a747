// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/engine/cuda/conversion/digits.cuh"

namespace cyclotome::cuda {

namespace {

/// Grid: (columns, items, digits).
template <class W, unsigned Bytes>
__global__ void prepare_digits_kernel(DeviceView<W> out, DeviceView<W> c, const DeviceDigit<W>* digits) {
  const std::uint32_t column = first_column<W, Bytes>(), item = blockIdx.y;
  if (column >= c.degree) return;
  let_next_start();
  const DeviceDigit<W> digit = digits[blockIdx.z];
  wait_for_previous();
  W* const from = c.limb(item, digit.first_limb) + column;
  W* const to = out.limb(item, digit.first_limb + blockIdx.z) + column;
  prepare_digit<W, Bytes>(
      digit.extension, [&](std::uint32_t i) { return *columns<Bytes>(from + std::size_t{i} * c.degree, 0); },
      [&](std::uint32_t i, const Columns<W, Bytes>& value) {
        *columns<Bytes>(to + std::size_t{i} * out.degree, 0) = value;
      });
}

}  // namespace

template <class W>
void prepare_digits(const Queue& queue, DeviceView<W> out, DeviceView<W> c, const DeviceDigit<W>* digits,
                    std::uint32_t digit_count, unsigned items) {
  const auto run = [&]<unsigned Bytes>() {
    const unsigned threads = 128, per_block = threads * Columns<W, Bytes>::count;
    launch<prepare_digits_kernel<W, Bytes>, Start::early>(
        queue, dim3((c.degree + per_block - 1) / per_block, items, digit_count), threads, 0, 1, "preparation of digits",
        out, c, digits);
  };
  // Few values: twice the threads with half as many each.
  const bool many =
      c.degree % Columns<W, 16>::count == 0 && std::size_t{c.degree} * items * digit_count >= std::size_t{1} << 20;
  many ? run.template operator()<16>() : run.template operator()<8>();
}

#define CYCLOTOME_INSTANTIATE(W)                                                                                 \
  template void prepare_digits(const Queue&, DeviceView<W>, DeviceView<W>, const DeviceDigit<W>*, std::uint32_t, \
                               unsigned);
CYCLOTOME_INSTANTIATE(std::uint32_t)
CYCLOTOME_INSTANTIATE(std::uint64_t)
#undef CYCLOTOME_INSTANTIATE

}  // namespace cyclotome::cuda
