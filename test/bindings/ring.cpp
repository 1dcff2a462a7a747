// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/ring/ring.hpp"

#include <nanobind/stl/array.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"
#include "cyclotome/ring/base_conversion.hpp"
#include "cyclotome/ring/big_unsigned.hpp"
#include "cyclotome/ring/field_slots.hpp"
#include "cyclotome/ring/prime_factor_tables.hpp"

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

void bind_galois_group(nb::module_& m) {
  nb::class_<GaloisGroup>(m, "GaloisGroup")
      .def_prop_ro("index", &GaloisGroup::index)
      .def_prop_ro("order", &GaloisGroup::order)
      .def_prop_ro("generators",
                   [](const GaloisGroup& group) {
                     std::vector<std::pair<std::uint64_t, std::size_t>> generators;
                     for (const auto& [element, order] : group.generators()) generators.emplace_back(element, order);
                     return generators;
                   })
      .def_prop_ro("requirement", &GaloisGroup::requirement)
      .def("contains", &GaloisGroup::contains)
      .def("product", &GaloisGroup::product)
      .def("inverse", &GaloisGroup::inverse)
      .def("power", &GaloisGroup::power)
      .def("slot", &GaloisGroup::slot)
      .def("slots", &GaloisGroup::slots)
      .def("coefficients",
           [](const GaloisGroup& group, std::uint64_t element) {
             std::vector<std::pair<std::uint32_t, bool>> sources;
             for (const auto source : group.coefficients(element))
               sources.emplace_back(source.from(), source.negative());
             return sources;
           })
      .def("slot_positions", &GaloisGroup::slot_positions);
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

  bind_galois_group(m);
  nb::class_<RingShape>(m, "RingShape")
      .def_static("negacyclic", &RingShape::negacyclic)
      .def_static("cyclotomic", &RingShape::cyclotomic)
      .def_prop_ro("index", &RingShape::index)
      .def_prop_ro("degree", &RingShape::degree)
      .def_prop_ro("modulus", &RingShape::modulus)
      .def_prop_ro("galois", &RingShape::galois, nb::rv_policy::reference_internal)
      .def_prop_ro("transform_step", &RingShape::transform_step)
      .def("has_transform", &RingShape::has_transform)
      .def_prop_ro("expansion", &RingShape::expansion)
      .def_prop_ro("power_basis", &RingShape::power_basis)
      .def_prop_ro("geometry",
                   [](const RingShape& ring) {
                     const BasisGeometry g = ring.geometry();
                     return std::array{g.dual, g.gram, g.turn, g.skew};
                   })
      .def_prop_ro("errors", [](const RingShape& ring) {
        const ErrorSums& e = ring.errors();
        return std::make_tuple(e.draws, e.terms, e.addresses, e.bound());
      });
  nb::class_<FieldSlots>(m, "FieldSlots")
      .def_static("of",
                  [](const RingShape& ring, std::uint64_t modulus) {
                    return std::const_pointer_cast<FieldSlots>(FieldSlots::of(ring, modulus));
                  })
      .def_prop_ro("degree", [](const FieldSlots& s) { return s.field().degree(); })
      .def_prop_ro("polynomial", [](const FieldSlots& s) { return s.field().polynomial(); })
      .def_prop_ro("count", &FieldSlots::count)
      .def_prop_ro("dimensions",
                   [](const FieldSlots& s) {
                     std::vector<std::tuple<std::uint64_t, std::size_t, bool>> result;
                     for (const auto& d : s.dimensions()) result.emplace_back(d.generator, d.length, d.cyclic);
                     return result;
                   })
      .def("encode",
           [](const FieldSlots& s, std::size_t n, const std::vector<std::uint64_t>& slots) {
             std::vector<std::uint64_t> coefficients(n);
             s.encode(coefficients, slots);
             return coefficients;
           })
      .def("decode", [](const FieldSlots& s, const std::vector<std::uint64_t>& coefficients) {
        std::vector<std::uint64_t> slots(s.count());
        s.decode(slots, coefficients);
        return slots;
      });
  nb::class_<BinaryField>(m, "BinaryField")
      .def(nb::init<unsigned>())
      .def_prop_ro("polynomial", &BinaryField::polynomial)
      .def("multiply", &BinaryField::multiply)
      .def("power", &BinaryField::power)
      .def("trace", &BinaryField::trace);
  nb::class_<Ring>(m, "Ring")
      .def_static("negacyclic", &Ring::negacyclic, nb::arg("degree"), nb::arg("basis"))
      .def_static("cyclotomic", &Ring::cyclotomic, nb::arg("index"), nb::arg("basis"))
      .def_prop_ro("shape", &Ring::shape)
      .def_prop_ro("limb_words", &Ring::limb_words)
      .def("spaced", &Ring::spaced)
      .def("with_basis", &Ring::with_basis)
      .def_prop_ro("degree", &Ring::degree)
      .def_prop_ro("limbs", &Ring::limbs)
      .def_prop_ro("basis", &Ring::basis, nb::rv_policy::copy)
      .def("has_transform", &Ring::has_transform)
      .def("root",
           [](const Ring& ring, std::size_t limb) {
             return with_word(ring.word(), [&]<class W>(W) {
               return ring.kind() == RingKind::negacyclic
                          ? std::uint64_t{ring.tables<W>(limb).root}
                          : std::uint64_t{ring.transform_as<PrimeFactorTables<W>>(limb).root};
             });
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
