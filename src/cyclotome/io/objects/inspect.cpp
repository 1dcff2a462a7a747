// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/io/objects/inspect.hpp"

#include "cyclotome/io/container/payload.hpp"
#include "cyclotome/io/joint/threshold_payload.hpp"
#include "cyclotome/io/keys/key_payload.hpp"
#include "cyclotome/io/objects/plain_array_payload.hpp"
#include "cyclotome/rlwe/noise/noise_model.hpp"
#include "cyclotome/scheme/registry.hpp"

namespace cyclotome::io {

namespace {

double headroom(const rlwe::Parameters& p, const CiphertextPayload& c) {
  return p.scheme().noise_model(p, c.plain)->headroom({c.noise, c.level});
}

}  // namespace

Inspection inspect(std::span<const std::uint8_t> bytes, Limits limits) {
  limits.allow_insecure = true;
  const Container container(bytes, limits);
  const rlwe::Parameters& p = container.parameters();
  Inspection result{container.kind(),
                    container.version(),
                    container.bytes(),
                    0,
                    p,
                    container.key_id(),
                    {},
                    {},
                    {},
                    false,
                    {},
                    {},
                    {},
                    {}};
  result.metadata.assign(container.metadata().begin(), container.metadata().end());
  for (const Section& s : container.sections())
    result.sections.push_back({std::string(s.tag), s.offset, s.bytes.size()});
  switch (container.kind()) {
    case Kind::parameters:
      break;
    case Kind::secret_key:
      break;
    case Kind::protected_secret_key:
    case Kind::protected_secret_share:
    case Kind::protected_party:
      result.protection = protection_of(container);
      break;
    case Kind::public_key:
      break;
    case Kind::threshold_session: {
      const rlwe::ThresholdSession session = threshold_session_payload(container).session;
      result.relinearization = session.relinearization();
      result.galois_elements = session.galois_elements();
      break;
    }
    case Kind::key_share:
    case Kind::secret_share:
    case Kind::decryption_share:
    case Kind::party:
    case Kind::key_commitment:
    case Kind::coin:
    case Kind::acceptance:
    case Kind::dealing_message:
      break;
    case Kind::rekeying_key:
      result.rekeys_from = rekeying_key_payload(container).from;
      break;
    case Kind::evaluation_keys: {
      const EvaluationKeysPayload keys = evaluation_keys_payload(container);
      result.relinearization = keys.relinearization.has_value();
      result.refreshes = keys.encapsulation.has_value();
      for (const KeyPayload& key : keys.galois) result.galois_elements.push_back(key.galois_element);
      break;
    }
    case Kind::plaintext: {
      const PlaintextPayload plain = plaintext_payload(container);
      result.arrays.push_back({plain.plain, p.plain_modulus(plain.plain).value, plain.batch, 1, 0, false, {}, 0});
      break;
    }
    case Kind::plain_array:
      result.shape = plain_array_payload(container).shape;
      break;
    case Kind::ciphertext:
    case Kind::bundle:
      for (const CiphertextPayload& c : ciphertext_payloads(container)) {
        result.arrays.push_back({c.plain, p.plain_modulus(c.plain).value, c.batch, c.parts, c.level.primes,
                                 c.uniform_seed.has_value(), c.noise, headroom(p, c)});
      }
  }
  if (container.kind() == Kind::bundle && scheme::holds_reals(p)) {
    result.reals = real_array_payload(container);
  } else if (container.kind() == Kind::bundle && container.version() > 1) {
    result.description = array_payload(container);
  }
  result.expanded_bytes = expanded_bytes(container);
  return result;
}

}  // namespace cyclotome::io
