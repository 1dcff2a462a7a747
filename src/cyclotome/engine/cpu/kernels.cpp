// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/engine/cpu/kernels.hpp"

#include "cyclotome/engine/cpu/vector/lanes/double_ranges.hpp"
#include "cyclotome/ring/ring_shape.hpp"

namespace cyclotome::cpu {

// Ranges of transforms on doubles are followed through so many stages and no more.
static_assert(RingShape::max_degree <= std::size_t{1} << most_stages);

template <LimbWord W>
const Kernels<W>& kernels(InstructionSet set) noexcept {
  switch (set) {
#if defined(__x86_64__)
    case InstructionSet::avx2:
      return avx2_kernels<W>();
    case InstructionSet::avx512:
      return avx512_kernels<W>();
    case InstructionSet::avx512_ifma:
      return avx512_ifma_kernels<W>();
#elif defined(__aarch64__)
    case InstructionSet::neon:
      return neon_kernels<W>();
#endif
    default:
      return scalar_kernels<W>();
  }
}

template const Kernels<std::uint32_t>& kernels(InstructionSet) noexcept;
template const Kernels<std::uint64_t>& kernels(InstructionSet) noexcept;

}  // namespace cyclotome::cpu
