// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/rlwe/encryption.hpp"
#include "cyclotome/rlwe/flooding.hpp"
#include "cyclotome/scheme/deterministic.hpp"
#include "cyclotome/scheme/encoding.hpp"
#include "cyclotome/scheme/scheme.hpp"
#include "scheme.hpp"

namespace cyclotome::testing {

namespace {

using rlwe::Ciphertext;
using rlwe::ContextPtr;
using rlwe::Plaintext;

using Values = nb::ndarray<const std::int64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Residues = nb::ndarray<const std::uint64_t, nb::ndim<4>, nb::c_contig, nb::device::cpu>;

Encoding::Kind kind_of(bool slots) { return slots ? Encoding::Kind::slots : Encoding::Kind::coefficients; }

Plaintext encode_rows(const ContextPtr& context, std::size_t plain, const Values& values, bool slots, bool reduce) {
  return encode_residues(context, rlwe::PlainIndex(plain), kind_of(slots), {values.data(), values.size()},
                         values.shape(0), values.shape(1), reduce);
}

nb::ndarray<nb::numpy, std::int64_t, nb::ndim<2>> decode_rows(const Plaintext& plaintext, bool slots) {
  auto* const kept = new std::vector<std::int64_t>(decode_residues(plaintext, kind_of(slots)));
  const nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<std::int64_t>*>(p); });
  const std::array<std::size_t, 2> shape = {plaintext.batch(), values_of(*plaintext.context(), kind_of(slots))};
  return {kept->data(), 2, shape.data(), owner};
}

/// A ciphertext made of any residues, with any bound: what an attacker, a file or a textbook may come up with.
Ciphertext crafted(const ContextPtr& context, const nb::bytes& key, std::size_t plain, const Residues& residues,
                   double log2_max) {
  PolyArray array = context->make(context->ciphertext_ring(), residues.shape(0), residues.shape(1));
  array.from_host({residues.data(), residues.size()});
  return Ciphertext(context, key_id_from(key), rlwe::PlainIndex(plain), std::move(array), chosen(*context, log2_max));
}

}  // namespace

void bind_ciphertexts(nb::module_& m) {
  nb::class_<Plaintext>(m, "Plaintext")
      .def_prop_ro("plain", [](const Plaintext& p) { return p.plain().number; })
      .def_prop_ro("batch", &Plaintext::batch)
      .def_prop_ro(
          "residues", [](const Plaintext& p) { return coefficients_of(p.polynomials()); }, nb::rv_policy::automatic)
      .def_prop_ro("norms",
                   [](const Plaintext& p) { return std::array{p.norms().canonical, p.norms().two, p.norms().one}; });
  nb::class_<Ciphertext>(m, "Ciphertext")
      .def(nb::new_(&crafted), nb::arg("context"), nb::arg("key"), nb::arg("plain"), nb::arg("residues"),
           nb::arg("log2_max"))
      .def_prop_ro("context", &Ciphertext::context)
      .def_prop_ro("key", [](const Ciphertext& c) { return key_id_bytes(c.key()); })
      .def_prop_ro("plain", [](const Ciphertext& c) { return c.plain().number; })
      .def_prop_ro("batch", &Ciphertext::batch)
      .def_prop_ro("parts", &Ciphertext::parts)
      .def_prop_ro(
          "residues", [](const Ciphertext& c) { return coefficients_of(c.polynomials()); }, nb::rv_policy::automatic)
      .def_prop_ro("noise", [](const Ciphertext& c) { return triple(c.noise()); })
      .def_prop_ro("uniform_seed", &Ciphertext::uniform_seed)
      .def("to", &Ciphertext::to);

  m.def("encode", &encode_rows, nb::arg("context"), nb::arg("plain"), nb::arg("values"), nb::arg("slots"),
        nb::arg("reduce") = false);
  m.def("decode", &decode_rows, nb::arg("plaintext"), nb::arg("slots"));
  m.def("encrypt", nb::overload_cast<const Plaintext&, const rlwe::PublicKey&, Seed&&>(&scheme::deterministic::encrypt),
        NoGil());
  m.def("encrypt", nb::overload_cast<const Plaintext&, const rlwe::SecretKey&, Seed&&>(&scheme::deterministic::encrypt),
        NoGil());
  m.def(
      "encrypt_zero",
      [](const rlwe::SecretKey& key, std::size_t plain, std::size_t batch, Seed&& seed) {
        return rlwe::deterministic::encrypt_zero(key, rlwe::PlainIndex(plain), batch, std::move(seed));
      },
      NoGil());
  m.def("decrypt", &scheme::decrypt, NoGil());
  m.def("decrypt_unchecked", &scheme::decrypt_unchecked, NoGil());
  m.def("phase", [](const rlwe::SecretKey& key, const Ciphertext& c) { return coefficients_of(rlwe::phase(key, c)); });
  m.def("reveal", &scheme::deterministic::reveal, NoGil());
  m.def("flooding_headroom", &rlwe::flooding_headroom);
  m.def("flooded_phase", [](const rlwe::SecretKey& key, const Ciphertext& c, double log2_limit, unsigned flooding_bits,
                            std::uint64_t multiple, Seed&& seed) {
    const rlwe::Flooding flooding(*key.context(), c.noise(), log2_limit, flooding_bits, multiple);
    PolyArray phases = rlwe::phase(key, c);
    flooding.add_to(phases, rlwe::flooding_seed(c, seed));
    return coefficients_of(phases);
  });
  m.def("noise_headroom", &scheme::noise_headroom);
  m.def("noise_budget", &scheme::noise_budget, NoGil());
  m.def("measured_noise", &scheme::measured_noise, NoGil());
}

}  // namespace cyclotome::testing
