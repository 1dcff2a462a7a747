// SPDX-License-Identifier: Apache-2.0
// Over Phi_m the CUDA engine gives the CPU engine's bits too: transforms by every method, verbs in degrees that are no
// powers of two, automorphisms of any unit, composites, step by step and by kernels of their own, and bits in BGV and
// BFV. Needs a GPU; without one it says so and exits with 77, which CTest counts as skipped.
#include <cstdio>
#include <numeric>
#include <random>

#include "agreement.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/primes.hpp"
#include "cyclotome/program/composites.hpp"
#include "cyclotome/ring/conversion/divide_and_round.hpp"
#include "cyclotome/ring/tables/key_switch_constants.hpp"
#include "cyclotome/rlwe/keys/deterministic.hpp"
#include "cyclotome/scheme/bfv/operations.hpp"
#include "cyclotome/scheme/bfv/scheme.hpp"
#include "cyclotome/scheme/bgv/scheme.hpp"
#include "cyclotome/scheme/deterministic.hpp"
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

std::mt19937_64 random_bits;

/// As many primes of so many bits as there are up to `limbs`, 1 modulo `factor` times what the ring asks for.
RingPtr make_ring(std::size_t m, Word word, unsigned bits, std::size_t limbs, std::uint64_t factor = 1,
                  const std::vector<std::uint64_t>& excluded = {}) {
  const std::uint64_t step = RingShape::cyclotomic(m)->transform_step() * factor;
  for (std::size_t count = limbs; count > 0; --count) {
    try {
      return Ring::cyclotomic(m, Basis(word, primes_congruent_to_one(bits, step, count, excluded)));
    } catch (const ParameterError&) {
      if (count == 1) throw;
    }
  }
  return nullptr;
}

/// Residues at random with many 0 and q - 1 among them.
Pair extreme_pair(const RingPtr& ring, std::size_t batch, std::size_t parts, Domain domain) {
  PolyArray cpu(host(), ring, batch, parts, domain);
  std::vector<std::uint64_t> residues(cpu.size());
  for (std::size_t i = 0; i < residues.size(); ++i) {
    const std::uint64_t q = ring->basis()[i / ring->degree() % ring->limbs()], draw = random_bits();
    residues[i] = draw % 4 == 0 ? draw / 4 % q : draw % 4 == 1 ? 0 : q - 1;
  }
  cpu.from_host(residues);
  PolyArray gpu = cpu.to(device());
  return {std::move(cpu), std::move(gpu)};
}

/// Forwards and back; and back from residues that are nobody's transform.
void check_transforms(const RingPtr& ring, std::size_t batch, std::size_t parts) {
  for (const bool extreme : {false, true}) {
    const auto make = [&](Domain domain) {
      return extreme ? extreme_pair(ring, batch, parts, domain) : random_pair(ring, batch, parts, 3, domain);
    };
    Pair a = make(Domain::coefficient), b = make(Domain::transform);
    const PolyArray original = a.gpu.clone();
    a.cpu.to_transform();
    a.gpu.to_transform();
    CHECK(same(a.cpu, a.gpu));
    if (!same(a.cpu, a.gpu)) std::cout << "  " << ring->name() << ", " << ring->basis()[0] << '\n';
    a.gpu.to_coefficient();
    CHECK(same(a.gpu, original));
    b.cpu.to_coefficient();
    b.gpu.to_coefficient();
    CHECK(same(b.cpu, b.gpu));
  }
}

std::uint64_t random_unit(std::uint64_t m) {
  std::uint64_t unit = 0;
  while (std::gcd(unit, m) != 1) unit = random_bits() % m;
  return unit;
}

