// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/rlwe/residues.hpp"

#include <cmath>
#include <numeric>

#include "cyclotome/math/declassify.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/rlwe/switching/levelled.hpp"

namespace cyclotome::rlwe {

namespace {

void require_shape(const Parameters& p, const CiphertextFacts& facts) {
  const PartRange range = p.scheme().ciphertext_parts();
  if (facts.parts < range.least || facts.parts > range.most) {
    throw ArgumentError(message("a ciphertext of ", facts.parts, " parts; ", range.least, " to ", range.most,
                                " are known: relinearise it first"));
  }
  const std::size_t most = p.moduli().size(), least = p.scheme().drops_primes() ? 1 : most;
  if (facts.limbs < least || facts.limbs > most) {
    throw ArgumentError(message("a ciphertext of level ", facts.limbs, ", but levels are ", least, " to ", most));
  }
}

void require_meaning(const Parameters& p, const CiphertextFacts& facts) {
  if (facts.plain.number >= p.plain_moduli().size()) {
    throw ArgumentError(message("there is no plaintext modulus number ", facts.plain.number, "; the parameters have ",
                                p.plain_moduli().size(), ", numbered from 0"));
  }
  const std::uint64_t t = p.plain_modulus(facts.plain).value;
  const bool unit = facts.correction < t && std::gcd(facts.correction, t) == 1;
  const std::string reason =
      unit ? p.scheme().refuse_correction(p, facts.plain, facts.correction) : message("no unit modulo t = ", t);
  if (!reason.empty()) throw ArgumentError(message("correction factor ", facts.correction, " is ", reason));
  for (const double norm : {facts.noise.log2_max, facts.noise.log2_rms, facts.noise.log2_canonical}) {
    if (!(std::abs(norm) <= 1e9)) throw ArgumentError(message("a noise bound of 2^", norm, " is none"));
  }
}

PolyArray pairs_of(const Context& context, std::size_t items, std::span<const std::uint64_t> residues) {
  PolyArray pairs = context.make(context.key_ring(), items, 2, Domain::transform);
  pairs.from_host(residues);
  return pairs;
}

}  // namespace

Ciphertext ciphertext_of(const ContextPtr& context, const CiphertextFacts& facts,
                         std::span<const std::uint64_t> residues) {
  require_shape(context->parameters(), facts);
  require_meaning(context->parameters(), facts);
  PolyArray array = context->make(context->level_ring(Level(facts.limbs)), facts.batch, facts.parts, facts.domain);
  array.from_host(residues);
  context->native_domain() == Domain::transform ? array.to_transform() : array.to_coefficient();
  return with_raised_from(
      Ciphertext(context, facts.key, facts.plain, std::move(array), facts.noise, std::nullopt, facts.correction));
}

PublicKey public_key_of(const ContextPtr& context, const KeyId& id, std::span<const std::uint64_t> residues) {
  return PublicKey(context, pairs_of(*context, 1, residues), std::nullopt, id);
}

SwitchingKey switching_key_of(const ContextPtr& context, std::span<const std::uint64_t> residues) {
  return SwitchingKey(pairs_of(*context, context->parameters().digits(), residues), std::nullopt);
}

SecretKey secret_key_of(const ContextPtr& context, const KeyId& id, std::span<const std::uint64_t> residues,
                        KeyCheck check) {
  PolyArray given = context->make(context->key_ring(), 1, 1, Domain::transform, true);
  given.from_host(residues);
  // The first limb says what the coefficients are, if they are some; then all limbs must be theirs.
  const ZeroisingVector<std::int8_t> coefficients = SecretKey(context, std::move(given), id).coefficients();
  SecretKey key = SecretKey::from_coefficients(context, coefficients, id, check);
  const ZeroisingVector<std::uint64_t> own = residues_of(key);
  std::uint64_t differences = 0;
  for (std::size_t i = 0; i < own.size(); ++i) differences |= own[i] ^ residues[i];
  if (declassify(differences != 0)) {
    throw FormatError("a secret key's residues are not one polynomial's; the data is damaged or not a key");
  }
  return key;
}

ZeroisingVector<std::uint64_t> residues_of(const SecretKey& key) {
  PolyArray s = key.context()->make(key.context()->key_ring(), 1, 1, Domain::transform, true);
  key.context()->engine()->copy(s.view(), key.over_key_ring());
  ZeroisingVector<std::uint64_t> residues(s.size(), Residence::locked);
  s.to_host(residues);
  return residues;
}

}  // namespace cyclotome::rlwe
