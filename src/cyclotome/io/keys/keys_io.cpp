// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/io/keys/keys_io.hpp"

#include "cyclotome/io/container/container_layout.hpp"
#include "cyclotome/io/container/context_check.hpp"
#include "cyclotome/io/keys/key_coefficients.hpp"
#include "cyclotome/io/keys/key_payload.hpp"
#include "cyclotome/io/objects/polynomials_io.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/rlwe/encapsulation/encapsulation_keys.hpp"

namespace cyclotome::io {

namespace {

void write_pairs(ByteWriter& writer, const std::optional<PublicSeed>& uniform_seed, const PolyArray& pairs) {
  if (!uniform_seed) {
    throw UnsupportedError(
        "a key that another library drew has no seed of ours, and can't be stored in this format; keep it in that "
        "library's format (cyclotome.interop)");
  }
  writer.bytes(uniform_seed->bytes());
  write_polynomials(writer, pairs, 1);
}

void write_rekeying(ByteWriter& writer, const rlwe::RekeyingKey& key) {
  writer.bytes(key.from());
  write_pairs(writer, key.key().uniform_seed(), key.key().polynomials());
}

/// Pairs over a ring, transformed.
PolyArray read_pairs(const KeyPayload& payload, const rlwe::Context& context, const RingPtr& ring, std::size_t count) {
  PolyArray pairs = context.make(ring, count, 2, Domain::transform);
  read_polynomials(pairs, 1, payload.residues.bytes, payload.residues.offset);
  rlwe::expand_uniform(*context.engine(), pairs.view().part(1), *payload.uniform_seed);
  return pairs;
}

/// Throws FormatError for keys of an older format version that the scheme can't compute with any more.
void require_usable(const Container& container) {
  const rlwe::Parameters& p = container.parameters();
  const std::string reason = p.scheme().refuse_keys(p, container.version());
  if (!reason.empty()) throw FormatError(message(name_of(container.kind()), " ", reason));
}

rlwe::SwitchingKey read_switching_key(const KeyPayload& payload, const rlwe::Context& context) {
  return rlwe::SwitchingKey(read_pairs(payload, context, context.key_ring(), context.parameters().digits()),
                            *payload.uniform_seed);
}

rlwe::EncapsulationKeysPtr read_encapsulation(const EncapsulationPayload& payload, const rlwe::ContextPtr& context,
                                              const rlwe::KeyId& id) {
  return std::make_shared<const rlwe::EncapsulationKeys>(
      payload.weight, read_pairs(payload.to_sparse, *context, rlwe::encapsulation_ring(*context), 1),
      *payload.to_sparse.uniform_seed,
      rlwe::RekeyingKey(context, read_switching_key(payload.back.key, *context), payload.back.from, id));
}

}  // namespace

Bytes serialize(const rlwe::SecretKey& key, std::span<const std::uint8_t> metadata) {
  const rlwe::Parameters& parameters = key.context()->parameters();
  const std::size_t bytes = packed_key_bytes(parameters);
  ContainerWriter container(Kind::secret_key, parameters, key.id(), metadata, bytes);
  pack_key(container.section(layout::secret_key).extend(bytes), key);
  return container.finish();
}

Bytes serialize(const rlwe::PublicKey& key, std::span<const std::uint8_t> metadata) {
  ContainerWriter container(Kind::public_key, key.context()->parameters(), key.id(), metadata,
                            key.polynomials().bytes());
  write_pairs(container.section(layout::public_key), key.uniform_seed(), key.polynomials());
  return container.finish();
}

Bytes serialize(const rlwe::EvaluationKeys& keys, std::span<const std::uint8_t> metadata) {
  const rlwe::Context& context = *keys.context();
  const rlwe::Parameters& parameters = context.parameters();
  const std::uint64_t one_key =
      parameters.digits() * packed_polynomial_bytes(parameters.degree(), context.key_ring()->basis().values()) + 64;
  ContainerWriter container(Kind::evaluation_keys, parameters, keys.id(), metadata,
                            (keys.all_galois().size() + (keys.encapsulation() ? 3 : 1)) * one_key);
  if (keys.has_relinearization()) {
    const rlwe::SwitchingKey& key = keys.relinearization();
    write_pairs(container.section(layout::relinearization_key), key.uniform_seed(), key.polynomials());
  }
  for (const auto& [element, key] : keys.all_galois()) {
    ByteWriter& writer = container.section(layout::galois_key);
    writer.u64(element);
    write_pairs(writer, key.uniform_seed(), key.polynomials());
  }
  if (const rlwe::EncapsulationKeysPtr& encapsulation = keys.encapsulation()) {
    ByteWriter& writer = container.section(layout::encapsulation_key);
    writer.u32(encapsulation->weight());
    write_pairs(writer, encapsulation->uniform_seed(), encapsulation->to_sparse());
    write_rekeying(container.section(layout::release_key), encapsulation->back());
  }
  return container.finish();
}

Bytes serialize(const rlwe::RekeyingKey& key, std::span<const std::uint8_t> metadata) {
  const PolyArray& pairs = key.key().polynomials();
  ContainerWriter container(Kind::rekeying_key, key.context()->parameters(), key.to(), metadata, pairs.bytes());
  write_rekeying(container.section(layout::rekeying_key), key);
  return container.finish();
}

rlwe::SecretKey read_secret_key(const Container& container, const rlwe::ContextPtr& context, rlwe::KeyCheck check) {
  const Packed packed = secret_key_payload(container);
  require_loadable(container, *context);
  return unpack_key(packed.bytes, context, container.key_id(), check);
}

rlwe::PublicKey read_public_key(const Container& container, const rlwe::ContextPtr& context) {
  const KeyPayload payload = public_key_payload(container);
  require_usable(container);
  require_loadable(container, *context);
  return rlwe::PublicKey(context, read_pairs(payload, *context, context->key_ring(), 1), *payload.uniform_seed,
                         container.key_id());
}

rlwe::EvaluationKeys read_evaluation_keys(const Container& container, const rlwe::ContextPtr& context) {
  const EvaluationKeysPayload payload = evaluation_keys_payload(container);
  require_usable(container);
  require_loadable(container, *context);
  std::optional<rlwe::SwitchingKey> relinearization;
  if (payload.relinearization) relinearization = read_switching_key(*payload.relinearization, *context);
  std::map<std::uint64_t, rlwe::SwitchingKey> galois;
  for (const KeyPayload& key : payload.galois) {
    galois.emplace(key.galois_element, read_switching_key(key, *context));
  }
  rlwe::EncapsulationKeysPtr encapsulation;
  if (payload.encapsulation) encapsulation = read_encapsulation(*payload.encapsulation, context, container.key_id());
  return rlwe::EvaluationKeys(context, std::move(relinearization), std::move(galois), container.key_id(),
                              std::move(encapsulation));
}

rlwe::RekeyingKey read_rekeying_key(const Container& container, const rlwe::ContextPtr& context) {
  const RekeyingKeyPayload payload = rekeying_key_payload(container);
  require_usable(container);
  require_loadable(container, *context);
  return rlwe::RekeyingKey(context, read_switching_key(payload.key, *context), payload.from, container.key_id());
}

}  // namespace cyclotome::io
