// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/bindings.hpp"
#include "bindings/file_path.hpp"
#include "cyclotome/engine/cpu/cpu_engine.hpp"
#include "cyclotome/engine/fpga/fpga_engine.hpp"
#include "cyclotome/engine/poly.hpp"

namespace cyclotome::python {

namespace {

nb::typed<nb::dict, nb::str, nb::int_> counts(const FpgaEngine& engine) {
  const fpga::Statistics s = engine.statistics();
  nb::dict counts;
  counts["products"] = s.products;
  counts["forwards"] = s.forwards;
  counts["inverses"] = s.inverses;
  counts["ticks"] = s.ticks;
  counts["critical_ticks"] = s.critical_ticks;
  counts["loads"] = s.loads;
  counts["transfer_bytes"] = s.transfer_bytes;
  return nb::typed<nb::dict, nb::str, nb::int_>(std::move(counts));
}

/// Random polynomials multiplied on the engine and on the host; whether the products are equal.
bool multiplies_as(FpgaEngine& engine, const std::shared_ptr<CpuEngine>& reference, std::size_t degree,
                   const std::vector<std::uint64_t>& moduli, std::size_t batch) {
  const RingPtr ring = Ring::negacyclic(degree, Basis(Word::u64, moduli));
  const EnginePtr owner = engine.shared_from_this();
  PolyArray a(owner, ring, batch, 1, Domain::transform), b(owner, ring, batch, 1, Domain::transform);
  for (PolyArray* const operand : {&a, &b}) {
    engine.sample(operand->view(), Law::uniform, Seed::from_system(), Stream::public_uniform);
  }
  PolyArray expected = a.to(reference);
  const PolyArray factor = b.to(reference);
  reference->multiply(expected.view(), expected.view(), factor.view());
  engine.multiply(a.view(), a.view(), b.view());
  return a.to_host() == expected.to_host();
}

}  // namespace

void bind_fpga(nb::module_& m) {
  nb::class_<FpgaEngine, Engine>(m, "FpgaEngine")
      .def(nb::new_([](const std::shared_ptr<CpuEngine>& host, const std::string& name, bool transforms,
                       std::size_t boards) {
             return FpgaEngine::create(host, {.name = name,
                                              .mode = transforms ? CircuitMode::transform : CircuitMode::product,
                                              .boards = boards,
                                              .threads = host->threads()});
           }),
           "host"_a, nb::kw_only(), "name"_a, "transforms"_a, "boards"_a)
      .def(
          "open", [](FpgaEngine& engine, const FilePath& library) { engine.open(library); }, "library"_a, NoGil(),
          "Opens the shared library of a circuit.")
      .def("is_open", &FpgaEngine::is_open, "degree"_a)
      .def("statistics", &counts, "What circuits did since the engine was made or reset, by name.")
      .def("multiplies_as", &multiplies_as, "reference"_a, "degree"_a, "moduli"_a, "batch"_a, NoGil(),
           "Multiplies random polynomials, `batch` pairs modulo each prime, in one go; whether the products are those "
           "of the engine `reference`.")
      .def("reset_statistics", &FpgaEngine::reset_statistics);
}

}  // namespace cyclotome::python
