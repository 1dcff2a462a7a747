// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cmath>

#include "cyclotome/study/fermat/products/ring_products.hpp"

namespace cyclotome::study::fermat {

namespace {

/// Integers modulo 2^N + 1, N = 64 W, W + 1 words each.
class PowerRootField {
 public:
  explicit PowerRootField(std::size_t words)
      : words_(words), arithmetic_(Limb{static_cast<unsigned>(64 * words), true, 0, 0, words + 1}) {}

  std::size_t words() const noexcept { return words_ + 1; }
  std::size_t bits() const noexcept { return 64 * words_; }
  const LimbArithmetic& arithmetic() const noexcept { return arithmetic_; }

  /// out = a 2^exponent, exponent below 2N: what is shifted beyond 2^N comes back with the other sign. scratch: two
  /// numbers. out may be a.
  void shift(std::uint64_t* out, const std::uint64_t* a, std::size_t exponent, std::uint64_t* scratch) const {
    const bool negative = exponent >= bits();
    const std::size_t e = negative ? exponent - bits() : exponent, word = e / 64, bit = e % 64;
    std::uint64_t* const low = scratch;
    std::uint64_t* const high = scratch + words();
    std::fill_n(low, 2 * words(), 0);
    const auto place = [&](std::size_t w, std::uint64_t value) {
      if (value != 0) (w < words_ ? low[w] : high[w - words_]) |= value;
    };
    for (std::size_t w = 0; w < words(); ++w) {
      place(w + word, a[w] << bit);
      if (bit != 0) place(w + word + 1, a[w] >> (64 - bit));
    }
    if (negative) std::swap_ranges(low, low + words(), high);
    arithmetic_.subtract(out, low, high);
  }

  /// out = a b; scratch: 2W words.
  void multiply(std::uint64_t* out, const std::uint64_t* a, const std::uint64_t* b, const GeneralArithmetic& general,
                std::uint64_t* scratch) const {
    if (a[words_] != 0) return arithmetic_.negate(out, b);  // 2^N is -1
    if (b[words_] != 0) return arithmetic_.negate(out, a);
    general.multiply(scratch, {a, words_}, {b, words_});
    arithmetic_.reduce({out, words()}, {scratch, 2 * words_});
  }

 private:
  std::size_t words_;
  LimbArithmetic arithmetic_;
};

/// Polynomials of n coefficients as L = n/m of m coefficients each, digits of an integer: in y = x^m negacyclic again.
/// theta = 2^(N/L) has theta^L = -1, so products are transforms of L points whose roots are powers of two.
class Transform {
 public:
  Transform(std::size_t degree, std::size_t block, std::size_t digit)
      : block_(block),
        points_(degree / block),
        digit_(digit),
        field_(rounded((2 * block - 1) * digit, points_)),
        step_(field_.bits() / points_) {}

  /// What three transforms and the products of the points take, in additions of words: how blocks are chosen.
  double cost() const {
    const auto points = static_cast<double>(points_), words = static_cast<double>(field_.words());
    return 9 * points * words * std::max(1.0, std::log2(points)) + points * std::pow(words, 1.6);
  }
  std::size_t words() const noexcept { return field_.words(); }
  std::size_t points() const noexcept { return points_; }
  std::size_t block() const noexcept { return block_; }
  std::size_t digit() const noexcept { return digit_; }
  const PowerRootField& field() const noexcept { return field_; }

  using Data = std::vector<std::uint64_t>;
  /// In place: weights theta^j, then decimation in frequency, to bit-reversed order.
  void forward(Data& data) const {
    Data scratch(3 * words());
    for (std::size_t j = 1; j < points_; ++j) field_.shift(at(data, j), at(data, j), j * step_, scratch.data());
    for (std::size_t half = points_ / 2; half >= 1; half /= 2) {
      const std::size_t root = 2 * step_ * (points_ / (2 * half));
      for (std::size_t first = 0; first < points_; first += 2 * half) {
        for (std::size_t i = 0; i < half; ++i) {
          std::uint64_t *const x = at(data, first + i), *const y = at(data, first + half + i);
          std::uint64_t* const difference = scratch.data() + 2 * words();
          field_.arithmetic().subtract(difference, x, y);
          field_.arithmetic().add(x, x, y);
          field_.shift(y, difference, i * root, scratch.data());
        }
      }
    }
  }
  /// Back, divided by L and by the weights.
  void inverse(Data& data) const {
    Data scratch(3 * words());
    const std::size_t order = 2 * field_.bits();
    for (std::size_t half = 1; half < points_; half *= 2) {
      const std::size_t root = 2 * step_ * (points_ / (2 * half));
      for (std::size_t first = 0; first < points_; first += 2 * half) {
        for (std::size_t i = 0; i < half; ++i) {
          std::uint64_t *const x = at(data, first + i), *const y = at(data, first + half + i);
          std::uint64_t* const turned = scratch.data() + 2 * words();
          field_.shift(turned, y, (order - i * root) % order, scratch.data());
          field_.arithmetic().subtract(y, x, turned);
          field_.arithmetic().add(x, x, turned);
        }
      }
    }
    const std::size_t over = static_cast<std::size_t>(std::bit_width(points_)) - 1;
    for (std::size_t j = 0; j < points_; ++j) {
      field_.shift(at(data, j), at(data, j), (2 * order - j * step_ - over) % order, scratch.data());
    }
  }
  std::uint64_t* at(Data& data, std::size_t point) const { return data.data() + point * words(); }

