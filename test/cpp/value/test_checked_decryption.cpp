// SPDX-License-Identifier: Apache-2.0
// Joint decryption whose values are checked, by what the public header has: honest parties get the values; a party that
// lies is refused, and named where that is possible; what was answered is kept in a file.

#include <deque>
#include <random>

#include "check.hpp"
#include "cyclotome/cyclotome.hpp"
#include "cyclotome/ring/randomness/libcrypto.hpp"
#include "folder.hpp"
#include "io_objects.hpp"

namespace {

using namespace cyclotome;

using Numbers = std::vector<std::int64_t>;

constexpr unsigned flooding_bits = 40;

ContextPtr context_of(const Scheme& scheme, Word word) {
  rlwe::ParametersLiteral literal = word == Word::u64 ? io_objects::small_literal(16, word, 50, 6, 1, {786433})
                                                      : io_objects::small_literal(16, word, 28, 11, 1, {257});
  literal.scheme = &scheme;
  literal.parties = 3;
  return make_context(Parameters(literal), make_cpu_engine());
}

/// Three parties with a key, of whom all decrypt, or two.
struct Circle {
  ContextPtr context;
  ThresholdSession session;
  std::deque<JointParty> parties;
  std::vector<Identity> identities;
  Identities known;
  std::optional<JointKeys> keys;
  std::vector<SecretShare> shares;
  std::map<std::uint32_t, MacShare> numbers;

  explicit Circle(const ContextPtr& made, std::size_t threshold = 0, std::optional<std::size_t> count = std::nullopt)
      : context(made),
        session(threshold_session(made->parameters(), 3, threshold, {.rotations = {{}}}, usual_reveals, 1)) {
    for (const std::uint32_t number : session.parties()) {
      parties.emplace_back(session, context, number);
      identities.push_back(Identity::create());
      known.emplace(number, identities.back().public_identity());
    }
    JointMessages inbox;
    while (!keys) {
      JointMessages next;
      for (JointParty& party : parties) {
        JointProgress progress = party.advance(inbox);
        if (progress.keys) keys = progress.keys;
        for (const auto& each : progress.sent.commitments) next.commitments.push_back(each);
        for (const auto& each : progress.sent.shares) next.shares.push_back(each);
        for (const auto& each : progress.sent.acceptances) next.acceptances.push_back(each);
      }
      inbox = next;
    }
    if (session.shares_secrets()) deal();
    for (const std::uint32_t number : session.parties()) {
      numbers.emplace(number, MacShare(session, number, identities[number - 1], keys->public_key, count));
    }
  }

  void deal() {
    std::vector<std::vector<SecretShare>> dealt(parties.size());
    for (const JointParty& party : parties) {
      for (SecretShare& each : party.deal()) dealt[each.to() - 1].push_back(std::move(each));
    }
    for (const JointParty& party : parties) {
      shares.push_back(sum_of_dealt(session, party.number(), dealt[party.number() - 1]));
    }
  }

