// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/scheme/bfv/behz.hpp"

#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/primes.hpp"
#include "cyclotome/ring/tables/limb_values.hpp"

namespace cyclotome::bfv {

namespace {

const RingPtr& with_one_limb(const RingPtr& plain) {
  if (plain->limbs() != 1) {
    throw ParameterError(message("the ring of plaintexts needs one modulus, not ", plain->limbs(),
                                 "; scale to each plaintext modulus on its own"));
  }
  return plain;
}

RingPtr ring_of(const RingPtr& like, std::vector<std::uint64_t> moduli) {
  return like->with_basis(Basis(like->word(), std::move(moduli)));
}

}  // namespace

BehzLift::BehzLift(const RingPtr& q, const RingPtr& auxiliary, std::uint64_t m_tilde)
    : source(q),
      target(auxiliary),
      extended(auxiliary->joined(*ring_of(q, {m_tilde}))),
      correction_ring(extended->slice(auxiliary->limbs(), 1)),
      first(q->basis(), extended->basis(), Lift::fast,
            per_limb(q->basis(), [&](std::uint64_t modulus) { return m_tilde % modulus; }),
            per_limb(extended->basis(), [&](std::uint64_t b) { return b == m_tilde ? 1 : inverse_of(m_tilde, b); })),
      correction(correction_ring->basis(), auxiliary->basis(), Lift::centred,
                 {negate_mod(inverse_of_product(q->basis(), m_tilde), m_tilde)},
                 per_limb(auxiliary->basis(), [&](std::uint64_t b) {
                   return multiply_mod(q->basis().product_mod(b), inverse_of(m_tilde, b), b);
                 })) {}

BehzScale::BehzScale(const RingPtr& q, const RingPtr& auxiliary_, rlwe::PlainModulus t)
    : source(q),
      auxiliary(auxiliary_),
      joined(q->joined(*auxiliary_)),
      base(auxiliary_->slice(0, auxiliary_->limbs() - 1)),
      redundant(auxiliary_->slice(auxiliary_->limbs() - 1, 1)),
      restored(q->joined(*redundant)),
      floor_term(q->basis(), auxiliary_->basis(), Lift::fast,
                 per_limb(q->basis(), [&](std::uint64_t modulus) { return t.value % modulus; }),
                 negative_inverses(q->basis(), auxiliary_->basis())),
      floor_factors(
          per_limb(auxiliary_->basis(),
                   [&](std::uint64_t b) { return multiply_mod(t.value, inverse_of_product(q->basis(), b), b); })),
      restore(base->basis(), restored->basis(), Lift::fast),
      excess(redundant->basis(), q->basis(), Lift::centred, inverses(base->basis(), redundant->basis()),
             per_limb(q->basis(),
                      [&](std::uint64_t modulus) { return negate_mod(base->basis().product_mod(modulus), modulus); })) {
}

PlainScale::PlainScale(const RingPtr& q, const RingPtr& plain_, std::uint64_t gamma)
    : source(q),
      plain(with_one_limb(plain_)),
      extended(plain_->joined(*ring_of(q, {gamma}))),
      gamma_ring(extended->slice(1, 1)),
      scale(
          q->basis(), extended->basis(), Lift::fast,
          per_limb(q->basis(), [&](std::uint64_t modulus) { return multiply_mod(plain_->basis()[0], gamma, modulus); }),
          per_limb(extended->basis(),
                   [&](std::uint64_t b) {
                     const std::uint64_t negative = negate_mod(inverse_of_product(q->basis(), b), b);
                     return b == gamma ? negative : multiply_mod(negative, inverse_of(gamma, b), b);
                   })),
      correction(gamma_ring->basis(), plain_->basis(), Lift::centred, {},
                 per_limb(plain_->basis(), [&](std::uint64_t b) { return negate_mod(inverse_of(gamma, b), b); })) {}

std::uint64_t behz_m_tilde(Word word) noexcept { return word == Word::u32 ? 1ULL << 16 : 1ULL << 32; }

bool behz_auxiliary_suffices(const Basis& q, const Basis& auxiliary, std::uint64_t expansion,
                             rlwe::PlainModulus plain_modulus, std::uint64_t m_tilde, std::size_t terms) {
  // (1 + rho)^2 with rho = 2k/m~, as the fraction ((m~ + 2k)/m~)^2; everything is multiplied by m~^2.
  const std::size_t k = q.size();
  const BigUnsigned square = BigUnsigned(m_tilde) * BigUnsigned(m_tilde);
  BigUnsigned bound = q.product();
  for (const std::uint64_t factor : {plain_modulus.value, expansion, std::uint64_t{terms}}) bound *= factor;
  bound *= m_tilde + 2 * k;
  bound *= m_tilde + 2 * k;
  const std::size_t l = auxiliary.size() - 1;
  const BigUnsigned base = auxiliary.slice(0, l).product();
  const std::uint64_t m_sk = auxiliary[l];
  // (A) B m_sk > terms t delta q (1 + rho)^2 + 2k
  if (auxiliary.product() * square <= bound + square * BigUnsigned(2 * k)) return false;
  // (B) m_sk >= 2 (l + lambda), lambda = ceil((terms t delta q (1 + rho)^2 / 2 + k) / B):  lambda <= m_sk/2 - l
  if (m_sk / 2 <= l) return false;
  const BigUnsigned allowed = base * square * BigUnsigned(2 * (m_sk / 2 - l));
  return bound + square * BigUnsigned(2 * k) <= allowed;
}

Basis behz_auxiliary_basis(const Basis& q, const RingShape& shape, rlwe::PlainModulus largest_plain_modulus,
                           std::uint64_t m_tilde, const std::vector<std::uint64_t>& excluded, std::size_t terms) {
  const unsigned bits = q.word() == Word::u32 ? 30 : 61;
  for (std::size_t size = 2; size <= 2 * q.size() + 8; ++size) {
    std::vector<std::uint64_t> primes = primes_congruent_to_one(bits, shape.transform_step(), size, excluded);
    Basis auxiliary(q.word(), std::move(primes));
    if (behz_auxiliary_suffices(q, auxiliary, shape.expansion(), largest_plain_modulus, m_tilde, terms))
      return auxiliary;
  }
  throw ParameterError(message("no auxiliary basis of ", bits, "-bit primes is large enough for a product modulo q of ",
                               q.product().bit_length(), " bits at degree ", shape.degree()));
}

}  // namespace cyclotome::bfv
