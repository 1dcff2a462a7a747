// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/value/elementwise/elementwise.hpp"

#include <optional>

#include "cyclotome/engine/operand_uses.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/value/layout/alignment.hpp"
#include "cyclotome/value/layout/rows.hpp"
#include "cyclotome/value/layout/slots.hpp"
#include "cyclotome/value/renewal/room.hpp"

namespace cyclotome::value {

namespace {

/// By channel.
using Factors = std::vector<std::int64_t>;
using Combine = Ciphertext (*)(const Ciphertext&, const Ciphertext&);

/// Ciphertexts of zero, of two parts and without noise, that can be added to what waits in x.
Placed zeros_beside(const EncryptedArray& x) {
  const EncryptedArray outline = x.outline();
  Placed zeros{{}, x.layout()};
  for (const Ciphertext& channel : outline.channels()) {
    PolyArray polynomials = channel.like(channel.batch(), 2);
    channel.context()->engine()->clear(polynomials.view());
    zeros.channels.push_back(channel.derived(std::move(polynomials), rlwe::NoiseBound{}));
  }
  return zeros;
}

/// Whether its ciphertexts are as many and where they are in a sum of that layout.
bool keeps_place(const EncryptedArray& x, const Layout& sum) {
  const bool gathered = sum.packed() && !x.layout().packed() && x.layout().last() != 1;
  return !gathered && x.layout().batch() == sum.batch();
}

/// Whether two parts are added to those of x as they are: in BGV levels and correction factors may differ.
bool is_added_as_it_is(const EncryptedArray& x, const EncryptedArray& other) {
  const Channels own = x.outline().channels(), &added = other.channels();
  for (std::size_t i = 0; i < own.size() && i < added.size(); ++i) {
    const bool fits = own[i].limbs() == added[i].limbs() && own[i].correction() == added[i].correction();
    if (!fits || added[i].parts() != 2) return false;
  }
  return true;
}

/// Products that wait times a sign, plus what does not wait times another, which share their relinearisation. Nothing
/// where they can't.
std::optional<EncryptedArray> sum_beside(const char* operation, const EncryptedArray& waiting, std::int64_t sign,
                                         const EncryptedArray& other, std::int64_t other_sign, const Bound& bound,
                                         const Keyring& keys, const Options& options) {
  if (!waits_beside(operation, waiting, other) || !is_added_as_it_is(waiting, other)) return std::nullopt;
  const Aligned met = aligned(operation, Meeting::sum, waiting.outline(), other, options);
  if (!keeps_place(waiting, met.layout)) return std::nullopt;
  const std::optional<EncryptedArray> multiple =
      sign == 1 ? waiting : waiting.scaled(Factors(met.y.size(), sign), waiting.bound().negated());
  if (!multiple) return std::nullopt;
  Channels addend = met.y;
  for (Ciphertext& channel : addend) channel = other_sign == 1 ? channel : rlwe::negate(channel);
  std::optional<EncryptedArray> sum = multiple->plus(addend, met.layout, bound, keys);
  if (sum) require_decryptable(operation, *sum, options);
  return sum;
}

EncryptedArray combine(const char* operation, Combine function, BoundRule rule, const EncryptedArray& x,
                       const EncryptedArray& y, const Options& options) {
  const Bound bound = bound_together(operation, rule, x, y);
  rlwe::require_same_context(operation, *x.context(), *y.context());
  rlwe::require_same_key(operation, x.key(), y.key());
  const Keyring keys = x.keys().joined(y.keys());
  if (x.waits() != y.waits()) {
    const std::int64_t sign = function == scheme::subtract ? -1 : 1;
    const std::optional<EncryptedArray> sum = x.waits() ? sum_beside(operation, x, 1, y, sign, bound, keys, options)
                                                        : sum_beside(operation, y, sign, x, 1, bound, keys, options);
    if (sum) return *sum;
  }
  Aligned both = aligned(operation, Meeting::sum, x, y, options);
  Channels channels;
  for (std::size_t i = 0; i < both.x.size(); ++i) channels.push_back(function(both.x[i], both.y[i]));
  return finished(operation, {std::move(channels), std::move(both.layout)}, bound, keys, options,
                  std::move(both.levels));
}

/// Whether products of x and y keep three parts. One that is brought to other primes and back does not: what comes back
/// would have been rounded with its third part.
bool products_wait(const EncryptedArray& x, const EncryptedArray& y, const Options& options) {
  if (options.relinearize_products) return false;
  const std::size_t all = x.context()->max_level().primes;
  return options.product_method.empty() || (x.level() == all && y.level() == all);
}

/// That x's products will be relinearised: a missing key is refused where they are made, and plans count it.
void announce_relinearization(const EncryptedArray& x, const rlwe::EvaluationKeys& keys) {
  const ConstView key = rlwe::relinearization_key(x.channels().front(), keys);
  auto* const uses = dynamic_cast<OperandUses*>(x.context()->engine().get());
  if (uses != nullptr) uses->will_read(key.data);
}

/// Products of 3 parts that wait for a sum, or for what wants two of them.
EncryptedArray waiting_product(Placed product, const Bound& bound, const Keyring& keys, const Options& options) {
  Waiting::Levels levels = waiting_levels(product.channels);
  return switched("multiply", std::move(product), bound, keys, options, std::move(levels));
}

/// What ciphertexts of each plaintext modulus are multiplied by.
Factors factors_of(const Integers& w, const rlwe::Parameters& parameters) {
  Factors factors;
  for (const std::uint64_t t : parameters.plain_moduli()) {
    factors.push_back(centred_residue(w, 0, Modulus<std::uint64_t>(t)));
  }
  return factors;
}

Placed multiply_by_scalar(const Placed& x, const Keyring& keys, const Integers& w, const Options& options) {
  const bool grows = w.size() > 1 || w.ndim() > x.layout.shape().size();
  const Expanded e = grows ? expanded("multiply", x, keys, w.shape(), options) : Expanded{x, x.layout};
  const bool same = e.x.layout.batch() == e.layout.batch();
  const Channels channels = same ? e.x.channels : take(e.x.channels, order_of(e.x.layout, e.layout));
  Placed result{{}, e.layout};
  const Factors factors = factors_of(w, x.parameters());
  for (std::size_t i = 0; i < channels.size(); ++i) {
    result.channels.push_back(rlwe::multiply_scalar(channels[i], factors[i]));
  }
  return result;
}

}  // namespace

Bound bound_together(const char* operation, BoundRule rule, const EncryptedArray& x, const EncryptedArray& y) {
  const Shape shape = broadcast_shape(operation, x.shape(), y.shape());
  const std::size_t last = shape.empty() ? 1 : shape.back();
  const Bound bound =
      rule(operation, x.bound().broadcast(x.layout().last(), last), y.bound().broadcast(y.layout().last(), last), last);
  require_within(operation, bound, x.parameters());
  return bound;
}

Bound bound_with(const char* operation, BoundRule rule, const EncryptedArray& x, const Integers& w) {
  if (x.bound().wraps()) return field_bound(operation, x.bound(), w, x.parameters());
  static_cast<void>(broadcast_shape(operation, x.shape(), w.shape()));  // of no values there is no bound
  return bound_with(operation, rule, x, w, bound_of(w, w.length()));
}

Bound bound_with(const char* operation, BoundRule rule, const EncryptedArray& x, const Integers& w, const Bound& of_w) {
  if (x.bound().wraps()) return field_bound(operation, x.bound(), w, x.parameters());
  const Shape shape = broadcast_shape(operation, x.shape(), w.shape());
  const std::size_t last = shape.empty() ? 1 : shape.back();
  const Bound bound =
      rule(operation, x.bound().broadcast(x.layout().last(), last), of_w.broadcast(w.length(), last), last);
  require_within(operation, bound, x.parameters());
  return bound;
}

EncryptedArray negate(const EncryptedArray& x) {
  if (const auto multiple = x.scaled(Factors(x.parameters().plain_moduli().size(), -1), x.bound().negated())) {
    return *multiple;
  }
  Channels channels;
  for (const Ciphertext& channel : x.as_it_is().channels) channels.push_back(rlwe::negate(channel));
  return {{std::move(channels), x.layout()}, x.bound().negated(), x.keys(), x.levels()};
}

EncryptedArray add(const EncryptedArray& x, const EncryptedArray& y, const Options& options) {
  if (options.refresh_operands) {
    return with_room("add", x, y, options, Growth::any,
                     [&](const auto& a, const auto& b, const Options& how) { return add(a, b, how); });
  }
  return combine("add", scheme::add, sum_bound, x, y, options);
}

EncryptedArray subtract(const EncryptedArray& x, const EncryptedArray& y, const Options& options) {
  if (options.refresh_operands) {
    return with_room("subtract", x, y, options, Growth::any,
                     [&](const auto& a, const auto& b, const Options& how) { return subtract(a, b, how); });
  }
  return combine("subtract", scheme::subtract, difference_bound, x, y, options);
}

EncryptedArray multiply(const EncryptedArray& x, const EncryptedArray& y, const Options& options) {
  if (options.refresh_operands) {
    return with_room("multiply", x, y, options, Growth::product,
                     [&](const auto& a, const auto& b, const Options& how) { return multiply(a, b, how); });
  }
  const Bound bound = bound_together("multiply", product_bound, x, y);
  const Keyring keys = x.keys().joined(y.keys());
  const rlwe::EvaluationKeys& evaluation = keys.require_evaluation("multiply");
  if (products_wait(x, y, options)) {
    announce_relinearization(x, evaluation);
    return waiting_product(multiply_lazily(x, y, options), bound, keys, options);
  }
  if (&x == &y) {
    require_slots("multiply", x.layout());
    return switched("multiply", {multiply_relinearized(x.channels(), x.channels(), evaluation, options), x.layout()},
                    bound, keys, options);
  }
  Aligned both = aligned("multiply", Meeting::product, x, y, options);
  return switched("multiply", {multiply_relinearized(both.x, both.y, evaluation, options), std::move(both.layout)},
                  bound, keys, options);
}

Placed multiply_lazily(const EncryptedArray& x, const EncryptedArray& y, const Options& options) {
  if (&x == &y) {
    require_slots("multiply", x.layout());
    return {multiply(x.channels(), x.channels(), options), x.layout()};
  }
  Aligned both = aligned("multiply", Meeting::product, x, y, options);
  return {multiply(both.x, both.y, options), std::move(both.layout)};
}

EncryptedArray add(const EncryptedArray& x, const Integers& w, const Options& options) {
  if (options.refresh_operands) {
    return with_room("add", x, options, [&](const auto& a, const Options& how) { return add(a, w, how); });
  }
  const Bound bound = bound_with("add", sum_bound, x, w);
  const std::optional<Integers> constant = w.uniform() ? std::optional(w.taken({0}, {})) : std::nullopt;
  const auto added = [&](const Placed& to) {
    const Expanded e = expanded("add", to, x.keys(), w.shape(), options);
    return with_rows("adding", scheme::add_plain, e.x, e.layout, Rows(e.layout, constant ? *constant : w), options);
  };
  if (waits_with("add", x, w.shape())) {
    const Placed addend = added(zeros_beside(x));
    if (const auto sum = x.plus(addend.channels, addend.layout, bound, x.keys())) {
      require_decryptable("add", *sum, options);
      return *sum;
    }
  }
  const Term term = term_of("add", x, w.shape());
  Placed sum = added(term.placed);
  return finished("add", std::move(sum), bound, x.keys(), options, term.levels);
}

EncryptedArray subtract(const EncryptedArray& x, const Integers& w, const Options& options) {
  return add(x, holds_bits(x.parameters()) ? w : -w, options);  // in characteristic 2 it is the same
}

EncryptedArray subtract(const Integers& w, const EncryptedArray& x, const Options& options) {
  return add(negate(x), w, options);
}

EncryptedArray multiply(const EncryptedArray& x, const Integers& w, const Options& options) {
  if (options.refresh_operands) {
    return with_room("multiply", x, options, [&](const auto& a, const Options& how) { return multiply(a, w, how); });
  }
  const Bound bound = bound_with("multiply", product_bound, x, w);
  const bool integers = x.parameters().field_slots() == nullptr || first_wider_than(w, 1) == w.size();
  const bool alike =
      x.waits() && integers && w.uniform() && broadcast_shape("multiply", x.shape(), w.shape()) == x.shape();
  if (const auto multiple = alike ? x.scaled(factors_of(w, x.parameters()), bound) : std::nullopt) {
    require_decryptable("multiply", *multiple, options);
    return *multiple;
  }
  const Term term = term_of("multiply", x, w.shape());
  Placed product = w.uniform() && integers ? multiply_by_scalar(term.placed, x.keys(), w, options)
                                           : multiply_rows(term.placed, x.keys(), w, options);
  return finished("multiply", std::move(product), bound, x.keys(), options, term.levels);
}

Placed multiply_rows(const Placed& x, const Keyring& keys, const Integers& w, const Options& options) {
  const Expanded e = expanded("multiply", x, keys, w.shape(), options);
  if (e.layout.packed() && w.length() == 1) {
    // One factor for each row, as constants: they add the least noise.
    return with_rows("multiplying", rlwe::multiply_plain, e.x, e.layout, Rows::constants(e.layout, w), options);
  }
  require_slots("multiply", e.layout);
  const Layout layout = e.layout.with_clean(true);  // the rows end in zeros
  const bool repeats = layout.batch() > e.x.layout.batch();
  return with_rows("multiplying", rlwe::multiply_plain, repeats ? transformed(e.x) : e.x, layout, Rows(layout, w),
                   options);
}

}  // namespace cyclotome::value
