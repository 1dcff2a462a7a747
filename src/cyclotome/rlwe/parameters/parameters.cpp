// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/rlwe/parameters/parameters.hpp"

#include <algorithm>
#include <cmath>
#include <typeinfo>

#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/primes.hpp"
#include "cyclotome/math/text/whole_text.hpp"
#include "cyclotome/ring/ring.hpp"

namespace cyclotome::rlwe {

namespace {

unsigned product_bits(const std::vector<std::uint64_t>& moduli) { return BigUnsigned::product(moduli).bit_length(); }

RingShapePtr checked_ring(const LatticeParameters& p) {
  const std::size_t smallest = p.allow_insecure ? 8 : 1024;
  if (p.cyclotomic != 0) {
    RingShapePtr ring = p.ring();
    if (p.degree != 0 && p.degree != ring->degree()) {
      throw ParameterError(message("degree ", p.degree, " is not that of ", ring->modulus(), ", ", ring->degree(),
                                   "; leave it out, or leave out cyclotomic = ", p.cyclotomic));
    }
    if (ring->degree() < smallest) {
      throw ParameterError(
          message(ring->modulus(), " has degree ", ring->degree(), ", below ", smallest, "; take a larger index m"));
    }
    return ring;
  }
  if (!is_power_of_two(p.degree) || p.degree < smallest || p.degree > Ring::max_degree) {
    throw ParameterError(
        message("degree ", p.degree, " is not a power of two in [", smallest, ", ", Ring::max_degree, "]"));
  }
  return p.ring();
}

/// Before anything is computed with that many numbers.
void check_counts(const LatticeParameters& p) {
  if (p.moduli.empty()) throw ParameterError("no ciphertext modulus was given; a scheme needs at least one");
  if (p.moduli.size() + p.special_moduli.size() > 128) {
    throw ParameterError(
        message(p.moduli.size() + p.special_moduli.size(), " primes were given; at most 128 are supported"));
  }
}

void check_primes(const LatticeParameters& p, const RingShape& ring) {
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

std::size_t checked_parties(const LatticeParameters& p) {
  if (p.parties >= 1 && p.parties <= most_parties) return p.parties;
  throw ParameterError(message("parties = ", p.parties, " must lie in [1, ", most_parties,
                               "]: a joint key is the sum of so many; 1 for keys of one owner"));
}

/// Groups of ceil(k/digits) primes; each group's product must not be longer than P.
bool digits_fit(const LatticeParameters& p, std::size_t digits) {
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

std::size_t choose_digits(const LatticeParameters& p) {
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

/// A copy of `part` that the scheme made itself, so that it can rely on the class.
SchemePartPtr own_part(const Scheme& scheme, const SchemePart& part) {
  SchemePartPtr made = scheme.make_part(part.numbers());
  const SchemePart& own = *made;
  if (typeid(own) != typeid(part)) {
    throw ParameterError(message(scheme.title(), " was given the part of another scheme: ", part.summary()));
  }
  return made;
}

/// Of the plaintext moduli's numbers of slots, all powers of two or one: the smallest.
std::size_t fewest_common_slots(const RingShape& ring, const std::vector<std::uint64_t>& plain_moduli) {
  std::size_t fewest = ring.degree();
  for (const std::uint64_t t : plain_moduli) fewest = std::min(fewest, ring.slots(t));
  return fewest;
}

const Scheme& known_scheme(const ParametersLiteral& literal) {
  require_known(literal.scheme, literal.word, literal.table);
  return *literal.scheme;
}

}  // namespace

std::string list(const std::vector<std::uint64_t>& values) {
  std::string text;
  for (const auto value : values) {
    if (!text.empty()) text += ',';
    text += std::to_string(value);
  }
  return text;
}

void require_known(const Scheme* scheme, Word word, SecurityTable table) {
  if (scheme == nullptr) throw ParameterError("no scheme was given; name one, such as &bfv::scheme()");
  static_cast<void>(name_of(table));
  if (word != Word::u32 && word != Word::u64) {
    throw ParameterError(
        message("words of ", static_cast<unsigned>(word), " bytes are unknown; choose Word::u32 or Word::u64"));
  }
}

Parameters::Parameters(const ParametersLiteral& literal)
    : Parameters(known_scheme(literal), literal, *known_scheme(literal).make_part(literal.plain_moduli), literal.name) {
}

Parameters::Parameters(const Scheme& scheme, LatticeParameters lattice, const SchemePart& part, std::string name)
    : scheme_(&scheme),
      lattice_(std::move(lattice)),
      part_(own_part(scheme, part)),
      name_(std::move(name)),
      ring_(checked_ring(lattice_)),
      noise_(*ring_, lattice_.strict, checked_parties(lattice_)) {
  require_known(scheme_, lattice_.word, lattice_.table);
  lattice_.degree = ring_->degree();
  check_counts(lattice_);
  check_primes(lattice_, *ring_);
  scheme_->check(lattice_, *part_);
  lattice_.digits = choose_digits(lattice_);
  const std::size_t slots = fewest_common_slots(*ring_, plain_moduli());
  has_transforms_ = slots > 1;
  slot_ring_ = has_transforms_ && slots < ring_->degree() ? ring_->subring(slots) : ring_;
  if (plain_moduli().size() == 1) field_slots_ = FieldSlots::of(*ring_, plain_moduli()[0]);

  std::vector<std::uint64_t> all = lattice_.moduli;
  all.insert(all.end(), lattice_.special_moduli.begin(), lattice_.special_moduli.end());
  modulus_bits_ = product_bits(lattice_.moduli);
  key_modulus_bits_ = product_bits(all);
  log2_moduli_.push_back(0);
  for (const auto q : lattice_.moduli) log2_moduli_.push_back(log2_moduli_.back() + std::log2(static_cast<double>(q)));
  for (const auto p : lattice_.special_moduli) log2_special_modulus_ += std::log2(static_cast<double>(p));
  security_reached_ = rlwe::security_reached(lattice_.degree, key_modulus_bits_, lattice_.table);
  check_security();
  const std::string canonical = canonical_text();
  fingerprint_ = sha256({reinterpret_cast<const std::uint8_t*>(canonical.data()), canonical.size()});
}

void Parameters::require_scheme(const Scheme& scheme) const {
  if (scheme_ == &scheme) return;
  throw MismatchError(message("an object of ", scheme.title(), " was asked for, but this one is of ", summary()));
}

void Parameters::check_security() const {
  if (lattice_.security == 0) {
    if (!lattice_.allow_insecure) {
      throw SecurityError("security 0 switches the check off; say allow_insecure=True to mean it");
    }
    return;
  }
  const unsigned cap = max_modulus_bits(lattice_.degree, lattice_.security, lattice_.table);
  if (key_modulus_bits_ > cap && !lattice_.allow_insecure) {
    throw SecurityError(message(
        "log2(QP) = ", key_modulus_bits_, " bits at degree ", lattice_.degree, ", but ",
        level_text(lattice_.security, lattice_.table), " allows at most ", cap, " (table ", name_of(lattice_.table),
        "); use fewer or smaller primes, a larger degree, or allow_insecure=True for experiments"));
  }
}

std::string Parameters::canonical_text() const {
  const LatticeParameters& p = lattice_;
  const std::string ring =
      p.cyclotomic == 0 ? whole_text("degree ", p.degree) : whole_text("cyclotomic ", p.cyclotomic);
  return whole_text("cyclotome parameters ", p.cyclotomic == 0 ? 1 : 2, "\nscheme ", scheme_->name(), "\n", ring, "\n",
                    part_->describe(), "\nmoduli ", list(p.moduli), "\nspecial ", list(p.special_moduli), "\ndigits ",
                    p.digits, "\nword ", bits_of(p.word), "\nsecret ternary\nerror cbd21\nsecurity ", p.security, " ",
                    name_of(p.table), p.allow_insecure ? " INSECURE allowed" : "", p.strict ? "\nnoise strict" : "",
                    p.parties == 1 ? std::string() : whole_text("\nparties ", p.parties), "\n");
}

bool Parameters::has_slots(PlainIndex plain) const {
  return has_slots() || ring_->has_transform(plain_modulus(plain).value);
}

std::string Parameters::summary() const {
  const unsigned special = key_modulus_bits_ - modulus_bits_;
  return message(
      scheme_->name(), name().empty() ? std::string() : message(" '", name(), "'"),
      cyclotomic() == 0 ? std::string() : message(" m=", cyclotomic()), " n=", degree(), " log q=", modulus_bits_,
      special == 0 ? std::string() : message("+", special), " ", part_->summary(), " ", bits_of(word()), "-bit words, ",
      insecure() ? std::string("INSECURE") : level_text(security_reached_, table()), table_suffix(table()),
      strict() ? ", strict noise" : "", parties() == 1 ? std::string() : message(", ", parties(), " parties"));
}

}  // namespace cyclotome::rlwe
