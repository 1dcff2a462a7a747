// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/engine/dry/account.hpp"

namespace cyclotome {

namespace {

using program::Op;
using program::Place;
using program::Verb;

/// Polynomials modulo one prime in a place, of `items` items.
std::uint64_t limbs_of(const Place& place, std::size_t items) {
  return static_cast<std::uint64_t>(place.items == program::each ? items : place.items) * place.parts *
         place.ring->limbs();
}

Work work_of(const Op& op, std::size_t items) {
  const std::uint64_t limbs = limbs_of(op.out, items), degree = op.out.ring->degree(), words = limbs * degree;
  switch (op.verb) {
    case Verb::forward:
    case Verb::inverse:
      return {limbs, 0, words};
    case Verb::multiply:
    case Verb::multiply_accumulate:
    case Verb::multiply_scalars:
      return {0, words, words};
    case Verb::convert:  // a product for each pair of primes
      return {0, words * op.a.ring->limbs(), words};
    default:
      return {0, 0, words};
  }
}

}  // namespace

Work& Work::operator+=(const Work& other) noexcept {
  transforms += other.transforms;
  products += other.products;
  words += other.words;
  return *this;
}

Work Work::operator*(std::uint64_t count) const noexcept {
  return {transforms * count, products * count, words * count};
}

Work work_of(const program::Program& program, std::size_t items) {
  Work total;
  for (const Op& op : program.ops()) total += work_of(op, items);
  return total;
}

}  // namespace cyclotome
