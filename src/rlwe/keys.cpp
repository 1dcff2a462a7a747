// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/rlwe/keys.hpp"

#include <algorithm>

#include "cyclotome/math/errors.hpp"
#include "cyclotome/ring/secure_memory.hpp"
#include "cyclotome/rlwe/encryption.hpp"

namespace cyclotome::rlwe {

namespace {

/// Purposes of derived seeds.
enum : std::uint32_t { uniform_half = 1, error_half = 2, relinearization_key = 3, galois_key = 4, key_id = 7 };

/// Fills `pair` (any batch, 2 parts, transform domain) with (-(a s + e), a), a from uniform_seed, e from error_seed.
void fill_zero_encryptions(const SecretKey& secret, PolyArray& pair, const Seed& uniform_seed, const Seed& error_seed) {
  Engine& engine = *pair.engine();
  const std::uint64_t multiple = secret.context()->error_multiples(0).of_keys;
  expand_uniform(engine, pair.view().part(1), uniform_seed);
  PolyArray error =
      sample_error(*secret.context(), pair.ring(), pair.batch(), 1, multiple, error_seed, Stream::key_switch_error, 0);
  error.to_transform();
  engine.multiply_accumulate(error.view(), pair.view().part(1), secret.over_key_ring());
  engine.negate(pair.view().part(0), error.view());
}

}  // namespace

SecretKey SecretKey::generate(const ContextPtr& context, const Seed& seed) {
  PolyArray s = context->make(context->key_ring(), 1, 1, Domain::coefficient, true);
  context->engine()->sample(s.view(), Law::ternary, seed, Stream::secret);
  s.to_transform();
  KeyId id;
  const Seed id_seed = derive_seed(seed, key_id, 0);
  std::copy_n(id_seed.bytes().begin(), id.size(), id.begin());
  return SecretKey(context, std::move(s), id);
}

SecretKey SecretKey::from_coefficients(const ContextPtr& context, std::span<const std::int8_t> coefficients,
                                       const KeyId& id) {
  const std::size_t n = context->degree();
  if (coefficients.size() != n) {
    throw FormatError(message("a secret key of degree ", n, " has ", n, " coefficients, not ", coefficients.size()));
  }
  std::uint8_t wrong = 0;  // no early exit: the position of a secret coefficient must not show in time
  for (const std::int8_t c : coefficients) wrong |= static_cast<std::uint8_t>(c + 1) > 2 ? 1 : 0;
  if (wrong != 0)
    throw FormatError("a secret key holds a coefficient outside {-1, 0, 1}; the file is damaged or not a key");
  PolyArray s = context->make(context->key_ring(), 1, 1, Domain::coefficient, true);
  std::vector<std::uint64_t> residues(s.size());
  for (std::size_t i = 0; i < residues.size(); ++i) {
    residues[i] = small_residue<std::uint64_t>(coefficients[i % n], context->key_ring()->basis()[i / n]);
  }
  s.from_host(residues);
  secure_zero(residues.data(), residues.size() * sizeof(residues[0]));
  s.to_transform();
  return SecretKey(context, std::move(s), id);
}

std::vector<std::int8_t> SecretKey::coefficients() const {
  PolyArray s = s_.clone();
  s.to_coefficient();
  std::vector<std::uint64_t> residues = s.to_host();
  const std::uint64_t q = context_->key_ring()->basis()[0];
  std::vector<std::int8_t> coefficients(context_->degree());
  for (std::size_t i = 0; i < coefficients.size(); ++i) {
    // 0 -> 0, 1 -> 1, q - 1 -> -1, without a branch on the coefficient.
    coefficients[i] = static_cast<std::int8_t>(residues[i] - (q & mask_if<std::uint64_t>(residues[i] > 1)));
  }
  secure_zero(residues.data(), residues.size() * sizeof(residues[0]));
  return coefficients;
}

PublicKey PublicKey::generate(const SecretKey& secret, const Seed& seed) {
  const ContextPtr& context = secret.context();
  const Seed uniform_seed = derive_seed(seed, uniform_half, 0);
  PolyArray pair = context->make(context->key_ring(), 1, 2, Domain::transform);
  fill_zero_encryptions(secret, pair, uniform_seed, derive_seed(seed, error_half, 0));
  return PublicKey(context, std::move(pair), uniform_seed, secret.id());
}

KeySwitchKey KeySwitchKey::generate(const SecretKey& secret, ConstView target, const Seed& seed) {
  const ContextPtr& context = secret.context();
  const KeySwitch& key_switch = context->key_switch();
  Engine& engine = *context->engine();
  const Seed uniform_seed = derive_seed(seed, uniform_half, 0);
  PolyArray pairs = context->make(context->key_ring(), key_switch.digits(), 2, Domain::transform);
  fill_zero_encryptions(secret, pairs, uniform_seed, derive_seed(seed, error_half, 0));
  PolyArray term = context->make(context->key_ring(), 1, 1, Domain::transform, true);
  for (std::size_t j = 0; j < key_switch.digits(); ++j) {
    engine.multiply_scalars(term.view(), target, key_switch.gadget_factors(j));
    const View body = pairs.view().items(j).part(0);
    engine.add(body, body, term.view());
  }
  return KeySwitchKey(std::move(pairs), uniform_seed);
}

EvaluationKeys EvaluationKeys::generate(const SecretKey& secret, bool relinearization,
                                        const std::vector<std::uint64_t>& galois_elements, const Seed& seed) {
  const ContextPtr& context = secret.context();
  Engine& engine = *context->engine();
  PolyArray target = context->make(context->key_ring(), 1, 1, Domain::transform, true);
  std::optional<KeySwitchKey> relinearization_made;
  if (relinearization) {
    engine.multiply(target.view(), secret.over_key_ring(), secret.over_key_ring());
    relinearization_made = KeySwitchKey::generate(secret, target.view(), derive_seed(seed, relinearization_key, 0));
  }
  std::map<std::uint64_t, KeySwitchKey> galois;
  for (const auto element : galois_elements) {
    if (element % 2 == 0 || element >= 2 * context->degree()) {
      throw ArgumentError(message("Galois element ", element, " must be odd and below 2n = ", 2 * context->degree()));
    }
    if (element == 1 || galois.contains(element)) continue;
    engine.automorphism(target.view(), secret.over_key_ring(), element);
    galois.emplace(element, KeySwitchKey::generate(secret, target.view(),
                                                   derive_seed(seed, galois_key, static_cast<std::uint32_t>(element))));
  }
  return EvaluationKeys(context, std::move(relinearization_made), std::move(galois), secret.id());
}

const KeySwitchKey& EvaluationKeys::relinearization() const {
  if (!relinearization_) {
    throw MissingKeyError("these evaluation keys hold no relinearisation key; generate them with relinearization=True");
  }
  return *relinearization_;
}

const KeySwitchKey& EvaluationKeys::galois(std::uint64_t element) const {
  const auto found = galois_.find(element);
  if (found == galois_.end()) {
    throw MissingKeyError(message("these evaluation keys hold no Galois key for element ", element, " (they hold ",
                                  galois_.size(), "); ask for this rotation when the keys are generated"));
  }
  return found->second;
}

Seed derive_seed(const Seed& master, std::uint32_t purpose, std::uint32_t index) {
  // Nonce words 0xffffffff.. keep these blocks apart from every polynomial's stream (streams are small numbers).
  const auto words = master.words();
  std::uint32_t key[8], block[16];
  for (std::size_t i = 0; i < 8; ++i) key[i] = words[i];
  const std::uint32_t nonce[3] = {0xffffffff, purpose, index};
  chacha20_block(key, 0, nonce, block);
  std::array<std::uint8_t, 32> bytes{};
  for (std::size_t i = 0; i < 32; ++i) bytes[i] = static_cast<std::uint8_t>(block[i / 4] >> (8 * (i % 4)));
  const Seed seed(bytes);
  secure_zero(key, sizeof(key));
  secure_zero(block, sizeof(block));
  secure_zero(bytes.data(), bytes.size());
  return seed;
}

void expand_uniform(Engine& engine, View part, const Seed& uniform_seed) {
  part.domain = Domain::transform;
  engine.sample(part, Law::uniform, uniform_seed, Stream::key_switch_uniform);
}

std::uint64_t row_rotation_element(std::size_t degree, std::int64_t steps) {
  const auto order = static_cast<std::int64_t>(degree / 2);
  std::int64_t exponent = steps % order;
  if (exponent < 0) exponent += order;
  std::uint64_t element = 1;
  for (std::uint64_t base = 3, e = static_cast<std::uint64_t>(exponent); e != 0; e >>= 1) {
    if ((e & 1) != 0) element = element * base % (2 * degree);
    base = base * base % (2 * degree);
  }
  return element;
}

std::uint64_t column_rotation_element(std::size_t degree) noexcept { return 2 * degree - 1; }

std::vector<std::uint64_t> slot_sum_elements(std::size_t degree) {
  std::vector<std::uint64_t> elements;
  for (std::size_t step = 1; step < degree / 2; step *= 2) {
    elements.push_back(row_rotation_element(degree, static_cast<std::int64_t>(step)));
  }
  elements.push_back(column_rotation_element(degree));
  return elements;
}

}  // namespace cyclotome::rlwe
