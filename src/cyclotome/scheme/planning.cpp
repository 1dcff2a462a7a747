// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/scheme/planning.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/interrupt.hpp"
#include "cyclotome/math/primes.hpp"
#include "cyclotome/ring/ring.hpp"
#include "cyclotome/rlwe/noise/flooding.hpp"
#include "cyclotome/rlwe/parameters/plain_moduli.hpp"
#include "cyclotome/scheme/bgv/scheme.hpp"
#include "cyclotome/scheme/special_primes.hpp"

namespace cyclotome::scheme {

namespace {

/// Ciphertexts that are revealed at once at most.
constexpr std::size_t most_revealed = 1024;

/// What a computation that `intent` allows leaves of headroom in the worst case.
double planned_headroom(const Intent& intent, const rlwe::Parameters& p) {
  const auto model = p.scheme().noise_model(p, rlwe::PlainIndex(0));
  NoiseModel::State state = model->fresh();
  for (unsigned d = 0; d < intent.depth; ++d) state = model->squared(model->summed(state, 4));  // sums of four before
  // Sums and their rotations come on top of plaintext products.
  for (unsigned i = 0; i < intent.plain_products; ++i) state = model->times_plain(state);
  const double left = model->headroom(model->summed(model->rotated(state), static_cast<double>(intent.terms)));
  if (intent.flooding_bits == 0) return left;
  const unsigned batch_bits = rlwe::flooding_bits_of(most_revealed * p.plain_moduli().size());
  return left - rlwe::flooding_headroom(p.degree(), intent.flooding_bits + batch_bits, intent.parties);
}

/// The shortest modulus of primes of one width, from about `first` bits on, with which `base` serves, and the cheapest
/// number of special primes for it; nothing if security does not allow any.
std::optional<rlwe::Parameters> shortest_modulus(const Intent& intent, const rlwe::ParametersLiteral& base,
                                                 unsigned first) {
  const RingShapePtr ring = base.ring();
  const unsigned narrowest = narrowest_prime(*ring);
  const unsigned cap = rlwe::max_modulus_bits(ring->degree(), intent.security, intent.table);
  const auto serves = [&](unsigned bits) {
    check_interrupt();
    const auto candidate = with_special_primes(base, bits, 1);
    return candidate && planned_headroom(intent, *candidate) >= 0;
  };
  // In coarse steps up to the first length that serves, then in single bits from the last that did not.
  constexpr unsigned stride = 8;
  for (unsigned bits = std::max(first, narrowest); bits < cap + stride; bits += stride) {
    if (!serves(std::min(bits, cap))) continue;
    unsigned smallest = bits - std::min(bits - narrowest, stride - 1);
    while (!serves(std::min(smallest, cap))) ++smallest;
    // The modulus is found; more special primes only make it faster and quieter.
    return cheapest_special_primes(base, std::min(smallest, cap));
  }
  return std::nullopt;
}

/// What an intent fixes of the lattice.
rlwe::ParametersLiteral literal_of(const Intent& intent) {
  rlwe::ParametersLiteral literal;
  literal.scheme = intent.scheme;
  literal.security = intent.security;
  literal.table = intent.table;
  literal.strict = intent.strict;
  literal.parties = intent.parties;
  return literal;
}

/// Whether arrays of parameters with these plaintext moduli do (Parameters::slots_by_default).
bool go_into_slots(const std::vector<std::uint64_t>& plain_moduli, const RingShape& ring) {
  const std::size_t least = std::min(rlwe::Parameters::fewest_slots, ring.degree());
  return std::ranges::all_of(plain_moduli, [&](std::uint64_t t) { return ring.slots(t) >= least; });
}

/// The smallest parameters of one degree and number of plaintext moduli whose noise fits; nothing if security does not
/// allow any.
std::optional<rlwe::Parameters> attempt(const Intent& intent, Word word, std::size_t degree, unsigned result_bits,
                                        unsigned plain_count) {
  rlwe::ParametersLiteral literal = literal_of(intent);
  literal.degree = degree;
  literal.word = word;
  // T > 2^(result_bits + 1); primes of b bits lie above 2^(b-1). Where there are too few, wider ones do as well.
  const std::uint64_t step = intent.slots ? literal.ring()->transform_step() : 2;
  unsigned plain_bits = std::max((result_bits + plain_count) / plain_count + 1, bit_length(step));
  for (; plain_bits < widest_prime(word) && literal.plain_moduli.empty(); ++plain_bits) {
    try {
      std::vector<std::uint64_t> found = primes_congruent_to_one(plain_bits, step, plain_count);
      // Some have slots by accident, which arrays would go into unasked.
      for (std::vector<std::uint64_t> avoid; !intent.slots && go_into_slots(found, *literal.ring());) {
        avoid.push_back(found[0]);
        found = primes_congruent_to_one(plain_bits, step, plain_count, avoid);
      }
      literal.plain_moduli = std::move(found);
    } catch (const ParameterError&) {  // fewer primes of this width than asked for
    }
  }
  if (literal.plain_moduli.empty()) return std::nullopt;
  return shortest_modulus(intent, literal, bit_length(literal.plain_moduli[0]) + 12);
}

/// Rings whose slots modulo 2 are GF(2^16), with 256, 1024 and 2048 of them.
constexpr std::array<std::size_t, 3> rings_for_bits{4369, 21845, 65535};

/// The smallest `count` ciphertext primes and the `special` special ones that follow; nothing where there are none, or
/// security forbids it.
std::optional<rlwe::Parameters> bit_parameters(rlwe::ParametersLiteral literal, std::size_t count,
                                               std::size_t special) {
  const RingShapePtr ring = literal.ring();
  const std::vector<std::uint64_t> primes = smallest_primes_congruent_to_one(ring->transform_step(), count + special);
  const auto end = primes.begin() + static_cast<std::ptrdiff_t>(count);
  literal.moduli.assign(primes.begin(), end);
  literal.special_moduli.assign(end, primes.end());
  literal.word = primes.back() < max_transform_modulus<std::uint32_t> ? Word::u32 : Word::u64;
  try {
    return rlwe::Parameters(literal);
  } catch (const ParameterError&) {  // a SecurityError, too
    return std::nullopt;
  }
}

/// In a scheme with levels, the fewest ciphertext primes that serve, with the cheapest number of special ones.
std::optional<rlwe::Parameters> fewest_primes(const Intent& intent, const rlwe::ParametersLiteral& literal) {
  constexpr std::size_t most_primes = 100, most_special = 8;
  for (std::size_t count = 1; count <= most_primes; ++count) {
    std::optional<rlwe::Parameters> best;
    bool allowed = false;
    for (std::size_t special = 1; special <= most_special; ++special) {
      check_interrupt();
      auto candidate = bit_parameters(literal, count, special);
      allowed = allowed || candidate;
      if (!candidate || (intent.word && *intent.word != candidate->word())) continue;
      if (planned_headroom(intent, *candidate) < 0) continue;
      if (!best || cost(*candidate) < cost(*best)) best = std::move(candidate);
    }
    if (best) return best;
    if (!allowed && count > 1) break;  // more primes are only longer
  }
  return std::nullopt;
}

/// Without levels noise asks for a length, not for a number of primes: the fewest, in the word that is cheaper.
std::optional<rlwe::Parameters> widest_primes(const Intent& intent, rlwe::ParametersLiteral literal) {
  std::optional<rlwe::Parameters> best;
  for (const Word word : {Word::u32, Word::u64}) {
    if (intent.word && *intent.word != word) continue;
    literal.word = word;
    auto candidate = shortest_modulus(intent, literal, 0);
    if (candidate && (!best || cost(*candidate) < cost(*best))) best = std::move(candidate);
  }
  return best;
}

/// Modulo 2 over one ring.
std::optional<rlwe::Parameters> attempt_bits(const Intent& intent, std::size_t m) {
  rlwe::ParametersLiteral literal = literal_of(intent);
  literal.cyclotomic = m;
  literal.plain_moduli = {2};
  const FieldSlotsPtr slots = FieldSlots::of(*literal.ring(), 2);
  if (slots == nullptr || slots->count() < intent.min_degree) return std::nullopt;
  return intent.scheme->has_levels() ? fewest_primes(intent, literal) : widest_primes(intent, literal);
}

rlwe::Parameters suggest_bits(const Intent& intent) {
  // Refuses security that the table has no limits for, which no ring below would carry.
  rlwe::max_modulus_bits(std::size_t{1} << 12, intent.security, intent.table);
  std::string tried;
  for (const std::size_t m : rings_for_bits) {
    if (intent.cyclotomic != 0 && m != rings_for_bits[0]) break;
    const std::size_t index = intent.cyclotomic == 0 ? m : intent.cyclotomic;
    if (auto found = attempt_bits(intent, index)) return *found;
    tried += (tried.empty() ? "Phi_" : ", Phi_") + std::to_string(index);
  }
  throw ParameterError(message("suggest: ", tried, " carries no ", intent.depth, " products of bits in a row, ",
                               intent.plain_products, " with plaintexts and sums of ", intent.terms, " at ",
                               rlwe::level_text(intent.security, intent.table),
                               intent.min_degree == 0 ? std::string() : message(" in ", intent.min_degree, " slots"),
                               "; lower one of them, or split the computation"));
}

}  // namespace

rlwe::Parameters suggest(const Intent& asked) {
  Intent intent = asked;
  if (intent.scheme == nullptr) intent.scheme = intent.bits ? &bgv::scheme() : &bfv::scheme();
  rlwe::require_known(intent.scheme, intent.word.value_or(Word::u64), intent.table);
  if (intent.depth > 0 && !intent.scheme->has_products()) {
    throw ParameterError(message("suggest: ", intent.scheme->title(), " has no products of ciphertexts, so depth ",
                                 intent.depth, " can't be had; ask for depth 0, or choose another scheme"));
  }
  if (intent.depth > 64 || intent.plain_products > 64) {
    throw ParameterError(message("suggest: depth ", intent.depth, " and ", intent.plain_products,
                                 " plaintext products; each may be at most 64"));
  }
  if (intent.value_bits < 1 || intent.value_bits > 1024 || intent.result_bits > 1024 || intent.terms == 0) {
    throw ParameterError(message("suggest: value_bits ", intent.value_bits, " and result_bits ", intent.result_bits,
                                 " must lie in [1, 1024] (result_bits 0: derived), and terms ", intent.terms,
                                 " above 0"));
  }
  if (intent.flooding_bits > 128) {
    throw ParameterError(message("suggest: flooding_bits ", intent.flooding_bits, " may be at most 128"));
  }
  if (intent.parties < 1 || intent.parties > rlwe::most_parties) {
    throw ParameterError(message("suggest: parties ", intent.parties, " must lie in [1, ", rlwe::most_parties, "]"));
  }
  if (intent.bits) return suggest_bits(intent);
  unsigned result_bits = intent.result_bits;
  if (result_bits == 0) {
    if (intent.depth > 10) {
      throw ParameterError(message("suggest: at depth ", intent.depth, " values of ", intent.value_bits,
                                   " bits could grow to 2^", intent.depth, " times as many bits; say result_bits="));
    }
    result_bits = (intent.value_bits << intent.depth) + bit_length(intent.terms - 1);
  }
  std::optional<rlwe::Parameters> best;
  for (std::size_t degree = 1024; degree <= Ring::max_degree; degree *= 2) {
    if (degree < intent.min_degree) continue;
    for (unsigned count = 1; count <= 16; ++count) {
      for (const Word word : {Word::u32, Word::u64}) {
        if (intent.word && *intent.word != word) continue;
        const auto candidate = attempt(intent, word, degree, result_bits, count);
        if (candidate && (!best || cost(*candidate) < cost(*best))) best = candidate;
      }
    }
    // A larger degree only costs more once one of half the degree was found.
    if (best && best->degree() <= degree / 2) break;
  }
  if (!best) {
    throw ParameterError(
        message("suggest: no degree up to ", Ring::max_degree, " carries depth ", intent.depth, " with results of ",
                result_bits, " bits at ", rlwe::level_text(intent.security, intent.table),
                intent.flooding_bits == 0 ? std::string() : message(" and ", intent.flooding_bits, " bits of flooding"),
                "; lower depth, result_bits or terms, or split the computation"));
  }
  return *best;
}

namespace {

/// The primes with which most squarings one after the other decrypt, and of those the fastest: the width that a level
/// takes is between narrow primes, which waste none of it, and wide ones, of which few do as much work.
std::optional<rlwe::Parameters> deepest_primes(const rlwe::ParametersLiteral& base, unsigned bits) {
  constexpr std::size_t most_special = 8, most_primes = 100;
  std::optional<rlwe::Parameters> best;
  std::size_t depth = 0;
  for (std::size_t further = 0; further <= most_primes; ++further) {
    bool found = false;
    for (std::size_t special = 1; special <= most_special; ++special) {
      check_interrupt();
      const auto candidate = with_special_primes(base, bits, special, further);
      if (!candidate) break;
      if (candidate->modulus_bits() > bits) break;  // as many of the narrowest primes are longer
      found = true;
      const std::size_t reached = noise_by_depth(*candidate).size();
      if (best && (reached < depth || (reached == depth && cost(*candidate) >= cost(*best)))) continue;
      best = candidate;
      depth = reached;
    }
    if (!found && best) break;
  }
  return best;
}

}  // namespace

rlwe::Parameters with_modulus_bits(rlwe::ParametersLiteral base, unsigned modulus_bits, Aim aim) {
  rlwe::require_known(base.scheme, base.word, base.table);
  const RingShapePtr ring = base.ring();
  base.degree = ring->degree();
  if (modulus_bits < narrowest_prime(*ring)) {
    throw ParameterError(message("a modulus of ", modulus_bits, " bits is narrower than one prime at degree ",
                                 base.degree, ", which takes ", narrowest_prime(*ring)));
  }
  for (const auto t : base.plain_moduli) {
    if (const unsigned least = rlwe::least_modulus_bits(*ring, t); modulus_bits < least) {
      throw ParameterError(message("a modulus of ", modulus_bits, " bits holds nothing modulo ", t, ", for which it ",
                                   "takes at least ", least, "; use a longer one, or a smaller plaintext modulus"));
    }
  }
  if (const auto found = aim == Aim::depth ? deepest_primes(base, modulus_bits) : cheapest_primes(base, modulus_bits)) {
    return *found;
  }
  if (const auto found = with_special_primes(base, modulus_bits, 0)) return *found;
  const unsigned cap = rlwe::max_modulus_bits(base.degree, base.security == 0 ? 128 : base.security, base.table);
  throw ParameterError(message("no parameters with log q = ", modulus_bits, " at degree ", base.degree, ": table ",
                               rlwe::name_of(base.table), " allows log2 QP up to ", cap,
                               ", and there must be enough primes congruent to 1 modulo ", ring->transform_step()));
}

std::vector<NoiseModel::State> noise_by_depth(const rlwe::Parameters& parameters, rlwe::PlainIndex plain) {
  const auto model = parameters.scheme().noise_model(parameters, plain);
  std::vector<NoiseModel::State> states;
  for (NoiseModel::State state = model->fresh(); model->headroom(state) >= 0 && states.size() <= 64;
       state = model->squared(state)) {
    states.push_back(state);
    if (!parameters.scheme().has_products()) break;
  }
  return states;
}

}  // namespace cyclotome::scheme