void check_verbs(const RingPtr& q, const RingPtr& p, std::size_t batch) {
  const auto verb = [&](Domain domain, auto call) {
    const Pair a = random_pair(q, batch, 2, 1, domain), b = random_pair(q, 1, 2, 2, domain);
    CHECK(agree(q, batch, 2, domain, a, b, [&](Engine& e, View out, ConstView x, ConstView y) { call(e, out, x, y); }));
  };
  for (const Domain domain : {Domain::coefficient, Domain::transform}) {
    verb(domain, [](Engine& e, View out, ConstView x, ConstView y) { e.add(out, x, y); });
    verb(domain, [](Engine& e, View out, ConstView x, ConstView y) { e.subtract(out, x, y); });
    verb(domain, [](Engine& e, View out, ConstView x, ConstView) { e.negate(out, x); });
    verb(domain, [](Engine& e, View out, ConstView x, ConstView y) { e.multiply(out, x, y); });
    verb(domain, [](Engine& e, View out, ConstView x, ConstView y) {
      e.copy(out, x);
      e.multiply_accumulate(out, x, y);
    });
    for (const std::uint64_t element : {std::uint64_t{1}, std::uint64_t{2}, q->index() - 1, random_unit(q->index())}) {
      verb(domain, [&](Engine& e, View out, ConstView x, ConstView) { e.automorphism(out, x, element); });
    }
    verb(domain, [](Engine& e, View out, ConstView, ConstView) {
      e.sample(out, Law::uniform, seed(9), Stream::public_uniform, 7);
    });
  }
  std::vector<std::uint64_t> factors;
  for (const auto modulus : q->basis().values()) factors.push_back(modulus - 1 - random_bits() % 100);
  verb(Domain::coefficient, [&](Engine& e, View out, ConstView x, ConstView) { e.multiply_scalars(out, x, factors); });
  for (const Law law : {Law::ternary, Law::error}) {
    verb(Domain::coefficient,
         [&](Engine& e, View out, ConstView, ConstView) { e.sample(out, law, seed(9), Stream::secret, 7); });
  }
  const Pair a = random_pair(q, batch, 2, 1, Domain::coefficient), b = random_pair(q, 1, 2, 2, Domain::coefficient);
  std::vector<std::int64_t> matrix(3 * batch);
  for (std::size_t i = 0; i < matrix.size(); ++i) matrix[i] = static_cast<std::int64_t>(i * 37 % 23) - 11;
  CHECK(agree(q, 3, 2, Domain::coefficient, a, b,
              [&](Engine& e, View out, ConstView x, ConstView) { e.linear_combination(out, x, matrix); }));
  for (const auto lift : {Lift::fast, Lift::centred}) {
    const BaseConversion conversion(q->basis(), p->basis(), lift);
    CHECK(agree(p, batch, 2, Domain::coefficient, a, b,
                [&](Engine& e, View out, ConstView x, ConstView) { e.convert(out, x, conversion); }));
  }
}

/// Items from anywhere, and their products: in one launch and in several, with fewer parts than the result, and the
/// largest sums there are.
void check_item_sums(const RingPtr& q) {
  const Pair a = extreme_pair(q, 5, 3, Domain::transform), b = extreme_pair(q, 4, 2, Domain::transform);
  for (const auto& [batch, group] : {std::pair<std::size_t, std::size_t>{7, 1}, {90, 3}, {2, 130}, {2, 500}}) {
    std::vector<std::size_t> picks;
    for (std::size_t i = 0; i < batch * group; ++i) picks.push_back(random_bits() % 5);
    const auto items = [&](ConstView x, ConstView y) {
      std::vector<ConstView> views;
      for (const std::size_t pick : picks) views.push_back(pick < 4 ? y.items(pick) : x.items(pick));
      return views;
    };
    CHECK(agree(q, batch, 3, Domain::transform, a, b,
                [&](Engine& e, View out, ConstView x, ConstView y) { e.sum_items(out, items(x, y), group); }));
    const auto factors = [&](ConstView x, std::size_t first) {
      std::vector<ConstView> views;
      for (const std::size_t pick : picks) views.push_back(x.items((first + pick) % 4).part(0, 2));
      return views;
    };
    CHECK(agree(q, batch, 3, Domain::transform, a, b, [&](Engine& e, View out, ConstView x, ConstView y) {
      e.sum_products(out, factors(x, 0), factors(y, 1), group);
    }));
  }
}

