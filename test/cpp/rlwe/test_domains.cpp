// SPDX-License-Identifier: Apache-2.0
// Ciphertexts in either domain: whatever the operands are in, results are the same ciphertexts, byte for byte.

#include <functional>
#include <thread>

#include "check.hpp"
#include "cyclotome/engine/cpu/cpu_engine.hpp"
#include "cyclotome/io/objects/stored_object.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/primes.hpp"
#include "cyclotome/rlwe/domains.hpp"
#include "cyclotome/rlwe/keys/deterministic.hpp"
#include "cyclotome/rlwe/switching/linear_transform.hpp"
#include "cyclotome/scheme/bfv/scheme.hpp"
#include "cyclotome/scheme/bgv/scheme.hpp"
#include "cyclotome/scheme/deterministic.hpp"
#include "cyclotome/scheme/encoding.hpp"
#include "cyclotome/scheme/scheme.hpp"
#include "seed.hpp"

namespace {

using namespace cyclotome;
using namespace cyclotome::check;
using rlwe::Ciphertext;

constexpr std::size_t degree = 64;
constexpr std::uint64_t modulus = 65537;

rlwe::ParametersLiteral literal(const rlwe::Scheme& scheme, Word word, bool cyclotomic) {
  rlwe::ParametersLiteral p;
  p.scheme = &scheme;
  p.word = word;
  (cyclotomic ? p.cyclotomic : p.degree) = cyclotomic ? 85 : degree;
  const std::uint64_t step = cyclotomic ? RingShape::cyclotomic(85)->transform_step() : 2 * degree;
  p.plain_moduli = {cyclotomic ? primes_congruent_to_one(20, step, 1).front() : modulus};
  p.moduli = primes_congruent_to_one(word == Word::u64 ? 50 : 29, step, word == Word::u64 ? 5 : 9);
  p.special_moduli = {p.moduli.front()};
  p.moduli.erase(p.moduli.begin());
  p.security = 0;
  p.allow_insecure = true;
  return p;
}

struct Owner {
  rlwe::ContextPtr context;
  rlwe::SecretKey secret, other;
  rlwe::PublicKey key;
  rlwe::EvaluationKeys evaluation;
  rlwe::RekeyingKey rekeying;

  explicit Owner(const rlwe::ParametersLiteral& p)
      : context(scheme::make_context(rlwe::Parameters(p), CpuEngine::create(2))),
        secret(rlwe::deterministic::generate_secret_key(context, seed(1))),
        other(rlwe::deterministic::generate_secret_key(context, seed(2))),
        key(rlwe::deterministic::generate_public_key(secret, seed(3))),
        evaluation(rlwe::deterministic::generate_evaluation_keys(secret, true, elements(*context), seed(4))),
        rekeying(rlwe::deterministic::generate_rekeying_key(secret, other, seed(5))) {}

