// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "cyclotome/math/errors.hpp"
#include "cyclotome/ring/tables/limb_values.hpp"
#include "cyclotome/study/fermat/scheme/scaling.hpp"

// Decryption and products as Bajard, Eynard, Hasan and Zucca do them (specification 5.4, 5.5), with only the
// conversions from and to q in wide words. B_sk, m~, t and gamma are moduli of words in ordinary rings.
namespace cyclotome::study::fermat {

namespace {

constexpr std::uint64_t m_tilde = std::uint64_t{1} << 32;
constexpr unsigned gamma_bits = 31, auxiliary_bits = 60;

std::uint64_t inverse_of(std::uint64_t a, const Modulus<std::uint64_t>& m) {
  return inverse_or_zero(m.reduce(a), m.value());
}

/// Decryption: [-q^-1 |gamma t x|_q] modulo t and gamma.
class PlainRounding {
 public:
  PlainRounding(const ScalingSetup& setup, const std::shared_ptr<const Punctured>& punctured)
      : wide_(setup.wide), ring_(setup.ring) {
    const std::uint64_t t = setup.plain_modulus;
    const std::uint64_t gamma = ring_->basis().coprime_primes(gamma_bits, 2, 1, {t})[0];
    rounding_ = {Modulus<std::uint64_t>(t), Modulus<std::uint64_t>(gamma), 0};
    rounding_.inverse_of_gamma = inverse_of(gamma, rounding_.t);
    const Basis target(Word::u64, {t, gamma});
    const auto factors = per_limb(target, [&](std::uint64_t m) {
      const Modulus<std::uint64_t> modulus(m);
      return modulus.negate(inverse_of(punctured->modulus_mod(m), modulus));
    });
    conversion_ = wide_->from_wide(std::make_shared<FromWide>(punctured, target, factors));
    round_ = wide_->round_behz(rounding_);
    reciprocal_ = static_cast<std::uint64_t>((static_cast<u128>(1) << (peak_bits + gamma_bits)) / gamma);
  }

  double gamma() const noexcept { return static_cast<double>(rounding_.gamma.value()); }

  std::uint64_t run(std::uint64_t* message, const std::uint64_t* phase) const {
    const std::size_t n = ring_->degree();
    constexpr std::size_t targets = 2;  // t and gamma
    WideWords scaled(*wide_, ring_->size(), true), sums(*wide_, targets * n, true);
    wide_->scale(*ring_, scaled.data(), phase, rounding_.t.value() * rounding_.gamma.value(), 1);
    conversion_(sums.data(), scaled.data(), {.degree = n, .secret = true});
    const std::uint64_t peak = round_(message, sums.data(), n);
    return static_cast<std::uint64_t>((static_cast<u128>(peak) * reciprocal_) >> gamma_bits);
  }

 private:
  WideEnginePtr wide_;
  std::shared_ptr<const WideRing> ring_;
  BehzRounding rounding_{};
  WideStep conversion_;
  RoundStep round_;
  std::uint64_t reciprocal_ = 0;  // 2^(56 + 31)/gamma
};

class BehzScaling final : public Scaling {
 public:
  BehzScaling(const ScalingSetup& setup, std::shared_ptr<const Punctured> punctured)
      : setup_(setup), punctured_(std::move(punctured)), plain_(setup, punctured_) {
    make_rings();
    make_conversions();
  }

  std::uint64_t to_plain(std::uint64_t* message, const std::uint64_t* phase) const override {
    count(converted());
    return plain_.run(message, phase);
  }

  void multiply(std::uint64_t* out, const std::uint64_t* a, const std::uint64_t* b) const override {
    count(7 * converted());
    const WideRing& ring = *setup_.ring;
    WideWords wide(*setup_.wide, 3 * ring.size(), false);
    multiply_in_limbs(wide.data(), a, b);
    PolyArray auxiliary = multiply_in_auxiliary(a, b);
    setup_.wide->scale(ring, wide.data(), wide.data(), setup_.plain_modulus, 3);
    divide_by_q(auxiliary, wide.data());
    back_to_q(out, auxiliary);
  }

  double peak_error() const noexcept override { return static_cast<double>(limbs() + 1) / plain_.gamma(); }
  double slack() const noexcept override { return static_cast<double>(limbs()) / plain_.gamma(); }
  double rounding() const noexcept override { return static_cast<double>(limbs()) + 1; }
  double excess() const noexcept override { return 2.0 * static_cast<double>(limbs()) / static_cast<double>(m_tilde); }

