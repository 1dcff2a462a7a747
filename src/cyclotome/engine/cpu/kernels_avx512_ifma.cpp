// SPDX-License-Identifier: Apache-2.0
// The inner loops for AVX-512 with 52-bit multipliers: 64-bit words with moduli below 2^50, and longer ones. 32-bit
// words are the AVX-512 table's.
#if defined(__x86_64__)

// Every header that may define functions comes before the target pragma: see kernels_avx512.cpp.
#include <algorithm>
#include <cstring>
#include <immintrin.h>
#include <span>
#include <type_traits>
#include <utility>

#include "cyclotome/engine/cpu/kernels.hpp"
#include "cyclotome/engine/cpu/steps/prime_factor.hpp"
#include "cyclotome/engine/cpu/transform.hpp"
#include "cyclotome/engine/cpu/vector/macros.hpp"

CYCLOTOME_TARGET_BEGIN("avx512f,avx512dq,avx512bw,avx512vl,avx512ifma,bmi2")

#include "cyclotome/engine/cpu/vector/by_modulus.hpp"
#include "cyclotome/engine/cpu/vector/lanes/lanes64_ifma.hpp"
#include "cyclotome/engine/cpu/vector/lanes/lanes_ifma.hpp"
#include "cyclotome/engine/cpu/vector/table.hpp"

CYCLOTOME_TARGET_END

namespace cyclotome::cpu {

namespace {

struct Ifma {
  static constexpr std::uint64_t limit = max_ifma_modulus;
  static constexpr const Kernels<std::uint64_t>& table = vector_table<LanesIfma>;
  struct Surroundings {};
};

const Kernels<std::uint64_t>& wide() noexcept { return vector_table<Lanes64Ifma>; }

}  // namespace

template <>
const Kernels<std::uint32_t>& avx512_ifma_kernels() noexcept {
  return avx512_kernels<std::uint32_t>();
}

template <>
const Kernels<std::uint64_t>& avx512_ifma_kernels() noexcept {
  return ByModulus<Ifma, wide>::table();
}

}  // namespace cyclotome::cpu

#endif
