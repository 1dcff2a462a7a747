// SPDX-License-Identifier: Apache-2.0
// Verified dealing: rounds, and their messages.
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/file_path.hpp"
#include "bindings/files/io.hpp"
#include "cyclotome/io/joint/dealing_io.hpp"
#include "cyclotome/rlwe/joint/dealing/verified_dealing.hpp"

namespace cyclotome::python {

namespace {

using rlwe::Complaint;
using rlwe::Dealing;
using rlwe::DealingRound;
using rlwe::Dealt;
using rlwe::Identity;
using rlwe::Received;
using rlwe::ReceivingKeys;
using rlwe::SealedShare;
using rlwe::SecretShare;

template <class Message>
std::vector<Message> copies(const std::vector<const Message*>& messages) {
  std::vector<Message> all;
  for (const Message* const message : messages) all.push_back(*message);
  return all;
}

/// Binds how one kind of message is written.
template <class Message>
void bind_writing(nb::module_& m) {
  m.def(
      "dealing_view",
      [](const Message& message, const rlwe::Parameters& parameters, const nb::bytes& metadata) {
        return to_bytes(std::span<const std::uint8_t>(io::serialize(message, parameters, to_span(metadata))));
      },
      "message"_a, "parameters"_a, "metadata"_a);
  m.def(
      "write_dealing",
      [](const FilePath& path, const Message& message, const rlwe::Parameters& parameters, const nb::bytes& metadata,
         bool overwrite) {
        const auto bytes = io::serialize(message, parameters, to_span(metadata));
        const Unlocked unlocked;
        io::write_file(path, bytes, io::Privacy::shared, existing(overwrite));
      },
      "path"_a, "message"_a, "parameters"_a, "metadata"_a, "overwrite"_a);
}

void bind_messages(nb::module_& m) {
  nb::class_<ReceivingKeys>(m, "ReceivingKeys")
      .def_prop_ro("round", [](const ReceivingKeys& message) { return to_bytes(message.round); })
      .def_ro("party", &ReceivingKeys::party);
  nb::class_<Dealing>(m, "Dealing")
      .def_prop_ro("round", [](const Dealing& message) { return to_bytes(message.round); })
      .def_ro("dealer", &Dealing::dealer);
  nb::class_<SealedShare>(m, "SealedShare")
      .def_prop_ro("round", [](const SealedShare& message) { return to_bytes(message.round); })
      .def_ro("dealer", &SealedShare::dealer)
      .def_ro("receiver", &SealedShare::receiver);
  nb::class_<Complaint>(m, "Complaint")
      .def_prop_ro("round", [](const Complaint& message) { return to_bytes(message.dealing.round); })
      .def_ro("accuser", &Complaint::accuser)
      .def_prop_ro("dealer", [](const Complaint& message) { return message.dealing.dealer; });
  nb::class_<Dealt>(m, "Dealt")
      .def_prop_ro("dealing", [](const Dealt& dealt) { return dealt.dealing; })
      .def_prop_ro("sealed", [](const Dealt& dealt) {
        nb::typed<nb::list, SealedShare> list;
        for (const SealedShare& each : dealt.sealed) list.append(nb::cast(each));
        return list;
      });
  nb::class_<Received>(m, "Received")
      .def(
          "take_share",
          [](Received& received) {
            std::optional<SecretShare> share = std::move(received.share);
            received.share.reset();
            return share;
          },
          "The sum, once; None where there are complaints.")
      .def_prop_ro("complaints", [](const Received& received) {
        nb::typed<nb::list, Complaint> list;
        for (const Complaint& each : received.complaints) list.append(nb::cast(each));
        return list;
      });
  bind_writing<ReceivingKeys>(m);
  bind_writing<Dealing>(m);
  bind_writing<SealedShare>(m);
  bind_writing<Complaint>(m);
}

void bind_rounds(nb::module_& m) {
  nb::class_<DealingRound>(m, "DealingRound")
      .def(
          "__init__",
          [](DealingRound* self, const rlwe::ThresholdSession& session, unsigned what, std::uint32_t epoch,
             std::vector<std::uint32_t> dealers,
             const std::map<std::uint32_t, const rlwe::PublicIdentity*>& identities) {
            rlwe::Identities known;
            for (const auto& [party, identity] : identities) known.emplace(party, *identity);
            new (self) DealingRound(session, {static_cast<rlwe::DealtSecret>(what), epoch, std::move(dealers)},
                                    std::move(known));
          },
          "session"_a, "what"_a, "epoch"_a, "dealers"_a, "identities"_a)
      .def_prop_ro("digest", [](const DealingRound& round) { return to_bytes(round.digest()); })
      .def_prop_ro("dealers", &DealingRound::dealers)
      .def("keys", &rlwe::receiving_keys, "party"_a, "identity"_a, NoGil())
      .def(
          "deal_own",
          [](const DealingRound& round, std::uint32_t dealer, const Identity& identity, const rlwe::SecretKey& secret,
             const std::vector<const ReceivingKeys*>& keys) {
            return deal_own(round, dealer, identity, secret, copies(keys));
          },
          "dealer"_a, "identity"_a, "secret"_a, "keys"_a, NoGil())
      .def(
          "deal_zero",
          [](const DealingRound& round, std::uint32_t dealer, const Identity& identity, const rlwe::ContextPtr& context,
             const std::vector<const ReceivingKeys*>& keys) {
            return deal_zero(round, dealer, identity, context, copies(keys));
          },
          "dealer"_a, "identity"_a, "context"_a, "keys"_a, NoGil())
      .def(
          "deal_share",
          [](const DealingRound& round, std::uint32_t dealer, const Identity& identity, const SecretShare& share,
             const std::vector<const ReceivingKeys*>& keys) {
            return deal_share(round, dealer, identity, share, copies(keys));
          },
          "dealer"_a, "identity"_a, "share"_a, "keys"_a, NoGil())
      .def(
          "receive",
          [](const DealingRound& round, const rlwe::ContextPtr& context, std::uint32_t party, const Identity& identity,
             const std::vector<const Dealing*>& dealings, const std::vector<const SealedShare*>& sealed) {
            return receive_dealt(round, context, party, identity, copies(dealings), copies(sealed));
          },
          "context"_a, "party"_a, "identity"_a, "dealings"_a, "sealed"_a, NoGil())
      .def("refreshed", &rlwe::refreshed, "share"_a, "zero"_a, NoGil())
      .def("public_fault", &rlwe::public_fault, "context"_a, "dealing"_a, NoGil())
      .def(
          "judge",
          [](const DealingRound& round, const rlwe::ContextPtr& context, const Complaint& complaint) {
            const rlwe::Verdict verdict = judge(round, context, complaint);
            return std::pair(verdict.guilty, verdict.reason);
          },
          "context"_a, "complaint"_a, NoGil());
}

}  // namespace

void bind_dealing(nb::module_& m) {
  bind_messages(m);
  bind_rounds(m);
}

}  // namespace cyclotome::python
