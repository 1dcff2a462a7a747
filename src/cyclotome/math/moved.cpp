// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/math/moved.hpp"

#include "cyclotome/math/errors.hpp"

namespace cyclotome {

void refuse_moved_from() {
  throw ArgumentError(
      "this object was moved from (std::move) and holds nothing any more; use the one that it was moved "
      "to, or copy it: copies share what is large");
}

}  // namespace cyclotome
