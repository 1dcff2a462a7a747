// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/study/fermat/limbs/conversion.hpp"

#include <algorithm>

#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/interrupt.hpp"
#include "cyclotome/study/fermat/limbs/rounding.hpp"

namespace cyclotome::study::fermat {

std::size_t tile_of(std::size_t words) noexcept { return std::clamp<std::size_t>(1024 / words, 4, 64); }

void gather(std::uint64_t* out, const std::uint64_t* rows, std::size_t words, std::size_t degree, std::size_t first,
            std::size_t count) {
  for (std::size_t w = 0; w < words; ++w) {
    for (std::size_t c = 0; c < count; ++c) out[c * words + w] = rows[w * degree + first + c];
  }
}

void scatter(std::uint64_t* rows, const std::uint64_t* in, std::size_t words, std::size_t degree, std::size_t first,
             std::size_t count) {
  for (std::size_t w = 0; w < words; ++w) {
    for (std::size_t c = 0; c < count; ++c) rows[w * degree + first + c] = in[c * words + w];
  }
}

FromWide::FromWide(std::shared_ptr<const Punctured> source, Basis target, const std::vector<std::uint64_t>& factors)
    : source_(std::move(source)), target_(std::move(target)) {
  if (target_.word() != Word::u64) throw ParameterError("wide limbs are converted to moduli of 64-bit words");
  if (!factors.empty() && factors.size() != target_.size()) {
    throw ArgumentError(
        message(factors.size(), " factors for ", target_.size(), " moduli; give none, or one for each"));
  }
  for (std::size_t j = 0; j < target_.size(); ++j) {
    const Modulus<std::uint64_t>& m = target_.moduli<std::uint64_t>()[j];
    const std::uint64_t factor = factors.empty() ? m.reduce(1) : m.reduce(factors[j]);
    for (const std::uint64_t weight : source_->weights(m.value())) weights_.push_back(m.multiply(weight, factor));
  }
  if (NarrowConversion::serves(*source_, target_)) {
    const auto& limbs = dynamic_cast<const FermatPunctured&>(*source_);
    narrow_ = std::make_shared<const NarrowConversion>(limbs, target_, weights_);
  }
}

void FromWide::run(std::uint64_t* out, const std::uint64_t* in, std::size_t degree, std::size_t begin,
                   std::size_t size) const {
  if (narrow_ != nullptr) return narrow_->run(out, in, degree, begin, size);
  const std::size_t words = source_->words(), tile = tile_of(words), end = begin + size;
  ZeroisingVector<std::uint64_t> x(tile * words), y(tile * words);  // of a phase, when decrypting
  for (std::size_t first = begin; first < end; first += tile) {
    check_interrupt();
    const std::size_t count = std::min(tile, end - first);
    gather(x.data(), in, words, degree, first, count);
    source_->apply(y.data(), x.data(), count);
    for (std::size_t j = 0; j < target_.size(); ++j) {
      const std::uint64_t* const weights = weights_.data() + j * words;
      for (std::size_t c = 0; c < count; ++c) {
        out[j * degree + first + c] = dot(y.data() + c * words, 1, weights, words, target_.moduli<std::uint64_t>()[j]);
      }
    }
  }
}

namespace {

/// sum += factor a.
void multiply_add(std::uint64_t* sum, std::size_t sum_words, const std::uint64_t* a, std::size_t words,
                  std::uint64_t factor) noexcept {
  std::uint64_t carry = 0;
  for (std::size_t w = 0; w < words; ++w) {
    const u128 term = static_cast<u128>(a[w]) * factor + sum[w] + carry;
    sum[w] = static_cast<std::uint64_t>(term);
    carry = static_cast<std::uint64_t>(term >> 64);
  }
  for (std::size_t w = words; w < sum_words; ++w) {
    sum[w] += carry;
    carry = std::uint64_t{sum[w] < carry};
  }
}

}  // namespace

ToLimb::ToLimb(const Basis& source, const Limb& target, const BigUnsigned& factor)
    : limb_(target), primes_(source.size()) {
  if (source.word() != Word::u64 || source.size() == 0) {
    throw ParameterError("wide limbs are made of residues modulo moduli of 64-bit words, at least one");
  }
  const auto residue = [&](const BigUnsigned& value) {
    std::vector<std::uint64_t> words(target.words);
    limb_.reduce(words, (value * factor).limbs());
    return words;
  };
  const BigUnsigned product = source.product();
  for (std::size_t j = 0; j < primes_; ++j) {
    std::ranges::copy(residue(product.divided_by(source[j])), std::back_inserter(weights_));
  }
  const auto wrap = residue(product);
  std::ranges::copy(wrap, std::back_inserter(weights_));
  start_.resize(target.words);
  limb_.scale(start_.data(), wrap.data(), static_cast<std::uint64_t>(wrap_offset));
  limb_.negate(start_.data(), start_.data());
}

std::vector<std::uint64_t> ToLimb::inverses(const Basis& source) {
  std::vector<std::uint64_t> all;
  for (std::size_t j = 0; j < source.size(); ++j) {
    all.push_back(inverse_or_zero(source.punctured_product_mod(j, source[j]), source[j]));
  }
  return all;
}

ZeroisingVector<std::int64_t> ToLimb::centred_wraps(const Basis& source, const std::uint64_t* y, std::size_t degree) {
  ZeroisingVector<std::int64_t> wraps(degree);
  centred_wraps(wraps.data(), source, y, degree, 0, degree);
  return wraps;
}

void ToLimb::centred_wraps(std::int64_t* wraps, const Basis& source, const std::uint64_t* y, std::size_t degree,
                           std::size_t first, std::size_t count) {
  ZeroisingVector<u128> sums(count, static_cast<u128>(1) << 63);
  for (std::size_t j = 0; j < source.size(); ++j) {
    const auto fraction = Fraction::of(source[j], source.moduli<std::uint64_t>()[j].bits());
    for (std::size_t c = 0; c < count; ++c) sums[c] += fraction(y[j * degree + first + c]);
  }
  for (std::size_t c = 0; c < count; ++c) wraps[first + c] = static_cast<std::int64_t>(sums[c] >> 64);
}

void ToLimb::run(std::uint64_t* out, const std::uint64_t* y, const std::int64_t* wraps, std::size_t degree,
                 std::size_t begin, std::size_t size) const {
  const std::size_t words = limb_.limb().words, sum_words = words + 2, tile = tile_of(std::max(words, primes_));
  ZeroisingVector<std::uint64_t> from(tile * primes_), sum(sum_words), to(tile * words);
  for (std::size_t first = begin; first < begin + size; first += tile) {
    check_interrupt();
    const std::size_t count = std::min(tile, begin + size - first);
    gather(from.data(), y, primes_, degree, first, count);
    for (std::size_t c = 0; c < count; ++c) {
      std::ranges::copy(start_, sum.begin());
      std::fill(sum.begin() + static_cast<std::ptrdiff_t>(words), sum.end(), 0);
      for (std::size_t j = 0; j < primes_; ++j) {
        multiply_add(sum.data(), sum_words, weights_.data() + j * words, words, from[c * primes_ + j]);
      }
      multiply_add(sum.data(), sum_words, weights_.data() + primes_ * words, words,
                   static_cast<std::uint64_t>(wrap_offset - wraps[first + c]));
      limb_.reduce(std::span(to).subspan(c * words, words), sum);
    }
    scatter(out, to.data(), words, degree, first, count);
  }
}

}  // namespace cyclotome::study::fermat
