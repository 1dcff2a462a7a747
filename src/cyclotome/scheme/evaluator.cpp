// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/scheme/evaluator.hpp"

#include "cyclotome/math/errors.hpp"

namespace cyclotome::scheme {

const rlwe::EvaluationKeys& Evaluator::keys() const {
  if (keys_ == nullptr)
    throw MissingKeyError("this evaluator has no keys; make it with evaluation keys, Evaluator(keys)");
  return *keys_;
}

}  // namespace cyclotome::scheme
