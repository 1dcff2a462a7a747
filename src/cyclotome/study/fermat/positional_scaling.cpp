// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/primes.hpp"
#include "cyclotome/study/fermat/scaling.hpp"

// q = 2^g - 1 as one integer: 2^g is 1, so that floor(A/q) is the sum of A's upper chunks of g bits, and 1 more where
// what is left reaches q. Nothing is converted.
namespace cyclotome::study::fermat {

namespace {

/// value += factor a for words below `count`; what is carried out is dropped.
void add_multiple(std::uint64_t* value, std::size_t count, const std::uint64_t* a, std::size_t words,
                  std::uint64_t factor) noexcept {
  std::uint64_t carry = 0;
  for (std::size_t w = 0; w < count; ++w) {
    const u128 term = (w < words ? static_cast<u128>(a[w]) * factor : 0) + value[w] + carry;
    value[w] = static_cast<std::uint64_t>(term);
    carry = static_cast<std::uint64_t>(term >> 64);
  }
}

class PositionalScaling final : public Scaling {
 public:
  explicit PositionalScaling(const ScalingSetup& setup)
      : setup_(setup), words_(setup.ring->words()), limb_(setup.ring->limb(0)) {
    const RingShapePtr& shape = setup.ring->shape();
    // Two products of factors up to q/2 in each coefficient, and a sign.
    const double bits = 2.0 * setup.ring->basis().bits() + std::log2(static_cast<double>(shape->expansion())) + 2;
    const auto count = static_cast<std::size_t>(std::ceil(bits / (product_prime_bits - 0.01)));
    const auto primes = primes_congruent_to_one(product_prime_bits, shape->transform_step(), count);
    primes_ = Ring::create(shape, Basis(Word::u64, primes));
    to_primes_ = std::make_unique<FromWide>(std::make_shared<WideIntegers>(words_), primes_->basis());
    // Modulo 2^(2g + 128) - 1 every such product stands for itself, or for itself less than 0.
    const Limb whole{2 * setup.ring->basis().bits() + 128, false, 0, 0, 2 * words_ + 2};
    to_whole_ = std::make_unique<ToLimb>(primes_->basis(), whole);
    inverses_ = ToLimb::inverses(primes_->basis());
    for (std::size_t j = 0; j < count; ++j) q_mod_.push_back(setup.ring->basis().modulus_mod(primes_->basis()[j]));
  }

  std::uint64_t to_plain(std::uint64_t* message, const std::uint64_t* phase) const override {
    const std::size_t n = setup_.ring->degree();
    const Modulus<std::uint64_t> t(setup_.plain_modulus);
    Rows x(words_), scaled(words_ + 1);
    std::uint64_t peak = 0;
    for (std::size_t c = 0; c < n; ++c) {
      gather(x.data(), phase, words_, n, c, 1);
      // t X + floor(q/2) = high 2^g + low; the quotient is high, and 1 more if high + low reaches q.
      half_q(scaled);
      add_multiple(scaled.data(), words_ + 1, x.data(), words_, t.value());
      const std::uint64_t high = scaled[words_];
      std::uint64_t carry = high, all = ~std::uint64_t{0};
      for (std::size_t w = 0; w < words_; ++w) {
        scaled[w] += carry;
        carry = std::uint64_t{scaled[w] < carry};
        all &= scaled[w];
      }
      const std::uint64_t more = carry | (mask_if<std::uint64_t>(all == ~std::uint64_t{0}) & 1);
      message[c] = t.reduce(high + more);
      // What is left over q, less the half: from the top word alone. All ones is q, which leaves nothing.
      const std::uint64_t top = scaled[words_ - 1] & ~mask_if<std::uint64_t>(all == ~std::uint64_t{0});
      const auto left = static_cast<std::int64_t>(top - (std::uint64_t{1} << 63));
      const auto sign = static_cast<std::uint64_t>(left >> 63);
      const std::uint64_t distance = (static_cast<std::uint64_t>(left) ^ sign) >> (64 - peak_bits);
      const std::uint64_t further = mask_if<std::uint64_t>(distance > peak);
      peak = (peak & ~further) | (distance & further);
    }
    return peak;
  }

  Parts multiply(const Parts& a, const Parts& b) const override {
    PolyArray x = over_primes(a), y = over_primes(b);
    PolyArray d(setup_.engine, primes_, 1, 3, Domain::transform);
    multiply_parts(*setup_.engine, d.view(), x.to_transform().view(), y.to_transform().view());
    d.to_coefficient();
    setup_.engine->multiply_scalars(d.view(), d.view(), inverses_);
    std::vector<std::uint64_t> residues(d.size());
    d.download(residues.data());
    const WideRing& ring = *setup_.ring;
    const std::size_t n = ring.degree(), wide = 2 * words_ + 2;
    Parts out(3 * ring.size());
    std::vector<std::uint64_t> products(wide * n);
    for (std::size_t part = 0; part < 3; ++part) {
      const std::uint64_t* const from = residues.data() + part * primes_->limbs() * n;
      const auto wraps = ToLimb::centred_wraps(primes_->basis(), from, n);
      to_whole_->run(products.data(), from, wraps.data(), n);
      divide(out.data() + part * ring.size(), products.data());
    }
    return out;
  }

