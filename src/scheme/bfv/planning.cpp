// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/scheme/bfv/planning.hpp"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <optional>
#include <sstream>

#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/primes.hpp"
#include "cyclotome/scheme/bfv/operations.hpp"

namespace cyclotome::bfv {

namespace {

/// Deviation of a fresh public-key encryption, with and without a special prime: see rlwe/encryption.cpp.
rlwe::NoiseBound fresh_noise(const rlwe::Parameters& p) {
  return rlwe::with_error(
      rlwe::public_key_noise(p.degree(),
                             p.special_moduli().empty() ? 1.0 : static_cast<double>(p.special_moduli().back())),
      0.5);
}

double key_switch_noise(const rlwe::Parameters& p) {
  const std::size_t k = p.moduli().size(), per_digit = p.primes_per_digit();
  std::vector<double> digits;
  for (std::size_t first = 0; first < k; first += per_digit) {
    double log2_digit = 0;
    for (std::size_t i = first; i < std::min(k, first + per_digit); ++i) {
      log2_digit += std::log2(static_cast<double>(p.moduli()[i]));
    }
    digits.push_back(log2_digit);
  }
  double special = 0;
  for (const auto prime : p.special_moduli()) special += std::log2(static_cast<double>(prime));
  return rlwe::key_switch_deviation(p.degree(), digits, special);
}

double log2_product(const std::vector<std::uint64_t>& moduli) { return BigUnsigned::product(moduli).log2(); }

rlwe::NoiseBound squared(const rlwe::Parameters& p, std::size_t plain, const rlwe::NoiseBound& noise) {
  const rlwe::NoiseBound product =
      product_noise(noise, noise, p.degree(), p.plain_moduli()[plain], p.moduli().size(), log2_product(p.moduli()));
  return rlwe::with_error(product, key_switch_noise(p));
}

/// Splits `bits` over as few primes of at most `widest` bits as possible, all about equally wide.
std::vector<unsigned> split_bits(unsigned bits, unsigned widest, unsigned narrowest) {
  const unsigned count = std::max(1U, (bits + widest - 1) / widest);
  std::vector<unsigned> sizes(count, std::max(bits / count, narrowest));
  for (unsigned i = 0; i < bits % count && sizes[i] == bits / count; ++i) ++sizes[i];
  return sizes;
}

constexpr unsigned widest_prime(Word word) {
  return word == Word::u32 ? 30 : 50;  // 50-bit primes suit AVX-512 IFMA and the FP64 pipe of GPUs
}

/// The worst noise of a computation that `intent` allows.
rlwe::NoiseBound planned_noise(const Intent& intent, const rlwe::Parameters& p) {
  rlwe::NoiseBound noise = fresh_noise(p);
  for (unsigned d = 0; d < intent.depth; ++d) noise = squared(p, 0, rlwe::scaled(noise, 4));  // sums of four before
  // The canonical norm of a plaintext vector is about 4 t sqrt(n/12); sums and their rotations come on top.
  const auto n = static_cast<double>(p.degree()), t = static_cast<double>(p.plain_moduli()[0]);
  for (unsigned i = 0; i < intent.plain_products; ++i) noise = rlwe::scaled(noise, 4 * t * std::sqrt(n / 12));
  return rlwe::scaled(rlwe::with_error(noise, key_switch_noise(p)), static_cast<double>(intent.terms));
}

/// Parameters with ciphertext primes of `bits` bits in all; nothing if there are too few primes of the widths that this
/// takes.
std::optional<rlwe::Parameters> with_modulus(const rlwe::ParametersLiteral& base, unsigned bits, unsigned narrowest) {
  rlwe::ParametersLiteral literal = base;
  const std::vector<unsigned> sizes = split_bits(bits, widest_prime(base.word), narrowest);
  std::vector<std::uint64_t> taken = base.plain_moduli;
  const auto next_prime = [&](unsigned size) {
    taken.push_back(primes_congruent_to_one(size, 2 * base.degree, 1, taken)[0]);
    return taken.back();
  };
  try {
    literal.special_moduli = {next_prime(sizes[0])};  // as wide as the widest digit
    for (const unsigned size : sizes) literal.moduli.push_back(next_prime(size));
    return rlwe::Parameters(std::move(literal));
  } catch (const ParameterError&) {
    return std::nullopt;
  }
}

/// The smallest parameters of one degree and number of plaintext moduli whose noise fits; nothing if security does not
/// allow any.
std::optional<rlwe::Parameters> attempt(const Intent& intent, Word word, std::size_t degree, unsigned result_bits,
                                        unsigned plain_count) {
  const unsigned narrowest = bit_length(2 * degree) + 3;
  // T > 2^(result_bits + 1); primes of b bits lie above 2^(b-1).
  const unsigned plain_bits = std::max((result_bits + plain_count) / plain_count + 1, intent.slots ? narrowest : 2U);
  if (plain_bits >= widest_prime(word)) return std::nullopt;
  rlwe::ParametersLiteral literal;
  literal.degree = degree;
  literal.word = word;
  literal.security = intent.security;
  literal.table = intent.table;
  try {
    literal.plain_moduli = primes_congruent_to_one(plain_bits, intent.slots ? 2 * degree : 2, plain_count);
  } catch (const ParameterError&) {  // fewer primes of this width than asked for
    return std::nullopt;
  }
  const unsigned cap = rlwe::max_modulus_bits(degree, intent.security, intent.table);
  for (unsigned bits = std::max(plain_bits + 12, narrowest); bits < cap; ++bits) {
    const auto candidate = with_modulus(literal, bits, narrowest);
    if (candidate && headroom(*candidate, 0, planned_noise(intent, *candidate)) >= 2) return candidate;
  }
  return std::nullopt;
}

/// Relative cost of a product: transforms grow with limbs, conversions with their square; a 32-bit limb costs half a
/// 64-bit one.
double cost(const rlwe::Parameters& p) {
  const double limbs = static_cast<double>(p.moduli().size() + p.special_moduli().size());
  const double word = p.word() == Word::u32 ? 0.5 : 1.0;
  return word * static_cast<double>(p.plain_moduli().size()) * static_cast<double>(p.degree()) * limbs *
         (limbs + std::log2(static_cast<double>(p.degree())));
}

std::string bytes_text(std::size_t bytes) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(bytes < 10 << 20 ? 0 : 1);
  if (bytes < 10 << 20) {
    text << static_cast<double>(bytes) / 1024 << " KiB";
  } else {
    text << static_cast<double>(bytes) / (1 << 20) << " MiB";
  }
  return text.str();
}

std::string prime_bits(const std::vector<std::uint64_t>& primes) {
  std::string text;
  for (const auto prime : primes) {
    if (!text.empty()) text += " + ";
    text += std::to_string(bit_length(prime));
  }
  return text.empty() ? "none" : text;
}

}  // namespace