/// Key switches of digits of several primes and divisions by one, of many items: as kernels take them together.
void check_large_composites(const RingPtr& q, const RingPtr& p, std::size_t batch) {
  for (const std::size_t per_digit : {1, 3, 4, 8}) {
    const KeySwitchConstants constants(q, p, per_digit, PreservedModulus(2));
    for (const std::size_t added : {0, 1, 2}) {
      CHECK(composite_agrees(batch, [&](Builder& b) {
        const Slice out = b.output(q, 2, Domain::transform), c = b.input(q, 1, Domain::transform);
        const Slice key = b.input(constants.key_ring, 2, Domain::transform, constants.digits.size());
        std::optional<Slice> addend;
        if (added > 0) addend = b.input(q, added, Domain::transform);
        program::key_switch(b, out, c, key, constants, Domain::transform, addend);
      }));
    }
  }
  for (const std::size_t dropped : {std::size_t{1}, std::size_t{2}, q->limbs() - 1}) {
    const RingPtr kept = q->slice(0, q->limbs() - dropped), last = q->slice(q->limbs() - dropped, dropped);
    for (const std::size_t per_digit : {1, 3, 8}) {
      const KeySwitchConstants switching(q, p, per_digit, PreservedModulus(2));
      const program::SwitchAndDrop both{switching, DivideAndRound(kept, p->joined(*last), PreservedModulus(2))};
      CHECK(composite_agrees(batch, [&](Builder& b) {
        const Slice out = b.output(kept, 2, Domain::transform), c = b.input(q, 3, Domain::transform);
        const Slice key = b.input(switching.key_ring, 2, Domain::transform, switching.digits.size());
        program::key_switch_and_drop(b, out, c.part(2), key, both, c.part(0, 2));
      }));
    }
    const DivideAndRound division(kept, last, PreservedModulus(2));
    for (const std::size_t parts : {2, 3}) {
      CHECK(composite_agrees(batch, [&](Builder& b) {
        const Slice out = b.output(kept, parts, Domain::transform), x = b.input(q, parts, Domain::transform);
        const Slice rest = b.temporary(last, parts);
        b.copy(rest, x.limbs(q->limbs() - dropped, last));
        b.inverse(rest);
        program::divide_and_round(b, out, x.limbs(0, kept), rest, division);
      }));
    }
  }
}

/// What products, divisions and key switches are made of, twice each: step by step, and as graphs.
void check_composites(const RingPtr& q, const RingPtr& p, std::size_t batch) {
  for (const Domain domain : {Domain::coefficient, Domain::transform}) {
    const DivideAndRound division(q, p, PreservedModulus(1), 17);
    CHECK(composite_agrees(batch, [&](Builder& b) {
      const Slice out = b.output(q, 2, domain), kept = b.input(q, 2, domain);
      program::divide_and_round(b, out, kept, b.input(p, 2, Domain::coefficient), division);
    }));
    for (const std::size_t per_digit : {1, 2}) {
      for (const RingPtr& special : {p, RingPtr()}) {
        const KeySwitchConstants constants(q, special, per_digit);
        CHECK(composite_agrees(batch, [&](Builder& b) {
          const Slice out = b.output(q, 2, domain), c = b.input(q, 1, domain);
          const Slice key = b.input(constants.key_ring, 2, Domain::transform, constants.digits.size());
          program::key_switch(b, out, c, key, constants, domain, b.input(q, 2, domain));
        }));
      }
    }
  }
  CHECK(composite_agrees(batch, [&](Builder& b) {
    const Slice out = b.output(q, 3, Domain::coefficient), a = b.input(q, 2, Domain::coefficient);
    const Slice c = b.input(q, 2, Domain::coefficient), x = b.temporary(q, 2), y = b.temporary(q, 2);
    b.copy(x, a);
    b.copy(y, c);
    program::multiply_ciphertexts(b, out, x, y);
  }));
  CHECK(composite_agrees(batch, [&](Builder& b) {
    const Slice out = b.output(q, 2, Domain::coefficient);
    b.sample(out, Law::error, b.seed(), Stream::encryption_error);
  }));
  CHECK(composite_agrees(batch, [&](Builder& b) {
    const Slice out = b.output(q, 2, Domain::transform), a = b.input(q, 2, Domain::transform);
    b.automorphism(out, a, 2);
  }));
  CHECK(composite_agrees(batch, [&](Builder& b) {
    const Slice out = b.output(q, 2, Domain::transform), digits = b.input(q, 3, Domain::transform);
    program::turned_product(b, out, digits, b.input(q, 2, Domain::transform, 3), q->index() - 2);
  }));
}