  double peak_error() const noexcept override { return 0x1p-54; }
  double slack() const noexcept override { return 0; }
  double rounding() const noexcept override { return 0; }
  double excess() const noexcept override { return 0; }

 private:
  /// out = floor(q/2) = 2^(g - 1) - 1.
  void half_q(std::span<std::uint64_t> out) const {
    std::ranges::fill(out, 0);
    std::ranges::fill(out.first(words_), ~std::uint64_t{0});
    out[words_ - 1] >>= 1;
  }

  /// Coefficients as integers in (-q/2, q/2), modulo the primes.
  PolyArray over_primes(const Parts& a) const {
    const std::size_t n = setup_.ring->degree(), size = primes_->limbs() * n;
    PolyArray out(setup_.engine, primes_, 1, 2);
    std::vector<std::uint64_t> residues(2 * size);
    for (std::size_t part = 0; part < 2; ++part) {
      const std::uint64_t* const rows = a.data() + part * setup_.ring->size();
      to_primes_->run(residues.data() + part * size, rows, n);
      for (std::size_t j = 0; j < primes_->limbs(); ++j) {
        const Modulus<std::uint64_t>& p = primes_->basis().moduli<std::uint64_t>()[j];
        for (std::size_t c = 0; c < n; ++c) {
          std::uint64_t& r = residues[part * size + j * n + c];
          r = p.subtract(r, q_mod_[j] & (0 - (rows[(words_ - 1) * n + c] >> 63)));  // above q/2: the top bit
        }
      }
    }
    out.upload(residues.data());
    return out;
  }

  /// out = round(t D/q) mod q for integers |D| < n q^2, given modulo 2^(2g + 128) - 1. With q 2^(g + 64) added, which
  /// t/q makes t 2^(g + 64) = t 2^64 of, they are positive.
  void divide(std::uint64_t* out, const std::uint64_t* products) const {
    const std::size_t n = setup_.ring->degree(), wide = 2 * words_ + 2;
    const std::uint64_t t = setup_.plain_modulus;
    const LimbArithmetic whole(Limb{static_cast<unsigned>(64 * wide), false, 0, 0, wide});
    std::vector<std::uint64_t> offset(wide), d(wide), value(wide + 1), quotient(words_), sum(words_), moved(words_);
    std::fill(offset.begin() + static_cast<std::ptrdiff_t>(words_ + 1),
              offset.begin() + static_cast<std::ptrdiff_t>(2 * words_ + 1), ~std::uint64_t{0});
    const std::uint64_t shifted[2] = {0, t};
    limb_.reduce(moved, shifted);
    for (std::size_t c = 0; c < n; ++c) {
      gather(d.data(), products, wide, n, c, 1);
      whole.add(d.data(), d.data(), offset.data());
      half_q(value);
      add_multiple(value.data(), wide + 1, d.data(), wide, t);
      std::ranges::fill(quotient, 0);
      // floor(A/q): A = high 2^g + low = high q + (high + low), until no chunk is left above.
      std::span<std::uint64_t> rest(value);
      while (std::ranges::any_of(rest.subspan(words_), [](std::uint64_t w) { return w != 0; })) {
        const std::vector<std::uint64_t> high(rest.begin() + static_cast<std::ptrdiff_t>(words_), rest.end());
        limb_.reduce(sum, high);
        limb_.add(quotient.data(), quotient.data(), sum.data());
        std::ranges::fill(rest.subspan(words_), 0);
        add_multiple(rest.data(), rest.size(), high.data(), high.size(), 1);
      }
      if (std::ranges::all_of(rest.first(words_), [](std::uint64_t w) { return w == ~std::uint64_t{0}; })) {
        const std::uint64_t one[1] = {1};
        limb_.reduce(sum, one);
        limb_.add(quotient.data(), quotient.data(), sum.data());
      }
      limb_.subtract(quotient.data(), quotient.data(), moved.data());
      scatter(out, quotient.data(), words_, n, c, 1);
    }
  }

  ScalingSetup setup_;
  std::size_t words_;
  LimbArithmetic limb_;
  RingPtr primes_;
  std::unique_ptr<FromWide> to_primes_;
  std::unique_ptr<ToLimb> to_whole_;
  std::vector<std::uint64_t> inverses_, q_mod_;
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
