// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/study/circuit/ltv_algebra.hpp"

#include <algorithm>

#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/interrupt.hpp"

namespace cyclotome::study {

namespace {

using circuit::Batch;
using circuit::BatchPtr;
using Ciphertexts = std::vector<ltv::Ciphertext>;

struct Items final : Batch {
  explicit Items(Ciphertexts c) : ciphertexts(std::move(c)) {}
  Ciphertexts ciphertexts;
};

const Ciphertexts& of(const Batch& a) { return dynamic_cast<const Items&>(a).ciphertexts; }

/// function(i) for each of so many items.
template <class Function>
BatchPtr each(std::size_t count, const Function& function) {
  Ciphertexts results;
  for (std::size_t i = 0; i < count; ++i) {
    check_interrupt();
    results.push_back(function(i));
  }
  return std::make_shared<Items>(std::move(results));
}

/// One prime less: divided by it, or, where that is quieter, as it is for a fresh encryption, just reduced.
ltv::Ciphertext one_lower(const ltv::Ciphertext& a) {
  ltv::Ciphertext divided = ltv::switch_modulus(a);
  return divided.log2_phase < a.log2_phase ? divided : ltv::reduce_to(a, a.level() + 1);
}

/// layer: the first that could not be decrypted; 0 where levels are too few.
[[noreturn]] void refuse(const circuit::Circuit& circuit, std::size_t primes, std::size_t layer) {
  throw NoiseError(message(
      circuit.name(), ": ", circuit.depth(), " products one after the other need ", circuit.depth() + 1,
      " levels; the inputs have ", primes,
      layer == 0 ? std::string() : message(", and LTV's estimate is that layer ", layer, " could not be decrypted"),
      ". Take parameters with more primes, or longer ones"));
}

}  // namespace

LtvAlgebra::LtvAlgebra(ltv::SwitchingKey key) : key_(std::move(key)) {
  if (key_.element() != 0)
    throw MissingKeyError("circuits take LTV's key of relinearisation, not one that moves slots");
}

BatchPtr LtvAlgebra::batch(Ciphertexts ciphertexts) const {
  for (const ltv::Ciphertext& c : ciphertexts) {
    if (c.key != key_.id()) {  // which belongs to one set of parameters
      throw MismatchError("circuit: an LTV ciphertext under another key than the one given; use those made together");
    }
    if (c.key_power != 1) throw ArgumentError("circuit: an input is a product that was not relinearised yet");
  }
  return std::make_shared<Items>(std::move(ciphertexts));
}

const Ciphertexts& LtvAlgebra::ciphertexts(const Batch& a) { return of(a); }

circuit::Facts LtvAlgebra::facts(const Batch& a) const {
  circuit::Facts facts{of(a).size(), 2, 1, -1e9, 1e9};
  for (const ltv::Ciphertext& c : of(a)) {
    facts.level = c.polynomial.primes;
    facts.parts = std::max<std::size_t>(facts.parts, c.key_power + 1);
    facts.log2_noise = std::max(facts.log2_noise, c.parameters->noise().largest_coefficient(c.log2_phase));
    facts.headroom = std::min(facts.headroom, c.headroom());
  }
  return facts;
}

BatchPtr LtvAlgebra::gather(std::span<const circuit::Place> places) const {
  return each(places.size(), [&](std::size_t i) { return of(*places[i].batch)[places[i].item]; });
}

/// As the paper has it: primes are dropped as long as that takes noise away. What an embedding has more than the mean
/// is then gone before it is squared; estimates, which are of the mean, would not see it grow.
std::size_t LtvAlgebra::product_level(std::span<const Batch* const> operands) const {
  const ltv::Parameters& parameters = *key_.parameters();
  std::size_t primes = parameters.levels();
  double phase = -1e9;
  for (const Batch* const operand : operands) {
    for (const ltv::Ciphertext& c : of(*operand)) {
      primes = std::min(primes, c.polynomial.primes);
      phase = std::max(phase, c.log2_phase);
    }
  }
  // Of log2 V: more than between a sum of three fresh ones, 6.6, and what a division leaves. The paper's sets have one
  // prime for each layer and one more, so that a level dropped before the first product is missing at the last.
  constexpr double worth = 8;
  for (; primes > 1; --primes) {
    const double log2_prime = parameters.log2_limit(primes) - parameters.log2_limit(primes - 1);
    const double divided = parameters.noise().switched(phase, log2_prime, 1);
    if (phase - divided < worth) break;
    phase = divided;
  }
  return primes;
}

BatchPtr LtvAlgebra::lowered(const Batch& a, std::size_t level) const {
  return each(of(a).size(), [&](std::size_t i) {
    ltv::Ciphertext c = of(a)[i];
    while (c.polynomial.primes > level) c = one_lower(c);
    return c;
  });
}

BatchPtr LtvAlgebra::multiply(const Batch& a, const Batch& b) const {
  return each(of(a).size(), [&](std::size_t i) { return ltv::multiply(of(a)[i], of(b)[i]); });
}

BatchPtr LtvAlgebra::relinearize(const Batch& a) const {
  return each(of(a).size(), [&](std::size_t i) { return ltv::relinearize(of(a)[i], key_); });
}

BatchPtr LtvAlgebra::add(const Batch& a, const Batch& b) const {
  return each(of(a).size(), [&](std::size_t i) { return ltv::add(of(a)[i], of(b)[i]); });
}

BatchPtr LtvAlgebra::sum_groups(const Batch& a, std::size_t group) const {
  return each(of(a).size() / group, [&](std::size_t i) {
    ltv::Ciphertext sum = of(a)[i * group];
    for (std::size_t j = 1; j < group; ++j) sum = ltv::add(sum, of(a)[i * group + j]);
    return sum;
  });
}

/// Modulo 2 every factor that is not 0 is 1.
BatchPtr LtvAlgebra::scale(const Batch& a, std::span<const std::int64_t>) const { return a.shared_from_this(); }

BatchPtr LtvAlgebra::add_constants(const Batch& a, std::span<const std::int64_t> constants) const {
  ltv::Bits one(key_.parameters()->degree());
  one[0] = 1;
  return each(of(a).size(),
              [&](std::size_t i) { return constants[i] == 0 ? of(a)[i] : ltv::add_plain(of(a)[i], one); });
}

std::vector<Ciphertexts> compute(const circuit::Circuit& circuit, const std::vector<Ciphertexts>& inputs,
                                 const ltv::SwitchingKey& key, const circuit::Progress& progress) {
  const LtvAlgebra algebra(key);
  std::vector<BatchPtr> batches;
  std::size_t primes = key.parameters()->levels();
  for (const Ciphertexts& input : inputs) {
    batches.push_back(algebra.batch(input));
    for (const ltv::Ciphertext& c : input) primes = std::min(primes, c.polynomial.primes);
  }
  if (circuit.depth() > primes) refuse(circuit, primes, 0);
  const circuit::Result result = evaluate(circuit, algebra, std::move(batches), progress);
  for (const circuit::LayerReport& layer : result.layers) {
    if (layer.headroom < 0) refuse(circuit, primes, layer.layer);
  }
  std::vector<Ciphertexts> outputs;
  for (const BatchPtr& output : result.outputs) outputs.push_back(output == nullptr ? Ciphertexts() : of(*output));
  return outputs;
}

}  // namespace cyclotome::study
