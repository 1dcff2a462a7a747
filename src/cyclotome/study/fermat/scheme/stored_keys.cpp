// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/math/declassify.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/rlwe/noise/key_check.hpp"
#include "cyclotome/study/fermat/scheme/keys.hpp"

// Keys as residues, and back: what files hold.
namespace cyclotome::study::fermat {

namespace {

/// Residues of a key's polynomial: products with secrets use the fewest primes, the first ones of the same list.
Rows rows_of(const Context& context, const std::vector<PolyArray>& limbs) {
  Rows rows(context.ring().size());
  for (std::size_t i = 0; i < limbs.size(); ++i) {
    context.secret_products().rows_of(rows.data() + context.ring().offset(i), limbs[i], i);
  }
  return rows;
}

}  // namespace

SecretKey SecretKey::restore(const ContextPtr& context, const KeyId& id, std::span<const std::int64_t> s) {
  if (s.size() != context->degree()) {
    throw ArgumentError(message("a secret key of ", s.size(), " coefficients; n is ", context->degree()));
  }
  PolyArray polynomial = context->empty_small(true);
  const std::uint64_t p = polynomial.ring()->basis()[0];
  ZeroisingVector<std::uint64_t> residues(s.size());
  std::uint64_t wrong = 0;
  for (std::size_t i = 0; i < s.size(); ++i) {
    const auto shifted = static_cast<std::uint64_t>(s[i] + 1);  // 0, 1 or 2
    wrong |= shifted > 2 ? 1 : 0;
    residues[i] = static_cast<std::uint64_t>(s[i]) + (p & static_cast<std::uint64_t>(s[i] >> 63));
  }
  if (declassify(wrong != 0)) throw ArgumentError("a secret key's coefficients are -1, 0 and 1");
  polynomial.from_host(residues);
  if (!declassify(rlwe::secret_is_fit(polynomial))) {
    throw ArgumentError(
        "the secret key fails the check that keys pass when they are made, so that no noise bound holds "
        "for it; make a new one");
  }
  return SecretKey(context, s, id);
}

ZeroisingVector<std::int64_t> SecretKey::coefficients() const {
  const RingPtr one = s_.ring()->slice(0, 1);
  PolyArray copy(context_->engine(), one, 1, 1, Domain::transform, true);
  context_->engine()->copy(copy.view(), s_.view().limbs_at(0, *one));
  copy.to_coefficient();
  return centred_residues(copy);
}

PublicKey PublicKey::restore(const ContextPtr& context, const KeyId& id, const Rows& body, const Rows& a) {
  PublicKey key(context, id);
  key.parts_[0] = context->secret_products().forward_all(context->ring(), body.data());
  key.parts_[1] = context->secret_products().forward_all(context->ring(), a.data());
  return key;
}

Rows PublicKey::rows(std::size_t part) const { return rows_of(*context_, parts_[part]); }

RelinearizationKey RelinearizationKey::restore(const ContextPtr& context, const KeyId& id,
                                               const std::function<Residues(std::size_t, std::size_t)>& next) {
  RelinearizationKey key(context, id);
  const std::size_t digits = context->parameters().log2_digits().size();
  for (std::size_t digit = 0; digit < digits; ++digit) {
    std::array<Part, 2> parts;
    for (std::size_t part = 0; part < 2; ++part) {
      const Residues stored = next(digit, part);
      parts[part].limbs = context->digit_products().forward_all(context->ring(), stored.rows.data());
      if (context->special() == nullptr) continue;
      parts[part].special = PolyArray(context->engine(), context->special()->ring(), 1, 1);
      parts[part].special.from_host(stored.special);
      parts[part].special.to_transform();
    }
    key.digits_.push_back(std::move(parts));
  }
  return key;
}

RelinearizationKey::Residues RelinearizationKey::residues(std::size_t digit, std::size_t part) const {
  Residues out{rows_of(*context_, digits_[digit][part].limbs), {}};
  if (context_->special() != nullptr) {
    PolyArray copy = digits_[digit][part].special.clone();
    out.special = copy.to_coefficient().to_host();
  }
  return out;
}

}  // namespace cyclotome::study::fermat
