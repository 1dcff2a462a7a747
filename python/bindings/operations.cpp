// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/vector.h>

#include "bindings.hpp"
#include "cyclotome/scheme/scheme.hpp"

namespace cyclotome::python {

void bind_operations(nb::module_& m) {
  using rlwe::Ciphertext;
  m.def("add", &scheme::add, "a"_a, "b"_a, NoGil());
  m.def("subtract", &scheme::subtract, "a"_a, "b"_a, NoGil());
  m.def("negate", &rlwe::negate, "a"_a, NoGil());
  m.def("add_plain", &scheme::add_plain, "a"_a, "b"_a, NoGil());
  m.def("multiply", &scheme::multiply, "a"_a, "b"_a, NoGil());
  m.def("square", &scheme::square, "a"_a, NoGil());
  m.def("multiply_relinearized", &scheme::multiply_relinearized, "a"_a, "b"_a, "keys"_a, NoGil());
  m.def("square_relinearized", &scheme::square_relinearized, "a"_a, "keys"_a, NoGil());
  m.def("multiply_plain", &rlwe::multiply_plain, "a"_a, "b"_a, NoGil());
  m.def("multiply_scalar", &rlwe::multiply_scalar, "a"_a, "factor"_a, NoGil());
  m.def(
      "linear_combination",
      [](const Ciphertext& a, const Values& matrix) {
        return rlwe::linear_combination(a, {matrix.data(), matrix.size()}, matrix.shape(0));
      },
      "a"_a, "matrix"_a, NoGil());
  m.def("relinearize", &rlwe::relinearize, "a"_a, "keys"_a, NoGil());
  m.def("apply_galois", &rlwe::apply_galois, "a"_a, "element"_a, "keys"_a, NoGil());
  m.def(
      "apply_galois_hoisted",
      [](const Ciphertext& a, const std::vector<std::uint64_t>& elements, const rlwe::EvaluationKeys& keys) {
        return rlwe::apply_galois_hoisted(a, elements, keys);
      },
      "a"_a, "elements"_a, "keys"_a, NoGil());
  m.def("sum_slots", &rlwe::sum_slots, "a"_a, "keys"_a, NoGil());
  m.def("sum_groups", &rlwe::sum_groups, "a"_a, "group"_a, NoGil());
  m.def(
      "take", [](const Ciphertext& a, const std::vector<std::size_t>& indices) { return rlwe::take(a, indices); },
      "a"_a, "indices"_a, NoGil());
  m.def(
      "concatenate", [](const std::vector<const Ciphertext*>& arrays) { return scheme::concatenate(arrays); },
      "arrays"_a, NoGil());
  m.def("rerandomize", &scheme::rerandomize, "a"_a, "key"_a, NoGil());
  m.def("switch_to_level", &scheme::switch_to_level, "a"_a, "limbs"_a, NoGil());
  m.def("is_transparent", &rlwe::is_transparent, "a"_a, NoGil());
}

}  // namespace cyclotome::python
