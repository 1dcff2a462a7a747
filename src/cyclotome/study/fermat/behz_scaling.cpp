// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "cyclotome/math/errors.hpp"
#include "cyclotome/ring/limb_values.hpp"
#include "cyclotome/study/fermat/scaling.hpp"

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
      : ring_(setup.ring), t_(setup.plain_modulus), gamma_(find_gamma(*setup.ring, setup.plain_modulus)) {
    const Basis target(Word::u64, {t_.value(), gamma_.value()});
    const auto factors = per_limb(target, [&](std::uint64_t m) {
      const Modulus<std::uint64_t> modulus(m);
      return modulus.negate(inverse_of(punctured->modulus_mod(m), modulus));
    });
    conversion_ = std::make_unique<FromWide>(punctured, target, factors);
    inverse_of_gamma_ = inverse_of(gamma_.value(), t_);
    reciprocal_ = static_cast<std::uint64_t>((static_cast<u128>(1) << (peak_bits + gamma_bits)) / gamma_.value());
  }

  double gamma() const noexcept { return static_cast<double>(gamma_.value()); }

  std::uint64_t run(std::uint64_t* message, const std::uint64_t* phase) const {
    const std::size_t n = ring_->degree();
    constexpr std::size_t targets = 2;  // t and gamma
    Rows scaled(ring_->size()), sums(targets * n);
    ring_->scale(scaled.data(), phase, t_.value() * gamma_.value());
    conversion_->run(sums.data(), scaled.data(), n);
    std::uint64_t peak = 0;
    for (std::size_t c = 0; c < n; ++c) {
      // S~ = [s_gamma] centred: what is left of t x/q beside an integer, times gamma.
      const std::uint64_t s = sums[n + c], over = mask_if<std::uint64_t>(s > gamma_.value() / 2);
      const std::uint64_t centred = t_.reduce_signed(static_cast<std::int64_t>(s - (gamma_.value() & over)));
      const std::uint64_t distance = (s & ~over) | ((gamma_.value() - s) & over);
      message[c] = t_.multiply(t_.subtract(sums[c], centred), inverse_of_gamma_);
      const std::uint64_t further = mask_if<std::uint64_t>(distance > peak);
      peak = (peak & ~further) | (distance & further);
    }
    return static_cast<std::uint64_t>((static_cast<u128>(peak) * reciprocal_) >> gamma_bits);
  }

 private:
  static Modulus<std::uint64_t> find_gamma(const WideRing& ring, std::uint64_t t) {
    return Modulus<std::uint64_t>(ring.basis().coprime_primes(gamma_bits, 2, 1, {t})[0]);
  }

  std::shared_ptr<const WideRing> ring_;
  Modulus<std::uint64_t> t_, gamma_;
  std::unique_ptr<FromWide> conversion_;
  std::uint64_t inverse_of_gamma_ = 0, reciprocal_ = 0;  // reciprocal_: 2^(56 + 31)/gamma
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

  Parts multiply(const Parts& a, const Parts& b) const override {
    count(7 * converted());
    const WideRing& ring = *setup_.ring;
    Parts wide(3 * ring.size());
    multiply_in_limbs(wide, a, b);
    PolyArray auxiliary = multiply_in_auxiliary(a, b);
    for (std::size_t part = 0; part < 3; ++part) {
      std::uint64_t* const rows = wide.data() + part * ring.size();
      ring.scale(rows, rows, setup_.plain_modulus);
      divide_by_q(auxiliary, part, rows);
    }
    return back_to_q(auxiliary);
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
    lift_ = std::make_unique<FromWide>(punctured_, all.joined(montgomery_->basis()), lift_factors);
    correction_ =
        std::make_unique<BaseConversion>(montgomery_->basis(), all, Lift::centred, std::vector<std::uint64_t>{},
                                         per_limb(all, [&](std::uint64_t b) { return over(q_mod(b), m_tilde, b); }));
    // S3: (t d - FastBConv(|t d|_q)) q^-1.
    floor_ = std::make_unique<FromWide>(punctured_, all,
                                        per_limb(all, [&](std::uint64_t b) { return over(1, q_mod(b), b); }));
    floor_factors_ = per_limb(all, [&](std::uint64_t b) { return over(setup_.plain_modulus, q_mod(b), b); });
    // S4.
    const Basis& b = b_->basis();
    back_factors_ = ToLimb::inverses(b);
    back_factors_.push_back(1);
    for (const Limb& limb : setup_.ring->basis().limbs()) back_.emplace_back(b, limb);
    const Modulus<std::uint64_t>& last = all.moduli<std::uint64_t>().back();
    for (std::size_t j = 0; j < b.size(); ++j) to_last_.push_back(b.punctured_product_mod(j, last.value()));
    inverse_in_last_ = inverse_of(b.product_mod(last.value()), last);
  }

  /// The tensor product modulo every limb.
  void multiply_in_limbs(Parts& out, const Parts& a, const Parts& b) const {
    const WideRing& ring = *setup_.ring;
    const LimbProducts& products = *setup_.products;
    Engine& engine = *setup_.engine;
    for (std::size_t i = 0; i < products.limbs(); ++i) {
      if (setup_.ring_products && setup_.ring_products->takes(i)) {
        fermat::multiply_parts(ring, *setup_.ring_products, i, out.data(), a.data(), b.data());
        continue;
      }
      const std::size_t at = ring.offset(i);
      PolyArray a0 = products.forward(a.data() + at, i, false),
                a1 = products.forward(a.data() + ring.size() + at, i, false);
      PolyArray b0 = products.forward(b.data() + at, i, false),
                b1 = products.forward(b.data() + ring.size() + at, i, false);
      PolyArray d(setup_.engine, products.ring(i), 1, 1, Domain::transform);
      const auto back = [&](std::size_t part) {
        products.backward(out.data() + part * ring.size() + at, d, i);
        d.set_domain(Domain::transform);
      };
      engine.multiply(d.view(), a0.view(), b0.view());
      back(0);
      engine.multiply(d.view(), a1.view(), b1.view());
      back(2);
      engine.multiply(d.view(), a0.view(), b1.view());
      engine.multiply_accumulate(d.view(), a1.view(), b0.view());
      back(1);
    }
  }

  /// One factor modulo B_sk, small Montgomery reduced.
  PolyArray lifted(const Parts& a) const {
    const std::size_t n = setup_.ring->degree(), rows = auxiliary_->limbs();
    PolyArray out(setup_.engine, auxiliary_, 1, 2), corrections(setup_.engine, auxiliary_, 1, 2);
    PolyArray r(setup_.engine, montgomery_, 1, 2);
    Rows scaled(setup_.ring->size()), converted(out.size() + r.size()), first(out.size()), second(r.size());
    for (std::size_t part = 0; part < 2; ++part) {
      setup_.ring->scale(scaled.data(), a.data() + part * setup_.ring->size(), m_tilde);
      std::uint64_t* const from = converted.data() + part * (rows + 1) * n;
      lift_->run(from, scaled.data(), n);
      std::copy_n(from, rows * n, first.data() + part * rows * n);
      std::copy_n(from + rows * n, n, second.data() + part * n);
    }
    out.upload(first.data());
    r.upload(second.data());
    setup_.engine->convert(corrections.view(), r.view(), *correction_);
    setup_.engine->add(out.view(), out.view(), corrections.view());
    return out;
  }

  PolyArray multiply_in_auxiliary(const Parts& a, const Parts& b) const {
    PolyArray x = lifted(a), y = lifted(b);
    PolyArray d(setup_.engine, auxiliary_, 1, 3, Domain::transform);
    multiply_parts(*setup_.engine, d.view(), x.to_transform().view(), y.to_transform().view());
    d.to_coefficient();
    return d;
  }

  /// Part of `d` = (t d - FastBConv(t d)) / q, the latter from |t d|_q.
  void divide_by_q(PolyArray& d, std::size_t part, const std::uint64_t* rows) const {
    const std::size_t n = setup_.ring->degree();
    PolyArray converted(setup_.engine, auxiliary_, 1, 1);
    Rows residues(converted.size());
    floor_->run(residues.data(), rows, n);
    converted.upload(residues.data());
    const View view = d.view().part(part);
    setup_.engine->multiply_scalars(view, view, floor_factors_);
    setup_.engine->subtract(view, view, converted.view());
  }

  /// Shenoy and Kumaresan: from B_sk to q.
  Parts back_to_q(PolyArray& d) const {
    const WideRing& ring = *setup_.ring;
    const std::size_t n = ring.degree(), count = b_->limbs();
    const Modulus<std::uint64_t>& last = auxiliary_->basis().moduli<std::uint64_t>().back();
    setup_.engine->multiply_scalars(d.view(), d.view(), back_factors_);
    std::vector<std::uint64_t> residues(d.size());
    d.download(residues.data());
    Parts out(3 * ring.size());
    std::vector<std::int64_t> wraps(n);
    for (std::size_t part = 0; part < 3; ++part) {
      const std::uint64_t* const y = residues.data() + part * auxiliary_->limbs() * n;
      for (std::size_t c = 0; c < n; ++c) {
        const std::uint64_t sum = dot(y + c, n, to_last_.data(), count, last);
        const std::uint64_t alpha = last.multiply(last.subtract(sum, y[count * n + c]), inverse_in_last_);
        wraps[c] =
            static_cast<std::int64_t>(alpha) - (alpha > last.value() / 2 ? static_cast<std::int64_t>(last.value()) : 0);
      }
      for (std::size_t i = 0; i < back_.size(); ++i) {
        back_[i].run(out.data() + part * ring.size() + ring.offset(i), y, wraps.data(), n);
      }
    }
    return out;
  }

  ScalingSetup setup_;
  std::shared_ptr<const Punctured> punctured_;
  PlainRounding plain_;
  RingPtr auxiliary_, b_, montgomery_;  ///< B_sk; B; m~
  std::unique_ptr<FromWide> lift_, floor_;
  std::unique_ptr<BaseConversion> correction_;
  std::vector<std::uint64_t> floor_factors_, back_factors_, to_last_;
  std::vector<ToLimb> back_;
  std::uint64_t inverse_in_last_ = 0;
};

}  // namespace

std::unique_ptr<Scaling> make_behz_scaling(const ScalingSetup& setup, std::shared_ptr<const Punctured> punctured) {
  return std::make_unique<BehzScaling>(setup, std::move(punctured));
}

}  // namespace cyclotome::study::fermat
