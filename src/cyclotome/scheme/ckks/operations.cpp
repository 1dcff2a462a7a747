// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/scheme/ckks/operations.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "cyclotome/math/errors.hpp"
#include "cyclotome/rlwe/noise/flooding.hpp"
#include "cyclotome/rlwe/noise/reveal_budget.hpp"
#include "cyclotome/rlwe/operations.hpp"
#include "cyclotome/scheme/ckks/levels.hpp"
#include "cyclotome/scheme/ckks/programs.hpp"
#include "cyclotome/scheme/scheme.hpp"

namespace cyclotome::ckks {

namespace {

using rlwe::Ciphertext;

const rlwe::Parameters& parameters_of(const Approximate& a) { return a.ciphertext.context()->parameters(); }
const NoiseCalculus& calculus_of(const Approximate& a) { return parameters_of(a).noise(); }

Level below(const char* operation, const Approximate& a) {
  if (a.level().primes > 1) return Level(a.level().primes - 1);
  throw NoiseError(message(operation, ": no level is left: every product takes one, and these parameters have ",
                           parameters_of(a).moduli().size() - 1, "; suggest some with a larger depth"));
}

NoiseBound phase(const rlwe::Parameters& parameters, const Approximation& about, double scale) {
  return parameters.noise().sum(message_bound(parameters, about.bound, scale), about.error);
}

/// Before something is computed at a level: whether the phase that it makes there stays below half the modulus.
void require_room(const char* operation, const Approximate& a, const NoiseBound& phase, double log2_limit,
                  double bound) {
  const double over = phase.log2_max - (log2_limit + rlwe::log2_margin);
  if (over <= 0) return;
  throw RangeError(message(operation, ": numbers up to ", bound, " in magnitude would leave what level ", a.level(),
                           " of ", parameters_of(a).summary(), " holds, by ", std::ceil(over),
                           " bits; scale them down, state a tighter bound, or take parameters with a larger one"));
}

double log2_half(const Approximate& a, Level level) { return parameters_of(a).log2_modulus(level.primes) - 1; }

/// c, which holds what `about` says at its level.
Approximate finished(const char* operation, const Approximate& a, const Ciphertext& like, PolyArray polynomials,
                     const Approximation& about) {
  const Level level(polynomials.limbs());
  const rlwe::Parameters& parameters = parameters_of(a);
  const NoiseBound whole = phase(parameters, about, a.context().scale(level));
  require_room(operation, a, whole, log2_noise_limit(parameters, level), about.bound);
  return {like.derived(std::move(polynomials), whole), {parameters.noise().tidy(about.error), about.bound}};
}

Approximate finished(const char* operation, const Approximate& a, const Ciphertext& result,
                     const Approximation& about) {
  return finished(operation, a, result, result.polynomials(), about);
}

/// Both at the lower of their levels.
std::pair<Approximate, Approximate> aligned(const char* operation, const Approximate& a, const Approximate& b) {
  rlwe::require_same_context(operation, *a.ciphertext.context(), *b.ciphertext.context());
  const Level level = std::min(a.level(), b.level());
  return {lowered(a, level), lowered(b, level)};
}

Ciphertext rescaled(const Ciphertext& c, const NoiseBound& noise) {
  const Context& context = ckks_context(c.context());
  PolyArray out = context.make(context.level_ring(Level(c.limbs() - 1)), c.batch(), 2, Domain::transform);
  const Operand operands[] = {out.view(), c.polynomials().view()};
  rescaling(context, c.level())->run(operands);
  return c.derived(std::move(out), noise);
}

/// c times `factor`, then rescaled: what of the factor's rounding, and of the rescaling, becomes error. exact: the
/// factor that the result's scale takes.
Approximate scaled_down(const char* operation, const Approximate& a, std::int64_t factor, double exact, double bound) {
  const Level level = a.level();
  const rlwe::Parameters& parameters = parameters_of(a);
  const double size = std::abs(static_cast<double>(factor));
  require_room(operation, a, NoiseCalculus::times(a.ciphertext.noise(), size), log2_half(a, level), bound);
  const double off = std::abs(static_cast<double>(factor) - exact) + std::abs(exact) * scale_deviation;
  NoiseBound error = NoiseCalculus::scaled(a.about.error, std::log2(std::max(size, 0x1p-900)));
  error = calculus_of(a).sum(error, slot_error(parameters, a.about.bound * off, a.scale()));
  const Ciphertext product = rlwe::multiply_scalar(a.ciphertext, factor);
  return finished(operation, a, rescaled(product, product.noise()), {rescaled_noise(parameters, error, level), bound});
}

template <class Key>
Approximate encrypted(const rlwe::Plaintext& plaintext, const Key& key, double bound, const NoiseBound& zero) {
  const Context& context = ckks_context(plaintext.context());
  const double scale = context.scale(context.max_level());
  const NoiseBound error = context.parameters().noise().sum(zero, encoding_error(context.parameters(), bound, scale));
  return with_phase(scheme::encrypt(plaintext, key), {error, bound}, "encrypt");
}

}  // namespace

Approximate with_phase(const Ciphertext& ciphertext, const Approximation& about, const char* operation) {
  const Approximate plain{ciphertext, about};
  const rlwe::Parameters& parameters = parameters_of(plain);
  const NoiseBound whole = phase(parameters, about, plain.scale());
  require_room(operation, plain, whole, log2_noise_limit(parameters, plain.level()), about.bound);
  // A fresh encryption under the secret key keeps its seed, so that files hold half of it.
  return {Ciphertext(ciphertext.context(), ciphertext.key(), ciphertext.plain(), ciphertext.polynomials(), whole,
                     ciphertext.uniform_seed()),
          about};
}

Approximate encrypt(const rlwe::Plaintext& plaintext, const rlwe::PublicKey& key, double bound) {
  return encrypted(plaintext, key, bound, rlwe::public_zero_noise(plaintext.context()->parameters(), PlainIndex(0)));
}

Approximate encrypt(const rlwe::Plaintext& plaintext, const rlwe::SecretKey& key, double bound) {
  return encrypted(plaintext, key, bound, rlwe::symmetric_zero_noise(plaintext.context()->parameters(), PlainIndex(0)));
}

namespace {

/// In as few primes as the phase takes.
Ciphertext shortest(const Approximate& a) {
  constexpr double spare = 10;  // bits, so that what is seen of the noise tells it from a wrong key's
  const rlwe::Parameters& parameters = parameters_of(a);
  std::size_t primes = 1;
  while (primes < a.level().primes && parameters.log2_modulus(primes) < a.ciphertext.noise().log2_max + spare) ++primes;
  return a.context().switch_to_level(a.ciphertext, Level(primes));
}

std::string in_words(double precision) { return message("±", std::ldexp(std::round(std::ldexp(precision, 50)), -50)); }

}  // namespace

Numbers decrypt(const Approximate& a, const rlwe::SecretKey& key) {
  return decode(scheme::decrypt(shortest(a), key), a.scale());
}

Numbers reveal(const Approximate& a, const rlwe::SecretKey& key, double precision, unsigned flooding_bits) {
  if (!(precision > 0) || !std::isfinite(precision) || flooding_bits < 1 || flooding_bits > 160) {
    throw ArgumentError(
        message("reveal: a precision of ", precision, " and ", flooding_bits,
                " bits of flooding, those for several ciphertexts in one call included; a precision is ",
                "above 0, and bits lie in [1, 160]"));
  }
  const rlwe::Parameters& parameters = parameters_of(a);
  const double log2_limit = log2_flooding(parameters, a.about, a.scale(), precision), hidden = log2_hidden(a.about);
  const double most = std::floor(log2_limit - hidden - std::log2(static_cast<double>(parameters.degree())));
  if (!(most >= flooding_bits)) {
    throw NoiseError(message("reveal: ", flooding_bits, " bits of flooding, those for several ciphertexts in one call ",
                             "included, leave these numbers right to ",
                             in_words(revealed_error(parameters, a.about, a.scale(), flooding_bits)), ", not to ±",
                             precision, most >= 1 ? message("; for that there are ", most, " bits") : std::string(),
                             "; take more precision at the start (suggest with flooding_bits), or fewer bits"));
  }
  rlwe::require_same_context("reveal", *key.context(), *a.ciphertext.context());
  // The limit leaves as much of a phase as precision does: far less than the scale.
  const NoiseBound flooded{log2_limit, log2_limit, log2_limit};
  if (const double over = calculus_of(a).sum(a.ciphertext.noise(), flooded).log2_max + 1e-9 -
                          (log2_noise_limit(parameters, a.level()) + rlwe::log2_margin);
      over > 0) {
    throw NoiseError(message("reveal: with an error up to ", precision, " numbers up to ", a.about.bound,
                             " leave what ", parameters.summary(), " hold; ask for more precision"));
  }
  const Ciphertext low = shortest(
      {a.ciphertext.derived(a.ciphertext.polynomials(), calculus_of(a).sum(a.ciphertext.noise(), flooded)), a.about});
  const rlwe::Flooding flooding(a.context(), {hidden, hidden, hidden}, log2_limit, flooding_bits);
  rlwe::spend_reveals(key.id(), a.ciphertext.batch());  // what is refused for what everybody knows costs nothing
  return decode(a.context().revealed(low, key, flooding), a.scale());
}

Approximate add(const Approximate& a, const Approximate& b) {
  const auto [x, y] = aligned("add", a, b);
  return finished("add", x, rlwe::add(x.ciphertext, y.ciphertext), sum(parameters_of(x), x.about, y.about));
}

Approximate subtract(const Approximate& a, const Approximate& b) {
  const auto [x, y] = aligned("subtract", a, b);
  return finished("subtract", x, rlwe::subtract(x.ciphertext, y.ciphertext), sum(parameters_of(x), x.about, y.about));
}

Approximate negate(const Approximate& a) { return {rlwe::negate(a.ciphertext), a.about}; }

Approximate multiply_whole(const Approximate& a, std::int64_t factor) {
  const double size = std::abs(static_cast<double>(factor));
  const Approximation about{NoiseCalculus::scaled(a.about.error, std::log2(std::max(size, 0x1p-900))),
                            a.about.bound * size};
  return finished("multiply", a, rlwe::multiply_scalar(a.ciphertext, factor), about);
}

Approximate multiply_constant(const Approximate& a, double factor) {
  static_cast<void>(below("multiply", a));
  const double exact = factor * a.context().factor_scale(a.level());
  if (!(std::abs(exact) < 0x1p62)) {  // also of what is no number
    throw RangeError(message("multiply: a factor of ", factor, " is no finite number below ",
                             0x1p62 / a.context().factor_scale(a.level()), "; scale the numbers before"));
  }
  return scaled_down("multiply", a, std::llround(exact), exact, a.about.bound * std::abs(factor));
}

Approximate weighted_sum(std::span<const Approximate* const> terms, std::span<const double> factors) {
  Level level = terms[0]->level();
  for (const Approximate* const term : terms) level = std::min(level, term->level());
  std::optional<Ciphertext> total;
  NoiseBound error;
  double bound = 0;
  const Approximate head = lowered(*terms[0], level);
  static_cast<void>(below("weighted sum", head));
  const rlwe::Parameters& parameters = parameters_of(head);
  const double scale = head.context().factor_scale(level);
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const Approximate term = lowered(*terms[i], level);
    const double exact = factors[i] * scale;
    if (!(std::abs(exact) < 0x1p62))
      throw RangeError(message("weighted sum: a factor of ", factors[i], " is too large"));
    const std::int64_t factor = std::llround(exact);
    const double size = std::abs(static_cast<double>(factor));
    const double off = std::abs(static_cast<double>(factor) - exact) + std::abs(exact) * scale_deviation;
    error = parameters.noise().sum(error, NoiseCalculus::scaled(term.about.error, std::log2(std::max(size, 0x1p-900))));
    error = parameters.noise().sum(error, slot_error(parameters, term.about.bound * off, term.scale()));
    bound += term.about.bound * std::abs(factors[i]);
    const Ciphertext part = rlwe::multiply_scalar(term.ciphertext, factor);
    total = total ? rlwe::add(*total, part) : part;
    require_room("weighted sum", term, total->noise(), log2_half(term, level), bound);
  }
  const Ciphertext low = rescaled(*total, total->noise());
  return finished("weighted sum", head, low, {rescaled_noise(parameters, error, level), bound});
}

