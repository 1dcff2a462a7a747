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

Outlook::Outlook(const Circuit& circuit, const rlwe::Parameters& parameters)
    : circuit_(circuit), parameters_(parameters), width_(1), shared_(circuit.inputs().size()) {
  states_.assign(circuit.inputs().size(), NoiseAlgebra(parameters, 1, 1).fresh());
}

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
  shared_bytes_.assign(shared_.begin(), shared_.end());
  for (std::size_t i = 0; i < states_.size(); ++i) {
    const std::uint64_t bytes = algebra.bytes_of_items(circuit.inputs()[i].wires.size(), states_[i]);
    input_bytes_ += shared_[i] ? bytes / width : bytes;
  }
  static Recent<Findings> recent;
  const Dependence of = dependence();
  if (auto known = recent.find(of)) {
    found_ = *std::move(known);
  } else {
    found_ = found();
    recent.keep(of, found_);
  }
}

/// All that findings depend on.
Dependence Outlook::dependence() const {
  Dependence of;
  of.on(circuit_.id()).on_all(parameters_.fingerprint()).on(width_).on_all(shared_bytes_);
  for (const State& state : states_) {
    of.on(state.noise.log2_max).on(state.noise.log2_rms).on(state.noise.log2_canonical);
    of.on(state.level.primes).on(state.correction);
  }
  return of;
}

/// The levels are known after a first look: what is relinearised for the next one goes there at once, if the noise
/// allows. That moves some levels, so that the next look finds more to do.
Outlook::Findings Outlook::found() const {
  constexpr int most_looks = 4;
  Findings found = looked(nullptr);
  for (int look = 1; found.carried && look < most_looks; ++look) {
    Findings next = looked(&found.course);
    if (!next.carried || next.course.relinearized == found.course.relinearized) break;
    found = std::move(next);
  }
  return found;
}

bool Outlook::carries(const Circuit& circuit, const rlwe::Parameters& parameters) {
  return Outlook(circuit, parameters).looked(nullptr).carried;
}

Outlook::Findings Outlook::looked(const Course* ahead) const {
  const NoiseAlgebra algebra(parameters_, width_, ~std::size_t{0} >> 1);
  const Algebra* const algebras[] = {&algebra};
  Result result = evaluate(circuit_, algebras, inputs(algebra), {.ahead = ahead});
  Findings found;
  for (const LayerReport& layer : result.layers) found.carried = found.carried && layer.headroom >= 0;
  for (const BatchPtr& output : result.outputs) {
    found.outputs.push_back(output == nullptr ? State{{}, rlwe::Level(1)} : NoiseAlgebra::state_of(*output));
    if (output == nullptr) continue;
    const Facts facts = algebra.facts(*output);
    found.level = facts.level;
    found.headroom = std::min(found.headroom, facts.headroom);
  }
  found.carried = found.carried && found.headroom >= 0;
  found.course = std::move(result.course);
  found.layers = std::move(result.layers);
  return found;
}

std::vector<BatchPtr> Outlook::inputs(const NoiseAlgebra& algebra) const {
  std::vector<BatchPtr> batches;
  for (std::size_t i = 0; i < states_.size(); ++i) {
    const std::size_t items = circuit_.inputs()[i].wires.size();
    batches.push_back(shared_[i] ? algebra.given_shared(items, states_[i]) : algebra.given(items, states_[i]));
  }
  return batches;
}

Outlook::Ways Outlook::in_sections(std::size_t sections, const Devices& devices) const {
  static Recent<Ways> recent;
  Dependence of = dependence();
  of.on(sections).on(devices.key_bytes).on_all(devices.shares).on(devices.scratch);
  if (auto known = recent.find(of)) return *std::move(known);
  Ways ways = worked_out(sections, devices);
  recent.keep(of, ways);
  return ways;
}

Outlook::Ways Outlook::worked_out(std::size_t sections, const Devices& devices) const {
  std::vector<std::unique_ptr<NoiseAlgebra>> algebras;
  std::vector<const Algebra*> pointers;
  for (std::size_t i = 0; i < devices.count(); ++i) {
    algebras.push_back(std::make_unique<NoiseAlgebra>(parameters_, width_, items_at_once(parameters_, width_),
                                                      i == 0 ? 0 : devices.key_bytes, devices.scratch));
    pointers.push_back(algebras.back().get());
  }
  const Result result = evaluate(circuit_, pointers, inputs(*algebras[0]),
                                 {.sections = sections, .course = &found_.course, .threads = false});
  Ways ways{{sections, false, {}, {}}, {}};
  for (std::size_t i = 0; i < devices.count(); ++i) {
    ways.way.bytes.push_back(algebras[i]->peak_bytes() + (i == 0 ? 0 : devices.key_bytes));
    ways.with_spread_key.push_back(algebras[i]->peak_bytes_with_key() + (i == 0 ? 0 : devices.shares[i]));
  }
  for (const LayerReport& layer : result.layers) ways.way.batches.push_back(layer.operations);
  return ways;
}

Outlook::Way Outlook::find(const Devices& devices,
                           const std::function<bool(const std::vector<std::uint64_t>&)>& fits) const {
  Way least;
  for (std::size_t sections = 1; sections == 1 || sections <= std::min(most_sections, circuit_.size()); sections *= 2) {
    check_interrupt();
    auto [way, spread] = in_sections(sections, devices);
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
