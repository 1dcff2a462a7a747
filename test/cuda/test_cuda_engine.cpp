// SPDX-License-Identifier: Apache-2.0
// The CUDA engine gives the CPU engine's bits: every verb over random shapes, and both schemes from equal seeds. Needs
// a GPU; without one it says so and exits with 77, which CTest counts as skipped.
#include <cstdio>
#include <random>

#include "agreement.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/primes.hpp"
#include "cyclotome/ring/conversion/divide_and_round.hpp"
#include "cyclotome/ring/tables/key_switch_constants.hpp"
#include "cyclotome/scheme/bfv/behz.hpp"
#include "cyclotome/scheme/bfv/composites.hpp"
#include "cyclotome/scheme/bfv/hps.hpp"
#include "cyclotome/scheme/bfv/operations.hpp"
#include "cyclotome/scheme/bfv/scheme.hpp"
#include "cyclotome/scheme/bgv/scheme.hpp"
#include "cyclotome/scheme/encoding.hpp"
#include "cyclotome/scheme/scheme.hpp"

using namespace cyclotome;
using check::agree;
using check::composite_agrees;
using check::device;
using check::host;
using check::Pair;
using check::random_pair;
using check::same;
using check::seed;
using program::Builder;
using program::Slice;

namespace {

/// As a number of bits: primes of 61 bits and of 50, whose transforms are on integers and on doubles, in turn.
constexpr unsigned mixed = 0;

RingPtr make_ring(std::size_t degree, Word word, unsigned bits, std::size_t limbs,
                  const std::vector<std::uint64_t>& excluded = {}) {
  if (bits == mixed) {
    std::vector<std::uint64_t> primes[2], both;
    for (const int which : {0, 1}) {
      primes[which] = primes_congruent_to_one(which == 0 ? 61 : 50, 2 * degree, (limbs + 1) / 2, excluded);
    }
    for (std::size_t l = 0; l < limbs; ++l) both.push_back(primes[l % 2][l / 2]);
    return Ring::negacyclic(degree, Basis(word, both));
  }
  return Ring::negacyclic(degree, Basis(word, primes_congruent_to_one(bits, 2 * degree, limbs, excluded)));
}

void check_verbs(std::size_t degree, Word word, unsigned bits, std::size_t limbs, std::size_t batch) {
  const RingPtr q = make_ring(degree, word, bits, limbs);
  const RingPtr p = make_ring(degree, word, bits, limbs + 1, q->basis().values());
  const Pair a = random_pair(q, batch, 2, 1, Domain::coefficient), b = random_pair(q, 1, 2, 2, Domain::coefficient);
  const auto verb = [&](auto call) {
    return agree(q, batch, 2, Domain::coefficient, a, b,
                 [&](Engine& e, View out, ConstView x, ConstView y) { call(e, out, x, y); });
  };
  CHECK(verb([](Engine& e, View out, ConstView x, ConstView y) { e.add(out, x, y); }));
  CHECK(verb([](Engine& e, View out, ConstView x, ConstView y) { e.subtract(out, x, y); }));
  CHECK(verb([](Engine& e, View out, ConstView x, ConstView) { e.negate(out, x); }));
  CHECK(verb([](Engine& e, View out, ConstView x, ConstView y) { e.multiply(out, x, y); }));
  CHECK(verb([](Engine& e, View out, ConstView x, ConstView y) {
    e.copy(out, x);
    e.multiply_accumulate(out, x, y);
  }));
  std::vector<std::uint64_t> factors;
  for (const auto modulus : q->basis().values()) factors.push_back(modulus - 12345);
  CHECK(verb([&](Engine& e, View out, ConstView x, ConstView) { e.multiply_scalars(out, x, factors); }));
  CHECK(verb([&](Engine& e, View out, ConstView x, ConstView) { e.automorphism(out, x, 2 * degree - 5); }));
  for (const auto law : {Law::uniform, Law::ternary, Law::error}) {
    CHECK(verb([&](Engine& e, View out, ConstView, ConstView) { e.sample(out, law, seed(9), Stream::secret, 7); }));
  }
  CHECK(verb([](Engine& e, View out, ConstView x, ConstView) {
    e.copy(out, x);
    e.forward(out);
  }));
  CHECK(verb([](Engine& e, View out, ConstView x, ConstView) {
    out.domain = Domain::transform;
    x.domain = Domain::transform;
    e.copy(out, x);
    e.inverse(out);
  }));
  const Pair ta = random_pair(q, batch, 2, 3, Domain::transform), tb = random_pair(q, batch, 2, 4, Domain::transform);
  CHECK(agree(q, batch, 2, Domain::transform, ta, tb,
              [&](Engine& e, View out, ConstView x, ConstView) { e.automorphism(out, x, 3); }));
  CHECK(composite_agrees(batch, [&](Builder& to) {
    const Slice out = to.output(q, 3, Domain::transform), x = to.input(q, 2, Domain::transform);
    program::tensor_product(to, out, x, to.input(q, 2, Domain::transform));
  }));
  CHECK(composite_agrees(batch, [&](Builder& to) {
    const Slice out = to.output(q, 2, Domain::transform), digits = to.input(q, 5, Domain::transform);
    program::key_switch_product(to, out, digits, to.input(q, 2, Domain::transform, 5));
  }));
  for (const std::size_t element : {std::size_t{3}, degree + 1, 2 * degree - 1, std::size_t{1}}) {
    CHECK(composite_agrees(batch, [&](Builder& to) {
      const Slice out = to.output(q, 2, Domain::transform), digits = to.input(q, 5, Domain::transform);
      program::turned_product(to, out, digits, to.input(q, 2, Domain::transform, 5), element);
    }));
  }
  std::vector<std::int64_t> matrix(3 * batch);
  for (std::size_t i = 0; i < matrix.size(); ++i) matrix[i] = static_cast<std::int64_t>(i * 37 % 23) - 11;
  CHECK(agree(q, 3, 2, Domain::coefficient, a, b,
              [&](Engine& e, View out, ConstView x, ConstView) { e.linear_combination(out, x, matrix); }));
  for (const auto lift : {Lift::fast, Lift::centred}) {
    const BaseConversion conversion(q->basis(), p->basis(), lift);
    CHECK(agree(p, batch, 2, Domain::coefficient, a, b,
                [&](Engine& e, View out, ConstView x, ConstView) { e.convert(out, x, conversion); }));
  }
  const DivideAndRound division(q, p, PreservedModulus(1), 17);
  CHECK(composite_agrees(batch, [&](Builder& to) {
    const Slice out = to.output(q, 2, Domain::coefficient), kept = to.input(q, 2, Domain::coefficient);
    program::divide_and_round(to, out, kept, to.input(p, 2, Domain::coefficient), division);
  }));
}

/// What decryption asks for: the message and how close each item came to the limit, of garbage and of what is small.
void check_decryption(std::size_t degree, Word word, unsigned bits, std::size_t limbs, std::size_t batch) {
  const RingPtr q = make_ring(degree, word, bits, limbs);
  const RingPtr plain = Ring::negacyclic(degree, Basis(word, {786433}));
  const std::uint64_t gamma =
      primes_congruent_to_one(word == Word::u32 ? 30 : 61, 2 * degree, limbs + 1, q->basis().values()).back();
  const bfv::PlainScale scale(q, plain, gamma);
  const BaseConversion reduction(q->basis(), plain->basis(), Lift::centred);
  for (const Law law : {Law::uniform, Law::error}) {
    for (const bool by_gamma : {true, false}) {
      const auto write = [&](Builder& b) {
        const Slice out = b.output(plain, 1, Domain::coefficient, true), numbers = b.output_numbers();
        const Slice a = b.input(q, 1, Domain::coefficient, program::each, true);
        if (by_gamma) {
          bfv::scale_to_plain(b, out, numbers, a, scale);
        } else {
          program::convert_with_peaks(b, out, numbers, a, reduction);
        }
      };
      CHECK(composite_agrees(batch, write, law));
    }
  }
}

/// A product of ciphertexts, which uses its factors up; second: whether it is of two, or a square.
void write_product(Builder& b, const RingPtr& q, bool second) {
  const Slice out = b.output(q, 3, Domain::coefficient), a = b.input(q, 2, Domain::coefficient);
  const Slice x = b.temporary(q, 2);
  b.copy(x, a);
  if (!second) return program::multiply_ciphertexts(b, out, x, x);
  const Slice c = b.input(q, 2, Domain::coefficient, 1), y = b.temporary_like(c, q, 2);
  b.copy(y, c);
  program::multiply_ciphertexts(b, out, x, y);
}

void write_key_switch(Builder& b, const RingPtr& q, const KeySwitchConstants& step, Domain domain, std::size_t added) {
  const Slice out = b.output(q, 2, domain), c = b.input(q, 1, domain);
  const Slice key = b.input(step.key_ring, 2, Domain::transform, step.digits.size());
  std::optional<Slice> addend;
  if (added > 0) addend = b.input(q, added, domain);
  program::key_switch(b, out, c, key, step, domain, addend);
}

/// The composites that transform, multiply and transform back.
void check_products(std::size_t degree, Word word, unsigned bits, std::size_t limbs, std::size_t batch) {
  const RingPtr q = make_ring(degree, word, bits, limbs);
  const RingPtr p = make_ring(degree, word, bits, limbs + 1, q->basis().values());
  for (const bool second : {false, true}) {
    CHECK(composite_agrees(batch, [&](Builder& b) { write_product(b, q, second); }));
  }
  CHECK(composite_agrees(batch, [&](Builder& b) {
    const Slice out = b.output(q, 2, Domain::coefficient), c = b.input(q, 1, Domain::coefficient);
    const Slice key = b.input(q, 2, Domain::transform, 1), addend = b.input(q, 2, Domain::coefficient);
    program::multiply_key(b, out, c, key, addend, program::Operands::kept);
  }));
  const bfv::HpsProduct product(q, p, rlwe::PlainModulus(65537));
  CHECK(composite_agrees(batch, [&](Builder& b) {
    const RingPtr& both = product.product_ring;
    const Slice first = b.output(both, 2, Domain::coefficient), x = b.input(q, 2, Domain::coefficient);
    bfv::hps_lift(b, first, b.output(both, 2, Domain::coefficient), x, b.input(q, 2, Domain::coefficient), product);
  }));
  const RingPtr special = p->slice(0, 1);
  for (const std::size_t per_digit : {1, 2, 3, 4, 5}) {
    if (per_digit > limbs) continue;
    for (const RingPtr& division : {special, RingPtr()}) {
      const KeySwitchConstants step(q, division, per_digit);
      for (const auto domain : {Domain::coefficient, Domain::transform}) {
        for (const std::size_t added : {0, 1, 2}) {
          CHECK(composite_agrees(batch, [&](Builder& b) { write_key_switch(b, q, step, domain, added); }));
        }
      }
    }
  }
}

/// Keys, encryption, every operation and decryption from equal seeds.
void check_scheme(const rlwe::Scheme* kind, std::size_t degree, unsigned log_q, Word word, std::size_t batch) {
  const rlwe::Parameters parameters = check::planned(kind, degree, log_q, word, true);
  std::vector<std::vector<std::uint64_t>> residues[2];
  int which = 0;
  for (const EnginePtr& engine : {host(), device()}) {
    auto& seen = residues[which++];
    const auto note = [&](const PolyArray& polynomials) { seen.push_back(polynomials.to_host()); };
    const auto note_ct = [&](const rlwe::Ciphertext& c) { note(c.polynomials()); };
    const auto context = scheme::make_context(parameters, engine);
    const auto secret = rlwe::deterministic::generate_secret_key(context, seed(1));
    const auto key = rlwe::deterministic::generate_public_key(secret, seed(2));
    const auto evaluation =
        rlwe::deterministic::generate_evaluation_keys(secret, true, {3, 9, 2 * degree - 1}, seed(3));
    note(key.polynomials());
    note(evaluation.relinearization().polynomials());
    note(evaluation.galois(3).polynomials());
    std::vector<std::int64_t> values(batch * degree);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::int64_t>(i * 7919 % 2001) - 1000;
    const auto message = encode_residues(context, rlwe::PlainIndex(0), Encoding::Kind::slots, values, batch, degree);
    note(message.polynomials());
    const auto c = scheme::deterministic::encrypt(message, key, seed(4)),
               s = scheme::deterministic::encrypt(message, secret, seed(5));
    note_ct(c);
    note_ct(s);
    CHECK(decode_residues(scheme::decrypt(c, secret), Encoding::Kind::slots) == values);
    const auto product = scheme::multiply(c, s);
    note_ct(product);
    const auto relinearized = rlwe::relinearize(product, evaluation);
    note_ct(relinearized);
    note_ct(scheme::square(relinearized));
    note_ct(rlwe::apply_galois(c, 3, evaluation));
    const std::vector<std::uint64_t> elements{9, 2 * degree - 1, 1};
    for (const auto& turned : rlwe::apply_galois_hoisted(c, elements, evaluation)) note_ct(turned);
    note_ct(rlwe::multiply_plain(c, message));
    note_ct(rlwe::multiply_scalar(c, -77));
    note_ct(scheme::add(c, s));
    note_ct(scheme::subtract(c, s));
    note_ct(scheme::add_plain(c, message));
    note_ct(rlwe::sum_groups(c, batch));
    note(scheme::decrypt(relinearized, secret).polynomials());
    if (kind == &bfv::scheme()) note_ct(bfv::multiply(c, s, bfv::ProductMethod::behz));
    CHECK(!rlwe::is_transparent(c));
    CHECK(scheme::noise_budget(relinearized, secret)[0] > 0);
  }
  CHECK_EQ(residues[0].size(), residues[1].size());
  for (std::size_t i = 0; i < residues[0].size(); ++i) {
    if (residues[0][i] != residues[1][i]) std::printf("  object %zu differs\n", i);
    CHECK(residues[0][i] == residues[1][i]);
  }
}

TEST(every_verb_equals_the_cpu) {
  for (std::size_t degree = 1024; degree <= 131072; degree *= 2) {
    const std::size_t limbs = degree > 16384 ? 2 : 5, batch = degree > 16384 ? 2 : 3;
    check_verbs(degree, Word::u32, 30, limbs, batch);
    check_verbs(degree, Word::u64, 50, limbs, batch);
    check_verbs(degree, Word::u64, 61, limbs, batch);
    check_verbs(degree, Word::u64, mixed, limbs, batch);
  }
}

TEST(decryptions_and_their_peaks_equal_the_cpu) {
  for (std::size_t degree = 8; degree <= 131072; degree *= 4) {
    for (const auto& [word, bits] : {std::pair(Word::u32, 30u), std::pair(Word::u64, 50u), std::pair(Word::u64, 61u)}) {
      for (const std::size_t limbs : {1, 2, 9}) {
        if (bits == 30 && degree * limbs > 32768) continue;  // there are not so many primes
        check_decryption(degree, word, bits, limbs, degree > 4096 ? 2 : 70);
      }
    }
  }
}

TEST(fused_products_equal_the_cpu) {
  for (std::size_t degree = 512; degree <= 131072; degree *= 2) {
    const std::size_t limbs = degree > 8192 ? 3 : 5, batch = degree > 8192 ? 2 : 3;
    check_products(degree, Word::u32, 30, limbs, batch);
    for (const unsigned bits : {50u, 61u, mixed}) check_products(degree, Word::u64, bits, limbs, batch);
  }
  check_products(4096, Word::u32, 30, 18, 40);  // enough for the kernels that work on many limbs
  check_products(8192, Word::u32, 30, 18, 20);
  check_products(16384, Word::u32, 30, 18, 10);
  check_products(4096, Word::u64, 60, 18, 20);
  check_products(4096, Word::u64, 50, 18, 20);
  check_products(8192, Word::u64, 50, 18, 10);
  check_products(16384, Word::u64, mixed, 18, 5);
  check_products(1024, Word::u64, 60, 18, 2);
}

/// Digits that are extended by base conversions before they are transformed, for few limbs and for many.
TEST(digits_of_many_primes_equal_the_cpu) {
  const auto check = [](std::size_t degree, Word word, unsigned bits, std::size_t limbs, std::size_t per_digit,
                        std::size_t batch) {
    const RingPtr q = make_ring(degree, word, bits, limbs);
    const KeySwitchConstants step(q, make_ring(degree, word, bits, per_digit, q->basis().values()), per_digit);
    for (const auto domain : {Domain::coefficient, Domain::transform}) {
      CHECK(composite_agrees(batch, [&](Builder& b) { write_key_switch(b, q, step, domain, 1); }));
    }
  };
  for (const auto& [word, bits] : {std::pair(Word::u32, 30u), std::pair(Word::u64, 50u), std::pair(Word::u64, 61u)}) {
    for (const std::size_t per_digit : {8, 11, 17}) {
      check(1024, word, bits, 17, per_digit, 3);
      check(4096, word, bits, 17, per_digit, 40);
    }
    check(65536, word, bits, 9, 8, 1);
  }
  check(32768, Word::u32, 30, 10, 3, 40);
}

TEST(transforms_of_many_limbs_equal_the_cpu) {
  for (std::size_t degree = 2; degree <= 131072; degree *= 2) {
    const std::size_t limbs = 20, batch = std::max<std::size_t>(1, (std::size_t{1} << 20) / degree / limbs) + 1;
    for (const auto& [word, bits] : {std::pair(Word::u32, 30u), std::pair(Word::u64, 61u), std::pair(Word::u64, 50u),
                                     std::pair(Word::u64, mixed)}) {
      const RingPtr ring = make_ring(degree, word, bits, degree > 8192 ? 4 : limbs);
      Pair a = random_pair(ring, batch, 1, 1, Domain::coefficient);
      const PolyArray original = a.gpu.clone();
      a.cpu.to_transform();
      a.gpu.to_transform();
      CHECK(same(a.cpu, a.gpu));
      a.gpu.to_coefficient();
      CHECK(same(a.gpu, original));
    }
  }
}

TEST(conversions_from_many_limbs) {
  check_verbs(1024, Word::u32, 30, 40, 2);
  check_verbs(1024, Word::u64, 60, 60, 1);
}

TEST(bfv_equals_the_cpu) {
  for (const Word word : {Word::u32, Word::u64}) {
    check_scheme(&bfv::scheme(), 1024, 120, word, 3);
    check_scheme(&bfv::scheme(), 8192, 174, word, 2);
    check_scheme(&bfv::scheme(), 32768, 700, word, 1);
  }
}

TEST(bgv_equals_the_cpu) {
  for (const Word word : {Word::u32, Word::u64}) {
    check_scheme(&bgv::scheme(), 1024, 120, word, 3);
    check_scheme(&bgv::scheme(), 8192, 174, word, 2);
    check_scheme(&bgv::scheme(), 16384, 389, word, 1);
  }
}

TEST(rings_without_kernels_are_refused_when_an_array_is_made) {
  const Basis basis(Word::u64, {241});
  const RingPtr long_lines = Ring::cyclotomic(131071, basis);  // 2^18 points along a prime factor
  CHECK_THROWS_WITH(EngineError, PolyArray(device(), long_lines, 1, 1),
                    "does not compute in Z_q[x]/(Phi_131071); the CPU engine does");
  CHECK_THROWS_WITH(EngineError, PolyArray(device(), Ring::negacyclic(8, basis)->spaced(9), 1, 1), "9 words apart");
  CHECK_THROWS_WITH(EngineError, PolyArray(host(), long_lines, 1, 1).to(device()), "does not compute");
}

TEST(exhausted_memory_is_an_error_and_the_engine_lives_on) {
  CHECK_THROWS(EngineError, device()->allocate(std::size_t{1} << 45, false));
  check_verbs(1024, Word::u32, 30, 2, 2);
}

}  // namespace

int main() { return check::run_on_device(); }
