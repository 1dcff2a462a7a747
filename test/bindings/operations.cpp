// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/rlwe/operations.hpp"

#include "cyclotome/scheme/scheme.hpp"
#include "polynomials.hpp"

namespace cyclotome::testing {

namespace {

using rlwe::Ciphertext;

void bind_linear(nb::module_& m) {
  m.def("add_at_one_level", &rlwe::add, NoGil());  // what the schemes' sums end with
  m.def("negate", &rlwe::negate, NoGil());
  m.def("multiply_scalar", &rlwe::multiply_scalar, NoGil());
  m.def(
      "linear_combination",
      [](const Ciphertext& a, const std::vector<std::int64_t>& matrix, std::size_t rows) {
        return rlwe::linear_combination(a, matrix, rows);
      },
      NoGil());
  m.def("sum_groups", &rlwe::sum_groups, NoGil());
}

void bind_rotations(nb::module_& m) {
  m.def(
      "apply_galois_hoisted",
      [](const Ciphertext& a, const std::vector<std::uint64_t>& elements, const rlwe::EvaluationKeys& keys) {
        return rlwe::apply_galois_hoisted(a, elements, keys);
      },
      NoGil());
  m.def("rotate_rows", &rlwe::rotate_rows, NoGil());
  m.def("rotate_columns", &rlwe::rotate_columns, NoGil());
  m.def("sum_slots", &rlwe::sum_slots, NoGil());
}

}  // namespace

void bind_scheme(nb::module_& parent) {
  nb::module_ rlwe_module = parent.attr("rlwe");
  bind_linear(rlwe_module);
  bind_rotations(rlwe_module);
  nb::module_ m = parent.def_submodule("scheme", "Operations of whichever scheme the operands are of.");
  m.def("subtract", &scheme::subtract, NoGil());
  m.def("add_plain", &scheme::add_plain, NoGil());
  m.def("subtract_plain", &scheme::subtract_plain, NoGil());
  m.def("concatenate", [](const std::vector<const Ciphertext*>& arrays) { return scheme::concatenate(arrays); });
  m.def("decrypt_unchecked", &scheme::decrypt_unchecked, NoGil());
  m.def(
      "switch_to_level",
      [](const Ciphertext& a, std::size_t level) { return scheme::switch_to_level(a, rlwe::Level(level)); }, NoGil());
}

}  // namespace cyclotome::testing
