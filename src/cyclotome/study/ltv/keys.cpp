// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/study/ltv/keys.hpp"

#include <algorithm>

#include "cyclotome/engine/memory_limit.hpp"
#include "cyclotome/math/errors.hpp"

namespace cyclotome::study::ltv {

namespace {

/// Each draw fails with about n d/2^B_p at worst (specification 2.2).
constexpr std::uint32_t most_key_draws = 100;

void require_acknowledged(const Parameters& parameters, bool acknowledged) {
  if (acknowledged) return;
  throw SecurityError(
      message("keygen: ", parameters.summary(), ". NTRU with q this large against n is overstretched: its ",
              "public key has a sublattice that LLL finds in polynomial time, so whoever has the public ",
              "key decrypts. For bits and booleans use BGV over Phi_m (Parameters with cyclotomic=...). ",
              "To study the paper all the same, say acknowledge_broken=True"));
}

KeyId id_of(const Seed& seed) {
  KeyId id;
  std::copy_n(seed.bytes().begin(), id.size(), id.begin());
  return id;
}

}  // namespace

SecretKey SecretKey::generate(const ParametersPtr& parameters, bool acknowledge_broken) {
  require_acknowledged(*parameters, acknowledge_broken);
  const Seed master = Seed::from_system();
  const KeyId id = id_of(derive_seed(master, *parameters, "key id", {}));
  const Seed seed = derive_seed(master, *parameters, "secret key", {});
  for (std::uint32_t item = 0; item < most_key_draws; ++item) {
    try {
      return restore(parameters, id, draw_ternary(*parameters, seed, Stream::secret, item));
    } catch (const ArgumentError&) {
      continue;
    }
  }
  throw ParameterError(message("keygen: none of ", most_key_draws, " draws of f has an inverse modulo Phi_",
                               parameters->index(), " and all primes; take larger primes"));
}

SecretKey SecretKey::restore(const ParametersPtr& parameters, const KeyId& id, std::span<const std::int64_t> half) {
  const Arithmetic& arithmetic = *parameters->arithmetic();
  ZeroisingVector<std::int64_t> f(half.begin(), half.end());
  for (auto& coefficient : f) coefficient *= 2;
  f.at(0) += 1;
  SecretKey key;
  key.parameters_ = parameters;
  key.id_ = id;
  key.value_ = arithmetic.of_small(f, arithmetic.primes());
  key.inverse_ = arithmetic.inverse(key.value_);
  key.transform_ = arithmetic.ntt(key.value_);
  return key;
}

PublicKey PublicKey::restore(const ParametersPtr& parameters, const KeyId& id, const Polynomial& h) {
  PublicKey key;
  key.parameters_ = parameters;
  key.id_ = id;
  key.transform_ = parameters->arithmetic()->ntt(h);
  return key;
}

PublicKey PublicKey::generate(const SecretKey& secret) {
  const Parameters& parameters = *secret.parameters();
  const Arithmetic& arithmetic = *parameters.arithmetic();
  const Seed seed = derive_seed(Seed::from_system(), parameters, "public key", secret.id());
  auto g = draw_ternary(parameters, seed, Stream::public_error, 0);
  for (auto& coefficient : g) coefficient *= 2;
  const Polynomial h = arithmetic.multiply(arithmetic.of_small(g, arithmetic.primes()), secret.inverse());
  return restore(secret.parameters(), secret.id(), h);
}

Polynomial mask(const PublicKey& key, const Seed& seed, std::uint32_t item, std::size_t primes) {
  const Parameters& parameters = *key.parameters();
  const Arithmetic& arithmetic = *parameters.arithmetic();
  const auto s = draw_ternary(parameters, seed, Stream::encryption_ternary, item);
  auto e = draw_ternary(parameters, seed, Stream::encryption_error, item);
  for (auto& coefficient : e) coefficient *= 2;
  const Polynomial product =
      arithmetic.intt(arithmetic.dot(arithmetic.ntt(arithmetic.of_small(s, primes)), key.transform()));
  return arithmetic.add(arithmetic.reduced(product), arithmetic.of_small(e, primes));
}

SwitchingKey SwitchingKey::make(const SecretKey& secret, const PublicKey& public_key, const Polynomial& target,
                                std::uint64_t element) {
  const ParametersPtr& parameters = secret.parameters();
  if (public_key.id() != secret.id() || public_key.parameters()->fingerprint() != parameters->fingerprint()) {
    throw MismatchError(
        "evaluation key: the public key does not belong to the secret key; use the pair that keygen made");
  }
  const Arithmetic& arithmetic = *parameters->arithmetic();
  const std::size_t primes = arithmetic.primes();
  const unsigned digits = parameters->digits(primes);
  require_main_memory("an evaluation key of LTV", std::uint64_t{digits} * primes * arithmetic.points() * 8);
  const Seed seed = derive_seed(Seed::from_system(), *parameters,
                                element == 0 ? "relinearisation" : message("galois ", element), secret.id());
  SwitchingKey key;
  key.parameters_ = parameters;
  key.id_ = secret.id();
  key.element_ = element;
  Polynomial scaled = target;  // 2^(w t) target
  for (unsigned digit = 0; digit < digits; ++digit) {
    key.digits_.push_back(arithmetic.ntt(arithmetic.add(mask(public_key, seed, digit, primes), scaled)));
    scaled = arithmetic.scale(scaled, std::uint64_t{1} << parameters->window());
  }
  return key;
}

SwitchingKey SwitchingKey::relinearization(const SecretKey& secret, const PublicKey& public_key) {
  return make(secret, public_key, secret.value(), 0);
}

SwitchingKey SwitchingKey::galois(const SecretKey& secret, const PublicKey& public_key, std::uint64_t k) {
  const Arithmetic& arithmetic = *secret.parameters()->arithmetic();
  const Polynomial moved = arithmetic.automorphism(secret.value(), k);
  return make(secret, public_key, arithmetic.multiply(moved, secret.inverse()), k);
}

SwitchingKey SwitchingKey::restore(const ParametersPtr& parameters, const KeyId& id, std::uint64_t element,
                                   std::span<const Polynomial> digits) {
  if (element != 0 && (element >= parameters->index() || greatest_common_divisor(element, parameters->index()) != 1)) {
    throw ArgumentError(message("evaluation key: it moves slots by x -> x^", element,
                                ", which is not prime to and below m = ", parameters->index()));
  }
  SwitchingKey key;
  key.parameters_ = parameters;
  key.id_ = id;
  key.element_ = element;
  for (const Polynomial& digit : digits) key.digits_.push_back(parameters->arithmetic()->ntt(digit));
  return key;
}

std::size_t SwitchingKey::bytes() const noexcept {
  std::size_t sum = 0;
  for (const Polynomial& digit : digits_) sum += digit.bytes();
  return sum;
}

}  // namespace cyclotome::study::ltv
