// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/study/fermat/products/limb_products.hpp"

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

void scale_limbs(Engine& engine, View a, std::span<const std::uint64_t> factors) {
  constexpr std::size_t most = 256;
  if (factors.size() <= most) return engine.multiply_scalars(a, a, factors);
  for (std::size_t first = 0; first < factors.size(); first += most) {
    const std::size_t count = std::min(most, factors.size() - first);
    const RingPtr slice = a.ring->slice(first, count);
    const View limbs = a.limbs_at(first, *slice);
    engine.multiply_scalars(limbs, limbs, factors.subspan(first, count));
  }
}

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
    : engine_(std::move(engine)), wide_(WideEngine::of(engine_)), degree_(ring.degree()) {
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
    const auto whole = std::make_shared<WideIntegers>(limb.words);
    limbs_.push_back(
        {slice, limb.words, wide_->from_wide(std::make_shared<FromWide>(whole, slice->basis())),
         wide_->to_limb(std::make_shared<ToLimb>(slice->basis(), limb, factors.empty() ? BigUnsigned(1) : factors[i])),
         wide_->centred_wraps(slice->basis()), ToLimb::inverses(slice->basis())});
  }
}

PolyArray LimbProducts::forward(const std::uint64_t* rows, std::size_t limb, bool secret) const {
  const WideWords words(*wide_, rows, limbs_[limb].words * degree_, secret);
  return forward_there(words.data(), limb, secret);
}

PolyArray LimbProducts::forward_there(const std::uint64_t* rows, std::size_t limb, bool secret, std::size_t parts,
                                      std::size_t stride) const {
  PolyArray out(engine_, ring(limb), 1, parts, Domain::coefficient, secret);
  auto* const residues = static_cast<std::uint64_t*>(out.view().data);
  limbs_[limb].to_primes(residues, rows, {degree_, parts, ring(limb)->limbs() * degree_, stride});
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
  if (wide_->on_host()) return backward_there(rows, product, limb);
  WideWords words(*wide_, limbs_[limb].words * degree_, product.secret());
  backward_there(words.data(), product, limb);
  words.to_host(rows);
}

void LimbProducts::backward_there(std::uint64_t* rows, PolyArray& product, std::size_t limb, std::size_t stride) const {
  product.to_coefficient();
  scale_limbs(*engine_, product.view(), limbs_[limb].inverses);
  const Many many{degree_, product.parts(), stride, ring(limb)->limbs() * degree_};
  WideWords numbers(*wide_, product.parts() * degree_, product.secret());
  auto* const wraps = reinterpret_cast<std::int64_t*>(numbers.data());
  const auto* const y = static_cast<const std::uint64_t*>(product.view().data);
  limbs_[limb].wraps(wraps, y, many);
  limbs_[limb].from_primes(rows, y, wraps, many);
}

}  // namespace cyclotome::study::fermat
