// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/scheme/bfv/context.hpp"
#include "cyclotome/scheme/bfv/levels.hpp"
#include "cyclotome/scheme/bfv/operations.hpp"
#include "cyclotome/scheme/bfv/scheme.hpp"
#include "cyclotome/scheme/bgv/operations.hpp"
#include "polynomials.hpp"

// What one scheme alone can be asked for.
namespace cyclotome::testing {

using rlwe::Ciphertext;

void bind_bfv(nb::module_& parent) {
  nb::module_ m = parent.def_submodule("bfv");
  nb::enum_<bfv::ProductMethod>(m, "ProductMethod")
      .value("behz", bfv::ProductMethod::behz)
      .value("hps_over_q", bfv::ProductMethod::hps_over_q)
      .value("hps_over_q_leveled", bfv::ProductMethod::hps_over_q_leveled);
  m.def("product_level", [](const Ciphertext& a, const Ciphertext& b) {
    return bfv::product_level(a.context()->parameters(), a.level(), a.noise(), b.noise()).primes;
  });
  m.def("hps_moduli", [](const rlwe::ContextPtr& c, std::size_t limbs) {
    const auto& hps = bfv::bfv_context(c).hps(rlwe::Level(limbs), rlwe::PlainIndex(0));
    return hps.auxiliary_ring->basis().values();
  });
  const auto method = "method"_a = bfv::ProductMethod::hps_over_q_leveled;
  m.def("multiply", &bfv::multiply, "a"_a, "b"_a, method, NoGil());
  m.def("square", &bfv::square, "a"_a, method, NoGil());
  m.def("multiply_relinearized", &bfv::multiply_relinearized, "a"_a, "b"_a, "keys"_a, method, NoGil());
  m.def("square_relinearized", &bfv::square_relinearized, "a"_a, "keys"_a, method, NoGil());
}

void bind_bgv(nb::module_& parent) {
  nb::module_ m = parent.def_submodule("bgv");
  m.def("correction", &Ciphertext::correction);
  m.def("switch_modulus", &bgv::switch_modulus, NoGil());
  m.def("multiply", &bgv::multiply, "a"_a, "b"_a, "automatic"_a = true, NoGil());
  m.def("square", &bgv::square, "a"_a, "automatic"_a = true, NoGil());
}

}  // namespace cyclotome::testing
