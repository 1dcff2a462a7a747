// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "cyclotome/ring/basis.hpp"
#include "cyclotome/ring/transform_tables.hpp"

namespace cyclotome {

class Ring;
using RingPtr = std::shared_ptr<const Ring>;

/// A polynomial ring Z_q[x]/(x^n + 1), n a power of two, q the product of a basis. Immutable and shared; slices share
/// their transform tables.
class Ring : public std::enable_shared_from_this<Ring> {
 public:
  /// n in [2, 2^17]. Moduli without a transform (composite, or not 1 mod 2n) are allowed: `has_transform(limb)` tells,
  /// and transforming them throws. Throws ParameterError for any other n.
  static RingPtr negacyclic(std::size_t degree, const Basis& basis);

  std::size_t degree() const noexcept { return degree_; }
  const Basis& basis() const noexcept { return basis_; }
  std::size_t limbs() const noexcept { return basis_.size(); }
  Word word() const noexcept { return basis_.word(); }
  /// Names this ring within the process, also after its end. Engines keep their own tables by it.
  std::uint64_t id() const noexcept { return id_; }

  bool has_transform(std::size_t limb) const noexcept {
    return word() == Word::u32 ? tables32_[limb] != nullptr : tables64_[limb] != nullptr;
  }
  /// Tables of one limb; throws ParameterError if its modulus has no transform of this length.
  template <LimbWord W>
  const TransformTables<W>& tables(std::size_t limb) const;

  RingPtr slice(std::size_t first, std::size_t count) const;
  RingPtr joined(const Ring& other) const;

  static constexpr std::size_t max_degree = std::size_t{1} << 17;

 private:
  Ring(std::size_t degree, Basis basis);

  std::size_t degree_;
  Basis basis_;
  std::uint64_t id_;
  std::vector<std::shared_ptr<const TransformTables<std::uint32_t>>> tables32_;
  std::vector<std::shared_ptr<const TransformTables<std::uint64_t>>> tables64_;
};

}  // namespace cyclotome
