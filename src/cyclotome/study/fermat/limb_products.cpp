// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/study/fermat/limb_products.hpp"

#include <algorithm>
#include <cmath>

#include "cyclotome/math/primes.hpp"

namespace cyclotome::study::fermat {

namespace {

/// How many primes of 60 bits hold a number of so many bits and a sign, four times over: centred lifts are then exact.
std::size_t primes_for(double bits) noexcept {
  return static_cast<std::size_t>(std::ceil((bits + 3) / (product_prime_bits - 0.01)));
}

}  // namespace

PolyArray transform_small(const EnginePtr& engine, const RingPtr& ring, const std::int64_t* values, bool secret) {
  PolyArray out(engine, ring, 1, 1, Domain::coefficient, secret);
  const std::size_t n = ring->degree();
  Rows residues(out.size());
  for (std::size_t j = 0; j < ring->limbs(); ++j) {
    const Modulus<std::uint64_t>& modulus = ring->basis().moduli<std::uint64_t>()[j];
    const std::uint64_t p = modulus.value();
    for (std::size_t c = 0; c < n; ++c) {
      residues[j * n + c] = modulus.bits() == product_prime_bits ? static_cast<std::uint64_t>(values[c]) +
                                                                       (p & static_cast<std::uint64_t>(values[c] >> 63))
                                                                 : modulus.reduce_signed(values[c]);
    }
  }
  out.upload(residues.data());
  out.to_transform();
  return out;
}

LimbProducts::LimbProducts(EnginePtr engine, const WideRing& ring, double log2_other, std::size_t terms,
                           const std::vector<BigUnsigned>& factors)
    : engine_(std::move(engine)), degree_(ring.degree()) {
  std::vector<std::size_t> counts;
  for (const Limb& limb : ring.basis().limbs()) {
    const double other = log2_other == 0 ? limb.bits : log2_other;
    counts.push_back(primes_for(limb.bits + other + std::log2(static_cast<double>(ring.shape()->expansion() * terms))));
  }
  const RingShapePtr& shape = ring.shape();
  const auto primes = primes_congruent_to_one(product_prime_bits, shape->transform_step(), counts.front());
  widest_ = Ring::create(shape, Basis(Word::u64, primes));
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const Limb& limb = ring.basis().limbs()[i];
    const RingPtr slice = widest_->slice(0, counts[i]);
    limbs_.push_back({slice, FromWide(std::make_shared<WideIntegers>(limb.words), slice->basis()),
                      ToLimb(slice->basis(), limb, factors.empty() ? BigUnsigned(1) : factors[i]),
                      ToLimb::inverses(slice->basis())});
  }
}

PolyArray LimbProducts::forward(const std::uint64_t* rows, std::size_t limb, bool secret) const {
  PolyArray out(engine_, ring(limb), 1, 1, Domain::coefficient, secret);
  Rows residues(out.size());
  limbs_[limb].to_primes.run(residues.data(), rows, degree_);
  out.upload(residues.data());
  out.to_transform();
  return out;
}

std::vector<PolyArray> LimbProducts::forward_all(const WideRing& ring, const std::uint64_t* rows) const {
  std::vector<PolyArray> all;
  for (std::size_t i = 0; i < limbs(); ++i) all.push_back(forward(rows + ring.offset(i), i, false));
  return all;
}

void LimbProducts::rows_of(std::uint64_t* rows, const PolyArray& transform, std::size_t limb) const {
  PolyArray copy(engine_, ring(limb), 1, 1, Domain::transform);
  engine_->copy(copy.view(), transform.view().limbs_at(0, *ring(limb)));
  backward(rows, copy, limb);
}

void LimbProducts::backward(std::uint64_t* rows, PolyArray& product, std::size_t limb) const {
  product.to_coefficient();
  engine_->multiply_scalars(product.view(), product.view(), limbs_[limb].inverses);
  Rows y(product.size());
  product.download(y.data());
  const auto wraps = ToLimb::centred_wraps(ring(limb)->basis(), y.data(), degree_);
  limbs_[limb].from_primes.run(rows, y.data(), wraps.data(), degree_);
}

}  // namespace cyclotome::study::fermat
