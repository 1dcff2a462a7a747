// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/circuit/plan.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <iomanip>
#include <map>
#include <sstream>

#include "cyclotome/circuit/ciphertext_algebra.hpp"
#include "cyclotome/circuit/outlook.hpp"
#include "cyclotome/circuit/running/lane_shares.hpp"
#include "cyclotome/circuit/running/team.hpp"
#include "cyclotome/engine/memory_limit.hpp"
#include "cyclotome/math/errors.hpp"

namespace cyclotome::circuit {

namespace {

using State = NoiseAlgebra::State;
using KeysPtr = std::shared_ptr<const rlwe::EvaluationKeys>;

std::string whole(double value) { return std::to_string(static_cast<long>(std::floor(value))); }

/// Names what was needed: every layer takes about as many bits of the modulus as those that could be computed.
[[noreturn]] void refuse(const Circuit& circuit, const rlwe::Parameters& parameters,
                         const std::vector<LayerReport>& layers) {
  const auto failed = std::ranges::find_if(layers, [](const LayerReport& layer) { return layer.headroom < 0; });
  const std::size_t start = layers.front().level;
  const std::size_t done = failed == layers.end() ? circuit.depth() : std::max<std::size_t>(failed->layer, 1) - 1;
  std::ostringstream advice;
  if (done > 0 && parameters.scheme().has_levels()) {
    const double used = parameters.log2_modulus(start) - parameters.log2_modulus(layers[done].level);
    if (used > 0) advice << ", about " << std::ceil(used / static_cast<double>(done)) << " bits of q each";
  }
  throw NoiseError(message(
      circuit.name(), ": ", circuit.depth(), " products one after the other need ", circuit.depth() + 1, " levels",
      advice.str(), "; inputs at level ", start, " of ", parameters.summary(), " carry ", done,
      " of them. Use parameters with a larger log q (plan says how a circuit fits), or inputs at a higher level"));
}

Outlook::Devices devices_with(std::uint64_t digit_bytes, std::size_t digits, std::size_t count, std::uint64_t scratch) {
  Outlook::Devices devices{digit_bytes * digits, {}, scratch};
  for (std::size_t i = 0; i < count; ++i) {
    devices.shares.push_back(KeyShares::digits_of(i, digits, count) * digit_bytes);
  }
  return devices;
}

/// What the outlook says of layers, and in how many batches this way computes them.
std::vector<LayerReport> reports(const Outlook& outlook, const Outlook::Way& way) {
  std::vector<LayerReport> layers = outlook.layers();
  for (LayerReport& layer : layers) layer.operations = way.batches[layer.layer];
  return layers;
}

/// Engines round the sizes of their blocks up, by an eighth at most.
std::uint64_t in_blocks(std::uint64_t bytes) { return bytes + bytes / 8; }

/// Memory to ask each engine for: devices may share one.
std::map<EnginePtr, std::uint64_t> by_engine(std::span<const rlwe::ContextPtr> contexts,
                                             const std::vector<std::uint64_t>& bytes) {
  std::map<EnginePtr, std::uint64_t> sums;
  for (std::size_t i = 0; i < contexts.size(); ++i) sums[contexts[i]->engine()] += in_blocks(bytes[i]);
  return sums;
}

std::uint64_t scratch_of(std::span<const rlwe::ContextPtr> contexts) {
  std::uint64_t scratch = 0;
  for (const rlwe::ContextPtr& context : contexts) {
    scratch = std::max<std::uint64_t>(scratch, context->engine()->working_set());
  }
  return scratch;
}

/// A way that fits into memory. Throws MemoryLimitError.
Outlook::Way find_way(const Circuit& circuit, const Outlook& outlook, const rlwe::EvaluationKeys& keys,
                      std::span<const rlwe::ContextPtr> contexts) {
  const PolyArray& key = keys.relinearization().polynomials();
  const auto devices = devices_with(key.bytes() / key.batch(), key.batch(), contexts.size(), scratch_of(contexts));
  Outlook::Way way = outlook.find(devices, [&](const std::vector<std::uint64_t>& bytes) {
    return std::ranges::all_of(by_engine(contexts, bytes),
                               [](const auto& each) { return has_memory(*each.first, each.second); });
  });
  for (const auto& [engine, bytes] : by_engine(contexts, way.bytes)) {
    require_memory(*engine, circuit.name(), bytes, "compute fewer lists or blocks at once");
  }
  return way;
}

void require_same_parameters(const rlwe::Context& a, const rlwe::Context& b) {
  if (a.parameters().fingerprint() == b.parameters().fingerprint()) return;
  throw MismatchError(message("circuit: devices with ", a.parameters().summary(), " and ", b.parameters().summary(),
                              "; all take the parameters of the keys"));
}

/// An algebra on each engine.
class Devices {
 public:
  Devices(const KeysPtr& keys, const std::vector<rlwe::ContextPtr>& contexts, std::size_t width, bool keys_spread) {
    const auto shares = keys_spread ? std::make_shared<const KeyShares>(keys, contexts) : nullptr;
    for (std::size_t i = 0; i < contexts.size(); ++i) {
      const bool there = contexts[i]->engine() == contexts[0]->engine();
      algebras_.push_back(there ? std::make_unique<CiphertextAlgebra>(keys, width)
                          : shares
                              ? std::make_unique<CiphertextAlgebra>(shares, i, width)
                              : std::make_unique<CiphertextAlgebra>(relinearization_on(contexts[i], *keys), width));
      pointers_.push_back(algebras_.back().get());
    }
  }
  std::span<const Algebra* const> algebras() const noexcept { return pointers_; }
  const CiphertextAlgebra& first() const noexcept { return *algebras_.front(); }

