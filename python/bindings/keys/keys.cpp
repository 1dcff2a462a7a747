// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/rlwe/keys/keys.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/bindings.hpp"
#include "bindings/file_path.hpp"
#include "cyclotome/io/files/reveal_file.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/rlwe/encapsulation/encapsulation_keys.hpp"
#include "cyclotome/rlwe/keys/lattice.hpp"
#include "cyclotome/rlwe/noise/reveal_budget.hpp"
#include "cyclotome/value/arrays/keygen.hpp"
#include "cyclotome/value/arrays/keyring.hpp"

namespace cyclotome::python {

namespace {

using rlwe::EvaluationKeys;
using rlwe::PublicKey;
using rlwe::RekeyingKey;
using rlwe::SecretKey;
using rlwe::SwitchingKey;

SwitchingKey moved(const SwitchingKey& key, const EnginePtr& engine) {
  return SwitchingKey(key.polynomials().to(engine), key.uniform_seed());
}

/// The secret passes through host memory that is zeroised; the copy's lies on the other engine.
SecretKey secret_key_to(const SecretKey& key, const rlwe::ContextPtr& context) {
  return SecretKey::from_coefficients(context, key.coefficients(), key.id());
}

PublicKey public_key_to(const PublicKey& key, const rlwe::ContextPtr& context) {
  return PublicKey(context, key.polynomials().to(context->engine()), key.uniform_seed(), key.id());
}

EvaluationKeys evaluation_keys_to(const EvaluationKeys& keys, const rlwe::ContextPtr& context) {
  std::optional<SwitchingKey> relinearization;
  if (keys.has_relinearization()) relinearization = moved(keys.relinearization(), context->engine());
  std::map<std::uint64_t, SwitchingKey> galois;
  for (const auto& [element, key] : keys.all_galois()) galois.emplace(element, moved(key, context->engine()));
  rlwe::EncapsulationKeysPtr encapsulation;
  if (keys.encapsulation()) {
    encapsulation = std::make_shared<const rlwe::EncapsulationKeys>(rlwe::moved(*keys.encapsulation(), context));
  }
  return EvaluationKeys(context, std::move(relinearization), std::move(galois), keys.id(), std::move(encapsulation));
}

RekeyingKey rekeying_key_to(const RekeyingKey& key, const rlwe::ContextPtr& context) {
  return RekeyingKey(context, moved(key.key(), context->engine()), key.from(), key.to());
}

/// Numbers of Python, which have a sign: one below 0 is no element, and no length.
std::vector<std::uint64_t> galois_elements(const rlwe::Parameters& parameters,
                                           std::optional<std::vector<std::int64_t>> rotations,
                                           std::optional<bool> columns, const std::vector<std::int64_t>& elements,
                                           const std::vector<std::pair<std::int64_t, std::int64_t>>& matrices,
                                           bool bootstrap) {
  value::KeyOptions options{.rotations = std::move(rotations), .columns = columns, .bootstrap = bootstrap};
  for (const std::int64_t element : elements) {
    if (element < 0) {
      throw ArgumentError(message("keygen: Galois element ", element, " must be ",
                                  parameters.ring()->galois().requirement(), ", and above 0"));
    }
    options.galois_elements.push_back(static_cast<std::uint64_t>(element));
  }
  for (const auto& [rows, columns_of] : matrices) {
    if (rows < 0 || columns_of < 0) {
      throw ArgumentError(message("keygen: a matrix of shape (", rows, ", ", columns_of, ") has no values"));
    }
    options.matrices.push_back({static_cast<std::size_t>(rows), static_cast<std::size_t>(columns_of)});
  }
  return value::galois_elements(parameters, options);
}

}  // namespace

void bind_keys(nb::module_& m) {
  nb::class_<SecretKey>(m, "SecretKey")
      .def_static("generate", &SecretKey::generate, "context"_a, NoGil())
      .def_prop_ro("context", &SecretKey::context)
      .def_prop_ro("id", [](const SecretKey& key) { return to_bytes(key.id()); })
      .def("on_context", nb::overload_cast<const SecretKey&, const rlwe::ContextPtr&>(&rlwe::on_context), "context"_a,
           NoGil())
      .def("to", &secret_key_to, "context"_a, NoGil())
      .def_prop_ro("reveals",
                   [](const SecretKey& key) {
                     const rlwe::RevealCount count = rlwe::reveals_of(key.id());
                     return std::pair(count.planned, count.spent);
                   })
      .def_prop_ro("reveals_kept_in", [](const SecretKey& key) { return shown_path(rlwe::reveals_kept_in(key.id())); })
      .def(
          "plan_reveals", [](const SecretKey& key, std::uint64_t planned) { rlwe::plan_reveals(key.id(), planned); },
          "planned"_a)
      .def(
          "keep_reveals", [](const SecretKey& key, const FilePath& path) { io::keep_reveals(key.id(), path); },
          "path"_a)
      .def(
          "keep_reveals_beside",
          [](const SecretKey& key, const FilePath& path) { return io::keep_reveals_beside(key, path); }, "key_path"_a);

  nb::class_<PublicKey>(m, "PublicKey")
      .def_static("generate", &PublicKey::generate, "secret"_a, NoGil())
      .def_prop_ro("context", &PublicKey::context)
      .def_prop_ro("id", [](const PublicKey& key) { return to_bytes(key.id()); })
      .def_prop_ro("nbytes", [](const PublicKey& key) { return key.polynomials().bytes(); })
      .def("on_context", nb::overload_cast<const PublicKey&, const rlwe::ContextPtr&>(&rlwe::on_context), "context"_a,
           NoGil())
      .def("to", &public_key_to, "context"_a, NoGil());

  // A secret key and a public key of it.
  m.def(
      "generate_key_pair",
      [](const rlwe::ContextPtr& context) {
        auto [secret, public_key] = [&] {
          const nb::gil_scoped_release released;
          return rlwe::KeyPair::generate(context);
        }();
        return nb::make_tuple(std::move(secret), std::move(public_key));
      },
      "context"_a, nb::sig("def generate_key_pair(context: Context) -> tuple[SecretKey, PublicKey]"));

  nb::class_<EvaluationKeys>(m, "EvaluationKeys")
      .def_static("generate", &EvaluationKeys::generate, "secret"_a, "relinearization"_a, "galois_elements"_a, NoGil())
      .def_prop_ro("context", &EvaluationKeys::context)
      .def_prop_ro("id", [](const EvaluationKeys& keys) { return to_bytes(keys.id()); })
      .def_prop_ro("has_relinearization", &EvaluationKeys::has_relinearization)
      .def("has_galois", &EvaluationKeys::has_galois, "element"_a)
      .def_prop_ro("galois_elements",
                   [](const EvaluationKeys& keys) {
                     std::vector<std::uint64_t> elements;
                     for (const auto& [element, key] : keys.all_galois()) elements.push_back(element);
                     return elements;
                   })
      .def_prop_ro("nbytes",
                   [](const EvaluationKeys& keys) {
                     std::size_t bytes = keys.has_relinearization() ? keys.relinearization().polynomials().bytes() : 0;
                     if (keys.encapsulation()) bytes += keys.encapsulation()->bytes();
                     for (const auto& [element, key] : keys.all_galois()) bytes += key.polynomials().bytes();
                     return bytes;
                   })
      .def_prop_ro("refreshes", [](const EvaluationKeys& keys) { return keys.encapsulation() != nullptr; })
      .def(
          "with_encapsulation",
          [](const EvaluationKeys& keys, const SecretKey& secret) {
            return rlwe::with_encapsulation(keys, rlwe::EncapsulationKeys::generate(secret));
          },
          "secret"_a, NoGil())
      .def("joined", &value::joined, "other"_a)
      .def("on_context", nb::overload_cast<const EvaluationKeys&, const rlwe::ContextPtr&>(&rlwe::on_context),
           "context"_a, NoGil())
      .def("to", &evaluation_keys_to, "context"_a, NoGil());

  nb::class_<RekeyingKey>(m, "RekeyingKey")
      .def_static("generate", &RekeyingKey::generate, "source"_a, "target"_a, NoGil())
      .def_prop_ro("context", &RekeyingKey::context)
      .def_prop_ro("id", [](const RekeyingKey& key) { return to_bytes(key.to()); })
      .def_prop_ro("source_id", [](const RekeyingKey& key) { return to_bytes(key.from()); })
      .def_prop_ro("nbytes", [](const RekeyingKey& key) { return key.key().polynomials().bytes(); })
      .def("on_context", nb::overload_cast<const RekeyingKey&, const rlwe::ContextPtr&>(&rlwe::on_context), "context"_a,
           NoGil())
      .def("to", &rekeying_key_to, "context"_a, NoGil());

  m.def("galois_elements", &galois_elements, "parameters"_a, "rotations"_a.none(), "columns"_a.none(),
        "galois_elements"_a, "matrices"_a, "bootstrap"_a, "Those that `keygen` makes keys for.");
}

}  // namespace cyclotome::python
