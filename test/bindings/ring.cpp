// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/ring/ring.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "cyclotome/ring/conversion/base_conversion.hpp"
#include "cyclotome/ring/conversion/big_unsigned.hpp"
#include "cyclotome/ring/tables/field_slots.hpp"
#include "cyclotome/ring/tables/prime_factor_tables.hpp"
#include "testing.hpp"

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

/// What shapes and groups are asked for by the library, but not by Python.
void bind_shapes(nb::module_& parent) {
  nb::module_ m = parent.def_submodule("shapes", "Of RingShape and GaloisGroup.");
  m.def("cyclotomic", &RingShape::cyclotomic, "index"_a);
  m.def("power_basis", &RingShape::power_basis);
  m.def("expansion", [](const RingShape& ring) { return ring.expansion(); });
  m.def("geometry", [](const RingShape& ring) {
    const BasisGeometry g = ring.geometry();
    return std::array{g.dual, g.gram, g.turn, g.skew};
  });
  m.def("errors", [](const RingShape& ring) {
    const ErrorSums& e = ring.errors();
    return std::make_tuple(e.draws, e.terms, e.addresses, e.bound());
  });
  m.def("coefficients_of", [](const RingShape& shape, const std::vector<std::uint64_t>& polynomial, std::uint64_t q) {
    return shape.coefficients_of(polynomial, q);
  });
  m.def("coefficients_of", [](const RingShape& shape, const std::vector<std::int64_t>& polynomial) {
    return shape.coefficients_of(polynomial);
  });
  m.def("polynomial_of", [](const RingShape& shape, const std::vector<std::uint64_t>& coefficients, std::uint64_t q) {
    return shape.polynomial_of(coefficients, q);
  });
  m.def("polynomial_of", [](const RingShape& shape, const std::vector<std::int64_t>& coefficients) {
    return shape.polynomial_of(coefficients);
  });
  m.def("generators", [](const GaloisGroup& group) {
    std::vector<std::pair<std::uint64_t, std::size_t>> generators;
    for (const auto& [element, order] : group.generators()) generators.emplace_back(element, order);
    return generators;
  });
  m.def("requirement", &GaloisGroup::requirement);
  m.def("inverse", &GaloisGroup::inverse);
  m.def("power", &GaloisGroup::power);
  m.def("slot", &GaloisGroup::slot);
  m.def("slots", &GaloisGroup::slots);
  m.def("coefficients", [](const GaloisGroup& group, std::uint64_t element) {
    std::vector<std::pair<std::uint32_t, bool>> sources;
    for (const auto source : group.coefficients(element)) sources.emplace_back(source.from(), source.negative());
    return sources;
  });
  m.def("slot_positions", &GaloisGroup::slot_positions);
}

void bind_fields(nb::module_& m) {
  nb::class_<BinaryField>(m, "BinaryField")
      .def(nb::init<unsigned>())
      .def_prop_ro("polynomial", &BinaryField::polynomial)
      .def("multiply", &BinaryField::multiply)
      .def("power", &BinaryField::power)
      .def("trace", &BinaryField::trace);
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
      .def_prop_ro("moduli", [](const Basis& basis) { return basis.values(); })
      .def("product", &Basis::product)
      .def("product_mod", &Basis::product_mod)
      .def("punctured_product_mod", &Basis::punctured_product_mod)
      .def("slice", &Basis::slice)
      .def("joined", &Basis::joined)
      .def("__len__", &Basis::size)
      .def("equals", [](const Basis& a, const Basis& b) { return a == b; });

  bind_shapes(m);
  bind_fields(m);
  nb::class_<Ring>(m, "Ring")
      .def_static("negacyclic", &Ring::negacyclic, "degree"_a, "basis"_a)
      .def_static("cyclotomic", &Ring::cyclotomic, "index"_a, "basis"_a)
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
           "source"_a, "target"_a, "lift"_a, "source_factors"_a = std::vector<std::uint64_t>{},
           "target_factors"_a = std::vector<std::uint64_t>{})
      .def_prop_ro("copies", [](const BaseConversion& conversion) { return conversion.copies(); })
      .def_prop_ro("lazy_terms", &BaseConversion::lazy_terms);
}

}  // namespace cyclotome::testing
