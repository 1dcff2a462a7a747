// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "cyclotome/math/word.hpp"

namespace cyclotome::cpu {

/// Pointers of one thread to the operands of an inner product; grows once and is reused.
template <LimbWord W>
struct Operands {
  std::vector<const W*> left, right;
  static Operands& of_thread(std::size_t terms) {
    thread_local Operands operands;
    if (operands.left.size() < terms) {
      operands.left.resize(terms);
      operands.right.resize(terms);
    }
    return operands;
  }
};

}  // namespace cyclotome::cpu
