// SPDX-License-Identifier: Apache-2.0

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include "bindings.hpp"
#include "cyclotome/engine/cpu/cpu_engine.hpp"
#include "cyclotome/scheme/encoding.hpp"
#include "cyclotome/scheme/scheme.hpp"

namespace cyclotome::python {

void bind_context(nb::module_& m) {
  nb::class_<Engine>(m, "Engine", nb::is_weak_referenceable())
      .def_prop_ro("name", &Engine::name)
      .def("synchronize", &Engine::synchronize, NoGil(), "Waits until everything asked for so far is done.");
  nb::class_<CpuEngine, Engine>(m, "CpuEngine")
      .def(nb::new_([](std::size_t threads) { return CpuEngine::create(threads); }), "threads"_a)
      .def_prop_ro("threads", &CpuEngine::threads);

  nb::class_<rlwe::Context>(m, "Context", nb::is_weak_referenceable())
      .def(nb::new_(&scheme::make_context), "parameters"_a, "engine"_a, NoGil())
      .def_prop_ro("parameters", &rlwe::Context::parameters, nb::rv_policy::copy)
      .def_prop_ro("engine", &rlwe::Context::engine)
      .def_prop_ro("plain_count", &rlwe::Context::plain_count)
      .def("has_slots", [](const rlwe::Context& context, std::size_t plain) { return has_slots(context, plain); });
}

}  // namespace cyclotome::python
