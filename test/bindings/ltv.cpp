// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "cyclotome/study/ltv/noise.hpp"
#include "cyclotome/study/ltv/polynomials/carrier_transform.hpp"
#include "cyclotome/study/ltv/polynomials/inversion.hpp"
#include "cyclotome/study/ltv/polynomials/residue_number.hpp"
#include "testing.hpp"

namespace cyclotome::testing {

namespace {

using namespace study::ltv;
using Row = std::vector<std::uint32_t>;

/// Algorithm 4 as it is printed (erratum 002-1): what even_remainder puts right.
std::int32_t printed_remainder(std::uint32_t a, std::uint32_t p) {
  if (a % 2 == 0) return static_cast<std::int32_t>(a);
  return a > (p - 1) / 2 ? static_cast<std::int32_t>(a) - static_cast<std::int32_t>(p)
                         : static_cast<std::int32_t>(a) + static_cast<std::int32_t>(p);
}

Row row_of(const ZeroisingVector<std::uint32_t>& row) { return {row.begin(), row.end()}; }

template <bool Inverse>
Numpy<1> transformed(const CarrierTransform& transform, const Words& values) {
  if (values.size() != transform.points()) throw std::invalid_argument("as many values as points");
  std::vector<std::uint64_t> row(values.data(), values.data() + values.size());
  if constexpr (Inverse) {
    transform.inverse(row.data());
  } else {
    transform.forward(row.data());
  }
  return to_numpy<1>(std::move(row), {transform.points()});
}

}  // namespace

void bind_ltv(nb::module_& parent) {
  nb::module_ m = parent.def_submodule("ltv", "Paper 002's arithmetic, piece by piece.");
  m.attr("carrier_modulus") = carrier::modulus;
  m.def("carrier_add", [](const Words& a, const Words& b) { return map(a, b, &carrier::add); });
  m.def("carrier_subtract", [](const Words& a, const Words& b) { return map(a, b, &carrier::subtract); });
  m.def("carrier_multiply", [](const Words& a, const Words& b) { return map(a, b, &carrier::multiply); });
  m.def("carrier_reduce", [](const Words& high, const Words& low) { return map(high, low, &carrier::reduce); });
  m.def("carrier_shifts", [](std::uint64_t a) {  // by 0 ... 191
    return []<std::size_t... Shift>(std::uint64_t x, std::index_sequence<Shift...>) {
      return std::vector<std::uint64_t>{carrier::shifted<Shift>(x)...};
    }(a, std::make_index_sequence<carrier::shift_order>());
  });

  nb::class_<CarrierTransform>(m, "CarrierTransform")
      .def(nb::init<std::size_t>(), "points"_a)
      .def_static(
          "with_twiddles",
          [](const std::vector<std::uint64_t>& twiddles) { return CarrierTransform(twiddles.size(), twiddles); })
      .def_prop_ro("points", &CarrierTransform::points)
      .def_prop_ro("root", &CarrierTransform::root)
      .def_prop_ro("twiddles", &CarrierTransform::twiddles)
      .def("forward", &transformed<false>)
      .def("inverse", &transformed<true>);

  m.def("even_remainder", &even_remainder);
  m.def("printed_remainder", &printed_remainder);
  m.def("divided_residue", [](std::uint32_t a, std::int32_t delta, std::uint32_t inverse, std::uint32_t p) {
    return divided_residue(a, delta, inverse, Modulus<std::uint32_t>(p));
  });
  m.def("digit_of", [](const Row& words, unsigned number, unsigned window) {
    return digit_of(words.data(), static_cast<unsigned>(words.size()), number, window);
  });
  m.def("inverse_by_values", [](std::uint64_t index, std::uint32_t p, const Row& a) {
    return row_of(inverse_by_values(CyclotomicPolynomial(index), Modulus<std::uint32_t>(p), a));
  });
  m.def("inverse_by_euclid", [](std::uint64_t index, std::uint32_t p, const Row& a) {
    return row_of(inverse_by_euclid(CyclotomicPolynomial(index), Modulus<std::uint32_t>(p), a));
  });

  nb::class_<CyclotomicPolynomial>(m, "CyclotomicPolynomial")
      .def(nb::init<std::uint64_t>(), "index"_a)
      .def_prop_ro("coefficients", &CyclotomicPolynomial::coefficients)
      .def_prop_ro("reciprocal", &CyclotomicPolynomial::reciprocal)
      .def("reduce",
           [](const CyclotomicPolynomial& ring, const std::vector<std::int64_t>& f) {
             return ring.reduce<std::int64_t>(f, Numbers<std::int64_t>{});
           })
      .def("to_normal",
           [](const CyclotomicPolynomial& ring, const std::vector<std::int64_t>& f) {
             return ring.to_normal<std::int64_t>(f, Numbers<std::int64_t>{});
           })
      .def("mean_square",
           [](const CyclotomicPolynomial& ring, const std::vector<double>& a) { return ring.mean_square(a); });
  nb::class_<NoiseModel>(m, "LtvNoiseModel")
      .def("__init__",
           [](NoiseModel* self, std::uint64_t index) { new (self) NoiseModel(CyclotomicPolynomial(index)); })
      .def_prop_ro("secret", &NoiseModel::secret)
      .def_prop_ro("fresh", &NoiseModel::fresh)
      .def("key_switch", &NoiseModel::key_switch)
      .def("switched", &NoiseModel::switched);
}

}  // namespace cyclotome::testing
