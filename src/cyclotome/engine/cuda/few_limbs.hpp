// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

// When limbs are so few that they should be spread over more blocks, in kernels that do less each. Needs no CUDA.
namespace cyclotome::cuda {

/// What has kernels for few limbs and for many. Key switches: with digits of one prime, or of several.
enum class Verb : std::uint8_t { forward, inverse, product, key_product, key_switch, key_switch_of_several };

/// So many values a multiprocessor, and more, are for the kernels of many limbs. 32-bit words: where both took as long,
/// call after call, on an H200 (doc/gpu-notes.md). Kernels that do more in one go fill the device with fewer limbs; at
/// 2^16 a product holds so much that a multiprocessor has room for one block.
constexpr std::size_t many_values(Verb verb, std::size_t degree, std::size_t word_bytes) {
  constexpr std::size_t unmeasured = 8192;
  if (word_bytes != 4 || degree < 4096 || degree > 65536) return unmeasured;
  switch (verb) {
    case Verb::forward:
      return degree == 4096 ? 6144 : degree == 65536 ? 8192 : 16384;
    case Verb::inverse:
      return degree == 4096 ? 3072 : degree == 65536 ? 8192 : 16384;
    case Verb::product:
      return degree == 4096    ? 8192
             : degree == 8192  ? 12288
             : degree == 16384 ? 16384
             : degree == 32768 ? 24576
                               : ~std::size_t{0};
    case Verb::key_product:
      return 2560;
    case Verb::key_switch:
      // Alone one kernel is faster from some 5000 on at 8192 and 16384, but not as a part of multiply + relinearise.
      return degree == 4096 ? 3072 : degree == 32768 ? 12288 : 8192;
    case Verb::key_switch_of_several:
      return 12288;
  }
  return unmeasured;
}

/// limbs: of all items together.
template <class W>
constexpr bool few_limbs(Verb verb, std::size_t degree, std::size_t limbs, std::size_t multiprocessors) {
  return degree * limbs / multiprocessors < many_values(verb, degree, sizeof(W));
}

/// Whether a key switch's digits of `primes` primes are extended by base conversions before they are transformed, and
/// not as they are transformed, where each limb reads all of a digit. The former reads and writes more of the device's
/// memory, so that fewer primes need many limbs.
constexpr bool extends_first(std::size_t primes, std::size_t degree, std::size_t limbs, std::size_t multiprocessors) {
  constexpr std::size_t many_primes = 8, some_primes = 3, least_degree = 32768, least_values = 98304;
  if (primes >= many_primes) return true;
  return primes >= some_primes && degree >= least_degree && degree * limbs / multiprocessors >= least_values;
}

}  // namespace cyclotome::cuda
