// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/study/circuit/ltv_algebra.hpp"

#include <algorithm>
#include <cmath>

#include "cyclotome/math/errors.hpp"

namespace cyclotome::study {

namespace {

using circuit::Batch;
using circuit::BatchPtr;
using circuit::Place;
using ltv::Estimate;
using ltv::Member;
using ltv::NoiseModel;

const LtvBatch& of(const Batch& a) { return dynamic_cast<const LtvBatch&>(a); }
const Estimate& estimate_of(const Place& place) { return of(*place.batch).estimates[place.item]; }

std::vector<Member> members(std::span<const Place> places) {
  std::vector<Member> result;
  for (const Place& place : places) result.push_back({of(*place.batch).polynomials.get(), place.item});
  return result;
}

std::vector<Place> places_of(const Batch& a) {
  std::vector<Place> result;
  for (std::size_t i = 0; i < of(a).estimates.size(); ++i) result.push_back({&a, i});
  return result;
}

double log2_prime(const ltv::Parameters& parameters, std::size_t j) {
  return std::log2(static_cast<double>(parameters.arithmetic()->basis().prime(j)));
}

/// Divided by its last prime.
Estimate divided(const ltv::Parameters& parameters, const Estimate& a, std::size_t primes) {
  return {a.key_power, parameters.noise().switched(a.log2_phase, log2_prime(parameters, primes - 1), a.key_power)};
}

/// layer: the first that could not be decrypted; 0 where levels are too few.
[[noreturn]] void refuse(const circuit::Circuit& circuit, std::size_t primes, std::size_t layer) {
  throw NoiseError(message(
      circuit.name(), ": ", circuit.depth(), " products one after the other need ", circuit.depth() + 1,
      " levels; the inputs have ", primes,
      layer == 0 ? std::string() : message(", and LTV's estimate is that layer ", layer, " could not be decrypted"),
      ". Take parameters with more primes, or longer ones"));
}

/// What stands in for inputs that are not computed with.
std::vector<BatchPtr> blanks(PlannedEngine& plan, const std::vector<BatchPtr>& inputs) {
  std::vector<BatchPtr> result;
  for (const BatchPtr& input : inputs) {
    if (input == nullptr) {
      result.push_back(nullptr);
      continue;
    }
    const LtvBatch& batch = of(*input);
    auto blank = plan.blank(batch.estimates.size(), batch.polynomials->primes());
    result.push_back(std::make_shared<LtvBatch>(*plan.key().parameters(), std::move(blank), batch.estimates));
  }
  return result;
}

}  // namespace

LtvBatch::LtvBatch(const ltv::Parameters& parameters, ltv::PolynomialsPtr p, std::vector<Estimate> e)
    : polynomials(std::move(p)), estimates(std::move(e)), facts{estimates.size(), 2, polynomials->primes(), -1e9, 1e9} {
  for (const Estimate& estimate : estimates) {
    const double largest = parameters.noise().largest_coefficient(estimate.log2_phase);
    facts.parts = std::max<std::size_t>(facts.parts, estimate.key_power + 1);
    facts.log2_noise = std::max(facts.log2_noise, largest);
  }
  facts.headroom = parameters.log2_limit(facts.level) - facts.log2_noise;
}

BatchPtr LtvAlgebra::made(ltv::PolynomialsPtr polynomials, std::vector<Estimate> estimates) const {
  return std::make_shared<LtvBatch>(parameters_, std::move(polynomials), std::move(estimates));
}

LtvAlgebra::LtvAlgebra(ltv::BatchEnginePtr engine)
    : engine_(std::move(engine)), parameters_(*engine_->key().parameters()) {
  std::vector<double> one(parameters_.degree());
  one[0] = 1;
  mean_square_of_one_ = parameters_.ring().mean_square(one);
}

BatchPtr LtvAlgebra::batch(std::span<const ltv::Ciphertext> ciphertexts) const {
  if (ciphertexts.empty()) throw ArgumentError("circuit: there are no LTV ciphertexts");
  std::size_t primes = ciphertexts[0].polynomial.primes;
  for (const ltv::Ciphertext& c : ciphertexts) {
    if (c.key != engine_->key().id()) {  // which belongs to one set of parameters
      throw MismatchError("circuit: an LTV ciphertext under another key than the one given; use those made together");
    }
    if (c.key_power != 1) throw ArgumentError("circuit: an input is a product that was not relinearised yet");
    primes = std::min(primes, c.polynomial.primes);
  }
  std::vector<const ltv::Polynomial*> polynomials;
  std::vector<ltv::Ciphertext> lower;
  lower.reserve(ciphertexts.size());
  std::vector<Estimate> estimates;
  for (const ltv::Ciphertext& c : ciphertexts) {
    const ltv::Ciphertext* here = &c;
    while (here->polynomial.primes > primes) {
      const Estimate after = divided(parameters_, here->estimate(), here->polynomial.primes);
      ltv::Ciphertext next =
          after.log2_phase < here->log2_phase ? ltv::switch_modulus(*here) : ltv::reduce_to(*here, here->level() + 1);
      if (here == &c) {
        lower.push_back(std::move(next));
      } else {
        lower.back() = std::move(next);
      }
      here = &lower.back();
    }
    polynomials.push_back(&here->polynomial);
    estimates.push_back(here->estimate());
  }
  return made(engine_->put(polynomials), std::move(estimates));
}

std::vector<ltv::Ciphertext> LtvAlgebra::ciphertexts(const Batch& a) const {
  const ltv::ParametersPtr& parameters = engine_->key().parameters();
  std::vector<ltv::Ciphertext> result;
  std::vector<ltv::Polynomial> polynomials = engine_->get(*of(a).polynomials);
  for (std::size_t i = 0; i < polynomials.size(); ++i) {
    const auto& [key_power, log2_phase] = of(a).estimates[i];
    result.push_back({parameters, engine_->key().id(), std::move(polynomials[i]), key_power, log2_phase});
  }
  return result;
}

BatchPtr LtvAlgebra::gather(std::span<const Place> places) const {
  if (places.size() == of(*places[0].batch).estimates.size()) {
    const auto in_place = [&](std::size_t i) { return places[i].batch == places[0].batch && places[i].item == i; };
    std::size_t i = 0;
    while (i < places.size() && in_place(i)) ++i;
    if (i == places.size()) return places[0].batch->shared_from_this();
  }
  std::vector<Estimate> estimates;
  for (const Place& place : places) estimates.push_back(estimate_of(place));
  return made(engine_->sums(members(places), 1, std::vector<bool>(places.size())), std::move(estimates));
}

/// As the paper has it: primes are dropped as long as that takes noise away. What an embedding has more than the mean
/// is then gone before it is squared; estimates, which are of the mean, would not see it grow.
std::size_t LtvAlgebra::product_level(std::span<const Batch* const> operands) const {
  std::size_t primes = parameters_.levels();
  double phase = -1e9;
  for (const Batch* const operand : operands) {
    primes = std::min(primes, of(*operand).polynomials->primes());
    for (const Estimate& estimate : of(*operand).estimates) phase = std::max(phase, estimate.log2_phase);
  }
  // Of log2 V: more than between a sum of three fresh ones, 6.6, and what a division leaves. The paper's sets have one
  // prime for each layer and one more, so that a level dropped before the first product is missing at the last.
  constexpr double worth = 8;
  for (; primes > 1; --primes) {
    const double log2_p = parameters_.log2_limit(primes) - parameters_.log2_limit(primes - 1);
    const double divided = parameters_.noise().switched(phase, log2_p, 1);
    if (phase - divided < worth) break;
    phase = divided;
  }
  return primes;
}

/// At each level divided, or, where that is quieter, as it is for a fresh encryption, just reduced.
BatchPtr LtvAlgebra::lowered(const Batch& a, std::size_t level) const {
  ltv::PolynomialsPtr polynomials = of(a).polynomials;
  std::vector<Estimate> estimates = of(a).estimates;
  for (std::size_t primes = polynomials->primes(); primes > level; --primes) {
    std::vector<bool> is_divided;
    for (Estimate& estimate : estimates) {
      const Estimate after = divided(parameters_, estimate, primes);
      is_divided.push_back(after.log2_phase < estimate.log2_phase);
      if (is_divided.back()) estimate = after;
    }
    polynomials = engine_->lowered(*polynomials, is_divided);
  }
  return made(std::move(polynomials), std::move(estimates));
}

BatchPtr LtvAlgebra::multiply(const Batch& a, const Batch& b) const {
  return sum_products(places_of(a), places_of(b), 1);
}

BatchPtr LtvAlgebra::sum_products(std::span<const Place> a, std::span<const Place> b, std::size_t group) const {
  std::vector<Estimate> estimates;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const Estimate x = estimate_of(a[i]), y = estimate_of(b[i]);
    if (x.key_power != 1 || y.key_power != 1) {
      throw ArgumentError("multiply: a factor is a product that was not relinearised yet; relinearise it first");
    }
    const Estimate product{2, NoiseModel::product(x.log2_phase, y.log2_phase)};
    if (i % group == 0) {
      estimates.push_back(product);
    } else {
      estimates.back() = parameters_.noise().added(estimates.back(), product);
    }
  }
  return made(engine_->sum_products(members(a), members(b), group), std::move(estimates));
}

