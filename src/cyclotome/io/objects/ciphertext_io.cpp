// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/io/objects/ciphertext_io.hpp"

#include "cyclotome/io/container/container_layout.hpp"
#include "cyclotome/io/container/context_check.hpp"
#include "cyclotome/io/container/noise_limits.hpp"
#include "cyclotome/io/container/payload.hpp"
#include "cyclotome/io/objects/polynomials_io.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/rlwe/domains.hpp"
#include "cyclotome/rlwe/keys/encryption.hpp"
#include "cyclotome/rlwe/switching/levelled.hpp"

namespace cyclotome::io {

namespace {

rlwe::Ciphertext load(const CiphertextPayload& payload, const rlwe::KeyId& key, const rlwe::ContextPtr& context) {
  PolyArray polynomials =
      context->make(context->level_ring(payload.level), payload.batch, payload.parts, context->native_domain());
  read_polynomials(polynomials, payload.stored_parts(), payload.residues.bytes, payload.residues.offset);
  if (payload.uniform_seed) {
    rlwe::expand_symmetric_uniform(*context->engine(), polynomials.view().part(1), *payload.uniform_seed);
  }
  return rlwe::with_raised_from(rlwe::Ciphertext(context, key, payload.plain, std::move(polynomials), payload.noise,
                                                 payload.uniform_seed, payload.correction));
}

}  // namespace

void write_section(ContainerWriter& container, const rlwe::Ciphertext& ciphertext) {
  const rlwe::NoiseBound& noise = ciphertext.noise();
  if (!storable(noise)) {
    throw ArgumentError(message("a ciphertext with noise bound 2^", noise.log2_max,
                                " can't be stored; it is far beyond what decryption corrects"));
  }
  const bool seeded = ciphertext.uniform_seed().has_value();
  ByteWriter& writer = container.section(layout::ciphertext);
  writer.u32(static_cast<std::uint32_t>(ciphertext.plain().number));
  writer.u16(static_cast<std::uint16_t>(ciphertext.parts()));
  writer.u16(static_cast<std::uint16_t>(ciphertext.limbs()));
  writer.u32(seeded ? 1 : 0);
  writer.u32(0);
  writer.u64(ciphertext.batch());
  writer.u64(ciphertext.correction());
  for (const double norm : {noise.log2_max, noise.log2_rms, noise.log2_canonical}) writer.f64(norm);
  if (seeded) writer.bytes(ciphertext.uniform_seed()->bytes());
  write_polynomials(writer, rlwe::native(ciphertext).polynomials(), seeded ? 1 : ciphertext.parts());
}

std::uint64_t section_bytes(const rlwe::Ciphertext& ciphertext) {
  const std::size_t parts = ciphertext.uniform_seed() ? 1 : ciphertext.parts();
  return ciphertext.batch() * parts *
             packed_polynomial_bytes(ciphertext.context()->degree(),
                                     ciphertext.polynomials().ring()->basis().values()) +
         128;
}

Bytes serialize(const rlwe::Ciphertext& ciphertext, std::span<const std::uint8_t> metadata) {
  ContainerWriter container(Kind::ciphertext, ciphertext.context()->parameters(), ciphertext.key(), metadata,
                            section_bytes(ciphertext));
  write_section(container, ciphertext);
  return container.finish();
}

Bytes serialize(const rlwe::Plaintext& plaintext, std::span<const std::uint8_t> metadata) {
  ContainerWriter container(Kind::plaintext, plaintext.context()->parameters(), {}, metadata,
                            plaintext.polynomials().bytes());
  ByteWriter& writer = container.section(layout::plaintext);
  writer.u32(static_cast<std::uint32_t>(plaintext.plain().number));
  writer.u32(0);
  writer.u64(plaintext.batch());
  write_polynomials(writer, plaintext.polynomials(), 1);
  return container.finish();
}

rlwe::Ciphertext read_ciphertext(const Container& container, const rlwe::ContextPtr& context) {
  container.require_kind(Kind::ciphertext);
  const CiphertextPayload payload = ciphertext_payloads(container)[0];
  require_loadable(container, *context);
  return load(payload, container.key_id(), context);
}

rlwe::Plaintext read_plaintext(const Container& container, const rlwe::ContextPtr& context) {
  const PlaintextPayload payload = plaintext_payload(container);
  require_loadable(container, *context);
  PolyArray polynomials =
      context->make(context->plain_ring(payload.plain), payload.batch, 1, Domain::coefficient, true);
  read_polynomials(polynomials, 1, payload.residues.bytes, payload.residues.offset);
  return rlwe::Plaintext(context, payload.plain, std::move(polynomials));
}

std::vector<rlwe::Ciphertext> read_bundle(const Container& container, const rlwe::ContextPtr& context) {
  container.require_kind(Kind::bundle);
  const std::vector<CiphertextPayload> payloads = ciphertext_payloads(container);
  require_loadable(container, *context);
  std::vector<rlwe::Ciphertext> ciphertexts;
  for (const CiphertextPayload& payload : payloads) ciphertexts.push_back(load(payload, container.key_id(), context));
  return ciphertexts;
}

}  // namespace cyclotome::io
