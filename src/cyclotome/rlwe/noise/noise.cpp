// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/rlwe/noise/noise.hpp"

#include <algorithm>
#include <numbers>

namespace cyclotome::rlwe {

namespace {

constexpr double tail = noise_exponent * std::numbers::ln2;
constexpr double secret_variance = 2.0 / 3.0;

/// Real tail of all coefficients: P(|a_i| > T sqrt(Var) for some i) <= 2^-168 for strictly sub-Gaussian a.
double real_tail(double n) noexcept {
  constexpr double sides = 2;
  return std::sqrt(2 * (tail + std::log(sides * n)));
}

/// Complex tail of all embeddings, from P(|a(zeta)|^2 > y n Var) <= y e^(1-y).
double complex_tail(double n) noexcept {
  double square = tail + std::log(n / 2) + 1;
  for (int i = 0; i < 64; ++i) square = tail + std::log(n / 2) + 1 + std::log(square);
  return std::sqrt(square);
}

/// Tail of the mean square of a quadratic form whose eigenvalues are at most `ratio` times its mean (Hsu, Kakade and
/// Zhang, 2012).
double mean_square_tail(double ratio, double n) noexcept {
  const double x = ratio * tail / n;
  return std::sqrt(1 + 2 * std::sqrt(x) + 2 * x);
}

/// The centred lift may return a neighbour where a coefficient lies within 2^-25 of the middle.
constexpr double half = 0.5 + 0x1p-24;

}  // namespace

double key_check_factor(std::size_t degree) noexcept {
  return std::sqrt(std::log(static_cast<double>(degree) / 2) + 3);
}

NoiseCalculus::NoiseCalculus(const RingShape& ring, bool strict, std::size_t parties)
    : degree_(ring.degree()),
      strict_(strict),
      parties_(parties),
      basis_(ring.geometry()),
      draws_(static_cast<double>(ring.errors().draws) / static_cast<double>(ring.degree())),
      terms_(static_cast<double>(ring.errors().terms)),
      n_(static_cast<double>(ring.degree())),
      log2_n_(std::log2(n_)),
      log2_dual_(std::log2(basis_.dual)),
      log2_gram_(std::log2(basis_.gram)),
      real_tail_(real_tail(n_)),
      complex_tail_(complex_tail(n_)),
      check_(key_check_factor(ring.degree())) {
  const auto count = static_cast<double>(parties);
  secret_ = times(bound(1, std::sqrt(most_secret_weight), std::sqrt(secret_variance) * check_), count);
  rounding_ = make_rounding();
  drawn_error_ = make_drawn_error(1);
  switching_key_error_ = make_drawn_error(count);
  relinearization_key_error_ = drawn_error_;
  if (parties > 1) {  // u is drawn and checked as s is; each party's e_2 is the sum of three draws
    const NoiseBound product_error = times(product(secret_, switching_key_error_), 2);
    relinearization_key_error_ = sum(product_error, make_drawn_error(3 * count));
  }
  public_key_encryption_ = make_public_key_encryption();
}

NoiseBound NoiseCalculus::bound(double max, double rms, double canonical) const noexcept {
  return tidy({std::log2(max), std::log2(rms), std::log2(canonical)});
}

NoiseBound NoiseCalculus::tidy(NoiseBound a) const noexcept {
  a.log2_rms = std::min({a.log2_rms, a.log2_max + log2_gram_ / 2, a.log2_canonical});
  a.log2_canonical = std::min(a.log2_canonical, a.log2_rms + (log2_n_ - 1) / 2);
  a.log2_max = std::min(a.log2_max, a.log2_rms + (log2_n_ + log2_dual_) / 2);
  return a;
}

NoiseBound NoiseCalculus::sum(const NoiseBound& a, const NoiseBound& b) const noexcept {
  return tidy({log2_sum(a.log2_max, b.log2_max), log2_sum(a.log2_rms, b.log2_rms),
               log2_sum(a.log2_canonical, b.log2_canonical)});
}

NoiseBound NoiseCalculus::scaled(const NoiseBound& a, double log2_factor) noexcept {
  return {a.log2_max + log2_factor, a.log2_rms + log2_factor, a.log2_canonical + log2_factor};
}

NoiseBound NoiseCalculus::times(const NoiseBound& a, double factor) noexcept {
  return scaled(a, std::log2(std::max(1.0, std::abs(factor))));
}

NoiseBound NoiseCalculus::product(const NoiseBound& a, const NoiseBound& b) const noexcept {
  return tidy({log2_n_ + log2_dual_ + a.log2_rms + b.log2_rms,
               log2_n_ / 2 + std::min(a.log2_canonical + b.log2_rms, a.log2_rms + b.log2_canonical),
               log2_n_ / 2 + a.log2_canonical + b.log2_canonical});
}

NoiseBound NoiseCalculus::times_plain(const NoiseBound& a, const PlainNorms& factor) const noexcept {
  const double canonical = std::log2(factor.canonical), two = std::log2(factor.two), one = std::log2(factor.one);
  return tidy({std::min(a.log2_max + one, a.log2_rms + two + log2_n_ / 2 + log2_dual_),
               std::min(a.log2_rms + canonical, a.log2_canonical + two), a.log2_canonical + canonical});
}

NoiseBound NoiseCalculus::chosen(double max) const noexcept {
  return bound(max, max * std::sqrt(basis_.gram), max * std::sqrt(n_));
}

/// The sum of `count` errors. Numbers of the stream are independent, so values at a root have the variance
/// count draws n sigma^2, and are circular.
NoiseBound NoiseCalculus::make_drawn_error(double count) const noexcept {
  const double deviation = error_deviation * std::sqrt(count);
  return bound(std::min(error_bound * terms_ * count, real_tail_ * deviation * std::sqrt(terms_)),
               mean_square_tail(1, n_) * deviation * std::sqrt(draws_), complex_tail_ * deviation * std::sqrt(draws_));
}

/// Rounding errors of what looks uniform have canonical norm B sqrt((n + skew)/12); `strict` does not rely on it, nor
/// does anything of a ciphertext's part 0.
NoiseBound NoiseCalculus::make_rounding() const noexcept {
  if (strict_) return chosen(half);
  const double circular = std::sqrt((n_ + basis_.skew) / n_);
  return bound(half, half * std::sqrt(basis_.gram), circular * complex_tail_ / std::sqrt(12.0));
}

/// part (1 + s + s^2 + ...), but that part 0 counts with the worst that coefficients up to its largest can be: a plain
/// sum, which nothing is multiplied by, sends each of them where somebody wants it. (R) is about the others.
NoiseBound NoiseCalculus::rounded_parts(const NoiseBound& part, std::size_t parts) const noexcept {
  NoiseBound all = tidy({part.log2_max, part.log2_max + log2_gram_ / 2, part.log2_max + log2_n_ / 2}), power = part;
  for (std::size_t i = 1; i < parts; ++i) {
    power = product(power, secret_);
    all = sum(all, power);
  }
  return all;
}

NoiseBound NoiseCalculus::loose_rounding_of_ciphertext(double units, std::size_t parts) const noexcept {
  return rounded_parts(chosen(units), parts);
}

/// The variance of what is drawn, given e and s: of a coefficient, of the mean square over roots, of the value at a
/// root, and the largest eigenvalue. In x^n + 1 the first two are one, and so are the last two. e and s of several
/// parties are sums, with so many times the norms.
NoiseBound NoiseCalculus::make_public_key_encryption() const noexcept {
  const auto count = static_cast<double>(parties_);
  const double variance = error_deviation * error_deviation, square = check_ * check_, sums = count * count;
  const double circular = (n_ + basis_.skew) / n_;
  // A coefficient is an inner product with a vector of the dual basis, whose values at the roots are at most dual/n.
  const double by_error = std::min(most_error_square * basis_.dual, square) * basis_.gram * basis_.dual * draws_;
  const double by_secret = std::min(most_secret_weight * basis_.dual, secret_variance * square) * basis_.dual * draws_;
  const double one = n_ * variance * sums * (secret_variance * by_error + by_secret) + variance * basis_.dual * draws_;
  const double mean =
      draws_ * (n_ * variance * sums * (secret_variance * most_error_square + most_secret_weight) + variance);
  const auto largest = [&](double of_ternary) {
    return draws_ * (n_ * variance * sums * secret_variance * square * (1 + of_ternary) + variance);
  };
  return bound(real_tail_ * std::sqrt(one), std::sqrt(mean) * mean_square_tail(largest(basis_.gram) / mean, n_),
               complex_tail_ * std::sqrt(largest(circular)));
}

NoiseBound NoiseCalculus::public_zero(double log2_special, double multiplier) const noexcept {
  const double log2_multiplier = std::log2(multiplier);
  const NoiseBound drawn = scaled(public_key_encryption_, log2_multiplier - log2_special);
  return log2_special == 0 ? drawn : sum(drawn, scaled(rounding_of_ciphertext(), log2_multiplier));
}

NoiseBound NoiseCalculus::symmetric_zero(double multiplier) const noexcept {
  return scaled(drawn_error_, std::log2(multiplier));
}

NoiseBound NoiseCalculus::key_switch(std::span<const double> log2_digits, double log2_special, double multiplier,
                                     const NoiseBound& error) const noexcept {
  const NoiseBound unit = product(chosen(half), error);  // digits are the adversary's to steer
  NoiseBound all;
  for (const double digit : log2_digits) all = sum(all, scaled(unit, digit - log2_special));
  if (log2_special != 0) all = sum(all, rounding_of_ciphertext());
  return scaled(all, std::log2(multiplier));
}

}  // namespace cyclotome::rlwe
