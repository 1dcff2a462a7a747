// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/value/matrix.hpp"

#include "cyclotome/math/errors.hpp"

namespace cyclotome::value {

Matrix::Matrix(const rlwe::ContextPtr& context, Integers values)
    : kept_(std::make_shared<Kept>(context, std::move(values))) {
  const Shape& shape = kept_->values.shape();
  if (shape.size() != 2 || kept_->values.size() == 0) {
    throw ArgumentError(message("a matrix has two axes and values, not shape ", to_string(shape)));
  }
  if (!Diagonals::possible(*context)) {
    throw UnsupportedError(message("matrices are prepared for slots in two rows of integers, which ",
                                   context->parameters().summary(), " does not have; multiply with the integers"));
  }
  kept_->size.emplace(kept_->values);
}

std::size_t Matrix::bytes() const {
  const std::lock_guard lock(kept_->mutex);
  std::size_t sum = 0;
  for (const auto& [side, diagonals] : kept_->diagonals) sum += diagonals->bytes();
  return sum;
}

const Diagonals& Matrix::diagonals(bool transposed, bool clean, bool quiet) const {
  const std::lock_guard lock(kept_->mutex);
  auto& slot = kept_->diagonals[{transposed, clean, quiet}];
  if (slot == nullptr) {
    const Integers& w = kept_->values;
    auto made = std::make_unique<Diagonals>(kept_->context, transposed ? value::transposed(w) : w, clean, quiet);
    made->prepare();
    slot = std::move(made);
  }
  return *slot;
}

}  // namespace cyclotome::value
