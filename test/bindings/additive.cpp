// SPDX-License-Identifier: Apache-2.0
#include "additive_scheme/scheme.hpp"
#include "cyclotome/io/objects/ciphertext_io.hpp"
#include "cyclotome/scheme/registry.hpp"
#include "polynomials.hpp"

// A scheme from outside the library, added to the registry of this process: what Python sees of it is what every scheme
// has.
namespace cyclotome::testing {

void bind_additive(nb::module_& parent) {
  nb::module_ m = parent.def_submodule("additive");
  m.def("register", [] { scheme::add_scheme(additive::scheme()); });
  m.def("known", [] {
    std::vector<std::string> names;
    for (const rlwe::Scheme* const scheme : scheme::known()) names.emplace_back(scheme->name());
    return names;
  });
  m.def("save", [](const rlwe::Ciphertext& ciphertext) {
    const io::Bytes bytes = io::serialize(ciphertext);
    return to_bytes(std::span<const std::uint8_t>(bytes));
  });
  m.def("load", [](const rlwe::ContextPtr& context, const nb::bytes& bytes) {
    return io::read_ciphertext(io::Container(python::to_span(bytes), io::Limits{.allow_insecure = true}), context);
  });
}

}  // namespace cyclotome::testing
