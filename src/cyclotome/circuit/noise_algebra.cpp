// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/circuit/noise_algebra.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <vector>

#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/modulus.hpp"

namespace cyclotome::circuit {

using rlwe::Level;
using rlwe::PlainIndex;

/// What ciphertexts would be, and for how long their memory is held.
class NoiseAlgebra::Bound final : public Batch {
 public:
  Bound(std::size_t n, std::size_t p, std::size_t w, const State& s, std::uint64_t b, std::shared_ptr<Memory> memory)
      : items(n), parts(p), width(w), state(s), bytes(b), memory_(std::move(memory)) {
    memory_->take(bytes);
  }
  ~Bound() override { memory_->held -= bytes; }

  const std::size_t items, parts, width;  // ciphertexts of an item: 1 where its lanes share one
  const State state;
  const std::uint64_t bytes;

 private:
  std::shared_ptr<Memory> memory_;
};

void NoiseAlgebra::Memory::take(std::uint64_t bytes) noexcept {
  held += bytes;
  peak = std::max(peak, held);
  peak_with_key = std::max(peak_with_key, held + key);
}

void require_one_modulus(const rlwe::Parameters& parameters) {
  if (parameters.plain_moduli().size() == 1) return;
  throw ParameterError(message("circuits take parameters with one plaintext modulus, not ",
                               parameters.plain_moduli().size(), ": ", parameters.summary()));
}

Level level_of_products(const rlwe::NoiseModel& model, std::span<const rlwe::NoiseModel::State> operands) {
  Level lowest = operands[0].level;
  for (const auto& operand : operands) lowest = std::min(lowest, operand.level);
  NoiseAlgebra::State worst = model.lowered(operands[0], lowest);
  for (const auto& operand : operands) worst.noise = larger(worst.noise, model.lowered(operand, lowest).noise);
  return model.multiplied(worst, worst).level;
}

std::int64_t factor_between(std::uint64_t from, std::uint64_t to, std::uint64_t modulus) {
  const std::uint64_t ratio = Modulus<std::uint64_t>(modulus).multiply(to, inverse_or_zero(from, modulus));
  const auto t = static_cast<std::int64_t>(modulus), factor = static_cast<std::int64_t>(ratio);
  return factor > t / 2 ? factor - t : factor;
}

std::uint64_t correction_of_operands(const rlwe::NoiseModel& model, std::uint64_t modulus,
                                     std::span<const rlwe::NoiseModel::State> operands, std::size_t level) {
  using State = NoiseAlgebra::State;
  std::map<std::uint64_t, State> noisiest;  // by correction factor
  for (const State& operand : operands) {
    const State at = model.lowered(operand, Level(level));
    const auto [found, is_new] = noisiest.try_emplace(at.correction, at);
    if (!is_new) found->second.noise = larger(found->second.noise, at.noise);
  }
  if (noisiest.size() < 2) return noisiest.empty() ? 1 : noisiest.begin()->first;
  std::set<std::uint64_t> candidates;
  for (const auto& [a, first] : noisiest) {
    candidates.insert(a);
    for (const auto& [b, second] : noisiest) {
      if (b < a) candidates.insert(model.joined(std::array{first, second}).correction);
    }
  }
  std::uint64_t best = 1;
  double least = 1e300;
  for (const std::uint64_t candidate : candidates) {
    double worst = -1e300;
    for (const auto& [correction, state] : noisiest) {
      const auto factor = static_cast<double>(factor_between(correction, candidate, modulus));
      worst = std::max(worst, rlwe::NoiseCalculus::times(state.noise, factor).log2_max);
    }
    if (worst >= least) continue;
    least = worst;
    best = candidate;
  }
  return best;
}

NoiseAlgebra::NoiseAlgebra(rlwe::Parameters parameters, std::size_t width, std::size_t items_at_once,
                           std::uint64_t key_bytes, std::uint64_t scratch)
    : parameters_(std::move(parameters)),
      width_(width),
      items_at_once_(items_at_once),
      key_bytes_(key_bytes),
      scratch_(scratch),
      memory_(std::make_shared<Memory>()) {
  require_one_modulus(parameters_);
  model_ = parameters_.scheme().noise_model(parameters_, PlainIndex(0));
}

NoiseAlgebra::~NoiseAlgebra() = default;

const NoiseAlgebra::Bound& NoiseAlgebra::of(const Batch& a) { return dynamic_cast<const Bound&>(a); }

const NoiseAlgebra::State& NoiseAlgebra::state_of(const Batch& a) { return of(a).state; }

BatchPtr NoiseAlgebra::made(std::size_t items, std::size_t parts, std::size_t width, const State& state) const {
  return bound(items, parts, width, state, bytes_of_items(items, state) / width_ * width / 2 * parts);
}

BatchPtr NoiseAlgebra::made_like(const Bound& like, std::size_t parts, const State& state) const {
  return made(like.items, parts, like.width, state);
}

BatchPtr NoiseAlgebra::bound(std::size_t items, std::size_t parts, std::size_t width, const State& state,
                             std::uint64_t bytes) const {
  return std::make_shared<Bound>(
      items, parts, width, State{parameters_.noise().tidy(state.noise), state.level, state.correction}, bytes, memory_);
}

std::uint64_t NoiseAlgebra::bytes_of_items(std::size_t items, const State& state) const {
  return items * width_ * 2 * state.level.primes * parameters_.degree() * bytes_of(parameters_.word());
}

BatchPtr NoiseAlgebra::batch(std::size_t items, const State& state) const { return made(items, 2, width_, state); }

BatchPtr NoiseAlgebra::given(std::size_t items, const State& state) const { return bound(items, 2, width_, state, 0); }

BatchPtr NoiseAlgebra::given_shared(std::size_t items, const State& state) const {
  return bound(items, 2, 1, state, 0);
}

std::uint64_t NoiseAlgebra::modulus() const { return parameters_.plain_moduli()[0]; }

Facts NoiseAlgebra::facts(const Batch& a) const {
  const Bound& x = of(a);
  return {x.items,           x.parts, x.state.level.primes, x.state.noise.log2_max, model_->headroom(x.state),
          x.state.correction};
}

BatchPtr NoiseAlgebra::gather(std::span<const Place> places) const {
  std::vector<const Bound*> sources;  // in the order in which they appear, as ciphertexts are put together
  std::set<const Bound*> seen;
  std::size_t parts = 2, width = 1;
  bool in_order = true;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const Bound& source = of(*places[i].batch);
    if (seen.insert(&source).second) sources.push_back(&source);
    parts = std::max(parts, source.parts);
    width = std::max(width, source.width);
    in_order = in_order && places[i].item == i;
  }
  if (sources.size() == 1) {
    const Bound& only = *sources[0];
    return in_order && places.size() == only.items ? only.shared_from_this()
                                                   : made(places.size(), parts, width, only.state);
  }
  std::vector<State> states;
  for (const Bound* const source : sources) states.push_back(source->state);
  return made(places.size(), parts, width, model_->joined(states));
}

