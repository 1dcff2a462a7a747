// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/study/fermat/scheme/operations.hpp"

// Relinearisation: D_RNS, digits of its residues, their inner product with a key, and division by P where there are
// special primes (specification 5.7 and 5.10).
namespace cyclotome::study::fermat {

namespace {

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
  /// parts, in the engine's memory, += the sums modulo q, divided by P.
  void add_to(std::uint64_t* parts) {
    const WideRing& ring = context_.ring();
    WideWords rows(context_.wide(), 2 * ring.size(), false);
    for (std::size_t part = 0; part < 2; ++part) {
      std::uint64_t* const to = rows.data() + part * ring.size();
      for (std::size_t i = 0; i < sums_[part].size(); ++i) {
        context_.digit_products().backward_there(to + ring.offset(i), sums_[part][i], i);
      }
      if (context_.special() != nullptr) context_.special()->divide(ring, to, special_[part]);
    }
    context_.wide().add(ring, parts, parts, rows.data(), 2);
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
      WideWords rows(context.wide(), limbs[j].words * ring.degree(), false);
      context.wide().move_limb(ring, rows.data(), j, y + ring.offset(i), i);
      sums.add(i, j, context.digit_products().forward_there(rows.data(), j, false).view());
    }
    if (context.special() == nullptr) continue;
    sums.add_special(i, context.special()->forward(y + ring.offset(i), i).view());
  }
}

/// Transforms of a digit over the primes of products, which are longer.
PolyArray transform_of(const Context& context, const std::uint64_t* y, const DigitPlace& place) {
  const RingPtr& ring = context.digit_products().widest();
  PolyArray out(context.engine(), ring, 1, 1);
  context.wide().digit(context.ring(), static_cast<std::uint64_t*>(out.view().data), y, place, ring->limbs());
  out.to_transform();
  return out;
}

void add_narrow_digits(KeySums& sums, const Context& context, const std::uint64_t* y) {
  const WideRing& ring = context.ring();
  const LimbProducts& products = context.digit_products();
  const unsigned width = context.parameters().digit_bits();
  std::size_t digit = 0;
  for (std::size_t i = 0; i < products.limbs(); ++i) {
    const Limb& limb = ring.basis().limbs()[i];
    for (unsigned first = 0; first < limb.bits + (limb.plus ? 1 : 0); first += width, ++digit) {
      const DigitPlace place{i, first, width};
      const PolyArray transform = transform_of(context, y, place);
      for (std::size_t j = 0; j < products.limbs(); ++j) sums.add(digit, j, products.of_limb(transform, j));
      if (context.special() == nullptr) continue;
      WideWords row(context.wide(), context.degree(), false);
      context.wide().digit(context.ring(), row.data(), y, place, 1);
      sums.add_special(digit, context.special()->forward_digit(row.data()).view());
    }
  }
}

}  // namespace

void add_relinearized(std::uint64_t* parts, const std::uint64_t* third, const RelinearizationKey& key,
                      const Context& how) {
  const Context& context = *key.context();
  WideWords y(context.wide(), context.ring().size(), false);
  (how.engine() == context.engine() ? how : context).decompose(y.data(), third);
  KeySums sums(key);
  if (context.parameters().digit_bits() == 0) {
    add_wide_digits(sums, context, y.data());
  } else {
    add_narrow_digits(sums, context, y.data());
  }
  sums.add_to(parts);
}

Ciphertext relinearize(const Ciphertext& a, const RelinearizationKey& key) {
  require_same_context("relinearize", *a.context, *key.context());
  rlwe::require_same_key("relinearize", a.key, key.id());
  if (a.parts != 3) return a;
  const Context& context = *key.context();
  const WideEngine& wide = context.wide();
  const std::size_t size = context.ring().size();
  const auto& noise = context.parameters().noise();
  Ciphertext result{a.context, a.key, 2, {}, noise.sum(a.noise, context.relinearization_noise())};
  for (const Parts& parts : a.items) {
    Parts out(parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(2 * size));
    WideWords sum(wide, out.data(), 2 * size, false);
    add_relinearized(sum.data(), WideWords(wide, parts.data() + 2 * size, size, false).data(), key, *a.context);
    if (!wide.on_host()) sum.to_host(out.data());
    result.items.push_back(std::move(out));
  }
  return result;
}

}  // namespace cyclotome::study::fermat
