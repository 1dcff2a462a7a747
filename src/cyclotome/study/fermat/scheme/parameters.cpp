// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/study/fermat/scheme/parameters.hpp"

#include <algorithm>
#include <cmath>

#include "cyclotome/math/bits.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/text/whole_text.hpp"

namespace cyclotome::study::fermat {

namespace {

constexpr unsigned least_x = 6, most_digit_bits = 59, least_special_bits = 30, most_special_prime_bits = 60;

struct SpecialSizes {
  unsigned count, bits;
};
SpecialSizes special_sizes(unsigned special_bits) noexcept {
  if (special_bits == 0) return {0, 0};
  const unsigned count = (special_bits + most_special_prime_bits - 1) / most_special_prime_bits;
  return {count, (special_bits + count - 1) / count};
}

RingShapePtr checked_ring(const ParametersLiteral& p) {
  const std::size_t least = p.allow_insecure ? 8 : 1024;
  if (!is_power_of_two(p.degree) || p.degree < least || p.degree > RingShape::max_degree) {
    throw ParameterError(message("degree ", p.degree, " must be a power of two in [", least, ", ",
                                 RingShape::max_degree, "]",
                                 p.allow_insecure ? "" : "; smaller ones need allow_insecure=True"));
  }
  return RingShape::negacyclic(p.degree);
}

FermatBasis checked_basis(const ParametersLiteral& p) {
  FermatBasis basis(p.x, p.splits);
  if (p.x < least_x) {
    throw ParameterError(message("x = ", p.x, " makes q = 2^", 1U << p.x,
                                 " - 1, which holds no ciphertext; x must lie ", "in [", least_x, ", ",
                                 FermatBasis::max_x, "] to encrypt"));
  }
  return basis;
}

void check_plain_modulus(const ParametersLiteral& p, const FermatBasis& basis) {
  const std::uint64_t t = p.plain_modulus, limit = std::uint64_t{1} << 31;
  if (t < 2 || t >= limit) throw ParameterError(message("plaintext modulus ", t, " must lie in [2, ", limit, ")"));
  basis.require_coprime(t, "the plaintext modulus");
  const unsigned needed = (BigUnsigned(t) * BigUnsigned(2 * error_bound + 1)).bit_length();
  if (needed > basis.bits()) {
    throw ParameterError(message("plaintext modulus ", t, " is too large for q = 2^", basis.bits(), " - 1: not even a ",
                                 "fresh ciphertext could be decrypted, which takes ", needed, " bits; use a larger x"));
  }
}

void check_digits(const ParametersLiteral& p, const FermatBasis& basis) {
  if (p.digit_bits > most_digit_bits) {
    throw ParameterError(message("digits of ", p.digit_bits, " bits: relinearisation takes 1 to ", most_digit_bits,
                                 ", or 0 for one digit a limb"));
  }
  // A digit of a limb 2^G + 1 has a bit more than G, and one more makes P longer than it.
  const unsigned most = basis.bits() + most_special_prime_bits;
  if (p.special_bits != 0 && (p.special_bits < least_special_bits || p.special_bits > most)) {
    throw ParameterError(message("special primes of ", p.special_bits, " bits in all: digits have at most the ",
                                 basis.bits(), " bits of q, so take ", least_special_bits, " to ", most,
                                 ", or 0 for none"));
  }
  if (p.digit_bits == 0 && basis.splits() == 0 && p.special_bits <= basis.bits()) {
    throw ParameterError(message("one digit a limb, of ", basis.bits(), " bits, drowns every product in noise; choose ",
                                 "digit_bits in [1, ", most_digit_bits, "], more splits, or special_bits above ",
                                 basis.bits()));
  }
}

/// Part of the canonical text.
std::string special_text(const std::vector<std::uint64_t>& primes) {
  std::string text = primes.empty() ? "" : "\nspecial";
  for (const std::uint64_t p : primes) text += whole_text(" ", p);
  return text;
}

const char* name_of(ErrorLaw error) { return error == ErrorLaw::standard ? "cbd21" : "one-bounded"; }

}  // namespace

Parameters::Parameters(ParametersLiteral literal)
    : literal_(std::move(literal)),
      basis_(checked_basis(literal_)),
      ring_(checked_ring(literal_)),
      noise_(*ring_, literal_.strict) {
  check_plain_modulus(literal_, basis_);
  check_digits(literal_, basis_);
  if (const auto [count, bits] = special_sizes(literal_.special_bits); count > 0) {
    special_primes_ = basis_.coprime_primes(bits, ring_->transform_step(), count, {plain_modulus()});
  }
  security_reached_ = rlwe::security_reached(degree(), key_bits(), literal_.table);
  if (error() == ErrorLaw::one_bounded) {
    security_reached_ = 0;
    if (!literal_.allow_insecure) {
      throw SecurityError(
          "errors of -1, 0 and 1 are paper 003's and outside every standard; leave the library's "
          "errors, or say allow_insecure=True for experiments");
    }
  }
  if (literal_.security == 0 && !literal_.allow_insecure) {
    throw SecurityError("security 0 switches the check off; say allow_insecure=True to mean it");
  }
  if (literal_.security != 0) {
    const unsigned cap = rlwe::max_modulus_bits(degree(), literal_.security, literal_.table);
    if (key_bits() > cap && !literal_.allow_insecure) {
      const bool hybrid = !special_primes_.empty();
      throw SecurityError(message(
          "q = 2^", basis_.bits(), " - 1", hybrid ? message(" and special primes, ", key_bits(), " bits in all,") : "",
          " at degree ", degree(), ", but ", rlwe::level_text(literal_.security, literal_.table), " allows at most ",
          cap, " bits (table ", rlwe::name_of(literal_.table), "); use a smaller x, a larger degree, ",
          hybrid ? "smaller special_bits, " : "", "or allow_insecure=True for experiments"));
    }
  }
  const std::string canonical = whole_text(
      "cyclotome fermat parameters 1\ndegree ", degree(), "\nx ", basis_.x(), "\nsplits ", basis_.splits(), "\nplain ",
      plain_modulus(), "\ndigit bits ", digit_bits(), special_text(special_primes_), "\nsecret ternary\nerror ",
      name_of(error()), "\nsecurity ", literal_.security, " ", rlwe::name_of(literal_.table),
      literal_.allow_insecure ? " INSECURE allowed" : "", literal_.strict ? "\nnoise strict" : "", "\n");
  fingerprint_ = sha256({reinterpret_cast<const std::uint8_t*>(canonical.data()), canonical.size()});
}

unsigned Parameters::key_bits() const noexcept {
  const auto [count, bits] = special_sizes(literal_.special_bits);
  return basis_.bits() + count * bits;
}

double Parameters::log2_special() const noexcept {
  double sum = 0;
  for (const std::uint64_t p : special_primes_) sum += std::log2(static_cast<double>(p));
  return sum;
}

std::vector<double> Parameters::log2_digits() const {
  std::vector<double> digits;
  for (const Limb& limb : basis_.limbs()) {
    // A residue modulo 2^G + 1 may be 2^G: its top digit has one value more.
    const unsigned bits = limb.bits + (limb.plus ? 1 : 0);
    if (digit_bits() == 0) digits.push_back(bits);
    if (digit_bits() == 0) continue;
    for (unsigned first = 0; first < bits; first += digit_bits()) {
      digits.push_back(std::min(digit_bits(), bits - first));
    }
  }
  return digits;
}

std::string Parameters::summary() const {
  const std::size_t limbs = basis_.limbs().size();
  return message("fermat bfv", name().empty() ? std::string() : message(" '", name(), "'"), " n=", degree(), " q=2^",
                 basis_.bits(), "-1 (", limbs, limbs == 1 ? " limb" : " limbs", ") t=", plain_modulus(), " ",
                 digit_bits() == 0 ? std::string("a digit per limb") : message(digit_bits(), "-bit digits"),
                 special_primes_.empty() ? std::string() : message(", P of ", key_bits() - basis_.bits(), " bits"),
                 error() == ErrorLaw::one_bounded ? ", errors -1, 0, 1" : "", ", ",
                 insecure() ? std::string("INSECURE") : rlwe::level_text(security_reached_, literal_.table),
                 rlwe::table_suffix(literal_.table), literal_.strict ? ", strict noise" : "");
}

namespace {

struct Preset {
  std::size_t degree;
  unsigned x;
  std::string name() const { return message("003-", degree, "-", 1U << x); }
};
constexpr Preset presets[] = {{1024, 7},  {1024, 8},  {1024, 9},   {1024, 10}, {1024, 11}, {1024, 12},
                              {1024, 13}, {1024, 14}, {16384, 11}, {8192, 7},  {16384, 8}, {32768, 9}};

}  // namespace

std::vector<std::string> preset_names() {
  std::vector<std::string> names;
  for (const Preset& one : presets) names.push_back(one.name());
  return names;
}

Parameters preset(const std::string& name, bool allow_insecure) {
  std::string known;
  for (const Preset& one : presets) {
    if (one.name() == name) {
      ParametersLiteral literal{.degree = one.degree, .x = one.x, .plain_modulus = 1024, .digit_bits = 0};
      literal.allow_insecure = allow_insecure;
      literal.name = name;
      return Parameters(literal);
    }
    known += (known.empty() ? "" : ", ") + one.name();
  }
  throw ParameterError(message("there is no preset \"", name, "\" on Fermat moduli; there are ", known));
}

}  // namespace cyclotome::study::fermat
