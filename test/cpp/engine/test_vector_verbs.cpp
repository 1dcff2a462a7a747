// SPDX-License-Identifier: Apache-2.0
// Whole verbs of the engine, and composites: every instruction set of this machine computes the bits of the scalar one,
// samplers those of the block function, and a set that the machine lacks is refused.
#include <algorithm>

#include "cyclotome/engine/poly.hpp"
#include "cyclotome/math/chacha20.hpp"
#include "cyclotome/ring/conversion/divide_and_round.hpp"
#include "cyclotome/ring/tables/key_switch_constants.hpp"
#include "cyclotome/scheme/bfv/behz.hpp"
#include "one_composite.hpp"
#include "seed.hpp"
#include "vector_operands.hpp"

namespace {

using namespace cyclotome;
using check::check_all;
using check::label;
using check::moduli;
using check::Pattern;
using check::patterns;
using check::residues;
using check::vector_sets;
using check::Words;
using cpu::InstructionSet;

/// 64-bit word `word` of a block of the stream, straight from RFC 8439's block function.
std::uint64_t stream_word(const cpu::StreamAddress& address, std::uint32_t block, std::size_t word) {
  std::uint32_t key[8], out[16];
  std::copy(address.key.begin(), address.key.end(), key);
  const std::uint32_t nonce[3] = {address.nonce[0], address.nonce[1], address.nonce[2]};
  chacha20_block(key, block, nonce, out);
  return out[2 * word] | static_cast<std::uint64_t>(out[2 * word + 1]) << 32;
}

template <LimbWord W>
void test_samplers(InstructionSet set, std::size_t first, std::size_t count) {
  const cpu::Kernels<W>& kernels = cpu::kernels<W>(set);
  const cpu::StreamAddress address{{1, 0xffffffff, 3, 4, 5, 6, 7, 0x80000000}, {9, 10, 0xffffffff}};
  for (const std::uint64_t q : moduli<W>()) {
    Words<W> out(count);
    kernels.sample_uniform(out.data(), first, count, static_cast<W>(q), address);
    check_all(label(set, word_bits<W>, "sample_uniform", q, Pattern::random), out, [&](std::size_t c) {
      const auto block = static_cast<std::uint32_t>((first + c) / 4);
      const std::size_t word = 2 * ((first + c) % 4);
      return uniform_residue(stream_word(address, block, word), stream_word(address, block, word + 1), q);
    });
  }
  for (const Law law : {Law::ternary, Law::error}) {
    std::vector<int> small(count);
    kernels.sample_small(small.data(), first, count, law, address);
    const std::uint64_t q = 65537;
    Words<W> out(count);
    kernels.reduce_small(out.data(), small.data(), count, static_cast<W>(q));
    check_all(label(set, word_bits<W>, "sample_small", q, Pattern::random), out, [&](std::size_t c) {
      const auto random = stream_word(address, static_cast<std::uint32_t>((first + c) / 8), (first + c) % 8);
      const int value = law == Law::ternary ? ternary_value(random) : error_value(random);
      return static_cast<std::uint64_t>(value < 0 ? static_cast<std::int64_t>(q) + value : value);
    });
  }
}

/// What one engine makes of fixed inputs in a ring whose limbs have `gap` words between them, verb by verb, and
/// composite by composite.
std::vector<std::vector<std::uint64_t>> all_verbs(const EnginePtr& engine, const RingShapePtr& shape, Word word,
                                                  unsigned bits, Pattern pattern, std::size_t gap = 0) {
  const std::uint64_t plain = 65537, gamma = word == Word::u32 ? (1ULL << 30) - 35 : (1ULL << 60) - 93;
  const std::size_t n = shape->degree();
  const GaloisGroup& galois = shape->galois();
  const Basis basis(word, primes_congruent_to_one(bits, shape->transform_step(), 5));
  const RingPtr ring = Ring::create(shape, basis)->spaced(n + gap), q = ring->slice(0, 3), p = ring->slice(3, 2);
  const RingPtr auxiliary = q->with_basis(bfv::behz_auxiliary_basis(q->basis(), *shape, rlwe::PlainModulus(plain),
                                                                    bfv::behz_m_tilde(word), basis.values()));
  const RingPtr plain_ring = q->with_basis(Basis(word, {plain}));
  const Seed seed = check::seed(0);
  std::vector<std::vector<std::uint64_t>> results;
  const auto keep = [&](const PolyArray& a) { results.push_back(a.to_host()); };
  const auto draw = [&](const RingPtr& r, std::size_t batch, std::size_t parts, Domain domain) {
    PolyArray a(engine, r, batch, parts, domain);
    engine->sample(a.view(), Law::uniform, seed, Stream::flooding);
    if (pattern == Pattern::random) return a;
    std::vector<std::uint64_t> values;
    for (std::size_t row = 0; row < batch * parts * r->limbs(); ++row) {
      const auto limb = residues<std::uint64_t>(n, r->basis()[row % r->limbs()], pattern, row);
      values.insert(values.end(), limb.begin(), limb.end());
    }
    a.from_host(values);
    return a;
  };
  const auto made = [&](const RingPtr& r, const PolyArray& like, Domain domain) {
    return PolyArray(engine, r, like.batch(), like.parts(), domain);
  };

  PolyArray a = draw(q, 2, 2, Domain::coefficient), b = a.clone();
  engine->sample(b.view(), Law::error, seed, Stream::secret, 5);
  keep(b);
  engine->sample(b.view(), Law::ternary, seed, Stream::secret, 5);
  keep(b);
  a.to_transform();
  b.to_transform();
  keep(a);
  if (pattern != Pattern::random) a = draw(q, 2, 2, Domain::transform), b = a.clone();  // not what they transform to
  PolyArray out = a.clone();
  engine->add(out.view(), a.view(), b.view());
  keep(out);
  engine->subtract(out.view(), a.view(), b.view());
  keep(out);
  engine->negate(out.view(), a.view());
  keep(out);
  engine->multiply(out.view(), a.view(), b.view());
  keep(out);
  engine->multiply_accumulate(out.view(), a.view(), b.view());
  keep(out);
  engine->multiply_scalars(out.view(), a.view(), {{1, 2, basis[2] - 1}});
  keep(out);
  engine->automorphism(out.view(), a.view(), galois.generators().front().element);
  keep(out);
  PolyArray product(engine, q, 2, 3, Domain::transform);
  check::tensor_product(*engine, product.view(), a.view(), b.view());
  keep(product);
  const PolyArray key = draw(q, 2, 2, Domain::transform);
  check::key_switch_product(*engine, out.view(), a.view(), key.view());
  keep(out);
  PolyArray rows(engine, q, 3, 2, Domain::transform);
  engine->linear_combination(rows.view(), a.view(), {{1, -2, 3, 0, -5, 1000000007}});
  keep(rows);
  keep(a.to_coefficient());
  out.set_domain(Domain::coefficient);
  engine->automorphism(out.view(), b.to_coefficient().view(), galois.generators().back().element);
  keep(out);

  for (const std::size_t per_digit : {1, 2}) {
    const KeySwitchConstants step(q, ring->slice(3, per_digit), per_digit);
    const PolyArray keys = draw(step.key_ring, step.digits.size(), 2, Domain::transform);
    for (const Domain domain : {Domain::coefficient, Domain::transform}) {
      const PolyArray c = draw(q, 2, 1, domain), addend = draw(q, 2, 2, domain);
      PolyArray switched(engine, q, 2, 2, domain);
      check::key_switch(*engine, switched.view(), c.view(), keys.view(), step, addend.view());
      keep(switched);
    }
  }

  const bfv::BehzLift lift(q, auxiliary, bfv::behz_m_tilde(word));
  PolyArray lifted = made(auxiliary, a, Domain::coefficient);
  check::behz_lift(*engine, lifted.view(), a.view(), lift);
  keep(lifted);
  const bfv::BehzScale scale(q, auxiliary, rlwe::PlainModulus(plain));
  const PolyArray joined = draw(scale.joined, 2, 2, Domain::coefficient);
  PolyArray scaled = made(q, a, Domain::coefficient);
  check::behz_scale(*engine, scaled.view(), joined.view(), scale);
  keep(scaled);
  const bfv::PlainScale to_plain(q, plain_ring, gamma);
  PolyArray message = made(plain_ring, a, Domain::coefficient);
  check::scale_to_plain(*engine, message.view(), a.view(), to_plain);
  keep(message);
  const DivideAndRound divide(q, p);
  const PolyArray wide = draw(ring, 2, 2, Domain::coefficient);
  check::divide_and_round(*engine, scaled.view(), wide.view().limbs_at(0, *q), wide.view().limbs_at(3, *p), divide);
  keep(scaled);
  PolyArray converted = made(auxiliary, a, Domain::coefficient);
  engine->convert(converted.view(), a.view(), BaseConversion(q->basis(), auxiliary->basis(), Lift::centred));
  keep(converted);
  return results;
}

void check_results(const std::vector<std::vector<std::uint64_t>>& got,
                   const std::vector<std::vector<std::uint64_t>>& expected, const std::string& what) {
  CHECK_EQ(got.size(), expected.size());
  for (std::size_t i = 0; i < std::min(got.size(), expected.size()); ++i) {
    check::record(got[i] == expected[i], __FILE__, __LINE__,
                  message(what, ": result ", i, " differs from the scalar engine's"));
  }
}

/// Transforms of lifts, from every side of their limit on; to memory of their own, and in place.
template <LimbWord W>
void test_moved_transforms(InstructionSet set, std::size_t n, std::uint64_t q, Pattern pattern) {
  const cpu::Kernels<W>&kernels = cpu::kernels<W>(set), &scalar = cpu::kernels<W>(InstructionSet::scalar);
  if (kernels.forward_moved == nullptr || n < cpu::smallest_moved) return;
  const TransformTables<W> tables(n, static_cast<W>(q));
  for (const std::uint64_t from : {q, 2 * q - 1, q + 2, q - 2, q / 2 + 1, std::uint64_t{3}}) {
    const Words<W> a = residues<W>(n, from, pattern, n + from);
    Words<W> expected(n), got(n), same = a;
    if (from == q) {
      expected = a;
    } else {
      scalar.move_centred(expected.data(), a.data(), n, static_cast<W>(from), static_cast<W>(q));
    }
    scalar.forward_transform(expected.data(), tables);
    const std::string name = label(set, word_bits<W>, message("moved from ", from).c_str(), q, pattern);
    kernels.forward_moved(got.data(), a.data(), static_cast<W>(from), tables);
    check_all(name, got, [&](std::size_t c) { return expected[c]; });
    kernels.forward_moved(same.data(), same.data(), static_cast<W>(from), tables);
    check_all(name + ", in place", same, [&](std::size_t c) { return expected[c]; });
  }
}

template <LimbWord W>
void moved_transforms_everywhere() {
  for (const InstructionSet set : vector_sets()) {
    for (std::size_t n = cpu::smallest_moved; n <= 16384; n *= 2) {
      for (const std::uint64_t q : check::transform_primes<W>(n)) {
        for (const Pattern pattern : patterns) test_moved_transforms<W>(set, n, q, pattern);
      }
    }
  }
}
TEST(transforms_of_lifts_equal_the_scalar_path_32) { moved_transforms_everywhere<std::uint32_t>(); }
TEST(transforms_of_lifts_equal_the_scalar_path_64) { moved_transforms_everywhere<std::uint64_t>(); }

TEST(scalar_path_is_always_there_and_sets_ascend) {
  const auto sets = cpu::instruction_sets();
  CHECK(!sets.empty() && sets.front() == InstructionSet::scalar);
  CHECK(std::is_sorted(sets.begin(), sets.end()));
  CHECK(CpuEngine::create(1)->instruction_set() == sets.back());
  for (const InstructionSet set : sets) CHECK(CpuEngine::create(1, set)->instruction_set() == set);
}

TEST(a_set_that_the_machine_lacks_is_refused) {
  const auto sets = cpu::instruction_sets();
  for (const InstructionSet set :
       {InstructionSet::neon, InstructionSet::avx2, InstructionSet::avx512, InstructionSet::avx512_ifma}) {
    if (std::find(sets.begin(), sets.end(), set) == sets.end()) {
      std::cout << "SKIPPED: this machine has no " << cpu::name_of(set) << "; that path was not tested\n";
      CHECK_THROWS_WITH(EngineError, CpuEngine::create(1, set), "this machine has no");
    }
  }
  CHECK(!sets.empty());
}

TEST(samplers_equal_the_block_function) {
  for (const InstructionSet set : cpu::instruction_sets()) {
    for (const std::size_t count : {2, 8, 24, 64, 128, 136, 1024}) {
      for (const std::size_t first : {0, 128}) {
        test_samplers<std::uint32_t>(set, first, count);
        test_samplers<std::uint64_t>(set, first, count);
      }
    }
  }
}

TEST(every_verb_of_the_engine_equals_the_scalar_engine) {
  const struct {
    Word word;
    unsigned bits;
  } bases[] = {{Word::u32, 30}, {Word::u64, 36}, {Word::u64, 50}, {Word::u64, 60}};
  for (const auto& [word, bits] : bases) {
    for (const std::size_t n : {16, 2048}) {
      const RingShapePtr shape = RingShape::negacyclic(n);
      for (const Pattern pattern : patterns) {
        const auto expected = all_verbs(CpuEngine::create(1, InstructionSet::scalar), shape, word, bits, pattern);
        for (const InstructionSet set : vector_sets()) {
          const auto got = all_verbs(CpuEngine::create(2, set), shape, word, bits, pattern);
          check_results(got, expected,
                        message(cpu::name_of(set), ", ", bits, "-bit primes, degree ", n, ", pattern ",
                                static_cast<int>(pattern)));
        }
      }
    }
  }
}

TEST(every_verb_computes_in_every_kind_of_ring_wherever_its_limbs_lie) {
  // Degrees that are multiples of 8, of 4 only, and odd lengths of limbs, which start at odd places then.
  const RingShapePtr shapes[] = {RingShape::negacyclic(16), RingShape::negacyclic(512), RingShape::cyclotomic(263),
                                 RingShape::cyclotomic(105), RingShape::cyclotomic(17 * 31)};
  for (const RingShapePtr& shape : shapes) {
    for (const auto& [word, bits] : {std::pair{Word::u32, 30U}, std::pair{Word::u64, 50U}, std::pair{Word::u64, 60U}}) {
      const auto expected = all_verbs(CpuEngine::create(1, InstructionSet::scalar), shape, word, bits, Pattern::random);
      for (const InstructionSet set : cpu::instruction_sets()) {
        for (const std::size_t gap : {0, 1, 24}) {
          const auto got = all_verbs(CpuEngine::create(2, set), shape, word, bits, Pattern::random, gap);
          check_results(
              got, expected,
              message(cpu::name_of(set), ", ", bits, "-bit primes, ", shape->modulus(), ", gaps of ", gap, " words"));
        }
      }
    }
  }
}

}  // namespace

int main() { return cyclotome::check::run(); }
