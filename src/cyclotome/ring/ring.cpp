// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/ring/ring.hpp"

#include <atomic>

#include "cyclotome/math/errors.hpp"

namespace cyclotome {

Ring::Ring(RingShapePtr shape, Basis basis, std::size_t limb_words, Transforms transforms)
    : shape_(std::move(shape)),
      degree_(shape_->degree()),
      limb_words_(limb_words),
      basis_(std::move(basis)),
      transforms_(std::move(transforms)) {
  static std::atomic<std::uint64_t> counter{0};
  id_ = ++counter;
}

RingPtr Ring::create(const RingShapePtr& shape, const Basis& basis) {
  Transforms transforms;
  for (const auto modulus : basis.values()) transforms.push_back(shape->transform(basis.word(), modulus));
  return RingPtr(new Ring(shape, basis, shape->degree(), std::move(transforms)));
}

RingPtr Ring::negacyclic(std::size_t degree, const Basis& basis) {
  return create(RingShape::negacyclic(degree), basis);
}

RingPtr Ring::cyclotomic(std::size_t index, const Basis& basis) { return create(RingShape::cyclotomic(index), basis); }

const Transform& Ring::transform(std::size_t limb) const {
  const Transform* const found = transforms_.at(limb).get();
  if (found == nullptr) {
    throw ParameterError(message("modulus ", basis_[limb], " has no transform of length ", degree_,
                                 ": it must be a prime congruent to 1 modulo ", shape_->transform_step()));
  }
  return *found;
}

void Ring::require_method(const Transform& found, Transform::Method method, Word word) const {
  if (found.method == method && found.word == word) return;
  throw EngineError(message("the transform of ", name(), " is ", name_of(found.method), " on ", bits_of(found.word),
                            "-bit words, and this needs a ", name_of(method), " one on ", bits_of(word),
                            "-bit words; the CPU engine has all of them"));
}

RingPtr Ring::slice(std::size_t first, std::size_t count) const {
  Basis basis = basis_.slice(first, count);
  const auto begin = transforms_.begin() + static_cast<std::ptrdiff_t>(first);
  return RingPtr(new Ring(shape_, std::move(basis), limb_words_, {begin, begin + static_cast<std::ptrdiff_t>(count)}));
}

RingPtr Ring::joined(const Ring& other) const {
  if (!(*shape_ == *other.shape_)) {
    throw ParameterError(message("rings of degrees ", degree_, " and ", other.degree_, " can't be joined: ", name(),
                                 " and ", other.name()));
  }
  if (limb_words_ != other.limb_words_) {
    throw ParameterError(message("rings with limbs ", limb_words_, " and ", other.limb_words_,
                                 " words apart can't be joined; give both one distance by `spaced`"));
  }
  Transforms transforms = transforms_;
  transforms.insert(transforms.end(), other.transforms_.begin(), other.transforms_.end());
  return RingPtr(new Ring(shape_, basis_.joined(other.basis_), limb_words_, std::move(transforms)));
}

RingPtr Ring::with_basis(const Basis& basis) const {
  const RingPtr ring = create(shape_, basis);
  return limb_words_ == degree_ ? ring : ring->spaced(limb_words_);
}

RingPtr Ring::spaced(std::size_t limb_words) const {
  if (limb_words < degree_) {
    throw ParameterError(message("limbs ", limb_words, " words apart would overlap: each has ", degree_));
  }
  return RingPtr(new Ring(shape_, basis_, limb_words, transforms_));
}

}  // namespace cyclotome
