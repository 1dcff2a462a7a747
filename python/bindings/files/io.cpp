// SPDX-License-Identifier: Apache-2.0
#include "bindings/files/io.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include "cyclotome/io/container/container_layout.hpp"
#include "cyclotome/io/container/frame.hpp"
#include "cyclotome/io/container/payload.hpp"
#include "cyclotome/io/files/file.hpp"
#include "cyclotome/io/joint/dealing_io.hpp"
#include "cyclotome/io/joint/threshold_io.hpp"
#include "cyclotome/io/keys/keys_io.hpp"
#include "cyclotome/io/keys/protected_key.hpp"
#include "cyclotome/io/objects/array_io.hpp"
#include "cyclotome/io/objects/ciphertext_io.hpp"
#include "cyclotome/io/objects/fermat_io.hpp"
#include "cyclotome/io/objects/ltv_io.hpp"
#include "cyclotome/io/objects/parameters_io.hpp"
#include "cyclotome/io/objects/plain_array_io.hpp"
#include "cyclotome/io/reals/real_array_io.hpp"

namespace cyclotome::python {

namespace {

using io::Bytes;
using io::Privacy;

/// A checked container, and nothing that would expand beyond its limit: nothing is made for it then.
io::Container opened(std::span<const std::uint8_t> bytes, const io::Limits& limits) {
  io::Container container(bytes, limits);
  container.require_expanded(io::expanded_bytes(container));
  return container;
}

/// Whether these bytes begin as a secret key or a share of one, under a passphrase or not, of whatever scheme. Of a
/// study's objects, whose secret keys are no kind of their own, damaged ones are none.
bool names_secret(std::span<const std::uint8_t> bytes) {
  try {
    if (io::names_ltv(bytes)) return is_secret(io::inspect_ltv(bytes, bytes.size()));
    if (io::names_fermat(bytes)) return is_secret(io::inspect_fermat(bytes, bytes.size()));
  } catch (const FormatError&) {
    return false;
  }
  return io::names_secret_key(bytes);
}

io::Container opened_unlocked(std::span<const std::uint8_t> bytes, const io::Limits& limits) {
  const Unlocked unlocked;
  return opened(bytes, limits);
}

/// A container and the bytes that it looks at: its own, or Python's.
class OwnedContainer {
 public:
  OwnedContainer(Bytes bytes, const io::Limits& limits)
      : bytes_(std::move(bytes)), container_(opened(bytes_, limits)) {}
  OwnedContainer(Lent lent, const io::Limits& limits)
      : lent_(std::move(lent)), container_(opened_unlocked(lent_.bytes(), limits)) {}

  const io::Container* operator->() const noexcept { return &container_; }
  const io::Container& operator*() const noexcept { return container_; }

 private:
  Bytes bytes_;
  Lent lent_;
  io::Container container_;
};

/// Copied into Python in pieces, between which Ctrl-C is answered.
nb::bytes copied(std::span<const std::uint8_t> bytes) {
  constexpr std::size_t piece = std::size_t{32} << 20;
  const nb::bytes result =
      nb::steal<nb::bytes>(PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(bytes.size())));
  if (!result.is_valid()) nb::raise_python_error();
  char* const to = PyBytes_AsString(result.ptr());
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    std::memcpy(to + at, bytes.data() + at, std::min(piece, bytes.size() - at));
    if (PyErr_CheckSignals() != 0) nb::raise_python_error();
  }
  return result;
}

/// Bytes of the library's as a memoryview that keeps them: nothing is copied.
using View = nb::ndarray<nb::memview, const std::uint8_t, nb::ndim<1>>;

View lent_to_python(Bytes bytes) {
  auto kept = std::make_unique<Bytes>(std::move(bytes));
  const std::uint8_t* const data = kept->data();
  const std::size_t size = kept->size();
  nb::capsule owner(kept.get(), [](void* pointer) noexcept { delete static_cast<Bytes*>(pointer); });
  kept.release();
  return View(data, {size}, owner);
}

/// Binds `to_bytes`, `to_view` and `write_file` for one kind of public object.
template <class Object>
void bind_public(nb::module_& m) {
  m.def(
      "to_view",
      [](const Object& object, const nb::bytes& metadata) {
        const auto caller_bytes = to_span(metadata);
        return lent_to_python([&] {
          const Unlocked unlocked;
          return io::serialize(object, caller_bytes);
        }());
      },
      "object"_a, "metadata"_a);
  m.def(
      "to_bytes",
      [](const Object& object, const nb::bytes& metadata) {
        const auto caller_bytes = to_span(metadata);
        const Bytes bytes = [&] {
          const Unlocked unlocked;
          return io::serialize(object, caller_bytes);
        }();
        return copied(bytes);
      },
      "object"_a, "metadata"_a);
  m.def(
      "write_file",
      [](const FilePath& path, const Object& object, const nb::bytes& metadata, bool overwrite) {
        const auto caller_bytes = to_span(metadata);
        const Unlocked unlocked;
        io::write_file(path, io::serialize(object, caller_bytes), Privacy::shared, existing(overwrite));
      },
      "path"_a, "object"_a, "metadata"_a, "overwrite"_a = true);
}

}  // namespace

