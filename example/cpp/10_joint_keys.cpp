// SPDX-License-Identifier: Apache-2.0
// Example 10: three hospitals have a key of which each holds a part. Anybody encrypts under it and computes; any two of
// them decrypt together, and one alone does not.
#include "examples.hpp"

namespace {

using namespace cyclotome;
using namespace examples;

/// A party, on a machine of its own. Everything that it sends goes by files; here the objects are handed over.
struct Party {
  std::uint32_t number;
  SecretKey secret;
  std::vector<SecretShare> received;
};

void joint_keys() {
  title("All agree on a session");
  // Parameters for three parties and flooding of 2^-64: noise bounds count all secrets, and leave room for what hides
  // them.
  const Parameters parameters =
      suggest({.depth = 1, .value_bits = 6, .result_bits = 16, .flooding_bits = 64, .parties = 3});
  const ThresholdSession session = threshold_session(parameters, 3, 2, {.rotations = {{}}});
  const ContextPtr context = make_context(parameters, make_cpu_engine());
  std::cout << session.threshold() << " of " << session.parties().size() << " parties decrypt\n";

  title("Two rounds make the keys");
  std::vector<Party> parties;
  std::vector<KeyShare> first, second;
  for (const std::uint32_t number : session.parties()) {
    parties.push_back({number, generate_party_key(session, context, number), {}});
    first.push_back(first_share(session, number, parties.back().secret));
  }
  for (const Party& party : parties) second.push_back(second_share(session, party.number, party.secret, first));
  const JointKeys keys = combine(session, context, first, second);  // everybody can; the secret is nowhere
  check("the key belongs to the session", keys.public_key.id() == session.key());

  title("Each deals its secret, so that two are enough");
  for (const Party& dealer : parties) {
    std::vector<SecretShare> dealt = deal_secret(session, dealer.number, dealer.secret);
    for (std::size_t i = 0; i < dealt.size(); ++i) parties[i].received.push_back(std::move(dealt[i]));
  }
  std::vector<SecretShare> shares;  // in truth each party keeps its own
  for (const Party& party : parties) shares.push_back(sum_of_dealt(session, party.number, party.received));

  title("Somebody computes");
  const EncryptedArray x = encrypt({12, -7, 30}, keys.public_key, {.bound = 63}).with_keys(keys.evaluation);
  const EncryptedArray y = x * x + x;

  title("Parties 1 and 3 decrypt");
  const std::vector<std::uint32_t> active = {1, 3};
  std::vector<DecryptionShare> answers;
  for (const std::uint32_t number : active) {
    const Party& party = parties[number - 1];
    answers.push_back(decryption_share(session, number, party.secret, &shares[number - 1], y, active, 64));
  }
  check("x * x + x", threshold_decrypt(session, y, answers).to_int64(), {156, 42, 930});

  title("What is refused");
  answers.pop_back();
  check_refused<ArgumentError>("one share alone", [&] { return threshold_decrypt(session, y, answers); });
  check_refused<MismatchError>("a party's own secret key", [&] { return decrypt(y, parties[0].secret); });
  check_refused<ArgumentError>("more parties than the parameters are for",
                               [&] { return threshold_session(parameters, 4); });
}

}  // namespace

int main() { return run(joint_keys); }