 private:
  std::size_t limbs() const noexcept { return punctured_->limbs(); }
  std::uint64_t converted() const noexcept { return setup_.ring->degree() * limbs(); }

  /// B_sk: B m_sk > 8 t n q, which covers the tensor, the floor and Shenoy and Kumaresan's condition with
  /// lambda <= m_sk/16; with m~ behind it.
  void make_rings() {
    const RingShapePtr& shape = setup_.ring->shape();
    const double bits = setup_.ring->basis().bits() + std::log2(static_cast<double>(setup_.plain_modulus)) +
                        std::log2(static_cast<double>(shape->expansion())) + 3;
    const auto count = std::max<std::size_t>(2, static_cast<std::size_t>(std::ceil(bits / (auxiliary_bits - 0.01))));
    const auto primes =
        setup_.ring->basis().coprime_primes(auxiliary_bits, shape->transform_step(), count, {setup_.plain_modulus});
    auxiliary_ = Ring::create(shape, Basis(Word::u64, primes));
    b_ = auxiliary_->slice(0, count - 1);
    montgomery_ = Ring::create(shape, Basis(Word::u64, {m_tilde}));
  }

  void make_conversions() {
    const Basis& all = auxiliary_->basis();
    const auto q_mod = [&](std::uint64_t m) { return punctured_->modulus_mod(m); };
    const auto over = [&](std::uint64_t numerator, std::uint64_t denominator, std::uint64_t m) {
      const Modulus<std::uint64_t> modulus(m);
      return modulus.multiply(modulus.reduce(numerator), inverse_of(denominator, modulus));
    };
    // S0 and S1: y m~^-1 modulo B_sk, and r = -y q^-1 modulo m~, whose centred lift brings q r m~^-1.
    auto lift_factors = per_limb(all, [&](std::uint64_t b) { return over(1, m_tilde, b); });
    lift_factors.push_back(m_tilde - over(1, q_mod(m_tilde), m_tilde));
    const auto from_wide = [&](const Basis& target, const std::vector<std::uint64_t>& factors) {
      return setup_.wide->from_wide(std::make_shared<FromWide>(punctured_, target, factors));
    };
    lift_ = from_wide(all.joined(montgomery_->basis()), lift_factors);
    correction_ =
        std::make_unique<BaseConversion>(montgomery_->basis(), all, Lift::centred, std::vector<std::uint64_t>{},
                                         per_limb(all, [&](std::uint64_t b) { return over(q_mod(b), m_tilde, b); }));
    // S3: (t d - FastBConv(|t d|_q)) q^-1.
    floor_ = from_wide(all, per_limb(all, [&](std::uint64_t b) { return over(1, q_mod(b), b); }));
    floor_factors_ = per_limb(all, [&](std::uint64_t b) { return over(setup_.plain_modulus, q_mod(b), b); });
    // S4.
    const Basis& b = b_->basis();
    back_factors_ = ToLimb::inverses(b);
    back_factors_.push_back(1);
    for (const Limb& limb : setup_.ring->basis().limbs()) {
      back_.push_back(setup_.wide->to_limb(std::make_shared<ToLimb>(b, limb)));
    }
    RedundantModulus last{all.moduli<std::uint64_t>().back(), {}, 0};
    for (std::size_t j = 0; j < b.size(); ++j) last.weights.push_back(b.punctured_product_mod(j, last.modulus.value()));
    last.inverse = inverse_of(b.product_mod(last.modulus.value()), last.modulus);
    wraps_ = setup_.wide->redundant_wraps(last);
  }

  /// The tensor product modulo every limb.
  void multiply_in_limbs(std::uint64_t* out, const std::uint64_t* a, const std::uint64_t* b) const {
    const WideRing& ring = *setup_.ring;
    const LimbProducts& products = *setup_.products;
    for (std::size_t i = 0; i < products.limbs(); ++i) {
      if (setup_.ring_products && setup_.ring_products->takes(i)) {
        multiply_on_host(out, a, b, i);
        continue;
      }
      const std::size_t at = ring.offset(i);
      const PolyArray x = products.forward_there(a + at, i, false, 2, ring.size());
      const PolyArray y = products.forward_there(b + at, i, false, 2, ring.size());
      PolyArray d(setup_.engine, products.ring(i), 1, 3, Domain::transform);
      multiply_parts(*setup_.engine, d.view(), x.view(), y.view());
      products.backward_there(out + at, d, i, ring.size());
    }
  }

