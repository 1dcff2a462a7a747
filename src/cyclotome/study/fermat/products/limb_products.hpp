// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/engine/poly.hpp"
#include "cyclotome/study/fermat/limbs/wide_engine.hpp"

namespace cyclotome::study::fermat {

/// Transforms, over the primes of `ring`, of n integers in (-2^59, 2^59).
PolyArray transform_small(const EnginePtr& engine, const RingPtr& ring, const std::int64_t* values, bool secret);

/// Negacyclic products modulo q, limb by limb. The limbs' moduli are composite and have no transform of a useful length
/// (erratum 003-8), so residues are taken for integers, multiplied modulo as many primes as hold the product, on any
/// engine, and taken back. Limbs use the first primes of one list: what is small, as secrets and digits are, is
/// transformed once for all limbs.
class LimbProducts {
 public:
  /// For sums of `terms` products of residues in [0, q_i) with integers up to 2^log2_other, or with residues of the
  /// same limb when log2_other is 0.
  /// factors: what `backward` multiplies by, one for each limb; none for 1.
  LimbProducts(EnginePtr engine, const WideRing& ring, double log2_other, std::size_t terms,
               const std::vector<BigUnsigned>& factors = {});

  std::size_t limbs() const noexcept { return limbs_.size(); }
  /// The primes of one limb, and of all.
  const RingPtr& ring(std::size_t limb) const noexcept { return limbs_[limb].ring; }
  const RingPtr& widest() const noexcept { return widest_; }

  /// out (1 item, transforms over the limb's primes) = transforms of one limb's rows, on the host.
  PolyArray forward(const std::uint64_t* rows, std::size_t limb, bool secret) const;
  /// The same of rows in the engine's memory, and of `parts` polynomials whose rows lie `stride` words apart.
  PolyArray forward_there(const std::uint64_t* rows, std::size_t limb, bool secret, std::size_t parts = 1,
                          std::size_t stride = 0) const;
  /// The same of all limbs of a polynomial that hides nothing.
  std::vector<PolyArray> forward_all(const WideRing& ring, const std::uint64_t* rows) const;
  /// out (transforms over all primes) = those of integers in (-2^59, 2^59).
  PolyArray forward_small(const std::int64_t* values, bool secret) const {
    return transform_small(engine_, widest_, values, secret);
  }
  /// One limb's rows of a sum of products, transforms over the limb's primes; `product` is used up.
  void backward(std::uint64_t* rows, PolyArray& product, std::size_t limb) const;
  /// The same into the engine's memory, of all parts of a product, whose rows lie `stride` words apart.
  void backward_there(std::uint64_t* rows, PolyArray& product, std::size_t limb, std::size_t stride = 0) const;
  /// One limb's rows of residues (no product), given as transforms over the limb's primes, or over more of their list.
  void rows_of(std::uint64_t* rows, const PolyArray& transform, std::size_t limb) const;
  /// The limb's primes of something small.
  ConstView of_limb(const PolyArray& small, std::size_t limb) const { return small.view().limbs_at(0, *ring(limb)); }

 private:
  struct PerLimb {
    RingPtr ring;
    std::size_t words;
    WideStep to_primes;
    ToLimbStep from_primes;
    WrapStep wraps;
    std::vector<std::uint64_t> inverses;
  };
  EnginePtr engine_;
  WideEnginePtr wide_;
  std::size_t degree_;
  RingPtr widest_;
  std::vector<PerLimb> limbs_;
};

/// a_l = factors[l] a_l, as Engine::multiply_scalars, for any number of limbs: engines take some hundreds at once.
void scale_limbs(Engine& engine, View a, std::span<const std::uint64_t> factors);

/// Bits of the primes of products.
inline constexpr unsigned product_prime_bits = 60;

}  // namespace cyclotome::study::fermat
