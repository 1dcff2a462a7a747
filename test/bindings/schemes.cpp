// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/array.h>
#include <nanobind/stl/complex.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include "cyclotome/rlwe/keys/deterministic.hpp"
#include "cyclotome/scheme/bfv/bootstrapping/bootstrapping.hpp"
#include "cyclotome/scheme/bfv/context.hpp"
#include "cyclotome/scheme/bfv/levels.hpp"
#include "cyclotome/scheme/bfv/operations.hpp"
#include "cyclotome/scheme/bfv/scheme.hpp"
#include "cyclotome/scheme/bgv/operations.hpp"
#include "cyclotome/scheme/ckks/encoding.hpp"
#include "cyclotome/value/reals/real_array.hpp"
#include "polynomials.hpp"

// What one scheme alone can be asked for.
namespace cyclotome::testing {

using rlwe::Ciphertext;

namespace {

using bfv::Bootstrapping;
using rlwe::EncapsulationKeys;
using rlwe::EvaluationKeys;

/// Three norms.
std::array<double, 3> norms(const rlwe::NoiseBound& noise) {
  return {noise.log2_max, noise.log2_rms, noise.log2_canonical};
}

/// Refreshing step by step; residues by item, part and coefficient.
void bind_bootstrapping(nb::module_& m) {
  nb::class_<rlwe::Encapsulated>(m, "Encapsulated")
      .def_prop_ro("noise", [](const rlwe::Encapsulated& a) { return norms(a.noise); })
      .def_prop_ro("residues", [](const rlwe::Encapsulated& a) { return a.polynomials.to_host(); });
  nb::class_<Bootstrapping>(m, "Bootstrapping")
      .def_prop_ro("context", &Bootstrapping::context)
      .def_prop_ro("companion", &Bootstrapping::companion)
      .def_prop_ro("refreshed_noise", [](const Bootstrapping& b) { return norms(b.refreshed_noise()); })
      .def_prop_ro("least_headroom", &Bootstrapping::least_headroom)
      .def(
          "late_by", [](const Bootstrapping& b, const Ciphertext& a) { return b.late_by(a); }, "a"_a)
      .def("slots_to_coefficients", &Bootstrapping::slots_to_coefficients, "a"_a, "keys"_a, NoGil())
      .def(
          "lowered",
          [](const Bootstrapping& b, const Ciphertext& a, const EvaluationKeys& keys) {
            return b.lowered(a, *keys.encapsulation());
          },
          "a"_a, "keys"_a, NoGil())
      .def("rounded", &Bootstrapping::rounded, "a"_a)
      .def(
          "raised",
          [](const Bootstrapping& b, const std::vector<std::uint64_t>& residues, const EvaluationKeys& keys) {
            return b.raised(residues, *keys.encapsulation());
          },
          "residues"_a, "keys"_a, NoGil())
      .def("coefficients_to_slots", &Bootstrapping::coefficients_to_slots, "a"_a, "keys"_a, NoGil())
      .def("without_digit", &Bootstrapping::without_digit, "a"_a, "keys"_a, NoGil());
  m.def("refresh", &bfv::refresh, "a"_a, "keys"_a, NoGil());
  m.def("bootstrapping", [](const rlwe::Parameters& parameters, const EnginePtr& engine) {
    return Bootstrapping(parameters, rlwe::PlainIndex(0), engine);
  });
  m.def("remove_digit", [](unsigned bound, std::uint64_t prime, const std::vector<std::uint64_t>& values) {
    const bfv::DigitRemoval removal(bound, prime);
    std::vector<std::uint64_t> out;
    for (const std::uint64_t value : values) out.push_back(removal(value));
    return std::pair(removal.products(), out);
  });
  m.def("draw_sparse_secret", [](std::size_t degree, unsigned weight, Seed&& seed) {
    const Seed own = std::move(seed);
    const auto drawn = rlwe::draw_sparse_secret(degree, weight, own);
    return std::vector<int>(drawn.begin(), drawn.end());
  });
  m.def("with_encapsulation", [](const EvaluationKeys& keys, const rlwe::SecretKey& secret, Seed&& seed) {
    return rlwe::with_encapsulation(keys, rlwe::deterministic::generate_encapsulation_keys(secret, std::move(seed)));
  });
}

}  // namespace

void bind_bfv(nb::module_& parent) {
  nb::module_ m = parent.def_submodule("bfv");
  bind_bootstrapping(m);
  nb::enum_<bfv::ProductMethod>(m, "ProductMethod")
      .value("behz", bfv::ProductMethod::behz)
      .value("hps_over_q", bfv::ProductMethod::hps_over_q)
      .value("hps_over_q_leveled", bfv::ProductMethod::hps_over_q_leveled);
  m.def("product_level", [](const Ciphertext& a, const Ciphertext& b) {
    return bfv::product_level(a.context()->parameters(), a.level(), a.noise(), b.noise()).primes;
  });
  m.def("hps_moduli", [](const rlwe::ContextPtr& c, std::size_t limbs) {
    const auto& hps = bfv::bfv_context(c).hps(rlwe::Level(limbs), rlwe::PlainIndex(0));
    return hps.auxiliary_ring->basis().values();
  });
  const auto method = "method"_a = bfv::ProductMethod::hps_over_q_leveled;
  m.def("multiply", &bfv::multiply, "a"_a, "b"_a, method, NoGil());
  m.def("square", &bfv::square, "a"_a, method, NoGil());
  m.def("multiply_relinearized", &bfv::multiply_relinearized, "a"_a, "b"_a, "keys"_a, method, NoGil());
  m.def("square_relinearized", &bfv::square_relinearized, "a"_a, "keys"_a, method, NoGil());
}

/// Of real numbers: their integers, and the ciphertexts of an array.
void bind_ckks(nb::module_& parent) {
  nb::module_ m = parent.def_submodule("ckks");
  m.def("encode", [](const rlwe::ContextPtr& context, const std::vector<std::complex<double>>& values, double scale) {
    return ckks::encode(std::static_pointer_cast<const ckks::Context>(context), values, scale);
  });
  m.def("decode", [](const rlwe::Plaintext& plaintext, double scale) {
    const ckks::Numbers values = ckks::decode(plaintext, scale);
    return std::vector<std::complex<double>>(values.begin(), values.end());
  });
  m.def("ciphertext", [](const value::RealArray& x) { return x.numbers().ciphertext; });
  m.def("approximation", [](const value::RealArray& x) { return norms(x.numbers().about.error); });
}

void bind_bgv(nb::module_& parent) {
  bind_ckks(parent);
  nb::module_ m = parent.def_submodule("bgv");
  m.def("correction", &Ciphertext::correction);
  m.def("switch_modulus", &bgv::switch_modulus, NoGil());
  m.def("multiply", &bgv::multiply, "a"_a, "b"_a, "automatic"_a = true, NoGil());
  m.def("square", &bgv::square, "a"_a, "automatic"_a = true, NoGil());
}

}  // namespace cyclotome::testing
