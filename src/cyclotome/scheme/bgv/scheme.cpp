// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/scheme/bgv/scheme.hpp"

#include <algorithm>
#include <vector>

#include "cyclotome/math/errors.hpp"
#include "cyclotome/rlwe/noise/noise_model.hpp"
#include "cyclotome/rlwe/parameters/plain_moduli.hpp"
#include "cyclotome/scheme/bgv/alignment.hpp"
#include "cyclotome/scheme/bgv/context.hpp"
#include "cyclotome/scheme/bgv/noise.hpp"

namespace cyclotome::bgv {

namespace {

class NoiseModel final : public rlwe::NoiseModel {
 public:
  using rlwe::NoiseModel::NoiseModel;
  /// At the level where most headroom is left, as best_product_level says.
  State multiplied(const State& a, const State& b) const override {
    const rlwe::Level top = std::min(a.level, b.level);
    State x = lowered(a, top), y = lowered(b, top), best = x;
    double best_headroom = -1e300;
    while (true) {
      const State product{product_noise(parameters(), x.noise, y.noise), x.level,
                          Modulus<std::uint64_t>(t()).multiply(x.correction, y.correction)};
      if (const double left = headroom(product); left > best_headroom) {
        best_headroom = left;
        best = product;
      }
      if (x.level == rlwe::Level(1)) return best;
      const rlwe::Level next(x.level.primes - 1);
      x = lowered(x, next);
      y = lowered(y, next);
    }
  }
  State lowered(const State& a, rlwe::Level level, std::size_t parts = 2) const override {
    const Phase phase = phase_of(a, parts);
    return {noise_at(parameters(), plain(), phase, level), level, correction_at(parameters(), plain(), phase, level)};
  }
  State added(const State& a, const State& b) const override {
    const Alignment by = alignment(parameters(), plain(), phase_of(a), phase_of(b));
    return rlwe::NoiseModel::added(times(a, by.before * by.after), times(b, by.other));
  }
  /// One correction factor for all, as Context::concatenate finds it.
  State joined(std::span<const State> members) const override {
    std::vector<State> aligned;
    for (const State& member : members) {
      std::int64_t factor = 1;
      if (!aligned.empty() && member.correction != aligned[0].correction) {
        const auto [own, common] =
            balanced_factors(member.correction, aligned[0].correction, parameters().plain_modulus(plain()));
        for (State& earlier : aligned) earlier = times(earlier, common);
        factor = own;
      }
      aligned.push_back(times(member, factor));
    }
    return rlwe::NoiseModel::joined(aligned);
  }
  double headroom(const State& a) const override { return bgv::headroom(parameters(), a.noise, a.level); }

 private:
  std::uint64_t t() const { return parameters().plain_modulus(plain()).value; }
  static Phase phase_of(const State& a, std::size_t parts = 2) { return {a.noise, a.level, a.correction, parts}; }
  State times(const State& a, std::int64_t factor) const {
    const Modulus<std::uint64_t> modulus(t());
    return {rlwe::NoiseCalculus::times(a.noise, static_cast<double>(factor)), a.level,
            modulus.multiply(a.correction, modulus.reduce_signed(factor))};
  }
  NoiseBound message_noise() const override { return bgv::message_noise(parameters(), plain()); }
};

class Scheme final : public rlwe::Scheme {
 public:
  std::string_view name() const noexcept override { return "bgv"; }
  std::uint8_t id() const noexcept override { return 2; }

  rlwe::SchemePartPtr make_part(std::vector<std::uint64_t> numbers) const override {
    return std::make_shared<rlwe::PlainModuli>(std::move(numbers));
  }
  void check(const rlwe::LatticeParameters& lattice, const rlwe::SchemePart& part) const override {
    rlwe::check_plain_moduli(lattice, part.plain_moduli());
    // Key errors carry the product of all of them.
    if (const unsigned bits = BigUnsigned::product(part.plain_moduli()).bit_length(); bits > 256) {
      throw ParameterError(message("the plaintext moduli have ", bits, " bits in all; BGV takes at most 256"));
    }
  }
  std::uint64_t error_multiple(const rlwe::SchemePart& part, rlwe::PlainIndex plain) const override {
    return part.plain_moduli().at(plain.number);
  }

  Domain native_domain() const noexcept override { return Domain::transform; }
  bool has_levels() const noexcept override { return true; }
  rlwe::ContextPtr make_context(const rlwe::Parameters& parameters, const EnginePtr& engine) const override {
    return bgv::make_context(parameters, engine);
  }

  std::unique_ptr<const rlwe::NoiseModel> noise_model(const rlwe::Parameters& parameters,
                                                      rlwe::PlainIndex plain) const override {
    return std::make_unique<NoiseModel>(parameters, plain);
  }
  rlwe::ProductCost product_cost() const noexcept override { return {5, 2}; }

  std::string refuse_correction(const rlwe::Parameters&, rlwe::PlainIndex, std::uint64_t) const override { return {}; }
  /// Errors of keys for several plaintext moduli were multiples of them all in format version 1.
  std::string refuse_keys(const rlwe::Parameters& parameters, std::uint16_t version) const override {
    const std::size_t count = parameters.plain_moduli().size();
    if (version > 1 || count == 1) return {};
    return message("of format version 1 for ", count, " plaintext moduli of BGV has errors that later versions do not ",
                   "compute with; make such keys anew from the secret key, which can be read, or generate a new set");
  }
};

}  // namespace

const rlwe::Scheme& scheme() {
  static const Scheme only;
  return only;
}

ContextPtr make_context(const rlwe::Parameters& parameters, const EnginePtr& engine) {
  scheme::require_own(scheme(), parameters);
  return ContextPtr(new Context(parameters, engine));
}

const Context& bgv_context(const rlwe::ContextPtr& context) {
  scheme::require_own(scheme(), *context);
  return static_cast<const Context&>(*context);  // make_context makes all contexts of this scheme
}

}  // namespace cyclotome::bgv