/// Ciphertexts under f stay as they are.
BatchPtr LtvAlgebra::relinearize(const Batch& a) const {
  const std::vector<Place> all = places_of(a);
  std::vector<Estimate> estimates = of(a).estimates;
  std::vector<Member> done = members(all), products;
  const std::size_t primes = of(a).polynomials->primes();
  const unsigned bits = parameters_.arithmetic()->basis().bits(primes);
  for (std::size_t i = 0; i < estimates.size(); ++i) {
    if (estimates[i].key_power == 1) continue;
    products.push_back(done[i]);
    estimates[i] = {1, parameters_.noise().key_switch(estimates[i].log2_phase, bits, parameters_.window())};
  }
  if (products.empty()) return a.shared_from_this();
  ltv::PolynomialsPtr relinearized = engine_->relinearized(products);
  if (products.size() == all.size()) return made(std::move(relinearized), std::move(estimates));
  for (std::size_t i = 0, next = 0; i < done.size(); ++i) {
    if (of(a).estimates[i].key_power != 1) done[i] = {relinearized.get(), next++};
  }
  return made(engine_->sums(done, 1, std::vector<bool>(done.size())), std::move(estimates));
}

BatchPtr LtvAlgebra::add(const Batch& a, const Batch& b) const {
  const circuit::Summands both[] = {{places_of(a), 1}, {places_of(b), 1}};
  return sum(both, std::vector<std::int64_t>(of(a).estimates.size()));
}

