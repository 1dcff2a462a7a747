// SPDX-License-Identifier: Apache-2.0
// The inner loops for AVX-512 F, DQ, BW and VL.
#if defined(__x86_64__)

// Every header that may define functions comes before the target pragma, so that this file leaves no copy of a shared
// inline function behind that needs AVX-512.
#include <algorithm>
#include <array>
#include <cstring>
#include <immintrin.h>
#include <span>
#include <type_traits>
#include <utility>

#include "cyclotome/engine/cpu/kernels.hpp"
#include "cyclotome/engine/cpu/steps/prime_factor.hpp"
#include "cyclotome/engine/cpu/transform.hpp"
#include "cyclotome/engine/cpu/vector/macros.hpp"

CYCLOTOME_TARGET_BEGIN("avx512f,avx512dq,avx512bw,avx512vl,bmi2")

#include "cyclotome/engine/cpu/vector/arithmetic_double.hpp"
#include "cyclotome/engine/cpu/vector/by_modulus.hpp"
#include "cyclotome/engine/cpu/vector/lanes/registers_avx512.hpp"
#include "cyclotome/engine/cpu/vector/table.hpp"

CYCLOTOME_TARGET_END

namespace cyclotome::cpu {

namespace {

const Kernels<std::uint64_t>& integers() noexcept { return vector_table<Lanes64<Avx512>>; }

}  // namespace

template <>
const Kernels<std::uint32_t>& avx512_kernels() noexcept {
  return vector_table<Lanes32<Avx512>>;
}

template <>
const Kernels<std::uint64_t>& avx512_kernels() noexcept {
  return ByModulus<ArithmeticDouble<Avx512>, integers>::table();
}

}  // namespace cyclotome::cpu

#endif
