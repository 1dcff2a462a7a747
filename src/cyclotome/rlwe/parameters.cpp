// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/rlwe/parameters.hpp"

#include <algorithm>
#include <cmath>

#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/primes.hpp"
#include "cyclotome/ring/ring.hpp"
#include "cyclotome/ring/sampling.hpp"

namespace cyclotome::rlwe {

namespace {

unsigned product_bits(const std::vector<std::uint64_t>& moduli) { return BigUnsigned::product(moduli).bit_length(); }

std::string list(const std::vector<std::uint64_t>& values) {
  std::string text;
  for (const auto value : values) {
    if (!text.empty()) text += ',';
    text += std::to_string(value);
  }
  return text;
}

RingShapePtr checked_ring(const ParametersLiteral& p) {
  const std::size_t smallest = p.allow_insecure ? 8 : 1024;
  if (!is_power_of_two(p.degree) || p.degree < smallest || p.degree > Ring::max_degree) {
    throw ParameterError(
        message("degree ", p.degree, " is not a power of two in [", smallest, ", ", Ring::max_degree, "]"));
  }
  return p.ring();
}

/// Before anything is computed with that many numbers.
void check_counts(const ParametersLiteral& p) {
  if (p.moduli.empty()) throw ParameterError("no ciphertext modulus was given; a scheme needs at least one");
  if (p.moduli.size() + p.special_moduli.size() > 128) {
    throw ParameterError(
        message(p.moduli.size() + p.special_moduli.size(), " primes were given; at most 128 are supported"));
  }
  if (p.plain_moduli.empty() || p.plain_moduli.size() > 16) {
    throw ParameterError(message(p.plain_moduli.size(), " plaintext moduli were given; 1 to 16 are supported"));
  }
}

void check_primes(const ParametersLiteral& p, const RingShape& ring) {
  if (p.moduli.empty()) throw ParameterError("no ciphertext modulus was given; a scheme needs at least one");
  if (p.moduli.size() + p.special_moduli.size() > 128) {
    throw ParameterError(
        message(p.moduli.size() + p.special_moduli.size(), " primes were given; at most 128 are supported"));
  }
  const std::uint64_t limit =
      p.word == Word::u32 ? max_transform_modulus<std::uint32_t> : max_transform_modulus<std::uint64_t>;
  for (const auto* moduli : {&p.moduli, &p.special_moduli}) {
    for (const auto q : *moduli) {
      if (q >= limit || !ring.has_transform(q)) {
        throw ParameterError(message("ciphertext modulus ", q, " must be a prime congruent to 1 modulo ",
                                     ring.transform_condition(), " and below ", limit, " for ", bits_of(p.word),
                                     "-bit words; primes_congruent_to_one finds such primes"));
      }
    }
  }
}

void check_plain_moduli(const ParametersLiteral& p) {
  const std::uint64_t limit = p.word == Word::u32 ? 1ULL << 30 : 1ULL << 60;
  for (const auto t : p.plain_moduli) {
    if (t < 2 || t >= limit) {
      throw ParameterError(
          message("plaintext modulus ", t, " must lie in [2, ", limit, ") for ", bits_of(p.word), "-bit words"));
    }
  }
  // BGV's key errors carry the product of all of them.
  if (const unsigned bits = product_bits(p.plain_moduli); p.scheme == SchemeKind::bgv && bits > 256) {
    throw ParameterError(message("the plaintext moduli have ", bits, " bits in all; BGV takes at most 256"));
  }
  std::vector<std::uint64_t> all = p.plain_moduli;
  all.insert(all.end(), p.moduli.begin(), p.moduli.end());
  all.insert(all.end(), p.special_moduli.begin(), p.special_moduli.end());
  static_cast<void>(Basis(Word::u64, all));  // pairwise coprime, or a ParameterError that names the pair
}

/// What a ciphertext modulus has to exceed to hold anything modulo t; see least_modulus_bits.
BigUnsigned least_modulus(std::uint64_t t) { return BigUnsigned(t) * BigUnsigned(2 * error_bound + 1); }

/// Parameters that no ciphertext could be decrypted under are an error here, not at every decryption.
void check_room_for_plaintexts(const ParametersLiteral& p) {
  const BigUnsigned q = BigUnsigned::product(p.moduli);
  for (const auto t : p.plain_moduli) {
    if (q > least_modulus(t)) continue;
    throw ParameterError(message("plaintext modulus ", t, " of ", bit_length(t), " bits is too large for ciphertext ",
                                 "moduli of ", q.bit_length(), " bits in all: not even a fresh ciphertext could be ",
                                 "decrypted, which takes at least ", least_modulus_bits(t),
                                 "; use more or wider ciphertext primes, or a smaller plaintext modulus"));
  }
}

/// Groups of ceil(k/digits) primes; each group's product must not be longer than P.
bool digits_fit(const ParametersLiteral& p, std::size_t digits) {
  const std::size_t per_digit = (p.moduli.size() + digits - 1) / digits;
  const unsigned special_bits = product_bits(p.special_moduli);
  for (std::size_t first = 0; first < p.moduli.size(); first += per_digit) {
    const std::size_t last = std::min(p.moduli.size(), first + per_digit);
    if (product_bits({p.moduli.begin() + static_cast<std::ptrdiff_t>(first),
                      p.moduli.begin() + static_cast<std::ptrdiff_t>(last)}) > special_bits) {
      return false;
    }
  }
  return true;
}

std::size_t choose_digits(const ParametersLiteral& p) {
  const std::size_t k = p.moduli.size();
  if (p.special_moduli.empty()) {
    if (p.digits != 0 && p.digits != k) {
      throw ParameterError(message(p.digits,
                                   " digits were asked for, but key switching without special primes has one digit ",
                                   "for each of the ", k, " primes"));
    }
    return k;
  }
  if (p.digits > k)
    throw ParameterError(message(p.digits, " digits for ", k, " primes; a digit holds at least one prime"));
  for (std::size_t digits = p.digits == 0 ? 1 : p.digits; digits <= k; ++digits) {
    // Only counts that ceil(k/ceil(k/digits)) reproduces name a different grouping.
    const std::size_t per_digit = (k + digits - 1) / digits;
    if (digits_fit(p, digits)) return (k + per_digit - 1) / per_digit;
    if (p.digits != 0) {
      throw ParameterError(message("with ", digits, " digits a digit of ", per_digit,
                                   " primes is wider than the special ", "primes' ", product_bits(p.special_moduli),
                                   " bits, which drowns the result in noise; ask ",
                                   "for more digits, for more special primes, or leave digits at 0"));
    }
  }
  throw ParameterError(message("the special primes have ", product_bits(p.special_moduli),
                               " bits in all, fewer than the ", "widest ciphertext prime; use wider special primes"));
}

}  // namespace

std::string name_of(SchemeKind scheme) {
  switch (scheme) {
    case SchemeKind::bfv:
      return "bfv";
    case SchemeKind::bgv:
      return "bgv";
  }
  throw ParameterError(
      message("scheme number ", static_cast<unsigned>(scheme), " is unknown; there are 1 (bfv) and 2 (bgv)"));
}

void require_known(SchemeKind scheme, Word word, SecurityTable table) {
  static_cast<void>(name_of(scheme));
  static_cast<void>(name_of(table));
  if (word != Word::u32 && word != Word::u64) {
    throw ParameterError(
        message("words of ", static_cast<unsigned>(word), " bytes are unknown; choose Word::u32 or Word::u64"));
  }
}

unsigned least_modulus_bits(std::uint64_t t) { return least_modulus(t).bit_length(); }

Parameters::Parameters(ParametersLiteral literal)
    : literal_(std::move(literal)), ring_(checked_ring(literal_)), noise_(*ring_, literal_.strict) {
  require_known(literal_.scheme, literal_.word, literal_.table);
  check_counts(literal_);
  check_primes(literal_, *ring_);
  check_plain_moduli(literal_);
  check_room_for_plaintexts(literal_);
  literal_.digits = choose_digits(literal_);

  std::vector<std::uint64_t> all = literal_.moduli;
  all.insert(all.end(), literal_.special_moduli.begin(), literal_.special_moduli.end());
  modulus_bits_ = product_bits(literal_.moduli);
  key_modulus_bits_ = product_bits(all);
  log2_moduli_.push_back(0);
  for (const auto q : literal_.moduli) log2_moduli_.push_back(log2_moduli_.back() + std::log2(static_cast<double>(q)));
  for (const auto p : literal_.special_moduli) log2_special_modulus_ += std::log2(static_cast<double>(p));
  security_reached_ = rlwe::security_reached(literal_.degree, key_modulus_bits_, literal_.table);
  if (literal_.security == 0) {
    if (!literal_.allow_insecure) {
      throw SecurityError("security 0 switches the check off; say allow_insecure=True to mean it");
    }
  } else {
    const unsigned cap = max_modulus_bits(literal_.degree, literal_.security, literal_.table);
    if (key_modulus_bits_ > cap && !literal_.allow_insecure) {
      throw SecurityError(message(
          "log2(QP) = ", key_modulus_bits_, " bits at degree ", literal_.degree, ", but ",
          level_text(literal_.security, literal_.table), " allows at most ", cap, " (table ", name_of(literal_.table),
          "); use fewer or smaller primes, a larger degree, or allow_insecure=True for experiments"));
    }
  }

  const std::string canonical =
      message("cyclotome parameters 1\nscheme ", name_of(literal_.scheme), "\ndegree ", literal_.degree, "\nplain ",
              list(literal_.plain_moduli), "\nmoduli ", list(literal_.moduli), "\nspecial ",
              list(literal_.special_moduli), "\ndigits ", literal_.digits, "\nword ", bits_of(literal_.word),
              "\nsecret ternary\nerror cbd21\nsecurity ", literal_.security, " ", name_of(literal_.table),
              literal_.allow_insecure ? " INSECURE allowed" : "", literal_.strict ? "\nnoise strict" : "", "\n");
  fingerprint_ = sha256({reinterpret_cast<const std::uint8_t*>(canonical.data()), canonical.size()});
}

bool Parameters::has_slots() const {
  return std::ranges::all_of(plain_moduli(), [&](std::uint64_t t) { return ring_->has_transform(t); });
}

std::string Parameters::summary() const {
  const unsigned special = key_modulus_bits_ - modulus_bits_;
  return message(name_of(scheme()), name().empty() ? std::string() : message(" '", name(), "'"), " n=", degree(),
                 " log q=", modulus_bits_, special == 0 ? std::string() : message("+", special),
                 " t=", list(plain_moduli()), " ", bits_of(word()), "-bit words, ",
                 insecure() ? std::string("INSECURE") : level_text(security_reached_, table()), table_suffix(table()),
                 strict() ? ", strict noise" : "");
}

}  // namespace cyclotome::rlwe
