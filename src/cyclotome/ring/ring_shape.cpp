// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/ring/ring_shape.hpp"

#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/primes.hpp"
#include "cyclotome/ring/tables/change_of_basis.hpp"

namespace cyclotome {

bool RingShape::has_transform(std::uint64_t modulus) const noexcept {
  return modulus % transform_step_ == 1 && is_prime(modulus);
}

RingShapePtr RingShape::subring(std::size_t slots) const {
  throw ParameterError(
      message("Z[x]/(", this->modulus(), ") has no ring of ", slots, " slots within it that is known"));
}

namespace {

/// Into the numbers of an arithmetic, `change`d, and out.
template <class Arithmetic, class Value, class Change>
std::vector<Value> changed(const Arithmetic& arithmetic, std::span<const Value> values, const Change& change) {
  std::vector<typename Arithmetic::Number> numbers;
  for (const Value value : values) numbers.push_back(arithmetic.enter(value));
  std::vector<Value> results;
  for (const auto& number : change(arithmetic, numbers)) results.push_back(arithmetic.leave(number));
  return results;
}

ResidueArithmetic residues_modulo(std::uint64_t q) {
  if (q >= 2 && q < max_modulus<std::uint64_t>) return {Modulus<std::uint64_t>(q)};
  throw ArgumentError(message("modulus ", q, " is not in [2, ", max_modulus<std::uint64_t>, ")"));
}

void require_count(std::size_t count, const RingShape& shape) {
  if (count == shape.degree()) return;
  throw ArgumentError(
      message(count, " coefficients are not those of Z[x]/(", shape.modulus(), "), which has ", shape.degree()));
}

}  // namespace

std::vector<std::uint64_t> RingShape::coefficients_of(std::span<const std::uint64_t> polynomial,
                                                      std::uint64_t q) const {
  return changed(residues_modulo(q), polynomial, [&](const auto& a, const auto& x) { return reduced(a, x); });
}

std::vector<std::int64_t> RingShape::coefficients_of(std::span<const std::int64_t> polynomial) const {
  return changed(IntegerArithmetic{}, polynomial, [&](const auto& a, const auto& x) { return reduced(a, x); });
}

std::vector<std::uint64_t> RingShape::polynomial_of(std::span<const std::uint64_t> coefficients,
                                                    std::uint64_t q) const {
  require_count(coefficients.size(), *this);
  return changed(residues_modulo(q), coefficients, [&](const auto& a, const auto& x) { return expanded(a, x); });
}

std::vector<std::int64_t> RingShape::polynomial_of(std::span<const std::int64_t> coefficients) const {
  require_count(coefficients.size(), *this);
  return changed(IntegerArithmetic{}, coefficients, [&](const auto& a, const auto& x) { return expanded(a, x); });
}

}  // namespace cyclotome
