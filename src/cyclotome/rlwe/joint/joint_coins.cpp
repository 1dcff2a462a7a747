// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/rlwe/joint/joint_coins.hpp"

#include <map>
#include <string_view>

#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/text/hexadecimal.hpp"
#include "cyclotome/math/text/whole_text.hpp"
#include "cyclotome/rlwe/joint/joint_errors.hpp"

namespace cyclotome::rlwe {

namespace {

void update(Sha256& hash, std::string_view text) {
  hash.update({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
}

Digest digest_of(std::string_view what, const Digest& before, std::span<const Digest> parts) {
  Sha256 hash;
  update(hash, what);
  hash.update(before);
  for (const Digest& each : parts) hash.update(each);
  return hash.finish();
}

}  // namespace

Digest digest_of(const Coin& coin) {
  Sha256 hash;
  update(hash, whole_text("cyclotome joint signed coin 2\nparty ", coin.party(), "\nstage ",
                          static_cast<unsigned>(coin.stage()), "\n"));
  hash.update(coin.session());
  hash.update(coin.basis());
  hash.update(coin.value());
  return hash.finish();
}

Digest tossed(const Digest& session, std::uint32_t party, const Digest& part) {
  return digest_of(whole_text("cyclotome joint toss 2\nparty ", party, "\n"), session, std::span(&part, 1));
}

std::vector<Digest> ordered(const ThresholdSession& session, Coin::Stage stage, std::span<const Coin* const> coins) {
  const char* const what = stage == Coin::Stage::tossed ? "tossed coins" : "shown coins";
  std::map<std::uint32_t, Digest> by_party;
  std::vector<std::uint32_t> senders;
  for (const Coin* const each : coins) {
    session.require_same("a coin", each->session());
    if (each->stage() != stage) {
      throw ArgumentError(message(what, ": that of party ", each->party(), " is of the other stage"));
    }
    by_party.emplace(each->party(), each->value());
    senders.push_back(each->party());
  }
  require_each_once(what, session.parties(), senders);
  std::vector<Digest> all;
  for (const auto& [party, value] : by_party) all.push_back(value);
  return all;
}

Digest tosses_digest(const ThresholdSession& session, std::span<const Digest> tosses) {
  return digest_of("cyclotome joint tosses 2\n", session.digest(), tosses);
}

Digest shown_after(const ThresholdSession& session, std::span<const Digest> tosses,
                   std::span<const Digest> commitments) {
  return digest_of("cyclotome joint candidates of all 2\n", tosses_digest(session, tosses), commitments);
}

Digest coin_of(const ThresholdSession& session, std::span<const Digest> tosses, std::span<const Digest> parts) {
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::uint32_t party = session.parties()[i];
    const Digest found = tossed(session.digest(), party, parts[i]);
    if (found == tosses[i]) continue;
    throw BlameError(message("party ", party, " shows another coin than it tossed; no candidate was opened, and the ",
                             "session is over: begin a new one, without this party or after asking it why"),
                     {party}, "coin", hexadecimal(tosses[i]) + " " + hexadecimal(found));
  }
  return digest_of("cyclotome joint coin 2\n", session.digest(), parts);
}

std::size_t kept_candidate(const Digest& coin, std::uint32_t party, std::size_t candidates) {
  const Digest drawn = digest_of(whole_text("cyclotome joint kept 2\nparty ", party, "\n"), coin, {});
  std::uint64_t number = 0;
  for (std::size_t i = 8; i-- > 0;) number = number << 8 | drawn[i];
  return static_cast<std::size_t>(number % candidates);  // off by less than 2^-55 for at most 256
}

}  // namespace cyclotome::rlwe
