// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/math/declassify.hpp"

namespace cyclotome {

bool declassify(bool secret) noexcept {
  // Compilers must neither turn the branch into arithmetic nor hand the secret bit back in place of what the branch has
  // found: so each way has its own barrier around its own number.
  unsigned found = 0;
  if (secret) {
    found = 2;
    asm volatile("# the secret bit is set" : "+r"(found));
  } else {
    found = 3;
    asm volatile("# the secret bit is not set" : "+r"(found));
  }
  return found == 2;
}

}  // namespace cyclotome
