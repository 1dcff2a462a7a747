// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/circuit/plan.hpp"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <map>
#include <sstream>

#include "cyclotome/circuit/ciphertext_algebra.hpp"
#include "cyclotome/circuit/outlook.hpp"
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

/// Memory to ask each engine for: devices may share one.
std::map<EnginePtr, std::uint64_t> by_engine(std::span<const rlwe::ContextPtr> contexts,
                                             const std::vector<std::uint64_t>& bytes) {
  std::map<EnginePtr, std::uint64_t> sums;
  // Engines round the sizes of their blocks up, by an eighth at most.
  for (std::size_t i = 0; i < contexts.size(); ++i) sums[contexts[i]->engine()] += bytes[i] + bytes[i] / 8;
  return sums;
}

/// A way that fits into memory. Throws MemoryLimitError.
Outlook::Way find_way(const Circuit& circuit, const Outlook& outlook, const rlwe::EvaluationKeys& keys,
                      std::span<const rlwe::ContextPtr> contexts) {
  const PolyArray& key = keys.relinearization().polynomials();
  std::uint64_t scratch = 0;
  for (const rlwe::ContextPtr& context : contexts) {
    scratch = std::max<std::uint64_t>(scratch, context->engine()->working_set());
  }
  const auto devices = devices_with(key.bytes() / key.batch(), key.batch(), contexts.size(), scratch);
  Outlook::Way way = outlook.find(devices, [&](const std::vector<std::uint64_t>& bytes) {
    return std::ranges::all_of(by_engine(contexts, bytes),
                               [](const auto& each) { return has_memory(*each.first, each.second); });
  });
  for (const auto& [engine, bytes] : by_engine(contexts, way.bytes)) {
    require_memory(*engine, circuit.name(), bytes, "compute fewer lists or blocks at once");
  }
  return way;
}

/// An algebra on each engine.
class Devices {
 public:
  Devices(const KeysPtr& keys, const std::vector<rlwe::ContextPtr>& contexts, std::size_t width, bool keys_spread) {
    const auto shares = keys_spread ? std::make_shared<const KeyShares>(keys, contexts) : nullptr;
    for (std::size_t i = 0; i < contexts.size(); ++i) {
      const bool there = contexts[i]->engine() == contexts[0]->engine();
      if (!there) require_same_parameters(*contexts[i], *contexts[0]);
      algebras_.push_back(there ? std::make_unique<CiphertextAlgebra>(keys, width)
                          : shares
                              ? std::make_unique<CiphertextAlgebra>(shares, i, width)
                              : std::make_unique<CiphertextAlgebra>(relinearization_on(contexts[i], *keys), width));
      pointers_.push_back(algebras_.back().get());
    }
  }
  std::span<const Algebra* const> algebras() const noexcept { return pointers_; }

 private:
  static void require_same_parameters(const rlwe::Context& a, const rlwe::Context& b) {
    if (a.parameters().fingerprint() == b.parameters().fingerprint()) return;
    throw MismatchError(message("circuit: devices with ", a.parameters().summary(), " and ", b.parameters().summary(),
                                "; all take the parameters of the keys"));
  }

  std::vector<std::unique_ptr<CiphertextAlgebra>> algebras_;
  std::vector<const Algebra*> pointers_;
};

/// The same with the bound that was planned, which holds for it in however many pieces it was computed.
rlwe::Ciphertext declared(const rlwe::Ciphertext& c, const State& planned) {
  return c.derived(c.polynomials(), larger(c.noise(), planned.noise));
}

/// With a key of the parameters' own shape, digits of two parts over all primes, and engines as most are.
Outlook::Devices devices_with(const rlwe::Parameters& parameters, std::size_t count) {
  const std::size_t limbs = parameters.moduli().size() + parameters.special_moduli().size();
  const std::uint64_t digit = 2 * limbs * parameters.degree() * bytes_of(parameters.word());
  return devices_with(digit, parameters.digits(), count, std::uint64_t{64} << 20);
}

}  // namespace

Plan plan(const Circuit& circuit, const rlwe::Parameters& parameters, std::span<const State> inputs, std::size_t width,
          const Resources& resources) {
  if (resources.devices == 0) throw ArgumentError("a circuit takes one device or more");
  const Outlook outlook(circuit, parameters, inputs, width);
  const auto with_inputs = [&](std::vector<std::uint64_t> bytes) {
    bytes[0] += outlook.input_bytes();
    return *std::ranges::max_element(bytes);
  };
  const Outlook::Way way = outlook.find(devices_with(parameters, resources.devices), [&](const auto& bytes) {
    return !resources.bytes || with_inputs(bytes) <= *resources.bytes;
  });
  return {reports(outlook, way), counts_of(circuit), with_inputs(way.bytes), outlook.level(),
          outlook.carried(),     outlook.headroom(), way.sections,           way.keys_spread};
}

bool carries(const Circuit& circuit, const rlwe::Parameters& parameters) {
  return Outlook(circuit, parameters, {}, 1).carried();
}

std::string explain(const Circuit& circuit, const Plan& plan) {
  std::ostringstream text;
  text << circuit.name() << ": depth " << circuit.depth() << ", " << plan.counts.products << " products, "
       << plan.counts.relinearizations << " relinearisations, " << plan.counts.additions << " additions, "
       << byte_size(plan.peak_bytes) << " at most"
       << (plan.sections == 1 ? "" : message(", in ", plan.sections, " sections"))
       << (plan.keys_spread ? ", the key spread over devices" : "") << "\n"
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
                 std::size_t width, const Progress& progress, std::span<const rlwe::ContextPtr> others) {
  const CiphertextAlgebra algebra(keys, width);
  const rlwe::Context& context = *keys->context();
  std::vector<rlwe::ContextPtr> contexts = {keys->context()};
  contexts.insert(contexts.end(), others.begin(), others.end());
  std::vector<BatchPtr> batches;
  std::vector<State> states;
  for (const rlwe::Ciphertext& input : inputs) {
    batches.push_back(algebra.batch(input));
    states.push_back({input.noise(), input.level(), input.correction()});
  }
  const Outlook outlook(circuit, context.parameters(), states, width);
  if (!outlook.carried()) refuse(circuit, context.parameters(), outlook.layers());
  const Outlook::Way way = find_way(circuit, outlook, *keys, contexts);
  const Devices devices(keys, contexts, width, way.keys_spread);
  const Result result =
      evaluate(circuit, devices.algebras(), std::move(batches), {way.sections, &outlook.course()}, progress);
  Computed computed{{}, reports(outlook, way), way.sections, way.keys_spread};
  for (std::size_t i = 0; i < result.outputs.size(); ++i) {
    if (result.outputs[i] == nullptr) continue;
    computed.outputs.push_back(declared(CiphertextAlgebra::ciphertexts(*result.outputs[i]), outlook.outputs()[i]));
    if (!rlwe::is_transparent(computed.outputs.back())) continue;
    throw TransparentError(message(circuit.name(),
                                   ": a result would hide nothing, as of a number compared with itself; ",
                                   "leave the operation out, or encrypt one of the inputs anew"));
  }
  return computed;
}

}  // namespace cyclotome::circuit
