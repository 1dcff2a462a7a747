// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "cyclotome/ring/basis.hpp"
#include "cyclotome/ring/ring_shape.hpp"
#include "cyclotome/ring/tables/transform_tables.hpp"

namespace cyclotome {

class Ring;
using RingPtr = std::shared_ptr<const Ring>;

/// A polynomial ring Z_q[x]/(f), q the product of a basis: a shape with moduli, a transform for each that has one, and
/// how far limbs lie apart in memory. Immutable and shared; slices share transforms.
class Ring : public std::enable_shared_from_this<Ring> {
 public:
  /// Moduli without a transform (composite, or not 1 modulo the shape's transform_step()) are allowed:
  /// `has_transform(limb)` tells, and transforming them throws.
  static RingPtr create(const RingShapePtr& shape, const Basis& basis);
  /// Z_q[x]/(x^n + 1), n a power of two in [2, 2^17]. Throws ParameterError for any other n.
  static RingPtr negacyclic(std::size_t degree, const Basis& basis);
  /// Z_q[x]/Phi_m, m odd and squarefree in [3, 2^17]. Throws ParameterError for any other m.
  static RingPtr cyclotomic(std::size_t index, const Basis& basis);

  /// What does not depend on the moduli.
  const RingShapePtr& shape() const noexcept { return shape_; }
  RingKind kind() const noexcept { return shape_->kind(); }
  std::uint64_t index() const noexcept { return shape_->index(); }
  const GaloisGroup& galois() const noexcept { return shape_->galois(); }
  std::size_t degree() const noexcept { return degree_; }
  const Basis& basis() const noexcept { return basis_; }
  std::size_t limbs() const noexcept { return basis_.size(); }
  Word word() const noexcept { return basis_.word(); }
  /// Words from the start of a limb to that of the next, at least degree().
  std::size_t limb_words() const noexcept { return limb_words_; }
  /// Names this ring within the process, also after its end. Engines keep their own tables by it.
  std::uint64_t id() const noexcept { return id_; }

  /// "Z_q[x]/(x^8 + 1)", for messages.
  std::string name() const { return "Z_q[x]/(" + shape_->modulus() + ")"; }
  /// Whether residues of one are residues of the other, and lie in memory alike.
  bool same_as(const Ring& other) const noexcept {
    return this == &other || (*shape_ == *other.shape_ && basis_ == other.basis_ && limb_words_ == other.limb_words_);
  }

  bool has_transform(std::size_t limb) const noexcept { return transforms_[limb] != nullptr; }
  /// Of one limb; throws ParameterError if its modulus has none.
  const Transform& transform(std::size_t limb) const;
  /// The same as tables of one method and word; throws EngineError if it is another one's.
  template <class Tables>
  const Tables& transform_as(std::size_t limb) const {
    const Transform& found = transform(limb);
    require_method(found, Tables::own_method, static_cast<Word>(sizeof(typename Tables::Residue)));
    return static_cast<const Tables&>(found);
  }
  /// The negacyclic tables of one limb.
  template <LimbWord W>
  const TransformTables<W>& tables(std::size_t limb) const {
    return transform_as<TransformTables<W>>(limb);
  }

  RingPtr slice(std::size_t first, std::size_t count) const;
  /// The limbs of both. Throws ParameterError unless they have one shape and one distance of limbs.
  RingPtr joined(const Ring& other) const;
  /// The same polynomials over other moduli.
  RingPtr with_basis(const Basis& basis) const;
  /// The same ring with limbs `limb_words` words apart: for residues that need room beside them. Throws ParameterError
  /// below degree().
  RingPtr spaced(std::size_t limb_words) const;

  static constexpr std::size_t max_degree = RingShape::max_degree;

 private:
  using Transforms = std::vector<std::shared_ptr<const Transform>>;
  Ring(RingShapePtr shape, Basis basis, std::size_t limb_words, Transforms transforms);
  void require_method(const Transform& found, Transform::Method method, Word word) const;

  RingShapePtr shape_;
  std::size_t degree_, limb_words_;
  Basis basis_;
  std::uint64_t id_;
  Transforms transforms_;
};

}  // namespace cyclotome
