// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/bindings.hpp"
#include "cyclotome/ring/ring_shape.hpp"
#include "cyclotome/rlwe/keys/keys.hpp"

namespace cyclotome::python {

void bind_rings(nb::module_& m) {
  nb::class_<GaloisGroup>(m, "GaloisGroup")
      .def_prop_ro("index", &GaloisGroup::index)
      .def_prop_ro("order", &GaloisGroup::order)
      .def_prop_ro("row_length", [](const GaloisGroup& group) { return group.generators().front().order; })
      .def_prop_ro("requirement", &GaloisGroup::requirement)
      .def("contains", &GaloisGroup::contains, "element"_a)
      .def("product", &GaloisGroup::product, "g"_a, "h"_a)
      .def("row_rotation", &rlwe::row_rotation_element, "steps"_a)
      .def("column_rotation", &rlwe::column_rotation_element);

  nb::class_<RingShape>(m, "RingShape")
      .def_prop_ro("index", &RingShape::index)
      .def_prop_ro("degree", &RingShape::degree)
      .def_prop_ro("modulus", &RingShape::modulus)
      .def_prop_ro("galois", &RingShape::galois, nb::rv_policy::reference_internal)
      .def_prop_ro("transform_step", &RingShape::transform_step)
      .def_prop_ro("expansion", &RingShape::expansion)
      .def_prop_ro("slot_condition", &RingShape::slot_condition)
      .def("has_transform", &RingShape::has_transform, "modulus"_a)
      .def("slots", &RingShape::slots, "modulus"_a);
  m.def("negacyclic_ring", &RingShape::negacyclic, "degree"_a);
  m.def("cyclotomic_ring", &RingShape::cyclotomic, "index"_a);
}

}  // namespace cyclotome::python
