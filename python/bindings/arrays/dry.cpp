// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/bindings.hpp"
#include "cyclotome/engine/dry/dry_engine.hpp"
#include "cyclotome/engine/dry/repeat.hpp"
#include "cyclotome/rlwe/keys/keys.hpp"

namespace cyclotome::python {

namespace {

using WorkTuple = nb::typed<nb::tuple, nb::int_, nb::int_, nb::int_>;

WorkTuple work_of(const Work& work) { return WorkTuple(nb::make_tuple(work.transforms, work.products, work.words)); }

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
      .def(nb::init<>())
      .def("clear", &PlaintextMemory::clear, "Forgets all of it.");
  nb::class_<Asked>(m, "AskedWork", "One kind of work that an engine was asked for.")
      .def_ro("name", &Asked::name)
      .def_ro("calls", &Asked::calls)
      .def_ro("items", &Asked::items, "Of each call.")
      .def_prop_ro(
          "work", [](const Asked& asked) { return work_of(asked.work); },
          "Of all calls: transforms, products of residues, residues written.")
      .def_prop_ro("digest", &Asked::digest, "Of what its time depends on, the same in every process.")
      .def_prop_ro("repeatable", &Asked::repeatable);
  nb::class_<Repeat>(m, "Repeat", "Work that was asked for, done again on zeros by an engine that computes.")
      .def(nb::init<Asked, EnginePtr, std::size_t>(), "asked"_a, "engine"_a, "bytes"_a)
      .def_prop_ro("times", &Repeat::times, "How many runs make up all that was asked.")
      .def("run", &Repeat::run, "repetitions"_a, nb::call_guard<nb::gil_scoped_release>(),
           "Nanoseconds of so many runs: of this thread where it does all of the work, else by the wall.");
  nb::class_<DryEngine, Engine>(m, "DryEngine")
      .def(nb::new_(&DryEngine::create), "host"_a, "known"_a = nb::none())
      .def_prop_ro("account", &account_of,
                   "What was asked of it: calls, items, transforms, products and residues, by name.")
      .def_prop_ro("peak_bytes", &DryEngine::peak_bytes)
      .def_prop_ro("depth", &DryEngine::depth)
      .def_prop_ro("summed_products", &DryEngine::summed_products,
                   "Relinearised products that were added to sums, one by one.")
      .def("keys_read", &keys_read, "keys"_a, "Galois elements of the keys that were taken; 0: relinearisation.")
      .def(
          "remember", [](DryEngine& engine, bool kinds) { engine.remember(kinds); }, "kinds"_a,
          "Whether work is remembered by its kind from now on.")
      .def_prop_ro(
          "own_seconds", [](const DryEngine& engine) { return static_cast<double>(engine.own_nanoseconds()) * 1e-9; },
          "Processor time of keeping account, while work is remembered.")
      .def_prop_ro("asked", &DryEngine::asked, "All work that was not done, by its kind.")
      .def("reset", &DryEngine::reset);
}

}  // namespace cyclotome::python
