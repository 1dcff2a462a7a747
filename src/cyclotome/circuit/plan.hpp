// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "cyclotome/circuit/noise_algebra.hpp"
#include "cyclotome/circuit/running/evaluation.hpp"
#include "cyclotome/rlwe/keys/keys.hpp"
#include "cyclotome/scheme/scheme.hpp"

namespace cyclotome::circuit {

/// What a circuit would take, and leave, with some parameters.
struct Plan {
  /// What each layer takes and leaves.
  std::vector<LayerReport> layers;
  /// Products, relinearisations and sums of all layers.
  Counts counts;
  std::uint64_t peak_bytes;  ///< about, of ciphertexts in the memory of the engine that takes most, inputs included
  std::uint64_t key_bytes;   ///< that keys hold there beside them: secret, public and that of relinearisation
  std::size_t level;         ///< of the outputs
  bool carried;              ///< whether decryption corrects the noise of every layer
  double headroom;           ///< bits that the outputs' noise leaves
  std::size_t sections = 1;  ///< that it is computed in, one after the other; see Schedule
  bool keys_spread = false;  ///< whether devices share the key's digits, else each has a copy
  bool by_lanes = false;     ///< whether devices share lanes, each of which computes all gates, else gates
  std::size_t devices = 1;   ///< that are given something to do
};

/// Products and relinearisations of a layer that a device must get, on average, to be given any: with fewer, fetching
/// what the others have takes longer than what it saves (an estimate from two H200 with NVLink between them).
inline constexpr std::size_t worth_sharing = 48;
/// So many devices of those that there are share a circuit's gates.
std::size_t devices_worth(const Circuit& circuit, std::size_t devices, std::size_t gates_each = worth_sharing);

/// What there is to compute with.
struct Resources {
  /// How many devices there are.
  std::size_t devices = 1;
  /// Of memory on each, keys and inputs included: a plan that fits runs under this limit. Nothing: as much as it takes.
  std::optional<std::uint64_t> bytes = std::nullopt;
  std::vector<bool> shared = {};  ///< inputs of one ciphertext for each wire, that all lanes share
  /// Gates of a layer that a device must get to be given any.
  std::size_t gates_each = worth_sharing;
};

/// Goes through a circuit with noise bounds in place of ciphertexts, before anything is encrypted. inputs: noise and
/// level of each input port; none: fresh encryptions under the public key. width: ciphertexts for each wire. Noise and
/// levels do not depend on the resources. Where memory is too small whatever the sections, the plan with least memory.
Plan plan(const Circuit& circuit, const rlwe::Parameters& parameters, std::span<const NoiseAlgebra::State> inputs = {},
          std::size_t width = 1, const Resources& resources = {});
/// Whether parameters carry a circuit from fresh encryptions on.
bool carries(const Circuit& circuit, const rlwe::Parameters& parameters);

/// The plan as a table, a line for each layer.
std::string explain(const Circuit& circuit, const Plan& plan);

/// Computes a circuit over ciphertexts, once the plan says that it can be: inputs are a batch for each port, `width`
/// ciphertexts for each wire, or one that all of them share, and the results `width`. others: the same parameters on
/// further engines, which share the work: lanes if there are enough ciphertexts for each wire, which then need nothing
/// of each other, else gates, of which those devices get any that it pays for. In as few sections as memory allows.
/// Residues and bounds depend neither on the engines nor on the sections.
///
/// Throws NoiseError before work starts if the noise would grow beyond what can be decrypted, and says how many levels
/// were needed; MemoryLimitError likewise; TransparentError for a result that hides nothing; and as CiphertextAlgebra
/// and evaluate.
struct Computed {
  std::vector<rlwe::Ciphertext> outputs;  ///< for each port that has wires
  /// What each layer took and left.
  std::vector<LayerReport> layers;
  /// That it was computed in.
  std::size_t sections;
  /// Whether devices shared the key's digits.
  bool keys_spread;
  /// Whether devices shared lanes, not gates.
  bool by_lanes = false;
  /// That were given something to do.
  std::size_t devices = 1;
};
/// Computes it: as said above.
Computed compute(const Circuit& circuit, std::span<const rlwe::Ciphertext> inputs,
                 const std::shared_ptr<const rlwe::EvaluationKeys>& keys, std::size_t width = 1,
                 const Progress& progress = {}, std::span<const rlwe::ContextPtr> others = {},
                 std::size_t gates_each = worth_sharing);

}  // namespace cyclotome::circuit
