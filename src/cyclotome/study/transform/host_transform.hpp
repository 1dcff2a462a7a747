// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/study/transform/design.hpp"
#include "cyclotome/study/transform/field.hpp"

namespace cyclotome::study {

/// A polynomial of `degree` residues at x is transformed by `design`, in place, in [0, q) before and after. Residues
/// end in the library's order. Gaussian ones: in bit-reversed order, or, where `sorted`, in natural order from a design
/// that is self-sorting. Takes scratch of twice the polynomial's size, which is wiped.
/// Precondition: supports(design, log2(degree), sizeof(Field::Word)), and a field with this design's constants.
template <bool Inverse, class Field>
void transform_on_host(typename Field::Word* x, std::size_t degree, const Field& field, TransformDesign design,
                       bool sorted);

/// All of conjugate_images, for the bits of the library's transform.
template <bool Inverse, LimbWord W>
void conjugate_all(W* x, std::size_t degree, const GaussianField<W>& field) {
  for (std::uint32_t k = 0; k < degree / 4; ++k) {
    conjugate_images<Inverse>(x, k, static_cast<std::uint32_t>(degree), field);
  }
}

}  // namespace cyclotome::study
