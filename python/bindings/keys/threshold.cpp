// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "bindings/bindings.hpp"
#include "bindings/files/io.hpp"
#include "cyclotome/io/joint/party_file.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/rlwe/joint/acceptance.hpp"
#include "cyclotome/rlwe/joint/secret_sharing.hpp"
#include "cyclotome/rlwe/joint/share_proof.hpp"
#include "cyclotome/rlwe/joint/threshold_keys.hpp"
#include "cyclotome/value/joint/joint_evidence.hpp"
#include "cyclotome/value/joint/joint_party.hpp"
#include "cyclotome/value/joint/threshold_decryption.hpp"

namespace cyclotome::python {

namespace {

using rlwe::Acceptance;
using rlwe::Coin;
using rlwe::Commitment;
using rlwe::FirstRound;
using rlwe::KeyShare;
using rlwe::SecretShare;
using rlwe::ThresholdSession;
using value::DecryptionShare;
using value::JointParty;
using value::PartyStore;

/// Whether a message can move there at all; where not, whoever uses it says why.
bool fits(const rlwe::Context& own, const rlwe::Context& other) {
  return own.parameters().fingerprint() == other.parameters().fingerprint();
}

KeyShare key_share_to(const KeyShare& share, const rlwe::ContextPtr& context) {
  if (!fits(*share.context(), *context)) return share;
  KeyShare moved(context, share.session(), share.party(), share.round(), share.basis(),
                 share.bodies().to(context->engine()));
  moved.open(share.opened());
  moved.prove(share.proof());
  moved.attach(share.signature());
  return moved;
}

DecryptionShare decryption_share_to(const DecryptionShare& share, const rlwe::ContextPtr& context) {
  if (!fits(*share.context(), *context)) return share;
  std::vector<PolyArray> channels;
  for (const PolyArray& channel : share.channels()) channels.push_back(channel.to(context->engine()));
  return DecryptionShare(context, share.facts(), std::move(channels));
}

/// Through host memory that is zeroised.
SecretShare secret_share_to(const SecretShare& share, const rlwe::ContextPtr& context) {
  if (!fits(*share.context(), *context)) {
    throw MismatchError(message("the secret share is of ", share.context()->parameters().summary(), ", not of ",
                                context->parameters().summary()));
  }
  ZeroisingVector<std::uint64_t> residues(share.share().size(), Residence::locked);
  share.share().to_host(residues);
  PolyArray moved = context->make(context->ciphertext_ring(), 1, 1, Domain::transform, true);
  moved.from_host(residues);
  return SecretShare(context, share.session(), share.from(), share.to(), std::move(moved), share.epoch());
}

void bind_session(nb::module_& m) {
  nb::class_<ThresholdSession>(m, "ThresholdSession")
      .def_static(
          "create",
          [](const rlwe::Parameters& parameters, std::vector<std::uint32_t> parties, std::size_t threshold,
             bool relinearization, std::vector<std::uint64_t> galois_elements, std::uint64_t decryptions,
             std::size_t audit) {
            return ThresholdSession::create(parameters, {std::move(parties), threshold, relinearization,
                                                         std::move(galois_elements), decryptions, audit});
          },
          "parameters"_a, "parties"_a, "threshold"_a, "relinearization"_a, "galois_elements"_a, "decryptions"_a,
          "audit"_a)
      .def_prop_ro("parameters", &ThresholdSession::parameters)
      .def_prop_ro("parties", &ThresholdSession::parties)
      .def_prop_ro("threshold", &ThresholdSession::threshold)
      .def_prop_ro("shares_secrets", &ThresholdSession::shares_secrets)
      .def_prop_ro("relinearization", &ThresholdSession::relinearization)
      .def_prop_ro("galois_elements", &ThresholdSession::galois_elements)
      .def_prop_ro("decryptions", &ThresholdSession::decryptions)
      .def_prop_ro("naming", &ThresholdSession::naming)
      .def_prop_ro("audit", &ThresholdSession::audit)
      .def_prop_ro("digest", [](const ThresholdSession& s) { return to_bytes(s.digest()); })
      .def("party_key", [](const ThresholdSession& s, std::uint32_t party) { return to_bytes(s.party_key(party)); });
}

void bind_making(nb::module_& m) {
  nb::class_<Commitment>(m, "Commitment")
      .def_prop_ro("party", &Commitment::party)
      .def_prop_ro("session", [](const Commitment& each) { return to_bytes(each.session()); })
      .def_prop_ro("digest", [](const Commitment& each) { return to_bytes(each.digest()); });
  nb::class_<Coin>(m, "Coin")
      .def_prop_ro("party", &Coin::party)
      .def_prop_ro("stage", [](const Coin& each) { return static_cast<int>(each.stage()); })
      .def_prop_ro("session", [](const Coin& each) { return to_bytes(each.session()); });
  nb::class_<Acceptance>(m, "Acceptance")
      .def_prop_ro("party", &Acceptance::party)
      .def_prop_ro("session", [](const Acceptance& each) { return to_bytes(each.session()); })
      .def_prop_ro("seen", [](const Acceptance& each) { return to_bytes(each.seen()); });
  nb::class_<KeyShare>(m, "KeyShare")
      .def_prop_ro("context", &KeyShare::context)
      .def_prop_ro("party", &KeyShare::party)
      .def_prop_ro("round", [](const KeyShare& share) { return static_cast<int>(share.round()); })
      .def_prop_ro("session", [](const KeyShare& share) { return to_bytes(share.session()); })
      .def_prop_ro("basis", [](const KeyShare& share) { return to_bytes(share.basis()); })
      .def_prop_ro("nbytes", [](const KeyShare& share) { return share.bodies().bytes(); })
      .def("to", &key_share_to, "context"_a, NoGil());
  nb::class_<FirstRound>(m, "FirstRound")
      .def(
          "__init__",
          [](FirstRound* self, const ThresholdSession& session, const rlwe::ContextPtr& context,
             const std::vector<const KeyShare*>& shares) { new (self) FirstRound(session, context, shares); },
          "session"_a, "context"_a, "shares"_a, NoGil())
      .def_prop_ro("digest", [](const FirstRound& first) { return to_bytes(first.digest()); })
      .def_prop_ro("key", [](const FirstRound& first) { return to_bytes(first.key()); })
      .def(
          "transcript",
          [](const FirstRound& first, const std::vector<const KeyShare*>& second) {
            return to_bytes(first.session().relinearization() ? rlwe::transcript(first, second) : first.digest());
          },
          "second"_a)
      .def("public_key", &FirstRound::public_key, NoGil())
      .def(
          "evaluation_keys",
          [](const FirstRound& first, const std::vector<const KeyShare*>& second) {
            rlwe::EvaluationKeys keys = first.evaluation_keys(second);
            rlwe::require_proved(first, second);
            return keys;
          },
          "second"_a, NoGil());
}

void bind_acceptance(nb::module_& m) {
  m.def(
      "require_accepted",
      [](const ThresholdSession& session, const nb::bytes& seen, const std::vector<const Acceptance*>& all) {
        const auto bytes = to_span(seen);
        Digest digest{};
        if (bytes.size() != digest.size()) throw ArgumentError("a transcript has 32 bytes");
        std::ranges::copy(bytes, digest.begin());
        rlwe::require_accepted(session, digest, all);
      },
      "session"_a, "seen"_a, "all"_a);
}

io::PartyPassphrase phrase_of(const std::optional<nb::bytearray>& passphrase) {
  if (!passphrase) return std::nullopt;
  return typed(*passphrase);
}

/// Functions of Python's, which take the interpreter while they are called and when they go.
value::JointVoice voice_of(nb::callable sign, nb::callable verify) {
  const auto release = [](nb::callable* function) {
    const nb::gil_scoped_acquire locked;
    delete function;
  };
  const std::shared_ptr<nb::callable> signs(new nb::callable(std::move(sign)), release);
  const std::shared_ptr<nb::callable> verifies(new nb::callable(std::move(verify)), release);
  return {[signs](const Digest& digest) {
            const nb::gil_scoped_acquire locked;
            const auto made = nb::cast<nb::bytes>((*signs)(to_bytes(digest)));
            const auto bytes = to_span(made);
            if (bytes.size() != rlwe::signature_bytes) {
              throw ArgumentError(message("a signature of ", bytes.size(), " bytes; they have 64"));
            }
            return std::vector<std::uint8_t>(bytes.begin(), bytes.end());
          },
          [verifies](std::uint32_t party, const Digest& digest, std::span<const std::uint8_t> signature) {
            const nb::gil_scoped_acquire locked;
            return nb::cast<bool>((*verifies)(party, to_bytes(digest), to_bytes(signature)));
          }};
}

void bind_evidence(nb::module_& m) {
  m.def(
      "joint_fault",
      [](const ThresholdSession& session, const std::vector<const rlwe::Coin*>& coins,
         const std::vector<const Commitment*>& commitments, const std::vector<const KeyShare*>& shares,
         const std::vector<const Acceptance*>& acceptances,
         const nb::typed<nb::callable, bool(std::uint32_t, nb::bytes, nb::bytes)>& verify)
          -> std::optional<std::tuple<std::uint32_t, std::string, std::string>> {
        value::JointMessages messages;
        for (const rlwe::Coin* const each : coins) messages.coins.push_back(*each);
        for (const Commitment* const each : commitments) messages.commitments.push_back(*each);
        for (const KeyShare* const each : shares) messages.shares.push_back(*each);
        for (const Acceptance* const each : acceptances) messages.acceptances.push_back(*each);
        const auto fault = value::fault_in(
            session, messages, [&](std::uint32_t party, const Digest& digest, std::span<const std::uint8_t> signature) {
              return nb::cast<bool>(verify(party, to_bytes(digest), to_bytes(signature)));
            });
        if (!fault) return std::nullopt;
        return std::tuple(fault->party, fault->stage, fault->reason);
      },
      "session"_a, "coins"_a, "commitments"_a, "shares"_a, "acceptances"_a, "verify"_a);
}

void bind_party(nb::module_& m) {
  nb::class_<PartyStore>(m, "PartyStore");
  m.def(
      "party_in_memory",
      [](const ThresholdSession& session, std::uint32_t party) {
        return value::store_in_memory(rlwe::PartyState::create(session, party));
      },
      "session"_a, "party"_a);
  m.def(
      "create_party_file",
      [](const FilePath& path, const ThresholdSession& session, std::uint32_t party,
         const std::optional<nb::bytearray>& passphrase) -> std::shared_ptr<PartyStore> {
        const io::PartyPassphrase phrase = phrase_of(passphrase);
        const Unlocked unlocked;
        return io::PartyFile::create(path, session, party, phrase);
      },
      "path"_a, "session"_a, "party"_a, "passphrase"_a.none());
  m.def(
      "open_party_file",
      [](const FilePath& path, const ThresholdSession& session,
         const std::optional<nb::bytearray>& passphrase) -> std::shared_ptr<PartyStore> {
        const io::PartyPassphrase phrase = phrase_of(passphrase);
        const Unlocked unlocked;
        return io::PartyFile::open(path, session, phrase);
      },
      "path"_a, "session"_a, "passphrase"_a.none());
  nb::class_<value::JointProgress>(m, "JointProgress")
      .def_prop_ro("coins", [](const value::JointProgress& progress) { return progress.sent.coins; })
      .def_prop_ro("commitments", [](const value::JointProgress& progress) { return progress.sent.commitments; })
      .def_prop_ro("shares", [](const value::JointProgress& progress) { return progress.sent.shares; })
      .def_prop_ro("acceptances", [](const value::JointProgress& progress) { return progress.sent.acceptances; })
      .def_prop_ro("stage", [](const value::JointProgress& progress) { return progress.stage; })
      .def_prop_ro("missing", [](const value::JointProgress& progress) { return progress.missing; })
      .def_prop_ro("done", [](const value::JointProgress& progress) { return progress.keys.has_value(); })
      .def_prop_ro("transcript", [](const value::JointProgress& progress) { return to_bytes(progress.transcript); })
      .def("public_key", [](const value::JointProgress& progress) { return progress.keys.value().public_key; })
      .def("evaluation_keys", [](const value::JointProgress& progress) { return progress.keys.value().evaluation; });
  nb::class_<JointParty>(m, "JointParty")
      .def(
          "__init__",
          [](JointParty* self, const ThresholdSession& session, const rlwe::ContextPtr& context,
             const std::shared_ptr<PartyStore>& store) { new (self) JointParty(session, context, store); },
          "session"_a, "context"_a, "store"_a, NoGil())
      .def_prop_ro("number", &JointParty::number)
      .def_prop_ro("secret", &JointParty::secret, nb::rv_policy::reference_internal)
      .def("knows_key", &JointParty::knows_key, NoGil())
      .def(
          "decryptions", [](const JointParty& party) { return party.decryptions().spent; }, NoGil())
      .def("key", [](const JointParty& party) { return to_bytes(party.key()); })
      .def(
          "speak_with",
          [](JointParty& party, const nb::typed<nb::callable, nb::bytes(nb::bytes)>& sign,
             const nb::typed<nb::callable, bool(std::uint32_t, nb::bytes, nb::bytes)>& verify) {
            party.speak_with(voice_of(sign, verify));
          },
          "sign"_a, "verify"_a)
      .def("toss", &JointParty::toss, NoGil())
      .def(
          "commit", [](JointParty& party, const std::vector<const Coin*>& tosses) { return party.commit(tosses); },
          "tosses"_a, NoGil())
      .def(
          "show_coin",
          [](JointParty& party, const std::vector<const Commitment*>& commitments) {
            return party.show_coin(commitments);
          },
          "commitments"_a, NoGil())
      .def(
          "audited_share",
          [](JointParty& party, const std::vector<const Coin*>& coins) { return party.first_share(coins); }, "coins"_a,
          NoGil())
      .def(
          "first_share",
          [](JointParty& party, const std::vector<const Commitment*>& commitments) {
            return party.first_share(commitments);
          },
          "commitments"_a, NoGil())
      .def(
          "has_shown", [](const JointParty& party) { return !party.state().commitments().empty(); }, NoGil())
      .def(
          "advance",
          [](JointParty& party, const std::vector<const Coin*>& coins,
             const std::vector<const Commitment*>& commitments, const std::vector<const KeyShare*>& shares,
             const std::vector<const Acceptance*>& acceptances) {
            value::JointMessages inbox;
            for (const Coin* const each : coins) inbox.coins.push_back(*each);
            for (const Commitment* const each : commitments) inbox.commitments.push_back(*each);
            for (const KeyShare* const each : shares) inbox.shares.push_back(*each);
            for (const Acceptance* const each : acceptances) inbox.acceptances.push_back(*each);
            return party.advance(inbox);
          },
          "coins"_a, "commitments"_a, "shares"_a, "acceptances"_a, NoGil())
      .def(
          "accept",
          [](JointParty& party, const std::vector<const KeyShare*>& first, const std::vector<const KeyShare*>& second) {
            return party.accept(first, second);
          },
          "first"_a, "second"_a, NoGil())
      .def(
          "seal", [](JointParty& party, const std::vector<const Acceptance*>& all) { party.seal(all); }, "all"_a,
          NoGil())
      .def(
          "accepted", [](const JointParty& party) { return party.accepted(); }, NoGil())
      .def(
          "agree", [](JointParty& party, const std::vector<const KeyShare*>& first) { party.agree(first); }, "first"_a,
          NoGil())
      .def(
          "replace", [](JointParty& party, const std::vector<const KeyShare*>& first) { party.replace(first); },
          "first"_a, NoGil())
      .def(
          "second_share",
          [](JointParty& party, const std::vector<const KeyShare*>& first) { return party.second_share(first); },
          "first"_a, NoGil())
      .def("deal",
           [](const JointParty& party) {
             std::vector<SecretShare> shares;
             {
               const Unlocked unlocked;
               shares = party.deal();
             }
             nb::typed<nb::list, SecretShare> list;
             for (SecretShare& share : shares) list.append(nb::cast(std::move(share)));
             return list;
           })
      .def(
          "decryption_share",
          [](const JointParty& party, const value::EncryptedArray& x, std::vector<std::uint32_t> active,
             unsigned flooding_bits, const SecretShare* share, const value::Options& options) {
            return party.decryption_share(x, std::move(active), flooding_bits, share, options);
          },
          "x"_a, "active"_a, "flooding_bits"_a, "share"_a.none(), "options"_a, NoGil());
}

void bind_sharing(nb::module_& m) {
  nb::class_<SecretShare>(m, "SecretShare")
      .def_prop_ro("context", &SecretShare::context)
      .def_prop_ro("sender", &SecretShare::from)
      .def_prop_ro("receiver", &SecretShare::to)
      .def_prop_ro("is_sum", &SecretShare::is_sum)
      .def_prop_ro("epoch", &SecretShare::epoch)
      .def_prop_ro("session", [](const SecretShare& share) { return to_bytes(share.session()); })
      .def("to", &secret_share_to, "context"_a, NoGil());
  m.def(
      "sum_of_dealt",
      [](const ThresholdSession& session, std::uint32_t party, const std::vector<const SecretShare*>& dealt) {
        return rlwe::sum_of_dealt(session, party, dealt);
      },
      "session"_a, "party"_a, "dealt"_a, NoGil());
}

void bind_shared_decryption(nb::module_& m) {
  nb::class_<DecryptionShare>(m, "DecryptionShare")
      .def_prop_ro("context", &DecryptionShare::context)
      .def_prop_ro("party", [](const DecryptionShare& share) { return share.facts().party; })
      .def_prop_ro("active", [](const DecryptionShare& share) { return share.facts().active; })
      .def_prop_ro("flooding_bits", [](const DecryptionShare& share) { return share.facts().flooding_bits; })
      .def_prop_ro("epoch", [](const DecryptionShare& share) { return share.facts().epoch; })
      .def_prop_ro("session", [](const DecryptionShare& share) { return to_bytes(share.facts().session); })
      .def_prop_ro("array", [](const DecryptionShare& share) { return to_bytes(share.facts().array); })
      .def("to", &decryption_share_to, "context"_a, NoGil());
  m.def(
      "array_digest",
      [](const value::EncryptedArray& x) {
        const Digest digest = [&] {
          const Unlocked unlocked;
          return value::array_digest(x);
        }();
        return to_bytes(digest);
      },
      "x"_a);
  m.def(
      "liars",
      [](const std::vector<std::vector<std::uint32_t>>& failed, const std::vector<std::vector<std::uint32_t>>& passed) {
        return value::liars(failed, passed);
      },
      "failed"_a, "passed"_a);
  m.def(
      "threshold_decrypt",
      [](const ThresholdSession& session, const value::EncryptedArray& x,
         const std::vector<const DecryptionShare*>& shares,
         const value::Options& options) { return value::threshold_decrypt(session, x, shares, options); },
      "session"_a, "x"_a, "shares"_a, "options"_a, NoGil());
}

}  // namespace

void bind_threshold(nb::module_& m) {
  bind_session(m);
  bind_acceptance(m);
  bind_making(m);
  bind_party(m);
  bind_evidence(m);
  bind_sharing(m);
  bind_shared_decryption(m);
}

}  // namespace cyclotome::python
