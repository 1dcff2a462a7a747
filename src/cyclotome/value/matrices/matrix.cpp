// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/value/matrices/matrix.hpp"

#include "cyclotome/math/errors.hpp"

namespace cyclotome::value {

Matrix::Matrix(const rlwe::ContextPtr& context, Integers values)
    : kept_(std::make_shared<Kept>(present(context), std::move(values))) {
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

const Diagonals* Matrix::Kept::found(const Side& side) {
  const std::lock_guard lock(mutex);
  const auto place = diagonals.find(side);
  return place == diagonals.end() ? nullptr : place->second.get();
}

const Diagonals& Matrix::diagonals(bool transposed, bool clean, bool quiet) const {
  Kept& kept = *kept_;
  const Side side{transposed, clean, quiet};
  if (const Diagonals* const found = kept.found(side)) return *found;
  const std::lock_guard turn(kept.preparing);  // others wait, as it may take much memory
  if (const Diagonals* const found = kept.found(side)) return *found;
  const Integers& w = kept.values;
  auto made = std::make_unique<Diagonals>(kept.context, transposed ? value::transposed(w) : w, clean, quiet);
  made->prepare();
  const std::lock_guard lock(kept.mutex);
  return *kept.diagonals.emplace(side, std::move(made)).first->second;
}

}  // namespace cyclotome::value
