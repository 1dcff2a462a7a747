// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/ring/tables/galois_group.hpp"

#include <numeric>

#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/modulus.hpp"

namespace cyclotome {

GaloisGroup::GaloisGroup(std::uint64_t index, std::vector<Generator> generators)
    : index_(index), generators_(std::move(generators)) {
  for (const Generator& generator : generators_) order_ *= generator.order;
}

bool GaloisGroup::contains(std::uint64_t element) const noexcept {
  return element < index_ && std::gcd(element, index_) == 1;
}

void GaloisGroup::require(std::uint64_t element) const {
  if (!contains(element)) throw ArgumentError(message("Galois element ", element, " must be ", requirement()));
}

std::uint64_t GaloisGroup::product(std::uint64_t g, std::uint64_t h) const {
  require(g);
  require(h);
  return static_cast<std::uint64_t>(static_cast<u128>(g) * h % index_);
}

std::uint64_t GaloisGroup::inverse(std::uint64_t g) const {
  require(g);
  return inverse_or_zero(g, index_);
}

std::uint64_t GaloisGroup::power(std::uint64_t g, std::int64_t exponent) const {
  std::uint64_t base = exponent < 0 ? inverse(g) : product(g, 1), result = 1;
  auto left = exponent < 0 ? 0 - static_cast<std::uint64_t>(exponent) : static_cast<std::uint64_t>(exponent);
  for (; left != 0; left >>= 1) {
    if ((left & 1) != 0) result = product(result, base);
    base = product(base, base);
  }
  return result;
}

const std::vector<std::uint32_t>& GaloisGroup::slot_positions() const {
  positions_made_([this] { positions_ = make_slot_positions(); });
  return positions_;
}

std::vector<std::uint32_t> GaloisGroup::make_slot_positions() const {
  std::vector<std::uint64_t> elements{1};
  for (const Generator& generator : generators_) {
    const std::size_t before = elements.size();
    elements.reserve(before * generator.order);
    for (std::size_t i = before; i < before * generator.order; ++i) {
      elements.push_back(product(elements[i - before], generator.element));
    }
  }
  std::vector<std::uint32_t> positions;
  positions.reserve(elements.size());
  for (const std::uint64_t element : elements) positions.push_back(slot(element));
  return positions;
}

}  // namespace cyclotome
