// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/scheme/bfv/context.hpp"

#include <algorithm>

#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/primes.hpp"

namespace cyclotome::bfv {

ContextPtr Context::create(const rlwe::Parameters& parameters, const EnginePtr& engine) {
  if (parameters.scheme() != rlwe::SchemeKind::bfv) {
    throw ParameterError(message("a BFV context needs BFV parameters, not ", parameters.summary()));
  }
  return ContextPtr(new Context(parameters, engine));
}

Context::Context(const rlwe::Parameters& parameters, const EnginePtr& engine)
    : rlwe::Context(parameters, engine, {Domain::coefficient, false}) {
  const RingPtr& q = ciphertext_ring();
  const std::size_t n = parameters.degree();
  const auto& plain_moduli = parameters.plain_moduli();
  std::vector<std::uint64_t> taken = parameters.moduli();
  taken.insert(taken.end(), parameters.special_moduli().begin(), parameters.special_moduli().end());
  taken.insert(taken.end(), plain_moduli.begin(), plain_moduli.end());

  const std::uint64_t m_tilde = behz_m_tilde(parameters.word());
  const std::uint64_t largest_plain = *std::max_element(plain_moduli.begin(), plain_moduli.end());
  const Basis auxiliary = behz_auxiliary_basis(q->basis(), n, largest_plain, m_tilde, taken);
  auxiliary_ring_ = Ring::negacyclic(n, auxiliary);
  product_ring_ = q->joined(*auxiliary_ring_);
  lift_ = std::make_unique<BehzLift>(q, auxiliary_ring_, m_tilde);

  // gamma needs no transform; any prime of the word's width that is not taken will do.
  const std::uint64_t gamma = primes_congruent_to_one(parameters.word() == Word::u32 ? 30 : 61, 2, 1, taken)[0];
  decryption_slack_ = static_cast<double>(q->limbs()) / static_cast<double>(gamma);
  const BigUnsigned product = q->basis().product();
  for (std::size_t i = 0; i < plain_moduli.size(); ++i) {
    const std::uint64_t t = plain_moduli[i];
    product_scales_.push_back(std::make_unique<BehzScale>(q, auxiliary_ring_, t));
    plain_scales_.push_back(std::make_unique<PlainScale>(q, plain_ring(i), gamma));
    // round(q m / t) = (q m - [q m]_t)/t, and q = 0 modulo q_i: so it is -[q m]_t t^-1 there, [.]_t centred.
    std::vector<std::uint64_t> factors;
    for (const auto modulus : q->basis().values()) {
      factors.push_back(modulus - inverse_or_zero(t % modulus, modulus));
    }
    message_scales_.emplace_back(plain_ring(i)->basis(), q->basis(), Lift::centred, std::vector{product.mod(t)},
                                 factors);
  }
}

const Context& bfv_context(const rlwe::ContextPtr& context) {
  const auto* const bfv = dynamic_cast<const Context*>(context.get());
  if (bfv == nullptr) {
    throw MismatchError(message("a BFV operation was given an object of ", context->parameters().summary()));
  }
  return *bfv;
}

}  // namespace cyclotome::bfv
