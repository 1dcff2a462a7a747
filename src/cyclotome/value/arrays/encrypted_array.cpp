// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/value/arrays/encrypted_array.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <mutex>

#include "cyclotome/math/errors.hpp"
#include "cyclotome/rlwe/domains.hpp"
#include "cyclotome/rlwe/noise/noise_model.hpp"
#include "cyclotome/scheme/encoding.hpp"

namespace cyclotome::value {

struct RefreshedForm {
  std::mutex mutex;
  std::optional<Channels> made;
};

namespace {

Channels hidden(const char* operation, Channels channels, const Keyring& keys) {
  if (std::ranges::none_of(channels, rlwe::is_transparent)) return channels;
  if (!keys.encryption) {
    throw TransparentError(
        message(operation,
                ": the result would be a ciphertext that hides nothing (as x - x and "
                "0 * x are); attach the public key with x = x.with_keys(public), which encrypts such "
                "results anew, or leave the operation out"));
  }
  for (Ciphertext& channel : channels) channel = scheme::rerandomize(channel, *keys.encryption);
  return channels;
}

Placed moved(const Placed& x, const rlwe::ContextPtr& context) {
  Placed result{{}, x.layout};
  for (const Ciphertext& channel : x.channels) result.channels.push_back(channel.to(context));
  return result;
}

/// Whether products relinearised by either are the same bits.
bool same_relinearization(const rlwe::EvaluationKeys& a, const rlwe::EvaluationKeys& b) {
  const auto data = [](const rlwe::EvaluationKeys& keys) { return keys.relinearization().polynomials().view().data; };
  return data(a) == data(b);
}

/// What is relinearised for it: itself, or what it is a multiple and a sum of.
std::shared_ptr<const Waiting> root(const std::shared_ptr<const Waiting>& waiting) {
  return waiting->base() ? waiting->base() : waiting;
}

/// What waits with that changed, and what is added to it, in another layout.
template <class Change, class ChangeAddend>
std::shared_ptr<const Waiting> changed(const std::shared_ptr<const Waiting>& waiting, const Layout& layout,
                                       const Change& change, const ChangeAddend& change_addend) {
  if (!waiting->base()) return change(*waiting);
  return std::make_shared<const Waiting>(change(*waiting->base()), waiting->factors(), change_addend(waiting->addend()),
                                         layout);
}

}  // namespace

EncryptedArray::EncryptedArray(Placed placed, Bound bound, Keyring keys, Waiting::Levels levels)
    : EncryptedArray(std::move(placed), std::move(bound), std::move(keys)) {
  if (levels.empty()) return;
  static_cast<void>(rlwe::relinearization_key(placed_.channels.front(), keys_.require_evaluation("multiply")));
  waiting_ = std::make_shared<const Waiting>(placed_, std::move(levels), keys_.evaluation);
}

EncryptedArray::EncryptedArray(std::shared_ptr<const Waiting> waiting, Bound bound, Keyring keys)
    : EncryptedArray({root(waiting)->three().channels, waiting->layout()}, std::move(bound), std::move(keys)) {
  waiting_ = std::move(waiting);
}

EncryptedArray::EncryptedArray(Placed placed, Bound bound, Keyring keys)
    : placed_(std::move(placed)), bound_(std::move(bound)), keys_(std::move(keys)) {
  const Channels& all = placed_.channels;
  if (all.empty() || all.size() != parameters().plain_moduli().size()) {
    throw ArgumentError(message("an encrypted array takes ciphertexts for each plaintext modulus, not ", all.size()));
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    rlwe::require_same_context("encrypted array", *context(), *all[i].context());
    rlwe::require_same_key("encrypted array", key(), all[i].key());
    if (all[i].plain() != rlwe::PlainIndex(i) || all[i].batch() != layout().batch()) {
      throw ArgumentError(message("an encrypted array of shape ", to_string(shape()), ", ",
                                  to_string(layout().placement()), ", takes ", layout().batch(),
                                  " ciphertexts of plaintext modulus number ", i, ", not ", all[i].batch(),
                                  " of number ", all[i].plain()));
    }
  }
  if (layout().widths() != Widths(parameters()) || (layout().slots() && !parameters().has_slots())) {
    throw ArgumentError(message("no array of these parameters is ", to_string(layout().placement()), " in chunks of ",
                                layout().width()));
  }
  require_within("encrypted array", bound_, parameters());
  forget_refreshed();
}

void EncryptedArray::forget_refreshed() {
  const bool refreshes = keys_.evaluation != nullptr && keys_.evaluation->encapsulation() != nullptr;
  refreshed_ = refreshes ? std::make_shared<RefreshedForm>() : nullptr;
}

std::optional<EncryptedArray> EncryptedArray::kept_refreshed() const {
  if (refreshed_ == nullptr) return std::nullopt;
  const std::lock_guard lock(refreshed_->mutex);
  if (!refreshed_->made) return std::nullopt;
  return EncryptedArray({*refreshed_->made, layout()}, bound(), keys());
}

void EncryptedArray::keep_refreshed(const EncryptedArray& refreshed) const {
  if (refreshed_ == nullptr) return;
  const std::lock_guard lock(refreshed_->mutex);
  refreshed_->made = refreshed.channels();
}

double EncryptedArray::noise_headroom() const {
  const Channels& own = placed_.whole().channels;
  return headroom_of(own, waits() ? waiting_->settled_noise() : settled_noise(own, {}));
}

std::size_t EncryptedArray::level() const { return std::ranges::max(channel_levels()).primes; }

std::vector<rlwe::Level> EncryptedArray::channel_levels() const {
  std::vector<rlwe::Level> levels;
  for (const Ciphertext& channel : placed_.whole().channels) levels.push_back(channel.level());
  return levels;
}

std::size_t EncryptedArray::bytes() const {
  std::size_t sum = 0;
  for (const Ciphertext& channel : placed_.whole().channels) {
    sum += waits() ? channel.bytes() / channel.parts() * 2 : channel.bytes();
  }
  return sum;
}

std::size_t EncryptedArray::held_bytes() const {
  std::size_t sum = 0;
  if (refreshed_ != nullptr) {
    const std::lock_guard lock(refreshed_->mutex);
    if (refreshed_->made) {
      for (const Ciphertext& channel : *refreshed_->made) sum += channel.held_bytes();
    }
  }
  if (waits()) return sum + waiting_->held_bytes();
  for (const Ciphertext& channel : channels()) sum += channel.held_bytes();
  return sum;
}

EncryptedArray EncryptedArray::with_keys(const Keyring& keys) const {
  keys.require(*context(), key());
  EncryptedArray result = *this;
  result.keys_ = keys.joined(keys_);
  if (refreshed_ == nullptr) result.forget_refreshed();
  if (waits() && !same_relinearization(*result.keys_.evaluation, *waiting_->keys())) {
    const auto rekeyed = [&](const Waiting& base) {
      return std::make_shared<const Waiting>(base.three(), base.levels(), result.keys_.evaluation);
    };
    result.waiting_ = changed(waiting_, layout(), rekeyed, [](const Channels& addend) { return addend; });
  }
  return result;
}

EncryptedArray EncryptedArray::to(const rlwe::ContextPtr& context) const { return {moved(placed(), context), bound_}; }

EncryptedArray EncryptedArray::to(const rlwe::ContextPtr& context, const Keyring& keys) const {
  EncryptedArray result = waits() ? waiting_on(context, keys) : to(context).with_keys(keys);
  if (const auto form = kept_refreshed()) result.keep_refreshed(form->to(context));
  return result;
}

EncryptedArray EncryptedArray::waiting_on(const rlwe::ContextPtr& context, const Keyring& keys) const {
  keys.require(*context, key());
  static_cast<void>(keys.require_evaluation("to").relinearization());
  const auto there = [&](const Waiting& base) {
    return std::make_shared<const Waiting>(moved(base.three(), context), base.levels(), keys.evaluation);
  };
  const auto moved_addend = [&](const Channels& addend) { return moved({addend, layout()}, context).channels; };
  return {changed(waiting_, layout(), there, moved_addend), bound_, keys};
}

EncryptedArray EncryptedArray::settled() const {
  const Placed& two = placed();  // refuses what was moved from
  return waits() ? EncryptedArray(two, bound_, keys_) : *this;
}

EncryptedArray EncryptedArray::with_bound(const Bound& bound) const {
  require_within("encrypted array", bound, parameters());
  EncryptedArray result = *this;
  result.bound_ = bound;
  return result;
}

EncryptedArray EncryptedArray::taken(const Indices& numbers, const Layout& layout, const Bound& bound) const {
  const auto chosen = [&](const Placed& x) { return Placed{take(x.channels, numbers), layout}; };
  if (!waits()) return {chosen(placed()), bound, keys_};
  const auto selected = [&](const Waiting& base) {
    return std::make_shared<const Waiting>(chosen(base.three()), numbers, root(waiting_));
  };
  const auto selected_addend = [&](const Channels& addend) {
    return addend.empty() || addend.front().batch() == 1 ? addend : take(addend, numbers);
  };
  return {changed(waiting_, layout, selected, selected_addend), bound, keys_};
}

std::optional<EncryptedArray> EncryptedArray::scaled(std::vector<std::int64_t> factors, const Bound& bound) const {
  if (!waits()) return std::nullopt;
  constexpr std::int64_t most = std::int64_t{1} << 29;  // below every prime: what is not zero stays so
  Channels addend = waiting_->addend();
  for (std::size_t i = 0; i < factors.size(); ++i) {
    if (factors[i] == 0 || std::abs(factors[i]) >= most) return std::nullopt;
    if (!addend.empty()) addend[i] = rlwe::multiply_scalar(addend[i], factors[i]);
    if (waiting_->base()) factors[i] *= waiting_->factors()[i];
    if (std::abs(factors[i]) >= most) return std::nullopt;
  }
  return EncryptedArray(
      std::make_shared<const Waiting>(root(waiting_), std::move(factors), std::move(addend), layout()), bound, keys_);
}

std::optional<EncryptedArray> EncryptedArray::plus(const Channels& addend, const Layout& layout, const Bound& bound,
                                                   const Keyring& keys) const {
  if (!waits() || layout.batch() != this->layout().batch()) return std::nullopt;
  Channels all = addend;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Ciphertext& own = placed_.channels[i];
    if (all[i].parts() != 2 || all[i].limbs() != own.limbs() || all[i].correction() != own.correction()) {
      return std::nullopt;
    }
    if (!waiting_->addend().empty()) all[i] = rlwe::add(waiting_->addend()[i], all[i]);
  }
  std::vector<std::int64_t> factors = waiting_->base() ? waiting_->factors() : std::vector<std::int64_t>(all.size(), 1);
  return EncryptedArray(std::make_shared<const Waiting>(root(waiting_), std::move(factors), std::move(all), layout),
                        bound, keys);
}

