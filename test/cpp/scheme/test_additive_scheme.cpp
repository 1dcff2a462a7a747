// SPDX-License-Identifier: Apache-2.0
// A scheme that the library does not know: test/additive_scheme, added by one line. Everything that serves several
// schemes must serve it, from parameters to files, and refuse what it does not have by its name.

#include "additive_scheme/scheme.hpp"
#include "check.hpp"
#include "cyclotome/engine/cpu/cpu_engine.hpp"
#include "cyclotome/math/primes.hpp"
#include "cyclotome/rlwe/noise/noise_model.hpp"
#include "cyclotome/rlwe/operations.hpp"
#include "cyclotome/scheme/bfv/operations.hpp"
#include "cyclotome/scheme/encoding.hpp"
#include "cyclotome/scheme/planning.hpp"
#include "cyclotome/scheme/registry.hpp"
#include "io_pieces.hpp"

namespace {

using namespace cyclotome;
using check::seed;
using rlwe::Ciphertext;
using Values = std::vector<std::int64_t>;

constexpr std::size_t degree = 1024;
constexpr std::int64_t t = 12289;
const io::Limits insecure{.allow_insecure = true};

rlwe::LatticeParameters lattice(std::size_t primes = 2) {
  rlwe::LatticeParameters p;
  p.degree = degree;
  p.moduli = primes_congruent_to_one(40, 2 * degree, primes);
  p.special_moduli = primes_congruent_to_one(41, 2 * degree, 1);
  p.security = 0;  // small and fast
  p.allow_insecure = true;
  return p;
}

rlwe::Parameters parameters(std::uint64_t terms = 1000) {
  return rlwe::Parameters(additive::scheme(), lattice(), additive::Part(t, terms), "sums");
}

struct Party {
  rlwe::ContextPtr context = scheme::make_context(parameters(), CpuEngine::create(2));
  rlwe::SecretKey secret = rlwe::deterministic::generate_secret_key(context, seed(1));
  rlwe::PublicKey key = rlwe::deterministic::generate_public_key(secret, seed(2));
  rlwe::EvaluationKeys evaluation = rlwe::deterministic::generate_evaluation_keys(
      secret, true, {rlwe::row_rotation_element(RingShape::negacyclic(degree)->galois(), 1)}, seed(3));

  rlwe::Plaintext plain(const Values& values) const {
    return encode_residues(context, rlwe::PlainIndex(0), Encoding::Kind::slots, values, 1, values.size());
  }
  Ciphertext encrypt(const Values& values, std::uint8_t number = 4) const {
    return scheme::deterministic::encrypt(plain(values), key, seed(number));
  }
  Values decrypt(const Ciphertext& ciphertext) const {
    return decode_residues(scheme::decrypt(ciphertext, secret), Encoding::Kind::slots);
  }
};

const Party& party() {
  static const Party only;
  return only;
}

Values ramp(std::int64_t factor) {
  Values values(degree);
  for (std::size_t i = 0; i < degree; ++i) {
    values[i] = (static_cast<std::int64_t>(i) * factor % t + t + t / 2) % t - t / 2;
  }
  return values;
}

Values combined(const Values& x, const Values& y, std::int64_t sign) {
  Values result(x);
  for (std::size_t i = 0; i < x.size(); ++i) result[i] = ((x[i] + sign * y[i]) % t + t + t / 2) % t - t / 2;
  return result;
}

}  // namespace

TEST(parameters_are_the_schemes_own) {
  const rlwe::Parameters p = parameters();
  CHECK(&p.scheme() == &additive::scheme() && &scheme::named("additive") == &p.scheme());
  CHECK(&scheme::numbered(200) == &p.scheme());
  CHECK_EQ(p.part_of<additive::Part>(additive::scheme()).terms(), 1000U);
  CHECK_EQ(p.summary(), "additive 'sums' n=1024 log q=80+41 t=12289 terms=1000 64-bit words, INSECURE");
  CHECK(p.fingerprint() != parameters(1001).fingerprint());  // its own numbers count
  rlwe::ParametersLiteral bgv;
  static_cast<rlwe::LatticeParameters&>(bgv) = lattice();
  bgv.scheme = &scheme::named("bgv");
  bgv.plain_moduli = {t};
  const rlwe::Parameters other(bgv);
  CHECK(p.fingerprint() != other.fingerprint());
  CHECK_THROWS_WITH(MismatchError, other.part_of<additive::Part>(additive::scheme()), "ADDITIVE was asked for");
  CHECK_THROWS_WITH(ParameterError, rlwe::Parameters(additive::scheme(), lattice(), other.part()), "number of terms");
  CHECK_THROWS_WITH(ParameterError, rlwe::Parameters(*bgv.scheme, lattice(), p.part()), "part of another scheme");
  CHECK_THROWS_WITH(ParameterError, scheme::make_context(parameters(1ULL << 60), CpuEngine::create(1)),
                    "would not decrypt");
}

