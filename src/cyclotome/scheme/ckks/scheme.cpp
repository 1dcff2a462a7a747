// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/scheme/ckks/scheme.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "cyclotome/math/errors.hpp"
#include "cyclotome/rlwe/noise/noise_model.hpp"
#include "cyclotome/scheme/ckks/context.hpp"
#include "cyclotome/scheme/ckks/levels.hpp"
#include "cyclotome/scheme/ckks/noise.hpp"

namespace cyclotome::ckks {

namespace {

/// Of numbers as large as the parameters' bound, at one scale for each level.
class NoiseModel final : public rlwe::NoiseModel {
 public:
  using rlwe::NoiseModel::NoiseModel;
  /// Rescaled. At the lowest level as it is, which no decryption corrects.
  State multiplied(const State& a, const State& b) const override {
    const rlwe::Level level = std::min(a.level, b.level);
    const NoiseBound product = calculus().product(a.noise, b.noise);
    if (level == rlwe::Level(1)) return {product, level};
    return {rescaled_noise(parameters(), product, level), rlwe::Level(level.primes - 1)};
  }
  State lowered(const State& a, rlwe::Level level, std::size_t) const override { return {a.noise, level}; }
  double headroom(const State& a) const override {
    return log2_noise_limit(parameters(), a.level) + rlwe::log2_margin - a.noise.log2_max;
  }

 private:
  NoiseBound message_noise() const override { return ckks::message_noise(parameters()); }
};

void check_kind(const rlwe::LatticeParameters& lattice) {
  if (lattice.word != Word::u64) throw ParameterError("real numbers take 64-bit words so far; choose word = 64");
  if (lattice.cyclotomic != 0) {
    throw ParameterError(message("real numbers live in x^n + 1 so far; leave out cyclotomic = ", lattice.cyclotomic));
  }
  if (lattice.parties != 1) {
    throw ParameterError(message("parties = ", lattice.parties, ": there are no joint keys for real numbers yet"));
  }
}

/// P >= 2^10 D: with P = D one key switch would cost more than all roundings of a long computation.
void check_digits(const rlwe::LatticeParameters& lattice) {
  constexpr double margin = 10;
  const std::size_t count = lattice.moduli.size();
  if (lattice.digits == 0 || lattice.digits > count || lattice.special_moduli.empty()) {
    throw ParameterError(message(lattice.digits, " digits and ", lattice.special_moduli.size(), " special primes for ",
                                 count, " levels; real numbers take at least one special prime, and as many digits as ",
                                 "keep each 2^10 times below them"));
  }
  double special = 0;
  for (const auto p : lattice.special_moduli) special += std::log2(static_cast<double>(p));
  const std::size_t per_digit = (count + lattice.digits - 1) / lattice.digits;
  for (std::size_t first = 0; first < count; first += per_digit) {
    double digit = 0;
    for (std::size_t i = first; i < std::min(count, first + per_digit); ++i) {
      digit += std::log2(static_cast<double>(lattice.moduli[i]));
    }
    if (digit + margin > special + 1e-6) {
      throw ParameterError(message(
          "a digit of ", std::ceil(digit), " bits and special primes of ", std::floor(special),
          "; for real numbers these have to be ", margin,
          " bits longer, or key switches cost more than everything else: more digits, or more ", "special primes"));
    }
  }
}

void check_scales(const rlwe::LatticeParameters& lattice, const Part& part) {
  const std::vector<double> scales = level_scales(lattice.moduli, part.scale());
  for (std::size_t i = 0; i < scales.size(); ++i) {
    if (!(scales[i] >= least_scale && scales[i] * part.bound() <= carrier_limit)) {
      throw ParameterError(message("level ", i + 1, " has scale ", power_of_two(scales[i]),
                                   ", which must be at least 2^20, and times the bound ", part.bound(),
                                   " at most 2^58; take primes of about the scale, and a smaller bound"));
    }
  }
  const double lowest = std::log2(static_cast<double>(lattice.moduli[0]));
  if (lowest < std::log2(part.scale() * part.bound()) + 2) {
    throw ParameterError(message("a first prime of ", std::ceil(lowest), " bits has no room for numbers up to ",
                                 part.bound(), " at scale ", power_of_two(part.scale()),
                                 "; it must be 4 times their product"));
  }
}

class Scheme final : public rlwe::Scheme {
 public:
  std::string_view name() const noexcept override { return "ckks"; }
  std::uint8_t id() const noexcept override { return 3; }

  rlwe::SchemePartPtr make_part(std::vector<std::uint64_t> numbers) const override {
    if (numbers.size() != 3 || numbers[0] != carrier) {
      throw ParameterError(
          "parameters of CKKS are made from what is to be computed, Parameters.suggest(scheme=\"ckks\", ...): they "
          "hold "
          "a scale and a bound in place of plaintext moduli");
    }
    return std::make_shared<Part>(std::bit_cast<double>(numbers[1]), std::bit_cast<double>(numbers[2]));
  }
  void check(const rlwe::LatticeParameters& lattice, const rlwe::SchemePart& part) const override {
    check_kind(lattice);
    check_digits(lattice);
    check_scales(lattice, static_cast<const Part&>(part));
  }
  std::uint64_t error_multiple(const rlwe::SchemePart&, rlwe::PlainIndex) const override { return 1; }

  Domain native_domain() const noexcept override { return Domain::transform; }
  bool has_levels() const noexcept override { return true; }
  rlwe::ContextPtr make_context(const rlwe::Parameters& parameters, const EnginePtr& engine) const override {
    return ckks::make_context(parameters, engine);
  }

  std::unique_ptr<const rlwe::NoiseModel> noise_model(const rlwe::Parameters& parameters,
                                                      rlwe::PlainIndex plain) const override {
    return std::make_unique<NoiseModel>(parameters, plain);
  }
  rlwe::ProductCost product_cost() const noexcept override { return {5, 2}; }
};

}  // namespace

const rlwe::Scheme& scheme() {
  static const Scheme only;
  return only;
}

std::shared_ptr<const Context> make_context(const rlwe::Parameters& parameters, const EnginePtr& engine) {
  scheme::require_own(scheme(), parameters);
  return std::make_shared<const Context>(parameters, engine);
}

const Context& ckks_context(const rlwe::ContextPtr& context) {
  scheme::require_own(scheme(), *context);
  return static_cast<const Context&>(*context);  // make_context makes all contexts of this scheme
}

}  // namespace cyclotome::ckks
