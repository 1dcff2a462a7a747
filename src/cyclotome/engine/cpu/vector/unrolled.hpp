// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <utility>

#include "cyclotome/engine/cpu/vector/macros.hpp"

namespace cyclotome::cpu {
namespace {

/// body(0), ..., body(count - 1) with compile-time indices, so that arrays of registers stay in registers.
template <std::size_t count, class Body>
CYCLOTOME_INLINE void unrolled(const Body& body) {
  [&]<std::size_t... i>(std::index_sequence<i...>) __attribute__((always_inline)) {
    (body(std::integral_constant<std::size_t, i>{}), ...);
  }(std::make_index_sequence<count>{});
}

}  // namespace
}  // namespace cyclotome::cpu
