// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/rlwe/parameters/parameters.hpp"

#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/bindings.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/primes.hpp"
#include "cyclotome/rlwe/encapsulation/sparse_secrets.hpp"
#include "cyclotome/rlwe/keys/lattice.hpp"
#include "cyclotome/rlwe/noise/flooding.hpp"
#include "cyclotome/scheme/bfv/bootstrapping/parameters.hpp"
#include "cyclotome/scheme/planning.hpp"
#include "cyclotome/scheme/registry.hpp"
#include "cyclotome/value/matrices/field_rolls.hpp"

namespace cyclotome::python {

namespace {

using rlwe::Parameters;

Word word_of(unsigned bits) {
  if (bits == 32) return Word::u32;
  if (bits == 64) return Word::u64;
  throw ParameterError(message("words have 32 or 64 bits, not ", bits));
}

void bind_class(nb::module_& m) {
  nb::class_<Parameters>(m, "Parameters")
      .def(
          "__init__",
          [](Parameters* self, const std::string& scheme, std::size_t degree, std::vector<std::uint64_t> plain_moduli,
             std::vector<std::uint64_t> moduli, std::vector<std::uint64_t> special_moduli, std::size_t digits,
             unsigned word, unsigned security, const std::string& table, bool allow_insecure, bool strict,
             std::string name, std::size_t cyclotomic, std::size_t parties) {
            new (self) Parameters({{degree, std::move(moduli), std::move(special_moduli), digits, word_of(word),
                                    security, rlwe::security_table(table), allow_insecure, strict, cyclotomic, parties},
                                   &scheme::named(scheme),
                                   std::move(plain_moduli),
                                   std::move(name)});
          },
          nb::kw_only(), "scheme"_a, "degree"_a, "plain_moduli"_a, "moduli"_a, "special_moduli"_a, "digits"_a, "word"_a,
          "security"_a, "table"_a, "allow_insecure"_a, "strict"_a, "name"_a, "cyclotomic"_a = 0, "parties"_a = 1)
      .def_prop_ro("scheme", [](const Parameters& p) { return std::string(p.scheme().name()); })
      .def_prop_ro(
          "has_levels", [](const Parameters& p) { return p.scheme().has_levels(); },
          "Whether ciphertexts may have fewer primes than ``moduli``.")
      .def_prop_ro("degree", &Parameters::degree)
      .def_prop_ro("cyclotomic", &Parameters::cyclotomic)
      .def_prop_ro("ring", &Parameters::ring)
      .def_prop_ro("plain_moduli", &Parameters::plain_moduli)
      .def_prop_ro("moduli", &Parameters::moduli)
      .def_prop_ro("special_moduli", &Parameters::special_moduli)
      .def_prop_ro("digits", &Parameters::digits)
      .def_prop_ro("word", [](const Parameters& p) { return bits_of(p.word()); })
      .def_prop_ro("security", &Parameters::security)
      .def_prop_ro("table", [](const Parameters& p) { return rlwe::name_of(p.table()); })
      .def_prop_ro("counts_quantum_attacks",
                   [](const Parameters& p) { return rlwe::counts_quantum_attacks(p.table()); })
      .def(
          "security_by",
          [](const Parameters& p, const std::string& table) {
            return rlwe::security_granted(p.degree(), p.key_modulus_bits(), rlwe::security_table(table));
          },
          "table"_a)
      .def_prop_ro("allow_insecure", &Parameters::allow_insecure)
      .def_prop_ro("strict", &Parameters::strict)
      .def_prop_ro("parties", &Parameters::parties)
      .def_prop_ro("name", &Parameters::name)
      .def_prop_ro("modulus_bits", &Parameters::modulus_bits)
      .def_prop_ro("key_modulus_bits", &Parameters::key_modulus_bits)
      .def_prop_ro("has_slots", [](const Parameters& p) { return p.has_slots(); })
      .def_prop_ro("slots", &Parameters::slots)
      .def_prop_ro("slot_degree", &Parameters::slot_degree)
      .def_prop_ro("slots_by_default", &Parameters::slots_by_default)
      .def_prop_ro("slot_ring", &Parameters::slot_ring)
      .def_prop_ro("has_coefficients", &Parameters::has_coefficients)
      .def_prop_ro(
          "field_degree",
          [](const Parameters& p) { return p.field_slots() == nullptr ? 0U : p.field_slots()->field().degree(); },
          "r where values are elements of GF(2^r); else 0.")
      .def_prop_ro("field_polynomial",
                   [](const Parameters& p) {
                     return p.field_slots() == nullptr ? std::uint64_t{0} : p.field_slots()->field().polynomial();
                   })
      .def_prop_ro("slot_shape",
                   [](const Parameters& p) {
                     std::vector<std::size_t> shape;
                     if (p.field_slots() != nullptr) {
                       for (const auto& dimension : p.field_slots()->dimensions()) shape.push_back(dimension.length);
                     }
                     return shape;
                   })
      .def_prop_ro("slot_elements", &value::slot_elements, "Galois elements whose keys sums and rolls of slots take.")
      .def_prop_ro("insecure", &Parameters::insecure)
      .def_prop_ro("security_reached", &Parameters::security_reached)
      .def_prop_ro("fingerprint", [](const Parameters& p) { return to_bytes(p.fingerprint()); })
      .def_prop_ro("lattice_fingerprint", [](const Parameters& p) { return to_bytes(rlwe::lattice_fingerprint(p)); })
      .def("summary", &Parameters::summary)
      .def("explain", &scheme::explain, NoGil());
}

}  // namespace

void bind_parameters(nb::module_& m) {
  bind_class(m);
  m.def(
      "suggest",
      [](unsigned depth, unsigned value_bits, unsigned result_bits, std::uint64_t terms, unsigned plain_products,
         unsigned security, const std::string& table, std::optional<unsigned> word, std::size_t min_degree, bool slots,
         const std::optional<std::string>& scheme, unsigned flooding_bits, bool strict, bool bits,
         std::size_t cyclotomic, std::size_t parties) {
        return scheme::suggest({depth, value_bits, result_bits, terms, plain_products, security,
                                rlwe::security_table(table), word ? std::optional(word_of(*word)) : std::nullopt,
                                min_degree, slots, scheme ? &scheme::named(*scheme) : nullptr, flooding_bits, strict,
                                bits, cyclotomic, parties});
      },
      nb::kw_only(), "depth"_a, "value_bits"_a, "result_bits"_a, "terms"_a, "plain_products"_a, "security"_a, "table"_a,
      "word"_a, "min_degree"_a, "slots"_a, "scheme"_a, "flooding_bits"_a, "strict"_a, "bits"_a = false,
      "cyclotomic"_a = 0, "parties"_a = 1, NoGil());
  m.def(
      "with_modulus_bits",
      [](const std::string& scheme, std::size_t degree, unsigned modulus_bits, std::vector<std::uint64_t> plain_moduli,
         unsigned word, unsigned security, const std::string& table, bool allow_insecure, bool strict, std::string name,
         std::size_t cyclotomic, bool for_depth, std::size_t parties) {
        rlwe::ParametersLiteral base;
        base.cyclotomic = cyclotomic;
        base.parties = parties;
        base.scheme = &scheme::named(scheme);
        base.degree = degree;
        base.plain_moduli = std::move(plain_moduli);
        base.word = word_of(word);
        base.security = security;
        base.table = rlwe::security_table(table);
        base.allow_insecure = allow_insecure;
        base.strict = strict;
        base.name = std::move(name);
        return scheme::with_modulus_bits(std::move(base), modulus_bits,
                                         for_depth ? scheme::Aim::depth : scheme::Aim::speed);
      },
      nb::kw_only(), "scheme"_a, "degree"_a, "modulus_bits"_a, "plain_moduli"_a, "word"_a, "security"_a, "table"_a,
      "allow_insecure"_a, "strict"_a, "name"_a, "cyclotomic"_a = 0, "for_depth"_a = false, "parties"_a = 1, NoGil());
  m.def("flooding_headroom", &rlwe::flooding_headroom, "degree"_a, "flooding_bits"_a, "parties"_a = 1);
  m.def("preset", &scheme::preset, "name"_a, "allow_insecure"_a);
  m.def("bootstrappable_parameters", &bfv::bootstrappable_parameters, "degree"_a, "allow_insecure"_a);
  m.def("sparse_secret_rows", [] {
    std::vector<std::array<std::size_t, 6>> rows;
    for (const rlwe::SparseSecretRow& row : rlwe::sparse_secret_rows()) {
      rows.push_back({row.degree, row.weight, row.modulus_bits, row.convention, row.ring, row.floor});
    }
    return rows;
  });
  m.def("default_security_table", [] { return rlwe::name_of(rlwe::default_security_table); });
  m.def(
      "weaker_table",
      [](const std::string& a, const std::string& b) {
        return rlwe::name_of(rlwe::weaker_of(rlwe::security_table(a), rlwe::security_table(b)));
      },
      "a"_a, "b"_a);
  m.def("preset_names", &scheme::preset_names);
  m.def(
      "max_modulus_bits",
      [](std::size_t degree, unsigned security, const std::string& table) {
        return rlwe::max_modulus_bits(degree, security, rlwe::security_table(table));
      },
      "degree"_a, "security"_a, "table"_a);
  m.attr("fewest_slots") = Parameters::fewest_slots;
  m.def("primes_congruent_to_one", &primes_congruent_to_one, "bits"_a, "step"_a, "count"_a, "excluded"_a, NoGil());
}

}  // namespace cyclotome::python
