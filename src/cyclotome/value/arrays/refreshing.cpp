// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/value/arrays/refreshing.hpp"

#include <algorithm>

#include "cyclotome/scheme/bfv/bootstrapping/bootstrapping.hpp"
#include "cyclotome/value/polynomials/polynomials.hpp"

namespace cyclotome::value {

EncryptedArray refresh(const EncryptedArray& given, const Options& options) {
  const rlwe::EvaluationKeys& evaluation = given.keys().require_evaluation("refresh");
  const EncryptedArray x = relinearized(given, options);
  Channels channels;
  Task task(options, "refreshing", x.channels().size());
  for (const Ciphertext& channel : x.channels()) {
    channels.push_back(bfv::refresh(channel, evaluation));
    task.advance();
  }
  return {{std::move(channels), x.layout()}, x.bound(), x.keys()};
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
