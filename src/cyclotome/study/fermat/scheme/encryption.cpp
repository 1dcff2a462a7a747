// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "cyclotome/math/declassify.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/study/fermat/scheme/operations.hpp"

namespace cyclotome::study::fermat {

namespace {

/// Bound of an encryption: of zero, and the rounding of q m/t.
rlwe::NoiseBound with_message(const Context& context, const rlwe::NoiseBound& zero) {
  const rlwe::NoiseCalculus& noise = context.parameters().noise();
  return noise.sum(zero, noise.chosen(0.5));
}

void add_error(const Context& context, std::uint64_t* rows, const Seed& seed, Stream stream, std::uint32_t item) {
  const auto error = context.draw(context.error_law(), seed, stream, item);
  Rows noise(context.ring().size());
  context.ring().from_signed(noise.data(), error.data());
  context.ring().add(rows, rows, noise.data());
}

/// part 0 or 1 of a public key times u.
void multiply_by_key(std::uint64_t* out, const PublicKey& key, std::size_t part, const PolyArray& u) {
  const Context& context = *key.context();
  const LimbProducts& products = context.secret_products();
  for (std::size_t i = 0; i < products.limbs(); ++i) {
    PolyArray product(context.engine(), products.ring(i), 1, 1, Domain::transform, true);
    context.engine()->multiply(product.view(), products.of_limb(u, i), key.transform(part, i).view());
    products.backward(out + context.ring().offset(i), product, i);
  }
}

/// c_0 + c_1 s + c_2 s^2 by Horner's rule, in the engine's memory.
WideWords phase(const Parts& c, std::size_t parts, const SecretKey& key) {
  const WideRing& ring = key.context()->ring();
  const WideEngine& wide = key.context()->wide();
  const WideWords all(wide, c.data(), parts * ring.size(), false);
  WideWords sum(wide, ring.size(), true);
  const std::uint64_t* from = all.data() + (parts - 1) * ring.size();
  for (std::size_t j = parts - 1; j-- > 0; from = sum.data()) {
    multiply_by_secret_there(sum.data(), from, key);
    wide.add(ring, sum.data(), sum.data(), all.data() + j * ring.size(), 1);
  }
  return sum;
}

void require_decryptable(const Ciphertext& ciphertext, const SecretKey& key) {
  require_same_context("decrypt", *ciphertext.context, *key.context());
  rlwe::require_same_key("decrypt", ciphertext.key, key.id());
}

/// Messages, and the largest fraction of q/t that one was away from its message.
Plaintext decrypted(const Ciphertext& ciphertext, const SecretKey& key, std::uint64_t& peak) {
  const Context& context = *ciphertext.context;
  const std::size_t n = context.degree();
  Plaintext plaintext{ciphertext.context, ZeroisingVector<std::uint64_t>(ciphertext.items.size() * n)};
  peak = 0;
  for (std::size_t i = 0; i < ciphertext.items.size(); ++i) {
    // The key may live on another engine than the ciphertext's context.
    const WideWords sum = phase(ciphertext.items[i], ciphertext.parts, key).moved_to(context.wide(), true);
    const std::uint64_t seen = context.scaling().to_plain(plaintext.coefficients.data() + i * n, sum.data());
    peak = seen > peak ? seen : peak;
  }
  return plaintext;
}

}  // namespace

Ciphertext Ciphertext::in(const ContextPtr& other) const {
  require_same_context("in", *context, *other);
  Ciphertext moved = *this;
  moved.context = other;
  return moved;
}

Ciphertext encrypt(const Plaintext& plaintext, const PublicKey& key) {
  require_same_context("encrypt", *plaintext.context, *key.context());
  const Context& context = *key.context();
  const WideRing& ring = context.ring();
  const Seed master = Seed::from_system();
  const Seed seed = derive_seed(master, context.parameters(), "encryption", key.id());
  const auto& noise = context.parameters().noise();
  Ciphertext result{key.context(), key.id(), 2, {}, with_message(context, noise.public_zero(0, 1))};
  for (std::size_t i = 0; i < plaintext.items(); ++i) {
    const auto item = static_cast<std::uint32_t>(i);
    const auto u = context.draw(Law::ternary, seed, Stream::encryption_ternary, item);
    const PolyArray transformed = context.secret_products().forward_small(u.data(), true);
    Parts parts(2 * ring.size());
    for (std::size_t part = 0; part < 2; ++part) {
      std::uint64_t* const rows = parts.data() + part * ring.size();
      multiply_by_key(rows, key, part, transformed);
      add_error(context, rows, seed, Stream::encryption_error, static_cast<std::uint32_t>(2 * i + part));
    }
    context.message_scale().add_to(ring, parts.data(), plaintext.coefficients.data() + i * ring.degree());
    result.items.push_back(std::move(parts));
  }
  return result;
}

Ciphertext encrypt(const Plaintext& plaintext, const SecretKey& key) {
  require_same_context("encrypt", *plaintext.context, *key.context());
  const Context& context = *key.context();
  const WideRing& ring = context.ring();
  const Seed master = Seed::from_system();
  const Seed uniform = derive_seed(master, context.parameters(), "symmetric encryption, uniform", key.id());
  const Seed errors = derive_seed(master, context.parameters(), "symmetric encryption, error", key.id());
  const auto& noise = context.parameters().noise();
  Ciphertext result{key.context(), key.id(), 2, {}, with_message(context, noise.symmetric_zero(1))};
  for (std::size_t i = 0; i < plaintext.items(); ++i) {
    const auto item = static_cast<std::uint32_t>(i);
    Parts parts(2 * ring.size());
    Rows body(ring.size());
    ring.uniform(parts.data() + ring.size(), uniform, Stream::symmetric_uniform, item);
    multiply_by_secret(body.data(), parts.data() + ring.size(), key);
    add_error(context, body.data(), errors, Stream::symmetric_error, item);
    ring.negate(body.data(), body.data());
    context.message_scale().add_to(ring, body.data(), plaintext.coefficients.data() + i * ring.degree());
    std::ranges::copy(body, parts.begin());
    result.items.push_back(std::move(parts));
  }
  return result;
}

Rows phase(const Ciphertext& ciphertext, std::size_t item, const SecretKey& key) {
  require_decryptable(ciphertext, key);
  Rows rows(key.context()->ring().size());
  phase(ciphertext.items.at(item), ciphertext.parts, key).to_host(rows.data());
  return rows;
}

Plaintext decrypt_unchecked(const Ciphertext& ciphertext, const SecretKey& key) {
  require_decryptable(ciphertext, key);
  std::uint64_t peak = 0;
  return decrypted(ciphertext, key, peak);
}

Plaintext decrypt(const Ciphertext& ciphertext, const SecretKey& key) {
  require_decryptable(ciphertext, key);
  const Context& context = *ciphertext.context;
  if (const double headroom = ciphertext.headroom(); !(headroom >= 0)) {
    throw NoiseError(
        message("decrypt: the noise may have grown ", std::ceil(-headroom), " bits beyond what ",
                context.parameters().summary(),
                " can correct, so the result could be wrong; use a larger x, a smaller plaintext modulus, ",
                "narrower digits of relinearisation, or fewer operations"));
  }
  std::uint64_t peak = 0;
  Plaintext result = decrypted(ciphertext, key, peak);
  const double log2_unit =
      context.parameters().basis().bits() - std::log2(static_cast<double>(context.parameters().plain_modulus()));
  const double allowed =
      std::exp2(std::min(ciphertext.noise.log2_max - log2_unit, 0.0)) + context.scaling().peak_error();
  if (declassify(peak > static_cast<std::uint64_t>(std::ceil(std::ldexp(allowed, peak_bits))))) {
    throw ContradictionError(
        "decrypt: the ciphertext holds more noise than the bound that it states allows, so that its value could be "
        "wrong: "
        "it was altered on its way, or made by something else than this library; get it anew, and don't let whoever "
        "sent "
        "it know what came of it");
  }
  return result;
}

}  // namespace cyclotome::study::fermat