TEST(a_name_or_number_is_given_once) {
  scheme::add_scheme(additive::scheme());  // again: nothing happens
  CHECK(scheme::values_of(additive::scheme()) == scheme::Values::exact);
  CHECK(scheme::values_of(scheme::named("ckks")) == scheme::Values::approximate);
  CHECK_EQ(scheme::known().size(), 4U);
  struct Other : rlwe::Scheme {
    std::string_view given_name;
    std::uint8_t given_id;
    Other(std::string_view name, std::uint8_t id) : given_name(name), given_id(id) {}
    std::string_view name() const noexcept override { return given_name; }
    std::uint8_t id() const noexcept override { return given_id; }
    rlwe::SchemePartPtr make_part(std::vector<std::uint64_t>) const override { return nullptr; }
    void check(const rlwe::LatticeParameters&, const rlwe::SchemePart&) const override {}
    std::uint64_t error_multiple(const rlwe::SchemePart&, rlwe::PlainIndex) const override { return 1; }
    Domain native_domain() const noexcept override { return Domain::coefficient; }
    rlwe::ContextPtr make_context(const rlwe::Parameters&, const EnginePtr&) const override { return nullptr; }
    std::unique_ptr<const rlwe::NoiseModel> noise_model(const rlwe::Parameters&, rlwe::PlainIndex) const override {
      return nullptr;
    }
    rlwe::ProductCost product_cost() const noexcept override { return {0, 0}; }
  };
  CHECK_THROWS_WITH(ParameterError, scheme::add_scheme(Other("bfv", 7)), "'bfv' with number 1 is known");
  CHECK_THROWS_WITH(ParameterError, scheme::add_scheme(Other("other", 2)), "'bgv' with number 2 is known");
  CHECK_THROWS_WITH(ParameterError, scheme::add_scheme(Other("other", 200)), "'additive' with number 200 is known");
  CHECK_THROWS_WITH(ParameterError, scheme::add_scheme(Other("other", 0)), "from 1 to 255");
  CHECK_THROWS_WITH(ParameterError, scheme::named("other"), "there are 'bfv', 'bgv', 'ckks' and 'additive'");
}

TEST(sums_are_exact) {
  const Party& p = party();
  const Values x = ramp(7), y = ramp(-1234);
  const Ciphertext a = p.encrypt(x), b = scheme::deterministic::encrypt(p.plain(y), p.secret, seed(5));
  CHECK_EQ(p.decrypt(a), x);
  CHECK_EQ(p.decrypt(scheme::add(a, b)), combined(x, y, 1));
  CHECK_EQ(p.decrypt(scheme::subtract(a, b)), combined(x, y, -1));
  CHECK_EQ(p.decrypt(scheme::add_plain(a, p.plain(y))), combined(x, y, 1));
  CHECK_EQ(p.decrypt(scheme::subtract_plain(a, p.plain(y))), combined(x, y, -1));
  CHECK_EQ(p.decrypt(scheme::deterministic::rerandomize(a, p.key, seed(6))), x);
  Values turned = x;
  std::rotate(turned.begin(), turned.begin() + 1, turned.begin() + degree / 2);
  std::rotate(turned.begin() + degree / 2, turned.begin() + degree / 2 + 1, turned.end());
  CHECK_EQ(p.decrypt(rlwe::rotate_rows(a, 1, p.evaluation)), turned);
  const auto revealed = scheme::deterministic::reveal(a, p.secret, 20, seed(7));
  CHECK_EQ(decode_residues(revealed, Encoding::Kind::slots), x);
}

TEST(as_many_terms_as_promised_decrypt_and_too_many_are_refused) {
  const Party& p = party();
  const Values x = ramp(3);
  const Ciphertext a = p.encrypt(x), thousand = rlwe::multiply_scalar(a, 1000);
  CHECK(scheme::noise_headroom(thousand) >= 0);
  CHECK_EQ(p.decrypt(thousand), combined(Values(degree), x, 1000));
  CHECK(scheme::measured_noise(thousand, p.secret)[0] <= thousand.noise().log2_max);
  CHECK(static_cast<double>(scheme::noise_budget(thousand, p.secret)[0]) + 1 >= scheme::noise_headroom(thousand));
  const auto model = additive::scheme().noise_model(p.context->parameters(), rlwe::PlainIndex(0));
  CHECK(std::abs(model->headroom(model->fresh()) - scheme::noise_headroom(a)) < 1e-9);
  CHECK_THROWS_WITH(NoiseError, scheme::decrypt(rlwe::multiply_scalar(thousand, std::int64_t{1} << 60), p.secret),
                    "additive 'sums'");
}

