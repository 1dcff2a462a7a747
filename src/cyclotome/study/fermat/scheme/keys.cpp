// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/study/fermat/scheme/keys.hpp"

#include <algorithm>

#include "cyclotome/math/declassify.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/rlwe/noise/key_check.hpp"
#include "cyclotome/study/derived_seed.hpp"

namespace cyclotome::study::fermat {

namespace {

/// The first draw that is fit, as integers.
ZeroisingVector<std::int64_t> first_fit(const Context& context, Law law, const Seed& seed, Stream stream,
                                        bool (*is_fit)(const PolyArray&)) {
  for (std::uint32_t item = 0; item < rlwe::most_key_draws; ++item) {
    if (declassify(is_fit(context.draw_polynomial(law, seed, stream, item)))) {
      return context.draw(law, seed, stream, item);
    }
  }
  throw EngineError(message("none of ", rlwe::most_key_draws, " draws of a key was fit, which honest randomness makes ",
                            "impossible: the device or the operating system's generator is defective"));
}

/// body = -(a s + error).
void mask(Rows& body, const Rows& a, const ZeroisingVector<std::int64_t>& error, const SecretKey& secret) {
  const WideRing& ring = secret.context()->ring();
  Rows noise(ring.size());
  ring.from_signed(noise.data(), error.data());
  multiply_by_secret(body.data(), a.data(), secret);
  ring.add(body.data(), body.data(), noise.data());
  ring.negate(body.data(), body.data());
}

/// s^2 modulo q.
Rows square_of_secret(const SecretKey& secret) {
  const Context& context = *secret.context();
  const LimbProducts& products = context.secret_products();
  Rows square(context.ring().size());
  for (std::size_t i = 0; i < products.limbs(); ++i) {
    PolyArray product(context.engine(), products.ring(i), 1, 1, Domain::transform, true);
    const ConstView s = products.of_limb(secret.transform(), i);
    context.engine()->multiply(product.view(), s, s);
    products.backward(square.data() + context.ring().offset(i), product, i);
  }
  return square;
}

}  // namespace

Seed derive_seed(const Seed& master, const Parameters& parameters, std::string_view purpose, const KeyId& key) {
  return study::derive_seed(master, "cyclotome fermat seed", purpose, key, parameters.fingerprint());
}

void multiply_by_secret(std::uint64_t* out, const std::uint64_t* a, const SecretKey& secret) {
  const Context& context = *secret.context();
  if (context.wide().on_host()) return multiply_by_secret_there(out, a, secret);
  WideWords words(context.wide(), a, context.ring().size(), true);
  multiply_by_secret_there(words.data(), words.data(), secret);
  words.to_host(out);
}

void multiply_by_secret_there(std::uint64_t* out, const std::uint64_t* a, const SecretKey& secret) {
  const Context& context = *secret.context();
  const LimbProducts& products = context.secret_products();
  for (std::size_t i = 0; i < products.limbs(); ++i) {
    PolyArray product = products.forward_there(a + context.ring().offset(i), i, true);
    context.engine()->multiply(product.view(), product.view(), products.of_limb(secret.transform(), i));
    products.backward_there(out + context.ring().offset(i), product, i);
  }
}

SecretKey::SecretKey(ContextPtr context, std::span<const std::int64_t> s, const KeyId& id)
    : context_(std::move(context)), id_(id) {
  s_ = context_->secret_products().forward_small(s.data(), true);
  s_.lock();
  if (context_->special() == nullptr) return;
  special_ = transform_small(context_->engine(), context_->special()->ring(), s.data(), true);
  special_.lock();
}

SecretKey SecretKey::generate(const ContextPtr& context) {
  const Seed master = Seed::from_system();
  const Seed seed = derive_seed(master, context->parameters(), "secret key", {});
  const auto s = first_fit(*context, Law::ternary, seed, Stream::secret, rlwe::secret_is_fit);
  const Seed named = derive_seed(master, context->parameters(), "key id", {});
  KeyId id;
  std::copy_n(named.bytes().begin(), id.size(), id.begin());
  return SecretKey(context, s, id);
}

PublicKey PublicKey::generate(const SecretKey& secret) {
  const Context& context = *secret.context();
  const Seed master = Seed::from_system();
  const auto derived = [&](const char* purpose) {
    return derive_seed(master, context.parameters(), purpose, secret.id());
  };
  const WideRing& ring = context.ring();
  Rows a(ring.size()), body(ring.size());
  ring.uniform(a.data(), derived("public key, uniform"), Stream::public_uniform, 0);
  const Seed error_seed = derived("public key, error");
  mask(body, a, first_fit(context, context.error_law(), error_seed, Stream::public_error, rlwe::error_is_fit), secret);
  PublicKey key(secret.context(), secret.id());
  key.parts_[0] = context.secret_products().forward_all(ring, body.data());
  key.parts_[1] = context.secret_products().forward_all(ring, a.data());
  return key;
}

namespace {

/// What a relinearisation key is drawn from, and the two halves of each digit modulo P: (-(a s + e), a), as P is 0.
class DigitMaker {
 public:
  explicit DigitMaker(const SecretKey& secret) : DigitMaker(secret, Seed::from_system()) {}

