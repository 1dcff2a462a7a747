// SPDX-License-Identifier: Apache-2.0
// Joint decryption whose values are checked.
#include "cyclotome/value/joint/checked_decryption.hpp"

#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "bindings/bindings.hpp"
#include "cyclotome/io/joint/mac_file.hpp"
#include "cyclotome/math/errors.hpp"
#include "bindings/file_path.hpp"

namespace cyclotome::python {

namespace {

using value::CheckedDecryption;
using value::DecryptionShare;
using value::EncryptedArray;
using value::MacKey;
using value::MacShare;
using value::Pledge;
using Known = std::map<std::uint32_t, const rlwe::PublicIdentity*>;

rlwe::Identities identities_of(const Known& known) {
  rlwe::Identities identities;
  for (const auto& [party, identity] : known) identities.emplace(party, *identity);
  return identities;
}

template <class Object>
std::vector<Object> copied(const std::vector<const Object*>& objects) {
  std::vector<Object> copies;
  for (const Object* const each : objects) copies.push_back(*each);
  return copies;
}

Digest digest_from(const nb::bytes& bytes) {
  const auto given = to_span(bytes);
  Digest digest{};
  if (given.size() != digest.size()) throw ArgumentError("a digest has 32 bytes");
  std::ranges::copy(given, digest.begin());
  return digest;
}

Pledge::Stage stage_named(const std::string& name) {
  for (const Pledge::Stage stage : {Pledge::Stage::mac, Pledge::Stage::share, Pledge::Stage::check}) {
    if (name == value::name_of(stage)) return stage;
  }
  throw ArgumentError(message("a stage is \"mac\", \"share\" or \"check\", not \"", name, "\""));
}

void bind_pledge(nb::module_& m) {
  nb::class_<Pledge>(m, "Pledge")
      .def_static(
          "from_text", [](const std::string& text) { return Pledge::from_text(text); }, "text"_a)
      .def_static(
          "sign",
          [](std::uint32_t party, const std::string& stage, const nb::bytes& question, const nb::bytes& digest,
             const rlwe::Identity& identity) {
            return Pledge::sign({party, stage_named(stage), digest_from(question), digest_from(digest)}, identity);
          },
          "party"_a, "stage"_a, "question"_a, "digest"_a, "identity"_a)
      .def_prop_ro("text", &Pledge::text)
      .def_prop_ro("party", [](const Pledge& pledge) { return pledge.facts().party; })
      .def_prop_ro("stage", [](const Pledge& pledge) { return std::string(value::name_of(pledge.facts().stage)); })
      .def_prop_ro("question", [](const Pledge& pledge) { return to_bytes(pledge.facts().question); })
      .def_prop_ro("digest", [](const Pledge& pledge) { return to_bytes(pledge.facts().digest); })
      .def_prop_ro("signature", [](const Pledge& pledge) { return to_bytes(pledge.signature()); })
      .def_prop_ro("signed_bytes",
                   [](const Pledge& pledge) { return to_bytes(std::span<const std::uint8_t>(pledge.signed_bytes())); })
      .def_prop_ro_static("domain", [](const nb::object&) { return std::string(Pledge::domain); });
  m.def(
      "pledge_fault",
      [](const std::vector<const Pledge*>& pledges, const nb::typed<nb::callable, bool(Pledge)>& is_signed)
          -> std::optional<std::tuple<std::uint32_t, std::string, std::string>> {
        const auto fault = value::fault_in(
            copied(pledges), [&](const Pledge& pledge) { return nb::cast<bool>(is_signed(nb::cast(pledge))); });
        if (!fault) return std::nullopt;
        return std::tuple(fault->party, fault->stage, fault->reason);
      },
      "pledges"_a, "is_signed"_a);
}

void bind_mac_key(nb::module_& m) {
  nb::class_<MacShare>(m, "MacShare")
      .def(nb::init<const rlwe::ThresholdSession&, std::uint32_t, const rlwe::Identity&, const rlwe::PublicKey&,
                    std::optional<std::size_t>>(),
           "session"_a, "party"_a, "identity"_a, "public_key"_a, "count"_a.none(), NoGil())
      .def_prop_ro("commitment", &MacShare::commitment, nb::rv_policy::copy)
      .def_prop_ro("arrays", [](const MacShare& share) { return share.arrays(); });
  nb::class_<MacKey>(m, "MacKey")
      .def(
          "__init__",
          [](MacKey* self, const rlwe::ThresholdSession& session, const Known& identities, const value::Keyring& keys,
             const std::vector<const Pledge*>& commitments,
             const std::map<std::uint32_t, std::vector<const EncryptedArray*>>& arrays,
             const std::optional<FilePath>& file) {
            std::map<std::uint32_t, std::vector<EncryptedArray>> shown;
            for (const auto& [party, each] : arrays) shown.emplace(party, copied(each));
            std::shared_ptr<value::MacStore> store = value::mac_store_in_memory();
            if (file) store = std::make_shared<io::MacFile>(*file);
            new (self) MacKey(session, identities_of(identities), keys, copied(commitments), shown, std::move(store));
          },
          "session"_a, "identities"_a, "keys"_a, "commitments"_a, "arrays"_a, "file"_a.none())
      .def_prop_ro("sums", [](const MacKey& key) { return key.sums(); })
      .def_prop_ro("spent", &MacKey::spent);
  m.def(
      "mac_file_state",
      [](const FilePath& file, const nb::bytes& numbers) {
        return static_cast<int>(io::MacFile(file).read(digest_from(numbers)).is);
      },
      "file"_a, "numbers"_a, "What a file says has become of the numbers with this digest: 0 free, 1 held, 2 spent.");
}

void bind_steps(nb::module_& m) {
  nb::class_<CheckedDecryption>(m, "CheckedDecryption")
      .def(
          "__init__",
          [](CheckedDecryption* self, const value::JointParty& party, const rlwe::Identity& identity,
             const EncryptedArray& x, const MacKey& key, const Known& identities, const std::string& name,
             std::vector<std::uint32_t> active, unsigned flooding_bits, const rlwe::SecretShare* share) {
            new (self) CheckedDecryption(party, identity, x, key, identities_of(identities),
                                         {name, std::move(active), flooding_bits}, share);
          },
          "party"_a, "identity"_a, "x"_a, "key"_a, "identities"_a, "name"_a, "active"_a, "flooding_bits"_a,
          "share"_a.none(), nb::keep_alive<1, 10>())
      .def_prop_ro("question", [](const CheckedDecryption& each) { return to_bytes(each.question()); })
      .def("commit", &CheckedDecryption::commit, NoGil())
      .def(
          "reveal",
          [](CheckedDecryption& each, const std::vector<const Pledge*>& commitments) {
            return each.reveal(copied(commitments));
          },
          "commitments"_a, NoGil())
      .def(
          "commit_check",
          [](CheckedDecryption& each, const std::vector<const DecryptionShare*>& shares) {
            return each.commit_check(copied(shares));
          },
          "shares"_a, NoGil())
      .def(
          "reveal_check",
          [](CheckedDecryption& each, const std::vector<const Pledge*>& commitments) {
            return each.reveal_check(copied(commitments));
          },
          "commitments"_a, NoGil())
      .def(
          "values",
          [](CheckedDecryption& each, const std::vector<std::vector<const DecryptionShare*>>& shares) {
            std::vector<std::vector<DecryptionShare>> all;
            for (const auto& party : shares) all.push_back(copied(party));
            return each.values(all);
          },
          "shares"_a, NoGil());
}

}  // namespace

void bind_checked_decryption(nb::module_& m) {
  bind_pledge(m);
  bind_mac_key(m);
  bind_steps(m);
}

}  // namespace cyclotome::python
