// SPDX-License-Identifier: Apache-2.0
// Identities of parties, and their files.
#include "cyclotome/rlwe/joint/identity.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include "bindings/file_path.hpp"
#include "bindings/files/io.hpp"
#include "cyclotome/io/joint/identity_io.hpp"
#include "cyclotome/ring/randomness/libcrypto.hpp"

namespace cyclotome::python {

namespace {

using rlwe::Identity;
using rlwe::PublicIdentity;
using Passphrase = std::optional<nb::bytearray>;

std::optional<std::span<const std::uint8_t>> typed_if_any(const Passphrase& passphrase) {
  if (!passphrase) return std::nullopt;
  return typed(*passphrase);
}

}  // namespace

void bind_identity(nb::module_& m) {
  nb::class_<PublicIdentity>(m, "PublicIdentity")
      .def_static(
          "from_text", [](const std::string& text) { return PublicIdentity::from_text(text); }, "text"_a)
      .def_static(
          "from_bytes", [](const nb::bytes& bytes) { return PublicIdentity::from_bytes(to_span(bytes)); }, "bytes"_a)
      .def_prop_ro("text", &PublicIdentity::text)
      .def_prop_ro("both_keys", [](const PublicIdentity& identity) { return to_bytes(identity.bytes()); })
      .def_prop_ro("digest", [](const PublicIdentity& identity) { return to_bytes(identity.digest()); })
      .def(
          "verify",
          [](const PublicIdentity& identity, const std::string& domain, const nb::bytes& text,
             const nb::bytes& signature) { return identity.verify(domain, to_span(text), to_span(signature)); },
          "domain"_a, "text"_a, "signature"_a)
      .def(
          "seal",
          [](const PublicIdentity& identity, const nb::bytes& context, const nb::bytes& text) {
            return to_bytes(std::span<const std::uint8_t>(identity.seal(to_span(context), to_span(text))));
          },
          "context"_a, "text"_a);
  nb::class_<Identity>(m, "Identity")
      .def_static("create", &Identity::create)
      .def_prop_ro("public", [](const Identity& identity) { return identity.public_identity(); })
      .def(
          "sign",
          [](const Identity& identity, const std::string& domain, const nb::bytes& text) {
            return to_bytes(identity.sign(domain, to_span(text)));
          },
          "domain"_a, "text"_a)
      .def(
          "open",
          [](const Identity& identity, const nb::bytes& context, const nb::bytes& sealed) {
            return to_bytes(std::span<const std::uint8_t>(identity.open(to_span(context), to_span(sealed))));
          },
          "context"_a, "sealed"_a);
  m.def(
      "write_identity",
      [](const FilePath& path, const Identity& identity, bool overwrite, const Passphrase& passphrase) {
        const auto phrase = typed_if_any(passphrase);
        const Unlocked unlocked;
        io::write_identity(path, identity, phrase, existing(overwrite));
      },
      "path"_a, "identity"_a, "overwrite"_a, "passphrase"_a.none());
  m.def(
      "load_identity",
      [](const FilePath& path, const Passphrase& passphrase) {
        const auto phrase = typed_if_any(passphrase);
        const Unlocked unlocked;
        return io::load_identity(path, phrase);
      },
      "path"_a, "passphrase"_a.none());
  m.def(
      "names_identity", [](const nb::bytes& header) { return io::names_identity(to_span(header)); }, "header"_a,
      "Whether the file that begins so is an identity's.");
  m.def("identities", &libcrypto::curves_state, "\"ready\", or what is missing for identities of parties.");
}

}  // namespace cyclotome::python
