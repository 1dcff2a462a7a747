// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/value/renewal/room.hpp"

#include <algorithm>
#include <limits>

#include "cyclotome/rlwe/noise/noise_model.hpp"
#include "cyclotome/scheme/bfv/bootstrapping/bootstrapping.hpp"
#include "cyclotome/value/renewal/refreshing.hpp"

namespace cyclotome::value {

namespace {

using State = rlwe::NoiseModel::State;

bool refreshes(const Keyring& keys) {
  return keys.evaluation != nullptr && keys.evaluation->encapsulation() != nullptr;
}

State state_of(const Ciphertext& a) { return {a.noise(), a.level(), a.correction()}; }

State noisier(const State& a, double bits) {
  return {rlwe::NoiseCalculus::scaled(a.noise, bits), a.level, a.correction};
}

const bfv::Bootstrapping& tables_of(const Ciphertext& a) { return bfv::bootstrapping_of(a.context(), a.plain()); }

/// The ciphertexts of an array as far as noise is concerned, of two parts.
std::vector<State> states_of(const EncryptedArray& x) {
  const Placed& whole = x.as_it_is();
  const std::vector<rlwe::NoiseBound> noise = settled_noise(whole.channels, x.levels());
  std::vector<State> states;
  for (std::size_t i = 0; i < noise.size(); ++i) {
    const Ciphertext& channel = whole.channels[i];
    states.push_back({noise[i], channel.level(), channel.correction()});
  }
  return states;
}

/// Whether every channel could be refreshed.
bool has_room(const EncryptedArray& like, const std::vector<State>& states) {
  const Channels& own = like.as_it_is().channels;
  for (std::size_t i = 0; i < own.size(); ++i) {
    if (!tables_of(own[i]).is_in_time(states[i])) return false;
  }
  return true;
}
bool has_room(const EncryptedArray& x) { return has_room(x, states_of(x)); }

double headroom_of(const EncryptedArray& like, const std::vector<State>& states) {
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < states.size(); ++i) {
    const auto model = like.parameters().scheme().noise_model(like.parameters(), rlwe::PlainIndex(i));
    least = std::min(least, model->headroom(states[i]));
  }
  return least;
}

/// A relinearised product of two operands, whatever stands where in them.
std::vector<State> product_of(const EncryptedArray& x, const EncryptedArray& y) {
  std::vector<State> a = states_of(x);
  const std::vector<State> b = states_of(y);
  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto model = x.parameters().scheme().noise_model(x.parameters(), rlwe::PlainIndex(i));
    a[i] = model->relinearized(model->multiplied(a[i], b[i]));
  }
  return a;
}

/// Operands, of which some are replaced by what is refreshed.
class Refreshable {
 public:
  Refreshable(const char* operation, std::vector<const EncryptedArray*> given, const Options& options)
      : operation_(operation), options_(options), given_(std::move(given)) {
    for (const EncryptedArray* const x : given_) keys_ = keys_.joined(x->keys());
    made_.resize(given_.size());
    for (std::size_t i = 0; i < given_.size(); ++i) take(i, given_[i]->kept_refreshed());
  }

  bool has_keys() const { return refreshes(keys_); }
  /// As they are now; the same object where they were one.
  std::vector<const EncryptedArray*> now() const {
    std::vector<const EncryptedArray*> all;
    for (std::size_t i = 0; i < given_.size(); ++i) all.push_back(&at(first_of(i)));
    return all;
  }
  const EncryptedArray& at(std::size_t i) const { return made_[i] ? *made_[i] : *given_[i]; }
  double least_headroom() const {
    double least = std::numeric_limits<double>::infinity();
    for (const EncryptedArray* const x : now()) least = std::min(least, x->noise_headroom());
    return least;
  }

  /// Refreshes those that leave a result without room that takes `cost` bits of the least headroom; the one with the
  /// least if that is none. False if none of them would gain by it, or the one with the least is too late for it;
  /// `required`: that is refused.
  bool refresh(double cost, bool required) {
    const RefreshFacts facts = refresh_facts(given_.front()->context());
    std::vector<std::size_t> gaining;
    for (std::size_t i = 0; i < given_.size(); ++i) {
      if (first_of(i) == i && at(i).noise_headroom() < facts.refreshed_headroom - 1) gaining.push_back(i);
    }
    if (gaining.empty()) return false;
    std::ranges::sort(gaining, {}, [&](std::size_t i) { return at(i).noise_headroom(); });
    if (!required && !has_room(at(gaining.front()))) return false;
    const double needed = facts.least_headroom + std::max(cost, 0.0) + 1;
    for (const std::size_t i : gaining) {
      const bool helps = i == gaining.front() || (at(i).noise_headroom() < needed && has_room(at(i)));
      if (helps) make(i);
    }
    return true;
  }

 private:
  std::size_t first_of(std::size_t i) const {
    return static_cast<std::size_t>(std::ranges::find(given_, given_[i]) - given_.begin());
  }
  void take(std::size_t i, std::optional<EncryptedArray> form) {
    if (form && form->noise_headroom() > at(i).noise_headroom()) made_[i] = std::move(form);
  }
  void make(std::size_t i) {
    const EncryptedArray fresh = refresh_as(message("refreshing for ", operation_), at(i).with_keys(keys_), options_);
    given_[i]->keep_refreshed(fresh);
    made_[i] = EncryptedArray({fresh.channels(), fresh.layout()}, fresh.bound(), given_[i]->keys());
  }