void check_ring(std::size_t m, Word word, unsigned bits, std::uint64_t factor, std::size_t limbs, std::size_t batch) {
  const RingPtr q = make_ring(m, word, bits, limbs, factor);
  const RingPtr p = make_ring(m, word, std::max(bits, 30u), 2, 1, q->basis().values());
  check_transforms(q, batch, 2);
  check_verbs(q, p, batch);
  check_item_sums(q);
  if (q->limbs() > 1) check_composites(q, p, batch);
}

TEST(small_rings_equal_the_cpu) {
  for (const std::size_t m : {3, 7, 15, 17, 21, 31, 105, 255, 257, 771, 1105, 1285, 3855}) {
    check_ring(m, Word::u32, 30, 1, 3, 3);
    check_ring(m, Word::u64, 50, 1, 3, 3);
    check_ring(m, Word::u64, 61, 1, 3, 2);
  }
}

/// Keys, encryption, every operation and decryption of bits from equal seeds.
void check_bits(const rlwe::Scheme& scheme, std::size_t m, Word word, std::size_t primes, std::size_t special,
                std::size_t batch) {
  rlwe::ParametersLiteral literal;
  literal.scheme = &scheme;
  literal.cyclotomic = m;
  literal.word = word;
  literal.plain_moduli = {2};
  literal.moduli = smallest_primes_congruent_to_one(RingShape::cyclotomic(m)->transform_step(), primes + special,
                                                    word == Word::u32 ? 1U << 20 : 1ULL << 40);
  literal.special_moduli.assign(literal.moduli.end() - static_cast<std::ptrdiff_t>(special), literal.moduli.end());
  literal.moduli.resize(primes);
  literal.security = 0;
  literal.allow_insecure = true;
  const rlwe::Parameters parameters(literal);
  const std::uint64_t turn = parameters.ring()->galois().generators().front().element;
  std::vector<std::vector<std::uint64_t>> residues[2];
  int which = 0;
  for (const EnginePtr& engine : {host(), device()}) {
    auto& seen = residues[which++];
    const auto note = [&](const PolyArray& polynomials) { seen.push_back(polynomials.to_host()); };
    const auto context = scheme::make_context(parameters, engine);
    const auto secret = rlwe::deterministic::generate_secret_key(context, seed(1));
    const auto key = rlwe::deterministic::generate_public_key(secret, seed(2));
    const auto evaluation = rlwe::deterministic::generate_evaluation_keys(secret, true, {2, turn}, seed(3));
    note(key.polynomials());
    note(evaluation.relinearization().polynomials());
    note(evaluation.galois(turn).polynomials());
    const std::size_t width = values_of(*context, Encoding::Kind::slots);
    std::vector<std::int64_t> bits(batch * width);
    for (std::size_t i = 0; i < bits.size(); ++i) bits[i] = static_cast<std::int64_t>(i * 7919 % 2001 % 2);
    const auto message = encode_residues(context, rlwe::PlainIndex(0), Encoding::Kind::slots, bits, batch, width);
    const auto c = scheme::deterministic::encrypt(message, key, seed(4)),
               s = scheme::deterministic::encrypt(message, secret, seed(5));
    CHECK(decode_residues(scheme::decrypt(c, secret), Encoding::Kind::slots) == bits);
    const auto product = scheme::multiply_relinearized(c, s, evaluation);
    CHECK(decode_residues(scheme::decrypt(product, secret), Encoding::Kind::slots) == bits);  // a bit times itself
    for (const auto& made :
         {c, s, product, rlwe::apply_galois(c, turn, evaluation), rlwe::apply_galois(c, 2, evaluation),
          rlwe::multiply_plain(c, message), scheme::add(c, s), scheme::add_plain(c, message)}) {
      note(made.polynomials());
    }
    if (scheme.has_levels()) {
      for (const auto& made :
           {scheme::switch_to_level(product, rlwe::Level(primes - 1)), scheme::switch_to_level(c, rlwe::Level(2)),
            scheme::multiply(scheme::switch_to_level(c, rlwe::Level(primes - 2)), s)}) {
        note(made.polynomials());
      }
    } else {
      for (const auto method : {bfv::ProductMethod::behz, bfv::ProductMethod::hps_over_q}) {
        note(bfv::multiply_relinearized(c, s, evaluation, method).polynomials());
      }
    }
    const std::vector<std::uint64_t> elements{2, turn, 1};
    for (const auto& turned : rlwe::apply_galois_hoisted(c, elements, evaluation)) note(turned.polynomials());
    note(scheme::decrypt(product, secret).polynomials());
    CHECK(scheme::noise_budget(product, secret)[0] > 0);
  }
  CHECK_EQ(residues[0].size(), residues[1].size());
  for (std::size_t i = 0; i < residues[0].size(); ++i) {
    if (residues[0][i] != residues[1][i]) std::printf("  m = %zu: object %zu differs\n", m, i);
    CHECK(residues[0][i] == residues[1][i]);
  }
}