rlwe::Parameters suggest(const Intent& intent) {
  if (intent.depth > 64 || intent.plain_products > 64) {
    throw ParameterError(message("suggest: depth ", intent.depth, " and ", intent.plain_products,
                                 " plaintext products; each may be at most 64"));
  }
  if (intent.value_bits < 1 || intent.value_bits > 1024 || intent.result_bits > 1024 || intent.terms == 0) {
    throw ParameterError(message("suggest: value_bits ", intent.value_bits, " and result_bits ", intent.result_bits,
                                 " must lie in [1, 1024] (result_bits 0: derived), and terms ", intent.terms,
                                 " above 0"));
  }
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
    if (best && best->degree() * 2 <= degree) break;
  }
  if (!best) {
    throw ParameterError(message("suggest: no degree up to ", Ring::max_degree, " carries depth ", intent.depth,
                                 " with results of ", result_bits, " bits at ", intent.security,
                                 "-bit security; lower depth, result_bits or terms, or split the computation"));
  }
  return *best;
}

double headroom(const rlwe::Parameters& p, std::size_t plain, const rlwe::NoiseBound& noise) {
  return log2_product(p.moduli()) - std::log2(static_cast<double>(p.plain_moduli()[plain])) - 1 -
         std::log2(rlwe::tail_factor) - noise.log2_deviation;
}

