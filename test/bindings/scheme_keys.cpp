// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/rlwe/deterministic.hpp"
#include "cyclotome/rlwe/keys.hpp"
#include "cyclotome/rlwe/noise.hpp"
#include "cyclotome/scheme/encoding.hpp"
#include "cyclotome/scheme/scheme.hpp"
#include "scheme.hpp"

namespace cyclotome::testing {

namespace {

using rlwe::Context;
using rlwe::ContextPtr;
using rlwe::EvaluationKeys;
using rlwe::KeySwitchKey;
using rlwe::PublicKey;
using rlwe::SecretKey;

void bind_noise(nb::module_& m) {
  m.def("norms_of", [](const std::vector<std::int64_t>& polynomial) {
    const rlwe::PlainNorms norms = rlwe::norms_of(*RingShape::negacyclic(polynomial.size()), polynomial);
    return std::array{norms.canonical, norms.two, norms.one};
  });
  m.def("norms_in", [](const RingShape& ring, const std::vector<std::int64_t>& polynomial) {
    const rlwe::PlainNorms norms = rlwe::norms_of(ring, polynomial);
    return std::array{norms.canonical, norms.two, norms.one};
  });
  using Calculus = rlwe::NoiseCalculus;
  const auto bound = [](const std::array<double, 3>& a) { return rlwe::NoiseBound{a[0], a[1], a[2]}; };
  const auto norms = [](const std::array<double, 3>& a) { return rlwe::PlainNorms{a[0], a[1], a[2]}; };
  using Triple = std::array<double, 3>;
  nb::class_<Calculus>(m, "NoiseCalculus")
      .def(
          "__init__",
          [](Calculus* self, std::size_t degree, bool strict) {
            new (self) Calculus(*RingShape::negacyclic(degree), strict);
          },
          nb::arg("degree"), nb::arg("strict") = false)
      .def_static(
          "of", [](const RingShape& ring, bool strict) { return Calculus(ring, strict); }, nb::arg("ring"),
          nb::arg("strict") = false)
      .def("tidy", [=](const Calculus& c, const Triple& a) { return triple(c.tidy(bound(a))); })
      .def("sum",
           [=](const Calculus& c, const Triple& a, const Triple& b) { return triple(c.sum(bound(a), bound(b))); })
      .def("product",
           [=](const Calculus& c, const Triple& a, const Triple& b) { return triple(c.product(bound(a), bound(b))); })
      .def("times_plain", [=](const Calculus& c, const Triple& a,
                              const Triple& f) { return triple(c.times_plain(bound(a), norms(f))); })
      .def("chosen", [](const Calculus& c, double max) { return triple(c.chosen(max)); })
      .def("secret", [](const Calculus& c) { return triple(c.secret()); })
      .def("rounding_of_polynomial", [](const Calculus& c) { return triple(c.rounding_of_polynomial()); })
      .def("rounding_of_ciphertext",
           [](const Calculus& c, std::size_t parts) { return triple(c.rounding_of_ciphertext(parts)); })
      .def("drawn_error", [](const Calculus& c) { return triple(c.drawn_error()); })
      .def("public_key_encryption", [](const Calculus& c) { return triple(c.public_key_encryption()); })
      .def("key_switch", [](const Calculus& c, const std::vector<double>& digits, double special, double multiplier) {
        return triple(c.key_switch(digits, special, multiplier));
      });
}

void bind_contexts(nb::module_& m) {
  nb::class_<Context>(m, "Context")
      .def(nb::new_(&scheme::make_context))
      .def_prop_ro("parameters", &Context::parameters, nb::rv_policy::copy)
      .def_prop_ro("engine", &Context::engine)
      .def_prop_ro("degree", &Context::degree)
      .def_prop_ro("ciphertext_ring", &Context::ciphertext_ring)
      .def_prop_ro("key_ring", &Context::key_ring)
      .def_prop_ro("encryption_ring", &Context::encryption_ring)
      .def_prop_ro("special_limbs", &Context::special_limbs)
      .def_prop_ro("digits", [](const Context& c) { return c.key_switch().digits(); })
      .def("key_switch_noise",
           [](const Context& c, std::size_t limbs, std::size_t plain) {
             return triple(c.key_switch(rlwe::Level(limbs), rlwe::PlainIndex(plain)).noise());
           })
      .def("gadget_factors", [](const Context& c, std::size_t digit) { return c.key_switch().gadget_factors(digit); })
      .def("hps_moduli",
           [](const ContextPtr& c, std::size_t limbs) {
             return bfv::bfv_context(c)
                 .hps(rlwe::Level(limbs), rlwe::PlainIndex(0))
                 .product.auxiliary_ring->basis()
                 .values();
           })
      .def("plain_ring", [](const Context& c, std::size_t plain) { return c.plain_ring(rlwe::PlainIndex(plain)); })
      .def("has_slots", [](const Context& c, std::size_t plain) { return has_slots(c, rlwe::PlainIndex(plain)); });
}

void bind_secret_keys(nb::module_& m) {
  nb::class_<SecretKey>(m, "SecretKey")
      .def_static("generate", &rlwe::deterministic::generate_secret_key, NoGil())
      .def_static(
          "from_coefficients",
          [](const ContextPtr& context, const std::vector<std::int8_t>& coefficients, const nb::bytes& id,
             bool checked) {
            return SecretKey::from_coefficients(context, coefficients, key_id_from(id),
                                                checked ? rlwe::KeyCheck::required : rlwe::KeyCheck::skipped);
          },
          nb::arg("context"), nb::arg("coefficients"), nb::arg("id"), nb::arg("checked") = false)
      .def_prop_ro("context", &SecretKey::context)
      .def_prop_ro("id", [](const SecretKey& key) { return key_id_bytes(key.id()); })
      .def("coefficients", [](const SecretKey& key) {
        const auto s = key.coefficients();
        return std::vector<int>(s.begin(), s.end());
      });
}

}  // namespace

void bind_keys(nb::module_& m) {
  bind_noise(m);
  bind_contexts(m);
  bind_secret_keys(m);
  nb::class_<PublicKey>(m, "PublicKey")
      .def_static("generate", &rlwe::deterministic::generate_public_key, NoGil())
      .def_prop_ro("id", [](const PublicKey& key) { return key_id_bytes(key.id()); })
      .def_prop_ro("uniform_seed", &PublicKey::uniform_seed, nb::rv_policy::copy)
      .def_prop_ro(
          "residues", [](const PublicKey& key) { return residues_of(key.polynomials()); }, nb::rv_policy::automatic)
      .def("coefficients", [](const PublicKey& key) { return coefficients_of(key.polynomials()); });
  nb::class_<KeySwitchKey>(m, "KeySwitchKey")
      .def_prop_ro("uniform_seed", &KeySwitchKey::uniform_seed, nb::rv_policy::copy)
      .def_prop_ro(
          "residues", [](const KeySwitchKey& key) { return residues_of(key.polynomials()); }, nb::rv_policy::automatic)
      .def("coefficients", [](const KeySwitchKey& key) { return coefficients_of(key.polynomials()); });
  nb::class_<EvaluationKeys>(m, "EvaluationKeys")
      .def_static("generate", &rlwe::deterministic::generate_evaluation_keys, NoGil())
      .def_prop_ro("id", [](const EvaluationKeys& keys) { return key_id_bytes(keys.id()); })
      .def_prop_ro("has_relinearization", &EvaluationKeys::has_relinearization)
      .def("has_galois", &EvaluationKeys::has_galois)
      .def_prop_ro("galois_elements",
                   [](const EvaluationKeys& keys) {
                     std::vector<std::uint64_t> elements;
                     for (const auto& [element, key] : keys.all_galois()) elements.push_back(element);
                     return elements;
                   })
      .def("relinearization", &EvaluationKeys::relinearization, nb::rv_policy::reference_internal)
      .def("galois", &EvaluationKeys::galois, nb::rv_policy::reference_internal);
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
  // Of x^n + 1.
  m.def(
      "row_rotation_element",
      [](std::size_t degree, std::int64_t steps) {
        return rlwe::row_rotation_element(RingShape::negacyclic(degree)->galois(), steps);
      },
      nb::arg("degree"), nb::arg("steps"));
  m.def("column_rotation_element",
        [](std::size_t degree) { return rlwe::column_rotation_element(RingShape::negacyclic(degree)->galois()); });
  m.def("slot_sum_elements",
        [](std::size_t degree) { return rlwe::slot_sum_elements(RingShape::negacyclic(degree)->galois()); });
}

}  // namespace cyclotome::testing
