// SPDX-License-Identifier: Apache-2.0
// Automorphisms of polynomials, and what they bring together and apart: traces, one ciphertext to many, many to one.
#include <algorithm>
#include <bit>

#include "cyclotome/math/errors.hpp"
#include "cyclotome/value/matrices/field_rolls.hpp"
#include "cyclotome/value/polynomials/monomials.hpp"
#include "cyclotome/value/polynomials/polynomials.hpp"
#include "cyclotome/value/renewal/room.hpp"

namespace cyclotome::value {

namespace {

Channels automorphism_of(const char* operation, const Channels& a, std::uint64_t element,
                         const rlwe::EvaluationKeys& keys, const Options& options) {
  if (element != 1 && !keys.has_galois(element)) {
    throw MissingKeyError(message(operation, ": no key for the automorphism of x^", element,
                                  "; ask for it when the keys are generated, keygen(parameters, galois_elements=[",
                                  element, "])"));
  }
  return apply_galois(a, {element}, keys, options).front();
}

/// Refuses before anything is computed.
void require_keys(const char* operation, const std::vector<std::uint64_t>& elements, const rlwe::EvaluationKeys& keys) {
  for (const std::uint64_t element : elements) {
    if (keys.has_galois(element)) continue;
    throw MissingKeyError(message(operation, ": no key for the automorphism of x^", element,
                                  "; ask for those of traces when the keys are generated, keygen(parameters, ",
                                  "galois_elements=trace_elements(parameters))"));
  }
}

unsigned log2_of(std::size_t power) { return static_cast<unsigned>(std::countr_zero(power)); }

/// x^(2^l + 1), which keeps powers of x^(n / 2^(l-1)) and negates odd ones of x^(n / 2^l).
std::uint64_t fold_element(unsigned l) { return (std::uint64_t{1} << l) + 1; }

/// Sums that double their coefficients of powers of x^(n / 2^(l-1)), and end those of odd ones of x^(n / 2^l).
Channels folded(const char* operation, const Channels& a, unsigned l, const rlwe::EvaluationKeys& keys,
                const Options& options) {
  return added(a, automorphism_of(operation, a, fold_element(l), keys, options));
}

/// a / 2^doublings modulo every plaintext modulus, which doublings make the values of a again.
Channels divided(const char* operation, const Channels& a, unsigned doublings, Scaling scaling) {
  if (scaling == Scaling::by_power_of_two || doublings == 0) return a;
  Channels results;
  for (const Ciphertext& channel : a) {
    const std::uint64_t t = channel.plain_modulus().value;
    if (t % 2 == 0) {
      throw UnsupportedError(message(operation, ": 2 has no inverse modulo the plaintext modulus ", t,
                                     "; scaled=True gives 2^", doublings, " times the values, in whose place the ",
                                     "client may encrypt smaller ones"));
    }
    const Modulus<std::uint64_t> modulus(t);
    const std::uint64_t half = (t + 1) / 2;
    std::uint64_t inverse = 1;
    for (unsigned i = 0; i < doublings; ++i) inverse = modulus.multiply(inverse, half);
    const auto centred = static_cast<std::int64_t>(inverse) - (inverse > t / 2 ? static_cast<std::int64_t>(t) : 0);
    results.push_back(rlwe::multiply_scalar(channel, centred));
  }
  return results;
}

/// Of values that come 2^doublings times as large.
Bound doubled(const Bound& bound, unsigned doublings, Scaling scaling) {
  return scaling == Scaling::by_power_of_two ? bound.summed(std::size_t{1} << doublings) : bound;
}

std::vector<std::uint64_t> fold_elements(unsigned from, unsigned to) {
  std::vector<std::uint64_t> elements;
  for (unsigned l = from; l <= to; ++l) elements.push_back(fold_element(l));
  return elements;
}

/// One level of an expansion: 2^step groups of `rows` polynomials in x^(2^step) become twice as many in its square.
/// Those behind group number `wanted` are left out.
Channels split(const Channels& groups, unsigned step, std::size_t rows, std::size_t wanted,
               const rlwe::EvaluationKeys& keys, const Options& options) {
  const std::size_t now = std::size_t{1} << step, degree = groups.front().context()->degree();
  const Channels turned = automorphism_of("expand", groups, degree / now + 1, keys, options);
  const Channels even = added(groups, turned);
  const std::size_t odd = wanted > now ? std::min(wanted - now, now) : 0;
  if (odd == 0) return even;
  const Channels odds = subtracted(batch_slice(groups, 0, odd * rows), batch_slice(turned, 0, odd * rows));
  return concatenate({even, times_power(odds, -static_cast<std::int64_t>(now), options)});
}

/// One level of packing: `count` groups of `rows` polynomials, of which i and i + 2^(levels - l) come together.
Channels merged(const Channels& groups, std::size_t count, std::size_t rows, unsigned levels, unsigned l,
                const rlwe::EvaluationKeys& keys, const Options& options) {
  const std::size_t half = std::size_t{1} << (levels - l), firsts = std::min(count, half);
  const Channels even = batch_slice(groups, 0, firsts * rows);
  if (count <= half) return folded("pack", even, l, keys, options);
  const std::size_t paired = (count - half) * rows;
  const auto shift = static_cast<std::int64_t>(groups.front().context()->degree() >> l);
  const Channels odd = times_power(batch_slice(groups, half * rows, count * rows), shift, options);
  const Channels with = batch_slice(even, 0, paired);
  Channels sum = added(with, odd), difference = subtracted(with, odd);
  if (paired < firsts * rows) {
    const Channels alone = batch_slice(even, paired, firsts * rows);
    sum = concatenate({sum, alone});
    difference = concatenate({difference, alone});
  }
  return added(sum, automorphism_of("pack", difference, fold_element(l), keys, options));
}

}  // namespace

std::vector<std::uint64_t> trace_elements(const rlwe::Parameters& parameters) {
  if (parameters.cyclotomic() != 0) {
    throw UnsupportedError(message("trace_elements: of x^n + 1, not of ", parameters.ring()->modulus()));
  }
  return fold_elements(1, log2_of(parameters.degree()));
}

EncryptedArray automorphism(const EncryptedArray& x, std::int64_t element, const Options& options) {
  if (options.refresh_operands) {
    return with_room("automorphism", x, options,
                     [&](const auto& a, const Options& how) { return automorphism(a, element, how); });
  }
  const Layout& layout = x.layout();
  if (!layout.full()) require_polynomials("automorphism", x);
  require_two_parts("automorphism", x);
  if (layout.placement() != Placement::coefficients) {
    throw UnsupportedError("automorphism: of polynomials, arrays in coefficients; slots have rotate_rows");
  }
  const GaloisGroup& group = x.context()->galois();
  const auto index = static_cast<std::int64_t>(group.index());
  const auto g = static_cast<std::uint64_t>((element % index + index) % index);
  if (!group.contains(g)) {
    throw ArgumentError(message("automorphism: x -> x^", element, " is none of this ring; exponents must be ",
                                group.requirement(), " (they count modulo ", index, ")"));
  }
  const rlwe::EvaluationKeys& keys = x.keys().require_evaluation("automorphism");
  Shape shape = x.shape();
  shape.back() = layout.chunks() * layout.width();
  const Bound bound = x.bound().wraps() ? x.bound() : Bound(x.bound().largest(), shape.back(), x.bound().row());
  return finished(
      "automorphism",
      {automorphism_of("automorphism", x.channels(), g, keys, options), layout.placed(shape, Placement::coefficients)},
      bound, x.keys(), options);
}

EncryptedArray coefficient_trace(const EncryptedArray& x, const Options& options) {
  if (options.refresh_operands) {
    return with_room("trace", x, options, [&](const auto& a, const Options& how) { return coefficient_trace(a, how); });
  }
  require_polynomials("trace", x);
  const std::vector<std::uint64_t> elements = trace_elements(x.parameters());
  const Layout layout = x.layout().placed(x.layout().outer(), Placement::replicated);
  const Bound bound =
      x.bound().wraps() ? x.bound() : Bound(x.bound().values(), layout.last()).summed(x.layout().width());
  require_within("trace", bound, x.parameters());
  const rlwe::EvaluationKeys& keys = x.keys().require_evaluation("trace");
  require_keys("trace", elements, keys);
  Channels sum = x.channels();
  for (unsigned l = 1; l <= elements.size(); ++l) sum = folded("trace", sum, l, keys, options);
  return finished("trace", {std::move(sum), layout}, bound, x.keys(), options);
}

EncryptedArray expand(const EncryptedArray& x, Scaling scaling, const Options& options) {
  if (options.refresh_operands) {
    return with_room("expand", x, options, [&](const auto& a, const Options& how) { return expand(a, scaling, how); });
  }
  require_polynomials("expand", x);
  const std::size_t length = x.layout().length(), rows = x.layout().batch();
  const unsigned steps = log2_of(std::bit_ceil(length)), all = log2_of(x.layout().width());
  const Layout layout = x.layout().placed(x.shape(), Placement::replicated);
  const Bound bound = doubled(x.bound(), steps, scaling);
  require_within("expand", bound, x.parameters());
  Channels groups = divided("expand", x.channels(), steps, scaling);
  if (steps > 0) {
    const rlwe::EvaluationKeys& keys = x.keys().require_evaluation("expand");
    require_keys("expand", fold_elements(all - steps + 1, all), keys);
    for (unsigned step = 0; step < steps; ++step) groups = split(groups, step, rows, length, keys, options);
  }
  // They are numbered by coefficient, then row; the layout numbers them the other way round.
  const std::size_t axes[] = {1, 0};
  return finished("expand", {take(groups, transposed_indices({length, rows}, axes)), layout}, bound, x.keys(), options);
}

EncryptedArray packed_in_coefficients(const EncryptedArray& x, const Options& options) {
  if (options.refresh_operands) {
    return with_room("pack", x, options,
                     [&](const auto& a, const Options& how) { return packed_in_coefficients(a, how); });
  }
  const Layout& layout = x.layout();
  if (layout.packed() || x.ndim() == 0 || !x.parameters().has_coefficients()) {
    throw UnsupportedError(message("pack: takes a replicated array with at least one axis, to be packed in ",
                                   "coefficients; this one has shape ", to_string(x.shape()), " and is ",
                                   to_string(layout.placement())));
  }
  const std::size_t length = layout.last(), rows = layout.batch() / length;
  if (const std::size_t most = layout.widths().coefficients; length > most) {
    throw ArgumentError(message("pack: ", length, " values along the last axis, but ciphertexts hold n = ", most));
  }
  const std::size_t axes[] = {1, 0};
  Channels groups = take(x.channels(), transposed_indices({rows, length}, axes));
  // Horner's rule for all powers of two at once: groups i and i + half come together as one polynomial.
  for (std::size_t count = length; count > 1;) {
    const std::size_t half = std::bit_ceil(count) / 2, paired = (count - half) * rows;
    const Channels upper =
        times_power(batch_slice(groups, half * rows, count * rows), static_cast<std::int64_t>(half), options);
    const Channels sum = added(batch_slice(groups, 0, paired), upper);
    groups = paired == half * rows ? sum : concatenate({sum, batch_slice(groups, paired, half * rows)});
    count = half;
  }
  return finished("pack", {std::move(groups), layout.placed(x.shape(), Placement::coefficients)}, x.bound(), x.keys(),
                  options);
}

EncryptedArray pack_constant_terms(const EncryptedArray& x, Scaling scaling, const Options& options) {
  if (options.refresh_operands) {
    return with_room("pack", x, options,
                     [&](const auto& a, const Options& how) { return pack_constant_terms(a, scaling, how); });
  }
  require_polynomials("pack", x);
  if (x.ndim() < 2) {
    throw ArgumentError(message("pack: takes polynomials along the axis before the last, shape (..., k, n), not ",
                                to_string(x.shape())));
  }
  Shape shape = x.shape();
  const std::size_t degree = x.layout().width(), count = shape[shape.size() - 2];
  if (count > degree) {
    throw ArgumentError(message("pack: ", count, " polynomials, but a ciphertext holds n = ", degree, " values"));
  }
  const std::size_t rows = x.layout().batch() / count;
  const unsigned levels = log2_of(std::bit_ceil(count)), all = log2_of(degree);
  shape.erase(shape.end() - 2);
  shape.back() = degree;
  const Bound one =
      x.bound().wraps() ? x.bound() : Bound(x.bound().largest(), degree, x.bound().largest() * BigUnsigned(count));
  const Bound bound = doubled(one, all, scaling);
  require_within("pack", bound, x.parameters());
  const rlwe::EvaluationKeys& keys = x.keys().require_evaluation("pack");
  require_keys("pack", trace_elements(x.parameters()), keys);
  const std::size_t axes[] = {1, 0};
  Channels groups = take(divided("pack", x.channels(), all, scaling), transposed_indices({rows, count}, axes));
  std::size_t left = count;
  for (unsigned l = 1; l <= levels; ++l) {
    groups = merged(groups, left, rows, levels, l, keys, options);
    left = std::min(left, std::size_t{1} << (levels - l));
  }
  for (unsigned l = levels + 1; l <= all; ++l) groups = folded("pack", groups, l, keys, options);
  return finished("pack", {std::move(groups), x.layout().placed(shape, Placement::coefficients)}, bound, x.keys(),
                  options);
}

}  // namespace cyclotome::value
