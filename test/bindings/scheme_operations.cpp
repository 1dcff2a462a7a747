// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/rlwe/deterministic.hpp"
#include "cyclotome/scheme/bfv/operations.hpp"
#include "cyclotome/scheme/scheme.hpp"
#include "scheme.hpp"

namespace cyclotome::testing {

void bind_operations(nb::module_& m) {
  using rlwe::Ciphertext;
  m.def("add", &rlwe::add, NoGil());
  m.def("subtract", &rlwe::subtract, NoGil());
  m.def("negate", &rlwe::negate, NoGil());
  m.def("add_plain", &scheme::add_plain, NoGil());
  m.def("subtract_plain", &scheme::subtract_plain, NoGil());
  nb::enum_<bfv::ProductMethod>(m, "ProductMethod")
      .value("behz", bfv::ProductMethod::behz)
      .value("hps_over_q", bfv::ProductMethod::hps_over_q)
      .value("hps_over_q_leveled", bfv::ProductMethod::hps_over_q_leveled);
  m.def("product_level", [](const Ciphertext& a, const Ciphertext& b) {
    return bfv::product_level(a.context()->parameters(), a.noise(), b.noise()).primes;
  });
  const auto method = nb::arg("method") = bfv::ProductMethod::hps_over_q_leveled;
  m.def("multiply", &bfv::multiply, nb::arg("a"), nb::arg("b"), method, NoGil());
  m.def("square", &bfv::square, nb::arg("a"), method, NoGil());
  m.def("multiply_relinearized", &bfv::multiply_relinearized, nb::arg("a"), nb::arg("b"), nb::arg("keys"), method,
        NoGil());
  m.def("square_relinearized", &bfv::square_relinearized, nb::arg("a"), nb::arg("keys"), method, NoGil());
  m.def("multiply_plain", &rlwe::multiply_plain, NoGil());
  m.def("multiply_scalar", &rlwe::multiply_scalar, NoGil());
  m.def(
      "linear_combination",
      [](const Ciphertext& a, const std::vector<std::int64_t>& matrix, std::size_t rows) {
        return rlwe::linear_combination(a, matrix, rows);
      },
      NoGil());
  m.def("relinearize", &rlwe::relinearize, NoGil());
  m.def("apply_galois", &rlwe::apply_galois, NoGil());
  m.def(
      "apply_galois_hoisted",
      [](const Ciphertext& a, const std::vector<std::uint64_t>& elements, const rlwe::EvaluationKeys& keys) {
        return rlwe::apply_galois_hoisted(a, elements, keys);
      },
      NoGil());
  m.def("rotate_rows", &rlwe::rotate_rows, NoGil());
  m.def("rotate_columns", &rlwe::rotate_columns, NoGil());
  m.def("sum_slots", &rlwe::sum_slots, NoGil());
  m.def(
      "take", [](const Ciphertext& a, const std::vector<std::size_t>& indices) { return rlwe::take(a, indices); },
      NoGil());
  m.def("concatenate", [](const std::vector<const Ciphertext*>& arrays) { return rlwe::concatenate(arrays); });
  m.def("sum_groups", &rlwe::sum_groups, NoGil());
  m.def("rerandomize", &rlwe::deterministic::rerandomize, NoGil());
  m.def("is_transparent", &rlwe::is_transparent, NoGil());
}

}  // namespace cyclotome::testing
