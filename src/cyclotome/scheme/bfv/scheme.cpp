// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/scheme/bfv/scheme.hpp"

#include <algorithm>

#include "cyclotome/rlwe/noise/noise_model.hpp"
#include "cyclotome/rlwe/parameters/plain_moduli.hpp"
#include "cyclotome/scheme/bfv/context.hpp"
#include "cyclotome/scheme/bfv/noise.hpp"

namespace cyclotome::bfv {

namespace {

class NoiseModel final : public rlwe::NoiseModel {
 public:
  using rlwe::NoiseModel::NoiseModel;
  State multiplied(const State& a, const State& b) const override {
    const rlwe::Level level = std::min(a.level, b.level);
    return {product_noise(parameters(), plain(), level, lowered(a, level).noise, lowered(b, level).noise), level};
  }
  State lowered(const State& a, rlwe::Level level, std::size_t parts = 2) const override {
    return {noise_at(parameters(), a.noise, a.level, level, parts), level};
  }
  double headroom(const State& a) const override { return bfv::headroom(parameters(), a.level, plain(), a.noise); }

 private:
  NoiseBound message_noise() const override { return bfv::message_noise(parameters()); }
};

class Scheme final : public rlwe::Scheme {
 public:
  std::string_view name() const noexcept override { return "bfv"; }
  std::uint8_t id() const noexcept override { return 1; }

  rlwe::SchemePartPtr make_part(std::vector<std::uint64_t> numbers) const override {
    return std::make_shared<rlwe::PlainModuli>(std::move(numbers));
  }
  void check(const rlwe::LatticeParameters& lattice, const rlwe::SchemePart& part) const override {
    rlwe::check_plain_moduli(lattice, part.plain_moduli());
  }
  std::uint64_t error_multiple(const rlwe::SchemePart&, rlwe::PlainIndex) const override { return 1; }

  Domain native_domain() const noexcept override { return Domain::coefficient; }
  bool drops_primes() const noexcept override { return true; }
  bool raises_levels() const noexcept override { return true; }
  rlwe::ContextPtr make_context(const rlwe::Parameters& parameters, const EnginePtr& engine) const override {
    return bfv::make_context(parameters, engine);
  }

  std::unique_ptr<const rlwe::NoiseModel> noise_model(const rlwe::Parameters& parameters,
                                                      rlwe::PlainIndex plain) const override {
    return std::make_unique<NoiseModel>(parameters, plain);
  }
  rlwe::ProductCost product_cost() const noexcept override { return {14, 9}; }
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

const Context& bfv_context(const rlwe::ContextPtr& context) {
  scheme::require_own(scheme(), *context);
  return static_cast<const Context&>(*context);  // make_context makes all contexts of this scheme
}

}  // namespace cyclotome::bfv
