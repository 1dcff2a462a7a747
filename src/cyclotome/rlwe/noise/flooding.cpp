// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/rlwe/noise/flooding.hpp"

#include <algorithm>
#include <cmath>

#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/primes.hpp"
#include "cyclotome/rlwe/keys/seed_derivation.hpp"
#include "cyclotome/rlwe/noise/hiding_draw.hpp"
#include "cyclotome/rlwe/noise/parameter_noise.hpp"

namespace cyclotome::rlwe {

namespace {

constexpr unsigned most_bits = 160;

/// Pairwise coprime odd moduli whose product is at most 2^log2_range, and at least that less 2^-8 of it; log2_range
/// >= 4.
Basis flooding_basis(Word word, double log2_range) {
  const unsigned widest = word == Word::u32 ? 29 : 59;
  const auto count = static_cast<unsigned>(std::ceil(log2_range / widest));
  std::vector<std::uint64_t> moduli;
  for (unsigned i = 0; i + 1 < count; ++i) {
    const double left = log2_range - BigUnsigned::product(moduli).log2();
    const auto width = static_cast<unsigned>(std::ceil(left / (count - i)));
    moduli.push_back(primes_congruent_to_one(width, 2, 1, moduli)[0]);
  }
  const double left = log2_range - (moduli.empty() ? 0 : BigUnsigned::product(moduli).log2());
  auto last = static_cast<std::uint64_t>(std::exp2(left) * (1 - 0x1p-40));
  last -= last % 2 == 0 ? 1 : 0;
  while (std::ranges::any_of(moduli, [&](std::uint64_t prime) { return last % prime == 0; })) last -= 2;
  moduli.push_back(last);
  return Basis(word, moduli);
}

void require_bits(unsigned flooding_bits) {
  if (flooding_bits < 1 || flooding_bits > most_bits) {
    throw ArgumentError(message("reveal: flooding_bits ", flooding_bits, " must lie in [1, ", most_bits,
                                "], the bits for several ciphertexts in one call included; 64 is usual"));
  }
}

/// log2 of 2F, the largest with parties multiple F + N <= 15/16 limit.
double log2_range(double log2_limit, double noise_of_limit, std::uint64_t multiple, std::size_t parties) noexcept {
  return 1 + log2_limit + std::log2(15.0 / 16.0 - noise_of_limit) - std::log2(static_cast<double>(multiple)) -
         std::log2(static_cast<double>(parties));
}

/// log2 of the noise that is allowed for, over the limit.
double log2_noise_part(const Context& context, unsigned flooding_bits, std::size_t parties) noexcept {
  return -(flooding_bits + std::log2(static_cast<double>(context.degree())) + std::log2(static_cast<double>(parties)));
}

Basis checked_basis(const Context& context, const NoiseBound& noise, double log2_limit, unsigned flooding_bits,
                    std::uint64_t multiple, std::size_t parties) {
  require_bits(flooding_bits);
  const double log2_part = log2_noise_part(context, flooding_bits, parties);
  const double range = log2_range(log2_limit, std::exp2(log2_part), multiple, parties);
  if (!(noise.log2_max <= log2_limit + log2_part) || range < 4) {
    const double left = log2_limit + log2_margin - noise.log2_max;
    const bool joint = parties > 1;
    throw NoiseError(message(joint ? "threshold decryption: flooding by " : "reveal: flooding with ",
                             joint ? message(parties, " parties with ") : std::string(), flooding_bits,
                             " bits, those for several ciphertexts in one call "
                             "included, takes ",
                             std::ceil(flooding_headroom(context.degree(), flooding_bits, parties)),
                             " bits of noise headroom, and ", std::floor(left), " are left of what ",
                             context.parameters().summary(), " can correct; use parameters made for it (suggest with ",
                             joint ? "flooding_bits and parties" : "flooding_bits",
                             "), fewer operations, or fewer bits"));
  }
  return flooding_basis(context.parameters().word(), range);
}

}  // namespace

Seed flooding_seed(const Ciphertext& ciphertext, const Seed& master) {
  return derive_seed(master, ciphertext.context()->parameters(),
                     {.purpose = Purpose::flooding, .key = ciphertext.key(), .plain = ciphertext.plain()});
}

double flooding_headroom(std::size_t degree, unsigned flooding_bits, std::size_t parties) noexcept {
  return flooding_bits + std::log2(static_cast<double>(degree)) + std::log2(static_cast<double>(parties)) + log2_margin;
}

unsigned flooding_bits_of(std::size_t polynomials) noexcept {
  return polynomials < 2 ? 0 : bit_length(polynomials - 1);
}

Flooding::Flooding(const Context& context, const NoiseBound& noise, double log2_limit, unsigned flooding_bits,
                   std::uint64_t multiple, std::size_t parties)
    : context_(context),
      multiple_(multiple),
      log2_limit_(log2_limit),
      log2_noise_(log2_limit + log2_noise_part(context, flooding_bits, parties)),
      basis_(checked_basis(context, noise, log2_limit, flooding_bits, multiple, parties)) {}

BigUnsigned Flooding::largest() const { return (basis_.product() - BigUnsigned(1)).shifted_right(1); }

void Flooding::add_to(PolyArray& phases, Seed&& seed) const {
  const Seed own = std::move(seed);
  Engine& engine = *context_.engine();
  const RingPtr& ring = phases.ring();
  std::vector<std::uint64_t> multiples;
  for (const auto q : ring->basis().values()) multiples.push_back(multiple_ % q);
  const BaseConversion lift(basis_, ring->basis(), Lift::centred, {}, multiples);
  const RingPtr drawn_ring = ring->with_basis(basis_);
  PolyArray drawn = context_.make(drawn_ring, phases.batch(), 1, Domain::coefficient, true);
  draw_to_hide(context_, drawn.view(), own, Stream::flooding);
  PolyArray error = context_.make(ring, phases.batch(), 1, Domain::coefficient, true);
  engine.convert(error.view(), drawn.view(), lift);
  engine.add(phases.view(), phases.view(), error.view());
}

}  // namespace cyclotome::rlwe
