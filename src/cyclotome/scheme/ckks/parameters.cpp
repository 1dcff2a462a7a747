// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/scheme/ckks/parameters.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/primes.hpp"
#include "cyclotome/scheme/ckks/levels.hpp"
#include "cyclotome/scheme/ckks/noise.hpp"
#include "cyclotome/scheme/ckks/scheme.hpp"

namespace cyclotome::ckks {

namespace {

constexpr unsigned special_bits = 60, digit_margin = 10, most_special = 8, headroom_bits = 5;

double largest_result(double bound, double result_bound, unsigned depth) {
  if (result_bound != 0) return result_bound;
  return std::max(1.0, std::pow(bound, std::exp2(depth)));
}

/// Of the lowest prime: room for the largest result, its sign and its error.
unsigned first_bits(unsigned scale_bits, double result) {
  return scale_bits + static_cast<unsigned>(std::ceil(std::log2(std::max(1.0, result)))) + headroom_bits;
}

void require_sizes(const ScaleLiteral& literal, double result) {
  if (literal.scale_bits < 20 || literal.scale_bits > 58 || literal.depth > 100) {
    throw ParameterError(message("scale_bits = ", literal.scale_bits, " and depth = ", literal.depth,
                                 "; a scale has 20 to 58 bits, and there are up to 100 levels"));
  }
  if (!(literal.bound > 0) || !(result >= literal.bound) || !std::isfinite(result)) {
    throw ParameterError(message("numbers up to ", literal.bound, " and results up to ", result,
                                 "; both must be above 0 and finite, and the second no smaller"));
  }
  if (const double bits = literal.scale_bits + std::log2(result); bits + headroom_bits > special_bits) {
    throw ParameterError(message("results up to ", result, " at a scale of ", literal.scale_bits, " bits take ",
                                 std::ceil(bits), " bits, and ", special_bits - headroom_bits,
                                 " fit into a word; state a smaller result_bound, scale numbers down, or take less ",
                                 "precision"));
  }
}

/// Digits of so many primes each, none wider than P / 2^10; 0 where a prime alone is.
std::size_t widest_digits(unsigned first, unsigned scale_bits, std::size_t primes, std::size_t special) {
  const std::size_t room = special * special_bits - digit_margin;
  std::size_t per_digit = 0;
  while (per_digit < primes && first + per_digit * (scale_bits + 1) <= room) ++per_digit;
  return per_digit;
}

struct Chain {
  unsigned first;
  std::size_t special, digits;
};

/// What costs least of what security allows: transforms of a key switch. None: the fewest bits that there are.
Chain cheapest(const ScaleLiteral& literal, unsigned first) {
  const std::size_t primes = literal.depth + 1;
  const std::size_t cap = literal.security == 0 || literal.allow_insecure
                              ? std::numeric_limits<std::size_t>::max()
                              : rlwe::max_modulus_bits(literal.degree, literal.security, literal.table);
  std::optional<Chain> best;
  std::size_t least = std::numeric_limits<std::size_t>::max();
  std::optional<Chain> shortest;
  for (std::size_t special = 1; special <= most_special; ++special) {
    const std::size_t per_digit = widest_digits(first, literal.scale_bits, primes, special);
    if (per_digit == 0) continue;
    const Chain chain{first, special, (primes + per_digit - 1) / per_digit};
    if (!shortest) shortest = chain;
    if (first + literal.depth * literal.scale_bits + 1 + special * special_bits > cap) break;
    const std::size_t cost = (chain.digits + 2) * (primes + special);
    if (cost >= least) continue;
    least = cost;
    best = chain;
  }
  return best ? *best : *shortest;
}

}  // namespace

rlwe::Parameters with_scale(const ScaleLiteral& literal) {
  const double result = largest_result(literal.bound, literal.result_bound, literal.depth);
  require_sizes(literal, result);
  rlwe::LatticeParameters lattice;
  lattice.degree = literal.degree;
  lattice.security = literal.security;
  lattice.table = literal.table;
  lattice.allow_insecure = literal.allow_insecure;
  lattice.strict = literal.strict;
  if (!is_power_of_two(literal.degree) || literal.degree < 8 || literal.degree > (std::size_t{1} << 17)) {
    throw ParameterError(message("degree ", literal.degree, " is not a power of two in [8, 2^17]"));
  }
  const Chain chain = cheapest(literal, first_bits(literal.scale_bits, result));
  const std::uint64_t step = lattice.ring()->transform_step();
  lattice.special_moduli = primes_congruent_to_one(special_bits, step, chain.special);
  lattice.moduli = primes_congruent_to_one(chain.first, step, 1, lattice.special_moduli);
  std::vector<std::uint64_t> taken = lattice.special_moduli;
  taken.push_back(lattice.moduli[0]);
  for (const std::uint64_t q : level_primes(literal.scale_bits, step, literal.depth, taken))
    lattice.moduli.push_back(q);
  const std::size_t primes = lattice.moduli.size(), per_digit = (primes + chain.digits - 1) / chain.digits;
  lattice.digits = (primes + per_digit - 1) / per_digit;
  return rlwe::Parameters(scheme(), lattice, Part(std::ldexp(1.0, static_cast<int>(literal.scale_bits)), literal.bound),
                          literal.name);
}

namespace {

/// A number after `depth` squares one after the other, and the scale that it has then.
struct Squared {
  Approximation about;
  double scale;
};

Squared squared(const rlwe::Parameters& parameters, unsigned depth, double result_bound) {
  const Part& part = Part::of(parameters);
  const std::vector<double> scales = level_scales(parameters.moduli(), part.scale());
  const double result = largest_result(part.bound(), result_bound, depth);
  std::size_t level = scales.size();
  Approximation x{parameters.noise().sum(rlwe::public_zero_noise(parameters, PlainIndex(0)),
                                         encoding_error(parameters, part.bound(), scales.back())),
                  part.bound()};
  for (unsigned i = 0; i < depth && level > 1; ++i, --level) {
    x = product(parameters, x, x, Level(level), scales[level - 1], scales[level - 2],
                rlwe::relinearization_noise(parameters, PlainIndex(0), Level(level)));
    x.bound = std::min(x.bound, result);
  }
  return {x, scales[level - 1]};
}

}  // namespace

double certified_error(const rlwe::Parameters& parameters, unsigned depth, double result_bound,
                       unsigned flooding_bits) {
  const Squared after = squared(parameters, depth, result_bound);
  if (flooding_bits == 0) return error_of(parameters, after.about, after.scale).max;
  return revealed_error(parameters, after.about, after.scale, flooding_bits);
}

rlwe::Parameters suggest_reals(const Precision& wanted) {
  if (!(wanted.precision > 0) || !std::isfinite(wanted.precision)) {
    throw ParameterError(message("precision = ", wanted.precision, "; it is how wrong results may be, such as 0.001"));
  }
  double best = std::numeric_limits<double>::infinity();
  const double result = largest_result(wanted.bound, wanted.result_bound, wanted.depth);
  require_sizes({.degree = 1024, .scale_bits = 20, .depth = wanted.depth, .bound = wanted.bound}, result);
  for (std::size_t degree = 1024; degree <= (std::size_t{1} << 17); degree *= 2) {
    if (degree < wanted.min_degree) continue;
    const unsigned cap = rlwe::max_modulus_bits(degree, wanted.security, wanted.table);
    for (unsigned bits = 20; bits <= 58; ++bits) {
      const unsigned first = first_bits(bits, result);
      if (first > special_bits || first + wanted.depth * bits + special_bits > cap) break;
      try {
        rlwe::Parameters parameters = with_scale({degree, bits, wanted.depth, wanted.bound, wanted.result_bound,
                                                  wanted.security, wanted.table, false, wanted.strict});
        const double error = certified_error(parameters, wanted.depth, wanted.result_bound, wanted.flooding_bits);
        best = std::min(best, error);
        if (error <= wanted.precision) return parameters;
      } catch (const ParameterError&) {
        continue;  // too few primes of these widths, or too many bits in all
      }
    }
  }
  throw ParameterError(
      message("no parameters are right to ", wanted.precision, " after ", wanted.depth, " products of numbers up to ",
              wanted.bound, ", results up to ", result, ", with ", wanted.security, " bits of security",
              wanted.flooding_bits == 0 ? std::string() : message(" and ", wanted.flooding_bits, " bits of flooding"),
              std::isfinite(best) ? message("; the best that there are, to ", best) : std::string(),
              "; ask for less precision or depth, or a smaller bound"));
}

}  // namespace cyclotome::ckks
