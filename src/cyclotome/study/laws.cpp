// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/study/laws.hpp"

#include <cmath>
#include <limits>
#include <numbers>

#include "cyclotome/math/chacha20.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/secure_zero.hpp"
#include "cyclotome/ring/randomness/sampling.hpp"
#include "cyclotome/study/salsa20.hpp"

namespace cyclotome::study {

namespace {

constexpr double largest_deviation = 1000;

/// 32-bit words of a generator's stream, one after another.
template <bool Salsa>
class Words {
 public:
  explicit Words(const Seed& seed) {
    const auto words = seed.words();
    for (std::size_t i = 0; i < 8; ++i) key_[i] = words[i];
  }
  ~Words() {
    secure_zero(key_, sizeof(key_));
    secure_zero(block_, sizeof(block_));
  }
  Words(const Words&) = delete;
  Words& operator=(const Words&) = delete;

  std::uint32_t next() {
    if (used_ == 16) {
      refill();
      used_ = 0;
    }
    return block_[used_++];
  }
  std::uint64_t next_64() {
    const std::uint64_t low = next();
    return low | (static_cast<std::uint64_t>(next()) << 32);
  }

 private:
  void refill() {
    if constexpr (Salsa) {
      salsa20_block(key_, blocks_++, 0, block_);
    } else {
      const std::uint64_t number = blocks_++;
      const std::uint32_t nonce[3] = {0, 0, static_cast<std::uint32_t>(number >> 32)};
      chacha20_block(key_, static_cast<std::uint32_t>(number), nonce, block_);
    }
  }

  std::uint32_t key_[8], block_[16] = {};
  std::uint64_t blocks_ = 0;
  unsigned used_ = 16;
};

using ChaCha = Words<false>;

/// next() for every number; those beyond the bound are drawn again.
template <class Next>
void fill(std::span<std::int32_t> out, std::uint32_t bound, const Next& next) {
  for (std::int32_t& number : out) {
    do {
      number = next();
    } while (bound != 0 && static_cast<std::uint32_t>(std::abs(number)) > bound);
  }
}

/// (0, 1], of 53 bits.
double half_open_unit(std::uint64_t bits) { return static_cast<double>((bits >> 11) + 1) * 0x1p-53; }

/// Pairs of independent normals (Box and Muller 1958).
class BoxMuller {
 public:
  BoxMuller(ChaCha& words, double deviation) : words_(words), deviation_(deviation) {}

  std::int32_t next() {
    if (spare_ready_) {
      spare_ready_ = false;
      return rounded(spare_);
    }
    const double radius = std::sqrt(-2 * std::log(half_open_unit(words_.next_64())));
    const double angle = 2 * std::numbers::pi * half_open_unit(words_.next_64());
    spare_ = radius * std::sin(angle);
    spare_ready_ = true;
    return rounded(radius * std::cos(angle));
  }

 private:
  std::int32_t rounded(double normal) const { return static_cast<std::int32_t>(std::lrint(normal * deviation_)); }

  ChaCha& words_;
  double deviation_, spare_ = 0;
  bool spare_ready_ = false;
};

void require_numbers(const SmallLaw& law) {
  if (!(law.deviation > 0 && law.deviation <= largest_deviation)) {
    throw ArgumentError(
        message("a normal law of deviation ", law.deviation, "; it is in (0, ", largest_deviation, "]"));
  }
  if (law.bound != 0 && law.bound < law.deviation) {
    throw ArgumentError(message("numbers bounded by ", law.bound, ", below their deviation ", law.deviation,
                                "; paper 000 bounds 8 by 48"));
  }
}

}  // namespace

double inverse_normal(double p) noexcept {
  constexpr double a[] = {-3.969683028665376e+01, 2.209460984245205e+02,  -2.759285104469687e+02,
                          1.383577518672690e+02,  -3.066479806614716e+01, 2.506628277459239e+00};
  constexpr double b[] = {-5.447609879822406e+01, 1.615858368580409e+02, -1.556989798598866e+02, 6.680131188771972e+01,
                          -1.328068155288572e+01};
  constexpr double c[] = {-7.784894002430293e-03, -3.223964580411365e-01, -2.400758277161838e+00,
                          -2.549732539343734e+00, 4.374664141464968e+00,  2.938163982698783e+00};
  constexpr double d[] = {7.784695709041462e-03, 3.224671290700398e-01, 2.445134137142996e+00, 3.754408661907416e+00};
  constexpr double low = 0.02425;
  const auto tail = [&](double r) {
    return (((((c[0] * r + c[1]) * r + c[2]) * r + c[3]) * r + c[4]) * r + c[5]) /
           ((((d[0] * r + d[1]) * r + d[2]) * r + d[3]) * r + 1);
  };
  if (p < low) return tail(std::sqrt(-2 * std::log(p)));
  if (p > 1 - low) return -tail(std::sqrt(-2 * std::log(1 - p)));
  const double q = p - 0.5, r = q * q;
  return (((((a[0] * r + a[1]) * r + a[2]) * r + a[3]) * r + a[4]) * r + a[5]) * q /
         (((((b[0] * r + b[1]) * r + b[2]) * r + b[3]) * r + b[4]) * r + 1);
}

float unit_interval(std::uint32_t bits) noexcept {
  const float unit = static_cast<float>(bits) * 0x1p-32F;
  if (unit <= 0) return std::numeric_limits<float>::min();
  return unit >= 1 ? 1 - std::numeric_limits<float>::epsilon() / 2 : unit;
}

void draw(std::span<std::int32_t> out, const SmallLaw& law, const Seed& seed) {
  if (law.law == PaperLaw::inverse_cdf) {
    require_numbers(law);
    Words<true> words(seed);
    return fill(out, law.bound, [&] {
      return static_cast<std::int32_t>(std::lrint(inverse_normal(unit_interval(words.next())) * law.deviation));
    });
  }
  ChaCha words(seed);
  switch (law.law) {
    case PaperLaw::binary:
      return fill(out, 0, [&] { return static_cast<std::int32_t>(words.next() & 1); });
    case PaperLaw::zero_one:
      return fill(out, 0, [&] {
        const std::uint32_t bits = words.next();
        return static_cast<std::int32_t>(bits & 1) - static_cast<std::int32_t>((bits >> 1) & 1);
      });
    case PaperLaw::box_muller: {
      require_numbers(law);
      BoxMuller normals(words, law.deviation);
      return fill(out, law.bound, [&] { return normals.next(); });
    }
    case PaperLaw::ternary:
      return fill(out, 0, [&] { return ternary_value(words.next_64()); });
    default:
      return fill(out, 0, [&] { return error_value(words.next_64()); });
  }
}

}  // namespace cyclotome::study