EncryptedArray EncryptedArray::transformed() const { return {value::transformed(placed()), bound_, keys_}; }

EncryptedArray EncryptedArray::in_native_domain() const {
  EncryptedArray result = settled();
  for (Ciphertext& channel : result.placed_.channels) channel = rlwe::native(channel);
  return result;
}

bool EncryptedArray::is_transformed() const {
  return (waits() ? context()->native_domain() : channels().front().domain()) == Domain::transform;
}

EncryptedArray EncryptedArray::switch_to_level(std::size_t level) const {
  if (level < 1 || level > this->level()) {
    throw ArgumentError(
        message("switch_to_level: level ", level, " must lie in [1, ", this->level(), "]; levels only fall"));
  }
  EncryptedArray result = settled();
  result.forget_refreshed();
  for (Ciphertext& channel : result.placed_.channels) {
    channel = scheme::switch_to_level(channel, rlwe::Level(std::min(level, channel.limbs())));
  }
  return result;
}

EncryptedArray EncryptedArray::switch_to_least_level(double headroom) const {
  if (std::isnan(headroom)) throw ArgumentError("switch_to_least_level: headroom nan is no number of bits");
  EncryptedArray result = settled();
  if (!parameters().scheme().drops_primes()) return result;
  result.forget_refreshed();
  for (Ciphertext& channel : result.placed_.channels) {
    const auto model = parameters().scheme().noise_model(parameters(), channel.plain());
    const rlwe::NoiseModel::State now{channel.noise(), channel.level(), channel.correction()};
    for (rlwe::Level level(1); level < now.level; ++level.primes) {
      if (!(model->headroom(model->lowered(now, level, channel.parts())) >= headroom)) continue;
      channel = scheme::switch_to_level(channel, level);
      break;
    }
  }
  return result;
}