 private:
  /// W, so that N = 64 W is a multiple of L.
  static std::size_t rounded(std::size_t words, std::size_t points) {
    const std::size_t unit = std::max<std::size_t>(1, points / 64);
    return (words + unit - 1) / unit * unit;
  }

  std::size_t block_, points_, digit_;
  PowerRootField field_;
  std::size_t step_;
};

class SchoenhageProducts final : public RingProducts {
 public:
  SchoenhageProducts(std::shared_ptr<const WideRing> ring, const GeneralArithmetic& general)
      : ring_(std::move(ring)), general_(&general) {
    const std::size_t n = ring_->degree();
    for (std::size_t limb = 0; limb < ring_->basis().limbs().size(); ++limb) {
      Transform best(n, 1, digit_words(*ring_, limb));
      for (std::size_t block = 2; block <= n / 2; block *= 2) {
        Transform other(n, block, digit_words(*ring_, limb));
        if (other.cost() < best.cost()) best = other;
      }
      transforms_.push_back(best);
    }
  }

  void multiply(std::uint64_t* out, const std::uint64_t* a, const std::uint64_t* b, std::size_t limb) const override {
    const Transform& t = transforms_[limb];
    auto x = packed(t, a, limb), y = packed(t, b, limb);
    t.forward(x);
    t.forward(y);
    std::vector<std::uint64_t> scratch(2 * t.words());
    for (std::size_t j = 0; j < t.points(); ++j) {
      t.field().multiply(t.at(x, j), t.at(x, j), t.at(y, j), *general_, scratch.data());
    }
    t.inverse(x);
    unpack(out, t, x, limb);
  }

 private:
  std::vector<std::uint64_t> packed(const Transform& t, const std::uint64_t* rows, std::size_t limb) const {
    const std::size_t n = ring_->degree(), words = ring_->basis().limbs()[limb].words;
    std::vector<std::uint64_t> data(t.points() * t.words());
    for (std::size_t w = 0; w < words; ++w) {
      for (std::size_t c = 0; c < n; ++c) {
        data[c / t.block() * t.words() + c % t.block() * t.digit() + w] = rows[w * n + c];
      }
    }
    return data;
  }

  /// Digits have signs: half of their range is added to each, and taken off again modulo the limb.
  void unpack(std::uint64_t* out, const Transform& t, std::vector<std::uint64_t>& data, std::size_t limb) const {
    const LimbArithmetic& arithmetic = ring_->limb(limb);
    const std::size_t n = ring_->degree(), words = arithmetic.limb().words, digits = 2 * t.block() - 1;
    std::vector<std::uint64_t> half(t.digit()), offset(t.words()), moved(words), value(words);
    half.back() = std::uint64_t{1} << 63;
    for (std::size_t k = 0; k < digits; ++k) offset[(k + 1) * t.digit() - 1] = half.back();
    arithmetic.reduce(moved, half);
    std::vector<std::uint64_t> rows(n * words);
    for (std::size_t j = 0; j < t.points(); ++j) {
      std::uint64_t* const point = t.at(data, j);
      t.field().arithmetic().add(point, point, offset.data());
      for (std::size_t k = 0; k < digits; ++k) {
        const std::size_t place = j * t.block() + k;
        std::uint64_t* const sum = rows.data() + place % n * words;
        arithmetic.reduce(value, {point + k * t.digit(), t.digit()});
        arithmetic.subtract(value.data(), value.data(), moved.data());
        if (place < n) arithmetic.add(sum, sum, value.data());
        if (place >= n) arithmetic.subtract(sum, sum, value.data());
      }
    }
    for (std::size_t c = 0; c < n; ++c) scatter(out, rows.data() + c * words, words, n, c, 1);
  }

  std::shared_ptr<const WideRing> ring_;
  const GeneralArithmetic* general_;
  std::vector<Transform> transforms_;
};

}  // namespace

std::unique_ptr<RingProducts> make_schoenhage_products(std::shared_ptr<const WideRing> ring,
                                                       const GeneralArithmetic& arithmetic) {
  return std::make_unique<SchoenhageProducts>(std::move(ring), arithmetic);
}

}  // namespace cyclotome::study::fermat