TEST(encrypted_bits_equal_the_cpu) {
  for (const Word word : {Word::u32, Word::u64}) {
    for (const rlwe::Scheme* const scheme : {&bgv::scheme(), &bfv::scheme()}) {
      check_bits(*scheme, 105, word, 6, 2, 3);
      check_bits(*scheme, 1105, word, 6, 2, 2);
      check_bits(*scheme, 4369, word, 6, 2, 2);
      check_bits(*scheme, 21845, word, 6, 2, 1);
      check_bits(*scheme, 65535, word, 6, 2, 1);
    }
  }
}

// With 16, 64 and 256 times the index below the primes, blocks of 16, 4 and 1 are left of the largest factor's.
TEST(rings_of_many_slots_equal_the_cpu) {
  for (const std::size_t m : {4369, 13107, 21845, 65535}) {
    for (const std::uint64_t factor : {1, 4, 16}) {
      check_ring(m, Word::u32, 30, factor, 3, 2);
      check_ring(m, Word::u64, factor == 4 ? 50 : 60, factor, 3, 1);
    }
    check_ring(m, Word::u32, m == 65535 ? 24 : 25, 1, 3, 1);
    check_ring(m, Word::u64, 30, 1, 2, 1);
  }
}

TEST(key_switches_of_many_items_equal_the_cpu) {
  for (const std::size_t m : {4369, 13107, 21845, 65535}) {
    const RingPtr q = make_ring(m, Word::u32, 30, 8), p = make_ring(m, Word::u32, 30, 3, 1, q->basis().values());
    check_large_composites(q, p, m == 4369 ? 21 : 3);
  }
  const RingPtr q = make_ring(105, Word::u32, 30, 8), p = make_ring(105, Word::u32, 30, 3, 1, q->basis().values());
  check_large_composites(q, p, 5);
}

TEST(padded_rings_equal_the_cpu) {
  check_ring(8191, Word::u64, 50, 1, 3, 2);
  check_ring(8191, Word::u64, 60, 1, 2, 3);
  check_ring(42799, Word::u64, 60, 1, 2, 1);
}

TEST(many_limbs_equal_the_cpu) {
  check_transforms(make_ring(4369, Word::u32, 30, 20), 16, 2);
  check_transforms(make_ring(21845, Word::u32, 30, 20), 6, 1);
  check_transforms(make_ring(65535, Word::u32, 30, 20), 4, 1);
  check_transforms(make_ring(105, Word::u32, 30, 20), 300, 2);
}

TEST(limbs_without_a_transform_are_refused) {
  const RingPtr ring = Ring::cyclotomic(15, Basis(Word::u32, {241, 257}));
  PolyArray a(device(), ring, 1, 1);
  CHECK_THROWS(ArgumentError, device()->forward(a.view()));
}

}  // namespace

int main() {
  const std::uint64_t value = std::random_device()();
  std::cout << "seed " << value << '\n';
  random_bits.seed(value);
  return check::run_on_device();
}
