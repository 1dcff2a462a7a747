// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/circuit/ciphertext_algebra.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "cyclotome/circuit/noise_algebra.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/scheme/encoding.hpp"

namespace cyclotome::circuit {

namespace {

using rlwe::Ciphertext;
using Indices = std::vector<std::size_t>;

struct Encrypted final : Batch {
  explicit Encrypted(Ciphertext c) : ciphertexts(std::move(c)) {}
  Ciphertext ciphertexts;
};

const Ciphertext& of(const Batch& a) { return dynamic_cast<const Encrypted&>(a).ciphertexts; }
rlwe::NoiseModel::State state_of(const Ciphertext& c) { return {c.noise(), c.level(), c.correction()}; }
BatchPtr made(Ciphertext ciphertexts) { return std::make_shared<Encrypted>(std::move(ciphertexts)); }

using Members = std::vector<rlwe::Member>;

/// Whether they are all of one array, in order: nothing is to be copied then.
bool is_all(const Members& members) {
  const Ciphertext* const array = members[0].array;
  if (members.size() != array->batch()) return false;
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (members[i].array != array || members[i].number != i) return false;
  }
  return true;
}

/// Whether they can be put together as they are: at one level, with one correction factor.
bool are_alike(const Members& members) {
  const Ciphertext& first = *members[0].array;
  return std::ranges::all_of(members, [&](const rlwe::Member& member) {
    return member.array->correction() == first.correction() && member.array->limbs() == first.limbs();
  });
}

/// The members as one array. Arrays of different levels or correction factors are brought to one first, by the scheme.
Ciphertext joined(const Members& members) {
  if (are_alike(members)) return rlwe::gather(members);
  std::vector<const Ciphertext*> arrays;  // in the order in which they appear, as noise is counted
  std::map<const Ciphertext*, Indices> taken, places;
  for (std::size_t i = 0; i < members.size(); ++i) {
    const auto& [array, number] = members[i];
    if (places[array].empty()) arrays.push_back(array);
    taken[array].push_back(number);
    places[array].push_back(i);
  }
  std::vector<Ciphertext> parts;
  Indices order(members.size());
  std::size_t first = 0;
  for (const Ciphertext* const array : arrays) {
    parts.push_back(rlwe::take(*array, taken[array]));
    for (const std::size_t place : places[array]) order[place] = first++;
  }
  std::vector<const Ciphertext*> pointers;
  for (const Ciphertext& part : parts) pointers.push_back(&part);
  return rlwe::take(scheme::concatenate(pointers), order);
}

/// Appends the `width` ciphertexts of an item.
void append(Indices& indices, std::size_t item, std::size_t width) {
  for (std::size_t i = 0; i < width; ++i) indices.push_back(item * width + i);
}

/// `operation` of the items that have the same value, for each of these values but `idle`, which changes nothing.
template <class Operation>
Ciphertext by_value(const Ciphertext& a, std::span<const std::int64_t> values, std::int64_t idle, std::size_t width,
                    const Operation& operation) {
  std::map<std::int64_t, Indices> items;
  for (std::size_t i = 0; i < values.size(); ++i) append(items[values[i]], i, width);
  if (items.size() == 1) return values[0] == idle ? a : operation(a, values[0]);
  std::vector<Ciphertext> changed;
  changed.reserve(items.size());
  Members members(a.batch());
  for (const auto& [value, indices] : items) {
    const bool same = value == idle;
    if (!same) changed.push_back(operation(rlwe::take(a, indices), value));
    for (std::size_t i = 0; i < indices.size(); ++i) {
      members[indices[i]] = same ? rlwe::Member{&a, indices[i]} : rlwe::Member{&changed.back(), i};
    }
  }
  return joined(members);
}

}  // namespace

std::size_t items_at_once(const rlwe::Parameters& parameters, std::size_t width) {
  constexpr std::size_t budget = std::size_t{1} << 30;
  const std::size_t limb = parameters.degree() * bytes_of(parameters.word());
  const std::size_t ciphertexts = budget / (3 * parameters.moduli().size() * limb);
  return std::clamp<std::size_t>(ciphertexts / width, 1, 1024);
}

CiphertextAlgebra::CiphertextAlgebra(KeysPtr keys, std::size_t width)
    : CiphertextAlgebra(keys->context(), keys->id(), width) {
  keys_ = std::move(keys);
  static_cast<void>(keys_->relinearization());  // a missing key shows before any work is done
}

CiphertextAlgebra::CiphertextAlgebra(std::shared_ptr<const KeyShares> shares, std::size_t device, std::size_t width)
    : CiphertextAlgebra(shares->context(device), shares->id(), width) {
  shares_ = std::move(shares);
  device_ = device;
}

