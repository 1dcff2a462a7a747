// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/ring/ring.hpp"

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"
#include "cyclotome/ring/base_conversion.hpp"
#include "cyclotome/ring/big_unsigned.hpp"

namespace cyclotome::testing {

namespace {

void bind_big_unsigned(nb::module_& m) {
  nb::class_<BigUnsigned>(m, "BigUnsigned")
      .def("__init__",
           [](BigUnsigned* self, const std::vector<std::uint64_t>& limbs) {
             new (self) BigUnsigned(BigUnsigned::from_limbs(limbs));
           })
      .def_static("product", [](const std::vector<std::uint64_t>& factors) { return BigUnsigned::product(factors); })
      .def_static("power_of_two", &BigUnsigned::power_of_two)
      .def_prop_ro("limbs", [](const BigUnsigned& a) { return a.limbs(); })
      .def("is_zero", &BigUnsigned::is_zero)
      .def("bit_length", &BigUnsigned::bit_length)
      .def("log2", &BigUnsigned::log2)
      .def("mod", &BigUnsigned::mod)
      .def("divided_by", &BigUnsigned::divided_by)
      .def("shifted_right", &BigUnsigned::shifted_right)
      .def("to_string", &BigUnsigned::to_string)
      .def("add", [](const BigUnsigned& a, const BigUnsigned& b) { return a + b; })
      .def("subtract", [](const BigUnsigned& a, const BigUnsigned& b) { return a - b; })
      .def("multiply", [](const BigUnsigned& a, const BigUnsigned& b) { return a * b; })
      .def("multiply_word", [](BigUnsigned a, std::uint64_t b) { return a *= b; })
      .def("less_than", [](const BigUnsigned& a, const BigUnsigned& b) { return a < b; })
      .def("equals", [](const BigUnsigned& a, const BigUnsigned& b) { return a == b; });
}

}  // namespace

void bind_ring(nb::module_& m) {
  bind_big_unsigned(m);
  nb::class_<Basis>(m, "Basis")
      .def("__init__",
           [](Basis* self, unsigned bits, std::vector<std::uint64_t> moduli) {
             if (bits != 32 && bits != 64) throw std::invalid_argument("words have 32 or 64 bits");
             new (self) Basis(bits == 32 ? Word::u32 : Word::u64, std::move(moduli));
           })
      .def_prop_ro("word_bits", [](const Basis& basis) { return bits_of(basis.word()); })
      .def_prop_ro("moduli", [](const Basis& basis) { return basis.values(); })
      .def("product", &Basis::product)
      .def("product_mod", &Basis::product_mod)
      .def("punctured_product_mod", &Basis::punctured_product_mod)
      .def("slice", &Basis::slice)
      .def("joined", &Basis::joined)
      .def("__len__", &Basis::size)
      .def("equals", [](const Basis& a, const Basis& b) { return a == b; });

  nb::class_<Ring>(m, "Ring")
      .def_static("negacyclic", &Ring::negacyclic, nb::arg("degree"), nb::arg("basis"))
      .def_prop_ro("degree", &Ring::degree)
      .def_prop_ro("limbs", &Ring::limbs)
      .def_prop_ro("basis", &Ring::basis, nb::rv_policy::copy)
      .def("has_transform", &Ring::has_transform)
      .def("root",
           [](const Ring& ring, std::size_t limb) {
             return with_word(ring.word(), [&]<class W>(W) { return std::uint64_t{ring.tables<W>(limb).root}; });
           })
      .def("slice", &Ring::slice)
      .def("joined", &Ring::joined);

  nb::enum_<Lift>(m, "Lift").value("fast", Lift::fast).value("centred", Lift::centred);
  nb::class_<BaseConversion>(m, "BaseConversion")
      .def(nb::init<Basis, Basis, Lift, const std::vector<std::uint64_t>&, const std::vector<std::uint64_t>&>(),
           nb::arg("source"), nb::arg("target"), nb::arg("lift"),
           nb::arg("source_factors") = std::vector<std::uint64_t>{},
           nb::arg("target_factors") = std::vector<std::uint64_t>{})
      .def_prop_ro("copies", [](const BaseConversion& conversion) { return conversion.copies(); })
      .def_prop_ro("lazy_terms", &BaseConversion::lazy_terms);
}

}  // namespace cyclotome::testing