  static std::vector<std::uint64_t> elements(const rlwe::Context& context) {
    std::vector<std::uint64_t> all;
    for (std::uint64_t g = 2; g < context.galois().index(); ++g) {
      if (context.galois().contains(g)) all.push_back(g);
    }
    return all;
  }
  rlwe::Plaintext plain(std::size_t batch, std::int64_t start) const {
    std::vector<std::int64_t> values;
    for (std::size_t i = 0; i < batch * context->degree(); ++i) {
      values.push_back((start + static_cast<std::int64_t>(i * i)) % 1000 - 500);
    }
    return encode_residues(context, rlwe::PlainIndex(0), Encoding::Kind::slots, values, batch, context->degree());
  }
  Ciphertext encrypted(std::size_t batch, std::uint8_t start) const {
    return scheme::deterministic::encrypt(plain(batch, start), key, seed(start));
  }
};

using Results = std::vector<Ciphertext>;
using Operation = std::function<Results(const Ciphertext&, const Ciphertext&)>;
using Operations = std::vector<std::pair<const char*, Operation>>;

std::vector<io::Bytes> bytes_of(const Results& results) {
  std::vector<io::Bytes> all;
  for (const Ciphertext& c : results) all.push_back(io::to_bytes(c));
  return all;
}

/// x and y have two parts and one batch.
Operations linear_operations(const Owner& o) {
  const rlwe::Plaintext each = o.plain(3, 7), one = o.plain(1, 9);
  return {
      {"add", [](auto& x, auto& y) { return Results{scheme::add(x, y), scheme::add(y, x)}; }},
      {"subtract", [](auto& x, auto& y) { return Results{scheme::subtract(x, y), scheme::subtract(y, x)}; }},
      {"add to itself", [](auto& x, auto&) { return Results{scheme::add(x, x)}; }},
      {"negate", [](auto& x, auto&) { return Results{rlwe::negate(x)}; }},
      {"add a plaintext",
       [=](auto& x, auto&) { return Results{scheme::add_plain(x, each), scheme::add_plain(x, one)}; }},
      {"subtract a plaintext", [=](auto& x, auto&) { return Results{scheme::subtract_plain(x, each)}; }},
      {"multiply by plaintexts",
       [=](auto& x, auto&) {
         return Results{rlwe::multiply_plain(x, each), rlwe::multiply_plain(x, one),
                        rlwe::multiply_plain(x, rlwe::prepared(each)), rlwe::multiply_plain(x, rlwe::prepared(one))};
       }},
      {"multiply by an integer", [](auto& x, auto&) { return Results{rlwe::multiply_scalar(x, -77)}; }},
      {"combine",
       [](auto& x, auto&) {
         return Results{rlwe::linear_combination(x, std::vector<std::int64_t>{1, -2, 3, 0, 9, 1}, 2)};
       }},
      {"take", [](auto& x, auto&) { return Results{rlwe::take(x, std::vector<std::size_t>{2, 0, 2})}; }},
      {"broadcast",
       [](auto& x, auto& y) {
         const Ciphertext single = rlwe::take(y, std::vector<std::size_t>{1});
         return Results{scheme::add(x, single), scheme::subtract(single, x)};
       }},
      {"concatenate",
       [](auto& x, auto& y) { return Results{scheme::concatenate(std::vector<const Ciphertext*>{&x, &y, &x})}; }},
      {"gather",
       [](auto& x, auto& y) {
         const std::vector<rlwe::Member> members{{&x, 0}, {&y, 2}, {&y, 0}, {&x, 0}, {&x, 1}, {&y, 2}};
         return Results{rlwe::gather(members), rlwe::gather(members, 3)};
       }},
      {"sum groups", [](auto& x, auto&) { return Results{rlwe::sum_groups(x, 3)}; }},
      {"rerandomize", [&](auto& x, auto&) { return Results{scheme::deterministic::rerandomize(x, o.key, seed(50))}; }},
  };
}

Operations other_operations(const Owner& o) {
  const auto level = rlwe::Level(o.context->max_level().primes - 1);
  return {
      {"multiply", [](auto& x, auto& y) { return Results{scheme::multiply(x, y), scheme::square(x)}; }},
      {"multiply and relinearise",
       [&](auto& x, auto& y) {
         return Results{scheme::multiply_relinearized(x, y, o.evaluation),
                        scheme::square_relinearized(y, o.evaluation)};
       }},
      {"relinearise",
       [&](auto& x, auto& y) {
         const Ciphertext product = rlwe::transformed(scheme::multiply(x, y));
         return Results{rlwe::relinearize(product, o.evaluation), scheme::add(product, x), scheme::add(x, product),
                        scheme::subtract(x, product),
                        scheme::relinearize_to_level(product, o.evaluation, product.level())};
       }},
      {"sum products",
       [](auto& x, auto& y) {
         const std::vector<rlwe::Member> left{{&x, 0}, {&y, 1}, {&x, 0}, {&x, 2}},
             right{{&y, 0}, {&x, 1}, {&x, 2}, {&y, 2}};
         return Results{scheme::sum_products(left, right, 2), scheme::sum_products(left, right, 1)};
       }},
      {"turn",
       [&](auto& x, auto&) {
         Results all = rlwe::apply_galois_hoisted(x, std::vector<std::uint64_t>{1, 7, 3, 11}, o.evaluation);
         all.push_back(rlwe::apply_galois(x, 3, o.evaluation));
         all.push_back(rlwe::apply_galois(x, 1, o.evaluation));
         all.push_back(rlwe::sum_slots(x, o.evaluation));
         return all;
       }},
      {"rekey", [&](auto& x, auto&) { return Results{rlwe::rekey(x, o.rekeying)}; }},
      {"lower",
       [&, level](auto& x, auto& y) {
         const Ciphertext low = scheme::switch_to_level(x, level);
         return Results{low, scheme::add(low, y), scheme::add(y, low), rlwe::multiply_plain(low, o.plain(1, 3)),
                        scheme::concatenate(std::vector<const Ciphertext*>{&y, &low})};
       }},
  };
}

/// Results of all mixtures of domains are those of the native one.
void compare(const Operations& operations, const Ciphertext& x, const Ciphertext& y) {
  for (const auto& [name, operation] : operations) {
    const std::vector<io::Bytes> expected = bytes_of(operation(x, y));
    const Ciphertext moved_x = rlwe::transformed(x), moved_y = rlwe::transformed(y);
    for (const auto& [a, b] : {std::pair{&moved_x, &y}, std::pair{&x, &moved_y}, std::pair{&moved_x, &moved_y}}) {
      for (int again = 0; again < 3; ++again) {  // what is kept from the second time on is the same
        if (bytes_of(operation(*a, *b)) != expected) throw std::runtime_error(name);
      }
    }
  }
  CHECK(!operations.empty());
}

void every_mixture(bool cyclotomic) {
  for (const rlwe::Scheme* const scheme : {&bfv::scheme(), &bgv::scheme()}) {
    for (const Word word : {Word::u32, Word::u64}) {
      const Owner o(literal(*scheme, word, cyclotomic));
      const Ciphertext x = o.encrypted(3, 20), y = o.encrypted(3, 30);
      compare(linear_operations(o), x, y);
      compare(other_operations(o), x, y);
    }
  }
}

TEST(results_do_not_depend_on_the_domains_of_operands) { every_mixture(false); }

TEST(nor_over_other_rings) { every_mixture(true); }

TEST(linear_transforms_take_either_domain) {
  for (const rlwe::Scheme* const scheme : {&bfv::scheme(), &bgv::scheme()}) {
    const Owner o(literal(*scheme, Word::u64, false));
    const Ciphertext x = o.encrypted(3, 20);
    const rlwe::RotationGrid grid{{0, 1, 5}, {0, 8}};
    const auto factors = [&](std::size_t i) {
      return rlwe::ExtendedPlaintext(o.plain(3, static_cast<std::int64_t>(i)));
    };
    CHECK(io::to_bytes(rlwe::linear_transform(rlwe::transformed(x), grid, factors, o.evaluation)) ==
          io::to_bytes(rlwe::linear_transform(x, grid, factors, o.evaluation)));
  }
}

TEST(decryption_takes_either_domain) {
  for (const rlwe::Scheme* const scheme : {&bfv::scheme(), &bgv::scheme()}) {
    const Owner o(literal(*scheme, Word::u64, false));
    const Ciphertext x = o.encrypted(3, 20), three = scheme::multiply(x, x);
    for (const Ciphertext& c : {x, three, scheme::switch_to_level(x, rlwe::Level(2))}) {
      const Ciphertext moved = rlwe::transformed(c);
      CHECK(moved.domain() == Domain::transform);
      const auto values = [](const rlwe::Plaintext& p) { return decode_residues(p, Encoding::Kind::slots); };
      CHECK(values(scheme::decrypt(moved, o.secret)) == values(scheme::decrypt(c, o.secret)));
      CHECK(values(scheme::deterministic::reveal(moved, o.secret, 1, seed(9))) ==
            values(scheme::deterministic::reveal(c, o.secret, 1, seed(9))));
      CHECK(scheme::noise_budget(moved, o.secret) == scheme::noise_budget(c, o.secret));
      CHECK(scheme::measured_noise(moved, o.secret) == scheme::measured_noise(c, o.secret));
      CHECK(scheme::noise_headroom(moved) == scheme::noise_headroom(c));
      CHECK(!rlwe::is_transparent(moved));
      CHECK(rlwe::is_transparent(rlwe::subtract(moved, c)));
      CHECK_THROWS(MismatchError, scheme::decrypt(moved, o.other));
    }
  }
}

TEST(products_with_plaintexts_are_those_of_the_values) {
  const Owner o(literal(bfv::scheme(), Word::u32, false));
  const auto values = [](const rlwe::Plaintext& p) { return decode_residues(p, Encoding::Kind::slots); };
  const std::vector<std::int64_t> x = values(o.plain(3, 20)), u = values(o.plain(3, 7)), v = values(o.plain(3, 8));
  const Ciphertext c = o.encrypted(3, 20);
  const Ciphertext sum = scheme::add(
      scheme::add(rlwe::multiply_plain(c, o.plain(3, 7)), rlwe::multiply_plain(c, rlwe::prepared(o.plain(3, 8)))), c);
  const std::vector<std::int64_t> got = values(scheme::decrypt(sum, o.secret));
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::int64_t expected = x[i] * (u[i] + v[i] + 1);
    CHECK_EQ(((got[i] - expected) % static_cast<std::int64_t>(modulus)), 0);
  }
}

