// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/circuit/algebra.hpp"

#include <algorithm>

namespace cyclotome::circuit {

BatchPtr Algebra::sum(std::span<const Summands> summands, std::span<const std::int64_t> constants) const {
  BatchPtr total;
  for (const Summands& some : summands) {
    BatchPtr part = gather(some.places);
    if (some.group > 1) part = sum_groups(*part, some.group);
    total = total == nullptr ? part : add(*total, *part);
  }
  const bool nothing = std::ranges::all_of(constants, [](std::int64_t c) { return c == 0; });
  return nothing ? total : add_constants(*total, constants);
}

BatchPtr Algebra::relinearize_to(const Batch& a, std::size_t level) const {
  const BatchPtr result = relinearize(a);
  return facts(*result).level > level ? lowered(*result, level) : result;
}

BatchPtr Algebra::sum_products(std::span<const Place> a, std::span<const Place> b, std::size_t group) const {
  const BatchPtr first = gather(a), second = gather(b);
  BatchPtr products = multiply(*first, *second);
  return group == 1 ? products : sum_groups(*products, group);
}

}  // namespace cyclotome::circuit
