// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/circuit/parameters.hpp"

#include <algorithm>
#include <map>

#include "cyclotome/circuit/plan.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/interrupt.hpp"
#include "cyclotome/math/primes.hpp"
#include "cyclotome/scheme/special_primes.hpp"

namespace cyclotome::circuit {

namespace {

constexpr std::size_t most_special = 8;

using Circuits = std::span<const Circuit* const>;

/// The first `count` primes above 2^width with a transform, ascending; fewer if they outgrow the word.
std::vector<std::uint64_t> primes_above(unsigned width, std::size_t count, const rlwe::ParametersLiteral& base) {
  const std::uint64_t step = base.ring()->transform_step(), end = std::uint64_t{1} << scheme::widest_prime(base.word);
  std::vector<std::uint64_t> primes;
  for (std::uint64_t p = ((std::uint64_t{1} << width) / step + 1) * step + 1; p < end && primes.size() < count;
       p += step) {
    if (is_prime(p) && std::ranges::find(base.plain_moduli, p) == base.plain_moduli.end()) primes.push_back(p);
  }
  return primes;
}

bool carries(const rlwe::Parameters& parameters, Circuits circuits) {
  return std::ranges::all_of(circuits, [&](const Circuit* circuit) {
    check_interrupt();
    return circuit::carries(*circuit, parameters);
  });
}

/// The cheapest parameters with `count` ciphertext primes above 2^width that carry the circuits.
std::optional<rlwe::Parameters> with_primes(Circuits circuits, rlwe::ParametersLiteral base, std::size_t count,
                                            unsigned width) {
  const std::vector<std::uint64_t> primes = primes_above(width, count + most_special, base);
  std::multimap<double, rlwe::Parameters> by_cost;
  for (std::size_t special = 1; count + special <= primes.size(); ++special) {
    const auto middle = primes.begin() + static_cast<std::ptrdiff_t>(count);
    base.moduli.assign(primes.begin(), middle);
    base.special_moduli.assign(middle, middle + static_cast<std::ptrdiff_t>(special));
    try {
      rlwe::Parameters candidate(base);
      by_cost.emplace(scheme::cost(candidate), std::move(candidate));
    } catch (const ParameterError&) {  // security forbids it, or the ring has no room for its messages
    }
  }
  for (const auto& [cost, candidate] : by_cost) {
    check_interrupt();
    if (carries(candidate, circuits)) return candidate;
  }
  return std::nullopt;
}

/// The narrowest of so many primes that carry them.
std::optional<rlwe::Parameters> with_count(Circuits circuits, const rlwe::ParametersLiteral& base, std::size_t count) {
  unsigned low = scheme::narrowest_prime(*base.ring()) - 1, high = scheme::widest_prime(base.word) - 1;
  auto best = with_primes(circuits, base, count, high);
  // Narrower primes may be too few, or too narrow; wider ones too long for security. What serves lies in between.
  for (unsigned width = high; !best && width-- > low;) best = with_primes(circuits, base, count, high = width);
  while (best && low < high) {
    const unsigned middle = low + (high - low) / 2;
    if (auto found = with_primes(circuits, base, count, middle)) {
      best = std::move(found);
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return best;
}

}  // namespace

std::optional<rlwe::Parameters> parameters_for(Circuits circuits, const rlwe::ParametersLiteral& base) {
  rlwe::require_known(base.scheme, base.word, base.table);
  if (circuits.empty()) throw ArgumentError("parameters for no circuit; name one or more");
  std::optional<rlwe::Parameters> best;
  std::size_t layers = 0;
  for (const Circuit* const circuit : circuits) {
    layers = std::max<std::size_t>(layers, circuit->depth() + 1);
    if (circuit->modulus() == circuits.front()->modulus()) continue;
    throw MismatchError(message(circuits.front()->name(), " computes modulo ", circuits.front()->modulus(), ", and ",
                                circuit->name(), " modulo ", circuit->modulus(), "; keys have one modulus for both"));
  }
  for (const std::size_t count : {(layers + 1) / 2, (layers + 1) / 2 + 1, layers, layers + 1}) {
    auto found = with_count(circuits, base, count);
    if (found && (!best || scheme::cost(*found) < scheme::cost(*best))) best = std::move(found);
  }
  return best;
}

}  // namespace cyclotome::circuit
