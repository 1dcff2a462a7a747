// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/rlwe/joint/threshold_session.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/text/hexadecimal.hpp"
#include "cyclotome/math/text/whole_text.hpp"
#include "cyclotome/rlwe/keys/keys.hpp"

namespace cyclotome::rlwe {

namespace {

template <class Number>
std::string list_of(std::span<const Number> numbers) {
  std::string text;
  for (const Number number : numbers) text += (text.empty() ? "" : ",") + std::to_string(number);
  return text;
}

Digest hash_of(const std::string& text) {
  return sha256({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
}

/// The first half of a hash.
KeyId id_of(const Digest& digest) {
  KeyId id;
  std::copy_n(digest.begin(), id.size(), id.begin());
  return id;
}

bool ascend(std::span<const std::uint32_t> parties) {
  return std::ranges::adjacent_find(parties, std::greater_equal<>()) == parties.end();
}

void require_parties(const Parameters& parameters, std::span<const std::uint32_t> parties) {
  constexpr std::uint32_t most = std::numeric_limits<std::uint16_t>::max();
  if (parties.size() < 2 || parties.size() > parameters.parties()) {
    throw ArgumentError(message("a joint key of ", parties.size(),
                                " parties: there are at least 2, and noise bounds of ", parameters.summary(),
                                " allow for ", parameters.parties(), "; use parameters with ",
                                "parties=", std::max<std::size_t>(2, parties.size())));
  }
  const std::uint64_t least_prime = std::ranges::min(parameters.moduli());
  for (const std::uint32_t party : parties) {
    if (party == 0 || party > most || party >= least_prime) {
      throw ArgumentError(message("party ", party, ": parties have numbers from 1 to ",
                                  std::min<std::uint64_t>(most, least_prime - 1),
                                  "; 0 is where the joint secret itself stands"));
    }
  }
  if (!ascend(parties)) {
    throw ArgumentError(message("parties ", list_of(parties), " must be different and in ascending order"));
  }
}

/// What a session's name is the hash of.
std::string text_of(unsigned version, const Parameters& parameters, const ThresholdSession::Facts& facts,
                    const PublicSeed& reference) {
  return whole_text(
      "cyclotome threshold session ", version, "\nparameters ", hexadecimal(parameters.fingerprint()), "\nparties ",
      list_of(std::span<const std::uint32_t>(facts.parties)), "\nthreshold ", facts.threshold, "\nrelinearization ",
      facts.relinearization ? 1 : 0, "\ngalois ", list_of(std::span<const std::uint64_t>(facts.galois_elements)),
      version == 1 ? std::string() : whole_text("\ndecryptions ", facts.decryptions, "\naudit ", facts.audit),
      "\nreference ", hexadecimal(reference.bytes()), "\n");
}

}  // namespace

ThresholdSession::ThresholdSession(Parameters parameters, Facts facts, const PublicSeed& reference)
    : parameters_(std::move(parameters)), facts_(std::move(facts)), reference_(reference) {
  require_parties(parameters_, facts_.parties);
  if (facts_.threshold < 2 || facts_.threshold > facts_.parties.size()) {
    throw ArgumentError(message("a threshold of ", facts_.threshold, " of ", facts_.parties.size(),
                                " parties; it must lie in [2, ", facts_.parties.size(), "]"));
  }
  if (facts_.relinearization && !parameters_.scheme().has_products()) {
    throw ArgumentError(message(parameters_.scheme().title(), " has no products, and no relinearisation key"));
  }
  const GaloisGroup& group = parameters_.ring()->galois();
  for (const std::uint64_t element : facts_.galois_elements) {
    if (element == 1 || !group.contains(element)) {
      throw ArgumentError(message("Galois element ", element, " must be above 1, ", group.requirement()));
    }
  }
  if (std::ranges::adjacent_find(facts_.galois_elements, std::greater_equal<>()) != facts_.galois_elements.end()) {
    throw ArgumentError("Galois elements must be different and in ascending order");
  }
  require_planned("decryptions of a session", facts_.decryptions);
  if (facts_.audit < 1 || facts_.audit > most_candidates) {
    throw ArgumentError(message("an audit of ", facts_.audit, " candidates; there are 1, without an audit, to ",
                                most_candidates, ", and ", usual_candidates, " is usual"));
  }
  digest_ = hash_of(text_of(2, parameters_, facts_, reference_));
}

ThresholdSession ThresholdSession::create(Parameters parameters, Facts facts) {
  return {std::move(parameters), std::move(facts), PublicSeed::publish(Seed::from_system())};
}

std::size_t place_of(const ThresholdSession& session, std::uint32_t party) {
  session.require_party(party);
  return static_cast<std::size_t>(std::ranges::find(session.parties(), party) - session.parties().begin());
}

Digest ThresholdSession::first_version_digest() const { return hash_of(text_of(1, parameters_, facts_, reference_)); }

KeyId session_id(const Digest& session) {
  return id_of(hash_of(whole_text("cyclotome session\n", hexadecimal(session), "\n")));
}

KeyId first_version_id(const Digest& session) {
  return id_of(hash_of(whole_text("cyclotome joint key\n", hexadecimal(session), "\n")));
}

KeyId joint_key_id(const Digest& session, const Digest& first_round) {
  return id_of(
      hash_of(whole_text("cyclotome joint key 2\n", hexadecimal(session), "\n", hexadecimal(first_round), "\n")));
}

KeyId ThresholdSession::id() const { return session_id(digest_); }

KeyId ThresholdSession::party_key(std::uint32_t party) const {
  require_party(party);
  return id_of(hash_of(whole_text("cyclotome party ", party, "\n", hexadecimal(digest_), "\n")));
}

const char* ThresholdSession::naming() const noexcept {
  if (shares_secrets()) {
    return "decrypt again with sets that differ in one party each: who was in every set that fails, and in none that "
           "passes, gave a wrong share";
  }
  return "where all decrypt, nobody can be named: every party's share is needed, and each looks like any other; stop, "
         "or "
         "make a new key of which fewer than all decrypt, whose wrong shares are named";
}

void ThresholdSession::require_party(std::uint32_t party) const {
  if (std::ranges::binary_search(facts_.parties, party)) return;
  throw ArgumentError(message("party ", party, " takes no part in this session; those who do are ",
                              list_of(std::span<const std::uint32_t>(facts_.parties))));
}

void ThresholdSession::require_active(std::span<const std::uint32_t> active) const {
  for (const std::uint32_t party : active) require_party(party);
  if (!ascend(active)) {
    throw ArgumentError(message("parties ", list_of(active), " who decrypt must be different and in ascending order"));
  }
  if (active.size() < threshold()) {
    throw ArgumentError(message(active.size(), " parties can't decrypt; it takes ", threshold(), " of the ",
                                parties().size(), " of this session"));
  }
}

void ThresholdSession::require_own(const SecretKey& secret, std::uint32_t party) const {
  if (secret.context()->parameters().fingerprint() != parameters_.fingerprint()) {
    throw MismatchError(message("the party's secret key is of ", secret.context()->parameters().summary(),
                                ", the session of ", parameters_.summary()));
  }
  if (secret.id() != party_key(party)) {
    throw MismatchError(message("this is not the secret key that party ", party,
                                " has in this session; every party has one of its own for every session"));
  }
}

void ThresholdSession::require_same(const char* what, const Digest& digest) const {
  if (digest == digest_) return;
  throw MismatchError(message(what, " is of session ", hexadecimal(digest).substr(0, 8), "..., not of this one, ",
                              hexadecimal(digest_).substr(0, 8), "...; shares of one session can't serve another"));
}

void require_each_once(const char* what, std::span<const std::uint32_t> expected,
                       std::span<const std::uint32_t> senders) {
  for (const std::uint32_t party : expected) {
    const auto count = std::ranges::count(senders, party);
    if (count == 1) continue;
    throw ArgumentError(message(what, ": ", count == 0 ? "nothing" : "more than one share", " of party ", party,
                                " is there; it takes exactly one of each of ", list_of(expected)));
  }
  if (senders.size() == expected.size()) return;
  throw ArgumentError(
      message(what, ": ", senders.size(), " shares, of which some are of none of the parties ", list_of(expected)));
}

}  // namespace cyclotome::rlwe
