// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/bindings.hpp"
#include "cyclotome/engine/dry/dry_engine.hpp"
#include "cyclotome/rlwe/keys/keys.hpp"

namespace cyclotome::python {

namespace {

/// By name: calls, items, transforms, products of residues, residues written.
nb::typed<nb::dict, nb::str, nb::typed<nb::tuple, nb::int_, nb::int_, nb::int_, nb::int_, nb::int_>> account_of(
    const DryEngine& engine) {
  nb::dict result;
  for (const auto& [name, entry] : engine.account()) {
    const Work& work = entry.work;
    result[nb::str(name.data(), name.size())] =
        nb::make_tuple(entry.calls, entry.items, work.transforms, work.products, work.words);
  }
  return nb::typed<nb::dict, nb::str, nb::typed<nb::tuple, nb::int_, nb::int_, nb::int_, nb::int_, nb::int_>>(
      std::move(result));
}

/// Galois elements whose keys were taken; 0 stands for relinearisation.
std::vector<std::uint64_t> keys_read(const DryEngine& engine, const rlwe::EvaluationKeys& keys) {
  std::vector<std::uint64_t> elements;
  const auto read = [&](const rlwe::SwitchingKey& key) { return engine.has_read(key.polynomials().view().data); };
  if (keys.has_relinearization() && read(keys.relinearization())) elements.push_back(0);
  for (const auto& [element, key] : keys.all_galois()) {
    if (read(key)) elements.push_back(element);
  }
  return elements;
}

}  // namespace

void bind_dry(nb::module_& m) {
  nb::class_<PlaintextMemory>(m, "PlaintextMemory",
                              "What engines that keep account know of public plaintexts, for those of one search.")
      .def(nb::init<>());
  nb::class_<DryEngine, Engine>(m, "DryEngine")
      .def(nb::new_(&DryEngine::create), "host"_a, "known"_a = nb::none())
      .def_prop_ro("account", &account_of,
                   "What was asked of it: calls, items, transforms, products and residues, by name.")
      .def_prop_ro("peak_bytes", &DryEngine::peak_bytes)
      .def_prop_ro("depth", &DryEngine::depth)
      .def_prop_ro("summed_products", &DryEngine::summed_products,
                   "Relinearised products that were added to sums, one by one.")
      .def("keys_read", &keys_read, "keys"_a, "Galois elements of the keys that were taken; 0: relinearisation.")
      .def("reset", &DryEngine::reset);
}

}  // namespace cyclotome::python