void bind_io(nb::module_& m) {
  nb::class_<OwnedContainer>(m, "Container")
      .def_static(
          "from_bytes",
          [](const nb::object& bytes, std::uint64_t max_bytes, std::uint64_t max_expanded_bytes, bool allow_insecure,
             const std::string& security_table) {
            const rlwe::SecurityTable table = rlwe::security_table(security_table);
            return OwnedContainer(Lent(bytes), {max_bytes, max_expanded_bytes, allow_insecure, table});
          },
          "bytes"_a, nb::kw_only(), "max_bytes"_a, "max_expanded_bytes"_a, "allow_insecure"_a, "security_table"_a)
      .def_static(
          "from_file",
          [](const FilePath& path, std::uint64_t max_bytes, std::uint64_t max_expanded_bytes, bool allow_insecure,
             const std::string& security_table) {
            const rlwe::SecurityTable table = rlwe::security_table(security_table);
            return OwnedContainer(io::read_object_file(path, max_bytes),
                                  {max_bytes, max_expanded_bytes, allow_insecure, table});
          },
          "path"_a, nb::kw_only(), "max_bytes"_a, "max_expanded_bytes"_a, "allow_insecure"_a, "security_table"_a,
          NoGil())
      .def_prop_ro("kind", [](const OwnedContainer& c) { return kind_name(c->kind()); })
      .def_prop_ro(
          "is_secret", [](const OwnedContainer& c) { return io::is_secret(c->kind()); },
          "Whether only one person may have it, even under a passphrase.")
      .def_prop_ro("version", [](const OwnedContainer& c) { return c->version(); })
      .def_prop_ro("parameters", [](const OwnedContainer& c) { return c->parameters(); })
      .def_prop_ro(
          "arrays",
          [](const OwnedContainer& c) {
            std::vector<std::pair<std::size_t, std::size_t>> arrays;
            if (c->kind() != io::Kind::bundle) return arrays;
            for (const auto& array : io::ciphertext_payloads(*c)) arrays.emplace_back(array.plain.number, array.batch);
            return arrays;
          },
          "Of an encrypted array: number of the plaintext modulus and of ciphertexts, for each modulus.")
      .def_prop_ro("metadata", [](const OwnedContainer& c) { return to_bytes(c->metadata()); })
      .def(
          "read_secret_key",
          [](const OwnedContainer& c, const rlwe::ContextPtr& context, bool allow_unfit) {
            return io::read_secret_key(*c, context, allow_unfit ? rlwe::KeyCheck::skipped : rlwe::KeyCheck::required);
          },
          "context"_a, "allow_unfit"_a, NoGil())
      .def(
          "read_protected_key",
          [](const OwnedContainer& c, const rlwe::ContextPtr& context, const nb::bytearray& passphrase,
             bool allow_unfit) {
            const auto bytes = typed(passphrase);
            const Unlocked unlocked;
            return io::read_protected_key(*c, context, bytes,
                                          allow_unfit ? rlwe::KeyCheck::skipped : rlwe::KeyCheck::required);
          },
          "context"_a, "passphrase"_a, "allow_unfit"_a)
      .def(
          "read_public_key",
          [](const OwnedContainer& c, const rlwe::ContextPtr& context) { return io::read_public_key(*c, context); },
          "context"_a, NoGil())
      .def(
          "read_evaluation_keys",
          [](const OwnedContainer& c, const rlwe::ContextPtr& context) {
            return io::read_evaluation_keys(*c, context);
          },
          "context"_a, NoGil())
      .def(
          "read_rekeying_key",
          [](const OwnedContainer& c, const rlwe::ContextPtr& context) { return io::read_rekeying_key(*c, context); },
          "context"_a, NoGil())
      .def(
          "read_plain_values", [](const OwnedContainer& c) { return io::read_plain_values(*c); }, NoGil())
      .def("read_threshold_session", [](const OwnedContainer& c) { return io::read_threshold_session(*c); })
      .def("read_key_commitment", [](const OwnedContainer& c) { return io::read_key_commitment(*c); })
      .def("read_coin", [](const OwnedContainer& c) { return io::read_coin(*c); })
      .def("read_acceptance", [](const OwnedContainer& c) { return io::read_acceptance(*c); })
      .def_prop_ro(
          "key_share_facts",
          [](const OwnedContainer& c) -> nb::typed<nb::tuple, int, nb::bytes, std::uint32_t, int, nb::bytes> {
            const io::KeySharePayload share = io::key_share_payload(*c);
            return nb::make_tuple(share.first_version ? 1 : 2, to_bytes(share.session), share.party,
                                  static_cast<int>(share.round), to_bytes(share.basis));
          },
          "Of a share of a joint key: version of the protocol, session, party, round, and what it answers.")
      .def(
          "read_key_share",
          [](const OwnedContainer& c, const rlwe::ContextPtr& context) { return io::read_key_share(*c, context); },
          "context"_a, NoGil())
      .def(
          "read_secret_share",
          [](const OwnedContainer& c, const rlwe::ContextPtr& context) { return io::read_secret_share(*c, context); },
          "context"_a, NoGil())
      .def(
          "read_protected_share",
          [](const OwnedContainer& c, const rlwe::ContextPtr& context, const nb::bytearray& passphrase) {
            const auto bytes = typed(passphrase);
            const Unlocked unlocked;
            return io::read_protected_share(*c, context, bytes);
          },
          "context"_a, "passphrase"_a)
      .def("read_dealing_message",
           [](const OwnedContainer& c) {
             return std::visit([](auto&& each) { return nb::cast(std::move(each)); }, io::read_dealing_message(*c));
           })
      .def(
          "read_decryption_share",
          [](const OwnedContainer& c, const rlwe::ContextPtr& context) {
            return io::read_decryption_share(*c, context);
          },
          "context"_a, NoGil())
      .def(
          "read_array",
          [](const OwnedContainer& c, const rlwe::ContextPtr& context) { return io::read_array(*c, context); },
          "context"_a, NoGil())
      .def(
          "read_real_array",
          [](const OwnedContainer& c, const rlwe::ContextPtr& context) { return io::read_real_array(*c, context); },
          "context"_a, NoGil())
      .def(
          "read_bundle",
          [](const OwnedContainer& c, const rlwe::ContextPtr& context) { return io::read_bundle(*c, context); },
          "context"_a, NoGil());

  nb::class_<io::PlainValues>(m, "PlainValues")
      .def(nb::init<rlwe::Parameters, value::Integers>(), "parameters"_a, "values"_a)
      .def_prop_ro("values", [](const io::PlainValues& plain) { return plain.values; });
  bind_public<io::PlainValues>(m);
  bind_public<rlwe::Parameters>(m);
  bind_public<rlwe::PublicKey>(m);
  bind_public<rlwe::EvaluationKeys>(m);
  bind_public<rlwe::RekeyingKey>(m);
  bind_public<rlwe::ThresholdSession>(m);
  bind_public<rlwe::Acceptance>(m);
  bind_public<rlwe::Coin>(m);
  bind_public<rlwe::Commitment>(m);
  bind_public<rlwe::KeyShare>(m);
  bind_public<value::DecryptionShare>(m);
  bind_public<value::RealArray>(m);
  m.def(
      "to_bytes",
      [](const value::EncryptedArray& array, const nb::bytes& metadata, const value::Options& options) {
        return to_bytes(io::serialize(array, to_span(metadata), options));
      },
      "object"_a, "metadata"_a, "options"_a);
  m.def(
      "to_view",
      [](const value::EncryptedArray& array, const nb::bytes& metadata, const value::Options& options) {
        const auto caller_bytes = to_span(metadata);
        return lent_to_python([&] {
          const Unlocked unlocked;
          return io::serialize(array, caller_bytes, options);
        }());
      },
      "object"_a, "metadata"_a, "options"_a);
  m.def(
      "write_file",
      [](const FilePath& path, const value::EncryptedArray& array, const nb::bytes& metadata, bool overwrite,
         const value::Options& options) {
        const auto caller_bytes = to_span(metadata);
        const Unlocked unlocked;
        io::write_file(path, io::serialize(array, caller_bytes, options), Privacy::shared, existing(overwrite));
      },
      "path"_a, "object"_a, "metadata"_a, "overwrite"_a, "options"_a);
  m.attr("header_bytes") = io::layout::header_bytes;
  m.def(
      "names_secret", [](const nb::object& bytes) { return names_secret(Lent(bytes).bytes()); }, "bytes"_a,
      "Whether these bytes begin as a secret key or a share of one, whatever comes after.");
  m.def(
      "announced_bytes",
      [](const nb::bytes& header, std::uint64_t max_bytes) { return io::announced_bytes(to_span(header), max_bytes); },
      "header"_a, "max_bytes"_a, "Bytes of the object that begins so.");
}

}  // namespace cyclotome::python