Approximate add_plain(const Approximate& a, const rlwe::Plaintext& b, double bound) {
  const Approximation plain{encoding_error(parameters_of(a), bound, a.scale()), bound};
  return finished("add", a, scheme::add_plain(a.ciphertext, b), sum(parameters_of(a), a.about, plain));
}

Approximate multiply_plain(const Approximate& a, const rlwe::Plaintext& b, double bound) {
  static_cast<void>(below("multiply", a));
  const rlwe::Parameters& parameters = parameters_of(a);
  const Level level = a.level();
  const double scale = a.context().factor_scale(level), result = a.about.bound * bound;
  const NoiseBound factor = phase(parameters, {encoding_error(parameters, bound, scale), bound}, scale);
  require_room("multiply", a, calculus_of(a).product(a.ciphertext.noise(), factor), log2_half(a, level), result);
  const NoiseBound message = message_bound(parameters, a.about.bound, a.scale());
  NoiseBound error = calculus_of(a).product(message, encoding_error(parameters, bound, scale));
  error = calculus_of(a).sum(error, calculus_of(a).times_plain(a.about.error, b.norms()));
  error = calculus_of(a).sum(rescaled_noise(parameters, error, level),
                             slot_error(parameters, result * scale_deviation, a.context().scale(below("multiply", a))));
  const Ciphertext product = rlwe::multiply_plain(a.ciphertext, b);
  return finished("multiply", a, rescaled(product, product.noise()), {error, result});
}

