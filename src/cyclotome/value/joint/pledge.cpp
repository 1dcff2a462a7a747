// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/value/joint/pledge.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <tuple>

#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/text/hexadecimal.hpp"

namespace cyclotome::value {

namespace {

constexpr std::array stages{Pledge::Stage::mac, Pledge::Stage::share, Pledge::Stage::check};
constexpr std::uint32_t most_party = 65535;

[[noreturn]] void no_pledge() { throw ArgumentError("this line is no commitment; ask for it again"); }

/// Up to the next space, which is taken too.
std::string_view next_word(std::string_view& line) {
  const std::size_t length = std::min(line.find(' '), line.size());
  const std::string_view word = line.substr(0, length);
  line.remove_prefix(std::min(length + 1, line.size()));
  return word;
}

template <std::size_t Size>
std::array<std::uint8_t, Size> bytes_of(std::string_view digits) {
  if (digits.size() != 2 * Size) no_pledge();
  std::array<std::uint8_t, Size> bytes{};
  for (std::size_t i = 0; i < Size; ++i) {
    const char* const first = digits.data() + 2 * i;
    if (std::from_chars(first, first + 2, bytes[i], 16).ptr != first + 2) no_pledge();
  }
  return bytes;
}

/// A pledge in messages.
std::string shown(const Pledge& pledge) {
  return message("the commitment ", hexadecimal(pledge.facts().digest).substr(0, 8), "... of party ",
                 pledge.facts().party, " to stage \"", name_of(pledge.facts().stage), "\"");
}

}  // namespace

const char* const Pledge::domain = "cyclotome checked decryption 2";

const char* name_of(Pledge::Stage stage) noexcept {
  constexpr std::array names{"mac", "share", "check"};
  return names[static_cast<std::size_t>(stage)];
}

Pledge Pledge::sign(const Facts& facts, const rlwe::Identity& identity) {
  Pledge made(facts, {});
  made.signature_ = identity.sign(domain, made.signed_bytes());
  return made;
}

Pledge Pledge::from_text(std::string_view line) {
  std::string_view rest = line;
  if (next_word(rest) != "cycm") no_pledge();
  Facts facts;
  const std::string_view number = next_word(rest), stage = next_word(rest);
  const auto read = std::from_chars(number.data(), number.data() + number.size(), facts.party);
  if (read.ec != std::errc() || facts.party < 1 || facts.party > most_party) no_pledge();
  const auto known = std::ranges::find(stages, stage, [](Stage each) { return std::string_view(name_of(each)); });
  if (known == stages.end()) no_pledge();
  facts.stage = *known;
  facts.question = bytes_of<32>(next_word(rest));
  facts.digest = bytes_of<32>(next_word(rest));
  const Pledge pledge(facts, bytes_of<64>(next_word(rest)));
  if (pledge.text() != line) no_pledge();  // one spelling
  return pledge;
}

std::string Pledge::text() const {
  return message("cycm ", facts_.party, " ", name_of(facts_.stage), " ", hexadecimal(facts_.question), " ",
                 hexadecimal(facts_.digest), " ", hexadecimal(signature_));
}

std::vector<std::uint8_t> Pledge::signed_bytes() const {
  std::vector<std::uint8_t> bytes;
  for (unsigned i = 0; i < 4; ++i) bytes.push_back(static_cast<std::uint8_t>(facts_.party >> (8 * i)));
  for (const char letter : message(name_of(facts_.stage), "\n")) bytes.push_back(static_cast<std::uint8_t>(letter));
  bytes.insert(bytes.end(), facts_.question.begin(), facts_.question.end());
  bytes.insert(bytes.end(), facts_.digest.begin(), facts_.digest.end());
  return bytes;
}

bool Pledge::signed_by(const rlwe::PublicIdentity& identity) const {
  return identity.verify(domain, signed_bytes(), signature_);
}

std::map<std::uint32_t, Digest> agreed_pledges(const rlwe::Identities& identities, std::span<const std::uint32_t> who,
                                               Pledge::Stage stage, const Digest& question,
                                               std::span<const Pledge> given) {
  std::map<std::uint32_t, Digest> kept;
  for (const Pledge& each : given) {
    const Pledge::Facts& facts = each.facts();
    if (facts.stage != stage || facts.question != question) {
      throw MismatchError(message(shown(each), " belongs to another question or stage than \"", name_of(stage), "\""));
    }
    const auto identity = identities.find(facts.party);
    const bool takes_part = std::ranges::find(who, facts.party) != who.end() && identity != identities.end();
    if (!takes_part || !each.signed_by(identity->second)) {
      throw MismatchError(message(shown(each), " was not signed by party ", facts.party, " of those who take part"));
    }
    const Digest& known = kept.emplace(facts.party, facts.digest).first->second;
    if (known == facts.digest) continue;
    throw BlameError(message("party ", facts.party, " committed to two things, and signed both"), {facts.party},
                     name_of(stage), hexadecimal(known) + " " + hexadecimal(facts.digest));
  }
  for (const std::uint32_t party : who) {
    if (!kept.contains(party)) throw ArgumentError(message("the commitment of party ", party, " is missing"));
  }
  return kept;
}

void require_shown(const std::map<std::uint32_t, Digest>& committed, std::uint32_t party, const Digest& shown) {
  const auto promise = committed.find(party);
  if (promise != committed.end() && promise->second == shown) return;
  throw MismatchError(
      message("party ", party, " shows something else than it committed to, or a relay does: ask it again"));
}

std::optional<JointFault> fault_in(std::span<const Pledge> pledges,
                                   const std::function<bool(const Pledge&)>& is_signed) {
  std::map<std::tuple<std::uint32_t, Pledge::Stage, Digest>, Digest> known;
  std::optional<JointFault> found;
  for (const Pledge& each : pledges) {
    const Pledge::Facts& facts = each.facts();
    if (!is_signed(each)) {
      throw MismatchError(message(shown(each), " was not signed by party ", facts.party, ", and shows nothing"));
    }
    const auto [place, is_new] = known.emplace(std::tuple(facts.party, facts.stage, facts.question), facts.digest);
    if (is_new || place->second == facts.digest || found) continue;
    const char* const stage = name_of(facts.stage);
    found =
        JointFault{facts.party, stage, message("it committed to two things of stage \"", stage, "\", and signed both")};
  }
  return found;
}

}  // namespace cyclotome::value