CiphertextAlgebra::CiphertextAlgebra(rlwe::ContextPtr of_context, const rlwe::KeyId& key, std::size_t width)
    : context_(std::move(of_context)), key_(key), width_(width) {
  if (width == 0) throw ArgumentError("a circuit's items take one ciphertext or more each");
  require_one_modulus(context()->parameters());
  model_ = context()->scheme().noise_model(context()->parameters(), rlwe::PlainIndex(0));
}

BatchPtr CiphertextAlgebra::batch(Ciphertext ciphertexts) const {
  rlwe::require_same_context("circuit", *context(), *ciphertexts.context());
  rlwe::require_same_key("circuit", key_, ciphertexts.key());
  if (ciphertexts.batch() % width_ != 0 || ciphertexts.parts() != 2) {
    throw ArgumentError(message(ciphertexts.batch(), " ciphertexts of ", ciphertexts.parts(), " parts are no items of ",
                                width_, " ciphertexts of 2 parts each"));
  }
  return made(std::move(ciphertexts));
}

const Ciphertext& CiphertextAlgebra::ciphertexts(const Batch& a) { return of(a); }

std::uint64_t CiphertextAlgebra::modulus() const { return context()->parameters().plain_moduli()[0]; }

Facts CiphertextAlgebra::facts(const Batch& a) const {
  const Ciphertext& c = of(a);
  return {c.batch() / width_, c.parts(), c.limbs(), c.noise().log2_max, scheme::noise_headroom(c), c.correction()};
}

std::size_t CiphertextAlgebra::items_at_once() const { return circuit::items_at_once(context()->parameters(), width_); }

/// The ciphertexts of the items at these places. Items follow each other in groups; within one, all those of one lane
/// do.
std::vector<rlwe::Member> CiphertextAlgebra::members(std::span<const Place> places, std::size_t group) const {
  std::vector<rlwe::Member> result;
  result.reserve(places.size() * width_);
  for (std::size_t first = 0; first < places.size(); first += group) {
    for (std::size_t i = 0; i < width_; ++i) {
      for (const Place& place : places.subspan(first, group)) {
        result.push_back({&of(*place.batch), place.item * width_ + i});
      }
    }
  }
  return result;
}

BatchPtr CiphertextAlgebra::gather(std::span<const Place> places) const {
  const Members all = members(places, 1);
  return is_all(all) ? places[0].batch->shared_from_this() : made(joined(all));
}

/// All terms of a sum in one pass. Its bound is that of adding up by kinds of terms, as without ciphertexts.
BatchPtr CiphertextAlgebra::sum(std::span<const Summands> summands, std::span<const std::int64_t> constants) const {
  const auto is_constant = std::ranges::any_of(constants, [](std::int64_t c) { return c != 0; });
  if (summands.size() == 1 && summands[0].group == 1 && !is_constant) return gather(summands[0].places);
  const auto tidy = [&](rlwe::NoiseModel::State state) {
    state.noise = context()->parameters().noise().tidy(state.noise);
    return state;
  };
  std::optional<rlwe::NoiseModel::State> total;
  std::vector<Members> kinds;  // all lanes of an item's terms of one kind follow each other
  std::size_t group = is_constant;
  for (const auto& [places, terms] : summands) {
    kinds.push_back(members(places, terms));
    if (!are_alike(kinds.back()) || kinds.back()[0].array->correction() != kinds[0][0].array->correction()) {
      return Algebra::sum(summands, constants);
    }
    rlwe::NoiseModel::State state = state_of(*kinds.back()[0].array);
    state.noise = rlwe::require_together("sum", kinds.back());
    if (terms > 1) state = tidy(model_->summed(state, static_cast<double>(terms)));
    total = total ? tidy(model_->added(*total, state)) : state;
    group += terms;
  }
  if (is_constant) total = tidy(model_->with_plain(*total));
  const Ciphertext& like = *kinds[0][0].array;
  Members all;
  for (std::size_t i = 0; i < constants.size() * width_; ++i) {
    for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
      const std::size_t terms = summands[kind].group;
      const auto first = kinds[kind].begin() + static_cast<std::ptrdiff_t>(i * terms);
      all.insert(all.end(), first, first + static_cast<std::ptrdiff_t>(terms));
    }
    if (is_constant) all.push_back({&constant_term(like, constants[i / width_]), 0});
  }
  const Ciphertext sums = rlwe::gather(all, group);
  return made(sums.derived(sums.polynomials(), total->noise));
}

BatchPtr CiphertextAlgebra::sum_products(std::span<const Place> a, std::span<const Place> b, std::size_t group) const {
  const Members x = members(a, group), y = members(b, group);
  if (!are_alike(x) || !are_alike(y)) return Algebra::sum_products(a, b, group);
  return made(scheme::sum_products(x, y, group));
}