Approximate multiply(const Approximate& a, const Approximate& b, const rlwe::EvaluationKeys& keys) {
  rlwe::require_multipliable(a.ciphertext, b.ciphertext);
  const auto [x, y] = aligned("multiply", a, b);
  const Context& context = x.context();
  const Level level = x.level(), to = below("multiply", x);
  const NoiseBound whole = calculus_of(x).product(x.ciphertext.noise(), y.ciphertext.noise());
  require_room("multiply", x, whole, log2_half(x, level), x.about.bound * y.about.bound);
  const Approximation about =
      product(context.parameters(), x.about, y.about, level, context.scale(level), context.scale(to),
              context.key_switch(level, PlainIndex(0)).relinearization_noise());
  return finished("multiply", x, context.multiply_relinearized(x.ciphertext, y.ciphertext, keys), about);
}

Approximate conjugate(const Approximate& a, const rlwe::EvaluationKeys& keys) {
  const NoiseBound added = a.context().key_switch(a.level(), PlainIndex(0)).noise();
  return finished("conjugate", a, rlwe::rotate_columns(a.ciphertext, keys),
                  {calculus_of(a).sum(a.about.error, added), a.about.bound});
}

Approximate rotate(const Approximate& a, std::int64_t steps, const rlwe::EvaluationKeys& keys) {
  const auto row = static_cast<std::int64_t>(a.context().slots());
  const std::int64_t left = (steps % row + row) % row;
  if (left == 0) return a;
  Approximate result = a;
  for (const std::uint64_t step : rlwe::rotation_steps("rotate", static_cast<std::uint64_t>(left), keys)) {
    const NoiseBound added = a.context().key_switch(a.level(), PlainIndex(0)).noise();
    result = finished("rotate", result, rlwe::rotate_rows(result.ciphertext, static_cast<std::int64_t>(step), keys),
                      {calculus_of(a).sum(result.about.error, added), a.about.bound});
  }
  return result;
}