 private:
  std::vector<std::unique_ptr<CiphertextAlgebra>> algebras_;
  std::vector<const Algebra*> pointers_;
};

/// The same with the bound that was planned, which holds for it in however many pieces it was computed.
rlwe::Ciphertext declared(const rlwe::Ciphertext& c, const State& planned) {
  return c.derived(c.polynomials(), larger(c.noise(), planned.noise));
}

void require_hidden(const Circuit& circuit, const rlwe::Ciphertext& output) {
  if (!rlwe::is_transparent(output)) return;
  throw TransparentError(message(circuit.name(), ": a result would hide nothing, as of a number compared with itself; ",
                                 "leave the operation out, or encrypt one of the inputs anew"));
}

/// The inputs of each port.
struct Inputs {
  /// One ciphertext for each wire stands for all lanes.
  Inputs(const Circuit& circuit, std::span<const rlwe::Ciphertext> all, std::size_t width) : ciphertexts(all) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      const std::size_t wires = i < circuit.inputs().size() ? circuit.inputs()[i].wires.size() : 0;
      shared.push_back(width > 1 && all[i].batch() == wires);
      states.push_back({all[i].noise(), all[i].level(), all[i].correction()});
    }
  }
  std::vector<BatchPtr> batches(const CiphertextAlgebra& algebra) const {
    std::vector<BatchPtr> result;
    for (std::size_t i = 0; i < ciphertexts.size(); ++i) {
      result.push_back(shared[i] ? algebra.shared(ciphertexts[i]) : algebra.batch(ciphertexts[i]));
    }
    return result;
  }

  std::span<const rlwe::Ciphertext> ciphertexts;
  std::vector<bool> shared;
  std::vector<State> states;
};

/// A way that fits where each device computes with some of the lanes, and has its inputs and the key as well.
Outlook::Way find_way(const Circuit& circuit, const Outlook& outlook, const rlwe::EvaluationKeys& keys,
                      std::span<const rlwe::ContextPtr> contexts, const LaneShares& lanes) {
  const std::uint64_t key = keys.relinearization().polynomials().bytes();
  const auto on_each = [&](const std::vector<std::uint64_t>& bytes) {
    std::vector<std::uint64_t> all;
    for (std::size_t i = 0; i < lanes.count(); ++i) {
      all.push_back(bytes[0] + outlook.input_bytes() + (contexts[i]->engine() == contexts[0]->engine() ? 0 : key));
    }
    return by_engine(contexts, all);
  };
  Outlook::Way way =
      outlook.find(Outlook::Devices{key, {0}, scratch_of(contexts)}, [&](const std::vector<std::uint64_t>& bytes) {
        return std::ranges::all_of(on_each(bytes),
                                   [](const auto& each) { return has_memory(*each.first, each.second); });
      });
  for (const auto& [engine, bytes] : on_each(way.bytes)) {
    require_memory(*engine, circuit.name(), bytes, "compute fewer lists or blocks at once");
  }
  return way;
}

