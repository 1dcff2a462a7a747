// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/scheme/ckks/special_transform.hpp"

#include <cmath>
#include <numbers>

namespace cyclotome::ckks {

namespace {

std::uint32_t reversed(std::uint32_t x, unsigned bits) {
  std::uint32_t r = 0;
  for (unsigned i = 0; i < bits; ++i) r |= ((x >> i) & 1) << (bits - 1 - i);
  return r;
}

unsigned log2_of(std::size_t power) {
  unsigned bits = 0;
  while ((std::size_t{1} << bits) < power) ++bits;
  return bits;
}

}  // namespace

// Block b of stage s, of half_/2^s numbers, is modulo X^(half_/2^s) - e^(i theta): theta = (pi/2 + 2 pi r)/2^s with r
// the bit-reversal of b. Its halves are modulo X^.. -+ e^(i theta/2), which is the root that is kept.
SpecialTransform::SpecialTransform(std::size_t degree)
    : half_(degree / 2), root_re_(half_), root_im_(half_), position_(half_), sign_(half_) {
  const unsigned bits = log2_of(half_);
  for (unsigned s = 0; s < bits; ++s) {
    for (std::size_t b = 0; b < (std::size_t{1} << s); ++b) {
      const long double r = reversed(static_cast<std::uint32_t>(b), s);
      const long double pi = std::numbers::pi_v<long double>;
      const long double angle = (pi / 2 + 2 * pi * r) / static_cast<long double>(std::size_t{2} << s);
      root_re_[(std::size_t{1} << s) + b] = static_cast<double>(std::cos(angle));
      root_im_[(std::size_t{1} << s) + b] = static_cast<double>(std::sin(angle));
    }
  }
  std::uint64_t power = 1;
  for (std::size_t i = 0; i < half_; ++i) {
    const bool own = power % 4 == 1;
    position_[i] = reversed(static_cast<std::uint32_t>(((own ? power : 2 * degree - power) - 1) / 4), bits);
    sign_[i] = own ? 1.0 : -1.0;
    power = power * 3 % (2 * degree);
  }
}

void SpecialTransform::forward(double* re, double* im) const {
  std::size_t blocks = 1;
  for (std::size_t length = half_ / 2; length >= 1; length /= 2, blocks *= 2) {
    for (std::size_t b = 0; b < blocks; ++b) {
      const double c = root_re_[blocks + b], d = root_im_[blocks + b];
      double *const xr = re + 2 * b * length, *const xi = im + 2 * b * length;
      double *const yr = xr + length, *const yi = xi + length;
      for (std::size_t j = 0; j < length; ++j) {
        const double tr = yr[j] * c - yi[j] * d, ti = yr[j] * d + yi[j] * c;
        yr[j] = xr[j] - tr;
        yi[j] = xi[j] - ti;
        xr[j] = xr[j] + tr;
        xi[j] = xi[j] + ti;
      }
    }
  }
}

void SpecialTransform::inverse(double* re, double* im) const {
  std::size_t blocks = half_ / 2;
  for (std::size_t length = 1; length < half_; length *= 2, blocks /= 2) {
    for (std::size_t b = 0; b < blocks; ++b) {
      const double c = root_re_[blocks + b], d = -root_im_[blocks + b];
      double *const xr = re + 2 * b * length, *const xi = im + 2 * b * length;
      double *const yr = xr + length, *const yi = xi + length;
      for (std::size_t j = 0; j < length; ++j) {
        const double tr = xr[j] - yr[j], ti = xi[j] - yi[j];
        xr[j] = xr[j] + yr[j];
        xi[j] = xi[j] + yi[j];
        yr[j] = tr * c - ti * d;
        yi[j] = tr * d + ti * c;
      }
    }
  }
}

void SpecialTransform::to_coefficients(std::span<const std::complex<double>> slots, double scale,
                                       std::span<double> coefficients) const {
  double *const re = coefficients.data(), *const im = re + half_;
  for (std::size_t i = 0; i < half_; ++i) {
    re[position_[i]] = slots[i].real();
    im[position_[i]] = slots[i].imag() * sign_[i];
  }
  inverse(re, im);
  const double factor = scale / static_cast<double>(half_);
  for (double& x : coefficients) x *= factor;
}

void SpecialTransform::to_slots(std::span<double> coefficients, double scale,
                                std::span<std::complex<double>> slots) const {
  double *const re = coefficients.data(), *const im = re + half_;
  forward(re, im);
  for (std::size_t i = 0; i < half_; ++i) {
    slots[i] = {re[position_[i]] / scale, im[position_[i]] * sign_[i] / scale};
  }
}

}  // namespace cyclotome::ckks
