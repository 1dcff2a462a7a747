// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/bindings.hpp"
#include "cyclotome/engine/cpu/instruction_set.hpp"
#include "cyclotome/ring/randomness/secret_pages.hpp"

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

nb::typed<nb::dict, nb::str, nb::int_> secret_memory() {
  const SecretPages pages = secret_pages();
  nb::dict facts;
  facts["mapped"] = pages.mapped;
  facts["locked"] = pages.locked;
  facts["refused"] = pages.refused;
  return nb::typed<nb::dict, nb::str, nb::int_>(facts);
}

}  // namespace

void bind_machine(nb::module_& m) {
  m.def("compiler", &compiler, "The compiler that built this library.");
  m.def("instruction_sets", &instruction_set_names,
        "The instruction sets that this library and this machine both have, in ascending order; the last one is used.");
  m.def("secret_memory", &secret_memory,
        "Bytes of memory for secrets, those of them that are locked, and how often the system refused to lock some.");
}

}  // namespace cyclotome::python