/// What one device computes of all gates with its lanes.
std::vector<rlwe::Ciphertext> compute_share(const Circuit& circuit, const Inputs& given, const KeysPtr& keys,
                                            const rlwe::ContextPtr& context, const LaneShares& lanes,
                                            std::size_t device, const Manner& manner, const Progress& progress) {
  std::vector<rlwe::Ciphertext> own;
  for (std::size_t i = 0; i < given.ciphertexts.size(); ++i) {
    const rlwe::Ciphertext& all = given.ciphertexts[i];
    own.push_back(moved(given.shared[i] ? all : lanes.taken(all, device), context));
  }
  const bool there = context->engine() == keys->context()->engine();
  const CiphertextAlgebra algebra(there ? keys : relinearization_on(context, *keys), lanes.width(device));
  Inputs mine(circuit, own, lanes.width(device));
  mine.shared = given.shared;
  const Algebra* const algebras[] = {&algebra};
  const Result result = evaluate(circuit, algebras, mine.batches(algebra), manner, progress);
  std::vector<rlwe::Ciphertext> outputs;
  for (const BatchPtr& output : result.outputs) {
    if (output != nullptr) outputs.push_back(moved(algebra.ciphertexts(*output), keys->context()));
  }
  return outputs;
}

Computed compute_lanes(const Circuit& circuit, const Inputs& given, const KeysPtr& keys, std::size_t width,
                       const Progress& progress, const std::vector<rlwe::ContextPtr>& contexts) {
  const LaneShares lanes(width, contexts.size());
  const Outlook outlook(circuit, contexts[0]->parameters(), given.states, lanes.widest(), given.shared);
  if (!outlook.carried()) refuse(circuit, contexts[0]->parameters(), outlook.layers());
  const Outlook::Way way = find_way(circuit, outlook, *keys, contexts, lanes);
  const Manner manner{way.sections, &outlook.course()};
  std::vector<std::vector<rlwe::Ciphertext>> shares(lanes.count());
  std::atomic<bool> failed = false;
  // Each computes as many steps as the first, which tells of them.
  const Progress watch = [&](std::size_t, std::size_t, const std::string&) {
    if (failed) throw EngineError(message(circuit.name(), ": another device's share failed"));
  };
  Team(lanes.count()).each([&](std::size_t device) {
    try {
      shares[device] =
          compute_share(circuit, given, keys, contexts[device], lanes, device, manner, device == 0 ? progress : watch);
    } catch (...) {
      failed = true;
      throw;
    }
  });
  Computed computed{{}, reports(outlook, way), way.sections, false, true, lanes.count()};
  for (std::size_t port = 0, i = 0; port < circuit.outputs().size(); ++port) {
    if (circuit.outputs()[port].wires.empty()) continue;
    std::vector<const rlwe::Ciphertext*> parts;
    for (const auto& share : shares) parts.push_back(&share[i]);
    computed.outputs.push_back(declared(lanes.joined(parts), outlook.outputs()[port]));
    require_hidden(circuit, computed.outputs.back());
    ++i;
  }
  return computed;
}

/// Of a polynomial over all primes.
std::uint64_t key_part_bytes(const rlwe::Parameters& parameters) {
  const std::size_t limbs = parameters.moduli().size() + parameters.special_moduli().size();
  return limbs * parameters.degree() * bytes_of(parameters.word());
}

/// With a key of the parameters' own shape, digits of two parts over all primes, and engines as most are.
Outlook::Devices devices_with(const rlwe::Parameters& parameters, std::size_t count) {
  return devices_with(2 * key_part_bytes(parameters), parameters.digits(), count, std::uint64_t{64} << 20);
}

/// A secret key, the public one in two parts, and that of relinearisation.
std::uint64_t keys_of(const rlwe::Parameters& parameters) {
  return key_part_bytes(parameters) * (1 + 2 + 2 * parameters.digits());
}

}  // namespace

std::size_t devices_worth(const Circuit& circuit, std::size_t devices, std::size_t gates_each) {
  const Counts counts = counts_of(circuit);
  const std::size_t each_layer =
      (counts.products + counts.relinearizations) / std::max<std::size_t>(1, circuit.depth());
  return std::clamp<std::size_t>(each_layer / std::max<std::size_t>(1, gates_each), 1, devices);
}

