// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/study/fermat/scheme/scaling.hpp"

namespace cyclotome::study::fermat {

void multiply_parts(Engine& engine, View out, ConstView a, ConstView b) {
  engine.multiply(out.part(0), a.part(0), b.part(0));
  engine.multiply(out.part(1), a.part(0), b.part(1));
  engine.multiply_accumulate(out.part(1), a.part(1), b.part(0));
  engine.multiply(out.part(2), a.part(1), b.part(1));
}

}  // namespace cyclotome::study::fermat
