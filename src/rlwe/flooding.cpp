// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/rlwe/flooding.hpp"

#include <algorithm>
#include <cmath>

#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/primes.hpp"
#include "cyclotome/rlwe/seed_derivation.hpp"

namespace cyclotome::rlwe {

namespace {

/// Odd moduli whose product D = 2F + 1 has 2^log2_range <= D < 2^(log2_range + 2), log2_range >= 4: the largest primes
/// of their widths, each of which misses its power of two by less than 2^-4 bits.
Basis flooding_basis(Word word, double log2_range) {
  const unsigned widest = word == Word::u32 ? 30 : 60;
  const unsigned bits = static_cast<unsigned>(std::ceil(log2_range)) + 1, count = (bits + widest - 1) / widest;
  std::vector<std::uint64_t> primes;
  for (unsigned i = 0; i < count; ++i) {
    const unsigned width = bits / count + (i < bits % count ? 1 : 0);
    primes.push_back(primes_congruent_to_one(width, 2, 1, primes)[0]);
  }
  return Basis(word, primes);
}

/// log2 B, at least that of one error.
double log2_bound(const NoiseBound& noise, std::uint64_t multiple) noexcept {
  return std::max(std::log2(static_cast<double>(multiple)), noise.log2_deviation + std::log2(tail_factor));
}

Basis checked_basis(const Context& context, const NoiseBound& noise, double headroom, unsigned flooding_bits,
                    std::uint64_t multiple) {
  if (flooding_bits < 1 || flooding_bits > 128) {
    throw ArgumentError(message("reveal: flooding_bits ", flooding_bits, " must lie in [1, 128]; 40 is usual"));
  }
  const double log2_noise = log2_bound(noise, multiple);
  const double left = headroom - (log2_noise - noise.log2_deviation - std::log2(tail_factor));
  const double needed = flooding_headroom(context.degree(), flooding_bits);
  if (!(left >= needed)) {
    throw NoiseError(message("reveal: flooding with ", flooding_bits, " bits takes ", std::ceil(needed),
                             " bits of noise headroom, and ", std::floor(left), " are left of what ",
                             context.parameters().summary(), " can correct; use parameters made for it (suggest with ",
                             "flooding_bits), fewer operations, or fewer bits"));
  }
  const double log2_range = flooding_bits + std::log2(static_cast<double>(context.degree())) + log2_noise -
                            std::log2(static_cast<double>(multiple));
  return flooding_basis(context.parameters().word(), log2_range);
}

}  // namespace

Seed flooding_seed(const Ciphertext& ciphertext, const Seed& master) {
  return derive_seed(master, ciphertext.context()->parameters(),
                     {.purpose = Purpose::flooding, .key = ciphertext.key(), .plain = ciphertext.plain()});
}

double flooding_headroom(std::size_t degree, unsigned flooding_bits) noexcept {
  // multiple F + B < (2^(flooding_bits + 1) n + 1) B.
  return std::log2(std::exp2(flooding_bits + 1) * static_cast<double>(degree) + 1);
}

Flooding::Flooding(const Context& context, const NoiseBound& noise, double headroom, unsigned flooding_bits,
                   std::uint64_t multiple)
    : context_(context),
      multiple_(multiple),
      basis_(checked_basis(context, noise, headroom, flooding_bits, multiple)) {}

void Flooding::add_to(PolyArray& phases, Seed&& seed) const {
  const Seed own = std::move(seed);
  Engine& engine = *context_.engine();
  const RingPtr& ring = phases.ring();
  std::vector<std::uint64_t> multiples;
  for (const auto q : ring->basis().values()) multiples.push_back(multiple_ % q);
  const BaseConversion lift(basis_, ring->basis(), Lift::centred, {}, multiples);
  const RingPtr drawn_ring = Ring::negacyclic(context_.degree(), basis_);
  PolyArray drawn = context_.make(drawn_ring, phases.batch(), 1, Domain::coefficient, true);
  engine.sample(drawn.view(), Law::uniform, own, Stream::flooding);
  PolyArray error = context_.make(ring, phases.batch(), 1, Domain::coefficient, true);
  engine.convert(error.view(), drawn.view(), lift);
  engine.add(phases.view(), phases.view(), error.view());
}

}  // namespace cyclotome::rlwe
