// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/value/layout/layout.hpp"

#include "cyclotome/math/errors.hpp"

namespace cyclotome::value {

std::string to_string(Placement placement) {
  switch (placement) {
    case Placement::replicated:
      return "replicated";
    case Placement::slots:
      return "packed in slots";
    case Placement::coefficients:
      return "packed in coefficients";
  }
  return "unknown";
}

Layout::Layout(Shape shape, const Widths& widths, Placement placement, bool clean)
    : shape_(std::move(shape)), widths_(widths), placement_(placement), clean_(clean) {
  if (packed() && shape_.empty()) throw ArgumentError("a scalar has no axis to pack; it is replicated");
  count_of(shape_);
  clean_ = clean_ || !packed() || full();
}

Shape Layout::ciphertext_axes() const {
  Shape axes = outer();
  axes.push_back(chunks());
  return axes;
}

std::size_t Layout::batch() const { return count_of(ciphertext_axes()); }

}  // namespace cyclotome::value