std::size_t CiphertextAlgebra::product_level(std::span<const Batch* const> operands) const {
  std::vector<rlwe::NoiseModel::State> states;
  for (const Batch* const operand : operands) states.push_back(state_of(of(*operand)));
  return level_of_products(*model_, states).primes;
}

std::uint64_t CiphertextAlgebra::common_correction(std::span<const Batch* const> operands, std::size_t level) const {
  std::vector<rlwe::NoiseModel::State> states;
  for (const Batch* const operand : operands) states.push_back(state_of(of(*operand)));
  return correction_of_operands(*model_, modulus(), states, level);
}

BatchPtr CiphertextAlgebra::corrected(const Batch& a, std::uint64_t correction) const {
  const Ciphertext scaled = rlwe::multiply_scalar(of(a), factor_between(of(a).correction(), correction, modulus()));
  return made(scaled.derived(scaled.polynomials(), scaled.noise(), correction));
}

BatchPtr CiphertextAlgebra::copied(const Batch& a) const {
  if (of(a).context()->engine() == context()->engine()) return a.shared_from_this();
  return made(of(a).to(context()));
}

CiphertextAlgebra::KeysPtr CiphertextAlgebra::keys() const {
  if (keys_ != nullptr) return keys_;
  KeysPtr found = near_.lock();
  if (found == nullptr) near_ = found = shares_->assembled(device_);
  return found;
}

std::shared_ptr<const void> CiphertextAlgebra::keys_at_hand() const { return keys(); }

BatchPtr CiphertextAlgebra::lowered(const Batch& a, std::size_t level) const {
  if (of(a).limbs() == level) return a.shared_from_this();
  return made(scheme::switch_to_level(of(a), rlwe::Level(level)));
}

BatchPtr CiphertextAlgebra::multiply(const Batch& a, const Batch& b) const {
  return made(&a == &b ? scheme::square(of(a)) : scheme::multiply(of(a), of(b)));
}

BatchPtr CiphertextAlgebra::relinearize(const Batch& a) const { return made(rlwe::relinearize(of(a), *keys())); }

BatchPtr CiphertextAlgebra::add(const Batch& a, const Batch& b) const { return made(scheme::add(of(a), of(b))); }

BatchPtr CiphertextAlgebra::sum_groups(const Batch& a, std::size_t group) const {
  if (width_ == 1) return made(rlwe::sum_groups(of(a), group));
  // Neighbours are items: their ciphertexts of one number come together first.
  Indices order;
  for (std::size_t first = 0; first < of(a).batch(); first += group * width_) {
    for (std::size_t i = 0; i < width_; ++i) {
      for (std::size_t j = 0; j < group; ++j) order.push_back(first + j * width_ + i);
    }
  }
  return made(rlwe::sum_groups(rlwe::take(of(a), order), group));
}

BatchPtr CiphertextAlgebra::scale(const Batch& a, std::span<const std::int64_t> factors) const {
  return made(by_value(of(a), factors, 1, width_,
                       [](const Ciphertext& c, std::int64_t factor) { return rlwe::multiply_scalar(c, factor); }));
}

BatchPtr CiphertextAlgebra::add_constants(const Batch& a, std::span<const std::int64_t> constants) const {
  return made(by_value(of(a), constants, 0, width_,
                       [&](const Ciphertext& c, std::int64_t value) { return scheme::add_plain(c, constant(value)); }));
}

const Ciphertext& CiphertextAlgebra::constant_term(const Ciphertext& like, std::int64_t value) const {
  const std::tuple key{like.limbs(), like.correction(), value};
  {
    const std::lock_guard lock(mutex_);
    const auto found = constant_terms_.find(key);
    if (found != constant_terms_.end()) return found->second;
  }
  Engine& engine = *context()->engine();
  PolyArray zero = like.like(1, 2), term = like.like(1, 1);
  engine.clear(zero.view());
  const Ciphertext sum = scheme::add_plain(like.derived(std::move(zero), like.noise()), constant(value));
  engine.copy(term.view(), sum.polynomials().view().part(0));
  const std::lock_guard lock(mutex_);
  return constant_terms_.emplace(key, like.derived(std::move(term), like.noise())).first->second;
}

rlwe::Plaintext CiphertextAlgebra::constant(std::int64_t value) const {
  const std::lock_guard lock(mutex_);
  const auto found = constants_.find(value);
  if (found != constants_.end()) return found->second;
  return constants_
      .emplace(value,
               encode_residues(context(), rlwe::PlainIndex(0), Encoding::Kind::constants, std::span(&value, 1), 1, 1))
      .first->second;
}

}  // namespace cyclotome::circuit