  const char* operation_;
  const Options& options_;
  std::vector<const EncryptedArray*> given_;
  std::vector<std::optional<EncryptedArray>> made_;
  Keyring keys_;
};

double least_headroom(const std::vector<EncryptedArray>& results) {
  double least = std::numeric_limits<double>::infinity();
  for (const EncryptedArray& x : results) least = std::min(least, x.noise_headroom());
  return least;
}

bool has_room(const std::vector<EncryptedArray>& results) {
  return std::ranges::all_of(results, [](const EncryptedArray& x) { return has_room(x); });
}

void require_decryptable(const char* operation, const std::vector<EncryptedArray>& results, const Options& options) {
  for (const EncryptedArray& x : results) require_decryptable(operation, x, options);
}

}  // namespace

std::vector<EncryptedArray> with_room(const char* operation, std::vector<const EncryptedArray*> given,
                                      const Options& options, Growth growth, const RoomyOperation& compute) {
  Options tried = options;
  tried.allow_undecryptable = true;
  tried.refresh_operands = false;
  Refreshable operands(operation, std::move(given), options);
  const bool product = growth == Growth::product && operands.now().size() == 2 && operands.has_keys();
  while (true) {
    const std::vector<const EncryptedArray*> now = operands.now();
    const double before = operands.least_headroom();
    if (product) {
      const std::vector<State> least = product_of(*now[0], *now[1]);
      const double after = headroom_of(*now[0], least);
      if (!has_room(*now[0], least) && operands.refresh(before - after, false)) continue;
    }
    std::vector<EncryptedArray> results = compute(now, tried);
    const double after = least_headroom(results);
    const bool decrypts = after >= 0 || options.allow_undecryptable;
    if (decrypts && (!operands.has_keys() || has_room(results))) return results;
    if (operands.refresh(before - after, !decrypts)) continue;
    require_decryptable(operation, results, options);
    return results;
  }
}

EncryptedArray with_room_for(const char* operation, const EncryptedArray& x, const Options& options,
                             const std::function<double(const EncryptedArray&)>& headroom) {
  Refreshable operand(operation, {&x}, options);
  const EncryptedArray now = operand.at(0).settled();
  if (!operand.has_keys()) return now;
  const double after = headroom(now);
  const bool fits = after >= refresh_facts(x.context()).least_headroom;
  const EncryptedArray& from = !fits && operand.refresh(now.noise_headroom() - after, false) ? operand.at(0) : now;
  // Primes that hold nothing but noise go first: all products of the function are faster without them.
  return from.switch_to_least_level(from.noise_headroom() - 1);
}

const Ciphertext& RoomyProducts::latest(const Ciphertext& a) const {
  const auto* const data = a.polynomials().view().data;
  const auto found =
      std::ranges::find_if(kept_, [&](const auto& pair) { return pair.first.polynomials().view().data == data; });
  return found == kept_.end() ? a : found->second;
}

const Ciphertext& RoomyProducts::refreshed(const Ciphertext& a) {
  const bfv::Bootstrapping& tables = tables_of(a);
  if (scheme::noise_headroom(a) >= tables.refreshed_headroom() - 1 || !tables.is_in_time(state_of(a))) return a;
  const std::string what = message("refreshing for ", operation_);
  Task task(options_, what, a.batch());
  kept_.emplace_back(a, refresh_channel(a, keys_, task));
  return kept_.back().second;
}

Ciphertext RoomyProducts::with_room(const Ciphertext& a, double bits) {
  if (!refreshes() || tables_of(a).is_in_time(noisier(state_of(a), bits))) return a;
  return refreshed(a);
}

Ciphertext RoomyProducts::product(const Ciphertext& a, const Ciphertext& b, bool relinearize) {
  const auto multiplied = [&](const Ciphertext& x, const Ciphertext& y) {
    return scheme::multiply_by(options_.product_method, x, &a == &b ? nullptr : &y, relinearize ? &keys_ : nullptr);
  };
  if (!refreshes()) return multiplied(a, b);
  const auto model = a.context()->parameters().scheme().noise_model(a.context()->parameters(), a.plain());
  const bfv::Bootstrapping& tables = tables_of(a);
  Ciphertext x = latest(a), y = latest(b);
  for (int round = 0; round < 2; ++round) {
    const State made = model->relinearized(model->multiplied(state_of(x), state_of(y)));
    if (tables.is_in_time(noisier(made, reserve_))) break;
    const double left = scheme::noise_headroom(x), right = scheme::noise_headroom(y);
    const double cost = std::min(left, right) - model->headroom(made);
    const double needed = tables.least_headroom() + reserve_ + cost + 1;
    if (left <= right || left < needed) x = refreshed(x);
    if (&a == &b) {
      y = x;
    } else if (right < left || right < needed) {
      y = refreshed(y);
    }
  }
  return multiplied(x, y);
}

}  // namespace cyclotome::value
