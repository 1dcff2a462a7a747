// SPDX-License-Identifier: Apache-2.0
// Sums of products (specification 5.6): every factor is lifted and transformed once, however many products it is in;
// products are added up over q p, and each sum is rounded once. A sum that wraps q p is off by a multiple of t q, as a
// single product is, so that no length of sum needs a longer p.
#include <algorithm>
#include <map>

#include "cyclotome/rlwe/domains.hpp"
#include "cyclotome/rlwe/members.hpp"
#include "cyclotome/scheme/bfv/context.hpp"
#include "cyclotome/scheme/bfv/levels.hpp"
#include "cyclotome/scheme/bfv/product_program.hpp"
#include "cyclotome/scheme/bfv/scheme.hpp"

namespace cyclotome::bfv {

using rlwe::Ciphertext;

namespace {

/// Lifted factors, and for each member the number of its own among them.
struct Lifted {
  PolyArray factors;
  std::vector<std::size_t> numbers;

  std::vector<ConstView> views() const {
    std::vector<ConstView> result;
    result.reserve(numbers.size());
    for (const std::size_t number : numbers) result.push_back(factors.view().items(number));
    return result;
  }
};

Lifted lifted(const Context& context, std::span<const rlwe::Member> members, rlwe::Level of, rlwe::Level level,
              Factor factor) {
  std::map<std::pair<const Ciphertext*, std::size_t>, std::size_t> known;
  std::vector<rlwe::Member> distinct;
  std::vector<std::size_t> numbers;
  for (const rlwe::Member& member : members) {
    const auto [place, is_new] = known.try_emplace({member.array, member.number}, distinct.size());
    if (is_new) distinct.push_back(member);
    numbers.push_back(place->second);
  }
  const rlwe::PlainIndex plain = members[0].array->plain();
  const Ciphertext gathered = lowered(rlwe::native(rlwe::gather(distinct)), of);
  const RingPtr& ring = context.hps(level, plain).product_ring;
  PolyArray factors = context.make(ring, distinct.size(), 2, Domain::transform);
  const Operand operands[] = {factors.view(), gathered.polynomials().view()};
  const rlwe::Level from = gathered.raised_from();
  const rlwe::ProgramKey key{"bfv.lift",
                             {plain.number, level.primes, from.primes, static_cast<std::uint64_t>(factor), of.primes}};
  context.execution(key, [&] { return lift_program(context, plain, of, from, level, factor); })->run(operands);
  return {std::move(factors), std::move(numbers)};
}

}  // namespace

Ciphertext Context::sum_products(std::span<const rlwe::Member> a, std::span<const rlwe::Member> b,
                                 std::size_t group) const {
  const Ciphertext &x = *a[0].array, &y = *b[0].array;
  if (group == 1) return rlwe::Context::sum_products(a, b, group);
  const rlwe::PlainIndex plain = x.plain();
  const rlwe::Level of = std::min(x.level(), y.level());
  const NoiseBound first = noise_at(parameters(), rlwe::require_together("multiply", a), x.level(), of),
                   second = noise_at(parameters(), rlwe::require_together("multiply", b), y.level(), of);
  const rlwe::Level level = product_level(parameters(), of, first, second);
  const Lifted left = lifted(*this, a, of, level, Factor::first), right = lifted(*this, b, of, level, Factor::second);
  PolyArray sums = make(hps(level, plain).product_ring, a.size() / group, 3, Domain::transform);
  engine()->sum_products(sums.view(), left.views(), right.views(), group);
  PolyArray result = make(level_ring(of), a.size() / group, 3);
  const Operand operands[] = {result.view(), sums.view()};
  execution({"bfv.round_product", {plain.number, level.primes, of.primes}}, [&] {
    return rounding_program(*this, plain, of, level);
  })->run(operands);
  const NoiseBound noise = product_noise(parameters(), plain, of, first, second);
  return x.derived(std::move(result), rlwe::NoiseCalculus::times(noise, static_cast<double>(group)), level);
}

}  // namespace cyclotome::bfv