std::vector<rlwe::NoiseBound> noise_by_depth(const rlwe::Parameters& parameters, std::size_t plain) {
  std::vector<rlwe::NoiseBound> bounds;
  for (rlwe::NoiseBound noise = fresh_noise(parameters); headroom(parameters, plain, noise) >= 0 && bounds.size() <= 64;
       noise = squared(parameters, plain, noise)) {
    bounds.push_back(noise);
  }
  return bounds;
}

Sizes sizes_in_memory(const rlwe::Parameters& p) {
  const std::size_t limb = p.degree() * bytes_of(p.word()), k = p.moduli().size(), all = k + p.special_moduli().size();
  const std::size_t switching = 2 * p.digits() * all * limb;
  return {2 * k * limb, 2 * all * limb, switching, switching};
}

std::string explain(const rlwe::Parameters& p) {
  std::ostringstream text;
  const Sizes sizes = sizes_in_memory(p);
  text << p.summary() << "\n";
  text << "  ring             Z_q[x]/(x^" << p.degree() << " + 1), " << bits_of(p.word()) << "-bit words\n";
  text << "  ciphertext       q of " << p.modulus_bits() << " bits = " << prime_bits(p.moduli()) << "\n";
  text << "  special primes   " << prime_bits(p.special_moduli()) << (p.special_moduli().empty() ? "" : " bits")
       << "; key switching in " << p.digits() << (p.digits() == 1 ? " digit of " : " digits of ")
       << p.primes_per_digit() << (p.primes_per_digit() == 1 ? " prime\n" : " primes\n");
  text << "  plaintext        ";
  for (std::size_t i = 0; i < p.plain_moduli().size(); ++i) {
    const std::uint64_t t = p.plain_moduli()[i];
    text << (i == 0 ? "t = " : ", ") << t << ((t % (2 * p.degree()) == 1) ? "" : " (no slots)");
  }
  const unsigned value_bits = BigUnsigned::product(p.plain_moduli()).bit_length();
  text << "; values of " << value_bits - 1 << " bits with sign\n";
  text << "  security         ";
  if (p.insecure()) {
    text << "INSECURE: below 128 bits";
  } else {
    text << p.security_reached() << " bits";
  }
  text << " (log2 QP = " << p.key_modulus_bits() << ", table " << rlwe::name_of(p.table()) << " allows ";
  const unsigned level = p.security() == 0 ? 128 : p.security();
  text << rlwe::max_modulus_bits(p.degree(), level, p.table()) << " for " << level << " bits)\n";
  text << "  sizes in memory  ciphertext " << bytes_text(sizes.ciphertext) << ", public key "
       << bytes_text(sizes.public_key) << ", relinearisation key " << bytes_text(sizes.relinearization_key)
       << ", each rotation key " << bytes_text(sizes.galois_key) << "\n";
  const auto bounds = noise_by_depth(p);
  text << "  noise headroom   ";
  if (bounds.empty()) {
    text << "none: not even a fresh ciphertext decrypts reliably";
  }
  for (std::size_t d = 0; d < bounds.size(); ++d) {
    if (d > 4 && d + 1 < bounds.size()) continue;  // the first few and the deepest
    text << (d == 0 ? message("fresh ") : message(d > 5 ? " ... depth " : ", depth ", d, " "))
         << static_cast<long>(std::floor(headroom(p, 0, bounds[d])));
  }
  text << (bounds.empty() ? "" : " bits") << "\n";
  return text.str();
}

}  // namespace cyclotome::bfv
