// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/circuit/ciphertext_algebra.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "cyclotome/circuit/noise_algebra.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/rlwe/domains.hpp"
#include "cyclotome/scheme/encoding.hpp"

namespace cyclotome::circuit {

namespace {

using rlwe::Ciphertext;
using Indices = std::vector<std::size_t>;

struct Encrypted final : Batch {
  Encrypted(Ciphertext c, std::size_t w) : ciphertexts(std::move(c)), width(w) {}
  Ciphertext ciphertexts;
  std::size_t width;  ///< ciphertexts of an item: the algebra's, or 1 where its lanes share one
};

const Ciphertext& of(const Batch& a) { return dynamic_cast<const Encrypted&>(a).ciphertexts; }
std::size_t width_of(const Batch& a) { return dynamic_cast<const Encrypted&>(a).width; }
rlwe::NoiseModel::State state_of(const Ciphertext& c) { return {c.noise(), c.level(), c.correction()}; }
BatchPtr made(Ciphertext ciphertexts, std::size_t width) {
  return std::make_shared<Encrypted>(std::move(ciphertexts), width);
}
/// Of items as wide as those of `like`.
BatchPtr made_like(const Batch& like, Ciphertext ciphertexts) { return made(std::move(ciphertexts), width_of(like)); }

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

void CiphertextAlgebra::require_ours(const Ciphertext& ciphertexts) const {
  rlwe::require_same_context("circuit", *context(), *ciphertexts.context());
  rlwe::require_same_key("circuit", key_, ciphertexts.key());
}

BatchPtr CiphertextAlgebra::batch(Ciphertext ciphertexts) const {
  require_ours(ciphertexts);
  if (ciphertexts.batch() % width_ != 0 || ciphertexts.parts() != 2) {
    throw ArgumentError(message(ciphertexts.batch(), " ciphertexts of ", ciphertexts.parts(), " parts are no items of ",
                                width_, " ciphertexts of 2 parts each"));
  }
  return made(rlwe::native(ciphertexts), width_);
}

BatchPtr CiphertextAlgebra::shared(Ciphertext ciphertexts) const {
  require_ours(ciphertexts);
  return made(rlwe::native(ciphertexts), 1);
}

Ciphertext CiphertextAlgebra::ciphertexts(const Batch& a) const { return of(*widened(a, width_)); }

/// The same items, a ciphertext repeated for each of its lanes if they are to be wider.
BatchPtr CiphertextAlgebra::widened(const Batch& a, std::size_t width) const {
  if (circuit::width_of(a) == width) return a.shared_from_this();
  Indices numbers;
  for (std::size_t i = 0; i < of(a).batch() * width; ++i) numbers.push_back(i / width);
  return made(rlwe::take(of(a), numbers), width);
}

/// What a result of these items takes: as much as the widest of them.
std::size_t CiphertextAlgebra::width_of(std::span<const Place> places) const {
  const auto is_wide = [this](const Place& place) { return circuit::width_of(*place.batch) == width_; };
  return std::ranges::any_of(places, is_wide) ? width_ : 1;
}

std::uint64_t CiphertextAlgebra::modulus() const { return context()->parameters().plain_moduli()[0]; }

Facts CiphertextAlgebra::facts(const Batch& a) const {
  const Ciphertext& c = of(a);
  return {c.batch() / circuit::width_of(a), c.parts(),     c.limbs(), c.noise().log2_max,
          scheme::noise_headroom(c),        c.correction()};
}

std::size_t CiphertextAlgebra::items_at_once() const { return circuit::items_at_once(context()->parameters(), width_); }

/// The ciphertexts of the items at these places, `width` of each. Items follow each other in groups; within one, all
/// those of one lane do.
std::vector<rlwe::Member> CiphertextAlgebra::members(std::span<const Place> places, std::size_t group,
                                                     std::size_t width) const {
  std::vector<rlwe::Member> result;
  result.reserve(places.size() * width);
  for (std::size_t first = 0; first < places.size(); first += group) {
    for (std::size_t i = 0; i < width; ++i) {
      for (const Place& place : places.subspan(first, group)) {
        const std::size_t own = circuit::width_of(*place.batch);
        result.push_back({&of(*place.batch), place.item * own + (own == 1 ? 0 : i)});
      }
    }
  }
  return result;
}

BatchPtr CiphertextAlgebra::gather(std::span<const Place> places) const {
  const std::size_t width = width_of(places);
  const Members all = members(places, 1, width);
  return is_all(all) ? places[0].batch->shared_from_this() : made(joined(all), width);
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
  std::size_t width = 1;
  for (const Summands& some : summands) width = std::max(width, width_of(some.places));
  std::vector<Members> kinds;  // all lanes of an item's terms of one kind follow each other
  std::size_t group = is_constant;
  for (const auto& [places, terms] : summands) {
    kinds.push_back(members(places, terms, width));
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
  for (std::size_t i = 0; i < constants.size() * width; ++i) {
    for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
      const std::size_t terms = summands[kind].group;
      const auto first = kinds[kind].begin() + static_cast<std::ptrdiff_t>(i * terms);
      all.insert(all.end(), first, first + static_cast<std::ptrdiff_t>(terms));
    }
    if (is_constant) all.push_back({&constant_term(like, constants[i / width]), 0});
  }
  const Ciphertext sums = rlwe::gather(all, group);
  return made(sums.derived(sums.polynomials(), total->noise), width);
}

BatchPtr CiphertextAlgebra::sum_products(std::span<const Place> a, std::span<const Place> b, std::size_t group) const {
  const std::size_t width = std::max(width_of(a), width_of(b));
  const Members x = members(a, group, width), y = members(b, group, width);
  if (!are_alike(x) || !are_alike(y)) return Algebra::sum_products(a, b, group);
  return made(scheme::sum_products(x, y, group), width);
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

std::uint64_t CiphertextAlgebra::correction_below(const Standing& standing, std::size_t level) const {
  return circuit::correction_below(*model_, standing, level);
}

BatchPtr CiphertextAlgebra::corrected(const Batch& a, std::uint64_t correction) const {
  const Ciphertext scaled = rlwe::multiply_scalar(of(a), factor_between(of(a).correction(), correction, modulus()));
  return made_like(a, scaled.derived(scaled.polynomials(), scaled.noise(), correction));
}

BatchPtr CiphertextAlgebra::copied(const Batch& a) const {
  if (of(a).context()->engine() == context()->engine()) return a.shared_from_this();
  return made_like(a, of(a).to(context()));
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
  return made_like(a, scheme::switch_to_level(of(a), rlwe::Level(level)));
}

BatchPtr CiphertextAlgebra::multiply(const Batch& a, const Batch& b) const {
  if (&a == &b) return made_like(a, scheme::square(of(a)));
  const std::size_t width = std::max(circuit::width_of(a), circuit::width_of(b));
  const BatchPtr x = widened(a, width), y = widened(b, width);
  return made(scheme::multiply(of(*x), of(*y)), width);
}

BatchPtr CiphertextAlgebra::relinearize(const Batch& a) const {
  return made_like(a, rlwe::relinearize(of(a), *keys()));
}

BatchPtr CiphertextAlgebra::relinearize_to(const Batch& a, std::size_t level) const {
  return made_like(a, scheme::relinearize_to_level(of(a), *keys(), rlwe::Level(level)));
}

BatchPtr CiphertextAlgebra::add(const Batch& a, const Batch& b) const {
  const std::size_t width = std::max(circuit::width_of(a), circuit::width_of(b));
  const BatchPtr x = widened(a, width), y = widened(b, width);
  return made(scheme::add(of(*x), of(*y)), width);
}

BatchPtr CiphertextAlgebra::sum_groups(const Batch& a, std::size_t group) const {
  const std::size_t width = circuit::width_of(a);
  if (width == 1) return made(rlwe::sum_groups(of(a), group), width);
  // Neighbours are items: their ciphertexts of one number come together first.
  Indices order;
  for (std::size_t first = 0; first < of(a).batch(); first += group * width) {
    for (std::size_t i = 0; i < width; ++i) {
      for (std::size_t j = 0; j < group; ++j) order.push_back(first + j * width + i);
    }
  }
  return made(rlwe::sum_groups(rlwe::take(of(a), order), group), width);
}

BatchPtr CiphertextAlgebra::scale(const Batch& a, std::span<const std::int64_t> factors) const {
  return made_like(a, by_value(of(a), factors, 1, circuit::width_of(a), [](const Ciphertext& c, std::int64_t factor) {
                     return rlwe::multiply_scalar(c, factor);
                   }));
}

BatchPtr CiphertextAlgebra::add_constants(const Batch& a, std::span<const std::int64_t> constants) const {
  return made_like(a, by_value(of(a), constants, 0, circuit::width_of(a), [&](const Ciphertext& c, std::int64_t value) {
                     return scheme::add_plain(c, constant(value));
                   }));
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
