// SPDX-License-Identifier: Apache-2.0
#include "additive_scheme/scheme.hpp"
#include "cyclotome/io/ciphertext_io.hpp"
#include "cyclotome/io/parameters_io.hpp"
#include "cyclotome/rlwe/ciphertext.hpp"
#include "cyclotome/scheme/registry.hpp"
#include "cyclotome/scheme/scheme.hpp"
#include "scheme.hpp"

// A scheme from outside the library, added to this module's registry: what Python sees of it is what every scheme has.
namespace cyclotome::testing {

namespace {

using rlwe::Ciphertext;

nb::bytes to_bytes(const io::Bytes& bytes) { return nb::bytes(bytes.data(), bytes.size()); }

io::Container container_of(const nb::bytes& bytes) {
  return io::Container({static_cast<const std::uint8_t*>(bytes.data()), bytes.size()},
                       io::Limits{.allow_insecure = true});
}

}  // namespace

void bind_additive(nb::module_& parent) {
  nb::module_ m = parent.def_submodule("additive");
  m.def("register", [] { scheme::add_scheme(additive::scheme()); });
  m.def("known", [] {
    std::vector<std::string> names;
    for (const rlwe::Scheme* const scheme : scheme::known()) names.emplace_back(scheme->name());
    return names;
  });
  m.def("add", &scheme::add, NoGil());
  m.def("multiply", &scheme::multiply, NoGil());
  m.def("save", [](const rlwe::Parameters& parameters) { return to_bytes(io::serialize(parameters)); });
  m.def("save", [](const Ciphertext& ciphertext) { return to_bytes(io::serialize(ciphertext)); });
  m.def("load_parameters", [](const nb::bytes& bytes) { return container_of(bytes).parameters(); });
  m.def("load", [](const rlwe::ContextPtr& context, const nb::bytes& bytes) {
    return io::read_ciphertext(container_of(bytes), context);
  });
}

}  // namespace cyclotome::testing