  void draw(std::uint32_t digit) {
    digit_ = digit;
    error_ = context_.draw(context_.error_law(), errors_, Stream::switching_key_error, digit);
  }
  /// (-(a s + e), a) modulo q.
  void masked(Rows& body, Rows& a) const {
    context_.ring().uniform(a.data(), uniform_, Stream::switching_key_uniform, digit_);
    mask(body, a, error_, secret_);
  }
  /// The same modulo P, transforms.
  std::array<PolyArray, 2> special() const {
    const EnginePtr& engine = context_.engine();
    const RingPtr& ring = context_.special()->ring();
    PolyArray a(engine, ring, 1, 1);
    engine->sample(a.view(), Law::uniform, special_uniform_, Stream::switching_key_uniform, digit_);
    a.to_transform();
    PolyArray body(engine, ring, 1, 1, Domain::transform);
    engine->multiply(body.view(), a.view(), secret_.special_transform().view());
    engine->add(body.view(), body.view(), transform_small(engine, ring, error_.data(), true).view());
    engine->negate(body.view(), body.view());
    return {std::move(body), std::move(a)};
  }

 private:
  DigitMaker(const SecretKey& secret, const Seed& master)
      : secret_(secret),
        context_(*secret.context()),
        uniform_(derive_seed(master, context_.parameters(), "relinearisation, uniform", secret.id())),
        special_uniform_(derive_seed(master, context_.parameters(), "relinearisation, uniform mod P", secret.id())),
        errors_(derive_seed(master, context_.parameters(), "relinearisation, error", secret.id())) {}

  const SecretKey& secret_;
  const Context& context_;
  Seed uniform_, special_uniform_, errors_;
  std::uint32_t digit_ = 0;
  ZeroisingVector<std::int64_t> error_;
};

}  // namespace

RelinearizationKey RelinearizationKey::generate(const SecretKey& secret) {
  const Context& context = *secret.context();
  const WideRing& ring = context.ring();
  const LimbProducts& products = context.digit_products();
  const Rows square = square_of_secret(secret);
  DigitMaker maker(secret);
  RelinearizationKey key(secret.context(), secret.id());
  Rows a(ring.size()), body(ring.size());
  std::uint32_t digit = 0;
  for (std::size_t i = 0; i < ring.basis().limbs().size(); ++i) {
    const Limb& limb = ring.basis().limbs()[i];
    const std::uint64_t order = limb.plus ? 2 * limb.bits : limb.bits;  // of 2 modulo q_i
    const unsigned width = context.parameters().digit_bits() == 0 ? limb.bits + 1 : context.parameters().digit_bits();
    for (unsigned first = 0; first < limb.bits + (limb.plus ? 1 : 0); first += width, ++digit) {
      maker.draw(digit);
      maker.masked(body, a);
      // 2^first q/q_i is 0 modulo the other limbs, and 2^(first - exponent) modulo this one.
      Rows target(limb.words * ring.degree());
      std::copy_n(square.data() + ring.offset(i), target.size(), target.data());
      ring.shift_limb(target.data(), i, (first + 2 * order - limb.exponent()) % order);
      if (context.special() != nullptr) context.special()->multiply(ring.limb(i), target.data(), ring.degree());
      ring.add_limb(body.data() + ring.offset(i), target.data(), i);
      key.digits_.push_back(
          {Part{products.forward_all(ring, body.data()), {}}, Part{products.forward_all(ring, a.data()), {}}});
      if (context.special() == nullptr) continue;
      auto special = maker.special();
      for (std::size_t part = 0; part < 2; ++part) key.digits_.back()[part].special = std::move(special[part]);
    }
  }
  return key;
}

std::uint64_t RelinearizationKey::bytes() const noexcept {
  std::uint64_t sum = 0;
  for (const auto& digit : digits_) {
    for (const Part& part : digit) {
      for (const PolyArray& limb : part.limbs) sum += limb.bytes();
      sum += context_->special() == nullptr ? 0 : part.special.bytes();
    }
  }
  return sum;
}

}  // namespace cyclotome::study::fermat
