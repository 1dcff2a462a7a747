// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/rlwe/noise/noise.hpp"

#include "polynomials.hpp"

namespace cyclotome::testing {

void bind_noise(nb::module_& m) {
  m.def("norms_of", [](const std::vector<std::int64_t>& polynomial) {
    const rlwe::PlainNorms norms = rlwe::norms_of(*RingShape::negacyclic(polynomial.size()), polynomial);
    return std::array{norms.canonical, norms.two, norms.one};
  });
  m.def("norms_in", [](const RingShape& ring, const std::vector<std::int64_t>& polynomial) {
    const rlwe::PlainNorms norms = rlwe::norms_of(ring, polynomial);
    return std::array{norms.canonical, norms.two, norms.one};
  });
  using Calculus = rlwe::NoiseCalculus;
  const auto bound = [](const std::array<double, 3>& a) { return rlwe::NoiseBound{a[0], a[1], a[2]}; };
  const auto norms = [](const std::array<double, 3>& a) { return rlwe::PlainNorms{a[0], a[1], a[2]}; };
  using Triple = std::array<double, 3>;
  nb::class_<Calculus>(m, "NoiseCalculus")
      .def(
          "__init__",
          [](Calculus* self, std::size_t degree, bool strict, std::size_t parties) {
            new (self) Calculus(*RingShape::negacyclic(degree), strict, parties);
          },
          "degree"_a, "strict"_a = false, "parties"_a = 1)
      .def_static("of", [](const RingShape& ring) { return Calculus(ring); })
      .def("tidy", [=](const Calculus& c, const Triple& a) { return triple(c.tidy(bound(a))); })
      .def("sum",
           [=](const Calculus& c, const Triple& a, const Triple& b) { return triple(c.sum(bound(a), bound(b))); })
      .def("product",
           [=](const Calculus& c, const Triple& a, const Triple& b) { return triple(c.product(bound(a), bound(b))); })
      .def("times_plain", [=](const Calculus& c, const Triple& a,
                              const Triple& f) { return triple(c.times_plain(bound(a), norms(f))); })
      .def("chosen", [](const Calculus& c, double max) { return triple(c.chosen(max)); })
      .def("secret", [](const Calculus& c) { return triple(c.secret()); })
      .def("rounding_of_polynomial", [](const Calculus& c) { return triple(c.rounding_of_polynomial()); })
      .def("rounding_of_ciphertext",
           [](const Calculus& c, std::size_t parts) { return triple(c.rounding_of_ciphertext(parts)); })
      .def("drawn_error", [](const Calculus& c) { return triple(c.drawn_error()); })
      .def("switching_key_error", [](const Calculus& c) { return triple(c.switching_key_error()); })
      .def("relinearization_key_error", [](const Calculus& c) { return triple(c.relinearization_key_error()); })
      .def("public_key_encryption", [](const Calculus& c) { return triple(c.public_key_encryption()); })
      .def("key_switch", [](const Calculus& c, const std::vector<double>& digits, double special, double multiplier) {
        return triple(c.key_switch(digits, special, multiplier, c.switching_key_error()));
      });
}

}  // namespace cyclotome::testing
