// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/array.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include "bindings/bindings.hpp"
#include "cyclotome/math/secure_zero.hpp"
#include "cyclotome/rlwe/noise/flooding.hpp"
#include "cyclotome/scheme/encoding.hpp"
#include "cyclotome/scheme/extension_slots.hpp"
#include "cyclotome/scheme/scheme.hpp"

namespace cyclotome::python {

namespace {

using rlwe::Ciphertext;
using rlwe::Plaintext;

Encoding::Kind kind_of(bool slots) { return slots ? Encoding::Kind::slots : Encoding::Kind::coefficients; }

/// What `make` returns without the interpreter's lock, `rows` rows of it, zeroised when NumPy lets go of them.
template <class Make>
NumpyValues rows_of(std::size_t rows, const Make& make) {
  auto* const values = new std::vector<std::int64_t>;
  const nb::capsule owner(values, [](void* p) noexcept {
    auto* const kept = static_cast<std::vector<std::int64_t>*>(p);
    secure_zero(kept->data(), kept->size() * sizeof(std::int64_t));
    delete kept;
  });
  {
    const Unlocked unlocked;
    *values = make();
  }
  return NumpyValues(values->data(), {rows, values->size() / rows}, owner);
}

NumpyValues decode_rows(const Plaintext& plaintext, bool slots) {
  return rows_of(plaintext.batch(), [&] { return decode_residues(plaintext, kind_of(slots)); });
}

/// Rows of n numbers to rows of n numbers.
template <auto Conversion>
NumpyValues converted(const ExtensionSlots& slots, const Values& values) {
  return rows_of(values.shape(0), [&] { return (slots.*Conversion)(std::span(values.data(), values.size())); });
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
      .def_prop_ro("nbytes", &Ciphertext::bytes)
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

  nb::class_<ExtensionSlots>(m, "ExtensionSlots")
      .def(
          "__init__",
          [](ExtensionSlots* self, const rlwe::ContextPtr& context, std::size_t plain) {
            new (self) ExtensionSlots(context, rlwe::PlainIndex(plain));
          },
          "context"_a, "plain"_a)
      .def_prop_ro("count", &ExtensionSlots::count)
      .def_prop_ro("degree", &ExtensionSlots::degree)
      .def_prop_ro("root", &ExtensionSlots::root)
      .def_prop_ro("exponents", &ExtensionSlots::exponents)
      .def("polynomials", &converted<&ExtensionSlots::polynomials>, "elements"_a)
      .def("elements", &converted<&ExtensionSlots::elements>, "polynomials"_a);

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
