// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/engine/fpga/fpga.hpp"

#include "cyclotome/engine/fpga/fpga_engine.hpp"
#include "cyclotome/math/errors.hpp"

namespace cyclotome {

EnginePtr make_fpga_engine(const std::string& circuit, EnginePtr host, const FpgaOptions& options) {
  auto engine = FpgaEngine::create(std::move(host), options);
  engine->open(circuit);
  return engine;
}

fpga::Statistics circuit_statistics(const Engine& engine) {
  const auto* const own = dynamic_cast<const FpgaEngine*>(&engine);
  if (own == nullptr)
    throw ArgumentError(message("the engine ", engine.name(), " has no circuits; make_fpga_engine makes one"));
  return own->statistics();
}

}  // namespace cyclotome