std::size_t NoiseAlgebra::product_level(std::span<const Batch* const> operands) const {
  std::vector<State> states;
  for (const Batch* const operand : operands) states.push_back(of(*operand).state);
  return level_of_products(*model_, states).primes;
}

std::uint64_t NoiseAlgebra::common_correction(std::span<const Batch* const> operands, std::size_t level) const {
  std::vector<State> states;
  for (const Batch* const operand : operands) states.push_back(of(*operand).state);
  return correction_of_operands(*model_, modulus(), states, level);
}

std::uint64_t correction_below(const rlwe::NoiseModel& model, const Standing& standing, std::size_t level) {
  return model.lowered({{}, Level(standing.level), standing.correction}, Level(level)).correction;
}

std::uint64_t NoiseAlgebra::correction_below(const Standing& standing, std::size_t level) const {
  return circuit::correction_below(*model_, standing, level);
}

BatchPtr NoiseAlgebra::corrected(const Batch& a, std::uint64_t correction) const {
  const Bound& x = of(a);
  const auto factor = static_cast<double>(factor_between(x.state.correction, correction, modulus()));
  return made_like(x, x.parts, {rlwe::NoiseCalculus::times(x.state.noise, factor), x.state.level, correction});
}

BatchPtr NoiseAlgebra::copied(const Batch& a) const { return made_like(of(a), of(a).parts, of(a).state); }

std::shared_ptr<const void> NoiseAlgebra::keys_at_hand() const {
  memory_->key = key_bytes_;
  memory_->take(0);
  return {memory_.get(), [memory = memory_](const void*) { memory->key = 0; }};
}

BatchPtr NoiseAlgebra::lowered(const Batch& a, std::size_t level) const {
  const Bound& x = of(a);
  return worked_out(made_like(x, x.parts, model_->lowered(x.state, Level(level), x.parts)));
}

BatchPtr NoiseAlgebra::multiply(const Batch& a, const Batch& b) const {
  return worked_out(
      made(of(a).items, 3, std::max(of(a).width, of(b).width), model_->multiplied(of(a).state, of(b).state)));
}

BatchPtr NoiseAlgebra::relinearize(const Batch& a) const {
  return worked_out(made_like(of(a), 2, model_->relinearized(of(a).state)));
}

BatchPtr NoiseAlgebra::add(const Batch& a, const Batch& b) const {
  return made(of(a).items, std::max(of(a).parts, of(b).parts), std::max(of(a).width, of(b).width),
              model_->added(of(a).state, of(b).state));
}

BatchPtr NoiseAlgebra::sum_groups(const Batch& a, std::size_t group) const {
  if (of(a).width > 1) take_for_now(2 * of(a).bytes);  // in another order first
  return made(of(a).items / group, of(a).parts, of(a).width, model_->summed(of(a).state, static_cast<double>(group)));
}

/// What ciphertexts are that each value has a share in: the shares, one after the other and in order.
BatchPtr NoiseAlgebra::put_together(BatchPtr result) const {
  take_for_now(2 * of(*result).bytes);
  return result;
}

/// What an engine works out in its own memory: about so many times the result, a tile at a time where that is less.
BatchPtr NoiseAlgebra::worked_out(BatchPtr result) const {
  constexpr std::uint64_t extended = 8;
  take_for_now(std::min(scratch_, extended * of(*result).bytes));
  return result;
}

void NoiseAlgebra::take_for_now(std::uint64_t bytes) const {
  memory_->take(bytes);
  memory_->held -= bytes;
}

BatchPtr NoiseAlgebra::scale(const Batch& a, std::span<const std::int64_t> factors) const {
  double largest = 1;
  for (const std::int64_t factor : factors) largest = std::max(largest, std::abs(static_cast<double>(factor)));
  return put_together(made_like(of(a), of(a).parts, model_->summed(of(a).state, largest)));
}

BatchPtr NoiseAlgebra::add_constants(const Batch& a, std::span<const std::int64_t>) const {
  return put_together(made_like(of(a), of(a).parts, model_->with_plain(of(a).state)));
}

}  // namespace cyclotome::circuit