TEST(plain_products_stay_transformed_and_so_do_their_sums) {
  const Owner o(literal(bfv::scheme(), Word::u64, false));
  const Ciphertext x = o.encrypted(3, 20), product = rlwe::multiply_plain(x, o.plain(1, 3));
  CHECK(x.domain() == Domain::coefficient);
  CHECK(product.domain() == Domain::transform);
  CHECK(scheme::add(product, product).domain() == Domain::transform);
  CHECK(scheme::add_plain(product, o.plain(1, 3)).domain() == Domain::transform);
  CHECK(rlwe::sum_groups(product, 3).domain() == Domain::transform);
  CHECK(rlwe::multiply_plain(product, o.plain(1, 4)).domain() == Domain::transform);
  CHECK(rlwe::apply_galois(product, 3, o.evaluation).domain() == Domain::coefficient);
  CHECK(scheme::multiply(product, x).domain() == Domain::coefficient);
  CHECK(rlwe::native(product).domain() == Domain::coefficient);
  const Owner other(literal(bgv::scheme(), Word::u64, false));
  const Ciphertext z = other.encrypted(1, 20);
  CHECK(rlwe::native(z).domain() == Domain::transform);
  CHECK(rlwe::transformed(z).polynomials().view().data == z.polynomials().view().data);
}

