// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include "cyclotome/ring/conversion/divide_and_round.hpp"
#include "cyclotome/ring/tables/key_switch_constants.hpp"
#include "cyclotome/scheme/bfv/behz.hpp"
#include "cyclotome/scheme/bfv/hps.hpp"
#include "testing.hpp"

namespace cyclotome::testing {

void bind_steps(nb::module_& m) {
  nb::class_<DivideAndRound>(m, "DivideAndRound")
      .def(
          "__init__",
          [](DivideAndRound* self, const RingPtr& q, const RingPtr& p, std::uint64_t preserved,
             std::uint64_t numerator) { new (self) DivideAndRound(q, p, PreservedModulus(preserved), numerator); },
          "q"_a, "p"_a, "preserved"_a = 1, "numerator"_a = 1);
  nb::class_<KeySwitchConstants>(m, "KeySwitchConstants")
      .def(
          "__init__",
          [](KeySwitchConstants* self, const RingPtr& q, const RingPtr& p, std::size_t per_digit,
             std::uint64_t preserved) { new (self) KeySwitchConstants(q, p, per_digit, PreservedModulus(preserved)); },
          "q"_a, "p"_a.none(), "per_digit"_a, "preserved"_a = 1)
      .def_prop_ro("digits", [](const KeySwitchConstants& step) { return step.digits.size(); })
      .def_ro("key_ring", &KeySwitchConstants::key_ring);
  nb::class_<bfv::BehzLift>(m, "BehzLift")
      .def(nb::init<const RingPtr&, const RingPtr&, std::uint64_t>(), "q"_a, "auxiliary"_a, "m_tilde"_a);
  nb::class_<bfv::BehzScale>(m, "BehzScale")
      .def(
          "__init__",
          [](bfv::BehzScale* self, const RingPtr& q, const RingPtr& auxiliary, std::uint64_t plain_modulus) {
            new (self) bfv::BehzScale(q, auxiliary, rlwe::PlainModulus(plain_modulus));
          },
          "q"_a, "auxiliary"_a, "plain_modulus"_a)
      .def_prop_ro("joined", [](const bfv::BehzScale& step) { return step.joined; });
  nb::class_<bfv::HpsProduct>(m, "HpsProduct")
      .def(
          "__init__",
          [](bfv::HpsProduct* self, const RingPtr& q, const RingPtr& p, std::uint64_t plain_modulus) {
            new (self) bfv::HpsProduct(q, p, rlwe::PlainModulus(plain_modulus));
          },
          "q"_a, "p"_a, "plain_modulus"_a)
      .def_ro("extend", &bfv::HpsProduct::extend)
      .def_ro("exchange", &bfv::HpsProduct::exchange)
      .def_ro("restore", &bfv::HpsProduct::restore)
      .def_ro("scale", &bfv::HpsProduct::scale);
  m.def(
      "hps_auxiliary_basis",
      [](const Basis& q, std::size_t degree, const std::vector<std::uint64_t>& excluded) {
        return bfv::hps_auxiliary_basis(q, *RingShape::negacyclic(degree), excluded);
      },
      "q"_a, "degree"_a, "excluded"_a);
  m.attr("hps_margin") = bfv::hps_margin;
  nb::class_<bfv::PlainScale>(m, "PlainScale")
      .def(nb::init<const RingPtr&, const RingPtr&, std::uint64_t>(), "q"_a, "plain"_a, "gamma"_a);
  m.def(
      "behz_auxiliary_basis",
      [](const Basis& q, std::size_t degree, std::uint64_t largest_plain_modulus, std::uint64_t m_tilde,
         const std::vector<std::uint64_t>& excluded, std::size_t terms) {
        return bfv::behz_auxiliary_basis(q, *RingShape::negacyclic(degree), rlwe::PlainModulus(largest_plain_modulus),
                                         m_tilde, excluded, terms);
      },
      "q"_a, "degree"_a, "largest_plain_modulus"_a, "m_tilde"_a, "excluded"_a, "terms"_a = 1);
  m.def(
      "behz_auxiliary_basis_of",
      [](const RingShape& shape, const Basis& q, std::uint64_t largest_plain_modulus, std::uint64_t m_tilde,
         const std::vector<std::uint64_t>& excluded) {
        return bfv::behz_auxiliary_basis(q, shape, rlwe::PlainModulus(largest_plain_modulus), m_tilde, excluded);
      },
      "shape"_a, "q"_a, "largest_plain_modulus"_a, "m_tilde"_a, "excluded"_a);
  m.def(
      "behz_auxiliary_suffices",
      [](const Basis& q, const Basis& auxiliary, std::uint64_t expansion, std::uint64_t plain_modulus,
         std::uint64_t m_tilde, std::size_t terms) {
        return bfv::behz_auxiliary_suffices(q, auxiliary, expansion, rlwe::PlainModulus(plain_modulus), m_tilde, terms);
      },
      "q"_a, "auxiliary"_a, "expansion"_a, "plain_modulus"_a, "m_tilde"_a, "terms"_a = 1);
  m.attr("fraction_bits") = fraction_bits;
  m.def("peak_error", [](unsigned word_bits, std::size_t limbs) {
    return peak_error(word_bits == 32 ? Word::u32 : Word::u64, limbs);
  });
  m.def("behz_m_tilde", [](unsigned word_bits) { return bfv::behz_m_tilde(word_bits == 32 ? Word::u32 : Word::u64); });
}

}  // namespace cyclotome::testing
