// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/rlwe/secret_sharing.hpp"
#include "cyclotome/rlwe/threshold_keys.hpp"
#include "cyclotome/value/threshold_decryption.hpp"

namespace cyclotome::python {

namespace {

using rlwe::FirstRound;
using rlwe::KeyShare;
using rlwe::SecretShare;
using rlwe::ThresholdSession;
using value::DecryptionShare;

/// Whether a message can move there at all; where not, whoever uses it says why.
bool fits(const rlwe::Context& own, const rlwe::Context& other) {
  return own.parameters().fingerprint() == other.parameters().fingerprint();
}

KeyShare key_share_to(const KeyShare& share, const rlwe::ContextPtr& context) {
  if (!fits(*share.context(), *context)) return share;
  return KeyShare(context, share.session(), share.party(), share.round(), share.basis(),
                  share.bodies().to(context->engine()));
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
  return SecretShare(context, share.session(), share.from(), share.to(), std::move(moved));
}

void bind_session(nb::module_& m) {
  nb::class_<ThresholdSession>(m, "ThresholdSession")
      .def_static(
          "create",
          [](const rlwe::Parameters& parameters, std::vector<std::uint32_t> parties, std::size_t threshold,
             bool relinearization, std::vector<std::uint64_t> galois_elements) {
            return ThresholdSession::create(
                parameters, {std::move(parties), threshold, relinearization, std::move(galois_elements)});
          },
          "parameters"_a, "parties"_a, "threshold"_a, "relinearization"_a, "galois_elements"_a)
      .def_prop_ro("parameters", &ThresholdSession::parameters)
      .def_prop_ro("parties", &ThresholdSession::parties)
      .def_prop_ro("threshold", &ThresholdSession::threshold)
      .def_prop_ro("shares_secrets", &ThresholdSession::shares_secrets)
      .def_prop_ro("relinearization", &ThresholdSession::relinearization)
      .def_prop_ro("galois_elements", &ThresholdSession::galois_elements)
      .def_prop_ro("digest", [](const ThresholdSession& s) { return to_bytes(s.digest()); })
      .def_prop_ro("key", [](const ThresholdSession& s) { return to_bytes(s.key()); })
      .def("party_key", [](const ThresholdSession& s, std::uint32_t party) { return to_bytes(s.party_key(party)); })
      .def(
          "require_own",
          [](const ThresholdSession& s, const rlwe::SecretKey& secret, std::uint32_t party) {
            s.require_own(secret, party);
          },
          "secret"_a, "party"_a);
}

void bind_making(nb::module_& m) {
  nb::class_<KeyShare>(m, "KeyShare")
      .def_prop_ro("context", &KeyShare::context)
      .def_prop_ro("party", &KeyShare::party)
      .def_prop_ro("round", [](const KeyShare& share) { return static_cast<int>(share.round()); })
      .def_prop_ro("session", [](const KeyShare& share) { return to_bytes(share.session()); })
      .def_prop_ro("nbytes", [](const KeyShare& share) { return share.bodies().bytes(); })
      .def("to", &key_share_to, "context"_a, NoGil());
  nb::class_<FirstRound>(m, "FirstRound")
      .def(
          "__init__",
          [](FirstRound* self, const ThresholdSession& session, const rlwe::ContextPtr& context,
             const std::vector<const KeyShare*>& shares) { new (self) FirstRound(session, context, shares); },
          "session"_a, "context"_a, "shares"_a, NoGil())
      .def_prop_ro("digest", [](const FirstRound& first) { return to_bytes(first.digest()); })
      .def("public_key", &FirstRound::public_key, NoGil())
      .def(
          "evaluation_keys",
          [](const FirstRound& first, const std::vector<const KeyShare*>& second) {
            return first.evaluation_keys(second);
          },
          "second"_a, NoGil());
  m.def("generate_party_key", &rlwe::generate_party_key, "session"_a, "context"_a, "party"_a, NoGil());
  m.def("first_share", &rlwe::first_share, "session"_a, "party"_a, "secret"_a, NoGil());
  m.def("second_share", &rlwe::second_share, "first"_a, "party"_a, "secret"_a, NoGil());
}

void bind_sharing(nb::module_& m) {
  nb::class_<SecretShare>(m, "SecretShare")
      .def_prop_ro("context", &SecretShare::context)
      .def_prop_ro("sender", &SecretShare::from)
      .def_prop_ro("receiver", &SecretShare::to)
      .def_prop_ro("is_sum", &SecretShare::is_sum)
      .def_prop_ro("session", [](const SecretShare& share) { return to_bytes(share.session()); })
      .def("to", &secret_share_to, "context"_a, NoGil());
  m.def(
      "deal_secret",
      [](const ThresholdSession& session, std::uint32_t party, const rlwe::SecretKey& secret) {
        std::vector<SecretShare> shares;
        {
          const Unlocked unlocked;
          shares = rlwe::deal_secret(session, party, secret);
        }
        nb::typed<nb::list, SecretShare> list;
        for (SecretShare& share : shares) list.append(nb::cast(std::move(share)));
        return list;
      },
      "session"_a, "party"_a, "secret"_a);
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
  m.def("decryption_share", &value::decryption_share, "session"_a, "party"_a, "secret"_a, "share"_a.none(), "x"_a,
        "active"_a, "flooding_bits"_a, "options"_a, NoGil());
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
  bind_making(m);
  bind_sharing(m);
  bind_shared_decryption(m);
}

}  // namespace cyclotome::python
