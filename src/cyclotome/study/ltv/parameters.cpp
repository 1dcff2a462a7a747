// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/study/ltv/parameters.hpp"

#include <cmath>
#include <numeric>

#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/primes.hpp"
#include "cyclotome/math/text/whole_text.hpp"

namespace cyclotome::study::ltv {

namespace {

/// The largest primes of exactly `bits` bits that are 1 mod m, as inverses are found by values there; where they are
/// too few, the largest others follow.
std::vector<std::uint64_t> choose_primes(const ParametersLiteral& literal) {
  const auto fail = [&](const std::string& why) {
    throw ParameterError(message(literal.primes, " primes of ", literal.prime_bits, " bits: ", why));
  };
  if (literal.primes < 1 || literal.primes > 64) fail("there are 1 to 64, one for each level");
  if (literal.prime_bits < 4 || literal.prime_bits > 30) fail("their bits are 4 to 30");
  std::vector<std::uint64_t> chosen;
  const std::uint64_t m = literal.index, top = std::uint64_t{1} << literal.prime_bits;
  for (std::uint64_t p = top - (top - 1) % m; p > top / 2 && chosen.size() < literal.primes; p -= m) {
    if (is_prime(p)) chosen.push_back(p);
    if (p <= m) break;
  }
  for (std::uint64_t p = top - 1; p > top / 2 && chosen.size() < literal.primes; p -= 2) {
    if (m % p != 0 && p % m != 1 && is_prime(p)) chosen.push_back(p);
  }
  if (chosen.size() < literal.primes) fail(message("only ", chosen.size(), " exist; take more bits, or fewer levels"));
  return chosen;
}

ArithmeticPtr checked_arithmetic(const ParametersLiteral& literal) {
  if (literal.window < 1 || literal.window >= literal.prime_bits) {
    throw ParameterError(message("digits of w = ", literal.window,
                                 " bits, but the primes have B_p = ", literal.prime_bits,
                                 ": one transform serves all primes only if 1 <= w < B_p; take a smaller w"));
  }
  const CyclotomicPolynomial ring(literal.index);  // says what is wrong with m before it is divided by
  return Arithmetic::create(ring.index(), choose_primes(literal));
}

}  // namespace

ParametersPtr Parameters::create(const ParametersLiteral& literal) { return ParametersPtr(new Parameters(literal)); }

Parameters::Parameters(const ParametersLiteral& literal)
    : literal_(literal), arithmetic_(checked_arithmetic(literal)), noise_(arithmetic_->ring()) {
  const std::uint64_t digit = (std::uint64_t{1} << window()) - 1, residue = arithmetic_->basis().largest() - 1;
  const u128 sum = static_cast<u128>(digit) * residue * degree() * digits(levels());
  if (sum >= carrier::modulus) {
    throw ParameterError(message("eta n (2^w - 1)(p - 1) = ", digits(levels()), " * ", degree(), " * ", digit, " * ",
                                 residue,
                                 " is not below P = 2^64 - 2^32 + 1, so sums of relinearisation would not be exact; ",
                                 "take narrower digits or smaller primes"));
  }
  std::string canonical = whole_text("cyclotome ltv parameters 1\nindex ", index(), "\nwindow ", window(), "\nprimes");
  for (std::size_t j = 0; j < levels(); ++j) canonical += whole_text(" ", arithmetic_->basis().prime(j));
  canonical += "\nsecret 2 ternary + 1\nerror ternary\n";
  fingerprint_ = sha256({reinterpret_cast<const std::uint8_t*>(canonical.data()), canonical.size()});
}

unsigned Parameters::digits(std::size_t primes) const noexcept {
  return (arithmetic_->basis().bits(primes) + window() - 1) / window();
}

double Parameters::log2_limit(std::size_t primes) const noexcept {
  return arithmetic_->basis().product(primes).log2() - 1;
}

std::string Parameters::summary() const {
  return message("ltv", name().empty() ? std::string() : message(" '", name(), "'"), " m=", index(), " n=", degree(),
                 ", ", levels(), levels() == 1 ? " prime of " : " primes of ", prime_bits(), " bits, ", window(),
                 "-bit digits, ", broken);
}

namespace {

/// Sorting-16's primes are not printed; 14 levels of 21 bits lie between its neighbours'.
const ParametersLiteral presets[] = {{25, 21845, 25, 16, "002-prince"},    {13, 8191, 20, 16, "002-sorting-8"},
                                     {14, 8191, 21, 16, "002-sorting-16"}, {15, 8191, 22, 16, "002-sorting-32"},
                                     {15, 8191, 24, 16, "002-15-8192"},    {25, 21845, 24, 16, "002-25-16384"},
                                     {40, 65535, 24, 16, "002-40-32768"}};

}  // namespace

std::vector<std::string> preset_names() {
  std::vector<std::string> names;
  for (const auto& one : presets) names.push_back(one.name);
  return names;
}

ParametersLiteral preset(const std::string& name) {
  std::string known;
  for (const auto& one : presets) {
    if (one.name == name) return one;
    known += (known.empty() ? "" : ", ") + one.name;
  }
  throw ParameterError(message("there is no preset \"", name, "\" of LTV; there are ", known));
}

namespace {

/// The most bits of primes with n (p - 1)^2 < P for all of them.
unsigned most_prime_bits(std::size_t degree) {
  unsigned bits = 4;
  while (bits < 30 && (static_cast<u128>(degree) << (2 * bits + 2)) <= (static_cast<u128>(1) << 64)) ++bits;
  return bits;
}

/// log2 of the primes that parameters would take; empty where there are too few.
std::vector<double> log2_primes(const ParametersLiteral& literal) {
  std::vector<double> logs;
  try {
    for (const std::uint64_t p : choose_primes(literal)) logs.push_back(std::log2(static_cast<double>(p)));
  } catch (const ParameterError&) {
    logs.clear();
  }
  return logs;
}

/// The largest coefficient after products of sums, each relinearised and switched; `level` gets what the first adds.
double last_phase(const NoiseModel& noise, const std::vector<double>& primes, unsigned window, std::size_t fan_in,
                  double& level) {
  double phase = noise.fresh(), log2_q = std::accumulate(primes.begin(), primes.end(), 0.0);
  for (std::size_t left = primes.size(); left > 1; --left) {
    const double factor = phase + 2 * std::log2(static_cast<double>(fan_in));
    const auto bits = static_cast<unsigned>(std::ceil(log2_q));
    const double product = noise.key_switch(NoiseModel::product(factor, factor), bits, window);
    if (left == primes.size()) level = (product - phase) / 2;
    phase = noise.switched(product, primes[left - 1], 1);
    log2_q -= primes[left - 1];
  }
  return noise.largest_coefficient(phase);
}

}  // namespace

Precomputation precompute(std::size_t depth, std::uint64_t index, std::size_t fan_in) {
  if (depth < 1 || depth > 63 || fan_in < 1) {
    throw ParameterError(
        message("depth ", depth, " with sums of ", fan_in, ": depth is 1 to 63, and sums have a term"));
  }
  // The paper's sets have at most 0.044 bits of q_0 a coefficient; nothing is hidden with fewer either.
  constexpr double most_bits_a_coefficient = 0.044;
  const std::uint64_t paper_rings[] = {8191, 21845, 65535};
  for (const std::uint64_t m : paper_rings) {
    if (index != 0 && m != paper_rings[0]) break;
    const CyclotomicPolynomial ring(index == 0 ? m : index);
    const NoiseModel noise(ring);
    const auto degree = static_cast<double>(ring.degree());
    const unsigned most = most_prime_bits(ring.degree());
    for (unsigned bits = 5; bits <= most; ++bits) {
      if (index == 0 && static_cast<double>(bits * (depth + 1)) > most_bits_a_coefficient * degree) break;
      const std::vector<double> primes = log2_primes({depth + 1, ring.index(), bits, 1, {}});
      for (unsigned window = bits - 1; window >= 1 && !primes.empty(); --window) {
        Precomputation found{{depth + 1, ring.index(), bits, window, {}}, 0, most, 0, primes[0] - 1};
        found.log2_last = last_phase(noise, primes, window, fan_in, found.level_bits);
        if (found.log2_last < found.log2_last_limit) return found;
      }
    }
  }
  throw ParameterError(message("no primes carry ", depth, " products of sums of ", fan_in,
                               index == 0 ? "" : message(" over Phi_", index),
                               "; take a smaller depth, or a larger ring"));
}

}  // namespace cyclotome::study::ltv