Approximate linear_transform(const Approximate& a, const rlwe::RotationGrid& grid,
                             const std::vector<rlwe::ExtendedPlaintext>& factors, double factor_bound, double row_bound,
                             const rlwe::EvaluationKeys& keys) {
  const Level level = a.level(), to = below("matrix product", a);
  const rlwe::Parameters& parameters = parameters_of(a);
  const double scale = a.context().factor_scale(level), bound = a.about.bound * row_bound;
  std::vector<rlwe::PlainNorms> norms;
  for (const rlwe::ExtendedPlaintext& row : factors) norms.push_back(row.norms());
  const auto switches = [&](std::uint64_t steps) {
    return steps == 0 ? std::size_t{0} : rlwe::rotation_steps("matrix product", steps, keys).size();
  };
  const auto noise_of = [&](const NoiseBound& noise) {
    return rlwe::linear_transform_noise(parameters, PlainIndex(0), level, noise, grid, norms, switches);
  };
  require_room("matrix product", a, noise_of(a.ciphertext.noise()), log2_half(a, level), bound);
  const auto count = static_cast<double>(grid.inner.size() * grid.outer.size());
  const NoiseBound message = message_bound(parameters, a.about.bound, a.scale());
  const NoiseBound encoding = calculus_of(a).product(message, encoding_error(parameters, factor_bound, scale));
  NoiseBound error = calculus_of(a).sum(noise_of(a.about.error), NoiseCalculus::times(encoding, count));
  error = calculus_of(a).sum(rescaled_noise(parameters, error, level),
                             slot_error(parameters, bound * scale_deviation, a.context().scale(to)));
  const Ciphertext product =
      rlwe::linear_transform(a.ciphertext, grid, [&](std::size_t i) { return factors[i]; }, keys, rlwe::Factors::kept);
  return finished("matrix product", a, rescaled(product, product.noise()), {error, bound});
}

