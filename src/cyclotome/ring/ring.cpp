// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/ring/ring.hpp"

#include <atomic>

#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/interrupt.hpp"
#include "cyclotome/math/primes.hpp"

namespace cyclotome {

namespace {

template <LimbWord W>
std::shared_ptr<const TransformTables<W>> make_tables(std::size_t degree, std::uint64_t modulus) {
  const bool possible = modulus < max_transform_modulus<W> && (modulus - 1) % (2 * degree) == 0 && is_prime(modulus);
  return possible ? std::make_shared<const TransformTables<W>>(degree, static_cast<W>(modulus)) : nullptr;
}

}  // namespace

Ring::Ring(std::size_t degree, Basis basis) : degree_(degree), basis_(std::move(basis)) {
  static std::atomic<std::uint64_t> counter{0};
  id_ = ++counter;
}

RingPtr Ring::negacyclic(std::size_t degree, const Basis& basis) {
  if (!is_power_of_two(degree) || degree < 2 || degree > max_degree) {
    throw ParameterError(message("ring degree ", degree, " is not a power of two in [2, ", max_degree, "]"));
  }
  const std::shared_ptr<Ring> ring(new Ring(degree, basis));
  for (const auto modulus : basis.values()) {
    check_interrupt();
    if (basis.word() == Word::u32) {
      ring->tables32_.push_back(make_tables<std::uint32_t>(degree, modulus));
    } else {
      ring->tables64_.push_back(make_tables<std::uint64_t>(degree, modulus));
    }
  }
  return ring;
}

template <LimbWord W>
const TransformTables<W>& Ring::tables(std::size_t limb) const {
  const TransformTables<W>* found = nullptr;
  if constexpr (sizeof(W) == 4) {
    found = tables32_.at(limb).get();
  } else {
    found = tables64_.at(limb).get();
  }
  if (found == nullptr) {
    throw ParameterError(message("modulus ", basis_[limb], " has no transform of length ", degree_,
                                 ": it must be a prime congruent to 1 modulo ", 2 * degree_));
  }
  return *found;
}

template const TransformTables<std::uint32_t>& Ring::tables(std::size_t) const;
template const TransformTables<std::uint64_t>& Ring::tables(std::size_t) const;

RingPtr Ring::slice(std::size_t first, std::size_t count) const {
  const std::shared_ptr<Ring> ring(new Ring(degree_, basis_.slice(first, count)));
  for (std::size_t i = first; i < first + count; ++i) {
    if (word() == Word::u32) {
      ring->tables32_.push_back(tables32_[i]);
    } else {
      ring->tables64_.push_back(tables64_[i]);
    }
  }
  return ring;
}

RingPtr Ring::joined(const Ring& other) const {
  if (degree_ != other.degree_) {
    throw ParameterError(message("rings of degrees ", degree_, " and ", other.degree_, " can't be joined"));
  }
  const std::shared_ptr<Ring> ring(new Ring(degree_, basis_.joined(other.basis_)));
  ring->tables32_ = tables32_;
  ring->tables64_ = tables64_;
  ring->tables32_.insert(ring->tables32_.end(), other.tables32_.begin(), other.tables32_.end());
  ring->tables64_.insert(ring->tables64_.end(), other.tables64_.begin(), other.tables64_.end());
  return ring;
}

}  // namespace cyclotome
