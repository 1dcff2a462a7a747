// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/scheme/bfv/operations.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "cyclotome/math/errors.hpp"
#include "cyclotome/rlwe/domains.hpp"
#include "cyclotome/rlwe/switching/key_switch_program.hpp"
#include "cyclotome/scheme/bfv/context.hpp"
#include "cyclotome/scheme/bfv/levels.hpp"
#include "cyclotome/scheme/bfv/product_program.hpp"
#include "cyclotome/scheme/bfv/scheme.hpp"

namespace cyclotome::bfv {

namespace {

/// Where a product of factors of one level is formed.
rlwe::Level level_of_product(const Ciphertext& a, const rlwe::NoiseBound& b, ProductMethod method) {
  return method == ProductMethod::hps_over_q_leveled ? product_level(a.context()->parameters(), a.level(), a.noise(), b)
                                                     : a.level();
}

/// Operands: as product_program has them.
ExecutionPtr find_product(const Context& context, const ProductShape& shape) {
  const std::uint64_t flags = shape.square * 1U + shape.one_a * 2U + shape.one_b * 4U + shape.relinearized * 8U;
  // Of 64 bits wherever sizes have 32.
  const auto at = [](rlwe::Level level, unsigned bits) { return std::uint64_t{level.primes} << bits; };
  const std::uint64_t levels =
      at(shape.level, 0) + at(shape.from_a, 16) + at(shape.from_b, 32) + at(shape.switched, 48);
  const rlwe::ProgramKey key{
      "bfv.multiply", {shape.plain.number, static_cast<std::uint64_t>(shape.method), levels, flags, shape.of.primes}};
  return context.execution(key, [&] { return product_program(context, shape); });
}

Ciphertext product(const Ciphertext& a, const Ciphertext* b, const rlwe::EvaluationKeys* keys, ProductMethod method);

/// The same of factors that are not where this method multiplies, which is at the lower of their levels; by BEHZ, whose
/// tables are those of all primes, at the top, from where the product comes back.
Ciphertext brought_together(const Ciphertext& a, const Ciphertext* b, const rlwe::EvaluationKeys* keys,
                            ProductMethod method) {
  const rlwe::Level level = b == nullptr ? a.level() : std::min(a.level(), b->level());
  const bool behz = method == ProductMethod::behz;
  const auto moved = [&](const Ciphertext& x) { return behz ? raised(x) : lowered(x, level); };
  const Ciphertext first = moved(a);
  if (b == nullptr) return lowered(product(first, nullptr, keys, method), level);
  const Ciphertext second = moved(*b);
  return lowered(product(first, &second, keys, method), level);
}

/// a b, or a^2 without b; relinearised if there are keys.
Ciphertext product(const Ciphertext& a, const Ciphertext* b, const rlwe::EvaluationKeys* keys, ProductMethod method) {
  const Context& context = bfv_context(a.context());
  if (a.domain() == Domain::transform || (b != nullptr && b->domain() == Domain::transform)) {
    const Ciphertext first = rlwe::native(a);
    if (b == nullptr) return product(first, nullptr, keys, method);
    const Ciphertext second = rlwe::native(*b);
    return product(first, &second, keys, method);
  }
  const rlwe::Level of = method == ProductMethod::behz ? context.max_level() : a.level();
  if (a.level() != of || (b != nullptr && b->level() != of)) return brought_together(a, b, keys, method);
  const rlwe::Parameters& parameters = context.parameters();
  const rlwe::PlainIndex plain = a.plain();
  const std::size_t batch = b == nullptr ? a.batch() : std::max(a.batch(), b->batch());
  const rlwe::NoiseBound& second_noise = b == nullptr ? a.noise() : b->noise();
  const rlwe::Level level = level_of_product(a, second_noise, method);
  rlwe::NoiseBound noise = product_noise(parameters, plain, of, a.noise(), second_noise, method);
  rlwe::Level raised_from = level, switched = level;
  PolyArray result = context.make(context.level_ring(of), batch, keys == nullptr ? 3 : 2);
  std::array<Operand, 4> operands{result.view(), a.polynomials().view(), result.view(), result.view()};
  std::size_t count = 2;
  if (b != nullptr) operands[count++] = b->polynomials().view();
  if (keys != nullptr) {
    operands[count++] = rlwe::relinearization_key(a, *keys);
    const rlwe::Relinearization step(context, plain, of, noise);
    noise = step.noise;
    raised_from = switched = step.at;
  }
  const bool one_b = b != nullptr && b->batch() < batch;
  find_product(context, {plain, method, level, b == nullptr, a.batch() < batch, one_b, keys != nullptr, a.raised_from(),
                         b == nullptr ? a.raised_from() : b->raised_from(), switched, of})
      ->run(std::span(operands).first(count));
  return a.derived(std::move(result), noise, raised_from);
}

}  // namespace

Ciphertext multiply(const Ciphertext& a, const Ciphertext& b, ProductMethod method) {
  rlwe::require_multipliable(a, b);
  return product(a, &b, nullptr, method);
}

Ciphertext square(const Ciphertext& a, ProductMethod method) {
  rlwe::require_multipliable(a, a);
  return product(a, nullptr, nullptr, method);
}

Ciphertext multiply_relinearized(const Ciphertext& a, const Ciphertext& b, const rlwe::EvaluationKeys& keys,
                                 ProductMethod method) {
  rlwe::require_multipliable(a, b);
  return product(a, &b, &keys, method);
}

Ciphertext square_relinearized(const Ciphertext& a, const rlwe::EvaluationKeys& keys, ProductMethod method) {
  rlwe::require_multipliable(a, a);
  return product(a, nullptr, &keys, method);
}

Ciphertext Context::multiply(const Ciphertext& a, const Ciphertext& b) const { return bfv::multiply(a, b); }

Ciphertext Context::square(const Ciphertext& a) const { return bfv::square(a); }

Ciphertext Context::multiply_relinearized(const Ciphertext& a, const Ciphertext& b,
                                          const rlwe::EvaluationKeys& keys) const {
  return bfv::multiply_relinearized(a, b, keys);
}

Ciphertext Context::multiply_by(std::string_view name, const Ciphertext& a, const Ciphertext* b,
                                const rlwe::EvaluationKeys* keys) const {
  const ProductMethod method = product_method(name);
  rlwe::require_multipliable(a, b == nullptr ? a : *b);
  return product(a, b, keys, method);
}

Ciphertext Context::square_relinearized(const Ciphertext& a, const rlwe::EvaluationKeys& keys) const {
  return bfv::square_relinearized(a, keys);
}

}  // namespace cyclotome::bfv
