// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/value/arrays/encrypted_array.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cyclotome/math/errors.hpp"
#include "cyclotome/rlwe/domains.hpp"
#include "cyclotome/rlwe/noise/noise_model.hpp"
#include "cyclotome/scheme/encoding.hpp"

namespace cyclotome::value {

namespace {

double headroom_of(const Channels& channels) {
  double least = std::numeric_limits<double>::infinity();
  for (const Ciphertext& channel : channels) least = std::min(least, scheme::noise_headroom(channel));
  return least;
}

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

}  // namespace

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
}

double EncryptedArray::noise_headroom() const { return headroom_of(channels()); }

std::size_t EncryptedArray::level() const {
  std::size_t most = 0;
  for (const Ciphertext& channel : channels()) most = std::max(most, channel.limbs());
  return most;
}

std::size_t EncryptedArray::bytes() const {
  std::size_t sum = 0;
  for (const Ciphertext& channel : channels()) sum += channel.bytes();
  return sum;
}

std::size_t EncryptedArray::held_bytes() const {
  std::size_t sum = 0;
  for (const Ciphertext& channel : channels()) sum += channel.held_bytes();
  return sum;
}

EncryptedArray EncryptedArray::with_keys(const Keyring& keys) const {
  keys.require(*context(), key());
  EncryptedArray result = *this;
  result.keys_ = keys.joined(keys_);
  return result;
}

EncryptedArray EncryptedArray::to(const rlwe::ContextPtr& context) const {
  Channels moved;
  for (const Ciphertext& channel : channels()) moved.push_back(channel.to(context));
  return {{std::move(moved), layout()}, bound_};
}

EncryptedArray EncryptedArray::transformed() const { return {value::transformed(placed()), bound_, keys_}; }

EncryptedArray EncryptedArray::in_native_domain() const {
  static_cast<void>(placed());  // refused where this was moved from
  EncryptedArray result = *this;
  for (Ciphertext& channel : result.placed_.channels) channel = rlwe::native(channel);
  return result;
}

bool EncryptedArray::is_transformed() const { return channels().front().domain() == Domain::transform; }

EncryptedArray EncryptedArray::switch_to_level(std::size_t level) const {
  if (level < 1 || level > this->level()) {
    throw ArgumentError(
        message("switch_to_level: level ", level, " must lie in [1, ", this->level(), "]; levels only fall"));
  }
  EncryptedArray result = *this;
  for (Ciphertext& channel : result.placed_.channels) {
    channel = scheme::switch_to_level(channel, rlwe::Level(std::min(level, channel.limbs())));
  }
  return result;
}

EncryptedArray EncryptedArray::switch_to_least_level(double headroom) const {
  if (std::isnan(headroom)) throw ArgumentError("switch_to_least_level: headroom nan is no number of bits");
  EncryptedArray result = *this;
  if (!parameters().scheme().drops_primes()) return result;
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

void require_decryptable(const char* operation, const Channels& channels, const Options& options) {
  const double headroom = headroom_of(channels);
  if (headroom >= 0 || options.allow_undecryptable) return;
  throw NoiseError(
      message(operation, ": the result could not be decrypted: its noise may be ", std::ceil(-headroom),
              " bits beyond what ", channels.front().context()->parameters().summary(),
              " can correct. Use parameters with more depth (BGV: more levels), that is a larger log q, or "
              "fewer operations; allow_undecryptable computes such results all the same"));
}

EncryptedArray finished(const char* operation, Placed placed, const Bound& bound, const Keyring& keys,
                        const Options& options) {
  require_within(operation, bound, placed.parameters());
  placed.channels = hidden(operation, std::move(placed.channels), keys);
  return switched(operation, std::move(placed), bound, keys, options);
}

EncryptedArray switched(const char* operation, Placed placed, const Bound& bound, const Keyring& keys,
                        const Options& options) {
  require_within(operation, bound, placed.parameters());
  require_decryptable(operation, placed.channels, options);
  return {std::move(placed), bound, keys};
}

}  // namespace cyclotome::value