TEST(seeds_of_fresh_ciphertexts_stay) {
  const Owner o(literal(bfv::scheme(), Word::u64, false));
  const Ciphertext x = scheme::deterministic::encrypt(o.plain(2, 5), o.secret, seed(60));
  const Ciphertext moved = rlwe::transformed(x);
  CHECK(moved.uniform_seed().has_value());
  CHECK(io::to_bytes(moved) == io::to_bytes(x));
  CHECK(io::to_bytes(moved.to(o.context)) == io::to_bytes(x));
}

TEST(what_is_asked_for_again_is_kept_by_all_copies) {
  const Owner o(literal(bfv::scheme(), Word::u64, false));
  const Ciphertext x = o.encrypted(3, 20), copy = x;
  const rlwe::Plaintext m = rlwe::prepared(o.plain(1, 3));
  const std::size_t alone = x.bytes();
  const io::Bytes first = io::to_bytes(rlwe::multiply_plain(x, m));
  CHECK_EQ(x.bytes(), alone);
  CHECK(io::to_bytes(rlwe::multiply_plain(copy, m)) == first);
  CHECK_EQ(x.held_bytes(), 2 * alone);
  CHECK_EQ(x.bytes(), alone);
  CHECK(rlwe::transformed(x).polynomials().view().data == rlwe::transformed(copy).polynomials().view().data);
  std::vector<std::thread> threads;
  std::vector<io::Bytes> results(8);
  const Ciphertext y = o.encrypted(3, 21);
  const io::Bytes expected = io::to_bytes(rlwe::multiply_plain(o.encrypted(3, 21), m));
  for (io::Bytes& result : results) {
    threads.emplace_back([&] { result = io::to_bytes(rlwe::multiply_plain(y, m)); });
  }
  for (std::thread& thread : threads) thread.join();
  for (const io::Bytes& result : results) CHECK(result == expected);
}

}  // namespace

int main() { return cyclotome::check::run(); }
