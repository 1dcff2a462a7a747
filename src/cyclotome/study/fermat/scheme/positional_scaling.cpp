// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/primes.hpp"
#include "cyclotome/study/fermat/limbs/positional.hpp"
#include "cyclotome/study/fermat/scheme/scaling.hpp"

// q = 2^g - 1 as one integer: products are exact integers first, and rounded after. Nothing is converted.
namespace cyclotome::study::fermat {

namespace {

class PositionalScaling final : public Scaling {
 public:
  explicit PositionalScaling(const ScalingSetup& setup)
      : setup_(setup),
        words_(setup.ring->words()),
        rounding_{Modulus<std::uint64_t>(setup.plain_modulus), static_cast<unsigned>(words_)} {
    const RingShapePtr& shape = setup.ring->shape();
    // Two products of factors up to q/2 in each coefficient, and a sign.
    const double bits = 2.0 * setup.ring->basis().bits() + std::log2(static_cast<double>(shape->expansion())) + 2;
    const auto count = static_cast<std::size_t>(std::ceil(bits / (product_prime_bits - 0.01)));
    const auto primes = primes_congruent_to_one(product_prime_bits, shape->transform_step(), count);
    primes_ = Ring::create(shape, Basis(Word::u64, primes));
    const WideEngine& wide = *setup_.wide;
    to_primes_ = wide.from_wide(std::make_shared<FromWide>(std::make_shared<WideIntegers>(words_), primes_->basis()));
    // Modulo 2^(2g + 128) - 1 every such product stands for itself, or for itself less than 0.
    const std::size_t whole = positional::product_words(words_);
    to_whole_ = wide.to_limb(
        std::make_shared<ToLimb>(primes_->basis(), Limb{static_cast<unsigned>(64 * whole), false, 0, 0, whole}));
    inverses_ = ToLimb::inverses(primes_->basis());
    wraps_ = wide.centred_wraps(primes_->basis());
    round_ = wide.round_positional(rounding_);
    divide_ = wide.divide_positional(rounding_);
    centre_ = wide.centre(primes_->basis(), rounding_);
  }

  std::uint64_t to_plain(std::uint64_t* message, const std::uint64_t* phase) const override {
    return round_(message, phase, setup_.ring->degree());
  }

  void multiply(std::uint64_t* out, const std::uint64_t* a, const std::uint64_t* b) const override {
    PolyArray x = over_primes(a), y = over_primes(b);
    PolyArray d(setup_.engine, primes_, 1, 3, Domain::transform);
    multiply_parts(*setup_.engine, d.view(), x.to_transform().view(), y.to_transform().view());
    d.to_coefficient();
    scale_limbs(*setup_.engine, d.view(), inverses_);
    const WideRing& ring = *setup_.ring;
    const std::size_t n = ring.degree(), whole = positional::product_words(words_);
    WideWords products(*setup_.wide, whole * n, false), wraps(*setup_.wide, n, false);
    for (std::size_t part = 0; part < 3; ++part) {
      const auto* const from = static_cast<const std::uint64_t*>(d.view().part(part).data);
      auto* const many_wraps = reinterpret_cast<std::int64_t*>(wraps.data());
      wraps_(many_wraps, from, {n});
      to_whole_(products.data(), from, many_wraps, {n});
      divide_(out + part * ring.size(), products.data(), {n});
    }
  }

  double peak_error() const noexcept override { return 0x1p-54; }
  double slack() const noexcept override { return 0; }
  double rounding() const noexcept override { return 0; }
  double excess() const noexcept override { return 0; }

 private:
  /// Coefficients as integers in (-q/2, q/2), modulo the primes.
  PolyArray over_primes(const std::uint64_t* rows) const {
    const std::size_t n = setup_.ring->degree(), size = primes_->limbs() * n;
    PolyArray out(setup_.engine, primes_, 1, 2);
    auto* const residues = static_cast<std::uint64_t*>(out.view().data);
    const Many many{n, 2, size, setup_.ring->size()};
    to_primes_(residues, rows, many);
    centre_(residues, rows, many);
    return out;
  }

  ScalingSetup setup_;
  std::size_t words_;
  PositionalRounding rounding_;
  RingPtr primes_;
  WideStep to_primes_, divide_, centre_;
  ToLimbStep to_whole_;
  WrapStep wraps_;
  RoundStep round_;
  std::vector<std::uint64_t> inverses_;
};

}  // namespace

std::unique_ptr<Scaling> make_positional_scaling(const ScalingSetup& setup) {
  const auto& limbs = setup.ring->basis().limbs();
  if (limbs.size() != 1 || !limbs[0].aligned()) {
    throw ParameterError(message("positional integers need q = 2^g - 1 as one limb of at least 64 bits, not ",
                                 limbs.size(), " limbs of 2^", setup.ring->basis().bits(),
                                 " - 1; choose f = 0, or a version of paper 003's conversion"));
  }
  return std::make_unique<PositionalScaling>(setup);
}

}  // namespace cyclotome::study::fermat