TEST(what_it_does_not_have_is_refused_by_its_name) {
  const Party& p = party();
  const Ciphertext a = p.encrypt(ramp(1));
  CHECK_THROWS_WITH(UnsupportedError, scheme::multiply(a, a), "ADDITIVE has no products");
  CHECK_THROWS_WITH(UnsupportedError, scheme::square(a), "ADDITIVE has no products");
  CHECK_THROWS_WITH(UnsupportedError, scheme::multiply_relinearized(a, a, p.evaluation), "ADDITIVE has no products");
  CHECK_THROWS_WITH(UnsupportedError, scheme::square_relinearized(a, p.evaluation), "ADDITIVE has no products");
  CHECK_THROWS_WITH(ArgumentError, scheme::switch_to_level(a, rlwe::Level(1)), "additive 'sums'");
  CHECK_THROWS_WITH(MismatchError, bfv::multiply(a, a), "additive 'sums'");
  const auto model = additive::scheme().noise_model(p.context->parameters(), rlwe::PlainIndex(0));
  CHECK_THROWS_WITH(UnsupportedError, model->squared(model->fresh()), "ADDITIVE has no products");
  scheme::Intent intent;
  intent.scheme = &additive::scheme();
  CHECK_THROWS_WITH(ParameterError, scheme::suggest(intent), "ADDITIVE has no products");
}

TEST(parameters_are_explained_without_products) {
  const std::string text = scheme::explain(parameters());
  CHECK(text.starts_with("additive 'sums' n=1024"));
  CHECK(text.find("noise headroom   fresh") != std::string::npos && text.find("depth 1") == std::string::npos);
  CHECK_EQ(scheme::noise_by_depth(parameters()).size(), 1U);
}

TEST(files_hold_it_and_refuse_what_it_can_not_be) {
  const Party& p = party();
  const Values x = ramp(11);
  const Ciphertext a = p.encrypt(x), b = scheme::deterministic::encrypt(p.plain(x), p.secret, seed(8));
  const io::Bytes stored = io::serialize(p.context->parameters());
  const rlwe::Parameters loaded = io::Container(stored, insecure).parameters();
  CHECK(loaded.fingerprint() == p.context->parameters().fingerprint());
  CHECK(loaded.summary() == p.context->parameters().summary());

  // Somebody else, with nothing but files.
  const auto context = scheme::make_context(loaded, CpuEngine::create(1));
  const io::Bytes key = io::serialize(p.secret), first = io::serialize(a), second = io::serialize(b);
  const auto secret = io::read_secret_key(io::Container(key, insecure), context);
  const auto sum = scheme::add(io::read_ciphertext(io::Container(first, insecure), context),
                               io::read_ciphertext(io::Container(second, insecure), context));
  CHECK_EQ(decode_residues(scheme::decrypt(sum, secret), Encoding::Kind::slots), combined(x, x, 1));
  CHECK(std::abs(io::inspect(first, insecure).arrays[0].headroom - scheme::noise_headroom(a)) < 1e-9);
  for (const io::Bytes& bytes : {io::serialize(p.key), io::serialize(p.evaluation)}) {
    CHECK(io_exercise::same_payload(
        io::Container(io_exercise::rewritten(io::Container(bytes, insecure), context), insecure),
        io::Container(bytes, insecure)));
  }

  // What the scheme says of its files, changed.
  const auto refused = [&](std::size_t offset, std::uint64_t value, unsigned bytes) {
    return io::Container(io_pieces::Pieces(first).put(offset, value, bytes).whole(), insecure);
  };
  CHECK_THROWS_WITH(FormatError, refused(4, 3, 2), "a ciphertext of 3 parts with seed flag 0");
  CHECK_THROWS_WITH(FormatError, refused(4, 3, 2), "2 parts are known");
  CHECK_THROWS_WITH(FormatError, refused(6, 1, 2), "levels are 2 to 2");
  CHECK_THROWS_WITH(FormatError, refused(24, 5, 8), "not 1, as in ADDITIVE");
  const auto with_part = [&](std::size_t offset, std::uint64_t value, unsigned bytes) {
    io_pieces::Pieces pieces(stored);
    return io_exercise::resealed_with_fingerprint(pieces.put(offset, value, bytes, "PARM").whole());
  };
  CHECK_THROWS_WITH(FormatError, io::Container(with_part(36, 0, 8), insecure), "number of terms");
  CHECK_THROWS_WITH(FormatError, io::Container(with_part(8, 201, 1), insecure), "has scheme 201");
  io_pieces::Pieces as_bfv(stored);
  CHECK_THROWS_WITH(FormatError, io::Container(as_bfv.put(8, 1, 1, "PARM").whole(), insecure), "fingerprint");
}

int main() {
  cyclotome::scheme::add_scheme(cyclotome::additive::scheme());
  return cyclotome::check::run();
}
