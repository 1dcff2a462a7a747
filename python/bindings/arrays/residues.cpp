// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/rlwe/residues.hpp"

#include <nanobind/stl/array.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>

#include <algorithm>

#include "bindings/bindings.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/rlwe/domains.hpp"

namespace cyclotome::python {

namespace {

using rlwe::Ciphertext;
using rlwe::ContextPtr;
using rlwe::EvaluationKeys;
using rlwe::KeyId;
using rlwe::PublicKey;
using rlwe::SecretKey;
using rlwe::SwitchingKey;

/// Residues[item][part][limb][coefficient].
using Residues = nb::ndarray<const std::uint64_t, nb::ndim<4>, nb::c_contig, nb::device::cpu>;
using NumpyResidues = nb::ndarray<nb::numpy, std::uint64_t, nb::ndim<4>>;

KeyId key_id_of(const nb::bytes& bytes) {
  KeyId id{};
  if (bytes.size() != id.size()) throw ArgumentError(message("a key id has 16 bytes, not ", bytes.size()));
  std::copy_n(static_cast<const std::uint8_t*>(bytes.data()), id.size(), id.begin());
  return id;
}

std::span<const std::uint64_t> span_of(const Residues& residues) { return {residues.data(), residues.size()}; }

/// Keys' arrays are [items][2][limbs of the key ring][n]; what is no such array is refused before it is read as one.
void require_key_shape(const rlwe::Context& context, const Residues& residues, std::size_t items, std::size_t parts) {
  const std::array<std::size_t, 4> wanted{items, parts, context.key_ring()->limbs(), context.degree()};
  for (std::size_t axis = 0; axis < wanted.size(); ++axis) {
    if (residues.shape(axis) != wanted[axis]) {
      throw ArgumentError(
          message("a key's residues have length ", wanted[axis], " along axis ", axis, ", not ", residues.shape(axis)));
    }
  }
}

template <class Vector>
NumpyResidues numpy_of(Vector values, const PolyArray& like) {
  auto* const kept = new Vector(std::move(values));
  const nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<Vector*>(p); });
  return NumpyResidues(kept->data(), {like.batch(), like.parts(), like.limbs(), like.degree()}, owner);
}

/// As they are stored, in their own domain.
NumpyResidues residues_of(const PolyArray& array) {
  std::vector<std::uint64_t> residues;
  {
    const Unlocked unlocked;
    residues = array.to_host();
  }
  return numpy_of(std::move(residues), array);
}

Ciphertext ciphertext_of(const ContextPtr& context, const nb::bytes& key, const Residues& residues, bool transformed,
                         const std::array<double, 3>& noise, std::uint64_t correction) {
  if (residues.shape(3) != context->degree()) {
    throw ArgumentError(message("polynomials of ", residues.shape(3), " residues; there are ", context->degree()));
  }
  const rlwe::CiphertextFacts facts{key_id_of(key),
                                    rlwe::PlainIndex(0),
                                    residues.shape(0),
                                    residues.shape(1),
                                    residues.shape(2),
                                    transformed ? Domain::transform : Domain::coefficient,
                                    {noise[0], noise[1], noise[2]},
                                    correction};
  const Unlocked unlocked;
  return rlwe::ciphertext_of(context, facts, span_of(residues));
}

SwitchingKey switching_key_of(const ContextPtr& context, const Residues& residues) {
  require_key_shape(*context, residues, context->parameters().digits(), 2);
  const Unlocked unlocked;
  return rlwe::switching_key_of(context, span_of(residues));
}

EvaluationKeys evaluation_keys_of(const ContextPtr& context, const nb::bytes& id,
                                  const std::optional<Residues>& relinearization,
                                  const std::map<std::uint64_t, Residues>& galois) {
  std::optional<SwitchingKey> first;
  if (relinearization) first = switching_key_of(context, *relinearization);
  std::map<std::uint64_t, SwitchingKey> keys;
  for (const auto& [element, residues] : galois) {
    if (element == 1) throw ArgumentError("Galois element 1 moves nothing and has no key");
    if (!context->galois().contains(element)) throw ArgumentError(message("there is no Galois element ", element));
    keys.emplace(element, switching_key_of(context, residues));
  }
  return EvaluationKeys(context, std::move(first), std::move(keys), key_id_of(id));
}

NumpyResidues secret_residues(const SecretKey& key) {
  auto values = [&] {
    const Unlocked unlocked;
    return rlwe::residues_of(key);
  }();
  using Vector = decltype(values);
  auto* const kept = new Vector(std::move(values));  // wiped when NumPy lets go of it
  const nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<Vector*>(p); });
  return NumpyResidues(kept->data(), {1, 1, kept->size() / key.context()->degree(), key.context()->degree()}, owner);
}

}  // namespace

void bind_residues(nb::module_& m) {
  m.def("residues_of", [](const Ciphertext& c) { return residues_of(rlwe::native(c).polynomials()); }, "object"_a);
  m.def("residues_of", [](const PublicKey& key) { return residues_of(key.polynomials()); }, "object"_a);
  m.def("residues_of", &secret_residues, "object"_a);
  m.def(
      "residues_of",
      [](const EvaluationKeys& keys, const std::optional<std::uint64_t>& element) {
        return residues_of((element ? keys.galois(*element) : keys.relinearization()).polynomials());
      },
      "object"_a, "element"_a.none(),
      "Of the key of a Galois element, and of relinearisation for None: one item for each digit.");
  m.def("ciphertext_of", &ciphertext_of, "context"_a, "key"_a, "residues"_a, "transformed"_a, "noise"_a,
        "correction"_a = 1);
  m.def(
      "public_key_of",
      [](const ContextPtr& context, const nb::bytes& id, const Residues& residues) {
        require_key_shape(*context, residues, 1, 2);
        const KeyId key = key_id_of(id);
        const Unlocked unlocked;
        return rlwe::public_key_of(context, key, span_of(residues));
      },
      "context"_a, "id"_a, "residues"_a);
  m.def("evaluation_keys_of", &evaluation_keys_of, "context"_a, "id"_a, "relinearization"_a.none(), "galois"_a);
  m.def(
      "secret_key_of",
      [](const ContextPtr& context, const nb::bytes& id, const Residues& residues, bool allow_unfit) {
        require_key_shape(*context, residues, 1, 1);
        const KeyId key = key_id_of(id);
        const Unlocked unlocked;
        return rlwe::secret_key_of(context, key, span_of(residues),
                                   allow_unfit ? rlwe::KeyCheck::skipped : rlwe::KeyCheck::required);
      },
      "context"_a, "id"_a, "residues"_a, "allow_unfit"_a);
}

}  // namespace cyclotome::python