BatchPtr LtvAlgebra::sum_groups(const Batch& a, std::size_t group) const {
  const circuit::Summands all[] = {{places_of(a), group}};
  return sum(all, std::vector<std::int64_t>(of(a).estimates.size() / group));
}

/// All kinds of terms in one pass; estimates are those of adding up kind by kind.
BatchPtr LtvAlgebra::sum(std::span<const circuit::Summands> summands, std::span<const std::int64_t> constants) const {
  const NoiseModel& noise = parameters_.noise();
  if (summands.size() == 1 && summands[0].group == 1 && std::ranges::all_of(constants, [](auto c) { return c == 0; })) {
    return gather(summands[0].places);
  }
  std::vector<Member> terms;
  std::vector<Estimate> estimates;
  std::vector<bool> ones;
  std::size_t group = 0;
  for (const auto& kind : summands) group += kind.group;
  for (std::size_t i = 0; i < constants.size(); ++i) {
    Estimate total;
    for (std::size_t k = 0; k < summands.size(); ++k) {
      const std::span places = std::span(summands[k].places).subspan(i * summands[k].group, summands[k].group);
      Estimate part = estimate_of(places[0]);
      for (const Place& place : places.subspan(1)) part = noise.added(part, estimate_of(place));
      total = k == 0 ? part : noise.added(total, part);
      const std::vector<Member> here = members(places);
      terms.insert(terms.end(), here.begin(), here.end());
    }
    ones.push_back(constants[i] != 0);
    estimates.push_back(ones.back() ? noise.with_plain(total, mean_square_of_one_) : total);
  }
  return made(engine_->sums(terms, group, ones), std::move(estimates));
}

/// Modulo 2 every factor that is not 0 is 1.
BatchPtr LtvAlgebra::scale(const Batch& a, std::span<const std::int64_t>) const { return a.shared_from_this(); }

BatchPtr LtvAlgebra::add_constants(const Batch& a, std::span<const std::int64_t> constants) const {
  const circuit::Summands all[] = {{places_of(a), 1}};
  return sum(all, constants);
}

LtvCounts plan(const circuit::Circuit& circuit, const LtvAlgebra& algebra, const std::vector<BatchPtr>& inputs) {
  std::size_t primes = algebra.engine()->key().parameters()->levels();
  for (const BatchPtr& input : inputs) {
    if (input != nullptr) primes = std::min(primes, of(*input).polynomials->primes());
  }
  if (circuit.depth() > primes) refuse(circuit, primes, 0);
  const auto planned = std::make_shared<PlannedEngine>(algebra.engine());
  const circuit::Result result = evaluate(circuit, LtvAlgebra(planned), blanks(*planned, inputs));
  for (const circuit::LayerReport& layer : result.layers) {
    if (layer.headroom < 0) refuse(circuit, primes, layer.layer);
  }
  return planned->counts();
}

std::vector<BatchPtr> compute(const circuit::Circuit& circuit, const LtvAlgebra& algebra, std::vector<BatchPtr> inputs,
                              const circuit::Progress& progress) {
  const ltv::BatchEnginePtr& engine = algebra.engine();
  const std::size_t bytes = plan(circuit, algebra, inputs).peak_bytes;
  engine->require_memory(message(circuit.name(), " in LTV"), bytes + engine->bytes_besides());
  return evaluate(circuit, algebra, std::move(inputs), progress).outputs;
}

}  // namespace cyclotome::study
