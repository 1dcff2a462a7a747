// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/study/fermat/limbs/wide_ring.hpp"

#include <algorithm>

#include "cyclotome/math/chacha20.hpp"
#include "cyclotome/math/interrupt.hpp"
#include "cyclotome/math/secure_zero.hpp"

namespace cyclotome::study::fermat {

namespace {

/// Words of a ChaCha20 stream, one after another.
class WordStream {
 public:
  WordStream(const Seed& seed, Stream stream, std::uint32_t item, std::uint32_t limb)
      : nonce_{static_cast<std::uint32_t>(stream) << 16, item, limb} {
    const auto words = seed.words();
    std::copy(words.begin(), words.end(), key_);
  }
  ~WordStream() {
    secure_zero(key_, sizeof key_);
    secure_zero(block_, sizeof block_);
  }
  WordStream(const WordStream&) = delete;
  WordStream& operator=(const WordStream&) = delete;

  std::uint64_t next() {
    if (used_ == 8) {
      chacha20_block(key_, counter_++, nonce_, block_);
      used_ = 0;
    }
    const std::size_t i = 2 * used_++;
    return block_[i] | static_cast<std::uint64_t>(block_[i + 1]) << 32;
  }

 private:
  std::uint32_t key_[8], nonce_[3], block_[16] = {}, counter_ = 0;
  std::size_t used_ = 8;
};

/// floor(v/t) from floor(2^128/t): one too small at most.
std::uint64_t quotient_of(std::uint64_t v, const Modulus<std::uint64_t>& t) noexcept {
  const std::uint64_t low = multiply_high(v, t.ratio_low());
  const u128 product = static_cast<u128>(v) * t.ratio_high() + low;
  const auto quotient = static_cast<std::uint64_t>(product >> 64);
  return quotient + (mask_if<std::uint64_t>(v - quotient * t.value() >= t.value()) & 1);
}

}  // namespace

WideRing::WideRing(FermatBasis basis, RingShapePtr shape)
    : basis_(std::move(basis)), shape_(std::move(shape)), degree_(shape_->degree()) {
  for (const Limb& limb : basis_.limbs()) limbs_.emplace_back(limb);
}

template <class Operation>
void WideRing::for_each_of(const LimbArithmetic& limb, Out out, In a, In b, Range range,
                           const Operation& operation) const {
  const std::size_t words = limb.limb().words, tile = tile_of(words);
  const std::size_t end = range.first + std::min(range.count, degree_ - range.first);
  Rows x(tile * words), y(tile * words);
  for (std::size_t first = range.first; first < end; first += tile) {
    check_interrupt();
    const std::size_t count = std::min(tile, end - first);
    gather(x.data(), a, words, degree_, first, count);
    if (b != nullptr) gather(y.data(), b, words, degree_, first, count);
    for (std::size_t c = 0; c < count; ++c) {
      operation(limb, x.data() + c * words, x.data() + c * words, y.data() + c * words);
    }
    scatter(out, x.data(), words, degree_, first, count);
  }
}

template <class Operation>
void WideRing::for_each(Out out, In a, In b, Range range, const Operation& operation) const {
  for (std::size_t i = 0; i < limbs_.size(); ++i) {
    for_each_of(limbs_[i], out + offset(i), a + offset(i), b == nullptr ? nullptr : b + offset(i), range, operation);
  }
}

void WideRing::add_limb(Out out, In a, std::size_t limb) const {
  for_each_of(limbs_[limb], out, out, a, {}, [](const LimbArithmetic& l, Out r, In x, In y) { l.add(r, x, y); });
}

void WideRing::subtract_limb(Out out, In a, std::size_t limb) const {
  for_each_of(limbs_[limb], out, out, a, {}, [](const LimbArithmetic& l, Out r, In x, In y) { l.subtract(r, x, y); });
}

void WideRing::add(Out out, In a, In b, Range range) const {
  for_each(out, a, b, range, [](const LimbArithmetic& limb, Out r, In x, In y) { limb.add(r, x, y); });
}

void WideRing::subtract(Out out, In a, In b, Range range) const {
  for_each(out, a, b, range, [](const LimbArithmetic& limb, Out r, In x, In y) { limb.subtract(r, x, y); });
}

void WideRing::negate(Out out, In a, Range range) const {
  for_each(out, a, nullptr, range, [](const LimbArithmetic& limb, Out r, In x, In) { limb.negate(r, x); });
}

void WideRing::scale(Out out, In a, std::uint64_t factor, Range range) const {
  for_each(out, a, nullptr, range, [factor](const LimbArithmetic& limb, Out r, In x, In) { limb.scale(r, x, factor); });
}

void WideRing::shift_limb(Out rows, std::size_t limb, std::uint64_t exponent) const {
  const LimbArithmetic& arithmetic = limbs_[limb];
  const std::size_t words = arithmetic.limb().words;
  Rows x(words);
  for (std::size_t c = 0; c < degree_; ++c) {
    gather(x.data(), rows, words, degree_, c, 1);
    for (std::uint64_t left = exponent; left > 0;) {
      const std::uint64_t step = std::min<std::uint64_t>(left, 63);
      arithmetic.scale(x.data(), x.data(), std::uint64_t{1} << step);
      left -= step;
    }
    scatter(rows, x.data(), words, degree_, c, 1);
  }
}

void WideRing::move_limb(Out out, std::size_t to, In rows, std::size_t from, Range range) const {
  Rows x(limbs_[from].limb().words), y(limbs_[to].limb().words);
  const std::size_t end = range.first + std::min(range.count, degree_ - range.first);
  for (std::size_t c = range.first; c < end; ++c) {
    gather(x.data(), rows, x.size(), degree_, c, 1);
    limbs_[to].reduce(y, x);
    scatter(out, y.data(), y.size(), degree_, c, 1);
  }
}

void WideRing::from_signed(Out out, const std::int64_t* values) const {
  for (const LimbArithmetic& limb : limbs_) {
    const std::size_t words = limb.limb().words;
    std::uint64_t* const rows = out + limb.limb().first_word * degree_;
    Rows positive(words), negative(words);
    for (std::size_t c = 0; c < degree_; ++c) {
      const auto sign = static_cast<std::uint64_t>(values[c] >> 63);  // 0 or all ones
      const std::uint64_t magnitude[1] = {(static_cast<std::uint64_t>(values[c]) ^ sign) - sign};
      limb.reduce(positive, magnitude);
      limb.negate(negative.data(), positive.data());
      for (std::size_t w = 0; w < words; ++w) {
        rows[w * degree_ + c] = (positive[w] & ~sign) | (negative[w] & sign);
      }
    }
  }
}

bool WideRing::holds(In rows) const {
  for (std::size_t i = 0; i < limbs_.size(); ++i) {
    const std::size_t words = limbs_[i].limb().words;
    Rows x(words);
    for (std::size_t c = 0; c < degree_; ++c) {
      gather(x.data(), rows + offset(i), words, degree_, c, 1);
      if (!limbs_[i].holds(x)) return false;
    }
  }
  return true;
}

void WideRing::uniform(Out out, const Seed& seed, Stream stream, std::uint32_t item) const {
  for (std::size_t i = 0; i < limbs_.size(); ++i) {
    const std::size_t words = limbs_[i].limb().words;
    WordStream random(seed, stream, item, static_cast<std::uint32_t>(i));
    Rows drawn(words + 2), residue(words);
    for (std::size_t c = 0; c < degree_; ++c) {
      for (auto& word : drawn) word = random.next();
      limbs_[i].reduce(residue, drawn);
      scatter(out + offset(i), residue.data(), words, degree_, c, 1);
    }
  }
}

MessageScale::MessageScale(const FermatBasis& basis, std::uint64_t t)
    : t_(t), rest_(basis.modulus_mod(t)), quotient_(basis.residues(basis.modulus().divided_by(t))) {}

void MessageScale::add_to(const WideRing& ring, std::uint64_t* out, const std::uint64_t* message) const {
  const std::size_t n = ring.degree();
  const Modulus<std::uint64_t> t(t_);
  for (std::size_t i = 0; i < ring.basis().limbs().size(); ++i) {
    const LimbArithmetic& limb = ring.limb(i);
    const std::size_t words = limb.limb().words;
    const std::uint64_t* const quotient = quotient_.data() + limb.limb().first_word;
    Rows x(words), scaled(words), rounding(words);
    for (std::size_t c = 0; c < n; ++c) {
      // floor(v/t) of v < 2^62 without a division, which would take a time that depends on the message.
      const std::uint64_t v = message[c] * rest_ + t_ / 2;
      const std::uint64_t top[1] = {quotient_of(v, t)};
      limb.scale(scaled.data(), quotient, message[c]);
      limb.reduce(rounding, top);
      limb.add(scaled.data(), scaled.data(), rounding.data());
      gather(x.data(), out + ring.offset(i), words, n, c, 1);
      limb.add(x.data(), x.data(), scaled.data());
      scatter(out + ring.offset(i), x.data(), words, n, c, 1);
    }
  }
}

}  // namespace cyclotome::study::fermat
