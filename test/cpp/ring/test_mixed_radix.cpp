// SPDX-License-Identifier: Apache-2.0
// Garner's digits and the integers they compose to, against Euclidean division of big integers; and the norms that
// noise measurement takes from them. The integers that the paper's code gets wrong (erratum 000-7) are among them.
#include <random>

#include "check.hpp"
#include "cyclotome/engine/cpu/cpu_engine.hpp"
#include "cyclotome/engine/integers.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/primes.hpp"
#include "cyclotome/ring/conversion/mixed_radix.hpp"
#include "cyclotome/rlwe/noise/phase_norm.hpp"

using namespace cyclotome;

namespace {

constexpr std::size_t degree = 16;

BigUnsigned remainder(const BigUnsigned& value, const BigUnsigned& q) {
  BigUnsigned rest = value;
  for (unsigned shift = value.bit_length(); shift-- > 0;) {  // binary long division
    const BigUnsigned multiple = q * BigUnsigned::power_of_two(shift);
    if (rest >= multiple) rest -= multiple;
  }
  return rest;
}

/// 0, 1, q - 1, around q/2, multiples of q_0 and of 2^32 (zero low digits and words), powers of two, and random ones.
std::vector<BigUnsigned> interesting(const Basis& basis, std::size_t count, std::mt19937_64& random) {
  const BigUnsigned q = basis.product(), half = q.shifted_right(1);
  std::vector<BigUnsigned> values{0, 1, q - 1, half, half + 1, half - 1, remainder(basis[0], q), q - basis[0]};
  values.push_back(remainder(BigUnsigned::power_of_two(32), q));
  values.push_back(remainder(BigUnsigned::power_of_two(64), q));
  values.push_back(BigUnsigned::power_of_two(q.bit_length() - 1));
  while (values.size() < count) {
    std::vector<std::uint64_t> limbs(basis.size() + 1);
    for (auto& limb : limbs) limb = random();
    values.push_back(remainder(BigUnsigned::from_limbs(limbs), q));
    if (values.size() < count && basis.size() > 1) values.push_back(remainder(values.back() * basis[0], q));
    if (values.size() < count) values.push_back(remainder(values.back() * BigUnsigned::power_of_two(32), q));
  }
  return values;
}

void check_basis(const Basis& basis, std::size_t batch, std::size_t parts, std::mt19937_64& random) {
  const EnginePtr engine = CpuEngine::create();
  const RingPtr ring = Ring::negacyclic(degree, basis);
  const std::size_t k = basis.size();
  const auto values = interesting(basis, batch * parts * degree, random);
  std::vector<std::uint64_t> residues(values.size() * k);
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (std::size_t l = 0; l < k; ++l) residues[(i / degree * k + l) * degree + i % degree] = values[i].mod(basis[l]);
  }
  PolyArray a(engine, ring, batch, parts);
  a.from_host(residues);
  CHECK(integers(a) == values);
  CHECK(cyclotome::residues(engine, ring, parts, values).to_host() == residues);

  const MixedRadix step(ring);
  CHECK_EQ(step.words(), (basis.product().bit_length() + 63) / 64);
  engine->mixed_radix(a.view(), a.view(), step);
  const auto digits = a.to_host();
  bool all = true;
  for (std::size_t i = 0; i < values.size(); ++i) {
    BigUnsigned value = values[i];
    for (std::size_t l = 0; l < k; ++l) {
      all = all && digits[(i / degree * k + l) * degree + i % degree] == value.mod(basis[l]);
      value = value.divided_by(basis[l]);
    }
  }
  CHECK(all);

  if (parts != 1) return;
  a.from_host(residues);
  for (const std::uint64_t factor : {std::uint64_t{1}, std::uint64_t{786433}}) {
    const auto norms = rlwe::largest_coefficients(a, factor);
    CHECK_EQ(norms.size(), batch);
    const BigUnsigned q = basis.product();
    for (std::size_t b = 0; b < batch; ++b) {
      BigUnsigned largest;
      for (std::size_t c = 0; c < degree; ++c) {
        BigUnsigned value = remainder(values[b * degree + c] * factor, q);
        if (value > q - value) value = q - value;
        if (value > largest) largest = value;
      }
      CHECK(norms[b] == largest);
    }
  }
}

TEST(digits_integers_and_norms_equal_those_of_big_integers) {
  const std::uint64_t seed = std::random_device{}();
  std::cout << "seed " << seed << '\n';
  std::mt19937_64 random(seed);
  for (const std::size_t limbs : {1U, 2U, 3U, 7U, 24U}) {
    check_basis(Basis(Word::u32, primes_congruent_to_one(30, 2 * degree, limbs)), 2, 1, random);
    check_basis(Basis(Word::u64, primes_congruent_to_one(61, 2 * degree, limbs)), 1, 2, random);
  }
  // Moduli of mixed sizes, composite, smallest first and last: digits of later limbs may be far below earlier ones.
  check_basis(Basis(Word::u64, {2, 3, 1152921504606846883, 25, 4194301, 49}), 3, 1, random);
  check_basis(Basis(Word::u32, {2147483647, 4, 2147483629, 9, 2147483587}), 3, 1, random);
}

TEST(shapes_domains_and_short_buffers_are_refused) {
  const EnginePtr engine = CpuEngine::create();
  const RingPtr ring = Ring::negacyclic(degree, Basis(Word::u64, primes_congruent_to_one(61, 2 * degree, 3)));
  const MixedRadix step(ring), other(ring->slice(0, 2));
  PolyArray a(engine, ring, 2, 1), t(engine, ring, 2, 1, Domain::transform);
  engine->clear(a.view());
  CHECK_THROWS(ArgumentError, engine->mixed_radix(a.view(), a.view(), other));
  CHECK_THROWS(ArgumentError, engine->mixed_radix(t.view(), t.view(), step));
  const auto enough = engine->allocate(2 * 3 * degree * 8, false),
             short_one = engine->allocate(2 * 3 * degree * 8 - 1, false);
  engine->reconstruct(*enough, a.view(), step);
  CHECK_THROWS(ArgumentError, engine->reconstruct(*short_one, a.view(), step));
  CHECK_THROWS(ArgumentError, engine->reconstruct(*enough, t.view(), step));
  CHECK_THROWS(ArgumentError, engine->reconstruct(*enough, a.view(), other));
  engine->decompose(a.view(), *enough, 3);
  CHECK_THROWS(ArgumentError, engine->decompose(a.view(), *short_one, 3));
  CHECK_THROWS(ArgumentError, engine->decompose(a.view(), *enough, 4));
  CHECK_THROWS(ArgumentError, engine->decompose(a.view(), *enough, 0));
  CHECK_THROWS(ArgumentError, engine->decompose(a.view(), *enough, static_cast<std::size_t>(-1)));
  CHECK_THROWS(ArgumentError, engine->decompose(t.view(), *enough, 3));
  CHECK_THROWS(ArgumentError, residues(engine, ring, 1, {}));
  CHECK_THROWS(ArgumentError, residues(engine, ring, 1, std::vector<BigUnsigned>(degree + 1)));
  CHECK_THROWS(ArgumentError, residues(engine, ring, 0, std::vector<BigUnsigned>(degree)));
}

}  // namespace

int main() { return check::run(); }
