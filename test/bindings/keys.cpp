// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/rlwe/keys/keys.hpp"

#include "cyclotome/rlwe/keys/deterministic.hpp"
#include "cyclotome/scheme/deterministic.hpp"
#include "polynomials.hpp"

namespace cyclotome::testing {

using rlwe::Ciphertext;
using rlwe::ContextPtr;
using rlwe::EvaluationKeys;
using rlwe::Plaintext;
using rlwe::PublicKey;
using rlwe::SecretKey;
using rlwe::SwitchingKey;

namespace {

/// Residues of a public key's array as they are stored, for comparing bytes; the coefficients; what its uniform half is
/// drawn with.
template <class Key>
void bind_array(nb::module_& m) {
  m.def("residues", [](const Key& key) {
    const PolyArray& a = key.polynomials();
    return to_numpy<4>(a.to_host(), {a.batch(), a.parts(), a.limbs(), a.degree()});
  });
  m.def("coefficients", [](const Key& key) { return coefficients_of(key.polynomials()); });
  m.def("uniform_seed", [](const Key& key) { return key.uniform_seed(); });
}

void bind_seeds(nb::module_& m) {
  m.def("derive_seed", [](const Seed& master, const rlwe::Parameters& parameters, std::uint32_t purpose,
                          std::uint32_t half, const nb::bytes& key, std::uint64_t element, std::size_t plain) {
    return rlwe::derive_seed(master, parameters,
                             {static_cast<rlwe::Purpose>(purpose), key_id_from(key), element, rlwe::PlainIndex(plain),
                              static_cast<rlwe::Half>(half)});
  });
  // What a stored key's uniform half expands to: coefficients of `items` polynomials over the key ring.
  m.def("expand_uniform", [](const ContextPtr& context, std::size_t items, const PublicSeed& seed) {
    PolyArray part = context->make(context->key_ring(), items, 1, Domain::transform);
    rlwe::expand_uniform(*context->engine(), part.view(), seed);
    return coefficients_of(part);
  });
}

}  // namespace

void bind_keys(nb::module_& parent) {
  nb::module_ m = parent.attr("rlwe");
  m.def(
      "secret_key",
      [](const ContextPtr& context, const std::vector<std::int8_t>& coefficients, const nb::bytes& id, bool checked) {
        return SecretKey::from_coefficients(context, coefficients, key_id_from(id),
                                            checked ? rlwe::KeyCheck::required : rlwe::KeyCheck::skipped);
      },
      "context"_a, "coefficients"_a, "id"_a, "checked"_a = false);
  m.def("coefficients", [](const SecretKey& key) {
    const auto s = key.coefficients();
    return std::vector<int>(s.begin(), s.end());
  });
  nb::class_<SwitchingKey>(m, "SwitchingKey");
  bind_array<PublicKey>(m);
  bind_array<SwitchingKey>(m);
  m.def("relinearization", &EvaluationKeys::relinearization, nb::rv_policy::reference, nb::keep_alive<0, 1>());
  m.def("galois", &EvaluationKeys::galois, nb::rv_policy::reference, nb::keep_alive<0, 1>());
  m.def("slot_sum_elements", &rlwe::slot_sum_elements, "group"_a);
  bind_seeds(m);
}

void bind_deterministic(nb::module_& parent) {
  nb::module_ m = parent.def_submodule("deterministic", "What draws, from seeds that it spends.");
  using namespace scheme::deterministic;
  m.def("generate_secret_key", &rlwe::deterministic::generate_secret_key, "context"_a, "seed"_a, NoGil());
  m.def("generate_public_key", &rlwe::deterministic::generate_public_key, "secret"_a, "seed"_a, NoGil());
  m.def("generate_evaluation_keys", &rlwe::deterministic::generate_evaluation_keys, "secret"_a, "relinearization"_a,
        "galois_elements"_a, "seed"_a, NoGil());
  m.def("encrypt", nb::overload_cast<const Plaintext&, const PublicKey&, Seed&&>(&encrypt), "plaintext"_a, "key"_a,
        "seed"_a, NoGil());
  m.def("encrypt", nb::overload_cast<const Plaintext&, const SecretKey&, Seed&&>(&encrypt), "plaintext"_a, "key"_a,
        "seed"_a, NoGil());
  m.def("reveal", &reveal, "ciphertext"_a, "key"_a, "flooding_bits"_a, "seed"_a, NoGil());
  m.def("rerandomize", &rerandomize, "a"_a, "key"_a, "seed"_a, NoGil());
}

}  // namespace cyclotome::testing
