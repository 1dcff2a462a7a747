// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <iomanip>
#include <sstream>

#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/primes.hpp"
#include "cyclotome/scheme/planning.hpp"
#include "cyclotome/scheme/registry.hpp"
#include "cyclotome/scheme/special_primes.hpp"

namespace cyclotome::scheme {

namespace {

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

/// Why a choice of key switching was not taken, or "chosen".
std::string verdict(const KeySwitchChoice& choice, const KeySwitchChoice& chosen) {
  const rlwe::Parameters& p = choice.parameters;
  if (choice.chosen) return "chosen";
  if (!choice.allowed) {
    const unsigned cap = rlwe::max_modulus_bits(p.degree(), p.security(), p.table());
    return message("too long for ", rlwe::level_text(p.security(), p.table()), ", by ", p.key_modulus_bits() - cap);
  }
  const auto bits = static_cast<long>(std::floor(chosen.headroom) - std::floor(choice.headroom));
  if (p.special_moduli().empty()) return message("noisier, by ", bits);
  if (choice.relative_cost >= 1) return "not cheaper";
  return "cheaper and allowed; the primes were chosen by hand";
}

/// The level, and the limit it comes from; of another table than the default one, that one's limit too.
std::string security_text(const rlwe::Parameters& p) {
  const unsigned level = p.security() == 0 ? 128 : p.security();
  const auto allows = [&](rlwe::SecurityTable table) {
    return message("table ", rlwe::name_of(table), " allows ", rlwe::max_modulus_bits(p.degree(), level, table));
  };
  const std::string reached = p.insecure() ? "INSECURE: below " + rlwe::level_text(128, p.table())
                                           : rlwe::level_text(p.security_reached(), p.table());
  const std::string other = p.table() == rlwe::default_security_table
                                ? std::string()
                                : "; " + allows(rlwe::default_security_table) + ", classical";
  return message(reached, " (log2 QP = ", p.key_modulus_bits(), ", ", allows(p.table()), " for ", level, " bits", other,
                 ")");
}

/// The numbers of special primes and digits that there were to choose from.
std::string key_switch_table(const rlwe::Parameters& p) {
  const std::vector<KeySwitchChoice> choices = key_switch_choices(p);
  const auto& chosen = *std::find_if(choices.begin(), choices.end(), [](const auto& c) { return c.chosen; });
  std::ostringstream text;
  text << "  key switching    with q of " << p.modulus_bits()
       << " bits: cost of multiply + relinearise by a model, noise headroom after it in bits\n"
       << "    special primes  digits  log2 QP  relinearisation key  cost  headroom\n";
  for (const auto& choice : choices) {
    const rlwe::Parameters& other = choice.parameters;
    text << std::setw(18) << other.special_moduli().size() << std::setw(8) << other.digits() << std::setw(9)
         << other.key_modulus_bits() << std::setw(21) << bytes_text(sizes_in_memory(other).relinearization_key)
         << std::setw(6) << std::fixed << std::setprecision(2) << choice.relative_cost << std::setw(10)
         << static_cast<long>(std::floor(choice.headroom)) << "  " << verdict(choice, chosen) << "\n";
  }
  return text.str();
}

/// Of a plaintext modulus that has not as many slots as there are coefficients.
std::string slots_text(const rlwe::Parameters& p, rlwe::PlainIndex plain) {
  if (!p.has_slots(plain)) return " (no slots)";
  return p.slot_ring() == p.ring() ? std::string()
                                   : message(" (", p.slots(), " slots of degree ", p.slot_degree(), ")");
}

/// What values there are.
std::string plaintext_text(const rlwe::Parameters& p) {
  const FieldSlotsPtr& slots = p.field_slots();
  if (slots == nullptr) {
    return message("; values of ", BigUnsigned::product(p.plain_moduli()).bit_length() - 1, " bits with sign");
  }
  std::string box;
  for (const auto& dimension : slots->dimensions()) {
    box += message(box.empty() ? "" : " x ", dimension.length, dimension.cyclic ? "" : " (by masks)");
  }
  return message("; ", slots->count(), " slots of bits, or of elements of GF(2^", slots->field().degree(), "), ", box);
}

}  // namespace

Sizes sizes_in_memory(const rlwe::Parameters& p) {
  const std::size_t limb = p.degree() * bytes_of(p.word()), k = p.moduli().size(), all = k + p.special_moduli().size();
  const std::size_t switching = 2 * p.digits() * all * limb;
  return {2 * k * limb, 2 * all * limb, switching, switching};
}

std::string explain(const rlwe::Parameters& p) {
  std::ostringstream text;
  const Sizes sizes = sizes_in_memory(p);
  text << p.summary() << "\n";
  text << "  ring             Z_q[x]/(" << p.ring()->modulus() << "), " << bits_of(p.word()) << "-bit words\n";
  text << "  ciphertext       q of " << p.modulus_bits() << " bits = " << prime_bits(p.moduli()) << "\n";
  text << "  special primes   " << prime_bits(p.special_moduli()) << (p.special_moduli().empty() ? "" : " bits")
       << "; key switching in " << p.digits() << (p.digits() == 1 ? " digit of " : " digits of ")
       << p.primes_per_digit() << (p.primes_per_digit() == 1 ? " prime\n" : " primes\n");
  text << "  plaintext        ";
  if (holds_reals(p)) {
    text << "real or complex numbers, " << p.degree() / 2 << " in slots; " << p.part().summary()
         << "; one level for each "
         << "product, " << p.moduli().size() - 1 << " in all\n";
  } else {
    for (std::size_t i = 0; i < p.plain_moduli().size(); ++i) {
      const std::uint64_t t = p.plain_moduli()[i];
      text << (i == 0 ? "t = " : ", ") << t << slots_text(p, rlwe::PlainIndex(i));
    }
    text << plaintext_text(p) << "\n";
  }
  text << "  security         " << security_text(p) << "\n";
  text << "  sizes in memory  ciphertext " << bytes_text(sizes.ciphertext) << ", public key "
       << bytes_text(sizes.public_key) << ", relinearisation key " << bytes_text(sizes.relinearization_key)
       << ", each rotation key " << bytes_text(sizes.galois_key) << "\n";
  const auto model = p.scheme().noise_model(p, rlwe::PlainIndex(0));
  const auto states = noise_by_depth(p);
  text << "  noise headroom   ";
  if (states.empty()) {
    text << "none: not even a fresh ciphertext decrypts reliably";
  }
  for (std::size_t d = 0; d < states.size(); ++d) {
    if (d > 4 && d + 1 < states.size()) continue;  // the first few and the deepest
    text << (d == 0 ? message("fresh ") : message(d > 5 ? " ... depth " : ", depth ", d, " "))
         << static_cast<long>(std::floor(model->headroom(states[d])));
  }
  text << (states.empty() ? "" : " bits") << "\n" << key_switch_table(p);
  return text.str();
}

}  // namespace cyclotome::scheme
