// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include "cyclotome/study/prime_search.hpp"
#include "testing.hpp"

namespace cyclotome::testing {

namespace {

using Factors = std::vector<std::pair<BigUnsigned, unsigned>>;

std::vector<study::PrimePower> powers_of(const Factors& factors) {
  std::vector<study::PrimePower> powers;
  for (const auto& [prime, exponent] : factors) powers.push_back({prime, exponent});
  return powers;
}

}  // namespace

void bind_study(nb::module_& m) {
  m.def("study_is_prime", &study::is_prime);
  m.def("study_power", &study::power_mod);
  m.def("study_multiply", &study::multiply_mod);
  m.def("study_inverse", &study::inverse_mod);
  m.def("study_primes", [](unsigned bits, std::size_t order, std::size_t count, bool above) {
    return study::primes_with_prime_cofactor(bits, order, count, above ? study::Search::above : study::Search::below);
  });
  m.def("study_find_generator",
        [](const BigUnsigned& p, const Factors& factors) { return study::find_generator(p, powers_of(factors)); });
  m.def("study_is_generator", [](const BigUnsigned& g, const BigUnsigned& p, const Factors& factors) {
    return study::is_generator(g, p, powers_of(factors));
  });
}

}  // namespace cyclotome::testing
