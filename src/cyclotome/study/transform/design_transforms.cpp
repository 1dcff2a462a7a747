// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/study/transform/design_transforms.hpp"

#include "cyclotome/math/errors.hpp"

namespace cyclotome::study {

void DesignTransforms::require_gaussian(const char* verb, ConstView a, Domain domain) {
  if (a.domain != domain) {
    throw ArgumentError(message(verb, domain == Domain::coefficient ? ": the operand must be in coefficient domain"
                                                                    : ": the operand must be transformed"));
  }
}

void DesignTransforms::require_same(View out, ConstView a, ConstView b) {
  for (const ConstView& operand : {a, b}) {
    if (!operand.ring->same_as(*out.ring) || operand.batch != out.batch || operand.parts != out.parts) {
      throw ArgumentError("multiply_gaussian: operands and result must have one ring, batch and number of parts");
    }
  }
}

}  // namespace cyclotome::study
