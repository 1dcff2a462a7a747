// SPDX-License-Identifier: Apache-2.0
// Example 10: three hospitals have a key of which each holds a part. Anybody encrypts under it and computes; any two of
// them decrypt together, and one alone does not.
#include "examples.hpp"

namespace {

using namespace cyclotome;
using namespace examples;

void joint_keys() {
  title("All agree on a session");
  // Parameters for three parties and flooding of 2^-64: noise bounds count all secrets, and leave room for what hides
  // them.
  const Parameters parameters =
      suggest({.depth = 1, .value_bits = 6, .result_bits = 16, .flooding_bits = 64, .parties = 3});
  const ThresholdSession session = threshold_session(parameters, 3, 2, {.rotations = {{}}});
  const ContextPtr context = make_context(parameters, make_cpu_engine());
  std::cout << session.threshold() << " of " << session.parties().size() << " parties decrypt\n";

  title("A coin, commitments, and two rounds make the keys");
  // Each on a machine of its own, with a file of its own: PartyFile::create("ada.party", session, 1) in place of a
  // number.
  std::vector<JointParty> parties;
  std::vector<Coin> tosses, coins;
  std::vector<Commitment> commitments;
  std::vector<KeyShare> first, second;
  for (const std::uint32_t number : session.parties()) parties.emplace_back(session, context, number);
  for (JointParty& party : parties) tosses.push_back(party.toss());
  for (JointParty& party : parties) commitments.push_back(party.commit(tosses));  // to eight candidates for a share
  for (JointParty& party : parties) coins.push_back(party.show_coin(commitments));
  for (JointParty& party : parties) first.push_back(party.first_share(coins));  // one of them, and the others' seeds
  for (JointParty& party : parties) second.push_back(party.second_share(first));
  std::vector<Acceptance> words;  // each has looked at all proofs, and says which messages it has seen
  for (JointParty& party : parties) words.push_back(party.accept(first, second));
  for (JointParty& party : parties) party.seal(words);
  const JointKeys keys = combine(session, context, first, second);  // everybody can; the secret is nowhere
  check("all know the same key", keys.public_key.id() == parties[0].key() && parties[0].key() == parties[2].key());

  title("Each deals its secret, so that two are enough");
  // Sealed for each receiver and checked by it, so that any channel will do. Identities are compared once, aloud.
  std::vector<Identity> people;
  Identities known;
  for (const JointParty& party : parties) {
    people.push_back(Identity::create());
    known.emplace(party.number(), people.back().public_identity());
  }
  const DealingRound round(session, {.what = DealtSecret::own, .dealers = session.parties()}, known);
  std::vector<ReceivingKeys> issued;  // from each to all
  for (const JointParty& party : parties) {
    issued.push_back(receiving_keys(round, party.number(), people[party.number() - 1]));
  }
  std::vector<Dealing> dealings;                                // from each to all
  std::vector<std::vector<SealedShare>> sealed(people.size());  // from each to each
  for (const JointParty& party : parties) {
    const Dealt dealt = deal_own(round, party.number(), people[party.number() - 1], party.secret(), issued);
    dealings.push_back(dealt.dealing);
    for (const SealedShare& each : dealt.sealed) sealed[each.receiver - 1].push_back(each);
  }
  std::vector<SecretShare> shares;  // in truth each party keeps its own
  for (const JointParty& party : parties) {
    const std::size_t place = party.number() - 1;
    Received received = receive_dealt(round, context, party.number(), people[place], dealings, sealed[place]);
    check("nobody dealt wrongly", received.complaints.empty());
    shares.push_back(std::move(*received.share));
  }

  title("Somebody computes");
  const EncryptedArray x = encrypt({12, -7, 30}, keys.public_key, {.bound = 63}).with_keys(keys.evaluation);
  const EncryptedArray y = x * x + x;

  title("Parties 1 and 3 decrypt");
  const std::vector<std::uint32_t> active = {1, 3};
  std::vector<DecryptionShare> answers;
  for (const std::uint32_t number : active) {
    answers.push_back(parties[number - 1].decryption_share(y, active, 64, &shares[number - 1]));
  }
  check("x * x + x", threshold_decrypt(session, y, answers).to_int64(), {156, 42, 930});

  title("The same with a check of the values");
  // Numbers that nobody knows, made once for a key: all commit to theirs, then show them.
  std::vector<MacShare> numbers;
  std::vector<Pledge> lines;
  std::map<std::uint32_t, std::vector<EncryptedArray>> encrypted;
  for (const std::uint32_t number : session.parties()) {
    numbers.emplace_back(session, number, people[number - 1], keys.public_key);
    lines.push_back(numbers.back().commitment());
    encrypted.emplace(number, numbers.back().arrays());
  }
  const MacKey mac(session, known, keys.public_key, lines, encrypted);  // a MacFile keeps what becomes of it
  // Each step's messages go from each to all who decrypt: a commitment, a share, a commitment, shares of what must be
  // 0.
  const DecryptionPlan plan = {.name = "x * x + x", .active = active};
  std::vector<CheckedDecryption> steps;
  for (const std::uint32_t number : active) {
    steps.emplace_back(parties[number - 1], people[number - 1], y, mac, known, plan, &shares[number - 1]);
  }
  std::vector<Pledge> promises, checks;
  std::vector<DecryptionShare> shown;
  std::vector<std::vector<DecryptionShare>> zeros;
  for (CheckedDecryption& step : steps) promises.push_back(step.commit());
  for (CheckedDecryption& step : steps) shown.push_back(step.reveal(promises));
  for (CheckedDecryption& step : steps) checks.push_back(step.commit_check(shown));
  for (CheckedDecryption& step : steps) zeros.push_back(step.reveal_check(checks));
  check("checked", steps[0].values(zeros).to_int64(), {156, 42, 930});

  title("What is refused");
  Pledge::Facts second_thought = promises[1].facts();
  second_thought.digest = Digest{};
  promises.push_back(Pledge::sign(second_thought, people[2]));
  check_refused<BlameError>("a party that commits to two shares", [&] { return steps[0].reveal(promises); });
  check_refused<MismatchError>("another share than was committed to", [&] { return steps[0].commit_check(answers); });
  answers.pop_back();
  check_refused<ArgumentError>("one share alone", [&] { return threshold_decrypt(session, y, answers); });
  check_refused<MismatchError>("a party's own secret key", [&] { return decrypt(y, parties[0].secret()); });
  JointParty remade(session, context, 3);
  const std::vector<Coin> others = {tosses[0], tosses[1], remade.toss()};
  check_refused<RepeatedAnswerError>("a party that was made anew", [&] { return parties[0].commit(others); });
  const std::vector<Coin> swapped = {
      coins[0], coins[1], Coin(parameters, session.digest(), 3, Coin::Stage::shown, coins[2].basis(), Digest{})};
  check_refused<BlameError>("another coin than was tossed", [&] { return parties[0].first_share(swapped); });
  second[2].prove({});
  check_refused<BlameError>("a second share without its proof",
                            [&] { return combine(session, context, first, second); });
  sealed[1][2].bytes[7] ^= 1;
  check_refused<MismatchError>("a sealed share that a relay altered",
                               [&] { return receive_dealt(round, context, 2, people[1], dealings, sealed[1]); });
  // Who signs both, shows everybody that it is dishonest.
  Complaint false_one{.accuser = 2, .dealing = dealings[2], .sealed = sealed[1][2]};
  check_refused<MismatchError>("a complaint that nobody signed", [&] { return judge(round, context, false_one); });
  check_refused<ArgumentError>("more parties than the parameters are for",
                               [&] { return threshold_session(parameters, 4); });
}

}  // namespace

int main() { return run(joint_keys); }
