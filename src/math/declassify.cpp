// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/math/declassify.hpp"

namespace cyclotome {

void (*on_declassify)(const void*, std::size_t) = nullptr;

}  // namespace cyclotome
