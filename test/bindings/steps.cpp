// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"
#include "cyclotome/ring/divide_and_round.hpp"
#include "cyclotome/ring/key_switch_constants.hpp"
#include "cyclotome/scheme/bfv/behz.hpp"
#include "cyclotome/scheme/bfv/hps.hpp"

namespace cyclotome::testing {

void bind_steps(nb::module_& m) {
  nb::class_<DivideAndRound>(m, "DivideAndRound")
      .def(nb::init<const RingPtr&, const RingPtr&, std::uint64_t, std::uint64_t>(), nb::arg("q"), nb::arg("p"),
           nb::arg("preserved") = 1, nb::arg("numerator") = 1);
  nb::class_<KeySwitchConstants>(m, "KeySwitchConstants")
      .def(nb::init<const RingPtr&, const RingPtr&, std::size_t, std::uint64_t>(), nb::arg("q"), nb::arg("p").none(),
           nb::arg("per_digit"), nb::arg("preserved") = 1)
      .def_prop_ro("digits", [](const KeySwitchConstants& step) { return step.digits.size(); })
      .def_ro("key_ring", &KeySwitchConstants::key_ring);
  nb::class_<bfv::BehzLift>(m, "BehzLift")
      .def(nb::init<const RingPtr&, const RingPtr&, std::uint64_t>(), nb::arg("q"), nb::arg("auxiliary"),
           nb::arg("m_tilde"));
  nb::class_<bfv::BehzScale>(m, "BehzScale")
      .def(nb::init<const RingPtr&, const RingPtr&, std::uint64_t>(), nb::arg("q"), nb::arg("auxiliary"),
           nb::arg("plain_modulus"))
      .def_prop_ro("joined", [](const bfv::BehzScale& step) { return step.joined; });
  nb::class_<bfv::HpsProduct>(m, "HpsProduct")
      .def(nb::init<const RingPtr&, const RingPtr&, std::uint64_t>(), nb::arg("q"), nb::arg("p"),
           nb::arg("plain_modulus"))
      .def_ro("extend", &bfv::HpsProduct::extend)
      .def_ro("exchange", &bfv::HpsProduct::exchange)
      .def_ro("restore", &bfv::HpsProduct::restore)
      .def_ro("scale", &bfv::HpsProduct::scale);
  m.def(
      "hps_auxiliary_basis",
      [](const Basis& q, std::size_t degree, const std::vector<std::uint64_t>& excluded) {
        return bfv::hps_auxiliary_basis(q, *RingShape::negacyclic(degree), excluded);
      },
      nb::arg("q"), nb::arg("degree"), nb::arg("excluded"));
  m.def("hps_auxiliary_limbs", &bfv::hps_auxiliary_limbs, nb::arg("q"), nb::arg("p"));
  m.attr("hps_margin") = bfv::hps_margin;
  nb::class_<bfv::PlainScale>(m, "PlainScale")
      .def(nb::init<const RingPtr&, const RingPtr&, std::uint64_t>(), nb::arg("q"), nb::arg("plain"), nb::arg("gamma"));
  m.def(
      "behz_auxiliary_basis",
      [](const Basis& q, std::size_t degree, std::uint64_t largest_plain_modulus, std::uint64_t m_tilde,
         const std::vector<std::uint64_t>& excluded, std::size_t terms) {
        return bfv::behz_auxiliary_basis(q, *RingShape::negacyclic(degree), largest_plain_modulus, m_tilde, excluded,
                                         terms);
      },
      nb::arg("q"), nb::arg("degree"), nb::arg("largest_plain_modulus"), nb::arg("m_tilde"), nb::arg("excluded"),
      nb::arg("terms") = 1);
  m.def("behz_auxiliary_suffices", &bfv::behz_auxiliary_suffices, nb::arg("q"), nb::arg("auxiliary"),
        nb::arg("expansion"), nb::arg("plain_modulus"), nb::arg("m_tilde"), nb::arg("terms") = 1);
  m.attr("fraction_bits") = fraction_bits;
  m.def("peak_error", [](unsigned word_bits, std::size_t limbs) {
    return peak_error(word_bits == 32 ? Word::u32 : Word::u64, limbs);
  });
  m.def("behz_m_tilde", [](unsigned word_bits) { return bfv::behz_m_tilde(word_bits == 32 ? Word::u32 : Word::u64); });
}

}  // namespace cyclotome::testing
