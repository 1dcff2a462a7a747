// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/study/fermat/keys.hpp"

#include <algorithm>

#include "cyclotome/math/declassify.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/rlwe/key_check.hpp"
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

std::vector<PolyArray> transforms(const Rows& rows, const LimbProducts& products, const WideRing& ring) {
  std::vector<PolyArray> all;
  for (std::size_t i = 0; i < products.limbs(); ++i)
    all.push_back(products.forward(rows.data() + ring.offset(i), i, false));
  return all;
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

SecretKey SecretKey::generate(const ContextPtr& context) {
  const Seed master = Seed::from_system();
  const Seed seed = derive_seed(master, context->parameters(), "secret key", {});
  const auto s = first_fit(*context, Law::ternary, seed, Stream::secret, rlwe::secret_is_fit);
  const Seed named = derive_seed(master, context->parameters(), "key id", {});
  KeyId id;
  std::copy_n(named.bytes().begin(), id.size(), id.begin());
  PolyArray transformed = context->secret_products().forward_small(s.data(), true);
  transformed.lock();
  return SecretKey(context, std::move(transformed), id);
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
  key.parts_[0] = transforms(body, context.secret_products(), ring);
  key.parts_[1] = transforms(a, context.secret_products(), ring);
  return key;
}

RelinearizationKey RelinearizationKey::generate(const SecretKey& secret) {
  const Context& context = *secret.context();
  const Seed master = Seed::from_system();
  const Seed uniform = derive_seed(master, context.parameters(), "relinearisation, uniform", secret.id());
  const Seed errors = derive_seed(master, context.parameters(), "relinearisation, error", secret.id());
  const WideRing& ring = context.ring();
  const LimbProducts& products = context.digit_products();
  const Rows square = square_of_secret(secret);
  RelinearizationKey key(secret.context(), secret.id());
  Rows a(ring.size()), body(ring.size());
  std::uint32_t digit = 0;
  for (std::size_t i = 0; i < ring.basis().limbs().size(); ++i) {
    const Limb& limb = ring.basis().limbs()[i];
    const std::uint64_t order = limb.plus ? 2 * limb.bits : limb.bits;  // of 2 modulo q_i
    const unsigned width = context.parameters().digit_bits() == 0 ? limb.bits + 1 : context.parameters().digit_bits();
    for (unsigned first = 0; first < limb.bits + (limb.plus ? 1 : 0); first += width, ++digit) {
      ring.uniform(a.data(), uniform, Stream::switching_key_uniform, digit);
      mask(body, a, context.draw(context.error_law(), errors, Stream::switching_key_error, digit), secret);
      // 2^first q/q_i is 0 modulo the other limbs, and 2^(first - exponent) modulo this one.
      Rows target(limb.words * ring.degree());
      std::copy_n(square.data() + ring.offset(i), target.size(), target.data());
      ring.shift_limb(target.data(), i, (first + 2 * order - limb.exponent()) % order);
      ring.add_limb(body.data() + ring.offset(i), target.data(), i);
      key.digits_.push_back({transforms(body, products, ring), transforms(a, products, ring)});
    }
  }
  return key;
}

std::uint64_t RelinearizationKey::bytes() const noexcept {
  std::uint64_t sum = 0;
  for (const auto& digit : digits_) {
    for (const auto& part : digit) {
      for (const PolyArray& limb : part) sum += limb.bytes();
    }
  }
  return sum;
}

}  // namespace cyclotome::study::fermat
