// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/circuit/running/key_shares.hpp"

#include "cyclotome/math/errors.hpp"

namespace cyclotome::circuit {

namespace {

using KeysPtr = std::shared_ptr<const rlwe::EvaluationKeys>;

/// One digit of a key, as an array of its own on the same engine.
PolyArray digit_of(const PolyArray& key, std::size_t digit) {
  PolyArray out(key.engine(), key.ring(), 1, key.parts(), key.domain());
  key.engine()->copy(out.view(), key.view().items(digit));
  return out;
}

KeysPtr made(const rlwe::ContextPtr& context, PolyArray polynomials, const rlwe::EvaluationKeys& like) {
  rlwe::SwitchingKey key(std::move(polynomials), like.relinearization().uniform_seed());
  return std::make_shared<rlwe::EvaluationKeys>(context, std::move(key), std::map<std::uint64_t, rlwe::SwitchingKey>(),
                                                like.id());
}

}  // namespace

KeysPtr relinearization_on(const rlwe::ContextPtr& context, const rlwe::EvaluationKeys& keys) {
  return made(context, keys.relinearization().polynomials().to(context->engine()), keys);
}

KeyShares::KeyShares(KeysPtr keys, std::vector<rlwe::ContextPtr> contexts)
    : keys_(std::move(keys)), contexts_(std::move(contexts)), digits_(contexts_.size()) {
  const PolyArray& key = keys_->relinearization().polynomials();
  rlwe::require_same_context("circuit", *keys_->context(), *contexts_[0]);
  for (std::size_t device = 1; device < contexts_.size(); ++device) {
    if (contexts_[device]->parameters().fingerprint() != keys_->context()->parameters().fingerprint()) {
      throw MismatchError("circuit: devices of different parameters");
    }
    if (has_all(device)) continue;
    for (std::size_t digit = device; digit < key.batch(); digit += contexts_.size()) {
      digits_[device].push_back(digit_of(key, digit).to(contexts_[device]->engine()));
    }
  }
}

KeysPtr KeyShares::assembled(std::size_t device) const {
  if (has_all(device)) return keys_;
  const PolyArray& key = keys_->relinearization().polynomials();
  const EnginePtr& engine = contexts_[device]->engine();
  PolyArray whole(engine, key.ring(), key.batch(), key.parts(), key.domain());
  for (std::size_t digit = 0; digit < key.batch(); ++digit) {
    const std::size_t holder = digit % contexts_.size();
    const View place = whole.view().items(digit);
    if (holder == device) {
      engine->copy(place, digits_[device][digit / contexts_.size()].view());
    } else {
      const PolyArray there =
          has_all(holder) ? digit_of(key, digit).to(engine) : digits_[holder][digit / contexts_.size()].to(engine);
      engine->copy(place, there.view());
    }
  }
  return made(contexts_[device], std::move(whole), *keys_);
}

std::size_t KeyShares::digits_of(std::size_t device, std::size_t digits, std::size_t devices) {
  return device == 0 ? 0 : (digits + devices - 1 - device) / devices;
}

}  // namespace cyclotome::circuit