Plan plan(const Circuit& circuit, const rlwe::Parameters& parameters, std::span<const State> inputs, std::size_t width,
          const Resources& resources) {
  if (resources.devices == 0) throw ArgumentError("a circuit takes one device or more");
  const bool by_lanes = LaneShares::serve(width, resources.devices);
  const std::size_t devices = by_lanes ? 1 : devices_worth(circuit, resources.devices, resources.gates_each);
  const Outlook outlook(circuit, parameters, inputs, by_lanes ? LaneShares(width, resources.devices).widest() : width,
                        resources.shared);
  const auto with_inputs = [&](std::vector<std::uint64_t> bytes) {
    bytes[0] += outlook.input_bytes();
    return *std::ranges::max_element(bytes);
  };
  const std::uint64_t keys = keys_of(parameters);
  // As computing asks, when keys and inputs are there.
  const auto fits = [&](std::vector<std::uint64_t> bytes) {
    bytes[0] += outlook.input_bytes() + keys;
    return in_blocks(*std::ranges::max_element(bytes)) <= *resources.bytes;
  };
  const Outlook::Way way = outlook.find(devices_with(parameters, devices),
                                        [&](const auto& bytes) { return !resources.bytes || fits(bytes); });
  return {reports(outlook, way),
          counts_of(circuit),
          with_inputs(way.bytes),
          keys,
          outlook.level(),
          outlook.carried(),
          outlook.headroom(),
          way.sections,
          way.keys_spread,
          by_lanes,
          by_lanes ? resources.devices : devices};
}

bool carries(const Circuit& circuit, const rlwe::Parameters& parameters) {
  return Outlook::carries(circuit, parameters);
}

std::string explain(const Circuit& circuit, const Plan& plan) {
  std::ostringstream text;
  text << circuit.name() << ": depth " << circuit.depth() << ", " << plan.counts.products << " products, "
       << plan.counts.relinearizations << " relinearisations, " << plan.counts.additions << " additions, "
       << byte_size(plan.peak_bytes) << " at most beside keys of " << byte_size(plan.key_bytes)
       << (plan.sections == 1 ? "" : message(", in ", plan.sections, " sections"))
       << (plan.keys_spread ? ", the key spread over devices" : "")
       << (plan.devices == 1
               ? ""
               : message(", on ", plan.devices, " devices, which share ", plan.by_lanes ? "lanes" : "gates"))
       << "\n"
       << " layer  level  products  relinearisations  additions  batches  noise  headroom\n";
  for (const LayerReport& layer : plan.layers) {
    text << std::setw(6) << layer.layer << std::setw(7) << layer.level << std::setw(10) << layer.counts.products
         << std::setw(18) << layer.counts.relinearizations << std::setw(11) << layer.counts.additions << std::setw(9)
         << layer.operations;
    const bool computed = layer.log2_noise > -1e8;
    text << std::setw(7) << (computed ? whole(layer.log2_noise) : "-") << std::setw(10)
         << (computed ? whole(layer.headroom) : "-") << "\n";
  }
  text << "outputs at level " << plan.level << " with " << whole(plan.headroom) << " bits of headroom"
       << (plan.carried ? "\n" : ": these parameters do not carry it\n");
  return text.str();
}

Computed compute(const Circuit& circuit, std::span<const rlwe::Ciphertext> inputs, const KeysPtr& keys,
                 std::size_t width, const Progress& progress, std::span<const rlwe::ContextPtr> others,
                 std::size_t gates_each) {
  std::vector<rlwe::ContextPtr> contexts = {keys->context()};
  contexts.insert(contexts.end(), others.begin(), others.end());
  const Inputs given(circuit, inputs, width);
  if (!given.shared.empty() && std::ranges::all_of(given.shared, std::identity())) {
    throw ArgumentError(message(circuit.name(), ": ", width,
                                " ciphertexts for each wire, of which every input has one ",
                                "only; one for each computes the same"));
  }
  static_cast<void>(given.batches(CiphertextAlgebra(keys, width)));  // what does not fit shows before any work is done
  for (const rlwe::ContextPtr& context : contexts) require_same_parameters(*context, *contexts[0]);
  if (LaneShares::serve(width, contexts.size())) return compute_lanes(circuit, given, keys, width, progress, contexts);
  contexts.resize(devices_worth(circuit, contexts.size(), gates_each));
  const Outlook outlook(circuit, keys->context()->parameters(), given.states, width, given.shared);
  if (!outlook.carried()) refuse(circuit, keys->context()->parameters(), outlook.layers());
  const Outlook::Way way = find_way(circuit, outlook, *keys, contexts);
  const Devices devices(keys, contexts, width, way.keys_spread);
  const Result result = evaluate(circuit, devices.algebras(), given.batches(devices.first()),
                                 {way.sections, &outlook.course()}, progress);
  Computed computed{{}, reports(outlook, way), way.sections, way.keys_spread, false, contexts.size()};
  for (std::size_t i = 0; i < result.outputs.size(); ++i) {
    if (result.outputs[i] == nullptr) continue;
    computed.outputs.push_back(declared(devices.first().ciphertexts(*result.outputs[i]), outlook.outputs()[i]));
    require_hidden(circuit, computed.outputs.back());
  }
  return computed;
}

}  // namespace cyclotome::circuit
