// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "cyclotome/math/near_power.hpp"

namespace cyclotome {

/// Roots as TransformTables has them, for lanes that multiply 32 bits: both words of a HalvedFactor each. A word more
/// follows, so that higher halves can be loaded where lower ones are expected.
struct HalvedRoots {
  std::vector<std::uint64_t> roots, lifted_roots, inverse_roots, lifted_inverse_roots;
};

}  // namespace cyclotome
