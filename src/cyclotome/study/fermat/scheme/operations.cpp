// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/study/fermat/scheme/operations.hpp"

#include <algorithm>

#include "cyclotome/math/errors.hpp"
#include "cyclotome/rlwe/noise/canonical_embedding.hpp"

namespace cyclotome::study::fermat {

namespace {

/// How many items two operands make; one item serves all of the other's.
std::size_t items_of(const char* operation, std::size_t a, std::size_t b) {
  if (a == b || b == 1) return a;
  if (a == 1) return b;
  throw ArgumentError(message(operation, ": operands of ", a, " and ", b, " ciphertexts; give as many, or one"));
}

std::size_t require_operands(const char* operation, const Ciphertext& a, const Ciphertext& b) {
  require_same_context(operation, *a.context, *b.context);
  rlwe::require_same_key(operation, a.key, b.key);
  return items_of(operation, a.items.size(), b.items.size());
}

template <class Items>
const auto& item(const Items& items, std::size_t i) {
  return items[items.size() == 1 ? 0 : i];
}

/// a and b part by part; a part that only one has is that, or what `alone` makes of b's.
template <class Both, class Alone>
Ciphertext combined(const char* operation, const Ciphertext& a, const Ciphertext& b, const Both& both,
                    const Alone& alone) {
  const std::size_t count = require_operands(operation, a, b), size = a.context->ring().size();
  Ciphertext result{
      a.context, a.key, std::max(a.parts, b.parts), {}, a.context->parameters().noise().sum(a.noise, b.noise)};
  for (std::size_t i = 0; i < count; ++i) {
    const Parts &x = item(a.items, i), &y = item(b.items, i);
    Parts out(result.parts * size);
    for (std::size_t at = 0; at < out.size(); at += size) {
      if (at >= x.size()) {
        alone(out.data() + at, y.data() + at);
      } else if (at >= y.size()) {
        std::copy_n(x.data() + at, size, out.data() + at);
      } else {
        both(out.data() + at, x.data() + at, y.data() + at);
      }
    }
    result.items.push_back(std::move(out));
  }
  return result;
}

rlwe::NoiseBound with_plain_sum(const Ciphertext& a) {
  const rlwe::NoiseCalculus& noise = a.context->parameters().noise();
  return noise.sum(a.noise, noise.chosen(0.5));
}

/// a + sign b.
Ciphertext plain_sum(const char* operation, const Ciphertext& a, const Plaintext& b, bool minus) {
  require_same_context(operation, *a.context, *b.context);
  const Context& context = *a.context;
  const std::size_t count = items_of(operation, a.items.size(), b.items()), n = context.degree();
  Ciphertext result{a.context, a.key, a.parts, {}, with_plain_sum(a)};
  const Modulus<std::uint64_t> t(context.parameters().plain_modulus());
  for (std::size_t i = 0; i < count; ++i) {
    Parts parts = item(a.items, i);
    const std::uint64_t* const from = b.coefficients.data() + (b.items() == 1 ? 0 : i) * n;
    ZeroisingVector<std::uint64_t> message(from, from + n);
    if (minus) std::ranges::transform(message, message.begin(), [&](std::uint64_t m) { return t.negate(m); });
    context.message_scale().add_to(context.ring(), parts.data(), message.data());
    result.items.push_back(std::move(parts));
  }
  return result;
}

/// Coefficients in [-t/2, t/2).
std::vector<std::int64_t> centred(const Plaintext& plaintext, std::size_t item) {
  const std::size_t n = plaintext.context->degree();
  const auto t = static_cast<std::int64_t>(plaintext.context->parameters().plain_modulus());
  std::vector<std::int64_t> values(n);
  for (std::size_t c = 0; c < n; ++c) {
    const auto m = static_cast<std::int64_t>(plaintext.coefficients[item * n + c]);
    values[c] = m - (t & -static_cast<std::int64_t>(m >= t - m));
  }
  return values;
}

}  // namespace

bool Ciphertext::transparent() const {
  const auto first = static_cast<std::ptrdiff_t>(context->ring().size());
  return std::ranges::any_of(items, [&](const Parts& all) {
    return std::all_of(all.begin() + first, all.end(), [](std::uint64_t word) { return word == 0; });
  });
}

Ciphertext add(const Ciphertext& a, const Ciphertext& b) {
  const WideRing& ring = a.context->ring();
  return combined(
      "add", a, b, [&](auto* out, const auto* x, const auto* y) { ring.add(out, x, y); },
      [&](auto* out, const auto* y) { std::copy_n(y, ring.size(), out); });
}

Ciphertext subtract(const Ciphertext& a, const Ciphertext& b) {
  const WideRing& ring = a.context->ring();
  return combined(
      "subtract", a, b, [&](auto* out, const auto* x, const auto* y) { ring.subtract(out, x, y); },
      [&](auto* out, const auto* y) { ring.negate(out, y); });
}

Ciphertext negate(const Ciphertext& a) {
  const WideRing& ring = a.context->ring();
  Ciphertext result = a;
  for (Parts& parts : result.items) {
    for (std::size_t at = 0; at < parts.size(); at += ring.size()) ring.negate(parts.data() + at, parts.data() + at);
  }
  return result;
}

Ciphertext add_plain(const Ciphertext& a, const Plaintext& b) { return plain_sum("add_plain", a, b, false); }

Ciphertext subtract_plain(const Ciphertext& a, const Plaintext& b) { return plain_sum("subtract_plain", a, b, true); }

Ciphertext multiply_plain(const Ciphertext& a, const Plaintext& b) {
  require_same_context("multiply_plain", *a.context, *b.context);
  const Context& context = *a.context;
  const LimbProducts& products = context.plain_products();
  const std::size_t count = items_of("multiply_plain", a.items.size(), b.items()), size = context.ring().size();
  Ciphertext result{a.context, a.key, a.parts, {}, {}};
  rlwe::PlainNorms norms;
  std::vector<PolyArray> factors;
  for (std::size_t i = 0; i < b.items(); ++i) {
    const auto values = centred(b, i);
    const rlwe::PlainNorms here = rlwe::norms_of(*context.parameters().ring(), values);
    norms = i == 0 ? here : rlwe::larger(norms, here);
    factors.push_back(products.forward_small(values.data(), false));
  }
  for (std::size_t i = 0; i < count; ++i) {
    const Parts& parts = item(a.items, i);
    Parts out(parts.size());
    for (std::size_t at = 0; at < parts.size(); at += size) {
      for (std::size_t limb = 0; limb < products.limbs(); ++limb) {
        PolyArray product = products.forward(parts.data() + at + context.ring().offset(limb), limb, false);
        context.engine()->multiply(product.view(), product.view(), products.of_limb(item(factors, i), limb));
        products.backward(out.data() + at + context.ring().offset(limb), product, limb);
      }
    }
    result.items.push_back(std::move(out));
  }
  result.noise = context.parameters().noise().times_plain(a.noise, norms);
  return result;
}

namespace {

/// How many products two factors make.
std::size_t require_factors(const Ciphertext& a, const Ciphertext& b) {
  const std::size_t count = require_operands("multiply", a, b);
  if (a.parts != 2 || b.parts != 2) {
    throw ArgumentError(message("multiply: factors of ", a.parts, " and ", b.parts, " parts; relinearise them first"));
  }
  return count;
}

void require_key(const Ciphertext& a, const RelinearizationKey& key) {
  require_same_context("relinearize", *a.context, *key.context());
  rlwe::require_same_key("relinearize", a.key, key.id());
}

/// Three parts in the engine's memory.
WideWords product_of(const Context& context, const Parts& a, const Parts& b) {
  const std::size_t size = context.ring().size();
  const WideEngine& wide = context.wide();
  const WideWords x(wide, a.data(), 2 * size, false), y(wide, b.data(), 2 * size, false);
  WideWords product(wide, 3 * size, false);
  context.scaling().multiply(product.data(), x.data(), y.data());
  return product;
}

rlwe::NoiseBound relinearized_noise(const Context& context, const rlwe::NoiseBound& noise) {
  return context.parameters().noise().sum(noise, context.relinearization_noise());
}

}  // namespace

Ciphertext multiply_without_relinearization(const Ciphertext& a, const Ciphertext& b) {
  const std::size_t count = require_factors(a, b);
  Ciphertext result{a.context, a.key, 3, {}, a.context->product_noise(a.noise, b.noise)};
  for (std::size_t i = 0; i < count; ++i) {
    const WideWords product = product_of(*a.context, item(a.items, i), item(b.items, i));
    result.items.emplace_back(product.size());
    product.to_host(result.items.back().data());
  }
  return result;
}

Ciphertext multiply(const Ciphertext& a, const Ciphertext& b, const RelinearizationKey& key) {
  const std::size_t count = require_factors(a, b), size = a.context->ring().size();
  require_key(a, key);
  const Context& context = *a.context;
  Ciphertext result{a.context, a.key, 2, {}, relinearized_noise(context, context.product_noise(a.noise, b.noise))};
  for (std::size_t i = 0; i < count; ++i) {  // three parts stay with the engine, if the key is there
    WideWords product = product_of(context, item(a.items, i), item(b.items, i)).moved_to(key.context()->wide(), false);
    add_relinearized(product.data(), product.data() + 2 * size, key, context);
    result.items.emplace_back(2 * size);
    product.to_host(result.items.back().data(), 2 * size);
  }
  return result;
}

}  // namespace cyclotome::study::fermat