namespace {

void require_headroom(const char* operation, double headroom, const rlwe::Parameters& parameters,
                      const Options& options) {
  if (headroom >= 0 || options.allow_undecryptable) return;
  throw NoiseError(
      message(operation, ": the result could not be decrypted: its noise may be ", std::ceil(-headroom),
              " bits beyond what ", parameters.summary(),
              " can correct. Use parameters with more depth (BGV: more levels), that is a larger log q, or "
              "fewer operations; allow_undecryptable computes such results all the same"));
}

}  // namespace

void require_decryptable(const char* operation, const Channels& channels, const Options& options) {
  require_headroom(operation, headroom_of(channels, settled_noise(channels, {})),
                   channels.front().context()->parameters(), options);
}

void require_decryptable(const char* operation, const EncryptedArray& x, const Options& options) {
  require_headroom(operation, x.noise_headroom(), x.parameters(), options);
}

EncryptedArray finished(const char* operation, Placed placed, const Bound& bound, const Keyring& keys,
                        const Options& options, Waiting::Levels levels) {
  require_within(operation, bound, placed.parameters());
  placed.channels = hidden(operation, std::move(placed.channels), keys);
  return switched(operation, std::move(placed), bound, keys, options, std::move(levels));
}

EncryptedArray switched(const char* operation, Placed placed, const Bound& bound, const Keyring& keys,
                        const Options& options, Waiting::Levels levels) {
  require_within(operation, bound, placed.parameters());
  EncryptedArray result(std::move(placed), bound, keys, std::move(levels));
  require_decryptable(operation, result, options);
  return result;
}

}  // namespace cyclotome::value
