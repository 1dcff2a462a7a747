// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>

#include "bindings/bindings.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/study/circuit/ltv_algebra.hpp"
#include "cyclotome/value/arrays/options.hpp"

#ifdef CYCLOTOME_CUDA
#include "cyclotome/engine/cuda/study/ltv_batch_engine.hpp"
#endif

// Circuits over LTV, on the processor or on a GPU. The same functions in every build.
namespace cyclotome::python {

namespace {

using namespace study::ltv;

/// gpu: its number; none: this processor.
BatchEnginePtr engine_of(const SwitchingKey& key, std::optional<int> gpu) {
  if (!gpu) return host_batch_engine(key);
#ifdef CYCLOTOME_CUDA
  return ltv_batch_engine(LtvEngine::create(key.parameters()->arithmetic(), *gpu), key);
#else
  throw EngineError(
      "this build of cyclotome has no CUDA engine; make install-cuda builds it, or use the device \"cpu\"");
#endif
}

/// An algebra, and what it made.
struct Machine {
  Machine(const SwitchingKey& key, std::optional<int> gpu) : algebra(engine_of(key, gpu)) {}
  study::LtvAlgebra algebra;
};
struct Placed {
  std::shared_ptr<Machine> machine;
  circuit::BatchPtr batch;  ///< null: no ciphertexts
};

Placed put(const std::shared_ptr<Machine>& machine, const std::vector<const Ciphertext*>& ciphertexts) {
  if (ciphertexts.empty()) return {machine, nullptr};
  std::vector<Ciphertext> copies;
  for (const Ciphertext* const c : ciphertexts) copies.push_back(*c);
  return {machine, machine->algebra.batch(copies)};
}

std::vector<circuit::BatchPtr> batches_of(const std::shared_ptr<Machine>& machine,
                                          const std::vector<const Placed*>& inputs) {
  std::vector<circuit::BatchPtr> batches;
  for (const Placed* const input : inputs) {
    if (input->machine != machine) {
      throw MismatchError("circuit: ciphertexts that were put where another machine computes; put them into this one");
    }
    batches.push_back(input->batch);
  }
  return batches;
}

std::vector<Placed> compute(const std::shared_ptr<Machine>& machine, const circuit::Circuit& circuit,
                            const std::vector<const Placed*>& inputs, const value::Options& options) {
  std::vector<circuit::BatchPtr> batches = batches_of(machine, inputs);
  const auto progress = [&](std::size_t done, std::size_t total, const std::string& what) {
    if (options.progress) options.progress(done, total, what);
  };
  std::vector<Placed> outputs;
  for (const circuit::BatchPtr& output : study::compute(circuit, machine->algebra, std::move(batches), progress)) {
    outputs.push_back({machine, output});
  }
  machine->algebra.engine()->synchronize();
  return outputs;
}

}  // namespace

void bind_ltv_circuits(nb::module_& m) {
  nb::class_<Placed>(m, "LtvPlaced")
      .def(
          "get",
          [](const Placed& placed) {
            return placed.batch == nullptr ? std::vector<Ciphertext>()
                                           : placed.machine->algebra.ciphertexts(*placed.batch);
          },
          NoGil(), "The ciphertexts.");
  nb::class_<study::LtvCounts>(m, "LtvCounts")
      .def_ro("transforms", &study::LtvCounts::transforms)
      .def_ro("products", &study::LtvCounts::products)
      .def_ro("key_bytes", &study::LtvCounts::key_bytes)
      .def_ro("peak_bytes", &study::LtvCounts::peak_bytes);
  nb::class_<Machine>(m, "LtvMachine")
      .def_static(
          "create", [](const SwitchingKey& key, std::optional<int> gpu) { return std::make_shared<Machine>(key, gpu); },
          "key"_a, "gpu"_a = nb::none(), NoGil(), "gpu: its number; None: this processor. The key is copied to it.")
      .def_static("put", &put, "machine"_a, "ciphertexts"_a, NoGil(), "Ciphertexts where the machine computes.")
      .def_static(
          "plan",
          [](const std::shared_ptr<Machine>& machine, const circuit::Circuit& circuit,
             const std::vector<const Placed*>& inputs) {
            return study::plan(circuit, machine->algebra, batches_of(machine, inputs));
          },
          "machine"_a, "circuit"_a, "inputs"_a, NoGil(), "What a circuit would take, without computing it.")
      .def_static("compute", &compute, "machine"_a, "circuit"_a, "inputs"_a, "options"_a, NoGil(),
                  "A circuit, of an LtvPlaced for each port; waits until it is done.");
}

}  // namespace cyclotome::python
