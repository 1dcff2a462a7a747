// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/value/renewal/refreshing.hpp"

#include <algorithm>

#include "cyclotome/scheme/bfv/bootstrapping/bootstrapping.hpp"

namespace cyclotome::value {

EncryptedArray refresh(const EncryptedArray& given, const Options& options) {
  return refresh_as("refreshing", given, options);
}

EncryptedArray refresh_as(std::string_view what, const EncryptedArray& given, const Options& options) {
  const rlwe::EvaluationKeys& keys = given.keys().require_evaluation("refresh");
  EncryptedArray x = given.settled();
  if (x.channels().front().parts() > 2) {
    x = {{relinearize(x.channels(), keys, options), x.layout()}, x.bound(), x.keys()};
  }
  Task task(options, what, x.channels().size() * x.layout().batch());
  Channels channels;
  for (const Ciphertext& channel : x.channels()) {
    channels.push_back(refresh_channel(channel, keys, task));
  }
  return {{std::move(channels), x.layout()}, x.bound(), x.keys()};
}

Ciphertext refresh_channel(const Ciphertext& channel, const rlwe::EvaluationKeys& keys, Task& task) {
  std::vector<Ciphertext> made;
  for (std::size_t i = 0; i < channel.batch(); ++i) {
    made.push_back(bfv::refresh(part(channel, {i, i + 1}), keys));
    task.advance();
  }
  std::vector<const Ciphertext*> pointers;
  for (const Ciphertext& each : made) pointers.push_back(&each);
  return made.size() == 1 ? made.front() : scheme::concatenate(pointers);
}

RefreshFacts refresh_facts(const rlwe::ContextPtr& context) {
  static_cast<void>(bfv::bootstrapping_elements(present(context)->parameters()));  // other schemes are refused here
  RefreshFacts facts;
  for (std::size_t i = 0; i < context->plain_count(); ++i) {
    const bfv::Bootstrapping& own = bfv::bootstrapping_of(context, rlwe::PlainIndex(i));
    const double headroom = own.refreshed_headroom();
    facts.weight = 2 * own.digit_removal().bound();
    facts.products = own.digit_removal().products();
    facts.refreshed_headroom = i == 0 ? headroom : std::min(facts.refreshed_headroom, headroom);
    facts.least_headroom = std::max(facts.least_headroom, own.least_headroom());
  }
  return facts;
}

}  // namespace cyclotome::value
