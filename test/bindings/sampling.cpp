// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/ring/randomness/sampling.hpp"

#include <algorithm>

#include "testing.hpp"

namespace cyclotome::testing {

void bind_sampling(nb::module_& m) {
  nb::enum_<Law>(m, "Law").value("uniform", Law::uniform).value("ternary", Law::ternary).value("error", Law::error);
  nb::enum_<Stream>(m, "Stream")
      .value("secret", Stream::secret)
      .value("public_uniform", Stream::public_uniform)
      .value("public_error", Stream::public_error)
      .value("switching_key_uniform", Stream::switching_key_uniform)
      .value("switching_key_error", Stream::switching_key_error)
      .value("encryption_ternary", Stream::encryption_ternary)
      .value("encryption_error", Stream::encryption_error)
      .value("symmetric_uniform", Stream::symmetric_uniform)
      .value("symmetric_error", Stream::symmetric_error)
      .value("flooding", Stream::flooding);
  nb::class_<Seed>(m, "Seed")
      .def("__init__",
           [](Seed* self, const nb::bytes& bytes) {
             std::array<std::uint8_t, 32> copy{};
             if (bytes.size() != copy.size()) throw std::invalid_argument("a seed has 32 bytes");
             std::copy_n(static_cast<const std::uint8_t*>(bytes.data()), copy.size(), copy.begin());
             new (self) Seed(copy);
           })
      .def_static("from_system", &Seed::from_system)
      .def_prop_ro("spent", &Seed::spent)
      .def_prop_ro("bytes", [](const Seed& seed) { return nb::bytes(seed.bytes().data(), seed.bytes().size()); });
  nb::class_<PublicSeed>(m, "PublicSeed")
      .def_prop_ro("bytes", [](const PublicSeed& seed) { return nb::bytes(seed.bytes().data(), seed.bytes().size()); })
      .def("to_draw_with", &PublicSeed::to_draw_with);
  m.def("uniform_residue", &uniform_residue, "low"_a, "high"_a, "q"_a);
  m.def("ternary_value", &ternary_value);
  m.def("error_value", &error_value);
  m.attr("error_bound") = error_bound;
  m.attr("error_deviation") = error_deviation;
}

}  // namespace cyclotome::testing
