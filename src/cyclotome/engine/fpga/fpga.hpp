// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cyclotome/engine/engine.hpp"
#include "cyclotome/engine/fpga/options.hpp"
#include "cyclotome/engine/fpga/statistics.hpp"

// Engines that circuits compute for, for programs that use the library; the engine itself is fpga_engine.hpp.
namespace cyclotome {

/// An engine whose products of polynomials are computed by a circuit, a shared library as engine/fpga/circuit_abi.h
/// has it, at the circuit's degree; everything else is the host's, whose memory this processor must address. Throws
/// ArgumentError for 0 boards or threads, or more than 1024; EngineError for a library that can't be loaded or does not
/// offer what the mode needs.
EnginePtr make_fpga_engine(const std::string& circuit, EnginePtr host, const FpgaOptions& options = {});

/// What the circuits of such an engine did so far. Throws ArgumentError for another engine.
fpga::Statistics circuit_statistics(const Engine& engine);

}  // namespace cyclotome
