// SPDX-License-Identifier: Apache-2.0
// What programs get by cyclotome.hpp beside the rooms' own functions: keys from what they shall do, stored objects, and
// an evaluator; all by names in cyclotome::.

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "check.hpp"
#include "cyclotome/cyclotome.hpp"
#include "folder.hpp"

namespace {

using namespace cyclotome;
using check::Folder;

constexpr std::size_t degree = 16;

Parameters small(const Scheme& scheme, std::vector<std::uint64_t> plain) {
  ParametersLiteral p;
  p.scheme = &scheme;
  p.degree = degree;
  p.plain_moduli = std::move(plain);
  p.moduli = primes_congruent_to_one(50, 2 * degree, 4);
  p.special_moduli = primes_congruent_to_one(51, 2 * degree, 1);
  p.security = 0;
  p.allow_insecure = true;
  return Parameters(p);
}

ContextPtr context_of(const Scheme& scheme, std::vector<std::uint64_t> plain) {
  return make_context(small(scheme, std::move(plain)), make_cpu_engine(1));
}

std::vector<std::uint64_t> made(const Parameters& parameters, const KeyOptions& options) {
  return value::galois_elements(parameters, options);
}

std::vector<std::uint64_t> ascending(std::vector<std::uint64_t> values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

TEST(bytes_are_taken_in_both_types_that_cpp_has_for_them) {
  const Bytes bytes = to_bytes(small(bfv_scheme(), {97}));
  const std::vector<std::uint8_t> octets(bytes.begin(), bytes.end());
  std::vector<std::byte> others(bytes.size());
  std::transform(bytes.begin(), bytes.end(), others.begin(), [](std::uint8_t byte) { return std::byte{byte}; });
  const Limits limits{.allow_insecure = true};
  CHECK_EQ(StoredObject(octets, limits).kind(), std::string("parameters"));
  CHECK_EQ(StoredObject(others, limits).kind(), std::string("parameters"));
  others.back() ^= std::byte{1};
  CHECK_THROWS(FormatError, StoredObject(others, limits));
}

TEST(keys_for_what_is_asked) {
  const Parameters parameters = small(bfv_scheme(), {97});
  const GaloisGroup& group = parameters.ring()->galois();
  const std::uint64_t columns = rlwe::column_rotation_element(group);
  CHECK_EQ(columns, 2 * degree - 1);
  const std::vector<std::uint64_t> sums = ascending(rlwe::slot_sum_elements(group));
  CHECK_EQ(made(parameters, {}), sums);
  std::vector<std::uint64_t> no_swap = sums;
  std::erase(no_swap, columns);
  CHECK_EQ(made(parameters, {.columns = false}), no_swap);
  CHECK_EQ(made(parameters, {.rotations = {{}}}), std::vector<std::uint64_t>{});
  CHECK_EQ(made(parameters, {.rotations = {{}}, .columns = true}), std::vector<std::uint64_t>{columns});
  // 3^1, and 3^-1 = 3^7 modulo 32: of a row of 8 slots; 9 steps are 1.
  CHECK_EQ(made(parameters, {.rotations = {{1, -1, 9, 1}}}), (std::vector<std::uint64_t>{3, 11}));
  CHECK_EQ(made(parameters, {.rotations = {{}}, .galois_elements = {5, 1, 31}}), (std::vector<std::uint64_t>{5, 31}));
  const std::vector<std::uint64_t> matrix = made(parameters, {.rotations = {{}}, .matrices = {{3, 5}}});
  CHECK(std::find(matrix.begin(), matrix.end(), columns) != matrix.end());
  CHECK(matrix.size() > 1);

  CHECK_THROWS_WITH(ArgumentError, made(parameters, {.rotations = {{0}}}), "moves nothing");
  CHECK_THROWS_WITH(ArgumentError, made(parameters, {.rotations = {{-8}}}), "multiples of 8");
  CHECK_THROWS_WITH(ArgumentError, made(parameters, {.galois_elements = {2}}), "must be odd");
  CHECK_THROWS_WITH(ArgumentError, made(parameters, {.galois_elements = {33}}), "below 2n");
  CHECK_THROWS_WITH(ArgumentError, made(parameters, {.galois_elements = {0}}), "must be odd");
  CHECK_THROWS_WITH(ArgumentError, made(parameters, {.matrices = {{0, 3}}}), "no values");
  CHECK_THROWS_WITH(ArgumentError, made(small(bfv_scheme(), {103}), {.matrices = {{2, 3}}}), "no two rows");
}

TEST(keys_do_what_was_asked) {
  const ContextPtr context = context_of(bfv_scheme(), {97});
  const auto [secret, public_key, evaluation] = keygen(context, {.rotations = {{2}}});
  CHECK(evaluation.has_relinearization());
  CHECK_EQ(evaluation.all_galois().size(), 1U);
  CHECK_EQ(evaluation.id(), secret.id());
  CHECK_EQ(public_key.id(), secret.id());
  CHECK(!keygen(context, {.relinearization = false}).evaluation.has_relinearization());
  const std::vector<std::int64_t> values = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  const EncryptedArray x = encrypt(values, public_key, {.bound = 40}).with_keys(evaluation);
  CHECK_EQ(decrypt(rotate_rows(x, 2), secret).to_int64(),
           (std::vector<std::int64_t>{2, 3, 4, 5, 6, 7, 0, 1, 10, 11, 12, 13, 14, 15, 8, 9}));
  CHECK_THROWS(MissingKeyError, rotate_rows(x, 1));
  set_memory_limit(1000);
  CHECK_THROWS_WITH(MemoryLimitError, keygen(context), "keygen");
  set_memory_limit(std::nullopt);
}

TEST(stored_objects_of_every_kind) {
  const Limits insecure = {.allow_insecure = true};
  for (const Scheme* scheme : {&bfv_scheme(), &bgv_scheme()}) {
    const ContextPtr context = context_of(*scheme, {97, 193});
    const Keys keys = keygen(context), others = keygen(context);
    const std::vector<std::int64_t> values = {1, -2, 3};
    const EncryptedArray x = encrypt(values, keys.public_key, {.bound = 9});
    const std::uint8_t note[] = {1, 2, 3};
    const auto stored = [&](Bytes bytes) { return StoredObject(std::move(bytes), insecure); };

    const StoredObject array = stored(to_bytes(x, note));
    CHECK(array.parameters().fingerprint() == context->parameters().fingerprint());
    CHECK_EQ(array.key_id(), keys.secret.id());
    CHECK(std::ranges::equal(array.metadata(), note));
    CHECK_EQ(decrypt(array.array(context), keys.secret).to_int64(), values);
    CHECK_THROWS(MismatchError, decrypt(array.array(context), others.secret));
    CHECK_THROWS(FormatError, array.public_key(context));
    CHECK_THROWS(FormatError, array.secret_key(context));
    CHECK_THROWS(MismatchError, array.array(context_of(*scheme, {97})));

    const SecretKey secret = stored(to_bytes(keys.secret)).secret_key(context);
    CHECK_EQ(decrypt(x, secret).to_int64(), values);
    const PublicKey public_key = stored(to_bytes(keys.public_key)).public_key(context);
    const EvaluationKeys evaluation = stored(to_bytes(keys.evaluation)).evaluation_keys(context);
    const EncryptedArray y = encrypt(values, public_key, {.bound = 9}).with_keys(evaluation);
    CHECK_EQ(decrypt(sum(y * y), secret).to_int64(), std::vector<std::int64_t>{14});
    const RekeyingKey rekeying = RekeyingKey::generate(keys.secret, others.secret);
    const RekeyingKey read = stored(to_bytes(rekeying)).rekeying_key(context);
    CHECK_EQ(decrypt(rekey(x, read), others.secret).to_int64(), values);
    const PlainArray weights = stored(to_bytes(PlainArray(context, {2, 3, -4}))).plain_array(context);
    CHECK_EQ(decrypt(multiply(x, weights), keys.secret).to_int64(), (std::vector<std::int64_t>{2, -6, -12}));
    CHECK_THROWS(FormatError, array.plain_array(context));
    const StoredObject parameters = stored(to_bytes(context->parameters()));
    CHECK_EQ(parameters.kind(), "parameters");
    CHECK_EQ(parameters.key_id(), KeyId{});
    CHECK_THROWS(FormatError, parameters.array(context));

    Bytes damaged = to_bytes(x);
    damaged[damaged.size() / 2] ^= 4;
    CHECK_THROWS(FormatError, stored(damaged));
    CHECK_THROWS(FormatError, stored(Bytes{}));
    CHECK_THROWS(FormatError, StoredObject(to_bytes(x), {.max_bytes = 10, .allow_insecure = true}));
    CHECK_THROWS(FormatError, StoredObject(to_bytes(x), {.max_expanded_bytes = 10, .allow_insecure = true}));
    CHECK_THROWS(SecurityError, StoredObject(to_bytes(x)));
  }
}

TEST(stored_objects_move_and_own_their_bytes) {
  const ContextPtr context = context_of(bfv_scheme(), {97});
  const Keys keys = keygen(context);
  const EncryptedArray x = encrypt({5}, keys.public_key, {.bound = 9});
  Bytes bytes = to_bytes(x);
  StoredObject first(std::span<const std::uint8_t>(bytes), {.allow_insecure = true});
  std::fill(bytes.begin(), bytes.end(), std::uint8_t{0});  // it has a copy
  StoredObject second = std::move(first);
  StoredObject third(to_bytes(keys.public_key), {.allow_insecure = true});
  third = std::move(second);
  CHECK_EQ(decrypt(third.array(context), keys.secret).to_int64(), std::vector<std::int64_t>{5});
  static_assert(!std::is_copy_constructible_v<StoredObject> && !std::is_copy_constructible_v<SecretKey>);
}

TEST(files_and_passphrases) {
  const Folder folder;
  const ContextPtr context = context_of(bgv_scheme(), {97});
  const Keys keys = keygen(context);
  const EncryptedArray x = encrypt({5, 6}, keys.public_key, {.bound = 9});
  const std::string path = folder.file("x.cyc");
  const Limits insecure = {.allow_insecure = true};
  save(path, x);
  CHECK_EQ(decrypt(StoredObject::load(path, insecure).array(context), keys.secret).to_int64(),
           (std::vector<std::int64_t>{5, 6}));
  CHECK_THROWS(FileError, save(path, x, Existing::refused));
  CHECK_THROWS(FileError, StoredObject::load(folder.file("none"), insecure));
  CHECK_THROWS(SecurityError, StoredObject::load(path));

  const StoredObject locked(to_bytes(keys.secret, "a passphrase"), insecure);
  CHECK(locked.needs_passphrase());
  CHECK_THROWS_WITH(PassphraseError, locked.secret_key(context), "passphrase");
  CHECK_THROWS(PassphraseError, locked.secret_key(context, "another"));
  CHECK_EQ(decrypt(x, locked.secret_key(context, "a passphrase")).to_int64(), (std::vector<std::int64_t>{5, 6}));
  CHECK_THROWS(ArgumentError, to_bytes(keys.secret, ""));
}

// What a party remembers is bounded; what it has counted is not forgotten with it.
TEST(a_party_counts_what_it_helps_to_decrypt) {
  const auto question = [](std::uint32_t number) {
    Digest digest{};
    for (std::size_t i = 0; i < 4; ++i) digest[i] = static_cast<std::uint8_t>(number >> (8 * i));
    return digest;
  };
  PartyState state(Digest{1}, 1, Seed(std::array<std::uint8_t, 32>{7}), {}, Digest{});
  constexpr std::uint64_t planned = 2100;
  for (std::uint32_t i = 0; i < 1025; ++i) state.decrypt(question(i), 2, planned);
  state.decrypt(question(1024), 2, planned);
  CHECK_EQ(state.decrypted().ciphertexts, std::uint64_t{2050});
  CHECK_EQ(state.changes(), std::size_t{1025});
  CHECK(!state.has_decrypted(question(0)) && state.has_decrypted(question(1)));
  state.decrypt(question(0), 2, planned);
  CHECK_EQ(state.decrypted().ciphertexts, std::uint64_t{2052});
  CHECK_THROWS_WITH(BudgetError, state.decrypt(question(2000), 49, planned), "48 are left of the 2100");
  CHECK(!state.has_decrypted(question(2000)));
  state.decrypt(question(2000), 48, planned);
  CHECK_THROWS_WITH(BudgetError, state.decrypt(question(2001), ~std::uint64_t{0}, planned), "0 are left");
}

TEST(joint_keys_and_their_messages) {
  const Folder folder;
  for (const Scheme* scheme : {&bfv_scheme(), &bgv_scheme()}) {
    ParametersLiteral literal;
    literal.scheme = scheme;
    literal.degree = degree;
    literal.plain_moduli = {97};
    literal.moduli = primes_congruent_to_one(50, 2 * degree, 4);
    literal.special_moduli = primes_congruent_to_one(51, 2 * degree, 1);
    literal.security = 0;
    literal.allow_insecure = true;
    literal.parties = 3;
    const Parameters parameters(literal);
    const ContextPtr context = make_context(parameters, make_cpu_engine(1));
    const Limits insecure = {.allow_insecure = true};
    const auto stored = [&](const Bytes& bytes) {
      return StoredObject(std::span<const std::uint8_t>(bytes), insecure);
    };
    CHECK_THROWS(ArgumentError, threshold_session(parameters, 1));
    CHECK_THROWS_WITH(ArgumentError, threshold_session(parameters, 4), "allow for 3");
    CHECK_THROWS(ArgumentError, threshold_session(parameters, std::size_t{1} << 40));
    CHECK_THROWS(ArgumentError, threshold_session(parameters, 3, 4));
    CHECK_THROWS(ArgumentError, threshold_session(parameters, 3, 1));
    CHECK_THROWS_WITH(ArgumentError, threshold_session(parameters, 3, 2, {}, 0), "[1, 2^60]");
    const ThresholdSession session =
        stored(to_bytes(threshold_session(parameters, 3, 2, {.rotations = {{1}}}, usual_reveals, 1)))
            .threshold_session();
    const ThresholdSession audited =
        stored(to_bytes(threshold_session(parameters, 3, 2, {.rotations = {{1}}}))).threshold_session();
    CHECK_EQ(audited.audit(), std::size_t{8});
    CHECK_THROWS_WITH(ArgumentError, threshold_session(parameters, 3, 2, {}, usual_reveals, 0), "8 is usual");
    CHECK_THROWS(ArgumentError, threshold_session(parameters, 3, 2, {}, usual_reveals, 257));
    std::vector<std::string> files;
    std::vector<JointParty> parties;
    std::vector<Commitment> commitments;
    std::vector<KeyShare> first, second;
    for (const std::uint32_t party : session.parties()) {
      files.push_back(folder.file(parameters.summary().substr(0, 3) + std::to_string(party) + ".party"));
      parties.emplace_back(session, context, PartyFile::create(files.back(), session, party));
      CHECK(file_is_private(files.back()));
      commitments.push_back(stored(to_bytes(parties.back().commit())).key_commitment());
    }
    CHECK_THROWS(ArgumentError, parties[0].first_share(std::span(commitments).first(2)));
    for (JointParty& party : parties) {
      first.push_back(stored(to_bytes(party.first_share(commitments))).key_share(context));
    }
    CHECK_THROWS(FileError, PartyFile::create(files[0], session, 1));
    CHECK_THROWS(ArgumentError, parties[0].key());
    for (JointParty& party : parties) second.push_back(party.second_share(first));
    // Whoever reads the file again is the same party, which gives the same answer and no other.
    JointParty again(session, context, PartyFile::open(files[0], session));
    CHECK(to_bytes(again.second_share(first)) == to_bytes(second[0]));
    JointParty remade(session, context, 3);
    const std::vector<Commitment> others = {commitments[0], commitments[1], remade.commit()};
    CHECK_THROWS_WITH(RepeatedAnswerError, again.first_share(others), "begin a new session");
    const std::vector<KeyShare> rogue = {first[0], first[1], remade.first_share(others)};
    CHECK_THROWS_WITH(BlameError, again.second_share(rogue), "party 3 committed to another");
    CHECK_THROWS(BlameError, parties[0].agree(rogue));
    CHECK_THROWS(MismatchError, combine(session, context, rogue, second));
    try {
      parties[1].agree(rogue);
    } catch (const BlameError& error) {
      CHECK_EQ(error.parties(), std::vector<std::uint32_t>{3});
      CHECK_EQ(error.stage(), "first");
      CHECK_EQ(error.evidence().size(), std::size_t{129});
    }
    // The same by one call that does what is next, whatever has arrived.
    JointMessages inbox;
    std::vector<JointParty> steps;
    // Signatures that show who signed what, and nothing else.
    const auto voice = [](std::uint32_t number) {
      const auto signature = [](std::uint32_t party, const Digest& digest) {
        std::vector<std::uint8_t> bytes(digest.begin(), digest.end());
        bytes.resize(64, static_cast<std::uint8_t>(party));
        return bytes;
      };
      return JointVoice{[=](const Digest& digest) { return signature(number, digest); },
                        [=](std::uint32_t party, const Digest& digest, std::span<const std::uint8_t> bytes) {
                          return std::ranges::equal(signature(party, digest), bytes);
                        }};
    };
    for (const std::uint32_t party : session.parties()) {
      steps.emplace_back(audited, context, party);
      steps.back().speak_with(voice(party));
    }
    JointProgress last;
    for (int round = 0; round < 7; ++round) {
      for (JointParty& party : steps) {
        last = party.advance(inbox);
        inbox.coins.insert(inbox.coins.end(), last.sent.coins.begin(), last.sent.coins.end());
        inbox.commitments.insert(inbox.commitments.end(), last.sent.commitments.begin(), last.sent.commitments.end());
        inbox.shares.insert(inbox.shares.end(), last.sent.shares.begin(), last.sent.shares.end());
        inbox.acceptances.insert(inbox.acceptances.end(), last.sent.acceptances.begin(), last.sent.acceptances.end());
      }
    }
    CHECK_EQ(last.stage, "done");
    CHECK(stored(to_bytes(inbox.shares[0])).key_share(context).signature() == inbox.shares[0].signature());
    JointMessages unsigned_one = inbox;
    unsigned_one.commitments[0].attach({});  // of party 3, who is the first to have all tosses
    CHECK_THROWS_WITH(MismatchError, steps[0].advance(unsigned_one), "is not signed by it");
    unsigned_one = inbox;
    unsigned_one.coins[1].attach({});
    CHECK_THROWS_WITH(MismatchError, steps[0].advance(unsigned_one), "is not signed by it");
    CHECK(stored(to_bytes(inbox.coins[0])).coin().signature() == inbox.coins[0].signature());
    CHECK(stored(to_bytes(inbox.acceptances[0])).acceptance().signature() == inbox.acceptances[0].signature());
    CHECK(steps.back().accepted() && !JointParty(audited, context, 1).accepted());
    unsigned_one = inbox;
    unsigned_one.acceptances[1].attach({});
    CHECK_THROWS_WITH(MismatchError, steps[0].advance(unsigned_one), "is not signed by it");
    CHECK_EQ(stored(to_bytes(inbox.shares[0])).key_share(context).opened().candidates.size(), std::size_t{7});
    CHECK_THROWS_WITH(ArgumentError, parties[0].toss(), "no audit");
    CHECK_THROWS_WITH(ArgumentError, JointParty(audited, context, 1).first_share(commitments), "shows its coin");
    CHECK_THROWS_WITH(ArgumentError, JointParty(audited, context, 1).secret(), "no secret key yet");
    CHECK(last.keys.has_value() && last.keys->public_key.id() == steps[0].key());
    CHECK_THROWS(ArgumentError, parties[0].second_share(std::span(first).first(2)));
    CHECK_THROWS(ArgumentError, JointParty(session, context, 2).second_share(first));
    CHECK_THROWS(ArgumentError, combine(session, context, first));
    CHECK_THROWS(ArgumentError, combine(session, context, second, first));
    const std::vector<Acceptance> words = {parties[0].accept(first, second), parties[1].accept(first, second),
                                           parties[2].accept(first, second)};
    CHECK_THROWS_WITH(ArgumentError, parties[0].seal(std::span(words).first(2)), "nothing of party 3");
    parties[0].seal(words);
    CHECK(parties[0].accepted() && !parties[1].accepted());
    const JointKeys keys = combine(session, context, first, second);
    CHECK(keys.evaluation.id() == parties[2].key());
    std::vector<std::vector<SecretShare>> dealt(3);
    for (const std::uint32_t party : session.parties()) {
      for (SecretShare& share : parties[party - 1].deal()) {
        dealt[share.to() - 1].push_back(stored(to_bytes(share)).secret_share(context));
      }
    }
    CHECK_THROWS(ArgumentError, sum_of_dealt(session, 1, dealt[1]));
    const std::string path = folder.file(parameters.summary().substr(0, 3) + ".share");
    write_secret_share(path, sum_of_dealt(session, 3, dealt[2]));
    CHECK(file_is_private(path));
    CHECK_THROWS(FileError, write_secret_share(path, dealt[0][0]));
    const SecretShare own = sum_of_dealt(session, 2, dealt[1]);
    const StoredObject locked(to_bytes(own, "a passphrase"), insecure);
    CHECK(locked.needs_passphrase());
    CHECK_THROWS_WITH(PassphraseError, locked.secret_share(context), "secret_share(context, passphrase)");
    CHECK_THROWS(PassphraseError, locked.secret_share(context, "another"));
    CHECK_THROWS(FormatError, locked.secret_key(context, "a passphrase"));
    CHECK(to_bytes(locked.secret_share(context, "a passphrase")) == to_bytes(own));
    CHECK_THROWS(ArgumentError, to_bytes(own, ""));
    const SecretShare other = StoredObject::load(path, insecure).secret_share(context);
    const EncryptedArray x = encrypt({3, -2}, keys.public_key, {.bound = 6}).with_keys(keys.evaluation);
    const EncryptedArray y = x * x;
    CHECK_THROWS_WITH(ArgumentError, y.switch_to_least_level(std::nan("")), "no number of bits");
    std::vector<DecryptionShare> answers;
    answers.push_back(parties[1].decryption_share(y, {2, 3}, 20, &own));
    CHECK_THROWS(ArgumentError, threshold_decrypt(session, y, answers));
    answers.push_back(stored(to_bytes(parties[2].decryption_share(y, {2, 3}, 20, &other))).decryption_share(context));
    CHECK_EQ(threshold_decrypt(session, y, answers).to_int64(), (std::vector<std::int64_t>{9, 4}));
    CHECK_EQ(parties[1].decryptions().planned, session.decryptions());
    CHECK_EQ(parties[1].decryptions().spent, std::uint64_t{1});
    parties[1].decryption_share(y, {2, 3}, 20, &own);
    CHECK_EQ(JointParty(session, context, PartyFile::open(files[1], session)).decryptions().spent, std::uint64_t{1});
    CHECK_THROWS(MismatchError, threshold_decrypt(session, x, answers));
    CHECK_THROWS(FormatError, stored(to_bytes(answers[0])).secret_share(context));
  }
}

TEST(evaluator) {
  for (const Scheme* scheme : {&bfv_scheme(), &bgv_scheme()}) {
    const ContextPtr context = context_of(*scheme, {97});
    const Keys keys = keygen(context);
    const Evaluator evaluator(keys.evaluation);
    const auto encoded = [&](std::int64_t first) {
      std::vector<std::int64_t> values(degree);
      for (std::size_t i = 0; i < degree; ++i) values[i] = (first + static_cast<std::int64_t>(i) * 7) % 97 - 48;
      return values;
    };
    const auto plain = [&](const std::vector<std::int64_t>& values) {
      return encode_residues(context, PlainIndex(0), Encoding::Kind::slots, values, 1, degree);
    };
    const std::vector<std::int64_t> a = encoded(3), b = encoded(60);
    const Ciphertext x = encrypt(plain(a), keys.public_key), y = encrypt(plain(b), keys.secret);
    const auto check = [&](const Ciphertext& result, const auto& expected) {
      const std::vector<std::int64_t> answer = decode_residues(decrypt(result, keys.secret), Encoding::Kind::slots);
      for (std::size_t i = 0; i < degree; ++i) CHECK_EQ(((expected(i) - answer[i]) % 97 + 97) % 97, 0);
    };
    check(evaluator.add(x, y), [&](std::size_t i) { return a[i] + b[i]; });
    check(evaluator.subtract(x, y), [&](std::size_t i) { return a[i] - b[i]; });
    check(evaluator.negate(x), [&](std::size_t i) { return -a[i]; });
    const Ciphertext product = evaluator.multiply(x, y);
    CHECK_EQ(product.parts(), 2U);
    check(product, [&](std::size_t i) { return a[i] * b[i]; });
    check(evaluator.add(product, x), [&](std::size_t i) { return a[i] * b[i] + a[i]; });  // of two levels, in BGV
    check(evaluator.square(x), [&](std::size_t i) { return a[i] * a[i]; });
    const Ciphertext lazy = evaluator.multiply_lazily(x, y);
    CHECK_EQ(lazy.parts(), 3U);
    check(evaluator.relinearize(lazy), [&](std::size_t i) { return a[i] * b[i]; });
    check(evaluator.add_plain(x, plain(b)), [&](std::size_t i) { return a[i] + b[i]; });
    check(evaluator.subtract_plain(x, plain(b)), [&](std::size_t i) { return a[i] - b[i]; });
    check(evaluator.multiply_plain(x, plain(b)), [&](std::size_t i) { return a[i] * b[i]; });
    const Ciphertext moved = evaluator.transformed(x);
    check(evaluator.multiply_plain(moved, evaluator.prepared(plain(b))), [&](std::size_t i) { return a[i] * b[i]; });
    check(evaluator.add(evaluator.native(moved), moved), [&](std::size_t i) { return 2 * a[i]; });
    check(evaluator.multiply_scalar(x, -5), [&](std::size_t i) { return -5 * a[i]; });
    check(evaluator.rotate_rows(x, 1), [&](std::size_t i) { return a[i / 8 * 8 + (i + 1) % 8]; });
    check(evaluator.rotate_columns(x), [&](std::size_t i) { return a[(i + 8) % 16]; });
    check(evaluator.apply_galois(x, 3), [&](std::size_t i) { return a[i / 8 * 8 + (i + 1) % 8]; });
    std::int64_t total = 0;
    for (const std::int64_t v : a) total += v;
    check(evaluator.sum_slots(x), [&](std::size_t) { return total; });
    const Ciphertext lower = evaluator.switch_to_level(x, Level(2));
    CHECK_EQ(lower.limbs(), 2U);
    check(lower, [&](std::size_t i) { return a[i]; });

    const Evaluator none;
    check(none.add(x, y), [&](std::size_t i) { return a[i] + b[i]; });
    CHECK_THROWS_WITH(MissingKeyError, none.multiply(x, y), "Evaluator(keys)");
    CHECK_THROWS(MissingKeyError, evaluator.rotate_rows(x, 3));
  }
}

TEST(engines_of_circuits) {
  CHECK_THROWS(EngineError, make_fpga_engine("/nowhere/circuit.so", make_cpu_engine(1)));
  CHECK_THROWS(ArgumentError, make_fpga_engine("/nowhere/circuit.so", make_cpu_engine(1), {.boards = 0}));
  CHECK_THROWS_WITH(ArgumentError, circuit_statistics(*make_cpu_engine(1)), "no circuits");
}

TEST(arrays_are_refreshed_by_keys_from_a_file) {
  const ContextPtr context = make_context(bootstrappable_parameters(256, true), make_cpu_engine(1));
  const Keys keys = keygen(context, {.rotations = std::vector<std::int64_t>{}, .bootstrap = true});
  const EvaluationKeys read =
      StoredObject(to_bytes(keys.evaluation), {.allow_insecure = true}).evaluation_keys(context);
  const RefreshFacts facts = refresh_facts(context);
  CHECK_EQ(facts.weight, 32U);
  CHECK_EQ(facts.products, 12U);
  const std::vector<std::int64_t> values = {1, 0, -1, 1};
  EncryptedArray x = encrypt(values, keys.public_key, {.bound = 1}).with_keys(read);
  for (int i = 0; i < 40; ++i) {
    if ((x * x * x).noise_headroom() < facts.least_headroom) x = refresh(x);
    x = x * x * x;
  }
  CHECK_EQ(decrypt(refresh(x), keys.secret).to_int64(), values);
  CHECK(std::abs(refresh(x).noise_headroom() - facts.refreshed_headroom) < 1e-6);
  CHECK_THROWS(MissingKeyError, refresh(encrypt(values, keys.public_key, {.bound = 1})));
  CHECK_THROWS(
      MissingKeyError,
      refresh(
          encrypt(values, keys.public_key, {.bound = 1}).with_keys(EvaluationKeys::generate(keys.secret, true, {}))));
  CHECK_THROWS(UnsupportedError, keygen(context_of(bgv_scheme(), {97}), {.bootstrap = true}));
  CHECK_THROWS(UnsupportedError, refresh_facts(context_of(bfv_scheme(), {97})));
  CHECK_THROWS(SecurityError, bootstrappable_parameters(1024));
}

TEST(operations_refresh_what_they_take_when_told_to) {
  const ContextPtr context = make_context(bootstrappable_parameters(256, true), make_cpu_engine(1));
  const Keys keys = keygen(context, {.rotations = std::vector<std::int64_t>{}, .bootstrap = true});
  const std::vector<std::int64_t> values = {1, 0, -1, 1};
  std::size_t refreshes = 0;
  const Options options{.progress =
                            [&](std::size_t done, std::size_t, std::string_view what) {
                              if (done == 1 && what == "refreshing for multiply") ++refreshes;
                            },
                        .refresh_operands = true};
  EncryptedArray x = encrypt(values, keys.public_key, {.bound = 1}).with_keys(keys.evaluation);
  for (int i = 0; i < 60; ++i) x = multiply(multiply(x, x, options), x, options);
  CHECK_EQ(decrypt(x, keys.secret).to_int64(), values);
  CHECK(refreshes >= 8 && refreshes <= 20);
  EncryptedArray y =
      encrypt(values, keys.public_key, {.bound = 1}).with_keys(EvaluationKeys::generate(keys.secret, true, {}));
  CHECK_THROWS(MissingKeyError, [&] {
    for (int i = 0; i < 60; ++i) y = multiply(y, y, options);
  }());
}

TEST(integers_are_divided_by_public_ones) {
  const ContextPtr context = make_context(bootstrappable_parameters(256, true), make_cpu_engine(1));
  const Keys keys = keygen(context, {.rotations = std::vector<std::int64_t>{}});
  const std::vector<std::int64_t> values = {-9, -7, -1, 0, 6, 7, 20};
  const EncryptedArray x = encrypt(values, keys.public_key, {.bound = 20}).with_keys(keys.evaluation);
  for (const std::int64_t divisor : {7, -7, 1, 100, -100}) {
    const Divided parts = divide(x, divisor);
    const std::vector<std::int64_t> quotients = decrypt(parts.quotient, keys.secret).to_int64();
    const std::vector<std::int64_t> rests = decrypt(parts.remainder, keys.secret).to_int64();
    for (std::size_t i = 0; i < values.size(); ++i) {
      CHECK_EQ(quotients[i] * divisor + rests[i], values[i]);
      CHECK(rests[i] == 0 || ((rests[i] < 0) == (divisor < 0) && std::abs(rests[i]) < std::abs(divisor)));
    }
    CHECK_EQ(decrypt(floor_divide(x, divisor), keys.secret).to_int64(), quotients);
    CHECK_EQ(decrypt(remainder(x, divisor), keys.secret).to_int64(), rests);
  }
  CHECK_THROWS(ArgumentError, floor_divide(x, 0));
  CHECK_THROWS(RangeError, floor_divide(encrypt(values, keys.public_key, {.wrap = true}), 7));
}

}  // namespace

int main() { return check::run(); }
