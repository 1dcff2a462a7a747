// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/rlwe/parameters.hpp"
#include "cyclotome/scheme/bfv/planning.hpp"
#include "scheme.hpp"

namespace cyclotome::testing {

namespace {

using rlwe::Parameters;
using rlwe::ParametersLiteral;
using rlwe::SecurityTable;

void bind_security(nb::module_& m) {
  nb::enum_<SecurityTable>(m, "SecurityTable")
      .value("guidelines_2024", SecurityTable::guidelines_2024)
      .value("he_standard_2018", SecurityTable::he_standard_2018);
  m.def("security_table", &rlwe::security_table);
  m.def("security_table_name", [](SecurityTable table) { return rlwe::name_of(table); });
  m.def("max_modulus_bits", &rlwe::max_modulus_bits, nb::arg("degree"), nb::arg("security"), nb::arg("table"));
  m.def("security_reached", &rlwe::security_reached, nb::arg("degree"), nb::arg("modulus_bits"), nb::arg("table"));
}

void bind_parameter_sets(nb::module_& m) {
  nb::class_<ParametersLiteral>(m, "ParametersLiteral")
      .def(nb::init<>())
      .def_rw("degree", &ParametersLiteral::degree)
      .def_rw("plain_moduli", &ParametersLiteral::plain_moduli)
      .def_rw("moduli", &ParametersLiteral::moduli)
      .def_rw("special_moduli", &ParametersLiteral::special_moduli)
      .def_rw("digits", &ParametersLiteral::digits)
      .def_prop_rw(
          "word", [](const ParametersLiteral& p) { return bits_of(p.word); },
          [](ParametersLiteral& p, unsigned bits) { p.word = word_from_bits(bits); })
      .def_rw("security", &ParametersLiteral::security)
      .def_rw("table", &ParametersLiteral::table)
      .def_rw("allow_insecure", &ParametersLiteral::allow_insecure)
      .def_rw("name", &ParametersLiteral::name);
  nb::class_<Parameters>(m, "Parameters")
      .def(nb::init<ParametersLiteral>())
      .def_prop_ro("literal", &Parameters::literal, nb::rv_policy::copy)
      .def_prop_ro("degree", &Parameters::degree)
      .def_prop_ro("plain_moduli", &Parameters::plain_moduli)
      .def_prop_ro("moduli", &Parameters::moduli)
      .def_prop_ro("special_moduli", &Parameters::special_moduli)
      .def_prop_ro("digits", &Parameters::digits)
      .def_prop_ro("primes_per_digit", &Parameters::primes_per_digit)
      .def_prop_ro("word", [](const Parameters& p) { return bits_of(p.word()); })
      .def_prop_ro("name", &Parameters::name)
      .def_prop_ro("modulus_bits", &Parameters::modulus_bits)
      .def_prop_ro("key_modulus_bits", &Parameters::key_modulus_bits)
      .def_prop_ro("insecure", &Parameters::insecure)
      .def_prop_ro("security_reached", &Parameters::security_reached)
      .def_prop_ro("fingerprint",
                   [](const Parameters& p) { return nb::bytes(p.fingerprint().data(), p.fingerprint().size()); })
      .def("summary", &Parameters::summary);
}

}  // namespace

void bind_parameters(nb::module_& m) {
  bind_security(m);
  bind_parameter_sets(m);
}

void bind_planning(nb::module_& m) {
  nb::class_<bfv::Intent>(m, "Intent")
      .def(nb::init<>())
      .def_rw("depth", &bfv::Intent::depth)
      .def_rw("value_bits", &bfv::Intent::value_bits)
      .def_rw("result_bits", &bfv::Intent::result_bits)
      .def_rw("terms", &bfv::Intent::terms)
      .def_rw("plain_products", &bfv::Intent::plain_products)
      .def_rw("security", &bfv::Intent::security)
      .def_rw("table", &bfv::Intent::table)
      .def_prop_rw(
          "word",
          [](const bfv::Intent& intent) -> std::optional<unsigned> {
            return intent.word ? std::optional(bits_of(*intent.word)) : std::nullopt;
          },
          [](bfv::Intent& intent, unsigned bits) { intent.word = word_from_bits(bits); })
      .def_rw("min_degree", &bfv::Intent::min_degree)
      .def_rw("slots", &bfv::Intent::slots);
  m.def("suggest", &bfv::suggest, NoGil());
  m.def(
      "noise_by_depth",
      [](const Parameters& p, std::size_t plain) {
        std::vector<double> deviations;
        for (const auto& noise : bfv::noise_by_depth(p, plain)) deviations.push_back(noise.log2_deviation);
        return deviations;
      },
      nb::arg("parameters"), nb::arg("plain") = 0);
  m.def("explain", &bfv::explain);
  m.def("sizes_in_memory", [](const Parameters& p) {
    const bfv::Sizes sizes = bfv::sizes_in_memory(p);
    return nb::make_tuple(sizes.ciphertext, sizes.public_key, sizes.relinearization_key, sizes.galois_key);
  });
  m.def("preset", &bfv::preset, nb::arg("name"), nb::arg("allow_insecure") = false);
  m.def("preset_names", &bfv::preset_names);
}

}  // namespace cyclotome::testing
