// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/bindings.hpp"
#include "cyclotome/rlwe/domains.hpp"
#include "cyclotome/scheme/bfv/noise.hpp"
#include "cyclotome/scheme/scheme.hpp"

namespace cyclotome::python {

/// Operations on the ciphertexts of one plaintext modulus, for measurements; arrays have theirs in arrays.cpp.
void bind_operations(nb::module_& m) {
  using rlwe::Ciphertext;
  m.def("add", &scheme::add, "a"_a, "b"_a, NoGil());
  m.def("multiply", &scheme::multiply, "a"_a, "b"_a, NoGil());
  m.def("multiply_plain", &rlwe::multiply_plain, "a"_a, "b"_a, NoGil());
  m.def("prepared", &rlwe::prepared, "plaintext"_a, NoGil());
  m.def("transformed", &rlwe::transformed, "a"_a, NoGil());
  m.def("multiply_relinearized", &scheme::multiply_relinearized, "a"_a, "b"_a, "keys"_a, NoGil());
  m.def(
      "multiply_by",
      [](const std::string& method, const Ciphertext& a, const Ciphertext& b, const rlwe::EvaluationKeys* keys) {
        return scheme::multiply_by(method, a, &b, keys);
      },
      "method"_a, "a"_a, "b"_a, "keys"_a.none(), NoGil());
  m.def("relinearize", &rlwe::relinearize, "a"_a, "keys"_a, NoGil());
  m.def("apply_galois", &rlwe::apply_galois, "a"_a, "element"_a, "keys"_a, NoGil());
  m.def(
      "take", [](const Ciphertext& a, const std::vector<std::size_t>& indices) { return rlwe::take(a, indices); },
      "a"_a, "indices"_a, NoGil());
  m.def("bfv_product_methods", [] {
    const auto names = bfv::product_method_names();
    return std::vector<std::string>(names.begin(), names.end());
  });
  m.def("is_transparent", &rlwe::is_transparent, "a"_a, NoGil());
}

}  // namespace cyclotome::python
