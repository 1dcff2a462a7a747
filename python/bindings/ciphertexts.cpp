// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/array.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"
#include "cyclotome/math/secure_zero.hpp"
#include "cyclotome/rlwe/flooding.hpp"
#include "cyclotome/scheme/encoding.hpp"
#include "cyclotome/scheme/scheme.hpp"

namespace cyclotome::python {

namespace {

using rlwe::Ciphertext;
using rlwe::Plaintext;

Encoding::Kind kind_of(bool slots) { return slots ? Encoding::Kind::slots : Encoding::Kind::coefficients; }

NumpyValues decode_rows(const Plaintext& plaintext, bool slots) {
  auto* const values = new std::vector<std::int64_t>;
  const nb::capsule owner(values, [](void* p) noexcept {
    auto* const kept = static_cast<std::vector<std::int64_t>*>(p);
    secure_zero(kept->data(), kept->size() * sizeof(std::int64_t));
    delete kept;
  });
  {
    const Unlocked unlocked;
    *values = decode_residues(plaintext, kind_of(slots));
  }
  const std::size_t width = values_of(*plaintext.context(), kind_of(slots));
  return NumpyValues(values->data(), {plaintext.batch(), width}, owner);
}

}  // namespace

void bind_ciphertexts(nb::module_& m) {
  nb::class_<Plaintext>(m, "Plaintext").def_prop_ro("batch", &Plaintext::batch);

  nb::class_<Ciphertext>(m, "Ciphertext")
      .def_prop_ro("context", &Ciphertext::context)
      .def_prop_ro("key", [](const Ciphertext& c) { return to_bytes(c.key()); })
      .def_prop_ro("plain", [](const Ciphertext& c) { return c.plain().number; })
      .def_prop_ro("plain_modulus", [](const Ciphertext& c) { return c.plain_modulus().value; })
      .def_prop_ro("batch", &Ciphertext::batch)
      .def_prop_ro("parts", &Ciphertext::parts)
      .def_prop_ro("limbs", &Ciphertext::limbs)
      .def_prop_ro("correction", &Ciphertext::correction)
      .def_prop_ro("nbytes", [](const Ciphertext& c) { return c.polynomials().bytes(); })
      .def_prop_ro("seeded", [](const Ciphertext& c) { return c.uniform_seed().has_value(); })
      .def_prop_ro("noise_headroom", &scheme::noise_headroom)
      .def_prop_ro("noise",
                   [](const Ciphertext& c) {
                     return std::array{c.noise().log2_max, c.noise().log2_rms, c.noise().log2_canonical};
                   })
      .def("to", &Ciphertext::to, "context"_a, NoGil());

  m.def(
      "encode_residues",
      [](const rlwe::ContextPtr& context, std::size_t plain, bool slots, const Values& values) {
        return encode_residues(context, rlwe::PlainIndex(plain), kind_of(slots), {values.data(), values.size()},
                               values.shape(0), values.shape(1));
      },
      "context"_a, "plain"_a, "slots"_a, "values"_a, NoGil());
  m.def("decode_residues", &decode_rows, "plaintext"_a, "slots"_a);

  m.def("encrypt", nb::overload_cast<const Plaintext&, const rlwe::PublicKey&>(&scheme::encrypt), "plaintext"_a,
        "key"_a, NoGil());
  m.def("encrypt", nb::overload_cast<const Plaintext&, const rlwe::SecretKey&>(&scheme::encrypt), "plaintext"_a,
        "key"_a, NoGil());
  m.def("decrypt", &scheme::decrypt, "ciphertext"_a, "key"_a, NoGil());
  m.def("flooding_bits_of", &rlwe::flooding_bits_of, "polynomials"_a);
  m.def("noise_budget", &scheme::noise_budget, "ciphertext"_a, "key"_a, NoGil());
  m.def("measured_noise", &scheme::measured_noise, "ciphertext"_a, "key"_a, NoGil());
}

}  // namespace cyclotome::python
