// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "cyclotome/rlwe/keys/encryption.hpp"
#include "cyclotome/rlwe/noise/flooding.hpp"
#include "cyclotome/rlwe/noise/hiding_draw.hpp"
#include "cyclotome/scheme/encoding.hpp"
#include "polynomials.hpp"

namespace cyclotome::testing {

namespace {

using rlwe::Ciphertext;
using rlwe::Context;
using rlwe::ContextPtr;
using rlwe::Plaintext;
using rlwe::SecretKey;

using Residues = nb::ndarray<const std::uint64_t, nb::ndim<4>, nb::c_contig, nb::device::cpu>;

/// The bound of an error that somebody chose, of coefficients up to 2^log2_max.
rlwe::NoiseBound chosen(const Context& context, double log2_max) {
  const double canonical = log2_max + std::log2(static_cast<double>(context.degree())) / 2;
  return context.parameters().noise().tidy({log2_max, log2_max, canonical});
}

/// A ciphertext made of any residues in the coefficient domain, with any bound and, where a scheme has them, of any
/// level and correction factor: what an attacker, a file or a textbook may come up with.
Ciphertext crafted(const ContextPtr& context, const nb::bytes& key, std::size_t plain, const Residues& residues,
                   double log2_max, std::uint64_t correction) {
  const RingPtr ring =
      context->scheme().has_levels() ? context->level_ring(rlwe::Level(residues.shape(2))) : context->ciphertext_ring();
  PolyArray array = context->make(ring, residues.shape(0), residues.shape(1));
  array.from_host({residues.data(), residues.size()});
  if (context->native_domain() == Domain::transform) array.to_transform();
  return Ciphertext(context, key_id_from(key), rlwe::PlainIndex(plain), std::move(array), chosen(*context, log2_max),
                    std::nullopt, correction);
}

void bind_contexts(nb::module_& m) {
  m.def("ciphertext_ring", &Context::ciphertext_ring);
  m.def("key_ring", &Context::key_ring);
  m.def("encryption_ring", &Context::encryption_ring);
  m.def("digits", [](const Context& c) { return c.key_switch().digits(); });
  m.def("special_limbs", &Context::special_limbs);
  m.def("plain_ring", [](const Context& c, std::size_t plain) { return c.plain_ring(rlwe::PlainIndex(plain)); });
  m.def("key_switch_noise", [](const Context& c, std::size_t limbs, std::size_t plain) {
    return triple(c.key_switch(rlwe::Level(limbs), rlwe::PlainIndex(plain)).noise());
  });
  m.def("gadget_factors", [](const Context& c, std::size_t digit) { return c.key_switch().gadget_factors(digit); });
}

void bind_phases(nb::module_& m) {
  m.def("phase", [](const SecretKey& key, const Ciphertext& c) { return coefficients_of(rlwe::phase(key, c)); });
  m.def("flooding_headroom", [](std::size_t degree, unsigned bits) { return rlwe::flooding_headroom(degree, bits); });
  m.def("draw_to_hide", [](const Context& context, std::size_t items, const Seed& seed) {
    PolyArray array = context.make(context.ciphertext_ring(), items, 1, Domain::coefficient, true);
    rlwe::draw_to_hide(context, array.view(), seed, Stream::flooding);
    return coefficients_of(array);
  });
  m.def("flooded_phase", [](const SecretKey& key, const Ciphertext& c, double log2_limit, unsigned flooding_bits,
                            std::uint64_t multiple, Seed&& seed) {
    const rlwe::Flooding flooding(*key.context(), c.noise(), log2_limit, flooding_bits, multiple);
    PolyArray phases = rlwe::phase(key, c);
    flooding.add_to(phases, rlwe::flooding_seed(c, seed));
    return coefficients_of(phases);
  });
}

}  // namespace

void bind_rlwe(nb::module_& parent) {
  nb::module_ m = parent.def_submodule("rlwe", "What contexts, plaintexts and ciphertexts are made of.");
  bind_contexts(m);
  m.def("plain_index", [](const Plaintext& p) { return p.plain().number; });
  m.def("coefficients", [](const Plaintext& p) { return coefficients_of(p.polynomials()); });
  m.def("norms", [](const Plaintext& p) { return std::array{p.norms().canonical, p.norms().two, p.norms().one}; });
  m.def(
      "with_bound",
      [](const Ciphertext& c, double log2_max) {
        return c.derived(c.polynomials(), chosen(*c.context(), log2_max), c.raised_from());
      },
      "ciphertext"_a, "log2_max"_a);
  m.def("crafted", &crafted, "context"_a, "key"_a, "plain"_a, "residues"_a, "log2_max"_a = -1e9, "correction"_a = 1);
  m.def("coefficients", [](const Ciphertext& c) { return coefficients_of(c.polynomials()); });
  m.def("uniform_seed", &Ciphertext::uniform_seed);
  // Values of any size, taken modulo t.
  m.def(
      "encode_reduced",
      [](const ContextPtr& context, std::size_t plain, bool slots, const python::Values& values) {
        return encode_residues(context, rlwe::PlainIndex(plain),
                               slots ? Encoding::Kind::slots : Encoding::Kind::coefficients,
                               {values.data(), values.size()}, values.shape(0), values.shape(1), true);
      },
      "context"_a, "plain"_a, "slots"_a, "values"_a);
  bind_phases(m);
}

}  // namespace cyclotome::testing
