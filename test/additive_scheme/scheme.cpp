// SPDX-License-Identifier: Apache-2.0
#include "additive_scheme/scheme.hpp"

#include "additive_scheme/context.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/rlwe/noise/noise_model.hpp"
#include "cyclotome/rlwe/parameters/plain_moduli.hpp"

namespace cyclotome::additive {

std::string Part::describe() const { return message("plain ", plain_moduli_[0], "\nterms ", terms_); }

std::string Part::summary() const { return message("t=", plain_moduli_[0], " terms=", terms_); }

namespace {

class NoiseModel final : public rlwe::NoiseModel {
 public:
  using rlwe::NoiseModel::NoiseModel;
  double headroom(const State& a) const override {
    return log2_noise_limit(parameters()) + rlwe::log2_margin - a.noise.log2_max;
  }

 private:
  rlwe::NoiseBound message_noise() const override { return additive::message_noise(parameters()); }
};

class Scheme final : public rlwe::Scheme {
 public:
  std::string_view name() const noexcept override { return "additive"; }
  std::uint8_t id() const noexcept override { return 200; }

  rlwe::SchemePartPtr make_part(std::vector<std::uint64_t> numbers) const override {
    if (numbers.size() != 2 || numbers[1] == 0) {
      throw ParameterError("additive: the parameters are a plaintext modulus and a number of terms, at least 1");
    }
    return std::make_shared<Part>(numbers[0], numbers[1]);
  }
  void check(const rlwe::LatticeParameters& lattice, const rlwe::SchemePart& part) const override {
    rlwe::check_plain_moduli(lattice, part.plain_moduli());
  }
  /// t: messages stand in the low digits.
  std::uint64_t error_multiple(const rlwe::SchemePart& part, rlwe::PlainIndex plain) const override {
    return part.plain_moduli().at(plain.number);
  }

  /// Sums need no transforms.
  Domain native_domain() const noexcept override { return Domain::coefficient; }
  bool has_products() const noexcept override { return false; }
  /// Throws MismatchError for parameters of another scheme, and ParameterError if sums of as many terms as the
  /// parameters promise would not decrypt.
  rlwe::ContextPtr make_context(const rlwe::Parameters& parameters, const EnginePtr& engine) const override {
    const Part& part = parameters.part_of<Part>(*this);
    const NoiseModel model(parameters, rlwe::PlainIndex(0));
    if (!(model.headroom(model.summed(model.fresh(), static_cast<double>(part.terms()))) >= 0)) {
      throw ParameterError(message("sums of ", part.terms(), " ciphertexts of ", parameters.summary(),
                                   " would not decrypt; use more ciphertext primes, or fewer terms"));
    }
    return std::make_shared<Context>(parameters, engine);
  }

  std::unique_ptr<const rlwe::NoiseModel> noise_model(const rlwe::Parameters& parameters,
                                                      rlwe::PlainIndex plain) const override {
    return std::make_unique<NoiseModel>(parameters, plain);
  }
  rlwe::ProductCost product_cost() const noexcept override { return {0, 0}; }

  /// Nothing ever has a third part.
  rlwe::PartRange ciphertext_parts() const noexcept override { return {2, 2}; }
};

}  // namespace

const rlwe::Scheme& scheme() {
  static const Scheme only;
  return only;
}

}  // namespace cyclotome::additive
