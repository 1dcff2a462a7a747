// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>
#include <variant>

#include "bindings.hpp"
#include "cyclotome/io/array_io.hpp"
#include "cyclotome/io/ciphertext_io.hpp"
#include "cyclotome/io/container_layout.hpp"
#include "cyclotome/io/fermat_io.hpp"
#include "cyclotome/io/file.hpp"
#include "cyclotome/io/frame.hpp"
#include "cyclotome/io/inspect.hpp"
#include "cyclotome/io/key_files.hpp"
#include "cyclotome/io/keys_io.hpp"
#include "cyclotome/io/libcrypto.hpp"
#include "cyclotome/io/ltv_io.hpp"
#include "cyclotome/io/parameters_io.hpp"
#include "cyclotome/io/payload.hpp"
#include "cyclotome/io/plain_array_io.hpp"
#include "cyclotome/io/product_context_io.hpp"
#include "cyclotome/io/threshold_io.hpp"

namespace cyclotome::python {

namespace {

using io::Bytes;
using io::Existing;
using io::Privacy;

/// A checked container, and nothing that would expand beyond its limit: nothing is made for it then.
io::Container opened(std::span<const std::uint8_t> bytes, const io::Limits& limits) {
  io::Container container(bytes, limits);
  container.require_expanded(io::expanded_bytes(container));
  return container;
}

/// Bytes of a Python object, looked at in place. They may change meanwhile, as those of a mapped file do: readers trust
/// nothing that they read twice.
class Lent {
 public:
  Lent() = default;
  explicit Lent(nb::handle object) : view_(new Py_buffer{}) {
    if (PyObject_GetBuffer(object.ptr(), view_.get(), PyBUF_SIMPLE) != 0) {
      delete view_.release();
      nb::raise_python_error();
    }
  }

  std::span<const std::uint8_t> bytes() const {
    return {static_cast<const std::uint8_t*>(view_->buf), static_cast<std::size_t>(view_->len)};
  }

