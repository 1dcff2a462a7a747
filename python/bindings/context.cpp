// SPDX-License-Identifier: Apache-2.0

#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include "bindings/bindings.hpp"
#include "cyclotome/engine/cpu/cpu_engine.hpp"
#include "cyclotome/engine/memory_limit.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/scheme/encoding.hpp"
#include "cyclotome/scheme/scheme.hpp"

namespace cyclotome::python {

namespace {

/// Bytes of a polynomial modulo one prime.
std::uint64_t residues(const rlwe::Context& context) {
  return context.degree() * bytes_of(context.parameters().word());
}

std::optional<cpu::InstructionSet> instruction_set_named(const std::optional<std::string>& name) {
  if (!name) return std::nullopt;
  std::string names;
  for (const cpu::InstructionSet set : cpu::instruction_sets()) {
    if (cpu::name_of(set) == *name) return set;
    names += (names.empty() ? "" : ", ") + std::string(cpu::name_of(set));
  }
  throw EngineError(message("this machine has no instruction set '", *name, "'; it has ", names));
}

}  // namespace

void bind_context(nb::module_& m) {
  m.def("set_memory_limit", &set_memory_limit, "bytes"_a.none());
  m.def("memory_limit", &memory_limit);
  m.def("free_main_memory", &free_main_memory);
  nb::class_<Engine>(m, "Engine", nb::is_weak_referenceable())
      .def_prop_ro("name", &Engine::name)
      .def(
          "require_memory",
          [](const Engine& engine, const std::string& operation, std::uint64_t bytes, const std::string& advice) {
            require_memory(engine, operation, bytes, advice);
          },
          "operation"_a, "bytes"_a, "advice"_a = "",
          "Refuses work that takes more memory than there is, or is allowed; its message begins with `operation`.")
      .def("synchronize", &Engine::synchronize, NoGil(), "Waits until everything asked for so far is done.");
  nb::class_<CpuEngine, Engine>(m, "CpuEngine")
      .def(nb::new_([](std::size_t threads, const std::optional<std::string>& instruction_set) {
             return CpuEngine::create(threads, instruction_set_named(instruction_set));
           }),
           "threads"_a, "instruction_set"_a = nb::none(),
           "instruction_set: one of instruction_sets(), the best by default. Raises EngineError for another name.")
      .def_prop_ro("threads", &CpuEngine::threads)
      .def_prop_ro("instruction_set",
                   [](const CpuEngine& engine) { return std::string(cpu::name_of(engine.instruction_set())); });

  nb::class_<rlwe::Context>(m, "Context", nb::is_weak_referenceable())
      .def(nb::new_(&scheme::make_context), "parameters"_a, "engine"_a, NoGil())
      .def_prop_ro("parameters", &rlwe::Context::parameters, nb::rv_policy::copy)
      .def_prop_ro("engine", &rlwe::Context::engine)
      .def_prop_ro("plain_count", &rlwe::Context::plain_count)
      .def_prop_ro(
          "polynomial_bytes",
          [](const rlwe::Context& context) { return context.ciphertext_ring()->limbs() * residues(context); },
          "Bytes of a polynomial over all ciphertext primes; a fresh ciphertext has two.")
      .def_prop_ro(
          "key_polynomial_bytes",
          [](const rlwe::Context& context) { return context.key_ring()->limbs() * residues(context); },
          "The same over all primes; a public key has two, a key of a rotation two for each digit.")
      .def("has_slots", [](const rlwe::Context& context, std::size_t plain) {
        return context.parameters().has_slots(rlwe::PlainIndex(plain));
      });
}

}  // namespace cyclotome::python
