// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/value/joint/joint_keys.hpp"

#include <algorithm>
#include <numeric>

#include "cyclotome/rlwe/joint/share_proof.hpp"

namespace cyclotome::value {

namespace {

template <class Message>
std::vector<const Message*> pointers(std::span<const Message> messages) {
  std::vector<const Message*> out;
  for (const Message& each : messages) out.push_back(&each);
  return out;
}

}  // namespace

rlwe::ThresholdSession threshold_session(const rlwe::Parameters& parameters, std::size_t parties, std::size_t threshold,
                                         const KeyOptions& options, std::uint64_t decryptions, std::size_t audit) {
  // One more than there can be is refused below, and no list of all that somebody asked for is made.
  std::vector<std::uint32_t> numbers(std::min(parties, rlwe::most_parties + 1));
  std::iota(numbers.begin(), numbers.end(), 1);
  return rlwe::ThresholdSession::create(
      parameters, {std::move(numbers), threshold == 0 ? parties : threshold, options.relinearization,
                   galois_elements(parameters, options), decryptions, audit});
}

JointKeys combine(const rlwe::ThresholdSession& session, const rlwe::ContextPtr& context,
                  std::span<const rlwe::KeyShare> first, std::span<const rlwe::KeyShare> second) {
  const rlwe::FirstRound summed(session, context, pointers(first));
  const std::vector<const rlwe::KeyShare*> answers = pointers(second);
  JointKeys keys{summed.public_key(), summed.evaluation_keys(answers)};
  rlwe::require_proved(summed, answers);
  return keys;
}

rlwe::SecretShare sum_of_dealt(const rlwe::ThresholdSession& session, std::uint32_t party,
                               std::span<const rlwe::SecretShare> dealt) {
  return rlwe::sum_of_dealt(session, party, pointers(dealt));
}

Integers threshold_decrypt(const rlwe::ThresholdSession& session, const EncryptedArray& x,
                           std::span<const DecryptionShare> shares, const Options& options) {
  return threshold_decrypt(session, x, pointers(shares), options);
}

}  // namespace cyclotome::value