Approximate lowered(const Approximate& a, Level level) {
  if (level == a.level()) return a;
  if (level.primes == 0 || level > a.level()) {
    throw ArgumentError(message("numbers at level ", a.level(), " can't move to ", level, "; levels only fall"));
  }
  const Context& context = a.context();
  const Level above(level.primes + 1);
  // At that level with the scale of a, which a whole factor and the rescaling bring to the right one.
  Approximate high{context.switch_to_level(a.ciphertext, above), a.about};
  const double prime = static_cast<double>(context.rescaling(above).dropped->basis().values()[0]);
  const double exact = context.scale(level) * prime / a.scale();
  const std::int64_t factor = std::llround(exact);
  const double size = static_cast<double>(factor);
  require_room("align", high, NoiseCalculus::times(high.ciphertext.noise(), size), log2_half(high, above),
               a.about.bound);
  const rlwe::Parameters& parameters = context.parameters();
  const double off = std::abs(size - exact) + exact * scale_deviation;
  NoiseBound error = NoiseCalculus::times(a.about.error, size);
  error = parameters.noise().sum(error, slot_error(parameters, a.about.bound * off, a.scale()));
  const Ciphertext product = rlwe::multiply_scalar(high.ciphertext, factor);
  return finished("align", high, rescaled(product, product.noise()),
                  {rescaled_noise(parameters, error, above), a.about.bound});
}

Approximate take(const Approximate& a, std::span<const std::size_t> indices) {
  return {rlwe::take(a.ciphertext, indices), a.about};
}

Approximate concatenate(std::span<const Approximate* const> parts) {
  if (parts.empty()) throw ArgumentError("concatenate: nothing was given");
  Level level = parts[0]->level();
  for (const Approximate* const part : parts) {
    rlwe::require_same_context("concatenate", *part->ciphertext.context(), *parts[0]->ciphertext.context());
    level = std::min(level, part->level());
  }
  std::vector<Approximate> members;
  Approximation about{{}, 0};
  for (const Approximate* const part : parts) {
    members.push_back(lowered(*part, level));
    about = {larger(about.error, members.back().about.error), std::max(about.bound, members.back().about.bound)};
  }
  std::vector<const Ciphertext*> pointers;
  for (const Approximate& member : members) pointers.push_back(&member.ciphertext);
  return finished("concatenate", members[0], rlwe::concatenate(pointers), about);
}

Approximate sum_groups(const Approximate& a, std::size_t group) {
  const auto count = static_cast<double>(group);
  return finished("sum", a, rlwe::sum_groups(a.ciphertext, group),
                  {NoiseCalculus::times(a.about.error, count), a.about.bound * count});
}

}  // namespace cyclotome::ckks
