// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/rlwe/joint/acceptance.hpp"

#include <string>

#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/text/hexadecimal.hpp"
#include "cyclotome/math/text/whole_text.hpp"

namespace cyclotome::rlwe {

Digest digest_of(const Acceptance& acceptance) {
  Sha256 hash;
  const std::string text = whole_text("cyclotome joint acceptance 2\nparty ", acceptance.party(), "\n");
  hash.update({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
  hash.update(acceptance.session());
  hash.update(acceptance.seen());
  return hash.finish();
}

void require_accepted(const ThresholdSession& session, const Digest& seen, std::span<const Acceptance* const> all) {
  std::vector<std::uint32_t> senders;
  for (const Acceptance* const each : all) {
    session.require_same("an acceptance", each->session());
    senders.push_back(each->party());
  }
  require_each_once("acceptances", session.parties(), senders);
  for (const Acceptance* const each : all) {
    if (each->seen() == seen) continue;
    throw MismatchError(message("party ", each->party(), " accepts a key of other messages, ",
                                hexadecimal(each->seen()).substr(0, 8), "... where these are ",
                                hexadecimal(seen).substr(0, 8), "...: somebody sent different messages to different ",
                                "parties, or a relay did; don't use the key, and begin a new session"));
  }
}

}  // namespace cyclotome::rlwe
