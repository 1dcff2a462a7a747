// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"
#include "cyclotome/ring/behz.hpp"
#include "cyclotome/ring/divide_and_round.hpp"

namespace cyclotome::testing {

void bind_steps(nb::module_& m) {
  nb::class_<DivideAndRound>(m, "DivideAndRound")
      .def(nb::init<const RingPtr&, const RingPtr&>(), nb::arg("q"), nb::arg("p"));
  nb::class_<BehzLift>(m, "BehzLift")
      .def(nb::init<const RingPtr&, const RingPtr&, std::uint64_t>(), nb::arg("q"), nb::arg("auxiliary"),
           nb::arg("m_tilde"));
  nb::class_<BehzScale>(m, "BehzScale")
      .def(nb::init<const RingPtr&, const RingPtr&, std::uint64_t>(), nb::arg("q"), nb::arg("auxiliary"),
           nb::arg("plain_modulus"))
      .def_prop_ro("joined", [](const BehzScale& step) { return step.joined; });
  nb::class_<PlainScale>(m, "PlainScale")
      .def(nb::init<const RingPtr&, const RingPtr&, std::uint64_t>(), nb::arg("q"), nb::arg("plain"), nb::arg("gamma"));
  m.def("behz_auxiliary_basis", &behz_auxiliary_basis, nb::arg("q"), nb::arg("degree"),
        nb::arg("largest_plain_modulus"), nb::arg("m_tilde"), nb::arg("excluded"), nb::arg("terms") = 1);
  m.def("behz_auxiliary_suffices", &behz_auxiliary_suffices, nb::arg("q"), nb::arg("auxiliary"), nb::arg("degree"),
        nb::arg("plain_modulus"), nb::arg("m_tilde"), nb::arg("terms") = 1);
  m.def("behz_m_tilde", [](unsigned word_bits) { return behz_m_tilde(word_bits == 32 ? Word::u32 : Word::u64); });
}

}  // namespace cyclotome::testing
