// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/circuit/outlook.hpp"

#include <algorithm>
#include <numeric>

#include "cyclotome/circuit/ciphertext_algebra.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/interrupt.hpp"

namespace cyclotome::circuit {

namespace {

/// Finer than that, wires that live on between sections are what takes memory.
constexpr std::size_t most_sections = 4096;

std::uint64_t largest(const std::vector<std::uint64_t>& bytes) { return *std::ranges::max_element(bytes); }

}  // namespace

Outlook::Outlook(const Circuit& circuit, const rlwe::Parameters& parameters, std::span<const State> inputs,
                 std::size_t width, const std::vector<bool>& shared)
    : circuit_(circuit),
      parameters_(parameters),
      states_(inputs.begin(), inputs.end()),
      width_(width),
      shared_(shared) {
  const NoiseAlgebra algebra(parameters, width, ~std::size_t{0} >> 1);
  if (!inputs.empty() && inputs.size() != circuit.inputs().size()) {
    throw ArgumentError(message(circuit.name(), " takes ", circuit.inputs().size(), " inputs, not ", inputs.size()));
  }
  if (inputs.empty()) states_.assign(circuit.inputs().size(), algebra.fresh());
  shared_.resize(states_.size());
  for (std::size_t i = 0; i < states_.size(); ++i) {
    const std::uint64_t bytes = algebra.bytes_of_items(circuit.inputs()[i].wires.size(), states_[i]);
    input_bytes_ += shared_[i] ? bytes / width : bytes;
  }
  Result result = evaluate(circuit, algebra, this->inputs(algebra));
  for (const LayerReport& layer : result.layers) carried_ = carried_ && layer.headroom >= 0;
  for (const BatchPtr& output : result.outputs) {
    outputs_.push_back(output == nullptr ? State{{}, rlwe::Level(1)} : NoiseAlgebra::state_of(*output));
    if (output == nullptr) continue;
    const Facts facts = algebra.facts(*output);
    level_ = facts.level;
    headroom_ = std::min(headroom_, facts.headroom);
  }
  carried_ = carried_ && headroom_ >= 0;
  course_ = std::move(result.course);
  layers_ = std::move(result.layers);
}

std::vector<BatchPtr> Outlook::inputs(const NoiseAlgebra& algebra) const {
  std::vector<BatchPtr> batches;
  for (std::size_t i = 0; i < states_.size(); ++i) {
    const std::size_t items = circuit_.inputs()[i].wires.size();
    batches.push_back(shared_[i] ? algebra.given_shared(items, states_[i]) : algebra.given(items, states_[i]));
  }
  return batches;
}

/// with_spread_key: what each device would take if it had the key only as long as it relinearises.
Outlook::Way Outlook::in_sections(std::size_t sections, const Devices& devices,
                                  std::vector<std::uint64_t>& with_spread_key) const {
  std::vector<std::unique_ptr<NoiseAlgebra>> algebras;
  std::vector<const Algebra*> pointers;
  for (std::size_t i = 0; i < devices.count(); ++i) {
    algebras.push_back(std::make_unique<NoiseAlgebra>(parameters_, width_, items_at_once(parameters_, width_),
                                                      i == 0 ? 0 : devices.key_bytes, devices.scratch));
    pointers.push_back(algebras.back().get());
  }
  const Result result = evaluate(circuit_, pointers, inputs(*algebras[0]), {sections, &course_, false});
  Way way{sections, false, {}, {}};
  for (std::size_t i = 0; i < devices.count(); ++i) {
    way.bytes.push_back(algebras[i]->peak_bytes() + (i == 0 ? 0 : devices.key_bytes));
    with_spread_key.push_back(algebras[i]->peak_bytes_with_key() + (i == 0 ? 0 : devices.shares[i]));
  }
  for (const LayerReport& layer : result.layers) way.batches.push_back(layer.operations);
  return way;
}

Outlook::Way Outlook::find(const Devices& devices,
                           const std::function<bool(const std::vector<std::uint64_t>&)>& fits) const {
  Way least;
  for (std::size_t sections = 1; sections == 1 || sections <= std::min(most_sections, circuit_.size()); sections *= 2) {
    check_interrupt();
    std::vector<std::uint64_t> spread;
    Way way = in_sections(sections, devices, spread);
    if (fits(way.bytes)) return way;
    if (sections == 1 || largest(way.bytes) < largest(least.bytes)) least = way;
    if (largest(spread) >= largest(way.bytes)) continue;
    way.keys_spread = true;
    way.bytes = std::move(spread);
    if (fits(way.bytes)) return way;
    if (largest(way.bytes) < largest(least.bytes)) least = way;
  }
  return least;
}

}  // namespace cyclotome::circuit
