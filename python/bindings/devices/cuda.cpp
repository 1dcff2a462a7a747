// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include "bindings/bindings.hpp"
#include "cyclotome/engine/cpu/cpu_engine.hpp"
#include "cyclotome/engine/cuda/streams/stream_order.hpp"
#include "cyclotome/math/errors.hpp"

#ifdef CYCLOTOME_CUDA
#include "cyclotome/engine/cuda/cuda_device.hpp"
#include "cyclotome/engine/cuda/cuda_engine.hpp"
#endif

// The same functions in every build, so that Python sees one module; without the CUDA engine they say that it is not
// there.
namespace cyclotome::python {

namespace {

using Facts = nb::typed<nb::dict, nb::str, nb::any>;

#ifdef CYCLOTOME_CUDA

constexpr bool cuda_built = true;

EnginePtr cuda_engine(int device) {
  try {
    return CudaEngine::create(device);
  } catch (const EngineError& error) {
    const std::string problem = cuda_system().problem;
    throw EngineError(message(problem.empty() ? error.what() : message("GPU cuda:", device, ": ", problem),
                              "; `cyclotome doctor` tells which devices there are"));
  }
}

Facts cuda_facts() {
  CudaSystem system;
  {
    const Unlocked unlocked;
    system = cuda_system();
  }
  nb::list devices;
  for (const CudaDevice& device : system.devices) {
    nb::dict facts;
    facts["index"] = device.index;
    facts["name"] = device.name;
    facts["compute_capability"] = message(device.major, ".", device.minor);
    facts["code"] = device.code;
    facts["multiprocessors"] = device.multiprocessors;
    facts["memory"] = device.memory;
    facts["memory_free"] = device.memory_free;
    facts["problem"] = device.problem;
    devices.append(facts);
  }
  nb::dict facts;
  facts["built"] = true;
  facts["runtime"] = system.runtime;
  facts["driver"] = system.driver;
  facts["devices"] = devices;
  facts["problem"] = system.problem;
  return Facts(std::move(facts));
}

Facts ceilings(int device) {
  CudaCeilings found;
  {
    const Unlocked unlocked;
    found = cuda_ceilings(device);
  }
  nb::dict facts;
  facts["copy_bytes_per_second"] = found.copy_bytes_per_second;
  facts["products_per_second_32"] = found.products_per_second_32;
  facts["products_per_second_64"] = found.products_per_second_64;
  return Facts(std::move(facts));
}

/// The device behind an engine; -1 for engines that are no GPU's.
int device_of(const Engine& engine) {
  const std::string name = engine.name();
  return dynamic_cast<const CudaEngine*>(&engine) == nullptr ? -1 : std::stoi(name.substr(name.find(':') + 1));
}
std::pair<std::size_t, std::size_t> device_memory(int device) { return cuda_memory(device); }
void reset_device_memory_peak(int device) { reset_cuda_memory_peak(device); }

#else

constexpr bool cuda_built = false;

[[noreturn]] void refuse() {
  throw EngineError(
      "this build of cyclotome computes on CPUs only; use device='cpu', or build with the CUDA engine (make "
      "install-cuda). `cyclotome doctor` tells which devices there are");
}

EnginePtr cuda_engine(int) { refuse(); }

Facts cuda_facts() {
  nb::dict facts;
  facts["built"] = false;
  facts["runtime"] = 0;
  facts["driver"] = 0;
  facts["devices"] = nb::list();
  facts["problem"] =
      "not in this build, which computes on CPUs only; make install-cuda builds the CUDA engine too, make "
      "wheel-cuda a package that adds it";
  return Facts(std::move(facts));
}

Facts ceilings(int) { refuse(); }
int device_of(const Engine&) { return -1; }
std::pair<std::size_t, std::size_t> device_memory(int) { refuse(); }
void reset_device_memory_peak(int) { refuse(); }

#endif

std::pair<std::size_t, std::size_t> engine_memory(const Engine& engine) {
  if (const auto* const cpu = dynamic_cast<const CpuEngine*>(&engine)) return {cpu->memory_used(), cpu->memory_peak()};
  const int device = device_of(engine);
  return device < 0 ? std::pair<std::size_t, std::size_t>() : device_memory(device);
}

void reset_engine_memory_peak(Engine& engine) {
  if (auto* const cpu = dynamic_cast<CpuEngine*>(&engine)) return cpu->reset_memory_peak();
  if (const int device = device_of(engine); device >= 0) reset_device_memory_peak(device);
}

}  // namespace

void bind_cuda(nb::module_& m) {
  m.attr("cuda_streams") = cuda::max_streams;
  m.attr("cuda_built") = cuda_built;
  m.def("cuda_engine", &cuda_engine, "device"_a, NoGil(),
        "The engine on the GPU of this index; EngineError if absent.");
  m.def("cuda_facts", &cuda_facts,
        "What there is for CUDA: built, runtime and driver (13000 is CUDA 13.0; 0: none), devices (a dictionary each), "
        "problem (empty if a device can be used).");
  m.def("cuda_ceilings", &ceilings, "device"_a,
        "Bytes copied and products modulo a prime in registers, in a second, at most: measured now.");
  m.def("engine_memory", &engine_memory, "engine"_a, NoGil(),
        "Bytes of the engine's memory in use, and the most that were at any time since reset_engine_memory_peak; zeros "
        "where an engine does not count.");
  m.def("reset_engine_memory_peak", &reset_engine_memory_peak, "engine"_a, NoGil());
}

}  // namespace cyclotome::python
