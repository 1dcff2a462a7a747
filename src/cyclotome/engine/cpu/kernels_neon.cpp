// SPDX-License-Identifier: Apache-2.0
// The inner loops for NEON, which all processors of 64-bit ARM have. Its lanes multiply 32 bits and doubles. So 32-bit
// words have the whole table; of 64-bit words moduli below 2^50 are on doubles, and other products are left to the
// processor's 64-bit multiplier, beside which two lanes gain nothing.
#if defined(__aarch64__)

// In the order of the other tables: see kernels_avx512.cpp.
#include <algorithm>
#include <arm_neon.h>
#include <array>
#include <cstring>
#include <span>
#include <type_traits>
#include <utility>

#include "cyclotome/engine/cpu/kernels.hpp"
#include "cyclotome/engine/cpu/steps/prime_factor.hpp"
#include "cyclotome/engine/cpu/transform.hpp"
#include "cyclotome/engine/cpu/vector/arithmetic_double.hpp"
#include "cyclotome/engine/cpu/vector/by_modulus.hpp"
#include "cyclotome/engine/cpu/vector/lanes/registers_neon.hpp"
#include "cyclotome/engine/cpu/vector/table.hpp"

namespace cyclotome::cpu {

namespace {

/// What needs no product of 64-bit words, and the scalar table's products.
const Kernels<std::uint64_t>& integers() noexcept {
  static const Kernels<std::uint64_t> table = [] {
    using Lanes = Pointwise<Lanes64<Neon>>;
    using Draws = Sampling<Neon, std::uint64_t>;
    Kernels<std::uint64_t> kernels = scalar_kernels<std::uint64_t>();
    kernels.add = Lanes::add;
    kernels.subtract = Lanes::subtract;
    kernels.negate = Lanes::negate;
    kernels.move_centred = Lanes::move_centred;
    kernels.sample_uniform = Draws::uniform;
    kernels.sample_small = Draws::small;
    return kernels;
  }();
  return table;
}

}  // namespace

template <>
const Kernels<std::uint32_t>& neon_kernels() noexcept {
  return vector_table<Lanes32<Neon>>;
}

template <>
const Kernels<std::uint64_t>& neon_kernels() noexcept {
  return ByModulus<ArithmeticDouble<Neon>, integers>::table();
}

}  // namespace cyclotome::cpu

#endif