  /// One limb's, in a way that works on the host's words.
  void multiply_on_host(std::uint64_t* out, const std::uint64_t* a, const std::uint64_t* b, std::size_t limb) const {
    const WideRing& ring = *setup_.ring;
    if (setup_.wide->on_host()) return fermat::multiply_parts(ring, *setup_.ring_products, limb, out, a, b);
    Parts x(2 * ring.size()), y(2 * ring.size()), product(3 * ring.size());
    setup_.engine->download(x.data(), a, x.size() * sizeof(std::uint64_t));
    setup_.engine->download(y.data(), b, y.size() * sizeof(std::uint64_t));
    fermat::multiply_parts(ring, *setup_.ring_products, limb, product.data(), x.data(), y.data());
    const std::size_t bytes = ring.limb(limb).limb().words * ring.degree() * sizeof(std::uint64_t);
    for (std::size_t part = 0; part < 3; ++part) {
      const std::size_t at = part * ring.size() + ring.offset(limb);
      setup_.engine->upload(out + at, product.data() + at, bytes);
    }
  }

  /// One factor modulo B_sk, small Montgomery reduced.
  PolyArray lifted(const std::uint64_t* a) const {
    const std::size_t n = setup_.ring->degree(), size = setup_.ring->size(), rows = auxiliary_->limbs() + 1;
    PolyArray out(setup_.engine, auxiliary_, 1, 2), corrections(setup_.engine, auxiliary_, 1, 2);
    WideWords scaled(*setup_.wide, 2 * size, false), converted(*setup_.wide, 2 * rows * n, false);
    setup_.wide->scale(*setup_.ring, scaled.data(), a, m_tilde, 2);
    lift_(converted.data(), scaled.data(), {n, 2, rows * n, size});
    // Rows of B_sk, and of m~ behind them.
    const ConstView lifted{converted.data(), auxiliary_.get(), 1, 2, 2 * rows * n, rows * n, Domain::coefficient};
    const ConstView r{
        converted.data() + (rows - 1) * n, montgomery_.get(), 1, 2, 2 * rows * n, rows * n, Domain::coefficient};
    setup_.engine->convert(corrections.view(), r, *correction_);
    setup_.engine->add(out.view(), lifted, corrections.view());
    return out;
  }

  PolyArray multiply_in_auxiliary(const std::uint64_t* a, const std::uint64_t* b) const {
    PolyArray x = lifted(a), y = lifted(b);
    PolyArray d(setup_.engine, auxiliary_, 1, 3, Domain::transform);
    multiply_parts(*setup_.engine, d.view(), x.to_transform().view(), y.to_transform().view());
    d.to_coefficient();
    return d;
  }

  /// d = (t d - FastBConv(t d)) / q, the latter from |t d|_q.
  void divide_by_q(PolyArray& d, const std::uint64_t* rows) const {
    const std::size_t n = setup_.ring->degree();
    PolyArray converted(setup_.engine, auxiliary_, 1, 3);
    floor_(static_cast<std::uint64_t*>(converted.view().data), rows,
           {n, 3, auxiliary_->limbs() * n, setup_.ring->size()});
    scale_limbs(*setup_.engine, d.view(), floor_factors_);
    setup_.engine->subtract(d.view(), d.view(), converted.view());
  }

  /// Shenoy and Kumaresan: from B_sk to q.
  void back_to_q(std::uint64_t* out, PolyArray& d) const {
    const WideRing& ring = *setup_.ring;
    const std::size_t n = ring.degree();
    scale_limbs(*setup_.engine, d.view(), back_factors_);
    const auto* const y = static_cast<const std::uint64_t*>(d.view().data);
    const Many many{n, 3, ring.size(), auxiliary_->limbs() * n};
    WideWords numbers(*setup_.wide, 3 * n, false);
    auto* const wraps = reinterpret_cast<std::int64_t*>(numbers.data());
    wraps_(wraps, y, many);
    for (std::size_t i = 0; i < back_.size(); ++i) back_[i](out + ring.offset(i), y, wraps, many);
  }

  ScalingSetup setup_;
  std::shared_ptr<const Punctured> punctured_;
  PlainRounding plain_;
  RingPtr auxiliary_, b_, montgomery_;  ///< B_sk; B; m~
  WideStep lift_, floor_;
  std::unique_ptr<BaseConversion> correction_;
  std::vector<std::uint64_t> floor_factors_, back_factors_;
  std::vector<ToLimbStep> back_;
  WrapStep wraps_;
};

}  // namespace

std::unique_ptr<Scaling> make_behz_scaling(const ScalingSetup& setup, std::shared_ptr<const Punctured> punctured) {
  return std::make_unique<BehzScaling>(setup, std::move(punctured));
}

}  // namespace cyclotome::study::fermat
