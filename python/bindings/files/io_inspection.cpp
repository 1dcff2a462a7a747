// SPDX-License-Identifier: Apache-2.0
// What files say of themselves.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <utility>
#include <variant>

#include "bindings/files/io.hpp"
#include "cyclotome/io/container/frame.hpp"
#include "cyclotome/io/joint/identity_io.hpp"
#include "cyclotome/io/objects/fermat_io.hpp"
#include "cyclotome/io/objects/inspect.hpp"
#include "cyclotome/io/objects/ltv_io.hpp"
#include "cyclotome/io/objects/product_context_io.hpp"
#include "cyclotome/scheme/ckks/levels.hpp"

namespace cyclotome::python {

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
    case io::Kind::protected_secret_share:
      return "protected secret share";
    case io::Kind::decryption_share:
      return "decryption share";
    case io::Kind::party:
      return "party";
    case io::Kind::key_commitment:
      return "commitment";
    case io::Kind::coin:
      return "coin";
    case io::Kind::acceptance:
      return "acceptance";
    case io::Kind::protected_party:
      return "protected party";
    case io::Kind::plain_array:
      return "plain array";
    case io::Kind::dealing_message:
      return "dealing message";
  }
  return "unknown";
}

namespace {

using io::Bytes;

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
  if (const auto& reals = inspection.reals) {
    const rlwe::Parameters& p = inspection.parameters;
    const auto scales = ckks::level_scales(p.moduli(), ckks::Part::of(p).scale());
    const ckks::Error error = ckks::error_of(p, reals->about, scales[inspection.arrays[0].limbs - 1]);
    facts["shape"] = tuple_of(reals->layout.shape());
    facts["reals"] = nb::make_tuple(reals->field == value::Field::complex, reals->layout.packed(), reals->about.bound,
                                    error.max, error.rms);
  }
  if (inspection.shape) facts["shape"] = tuple_of(*inspection.shape);
  facts["relinearization"] = inspection.relinearization;
  facts["refreshes"] = inspection.refreshes;
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

nb::dict facts_of(const io::IdentityFacts& found, std::size_t bytes) {
  nb::dict facts;
  facts["kind"] = found.is_protected ? "protected identity" : "identity";
  facts["version"] = io::format_version;
  facts["nbytes"] = bytes;
  facts["identity"] = found.identity.text();
  return facts;
}

nb::typed<nb::dict, nb::str, nb::any> inspect_file(const FilePath& path, std::uint64_t max_bytes) {
  const auto [found, bytes] = [&] {
    const Unlocked unlocked;
    const Bytes data = io::read_object_file(path, max_bytes);
    using Found =
        std::variant<io::Inspection, study::ProductContext, io::LtvInspection, io::FermatInspection, io::IdentityFacts>;
    if (io::names_ltv(data)) return std::pair(Found(io::inspect_ltv(data, max_bytes)), data.size());
    if (io::names_fermat(data)) return std::pair(Found(io::inspect_fermat(data, max_bytes)), data.size());
    if (io::names_identity(data)) return std::pair(Found(io::inspect_identity(data)), data.size());
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
  if (const auto* const identity = std::get_if<io::IdentityFacts>(&found)) return facts_of(*identity, bytes);
  return facts_of(std::get<io::Inspection>(found));
}

}  // namespace

void bind_io_inspection(nb::module_& m) {
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
