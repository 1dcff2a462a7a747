// SPDX-License-Identifier: Apache-2.0
// Objects that were moved from: every function that programs call refuses them
// with a typed error, or finds them whole.

#include <cyclotome/cyclotome.hpp>
#include <functional>

#include "check.hpp"
#include "folder.hpp"

namespace {

using namespace cyclotome;
using Uses = std::vector<std::pair<const char*, std::function<void()>>>;

// Each of them throws ArgumentError: mostly that it was moved from, or that there are no values.
void all_refused(const Uses& uses) {
  for (const auto& [name, use] : uses) {
    bool refused = false;
    try {
      use();
    } catch (const ArgumentError&) {
      refused = true;
    } catch (const Error& error) {
      std::cerr << name << ": " << error.what() << '\n';
    }
    if (!refused) std::cerr << name << " was not refused as moved from\n";
    CHECK(refused);
  }
}

struct World {
  ContextPtr context = make_context(suggest({.depth = 1, .value_bits = 4}), make_cpu_engine(1));
  Keys keys = keygen(context);
  EncryptedArray array() const { return encrypt({1, 2, 3}, keys.public_key, {.bound = 3}).with_keys(keys.evaluation); }
};
const World& world() {
  static const World it;
  return it;
}

// What is left of an object when it was moved from.
template <class Object>
Object left_of(Object object) {
  Object taken = std::move(object);
  static_cast<void>(taken);
  return object;  // NOLINT(bugprone-use-after-move): that is what is looked at
}

// NOLINTBEGIN(bugprone-use-after-move)
TEST(arrays_refuse_every_use) {
  EncryptedArray a = world().array();
  const EncryptedArray b = std::move(a);
  const auto& secret = world().keys.secret;
  const auto& pub = world().keys.public_key;
  const std::int64_t axes[] = {0};
  const Matrix matrix(world().context, Integers({1, 3}, std::array<std::int64_t, 3>{1, 2, 3}));
  const PlainArray plain(world().context, {1, 2, 3});
  const Integers w{1, 2, 3};
  const RekeyingKey rekeying = RekeyingKey::generate(secret, keygen(world().context).secret);
  all_refused({
      {"context", [&] { static_cast<void>(a.context()); }},
      {"parameters", [&] { static_cast<void>(a.parameters()); }},
      {"placed", [&] { static_cast<void>(a.placed()); }},
      {"channels", [&] { static_cast<void>(a.channels()); }},
      {"layout", [&] { static_cast<void>(a.layout()); }},
      {"bound", [&] { static_cast<void>(a.bound()); }},
      {"keys", [&] { static_cast<void>(a.keys()); }},
      {"shape", [&] { static_cast<void>(a.shape()); }},
      {"ndim", [&] { static_cast<void>(a.ndim()); }},
      {"key", [&] { static_cast<void>(a.key()); }},
      {"noise_headroom", [&] { static_cast<void>(a.noise_headroom()); }},
      {"level", [&] { static_cast<void>(a.level()); }},
      {"bytes", [&] { static_cast<void>(a.bytes()); }},
      {"held_bytes", [&] { static_cast<void>(a.held_bytes()); }},
      {"with_keys", [&] { a.with_keys(world().keys.evaluation); }},
      {"to", [&] { a.to(world().context); }},
      {"transformed", [&] { a.transformed(); }},
      {"in_native_domain", [&] { a.in_native_domain(); }},
      {"is_transformed", [&] { static_cast<void>(a.is_transformed()); }},
      {"switch_to_level", [&] { a.switch_to_level(1); }},
      {"switch_to_least_level", [&] { a.switch_to_least_level(); }},
      {"copy used",
       [&] {
         const EncryptedArray c = a;
         static_cast<void>(c.shape());
       }},
      {"negate", [&] { negate(a); }},
      {"-", [&] { -a; }},
      {"a + b", [&] { a + b; }},
      {"b + a", [&] { b + a; }},
      {"a - b", [&] { a - b; }},
      {"b - a", [&] { b - a; }},
      {"a * b", [&] { a* b; }},
      {"b * a", [&] { b* a; }},
      {"a * a", [&] { a* a; }},
      {"a + w", [&] { a + w; }},
      {"a + 1", [&] { a + 1; }},
      {"a - w", [&] { a - w; }},
      {"w - a", [&] { w - a; }},
      {"a * w", [&] { a* w; }},
      {"a * 2", [&] { a * 2; }},
      {"a * plain", [&] { multiply(a, plain); }},
      {"a + plain", [&] { add(a, plain); }},
      {"a - plain", [&] { subtract(a, plain); }},
      {"matrix @ a", [&] { matmul(matrix, a); }},
      {"a @ matrix", [&] { matmul(a, matrix); }},
      {"integers @ a", [&] { matmul(Integers({1, 3}, std::array<std::int64_t, 3>{1, 2, 3}), a); }},
      {"a @ integers", [&] { matmul(a, Integers({3, 1}, std::array<std::int64_t, 3>{1, 2, 3})); }},
      {"a @ b", [&] { matmul(a, b); }},
      {"b @ a", [&] { matmul(b, a); }},
      {"sum", [&] { sum(a); }},
      {"sum along an axis", [&] { sum(a, 0); }},
      {"sum of products", [&] { sum_of_products(a, b, axes); }},
      {"sum of products, the other way", [&] { sum_of_products(b, a, axes); }},
      {"packed", [&] { packed(a); }},
      {"padded", [&] { padded(a); }},
      {"rotate_rows", [&] { rotate_rows(a, 1); }},
      {"rotate_columns", [&] { rotate_columns(a); }},
      {"reshape", [&] { reshape(a, {3}); }},
      {"item", [&] { item(a, 0); }},
      {"slice", [&] { slice(a, 0, 1); }},
      {"select", [&] { select(a, {0}, {1}); }},
      {"concatenate", [&] { concatenate(std::array<EncryptedArray, 2>{a, b}); }},
      {"stack, second", [&] { stack(std::array<EncryptedArray, 2>{b, a}); }},
      {"stack", [&] { stack(std::array<EncryptedArray, 2>{a, b}); }},
      {"rearranged", [&] { rearranged(a, {0}, {1}); }},
      {"negacyclic_product", [&] { negacyclic_product(a, b); }},
      {"convolve", [&] { convolve(a, w); }},
      {"relinearized", [&] { relinearized(a); }},
      {"automorphism", [&] { automorphism(a, 3); }},
      {"coefficient_trace", [&] { coefficient_trace(a); }},
      {"expand", [&] { expand(a); }},
      {"packed_in_coefficients", [&] { packed_in_coefficients(a); }},
      {"pack_constant_terms", [&] { pack_constant_terms(a); }},
      {"power", [&] { power(a, 2); }},
      {"polyval", [&] { polyval({1, 2}, a); }},
      {"lookup", [&] { lookup({1, 2, 3}, a); }},
      {"where, mask", [&] { where(a, b, b); }},
      {"where, one", [&] { where(b, a, w); }},
      {"where, the other", [&] { where(b, w, a); }},
      {"is_zero", [&] { is_zero(a); }},
      {"is_negative", [&] { is_negative(a); }},
      {"equal", [&] { equal(a, b); }},
      {"equal to", [&] { equal(b, a); }},
      {"equal to integers", [&] { equal(a, w); }},
      {"less", [&] { less(a, b); }},
      {"less than", [&] { less(w, a); }},
      {"maximum", [&] { maximum(a, b); }},
      {"minimum", [&] { minimum(b, a); }},
      {"equal_digits", [&] { equal_digits(a, b); }},
      {"less_digits", [&] { less_digits(b, a); }},
      {"sorted", [&] { sorted(a, {}); }},
      {"first_place", [&] { first_place(a, {}); }},
      {"assume_bound", [&] { assume_bound(a, BigUnsigned(1)); }},
      {"rekey", [&] { rekey(a, rekeying); }},
      {"rerandomize", [&] { rerandomize(a, pub); }},
      {"decrypt", [&] { decrypt(a, secret); }},
      {"reveal", [&] { reveal(a, secret, 40); }},
      {"noise_budget", [&] { noise_budget(a, secret); }},
      {"to_bytes", [&] { to_bytes(a); }},
  });
  // It can be given something again.
  a = b;
  CHECK_EQ(decrypt(a + 1, secret)[2], Integer(4));
}

TEST(ciphertexts_refuse_every_use) {
  const auto& context = world().context;
  const auto& keys = world().keys;
  const EncryptedArray x = world().array();
  Ciphertext a = x.channels().front();
  const Ciphertext b = std::move(a);
  Plaintext p = decrypt(b, keys.secret);
  const Plaintext q = std::move(p);
  const Evaluator evaluate(keys.evaluation);
  all_refused({
      {"context", [&] { static_cast<void>(a.context()); }},
      {"plain_modulus", [&] { static_cast<void>(a.plain_modulus()); }},
      {"batch", [&] { static_cast<void>(a.batch()); }},
      {"parts", [&] { static_cast<void>(a.parts()); }},
      {"polynomials", [&] { static_cast<void>(a.polynomials()); }},
      {"domain", [&] { static_cast<void>(a.domain()); }},
      {"bytes", [&] { static_cast<void>(a.bytes()); }},
      {"held_bytes", [&] { static_cast<void>(a.held_bytes()); }},
      {"limbs", [&] { static_cast<void>(a.limbs()); }},
      {"level", [&] { static_cast<void>(a.level()); }},
      {"in", [&] { a.in(Domain::coefficient); }},
      {"to", [&] { a.to(context); }},
      {"add", [&] { evaluate.add(a, b); }},
      {"add to", [&] { evaluate.add(b, a); }},
      {"subtract", [&] { evaluate.subtract(b, a); }},
      {"negate", [&] { evaluate.negate(a); }},
      {"multiply", [&] { evaluate.multiply(a, b); }},
      {"multiply by", [&] { evaluate.multiply(b, a); }},
      {"square", [&] { evaluate.square(a); }},
      {"multiply_lazily", [&] { evaluate.multiply_lazily(b, a); }},
      {"relinearize", [&] { evaluate.relinearize(a); }},
      {"add_plain", [&] { evaluate.add_plain(a, q); }},
      {"add_plain, plain", [&] { evaluate.add_plain(b, p); }},
      {"subtract_plain, plain", [&] { evaluate.subtract_plain(b, p); }},
      {"multiply_plain", [&] { evaluate.multiply_plain(a, q); }},
      {"multiply_plain, plain", [&] { evaluate.multiply_plain(b, p); }},
      {"prepared", [&] { evaluate.prepared(p); }},
      {"transformed", [&] { evaluate.transformed(a); }},
      {"native", [&] { evaluate.native(a); }},
      {"multiply_scalar", [&] { evaluate.multiply_scalar(a, 3); }},
      {"rotate_rows", [&] { evaluate.rotate_rows(a, 1); }},
      {"rotate_columns", [&] { evaluate.rotate_columns(a); }},
      {"sum_slots", [&] { evaluate.sum_slots(a); }},
      {"apply_galois", [&] { evaluate.apply_galois(a, 3); }},
      {"switch_to_level", [&] { evaluate.switch_to_level(a, Level(1)); }},
      {"decrypt", [&] { decrypt(a, keys.secret); }},
      {"reveal", [&] { reveal(a, keys.secret, 40); }},
      {"noise_budget", [&] { noise_budget(a, keys.secret); }},
      {"noise_headroom", [&] { noise_headroom(a); }},
      {"to_bytes", [&] { to_bytes(a); }},
      {"plaintext's context", [&] { static_cast<void>(p.context()); }},
      {"plaintext's modulus", [&] { static_cast<void>(p.plain_modulus()); }},
      {"plaintext's batch", [&] { static_cast<void>(p.batch()); }},
      {"plaintext's polynomials", [&] { static_cast<void>(p.polynomials()); }},
      {"plaintext's norms", [&] { static_cast<void>(p.norms()); }},
      {"plaintext's items", [&] { p.taken(std::array<std::size_t, 1>{0}); }},
      {"plaintext's encryption", [&] { encrypt(p, keys.public_key); }},
      {"plaintext's encryption by a secret key", [&] { encrypt(p, keys.secret); }},
      {"plaintext's bytes", [&] { to_bytes(p); }},
  });
}

TEST(secrets_refuse_every_use) {
  Keys keys = keygen(world().context);
  const EncryptedArray x = encrypt({1, 2}, keys.public_key, {.bound = 3});
  const SecretKey owner = std::move(keys.secret);
  const check::Folder folder;
  const SecretKey& gone = keys.secret;
  all_refused({
      {"context", [&] { static_cast<void>(gone.context()); }},
      {"coefficients", [&] { static_cast<void>(gone.coefficients()); }},
      {"over_key_ring", [&] { static_cast<void>(gone.over_key_ring()); }},
      {"decrypt", [&] { decrypt(x, gone); }},
      {"reveal", [&] { reveal(x, gone, 40); }},
      {"noise_budget", [&] { noise_budget(x, gone); }},
      {"encrypt", [&] { encrypt({1, 2}, gone); }},
      {"public key", [&] { PublicKey::generate(gone); }},
      {"evaluation keys", [&] { EvaluationKeys::generate(gone, true, {}); }},
      {"rekeying from", [&] { RekeyingKey::generate(gone, owner); }},
      {"rekeying to", [&] { RekeyingKey::generate(owner, gone); }},
      {"to_bytes", [&] { to_bytes(gone); }},
      {"to_bytes with a passphrase", [&] { to_bytes(gone, "correct horse"); }},
      {"write_secret_key", [&] { write_secret_key(folder.file("s.key"), gone); }},
      {"write_keys",
       [&] {
         write_keys({folder.file("s"), folder.file("p"), folder.file("e")}, gone, keys.public_key, keys.evaluation);
       }},
  });
  CHECK_EQ(folder.entries(), 0U);
  CHECK_EQ(decrypt(x, owner)[1], Integer(2));
}

// Small and rare objects are copied where others would be moved: they stay what
// they were.
TEST(keys_and_parameters_stay_whole) {
  Keys keys = keygen(world().context);
  const PublicKey taken = std::move(keys.public_key);
  const EvaluationKeys evaluation = std::move(keys.evaluation);
  const EncryptedArray x = encrypt({1, 2}, keys.public_key, {.bound = 3}).with_keys(keys.evaluation);
  CHECK_EQ(decrypt(x * x, keys.secret)[1], Integer(4));
  CHECK(to_bytes(keys.public_key) == to_bytes(taken) && to_bytes(keys.evaluation) == to_bytes(evaluation));

  Parameters parameters = suggest({.depth = 1, .value_bits = 4});
  const Parameters same = std::move(parameters);
  CHECK(parameters.fingerprint() == same.fingerprint() && parameters.summary() == same.summary());
  CHECK_EQ(parameters.degree(), make_context(parameters, make_cpu_engine(1))->degree());

  Matrix matrix(world().context, Integers({1, 2}, std::array<std::int64_t, 2>{1, 2}));
  const Matrix same_matrix = std::move(matrix);
  CHECK_EQ(matrix.values()[1], same_matrix.values()[1]);
  PlainArray plain(world().context, {1, 2});
  const PlainArray same_plain = std::move(plain);
  CHECK(plain.values()[1] == same_plain.values()[1] && plain.bytes() == same_plain.bytes());
  Evaluator evaluate(keys.evaluation);
  const Evaluator same_evaluator = std::move(evaluate);
  CHECK_THROWS(MissingKeyError, evaluate.square(x.channels().front()));  // as one that was given no keys
  same_evaluator.square(x.channels().front());
  RekeyingKey rekeying = RekeyingKey::generate(keys.secret, keygen(world().context).secret);
  const RekeyingKey same_rekeying = std::move(rekeying);
  CHECK(to_bytes(rekeying) == to_bytes(same_rekeying));
  PolynomialTransform transform(make_cpu_engine(1), 16, 97);
  const PolynomialTransform same_transform = std::move(transform);
  CHECK(transform.root() == same_transform.root() && transform.degree() == 16);
}

TEST(integers_layouts_rings_and_files_refuse_or_stay_whole) {
  Integers values{1, 2, 3};
  const Integers taken = std::move(values);
  Layout layout = world().array().layout();
  const Layout same = std::move(layout);
  StoredObject stored(to_bytes(world().array()));
  const StoredObject kept = std::move(stored);
  const auto& context = world().context;
  all_refused({
      {"shape", [&] { static_cast<void>(values.shape()); }},
      {"ndim", [&] { static_cast<void>(values.ndim()); }},
      {"length", [&] { static_cast<void>(values.length()); }},
      {"an element", [&] { static_cast<void>(values[0]); }},
      {"encrypt", [&] { encrypt(values, world().keys.public_key); }},
      {"x + w", [&] { world().array() + values; }},
      {"x * w", [&] { world().array() * values; }},
      {"w - x", [&] { values - world().array(); }},
      {"lookup", [&] { lookup(values, world().array()); }},
      {"polyval", [&] { polyval(values, world().array()); }},
      {"plain", [&] { PlainArray(context, values); }},
      {"matrix", [&] { Matrix(context, values); }},
      {"layout's shape", [&] { static_cast<void>(layout.shape()); }},
      {"layout's length", [&] { static_cast<void>(layout.length()); }},
      {"layout's outer", [&] { static_cast<void>(layout.outer()); }},
      {"layout's batch", [&] { static_cast<void>(layout.batch()); }},
      {"layout's chunks", [&] { static_cast<void>(layout.chunks()); }},
      {"layout's axes", [&] { static_cast<void>(layout.ciphertext_axes()); }},
      {"file's kind", [&] { static_cast<void>(stored.kind()); }},
      {"file's version", [&] { static_cast<void>(stored.version()); }},
      {"file's parameters", [&] { static_cast<void>(stored.parameters()); }},
      {"file's key", [&] { static_cast<void>(stored.key_id()); }},
      {"file's metadata", [&] { static_cast<void>(stored.metadata()); }},
      {"file's bytes", [&] { static_cast<void>(stored.bytes()); }},
      {"file's passphrase", [&] { static_cast<void>(stored.needs_passphrase()); }},
      {"file's array", [&] { stored.array(context); }},
      {"file's ciphertext", [&] { stored.ciphertext(context); }},
      {"file's plaintext", [&] { stored.plaintext(context); }},
      {"file's plain array", [&] { stored.plain_array(context); }},
      {"file's public key", [&] { stored.public_key(context); }},
      {"file's evaluation keys", [&] { stored.evaluation_keys(context); }},
      {"file's rekeying key", [&] { stored.rekeying_key(context); }},
      {"file's session", [&] { stored.threshold_session(); }},
      {"file's key share", [&] { stored.key_share(context); }},
      {"file's secret share", [&] { stored.secret_share(context); }},
      {"file's decryption share", [&] { stored.decryption_share(context); }},
      {"file's secret key", [&] { stored.secret_key(context); }},
      {"file's secret key, passphrase", [&] { stored.secret_key(context, "x"); }},
  });
  CHECK_EQ(taken[2], Integer(3));
  CHECK_EQ(kept.kind(), StoredObject(to_bytes(world().array())).kind());
}

// A context and an engine are shared pointers, and null when they were moved
// from.
TEST(contexts_and_engines_that_are_null_are_refused) {
  const ContextPtr none;
  const decltype(make_cpu_engine(1)) nothing;
  const StoredObject stored(to_bytes(world().array()));
  all_refused({
      {"keygen", [&] { keygen(none); }},
      {"matrix", [&] { Matrix(none, Integers({1, 2}, std::array<std::int64_t, 2>{1, 2})); }},
      {"plain", [&] { PlainArray(none, {1, 2}); }},
      {"to", [&] { world().array().to(none); }},
      {"make_context", [&] { make_context(suggest({.depth = 0, .value_bits = 4}), nothing); }},
      {"load", [&] { stored.array(none); }},
  });
}

TEST(circuits_stay_whole) {
  Circuit circuit = less_circuit(4, Sign::none);
  const Circuit same = std::move(circuit);
  CHECK_EQ(circuit.size(), same.size());
  CHECK(circuit.size() > 0 && counts_of(circuit).products == counts_of(same).products);
}
// NOLINTEND(bugprone-use-after-move)

}  // namespace

int main() { return check::run(); }
