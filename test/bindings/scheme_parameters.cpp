// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/rlwe/parameters.hpp"
#include "cyclotome/scheme/bfv/scheme.hpp"
#include "cyclotome/scheme/planning.hpp"
#include "cyclotome/scheme/registry.hpp"
#include "cyclotome/scheme/special_primes.hpp"
#include "scheme.hpp"

namespace cyclotome::testing {

namespace {

using rlwe::Parameters;
using rlwe::ParametersLiteral;
using rlwe::SecurityTable;

void bind_security(nb::module_& m) {
  nb::enum_<SecurityTable>(m, "SecurityTable")
      .value("guidelines_2024", SecurityTable::guidelines_2024)
      .value("he_standard_2018", SecurityTable::he_standard_2018)
      .value("quantum_guidelines_2024", SecurityTable::quantum_guidelines_2024);
  m.def("security_table", &rlwe::security_table);
  m.def("security_table_name", [](SecurityTable table) { return rlwe::name_of(table); });
  m.def("max_modulus_bits", &rlwe::max_modulus_bits, nb::arg("degree"), nb::arg("security"), nb::arg("table"));
  m.def("security_reached", &rlwe::security_reached, nb::arg("degree"), nb::arg("modulus_bits"), nb::arg("table"));
}

void bind_parameter_sets(nb::module_& m) {
  nb::class_<ParametersLiteral>(m, "ParametersLiteral")
      .def("__init__",
           [](ParametersLiteral* self) {
             new (self) ParametersLiteral();
             self->scheme = &bfv::scheme();
           })
      .def_prop_rw(
          "scheme", [](const ParametersLiteral& p) { return std::string(p.scheme->name()); },
          [](ParametersLiteral& p, const std::string& name) { p.scheme = &scheme::named(name); })
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
      .def_rw("strict", &ParametersLiteral::strict)
      .def_rw("cyclotomic", &ParametersLiteral::cyclotomic)
      .def_rw("name", &ParametersLiteral::name);
  nb::class_<Parameters>(m, "Parameters")
      .def(nb::init<const ParametersLiteral&>())
      .def_prop_ro(
          "literal",
          [](const Parameters& p) { return ParametersLiteral{p.lattice(), &p.scheme(), p.plain_moduli(), p.name()}; })
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
  nb::class_<scheme::Intent>(m, "Intent")
      .def(nb::init<>())
      .def_rw("depth", &scheme::Intent::depth)
      .def_rw("value_bits", &scheme::Intent::value_bits)
      .def_rw("result_bits", &scheme::Intent::result_bits)
      .def_rw("terms", &scheme::Intent::terms)
      .def_rw("plain_products", &scheme::Intent::plain_products)
      .def_rw("security", &scheme::Intent::security)
      .def_rw("table", &scheme::Intent::table)
      .def_prop_rw(
          "word",
          [](const scheme::Intent& intent) -> std::optional<unsigned> {
            return intent.word ? std::optional(bits_of(*intent.word)) : std::nullopt;
          },
          [](scheme::Intent& intent, unsigned bits) { intent.word = word_from_bits(bits); })
      .def_rw("min_degree", &scheme::Intent::min_degree)
      .def_rw("slots", &scheme::Intent::slots)
      .def_prop_rw(
          "scheme", [](const scheme::Intent& intent) { return std::string(intent.scheme->name()); },
          [](scheme::Intent& intent, const std::string& name) { intent.scheme = &scheme::named(name); })
      .def_rw("strict", &scheme::Intent::strict)
      .def_rw("flooding_bits", &scheme::Intent::flooding_bits);
  m.def("with_modulus_bits", &scheme::with_modulus_bits, nb::arg("base"), nb::arg("modulus_bits"));
  m.def("suggest", &scheme::suggest, NoGil());
  m.def(
      "noise_by_depth",
      [](const Parameters& p, std::size_t plain) {
        std::vector<std::array<double, 3>> bounds;
        for (const auto& state : scheme::noise_by_depth(p, rlwe::PlainIndex(plain)))
          bounds.push_back(triple(state.noise));
        return bounds;
      },
      nb::arg("parameters"), nb::arg("plain") = 0);
  m.def("explain", &scheme::explain);
  m.def("key_switching_choices", [](const Parameters& p) {
    nb::list choices;
    for (const auto& c : scheme::key_switching_choices(p)) {
      choices.append(nb::make_tuple(c.parameters, c.relative_cost, c.headroom, c.allowed, c.chosen));
    }
    return choices;
  });
  m.def("sizes_in_memory", [](const Parameters& p) {
    const scheme::Sizes sizes = scheme::sizes_in_memory(p);
    return nb::make_tuple(sizes.ciphertext, sizes.public_key, sizes.relinearization_key, sizes.galois_key);
  });
  m.def("preset", &scheme::preset, nb::arg("name"), nb::arg("allow_insecure") = false);
  m.def("preset_names", &scheme::preset_names);
}

}  // namespace cyclotome::testing
