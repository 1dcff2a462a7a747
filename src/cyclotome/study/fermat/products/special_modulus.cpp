// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/study/fermat/products/special_modulus.hpp"

namespace cyclotome::study::fermat {

namespace {

/// p^-1 modulo `modulus`, coprime to it: (h modulus + 1)/p with h = -modulus^-1 mod p.
BigUnsigned inverse_of(std::uint64_t p, const BigUnsigned& modulus) {
  const std::uint64_t h = p - inverse_or_zero(modulus.mod(p), p);
  return (modulus * BigUnsigned(h) + 1).divided_by(p);
}

}  // namespace

SpecialModulus::SpecialModulus(EnginePtr engine, const WideRing& ring, const std::vector<std::uint64_t>& primes)
    : engine_(std::move(engine)),
      wide_(WideEngine::of(engine_)),
      special_(Ring::create(ring.shape(), Basis(Word::u64, primes))),
      punctured_inverses_(ToLimb::inverses(special_->basis())),
      from_word_(wide_->from_wide(std::make_shared<FromWide>(std::make_shared<WideIntegers>(1), special_->basis()))),
      wraps_(wide_->centred_wraps(special_->basis())) {
  for (const std::uint64_t p : primes) ring.basis().require_coprime(p, "the special prime");
  for (const Limb& limb : ring.basis().limbs()) {
    const BigUnsigned modulus = limb.modulus();
    const LimbArithmetic arithmetic(limb);
    BigUnsigned inverse = 1;
    for (const std::uint64_t p : primes) {
      std::vector<std::uint64_t> reduced(limb.words);
      arithmetic.reduce(reduced, (inverse * inverse_of(p, modulus)).limbs());
      inverse = BigUnsigned::from_limbs(reduced);
    }
    to_limbs_.push_back(wide_->to_limb(std::make_shared<ToLimb>(special_->basis(), limb, inverse)));
    inverses_.push_back(std::move(inverse));
    from_limbs_.push_back(
        wide_->from_wide(std::make_shared<FromWide>(std::make_shared<WideIntegers>(limb.words), special_->basis())));
  }
}

void SpecialModulus::multiply(const LimbArithmetic& limb, std::uint64_t* rows, std::size_t degree) const {
  const std::size_t words = limb.limb().words;
  Rows x(words);
  for (std::size_t c = 0; c < degree; ++c) {
    gather(x.data(), rows, words, degree, c, 1);
    for (std::size_t j = 0; j < special_->limbs(); ++j) limb.scale(x.data(), x.data(), special_->basis()[j]);
    scatter(rows, x.data(), words, degree, c, 1);
  }
}

PolyArray SpecialModulus::forward(const std::uint64_t* rows, std::size_t limb) const {
  PolyArray out(engine_, special_, 1, 1);
  from_limbs_[limb](static_cast<std::uint64_t*>(out.view().data), rows, {special_->degree()});
  out.to_transform();
  return out;
}

PolyArray SpecialModulus::forward_digit(const std::uint64_t* row) const {
  PolyArray out(engine_, special_, 1, 1);
  from_word_(static_cast<std::uint64_t*>(out.view().data), row, {special_->degree()});
  out.to_transform();
  return out;
}

void SpecialModulus::divide(const WideRing& ring, std::uint64_t* rows, PolyArray& rest) const {
  rest.to_coefficient();
  engine_->multiply_scalars(rest.view(), rest.view(), punctured_inverses_);
  const auto* const y = static_cast<const std::uint64_t*>(rest.view().data);
  const Many many{ring.degree()};
  WideWords numbers(*wide_, ring.degree(), false), over(*wide_, ring.size(), false);
  auto* const wraps = reinterpret_cast<std::int64_t*>(numbers.data());
  wraps_(wraps, y, many);
  for (std::size_t i = 0; i < to_limbs_.size(); ++i) to_limbs_[i](over.data() + ring.offset(i), y, wraps, many);
  wide_->subtract(ring, rows, rows, over.data(), 1);
}

}  // namespace cyclotome::study::fermat
