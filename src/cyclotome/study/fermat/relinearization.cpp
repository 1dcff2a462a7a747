// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/study/fermat/operations.hpp"

// Relinearisation: D_RNS, digits of its residues, their inner product with a key, and division by P where there are
// special primes (specification 5.7 and 5.10).
namespace cyclotome::study::fermat {

namespace {

/// Digit by digit what relinearisation multiplies: y_i of one limb, as `width` bits from `first` on.
std::vector<std::int64_t> digit_of(const std::uint64_t* rows, const Limb& limb, std::size_t n, unsigned first,
                                   unsigned width) {
  const std::size_t word = first / 64, shift = first % 64;
  const std::uint64_t mask = (std::uint64_t{1} << width) - 1;
  std::vector<std::int64_t> digit(n);
  for (std::size_t c = 0; c < n; ++c) {
    std::uint64_t bits = rows[word * n + c] >> shift;
    if (shift + width > 64 && word + 1 < limb.words) bits |= rows[(word + 1) * n + c] << (64 - shift);
    digit[c] = static_cast<std::int64_t>(bits & mask);
  }
  return digit;
}

/// Sums of digits times a relinearisation key, transforms over each limb's primes.
class KeySums {
 public:
  explicit KeySums(const RelinearizationKey& key) : key_(key), context_(*key.context()) {
    const LimbProducts& products = context_.digit_products();
    for (std::size_t i = 0; i < products.limbs(); ++i) {
      for (auto& sums : sums_) {
        sums.emplace_back(context_.engine(), products.ring(i), 1, 1, Domain::transform);
        context_.engine()->clear(sums.back().view());
      }
    }
    for (PolyArray& sum : special_) {
      if (context_.special() == nullptr) break;
      sum = PolyArray(context_.engine(), context_.special()->ring(), 1, 1, Domain::transform);
      context_.engine()->clear(sum.view());
    }
  }
  /// A digit's transform modulo one limb's primes.
  void add(std::size_t digit, std::size_t limb, ConstView transform) {
    for (std::size_t part = 0; part < 2; ++part) {
      context_.engine()->multiply_accumulate(sums_[part][limb].view(), transform,
                                             key_.transform(digit, part, limb).view());
    }
  }
  /// The same modulo P.
  void add_special(std::size_t digit, ConstView transform) {
    for (std::size_t part = 0; part < 2; ++part) {
      context_.engine()->multiply_accumulate(special_[part].view(), transform,
                                             key_.special_transform(digit, part).view());
    }
  }
  /// parts += the sums modulo q, divided by P.
  void add_to(std::uint64_t* parts) {
    const WideRing& ring = context_.ring();
    Parts rows(ring.size());
    for (std::size_t part = 0; part < 2; ++part) {
      for (std::size_t i = 0; i < sums_[part].size(); ++i) {
        context_.digit_products().backward(rows.data() + ring.offset(i), sums_[part][i], i);
      }
      if (context_.special() != nullptr) context_.special()->divide(ring, rows.data(), special_[part]);
      ring.add(parts + part * ring.size(), parts + part * ring.size(), rows.data());
    }
  }

 private:
  const RelinearizationKey& key_;
  const Context& context_;
  std::vector<PolyArray> sums_[2];
  PolyArray special_[2];
};

/// One digit a limb, as printed: it is as long as its limb, so other limbs take it modulo theirs.
void add_wide_digits(KeySums& sums, const Context& context, const std::uint64_t* y) {
  const WideRing& ring = context.ring();
  const auto& limbs = ring.basis().limbs();
  for (std::size_t i = 0; i < limbs.size(); ++i) {
    for (std::size_t j = 0; j < limbs.size(); ++j) {
      Parts rows(limbs[j].words * ring.degree());
      ring.move_limb(rows.data(), j, y + ring.offset(i), i);
      sums.add(i, j, context.digit_products().forward(rows.data(), j, false).view());
    }
    if (context.special() == nullptr) continue;
    sums.add_special(i, context.special()->forward(y + ring.offset(i), i).view());
  }
}

void add_narrow_digits(KeySums& sums, const Context& context, const std::uint64_t* y) {
  const WideRing& ring = context.ring();
  const LimbProducts& products = context.digit_products();
  const unsigned width = context.parameters().digit_bits();
  std::size_t digit = 0;
  for (std::size_t i = 0; i < products.limbs(); ++i) {
    const Limb& limb = ring.basis().limbs()[i];
    for (unsigned first = 0; first < limb.bits + (limb.plus ? 1 : 0); first += width, ++digit) {
      const auto values = digit_of(y + ring.offset(i), limb, ring.degree(), first, width);
      const PolyArray transform = products.forward_small(values.data(), false);
      for (std::size_t j = 0; j < products.limbs(); ++j) sums.add(digit, j, products.of_limb(transform, j));
      if (context.special() == nullptr) continue;
      const RingPtr& special = context.special()->ring();
      sums.add_special(digit, transform_small(context.engine(), special, values.data(), false).view());
    }
  }
}

}  // namespace

Ciphertext relinearize(const Ciphertext& a, const RelinearizationKey& key) {
  require_same_context("relinearize", *a.context, *key.context());
  rlwe::require_same_key("relinearize", a.key, key.id());
  if (a.parts != 3) return a;
  const Context& context = *a.context;
  const std::size_t size = context.ring().size();
  const auto& noise = context.parameters().noise();
  Ciphertext result{a.context, a.key, 2, {}, noise.sum(a.noise, context.relinearization_noise())};
  for (const Parts& parts : a.items) {
    Parts y(size), out(parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(2 * size));
    context.decompose(y.data(), parts.data() + 2 * size);
    KeySums sums(key);
    if (context.parameters().digit_bits() == 0) {
      add_wide_digits(sums, context, y.data());
    } else {
      add_narrow_digits(sums, context, y.data());
    }
    sums.add_to(out.data());
    result.items.push_back(std::move(out));
  }
  return result;
}

}  // namespace cyclotome::study::fermat
