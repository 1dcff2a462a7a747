// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "cyclotome/circuit/noise_algebra.hpp"
#include "cyclotome/circuit/running/evaluation.hpp"
#include "cyclotome/circuit/running/recent.hpp"

namespace cyclotome::circuit {

/// A circuit with noise bounds in place of ciphertexts: its course, and what ways to compute it would take. What was
/// found lately is found again: it takes as long as a tenth of the circuit itself on a fast device.
class Outlook {
 public:
  using State = NoiseAlgebra::State;

  /// inputs: of each port; none: fresh encryptions. shared: which of them have one ciphertext for each wire, that all
  /// lanes share; none: none. Throws ArgumentError for another number of them.
  Outlook(const Circuit& circuit, const rlwe::Parameters& parameters, std::span<const State> inputs, std::size_t width,
          const std::vector<bool>& shared = {});

  /// Whether parameters carry a circuit from fresh encryptions on: the first look alone.
  static bool carries(const Circuit& circuit, const rlwe::Parameters& parameters);

  const Course& course() const noexcept { return found_.course; }
  /// With bounds of all gates of a layer that are computed alike, in however many pieces: those of ciphertexts may be
  /// smaller, never larger.
  const std::vector<LayerReport>& layers() const noexcept { return found_.layers; }
  /// Of each output port; of one without wires nothing is meant.
  const std::vector<State>& outputs() const noexcept { return found_.outputs; }
  std::size_t level() const noexcept { return found_.level; }
  double headroom() const noexcept { return found_.headroom; }
  bool carried() const noexcept { return found_.carried; }
  /// Bytes of the inputs, which are the caller's.
  std::uint64_t input_bytes() const noexcept { return input_bytes_; }

  /// One way to compute it.
  struct Way {
    std::size_t sections = 1;
    bool keys_spread = false;          ///< digits of the key lie on all devices, and are taken from there
    std::vector<std::uint64_t> bytes;  ///< that each device takes, inputs and keys that it has already left out
    std::vector<std::size_t> batches;  ///< of each layer: what its products and relinearisations are computed in
  };
  /// Devices, by what memory goes to beside ciphertexts: all of the key, each one's share of it, and the most scratch
  /// memory that one operation takes.
  struct Devices {
    std::uint64_t key_bytes = 0;
    std::vector<std::uint64_t> shares;
    std::uint64_t scratch = 0;
    std::size_t count() const noexcept { return shares.size(); }
  };
  /// The way of fewest sections that fits, keys copied to each device if they fit, else spread; if none fits, the one
  /// that takes least. fits: by what each device takes.
  Way find(const Devices& devices, const std::function<bool(const std::vector<std::uint64_t>& bytes)>& fits) const;

 private:
  Outlook(const Circuit& circuit, const rlwe::Parameters& parameters);
  std::vector<BatchPtr> inputs(const NoiseAlgebra& algebra) const;
  /// What going through the circuit brings out.
  struct Findings {
    Course course;
    std::vector<LayerReport> layers;
    std::vector<State> outputs;
    std::size_t level = 1;
    double headroom = 1e9;
    bool carried = true;
  };
  /// A way, and what each device would take if it had the key only as long as it relinearises.
  struct Ways {
    Way way;
    std::vector<std::uint64_t> with_spread_key;
  };
  Findings looked(const Course* ahead) const;
  Findings found() const;
  Dependence dependence() const;
  Ways worked_out(std::size_t sections, const Devices& devices) const;
  Ways in_sections(std::size_t sections, const Devices& devices) const;

  const Circuit& circuit_;
  const rlwe::Parameters& parameters_;
  std::vector<State> states_;
  std::size_t width_;
  std::vector<bool> shared_;
  std::vector<char> shared_bytes_;
  Findings found_;
  std::uint64_t input_bytes_ = 0;
};

}  // namespace cyclotome::circuit