 private:
  struct Release {
    void operator()(Py_buffer* view) const {
      PyBuffer_Release(view);
      delete view;
    }
  };
  std::unique_ptr<Py_buffer, Release> view_;
};

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

std::string kind_name(io::Kind kind) {
  switch (kind) {
    case io::Kind::parameters:
      return "parameters";
    case io::Kind::secret_key:
      return "secret key";
    case io::Kind::public_key:
      return "public key";
    case io::Kind::evaluation_keys:
      return "evaluation keys";
    case io::Kind::ciphertext:
      return "ciphertext";
    case io::Kind::plaintext:
      return "plaintext";
    case io::Kind::bundle:
      return "encrypted array";
    case io::Kind::protected_secret_key:
      return "protected secret key";
    case io::Kind::rekeying_key:
      return "rekeying key";
    case io::Kind::threshold_session:
      return "session";
    case io::Kind::key_share:
      return "key share";
    case io::Kind::secret_share:
      return "secret share";
    case io::Kind::decryption_share:
      return "decryption share";
    case io::Kind::plain_array:
      return "plain array";
  }
  return "unknown";
}

nb::dict facts_of(const io::ArrayFacts& array) {
  nb::dict facts;
  facts["plain_modulus"] = array.plain_modulus;
  facts["batch"] = array.batch;
  facts["parts"] = array.parts;
  facts["seeded"] = array.seeded;
  facts["headroom"] = array.headroom;
  return facts;
}

nb::dict facts_of(const io::Inspection& inspection) {
  nb::dict facts;
  facts["kind"] = kind_name(inspection.kind);
  facts["version"] = inspection.version;
  facts["nbytes"] = inspection.bytes;
  facts["expanded_nbytes"] = inspection.expanded_bytes;
  facts["parameters"] = inspection.parameters;
  facts["key_id"] = to_bytes(inspection.key_id);
  facts["metadata"] = to_bytes(std::span<const std::uint8_t>(inspection.metadata));
  nb::list sections, arrays;
  for (const auto& section : inspection.sections) sections.append(nb::make_tuple(section.tag, section.bytes));
  for (const auto& array : inspection.arrays) arrays.append(facts_of(array));
  facts["sections"] = sections;
  facts["arrays"] = arrays;
  if (inspection.description) {
    facts["shape"] = tuple_of(inspection.description->layout.shape());
    facts["placement"] = inspection.description->layout.placement();
    facts["bound"] = inspection.description->bound;
  }
  if (inspection.shape) facts["shape"] = tuple_of(*inspection.shape);
  facts["relinearization"] = inspection.relinearization;
  facts["galois_elements"] = inspection.galois_elements;
  if (const auto& from = inspection.rekeys_from) facts["rekeys_from"] = to_bytes(*from);
  if (const auto& cost = inspection.protection) {
    facts["protection"] = nb::make_tuple(cost->log2_n, cost->r, cost->p);
  }
  return facts;
}

nb::dict facts_of(const study::ProductContext& context, std::size_t bytes) {
  nb::dict facts;
  facts["kind"] = "product context";
  facts["version"] = io::format_version;
  facts["nbytes"] = bytes;
  facts["product_context"] = context;
  return facts;
}

nb::dict facts_of(const io::LtvInspection& found, std::size_t bytes) {
  const auto& p = found.parameters;
  nb::dict facts;
  facts["kind"] = io::name_of_ltv(found.alternative);
  facts["version"] = io::format_version;
  facts["nbytes"] = bytes;
  facts["broken"] = message("ltv m=", p.index, ", ", p.primes, " primes of ", p.prime_bits, " bits, ", p.window,
                            "-bit digits, ", study::ltv::broken);
  facts["key_id"] = to_bytes(found.key);
  return facts;
}

nb::dict facts_of(const io::FermatInspection& found, std::size_t bytes) {
  nb::dict facts;
  facts["kind"] = io::name_of_fermat(found.alternative);
  facts["version"] = io::format_version;
  facts["nbytes"] = bytes;
  facts["study"] = found.parameters.summary();
  facts["key_id"] = to_bytes(found.key);
  return facts;
}

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

nb::typed<nb::dict, nb::str, nb::any> inspect_file(const std::string& path, std::uint64_t max_bytes) {
  const auto [found, bytes] = [&] {
    const Unlocked unlocked;
    const Bytes data = io::read_object_file(path, max_bytes);
    using Found = std::variant<io::Inspection, study::ProductContext, io::LtvInspection, io::FermatInspection>;
    if (io::names_ltv(data)) return std::pair(Found(io::inspect_ltv(data, max_bytes)), data.size());
    if (io::names_fermat(data)) return std::pair(Found(io::inspect_fermat(data, max_bytes)), data.size());
    if (io::names_product_context(data)) {
      const std::uint64_t limit = std::min(max_bytes, io::max_product_context_bytes);
      return std::pair(Found(io::read_product_context(data, limit)), data.size());
    }
    io::Limits limits;
    limits.max_bytes = max_bytes;
    return std::pair(Found(io::inspect(data, limits)), data.size());
  }();
  if (const auto* const context = std::get_if<study::ProductContext>(&found)) return facts_of(*context, bytes);
  if (const auto* const ltv = std::get_if<io::LtvInspection>(&found)) return facts_of(*ltv, bytes);
  if (const auto* const fermat = std::get_if<io::FermatInspection>(&found)) return facts_of(*fermat, bytes);
  return facts_of(std::get<io::Inspection>(found));
}

/// A passphrase or a key in memory that the caller wipes. Looked at in place: no copy of it is made.
std::span<const std::uint8_t> typed(const nb::bytearray& bytes) {
  return {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()};
}

Existing existing(bool overwrite) { return overwrite ? Existing::replaced : Existing::refused; }

io::KeyFileOptions key_file_options(const nb::bytes& metadata, const std::optional<nb::bytearray>& passphrase,
                                    bool overwrite) {
  io::KeyFileOptions options{to_span(metadata), std::nullopt, existing(overwrite)};
  if (passphrase) options.passphrase = typed(*passphrase);
  return options;
}

void bind_secret_key_files(nb::module_& m) {
  m.def(
      "write_secret_key",
      [](const std::string& path, const rlwe::SecretKey& key, const nb::bytes& metadata, bool overwrite,
         const std::optional<nb::bytearray>& passphrase) {
        const io::KeyFileOptions options = key_file_options(metadata, passphrase, overwrite);
        const Unlocked unlocked;
        return io::write_secret_key(path, key, options);
      },
      "path"_a, "key"_a, "metadata"_a, "overwrite"_a, "passphrase"_a.none());
  m.def(
      "write_keys",
      [](const std::array<std::string, 3>& paths, const rlwe::SecretKey& secret, const rlwe::PublicKey& public_key,
         const rlwe::EvaluationKeys& evaluation, const nb::bytes& metadata, bool overwrite,
         const std::optional<nb::bytearray>& passphrase) {
        const io::KeyFileOptions options = key_file_options(metadata, passphrase, overwrite);
        const Unlocked unlocked;
        return io::write_keys({paths[0], paths[1], paths[2]}, secret, public_key, evaluation, options);
      },
      "paths"_a, "secret"_a, "public_key"_a, "evaluation"_a, "metadata"_a, "overwrite"_a, "passphrase"_a.none());
  m.def(
      "write_secret_share",
      [](const std::string& path, const rlwe::SecretShare& share, const nb::bytes& metadata, bool overwrite) {
        const auto caller_bytes = to_span(metadata);
        const Unlocked unlocked;
        io::write_secret_share(path, share, caller_bytes, existing(overwrite));
      },
      "path"_a, "share"_a, "metadata"_a, "overwrite"_a);
  m.def("passphrases", &io::libcrypto::state, "\"ready\", or what is missing for keys under a passphrase.");
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
      [](const std::string& path, const Object& object, const nb::bytes& metadata, bool overwrite) {
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
          [](const std::string& path, std::uint64_t max_bytes, std::uint64_t max_expanded_bytes, bool allow_insecure,
             const std::string& security_table) {
            const rlwe::SecurityTable table = rlwe::security_table(security_table);
            return OwnedContainer(io::read_object_file(path, max_bytes),
                                  {max_bytes, max_expanded_bytes, allow_insecure, table});
          },
          "path"_a, nb::kw_only(), "max_bytes"_a, "max_expanded_bytes"_a, "allow_insecure"_a, "security_table"_a,
          NoGil())
      .def_prop_ro("kind", [](const OwnedContainer& c) { return kind_name(c->kind()); })
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
      .def(
          "read_key_share",
          [](const OwnedContainer& c, const rlwe::ContextPtr& context) { return io::read_key_share(*c, context); },
          "context"_a, NoGil())
      .def(
          "read_secret_share",
          [](const OwnedContainer& c, const rlwe::ContextPtr& context) { return io::read_secret_share(*c, context); },
          "context"_a, NoGil())
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
  bind_public<rlwe::KeyShare>(m);
  bind_public<value::DecryptionShare>(m);
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
      [](const std::string& path, const value::EncryptedArray& array, const nb::bytes& metadata, bool overwrite,
         const value::Options& options) {
        const auto caller_bytes = to_span(metadata);
        const Unlocked unlocked;
        io::write_file(path, io::serialize(array, caller_bytes, options), Privacy::shared, existing(overwrite));
      },
      "path"_a, "object"_a, "metadata"_a, "overwrite"_a, "options"_a);
  bind_secret_key_files(m);
  m.def(
      "write_bytes",
      [](const std::string& path, const nb::bytearray& bytes, bool secret, bool overwrite) {
        const auto span = typed(bytes);
        const Unlocked unlocked;
        io::write_file(path, span, secret ? Privacy::secret : Privacy::shared, existing(overwrite));
      },
      "path"_a, "bytes"_a, "secret"_a, "overwrite"_a, "Of another format, which the caller has made.");
  m.def("file_is_private", &io::file_is_private, "path"_a);
  m.attr("header_bytes") = io::layout::header_bytes;
  m.def(
      "announced_bytes",
      [](const nb::bytes& header, std::uint64_t max_bytes) { return io::announced_bytes(to_span(header), max_bytes); },
      "header"_a, "max_bytes"_a, "Bytes of the object that begins so.");
  m.def("inspect_file", &inspect_file, "path"_a, "max_bytes"_a);
  m.def(
      "inspect_bytes",
      [](const nb::bytes& bytes, std::uint64_t max_bytes) {
        io::Limits limits;
        limits.max_bytes = max_bytes;
        return facts_of(io::inspect(to_span(bytes), limits));
      },
      "bytes"_a, "max_bytes"_a, nb::sig("def inspect_bytes(bytes: bytes, max_bytes: int) -> dict[str, Any]"),
      "What `inspect_file` says, of one object of the library's own in memory.");
}

}  // namespace cyclotome::python