  std::vector<Pledge> lines() const {
    std::vector<Pledge> all;
    for (const auto& [party, each] : numbers) all.push_back(Pledge::from_text(each.commitment().text()));
    return all;
  }
  std::map<std::uint32_t, std::vector<EncryptedArray>> arrays() const {
    std::map<std::uint32_t, std::vector<EncryptedArray>> all;
    for (const auto& [party, each] : numbers) all.emplace(party, each.arrays());
    return all;
  }
  MacKey key(std::shared_ptr<MacStore> store = mac_store_in_memory()) const {
    return MacKey(session, known, keys->public_key, lines(), arrays(), std::move(store));
  }
  const SecretShare* share_of(std::uint32_t party) const { return shares.empty() ? nullptr : &shares[party - 1]; }
  CheckedDecryption step(std::uint32_t party, const EncryptedArray& x, const MacKey& checks,
                         const std::vector<std::uint32_t>& active, const std::string& name = "y") const {
    return {parties[party - 1], identities[party - 1], x, checks, known, {name, active, flooding_bits},
            share_of(party)};
  }
  DecryptionShare plain_share(std::uint32_t party, const EncryptedArray& x,
                              const std::vector<std::uint32_t>& active) const {
    return parties[party - 1].decryption_share(x, active, flooding_bits, share_of(party));
  }
  EncryptedArray encrypted(const Integers& values) const {
    return encrypt(values, keys->public_key, {.bound = 10}).with_keys(keys->evaluation);
  }
};

/// A share of x that makes it decrypt to y, which is x and something public.
DecryptionShare shifted(const DecryptionShare& share, const EncryptedArray& x, const EncryptedArray& y) {
  std::vector<PolyArray> channels;
  for (std::size_t i = 0; i < share.channels().size(); ++i) {
    const auto first_part = [&](const EncryptedArray& array) {
      PolyArray all = array.channels()[i].polynomials().clone();
      all.to_coefficient();
      return all.to_host();
    };
    const std::vector<std::uint64_t> before = first_part(x), after = first_part(y);
    const std::vector<std::uint64_t> moduli = share.context()->parameters().moduli();
    PolyArray channel = share.channels()[i].clone();
    std::vector<std::uint64_t> residues = channel.to_host();
    const std::size_t degree = channel.degree();
    for (std::size_t j = 0; j < residues.size(); ++j) {  // one ciphertext: part 0 comes first
      const std::uint64_t q = moduli[j / degree];
      residues[j] = (residues[j] + after[j] + (q - before[j])) % q;
    }
    channel.from_host(residues);
    channels.push_back(std::move(channel));
  }
  return {share.context(), share.facts(), std::move(channels)};
}

/// What decrypting gives to each honest party, where the last of those who decrypt shows, and commits to, a share that
/// turns x into y.
std::vector<Numbers> decrypted(const Circle& circle, const EncryptedArray& x, const MacKey& key,
                               const std::vector<std::uint32_t>& active, const EncryptedArray* lie = nullptr) {
  std::vector<CheckedDecryption> steps;
  for (const std::uint32_t party : active) steps.push_back(circle.step(party, x, key, active));
  std::vector<Pledge> lines;
  for (CheckedDecryption& step : steps) lines.push_back(step.commit());
  std::vector<DecryptionShare> shares;
  const std::uint32_t liar = active.back();
  if (lie != nullptr) {
    shares.push_back(shifted(circle.plain_share(liar, x, active), x, *lie));
    lines.pop_back();
    lines.push_back(Pledge::sign({liar, Pledge::Stage::share, steps[0].question(), digest_of(shares)},
                                 circle.identities[liar - 1]));
    steps.pop_back();
  }
  for (CheckedDecryption& step : steps) shares.push_back(step.reveal(lines));
  std::vector<Pledge> checks;
  for (CheckedDecryption& step : steps) checks.push_back(step.commit_check(shares));
  std::vector<std::vector<DecryptionShare>> answers;
  if (lie != nullptr) {  // its shares of the check are as honest as those of others
    const EncryptedArray wrapped(x.placed(), Bound::wrapping(), x.keys());
    const Integers values = threshold_decrypt(circle.session, x, shares);
    answers.emplace_back();
    for (const EncryptedArray& alpha : key.sums()) {
      answers.front().push_back(circle.plain_share(liar, alpha.with_keys(x.keys()) * (wrapped - values), active));
    }
    checks.push_back(Pledge::sign({liar, Pledge::Stage::check, steps[0].question(), digest_of(answers.front())},
                                  circle.identities[liar - 1]));
  }
  for (CheckedDecryption& step : steps) answers.push_back(step.reveal_check(checks));
  std::vector<Numbers> found;
  for (CheckedDecryption& step : steps) found.push_back(step.values(answers).to_int64());
  return found;
}

void honest_parties_get_the_values_of(const Scheme& scheme, Word word) {
  for (const std::size_t threshold : {0, 2}) {
    const Circle circle(context_of(scheme, word), threshold);
    const EncryptedArray x = circle.encrypted({3, 0, 2, 7}), y = x * x;
    const MacKey key = circle.key();
    CHECK_EQ(key.sums().size(), word == Word::u64 ? 3U : 5U);
    const std::vector<std::uint32_t> active =
        threshold == 0 ? circle.session.parties() : std::vector<std::uint32_t>{1, 3};
    for (const Numbers& each : decrypted(circle, y, key, active)) CHECK(each == Numbers({9, 0, 4, 49}));
    for (const Numbers& each : decrypted(circle, x, key, active)) CHECK(each == Numbers({3, 0, 2, 7}));
    CHECK(!key.spent());
  }
}

TEST(honest_parties_get_the_values) {
  honest_parties_get_the_values_of(bfv_scheme(), Word::u64);
  honest_parties_get_the_values_of(bgv_scheme(), Word::u64);
  honest_parties_get_the_values_of(bfv_scheme(), Word::u32);
  honest_parties_get_the_values_of(bgv_scheme(), Word::u32);
}

TEST(a_lie_that_decrypt_gives_is_refused_and_spends_the_numbers) {
  for (const Scheme* const scheme : {&bfv_scheme(), &bgv_scheme()}) {
    const Circle circle(context_of(*scheme, Word::u64));
    const EncryptedArray x = circle.encrypted({3, 0, 2, 7}), lie = x + Integers{0, 0, 1, 0};
    const std::vector<std::uint32_t>& all = circle.session.parties();
    const std::vector<DecryptionShare> shares = {circle.plain_share(1, x, all), circle.plain_share(2, x, all),
                                                 shifted(circle.plain_share(3, x, all), x, lie)};
    CHECK(threshold_decrypt(circle.session, x, shares).to_int64() == Numbers({3, 0, 3, 7}));  // nothing shows
    const MacKey key = circle.key();
    CHECK_THROWS(ContradictionError, decrypted(circle, x, key, all, &lie));
    CHECK(key.spent());
    CHECK_THROWS(ContradictionError, circle.step(1, x, key, all));
  }
}

TEST(sets_that_differ_in_one_party_name_who_lies) {
  const Circle circle(context_of(bfv_scheme(), Word::u64), 2);
  const EncryptedArray x = circle.encrypted({3, 0, 2, 7}), lie = x + Integers{0, 0, 1, 0};
  std::vector<std::vector<std::uint32_t>> failed, passed;
  for (const std::vector<std::uint32_t>& active : {std::vector<std::uint32_t>{1, 3}, {2, 3}, {1, 2}}) {
    try {
      decrypted(circle, x, circle.key(), active, active.back() == 3 ? &lie : nullptr);
      passed.push_back(active);
    } catch (const ContradictionError&) {
      failed.push_back(active);
    }
  }
  CHECK(liars(failed, passed) == std::vector<std::uint32_t>{3});
}

TEST(who_commits_to_two_things_or_shows_another_is_refused) {
  const Circle circle(context_of(bfv_scheme(), Word::u64));
  const EncryptedArray x = circle.encrypted({3, 0, 2, 7});
  const MacKey key = circle.key();
  std::deque<CheckedDecryption> steps;
  for (const std::uint32_t party : circle.session.parties()) {
    steps.push_back(circle.step(party, x, key, circle.session.parties()));
  }
  CHECK_THROWS(ArgumentError, steps[0].reveal({}));
  std::vector<Pledge> lines;
  for (CheckedDecryption& step : steps) lines.push_back(step.commit());
  CHECK_THROWS(ArgumentError, steps[0].commit_check({}));
  CHECK_THROWS(ArgumentError, steps[0].reveal(std::span(lines).first(2)));
  CHECK(circle.step(1, x, key, {}, "other").question() != steps[0].question());
  std::vector<Pledge> others = lines;
  others[2] = circle.step(3, x, key, {}, "other").commit();
  CHECK_THROWS(MismatchError, steps[0].reveal(others));
  others[2] = Pledge::sign(lines[2].facts(), circle.identities[1]);
  CHECK_THROWS(MismatchError, steps[0].reveal(others));
  others = lines;
  Pledge::Facts facts = lines[2].facts();
  facts.digest[0] ^= 1;
  others.push_back(Pledge::sign(facts, circle.identities[2]));
  try {
    steps[0].reveal(others);
    CHECK(false);
  } catch (const BlameError& blame) {
    CHECK(blame.parties() == std::vector<std::uint32_t>{3});
    CHECK_EQ(blame.stage(), "share");
  }
  const auto is_signed = [&](const Pledge& each) { return each.signed_by(circle.known.at(each.facts().party)); };
  const auto fault = fault_in(others, is_signed);
  CHECK(fault && fault->party == 3);
  CHECK(!fault_in(lines, is_signed));
  others[0] = Pledge::sign(lines[0].facts(), circle.identities[1]);
  CHECK_THROWS(MismatchError, fault_in(others, is_signed));

  std::vector<DecryptionShare> shares;
  for (CheckedDecryption& step : steps) shares.push_back(step.reveal(lines));
  const EncryptedArray lie = x + Integers{1};
  std::vector<DecryptionShare> altered = shares;
  altered[2] = shifted(shares[2], x, lie);
  CHECK_THROWS(MismatchError, steps[0].commit_check(altered));
  CHECK_THROWS(ArgumentError, steps[0].commit_check(std::span(shares).first(2)));
  altered[2] = shares[1];
  CHECK_THROWS(ArgumentError, steps[0].commit_check(altered));
}

TEST(numbers_that_an_unfinished_check_holds_check_nothing_else_after_a_restart_neither) {
  const check::Folder folder;
  const std::string path = folder.file("numbers.state");
  const Circle circle(context_of(bfv_scheme(), Word::u64), 0, 1);
  const std::vector<std::uint32_t>& all = circle.session.parties();
  const EncryptedArray x = circle.encrypted({3, 0, 2, 7}), other = circle.encrypted({1, 1, 1, 1});
  const auto begun = [&](const EncryptedArray& y, const MacKey& key) {
    std::deque<CheckedDecryption> steps;
    for (const std::uint32_t party : all) steps.push_back(circle.step(party, y, key, all));
    std::vector<Pledge> lines, checks;
    std::vector<DecryptionShare> shares;
    for (CheckedDecryption& step : steps) lines.push_back(step.commit());
    for (CheckedDecryption& step : steps) shares.push_back(step.reveal(lines));
    for (CheckedDecryption& step : steps) checks.push_back(step.commit_check(shares));
    return steps.front().reveal_check(checks);
  };
  const MacKey key = circle.key(std::make_shared<MacFile>(path));
  begun(x, key);
  begun(x, key);  // the same answer to the same question
  CHECK_THROWS(ContradictionError, begun(other, key));
  CHECK_THROWS(ContradictionError, begun(other, circle.key(std::make_shared<MacFile>(path))));
  decrypted(circle, x, circle.key(std::make_shared<MacFile>(path)), all);
  begun(other, key);  // the other one is finished
  CHECK_THROWS(MismatchError, Circle(circle.context, 0, 1).key(std::make_shared<MacFile>(path)));
  io::write_file(path, std::vector<std::uint8_t>{'f', 'r', 'e', 'e'}, Privacy::shared);
  CHECK_THROWS(FormatError, key.spent());
}

TEST(numbers_to_check_with_are_everybodys) {
  const Circle circle(context_of(bfv_scheme(), Word::u64), 0, 1);
  auto arrays = circle.arrays();
  const auto with = [&] {
    return MacKey(circle.session, circle.known, circle.keys->public_key, circle.lines(), arrays);
  };
  with();
  arrays.at(3) = {encrypt(5, circle.keys->public_key, {.wrap = true}) - arrays.at(1)[0] - arrays.at(2)[0]};
  CHECK_THROWS(MismatchError, with());
  arrays.erase(3);
  CHECK_THROWS(ArgumentError, with());
  CHECK_THROWS(ArgumentError, MacShare(circle.session, 1, circle.identities[0], circle.keys->public_key, 0));
  CHECK_THROWS(ArgumentError, MacShare(circle.session, 4, circle.identities[0], circle.keys->public_key));
}

TEST(a_commitment_is_a_line_of_one_spelling) {
  const Identity ada = Identity::create();
  const Pledge made = Pledge::sign({65535, Pledge::Stage::check, {1, 2}, {3}}, ada);
  const std::string text = made.text();
  CHECK(Pledge::from_text(text).signed_by(ada.public_identity()));
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string changed = text;
    changed[i] = changed[i] == '0' ? '1' : '0';
    try {
      CHECK(!Pledge::from_text(changed).signed_by(ada.public_identity()));
    } catch (const ArgumentError&) {  // no commitment at all
    }
    CHECK_THROWS(ArgumentError, Pledge::from_text(text.substr(0, i)));
  }
  CHECK_THROWS(ArgumentError, Pledge::from_text(text + " "));
}

}  // namespace

int main() {
  if (libcrypto::curves_state() != "ready") {
    std::cout << "skipped: " << libcrypto::curves_state() << '\n';
    return 77;
  }
  return check::run();
}
