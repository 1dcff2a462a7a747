// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/rlwe/joint/threshold_seeds.hpp"

#include <string_view>
#include <vector>

#include "cyclotome/math/hmac.hpp"
#include "cyclotome/math/secure_zero.hpp"

namespace cyclotome::rlwe {

namespace {

/// A seed of HMAC's output, of which no other copy stays.
Seed seed_of(std::span<const std::uint8_t> key, std::span<const std::uint8_t> text) {
  Digest digest = hmac_sha256(key, text);
  Seed seed(digest);
  secure_zero(digest.data(), digest.size());
  return seed;
}

/// HMAC of the session's digest with the secret's coefficients, which have n log2(3) bits of entropy, as key.
Seed master_seed(const ThresholdSession& session, const SecretKey& secret) {
  const ZeroisingVector<std::int8_t> coefficients = secret.coefficients();
  return seed_of({reinterpret_cast<const std::uint8_t*>(coefficients.data()), coefficients.size()}, session.digest());
}

}  // namespace

Seed labelled_seed(const Seed& party, std::string_view label, std::span<const std::uint8_t> text) {
  std::vector<std::uint8_t> whole(label.begin(), label.end());
  whole.insert(whole.end(), text.begin(), text.end());
  return seed_of(party.bytes(), whole);
}

PublicSeed common_seed(const ThresholdSession& session, Purpose purpose, std::uint64_t element) {
  return PublicSeed::publish(
      derive_seed(session.reference().to_draw_with(), session.parameters(),
                  {.purpose = purpose, .key = session.id(), .element = element, .half = Half::uniform}));
}

PublicSeed answer_seed(const ThresholdSession& session, const Digest& first_round) {
  return PublicSeed::publish(derive_seed(Seed(first_round), session.parameters(),
                                         {.purpose = Purpose::joint_relinearization_second,
                                          .key = joint_key_id(session.digest(), first_round),
                                          .half = Half::uniform}));
}

PartySeeds::PartySeeds(const ThresholdSession& session, const SecretKey& secret)
    : parameters_(session.parameters()), id_(secret.id()), master_(master_seed(session, secret)) {}

Seed PartySeeds::derive(Purpose purpose, std::uint64_t element, Half half) const {
  return derive_seed(master_, parameters_, {.purpose = purpose, .key = id_, .element = element, .half = half});
}

PartySeeds PartySeeds::answering(const Digest& first_round) const {
  return {parameters_, id_, labelled_seed(master_, "cyclotome joint answer", first_round)};
}

Seed PartySeeds::master_of(std::span<const std::uint8_t> context) const { return seed_of(master_.bytes(), context); }

void hash_polynomials(Sha256& hash, const PolyArray& polynomials) {
  std::vector<std::uint8_t> words(polynomials.limbs() * polynomials.degree() * bytes_of(polynomials.word()));
  for (std::size_t item = 0; item < polynomials.batch(); ++item) {
    for (std::size_t part = 0; part < polynomials.parts(); ++part) {
      polynomials.download_part(item, part, words.data());
      hash.update(words);
    }
  }
}

}  // namespace cyclotome::rlwe
