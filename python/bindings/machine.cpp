// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"
#include "cyclotome/engine/cpu/instruction_set.hpp"

namespace cyclotome::python {

namespace {

std::string compiler() {
#if defined(__clang__)
  return "Clang " __clang_version__;
#elif defined(__GNUC__)
  return "GCC " __VERSION__;
#else
  return "unknown";
#endif
}

std::vector<std::string> instruction_set_names() {
  std::vector<std::string> names;
  for (const cpu::InstructionSet set : cpu::instruction_sets()) names.emplace_back(cpu::name_of(set));
  return names;
}

}  // namespace

void bind_machine(nb::module_& m) {
  m.def("compiler", &compiler, "The compiler that built this library.");
  m.def("instruction_sets", &instruction_set_names,
        "The instruction sets that this library and this machine both have, in ascending order; the last one is used.");
}

}  // namespace cyclotome::python
