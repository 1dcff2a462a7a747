// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/circuit/evaluation.hpp"
#include "cyclotome/circuit/noise_algebra.hpp"
#include "cyclotome/rlwe/keys.hpp"
#include "cyclotome/scheme/scheme.hpp"

namespace cyclotome::circuit {

/// What a circuit would take, and leave, with some parameters.
struct Plan {
  std::vector<LayerReport> layers;
  Counts counts;
  std::uint64_t peak_bytes;  ///< about, of ciphertexts in the engine's memory
  std::size_t level;         ///< of the outputs
  bool carried;              ///< whether decryption corrects the noise of every layer
  double headroom;           ///< bits that the outputs' noise leaves
};

/// Goes through a circuit with noise bounds in place of ciphertexts, before anything is encrypted. inputs: noise and
/// level of each input port; none: fresh encryptions under the public key. width: ciphertexts for each wire.
Plan plan(const Circuit& circuit, const rlwe::Parameters& parameters, std::span<const NoiseAlgebra::State> inputs = {},
          std::size_t width = 1);

/// The plan as a table, a line for each layer.
std::string explain(const Circuit& circuit, const Plan& plan);

/// Computes a circuit over ciphertexts, once the plan says that it can be: inputs are a batch for each port, `width`
/// ciphertexts for each wire, and the results likewise. Throws NoiseError before work starts if the noise would grow
/// beyond what can be decrypted, and says how many levels were needed; MemoryLimitError likewise; TransparentError for
/// a result that hides nothing; and as CiphertextAlgebra and evaluate.
struct Computed {
  std::vector<rlwe::Ciphertext> outputs;  ///< for each port that has wires
  std::vector<LayerReport> layers;
};
Computed compute(const Circuit& circuit, std::span<const rlwe::Ciphertext> inputs,
                 const std::shared_ptr<const rlwe::EvaluationKeys>& keys, std::size_t width = 1,
                 const Progress& progress = {});

}  // namespace cyclotome::circuit
