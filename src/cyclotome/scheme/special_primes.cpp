// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/scheme/special_primes.hpp"

#include <algorithm>
#include <cmath>

#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/primes.hpp"
#include "cyclotome/rlwe/noise/noise_model.hpp"

namespace cyclotome::scheme {

namespace {

/// How many more ciphertext primes than the fewest are worth a look.
constexpr std::size_t most_further_primes = 4;

/// Primes are shorter than their lengths say; together they may lack up to this many of the bits asked for.
constexpr unsigned most_lacking_bits = 8;

/// Splits `bits` over as few primes of at most `widest` bits as possible and `further` more, all about equally wide.
std::vector<unsigned> split_bits(unsigned bits, unsigned widest, unsigned narrowest, std::size_t further) {
  const unsigned count = std::max(1U, (bits + widest - 1) / widest) + static_cast<unsigned>(further);
  std::vector<unsigned> sizes(count, std::max(bits / count, narrowest));
  for (unsigned i = 0; i < bits % count && sizes[i] == bits / count; ++i) ++sizes[i];
  return sizes;
}

/// After one product, relinearised; after one rotation in schemes without products.
double headroom_after_switch(const rlwe::Parameters& parameters) {
  const auto model = parameters.scheme().noise_model(parameters, rlwe::PlainIndex(0));
  const rlwe::NoiseModel::State fresh = model->fresh();
  return model->headroom(parameters.scheme().has_products() ? model->squared(fresh) : model->rotated(fresh));
}

/// `parameters` with their ciphertext primes and `special` special primes as wide as the widest of them.
std::optional<rlwe::Parameters> with_other_special_primes(const rlwe::Parameters& parameters, std::size_t special) {
  rlwe::LatticeParameters lattice = parameters.lattice();
  const unsigned width = bit_length(*std::max_element(lattice.moduli.begin(), lattice.moduli.end()));
  std::vector<std::uint64_t> taken = lattice.moduli;
  taken.insert(taken.end(), parameters.plain_moduli().begin(), parameters.plain_moduli().end());
  try {
    const std::uint64_t step = lattice.ring()->transform_step();
    // Over Phi_m with levels those that follow, as `suggest` takes them: there are few narrow ones.
    lattice.special_moduli =
        lattice.cyclotomic == 0 || !parameters.scheme().has_levels()
            ? primes_congruent_to_one(width, step, special, taken)
            : smallest_primes_congruent_to_one(step, special, *std::max_element(taken.begin(), taken.end()));
    lattice.digits = 0;
    lattice.allow_insecure = true;  // whether it is allowed is for the caller to say
    return rlwe::Parameters(parameters.scheme(), std::move(lattice), parameters.part(), parameters.name());
  } catch (const ParameterError&) {
    return std::nullopt;
  }
}

}  // namespace

unsigned narrowest_prime(const RingShape& ring) { return bit_length(ring.transform_step()) + 3; }

double cost(const rlwe::Parameters& p) {
  const auto k = static_cast<double>(p.moduli().size()), special = static_cast<double>(p.special_moduli().size());
  const auto digits = static_cast<double>(p.digits()), log2_n = std::log2(static_cast<double>(p.degree()));
  const rlwe::ProductCost product = p.scheme().product_cost();
  const double transforms = product.transforms * k + (digits + 2) * (k + special);
  constexpr double key = 3;  // two products with what lies in memory, for each limb of a digit
  const double terms = product.terms * k * k + digits * (k + special) * (key + k / digits) + 2 * special * k;
  const double word = p.word() == Word::u32 ? 0.5 : 1.0;
  return word * static_cast<double>(p.plain_moduli().size() * p.degree()) * (transforms * log2_n + terms);
}

std::optional<rlwe::Parameters> with_special_primes(const rlwe::ParametersLiteral& base, unsigned bits,
                                                    std::size_t special, std::size_t further) {
  rlwe::ParametersLiteral literal = base;
  const RingShapePtr ring = base.ring();
  const std::vector<unsigned> sizes = split_bits(bits, widest_prime(base.word), narrowest_prime(*ring), further);
  if (special > sizes.size()) return std::nullopt;
  const auto wide = static_cast<std::size_t>(std::count(sizes.begin(), sizes.end(), sizes[0]));
  const auto primes = [&](unsigned size, std::size_t count) {
    return primes_congruent_to_one(size, ring->transform_step(), count, base.plain_moduli);
  };
  try {
    literal.digits = 0;
    // The largest primes of the widest size first, so that P is not below any digit of as many primes.
    literal.special_moduli = primes(sizes[0], special + wide);
    const auto first = literal.special_moduli.begin() + static_cast<std::ptrdiff_t>(special);
    literal.moduli.assign(first, literal.special_moduli.end());
    literal.special_moduli.erase(first, literal.special_moduli.end());
    if (wide < sizes.size()) {
      const std::vector<std::uint64_t> narrow = primes(sizes.back(), sizes.size() - wide);
      literal.moduli.insert(literal.moduli.end(), narrow.begin(), narrow.end());
    }
    return rlwe::Parameters(literal);
  } catch (const ParameterError&) {
    return std::nullopt;
  }
}

std::optional<rlwe::Parameters> cheapest_special_primes(const rlwe::ParametersLiteral& base, unsigned bits) {
  std::optional<rlwe::Parameters> best;
  const std::size_t most = most_special_primes(base.ring()->degree());
  for (std::size_t special = 1; special <= most; ++special) {
    const auto candidate = with_special_primes(base, bits, special);
    if (!candidate) break;
    if (!best || cost(*candidate) < cost(*best)) best = candidate;
  }
  return best;
}

std::optional<rlwe::Parameters> cheapest_primes(const rlwe::ParametersLiteral& base, unsigned bits) {
  const std::size_t most = most_special_primes(base.ring()->degree());
  std::optional<rlwe::Parameters> best;
  for (std::size_t further = 0; further <= most_further_primes; ++further) {
    for (std::size_t special = 1; special <= most; ++special) {
      auto candidate = with_special_primes(base, bits, special, further);
      for (unsigned lacking = 1; candidate && candidate->modulus_bits() < bits && lacking <= most_lacking_bits;
           ++lacking)
        candidate = with_special_primes(base, bits + lacking, special, further);
      if (!candidate) break;
      if (candidate->modulus_bits() >= bits && (!best || cost(*candidate) < cost(*best))) best = candidate;
    }
  }
  return best;
}

std::vector<KeySwitchChoice> key_switch_choices(const rlwe::Parameters& parameters) {
  const std::size_t own = parameters.special_moduli().size();
  const std::size_t most =
      std::max(own, std::min(parameters.moduli().size(), most_special_primes(parameters.degree())));
  const unsigned security = parameters.security();
  const unsigned cap = security == 0 ? 0 : rlwe::max_modulus_bits(parameters.degree(), security, parameters.table());
  const double unit = cost(parameters);
  std::vector<KeySwitchChoice> choices;
  for (std::size_t special = 0; special <= most; ++special) {
    const bool chosen = special == own;
    const auto candidate = chosen ? parameters : with_other_special_primes(parameters, special);
    if (!candidate) continue;
    const bool allowed = parameters.allow_insecure() || candidate->key_modulus_bits() <= cap;
    choices.push_back({*candidate, cost(*candidate) / unit, headroom_after_switch(*candidate), allowed, chosen});
  }
  return choices;
}

}  // namespace cyclotome::scheme
