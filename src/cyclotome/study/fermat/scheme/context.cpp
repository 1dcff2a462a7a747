// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/study/fermat/scheme/context.hpp"

#include <algorithm>
#include <cmath>

#include "cyclotome/engine/memory_limit.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/primes.hpp"
#include "cyclotome/rlwe/noise/parameter_noise.hpp"

namespace cyclotome::study::fermat {

namespace {

constexpr Variant variants[] = {Variant::none, Variant::multiplication, Variant::reduction, Variant::both,
                                Variant::positional};

Method method_of(Variant variant) {
  return variant == Variant::positional ? Method::both : static_cast<Method>(variant);
}

}  // namespace

std::string name_of(Variant variant) {
  return variant == Variant::positional ? "positional" : name_of(method_of(variant));
}

Variant variant_of(const std::string& name) {
  std::string known;
  for (const Variant variant : variants) {
    if (name_of(variant) == name) return variant;
    known += (known.empty() ? "" : ", ") + name_of(variant);
  }
  throw ArgumentError(message("there is no version \"", name, "\" of conversion; there are ", known));
}

ContextPtr Context::create(const Parameters& parameters, EnginePtr engine, std::optional<Variant> variant,
                           ProductMethod products, const GeneralArithmetic& arithmetic) {
  const Variant chosen = variant.value_or(parameters.basis().splits() == 0 ? Variant::positional : Variant::both);
  const bool by_primes = products == ProductMethod::primes || products == ProductMethod::fastest;
  if (chosen == Variant::positional && !by_primes) {
    throw ParameterError(message("positional integers are multiplied by primes, not by \"", name_of(products),
                                 "\", as their products are exact; leave products out, or choose splits"));
  }
  return ContextPtr(new Context(parameters, std::move(engine), chosen, products, arithmetic));
}

Context::Context(const Parameters& parameters, EnginePtr engine, Variant variant, ProductMethod products,
                 const GeneralArithmetic& arithmetic)
    : parameters_(parameters),
      engine_(std::move(engine)),
      wide_(WideEngine::of(engine_)),
      variant_(variant),
      product_method_(products),
      ring_(std::make_shared<WideRing>(parameters.basis(), parameters.ring())),
      punctured_(std::make_shared<FermatPunctured>(parameters.basis(), method_of(variant), arithmetic)),
      message_scale_(parameters.basis(), parameters.plain_modulus()) {
  const RingShapePtr& shape = parameters.ring();
  plain_ring_ = Ring::create(shape, Basis(Word::u64, {parameters.plain_modulus()}));
  small_ring_ = Ring::create(shape, Basis(Word::u64, primes_congruent_to_one(30, shape->transform_step(), 1)));
  const auto digits = parameters.log2_digits();
  // A key has two parts for each digit, modulo primes that hold twice a limb, or a limb and a digit.
  const double factor = parameters.digit_bits() == 0 ? 2 : 1.5;
  const double rows =
      factor * static_cast<double>(ring_->words()) + static_cast<double>(parameters.special_primes().size());
  require_memory(*engine_, "a relinearisation key on wide limbs",
                 static_cast<std::uint64_t>(16 * rows * static_cast<double>(digits.size() * degree())),
                 "use a smaller x or degree, or wider digits");
  secret_products_ = std::make_shared<LimbProducts>(engine_, *ring_, 1, 1);
  plain_products_ = std::make_shared<LimbProducts>(
      engine_, *ring_, std::max(1.0, std::log2(static_cast<double>(parameters.plain_modulus()))), 1);
  if (!parameters.special_primes().empty()) {
    special_ = std::make_unique<const SpecialModulus>(engine_, *ring_, parameters.special_primes());
  }
  digit_products_ = std::make_shared<LimbProducts>(engine_, *ring_, parameters.digit_bits(), digits.size(),
                                                   special_ ? special_->inverses() : std::vector<BigUnsigned>{});
  ScalingSetup setup{engine_, wide_, ring_, std::make_shared<LimbProducts>(engine_, *ring_, 0, 2),
                     parameters.plain_modulus()};
  // What is fastest on the host is not where words lie elsewhere.
  const bool by_primes = products == ProductMethod::fastest && !wide_->on_host();
  if (products != ProductMethod::primes && !by_primes) {
    setup.ring_products = make_ring_products(products, ring_, setup.products, engine_, arithmetic);
  }
  scaling_ = variant == Variant::positional ? make_positional_scaling(setup) : make_behz_scaling(setup, punctured_);
  decompose_ = wide_->puncture(punctured_);
}

PolyArray Context::empty_small(bool secret) const {
  return PolyArray(engine_, small_ring_, 1, 1, Domain::coefficient, secret);
}

PolyArray Context::draw_polynomial(Law law, const Seed& seed, Stream stream, std::uint32_t item) const {
  PolyArray drawn = empty_small(true);
  engine_->sample(drawn.view(), law, seed, stream, item);
  return drawn;
}

ZeroisingVector<std::int64_t> centred_residues(const PolyArray& drawn) {
  ZeroisingVector<std::uint64_t> residues(drawn.size());
  drawn.to_host(residues);
  const std::uint64_t p = drawn.ring()->basis()[0];
  ZeroisingVector<std::int64_t> values(residues.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<std::int64_t>(residues[i] - (p & mask_if<std::uint64_t>(residues[i] > p / 2)));
  }
  return values;
}

ZeroisingVector<std::int64_t> Context::draw(Law law, const Seed& seed, Stream stream, std::uint32_t item) const {
  return centred_residues(draw_polynomial(law, seed, stream, item));
}

void Context::decompose(std::uint64_t* y, const std::uint64_t* c) const {
  decompositions_.fetch_add(degree() * punctured_->limbs(), std::memory_order_relaxed);
  decompose_(y, c, {degree()});
}

rlwe::NoiseBound Context::product_noise(const rlwe::NoiseBound& a, const rlwe::NoiseBound& b) const {
  // As scheme/bfv/noise.cpp: e_1 (m_2 + t r_2) + e_2 (m_1 + t r_1) - (t/q) e_1 e_2, and what is left of the division.
  const rlwe::NoiseCalculus& noise = parameters_.noise();
  const double log2_t = std::log2(static_cast<double>(parameters_.plain_modulus()));
  const rlwe::NoiseBound factor =
      rlwe::NoiseCalculus::scaled(noise.rounding_of_ciphertext(), log2_t + std::log2(1 + scaling_->excess()));
  const rlwe::NoiseBound linear = noise.sum(noise.product(a, factor), noise.product(b, factor));
  const rlwe::NoiseBound quadratic =
      rlwe::NoiseCalculus::scaled(noise.product(a, b), log2_t - parameters_.basis().bits());
  const rlwe::NoiseBound rounding = scaling_->rounding() == 0
                                        ? noise.rounding_of_ciphertext(3)
                                        : noise.loose_rounding_of_ciphertext(scaling_->rounding(), 3);
  return noise.sum(noise.sum(linear, quadratic), rounding);
}

rlwe::NoiseBound Context::relinearization_noise() const {
  // The calculus takes digits to be centred, up to half of what is given; these lie in [0, 2^w).
  std::vector<double> digits = parameters_.log2_digits();
  for (double& digit : digits) digit += 1;
  return parameters_.noise().key_switch(digits, parameters_.log2_special(), 1,
                                        parameters_.noise().switching_key_error());
}

double Context::log2_noise_limit() const {
  return parameters_.basis().bits() - std::log2(static_cast<double>(parameters_.plain_modulus())) +
         std::log2(0.5 - scaling_->slack());
}

double Context::headroom(const rlwe::NoiseBound& noise) const {
  return log2_noise_limit() + rlwe::log2_margin - noise.log2_max;
}

void require_same_context(const char* operation, const Context& a, const Context& b) {
  if (&a == &b || a.parameters().fingerprint() == b.parameters().fingerprint()) return;
  throw MismatchError(message(operation, ": one operand has the parameters ", a.parameters().summary(),
                              ", the other has ", b.parameters().summary(), "; use one context for both"));
}

}  // namespace cyclotome::study::fermat
