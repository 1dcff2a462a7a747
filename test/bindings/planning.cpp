// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/scheme/planning.hpp"

#include <nanobind/stl/pair.h>

#include "cyclotome/rlwe/parameters/parameters.hpp"
#include "cyclotome/scheme/special_primes.hpp"
#include "polynomials.hpp"

namespace cyclotome::testing {

void bind_planning(nb::module_& m) {
  using rlwe::Parameters;
  m.def(
      "security_reached",
      [](std::size_t degree, unsigned modulus_bits, const std::string& table) {
        return rlwe::security_reached(degree, modulus_bits, rlwe::security_table(table));
      },
      "degree"_a, "modulus_bits"_a, "table"_a);
  m.def("primes_per_digit", &Parameters::primes_per_digit, "parameters"_a);
  // Of each depth: the level, and the noise there.
  m.def(
      "noise_by_depth",
      [](const Parameters& p, std::size_t plain) {
        std::vector<std::pair<std::size_t, std::array<double, 3>>> states;
        for (const auto& state : scheme::noise_by_depth(p, rlwe::PlainIndex(plain))) {
          states.emplace_back(state.level.primes, triple(state.noise));
        }
        return states;
      },
      "parameters"_a, "plain"_a = 0);
  m.def(
      "key_switch_choices",
      [](const Parameters& p) {
        nb::list choices;
        for (const auto& c : scheme::key_switch_choices(p)) {
          choices.append(nb::make_tuple(c.parameters, c.relative_cost, c.headroom, c.allowed, c.chosen));
        }
        return choices;
      },
      "parameters"_a);
  m.def(
      "sizes_in_memory",
      [](const Parameters& p) {
        const scheme::Sizes sizes = scheme::sizes_in_memory(p);
        return nb::make_tuple(sizes.ciphertext, sizes.public_key, sizes.relinearization_key, sizes.galois_key);
      },
      "parameters"_a);
}

}  // namespace cyclotome::testing
