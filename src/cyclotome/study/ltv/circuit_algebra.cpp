// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/study/ltv/circuit_algebra.hpp"

#include <algorithm>
#include <cmath>

#include "cyclotome/math/errors.hpp"

namespace cyclotome::study::ltv {

namespace {

using circuit::Batch;
using circuit::BatchPtr;
using Items = std::vector<std::shared_ptr<const Ciphertext>>;

struct LtvBatch final : Batch {
  explicit LtvBatch(Items i) : items(std::move(i)) {}
  Items items;
};

const Items& items_of(const Batch& a) { return dynamic_cast<const LtvBatch&>(a).items; }

/// A batch of function(item) for every item.
template <class Function>
BatchPtr each(const Batch& a, const Function& function) {
  Items result;
  for (std::size_t i = 0; i < items_of(a).size(); ++i) {
    result.push_back(std::make_shared<const Ciphertext>(function(*items_of(a)[i], i)));
  }
  return std::make_shared<LtvBatch>(std::move(result));
}

double log2_prime(const Parameters& parameters, std::size_t primes) {
  return std::log2(static_cast<double>(parameters.arithmetic()->basis().prime(primes - 1)));
}

}  // namespace

CircuitAlgebra::CircuitAlgebra(std::shared_ptr<const SwitchingKey> relinearization)
    : key_(std::move(relinearization)), parameters_(key_->parameters()) {
  if (key_->element() != 0)
    throw MissingKeyError("circuits over LTV: the key moves slots; give the one of relinearisation");
}

BatchPtr CircuitAlgebra::batch(std::vector<Ciphertext> ciphertexts) const {
  Items items;
  for (Ciphertext& one : ciphertexts) {
    if (one.parameters->fingerprint() != parameters_->fingerprint() || one.key != key_->id()) {
      throw MismatchError(
          "circuits over LTV: a ciphertext of other parameters or another key; use what one keygen made");
    }
    items.push_back(std::make_shared<const Ciphertext>(std::move(one)));
  }
  return std::make_shared<LtvBatch>(std::move(items));
}

std::vector<Ciphertext> CircuitAlgebra::ciphertexts(const Batch& a) {
  std::vector<Ciphertext> result;
  for (const auto& item : items_of(a)) result.push_back(*item);
  return result;
}

circuit::Facts CircuitAlgebra::facts(const Batch& a) const {
  circuit::Facts facts{items_of(a).size(), 2, parameters_->levels(), -1e9, 1e9};
  for (const auto& item : items_of(a)) {
    facts.parts = std::max<std::size_t>(facts.parts, item->key_power + 1);
    facts.level = item->polynomial.primes;
    facts.log2_noise = std::max(facts.log2_noise, item->log2_phase / 2);
    facts.headroom = std::min(facts.headroom, item->headroom());
  }
  return facts;
}

BatchPtr CircuitAlgebra::gather(std::span<const circuit::Place> places) const {
  Items items;
  for (const circuit::Place& place : places) items.push_back(items_of(*place.batch).at(place.item));
  return std::make_shared<LtvBatch>(std::move(items));
}

double CircuitAlgebra::most_of_factor(std::size_t primes) const {
  const unsigned bits = parameters_->arithmetic()->basis().bits(primes);
  return parameters_->noise().key_switch(0, bits, parameters_->window()) / 2;
}

std::size_t CircuitAlgebra::product_level(std::span<const Batch* const> operands) const {
  std::size_t level = parameters_->levels();
  for (const Batch* const operand : operands) {
    for (const auto& item : items_of(*operand)) {
      std::size_t primes = item->polynomial.primes;
      double phase = item->log2_phase;
      for (; primes > 1 && phase > most_of_factor(primes); --primes) {
        phase = parameters_->noise().switched(phase, log2_prime(*parameters_, primes), 1);
      }
      level = std::min(level, primes);
    }
  }
  return level;
}

Ciphertext CircuitAlgebra::brought_to(Ciphertext a, std::size_t primes) const {
  while (a.polynomial.primes > primes) {
    const double log2_p = log2_prime(*parameters_, a.polynomial.primes);
    const bool quieter = parameters_->noise().switched(a.log2_phase, log2_p, a.key_power) < a.log2_phase;
    a = quieter ? switch_modulus(a) : reduce_to(a, a.level() + 1);
  }
  return a;
}

BatchPtr CircuitAlgebra::lowered(const Batch& a, std::size_t level) const {
  return each(a, [&](const Ciphertext& item, std::size_t) { return brought_to(item, level); });
}

BatchPtr CircuitAlgebra::multiply(const Batch& a, const Batch& b) const {
  return each(a, [&](const Ciphertext& item, std::size_t i) { return ltv::multiply(item, *items_of(b).at(i)); });
}

BatchPtr CircuitAlgebra::relinearize(const Batch& a) const {
  return each(a, [&](const Ciphertext& item, std::size_t) { return ltv::relinearize(item, *key_); });
}

BatchPtr CircuitAlgebra::add(const Batch& a, const Batch& b) const {
  return each(a, [&](const Ciphertext& item, std::size_t i) { return ltv::add(item, *items_of(b).at(i)); });
}

BatchPtr CircuitAlgebra::sum_groups(const Batch& a, std::size_t group) const {
  Items sums;
  for (std::size_t i = 0; i < items_of(a).size(); i += group) {
    Ciphertext sum = *items_of(a)[i];
    for (std::size_t k = 1; k < group; ++k) sum = ltv::add(sum, *items_of(a).at(i + k));
    sums.push_back(std::make_shared<const Ciphertext>(std::move(sum)));
  }
  return std::make_shared<LtvBatch>(std::move(sums));
}

BatchPtr CircuitAlgebra::scale(const Batch& a, std::span<const std::int64_t>) const { return a.shared_from_this(); }

BatchPtr CircuitAlgebra::add_constants(const Batch& a, std::span<const std::int64_t> constants) const {
  Bits one(parameters_->degree());
  one[0] = 1;  // 1 in every slot
  return each(
      a, [&](const Ciphertext& item, std::size_t i) { return constants[i] % 2 == 0 ? item : add_plain(item, one); });
}

}  // namespace cyclotome::study::ltv
