// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/array.h>
#include <nanobind/stl/pair.h>

#include "cyclotome/rlwe/encryption.hpp"
#include "cyclotome/scheme/bgv/context.hpp"
#include "cyclotome/scheme/bgv/noise.hpp"
#include "cyclotome/scheme/bgv/operations.hpp"
#include "cyclotome/scheme/deterministic.hpp"
#include "cyclotome/scheme/planning.hpp"
#include "cyclotome/scheme/scheme.hpp"
#include "scheme.hpp"

namespace cyclotome::testing {

namespace {

using rlwe::Ciphertext;
using rlwe::ContextPtr;
using rlwe::Plaintext;

using Residues = nb::ndarray<const std::uint64_t, nb::ndim<4>, nb::c_contig, nb::device::cpu>;

/// A ciphertext of any level and correction factor, made of any residues in the coefficient domain.
Ciphertext crafted(const ContextPtr& context, const nb::bytes& key, std::size_t plain, const Residues& residues,
                   double log2_max, std::uint64_t correction) {
  PolyArray array =
      context->make(context->level_ring(rlwe::Level(residues.shape(2))), residues.shape(0), residues.shape(1));
  array.from_host({residues.data(), residues.size()});
  array.to_transform();
  return Ciphertext(context, key_id_from(key), rlwe::PlainIndex(plain), std::move(array), chosen(*context, log2_max),
                    std::nullopt, correction);
}

}  // namespace

void bind_bgv(nb::module_& parent) {
  nb::module_ m = parent.def_submodule("bgv");
  m.def("encrypt", nb::overload_cast<const Plaintext&, const rlwe::PublicKey&, Seed&&>(&scheme::deterministic::encrypt),
        NoGil());
  m.def("encrypt", nb::overload_cast<const Plaintext&, const rlwe::SecretKey&, Seed&&>(&scheme::deterministic::encrypt),
        NoGil());
  m.def("decrypt", &scheme::decrypt, NoGil());
  m.def("decrypt_unchecked", &scheme::decrypt_unchecked, NoGil());
  m.def("reveal", &scheme::deterministic::reveal, NoGil());
  m.def("noise_headroom", &scheme::noise_headroom);
  m.def("noise_budget", &scheme::noise_budget, NoGil());
  m.def("measured_noise", &scheme::measured_noise, NoGil());
  m.def("crafted", &crafted, nb::arg("context"), nb::arg("key"), nb::arg("plain"), nb::arg("residues"),
        nb::arg("log2_max") = -1e9, nb::arg("correction") = 1);
  m.def("level", &Ciphertext::limbs);
  m.def("correction", &Ciphertext::correction);
  m.def("switch_modulus", &bgv::switch_modulus, NoGil());
  m.def(
      "switch_to_level",
      [](const Ciphertext& a, std::size_t level) { return bgv::switch_to_level(a, rlwe::Level(level)); }, NoGil());
  m.def("best_product_level",
        [](const Ciphertext& a, const Ciphertext& b) { return bgv::best_product_level(a, b).primes; });
  m.def("add", &scheme::add, NoGil());
  m.def("subtract", &scheme::subtract, NoGil());
  m.def("add_plain", &scheme::add_plain, NoGil());
  m.def("subtract_plain", &scheme::subtract_plain, NoGil());
  m.def("multiply", &bgv::multiply, nb::arg("a"), nb::arg("b"), nb::arg("automatic") = true, NoGil());
  m.def("square", &bgv::square, nb::arg("a"), nb::arg("automatic") = true, NoGil());
  m.def("concatenate", [](const std::vector<const Ciphertext*>& arrays) { return scheme::concatenate(arrays); });
  m.def("rerandomize", &scheme::deterministic::rerandomize, NoGil());
  m.def("levels_by_depth", [](const rlwe::Parameters& parameters) {
    std::vector<std::pair<std::size_t, std::array<double, 3>>> states;
    for (const auto& state : scheme::noise_by_depth(parameters)) {
      states.emplace_back(state.level.primes, triple(state.noise));
    }
    return states;
  });
}

}  // namespace cyclotome::testing
