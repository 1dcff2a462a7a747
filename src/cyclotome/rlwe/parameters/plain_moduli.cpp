// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/rlwe/parameters/plain_moduli.hpp"

#include "cyclotome/math/errors.hpp"
#include "cyclotome/rlwe/parameters/parameters.hpp"

namespace cyclotome::rlwe {

namespace {

/// What a ciphertext modulus has to exceed to hold anything modulo t; see least_modulus_bits.
BigUnsigned least_modulus(const RingShape& ring, std::uint64_t t) {
  return BigUnsigned(t) * BigUnsigned(2 * ring.errors().bound() + 1);
}

/// Parameters that no ciphertext could be decrypted under are an error here, not at every decryption.
void check_room(const LatticeParameters& p, const std::vector<std::uint64_t>& plain_moduli) {
  const BigUnsigned q = BigUnsigned::product(p.moduli);
  const RingShapePtr ring = p.ring();
  for (const auto t : plain_moduli) {
    if (q > least_modulus(*ring, t)) continue;
    throw ParameterError(message("plaintext modulus ", t, " of ", bit_length(t), " bits is too large for ciphertext ",
                                 "moduli of ", q.bit_length(), " bits in all: not even a fresh ciphertext could be ",
                                 "decrypted, which takes at least ", least_modulus_bits(*ring, t),
                                 "; use more or wider ciphertext primes, or a smaller plaintext modulus"));
  }
}

}  // namespace

PlainModuli::PlainModuli(std::vector<std::uint64_t> moduli) : moduli_(std::move(moduli)) {
  if (moduli_.empty() || moduli_.size() > 16) {
    throw ParameterError(message(moduli_.size(), " plaintext moduli were given; 1 to 16 are supported"));
  }
}

std::string PlainModuli::describe() const { return "plain " + list(moduli_); }

std::string PlainModuli::summary() const { return "t=" + list(moduli_); }

void check_plain_moduli(const LatticeParameters& lattice, const std::vector<std::uint64_t>& plain_moduli) {
  const std::uint64_t limit = lattice.word == Word::u32 ? 1ULL << 30 : 1ULL << 60;
  for (const auto t : plain_moduli) {
    if (t < 2 || t >= limit) {
      throw ParameterError(
          message("plaintext modulus ", t, " must lie in [2, ", limit, ") for ", bits_of(lattice.word), "-bit words"));
    }
  }
  std::vector<std::uint64_t> all = plain_moduli;
  all.insert(all.end(), lattice.moduli.begin(), lattice.moduli.end());
  all.insert(all.end(), lattice.special_moduli.begin(), lattice.special_moduli.end());
  static_cast<void>(Basis(Word::u64, all));  // pairwise coprime, or a ParameterError that names the pair
  check_room(lattice, plain_moduli);
}

unsigned least_modulus_bits(const RingShape& ring, std::uint64_t t) { return least_modulus(ring, t).bit_length(); }

}  // namespace cyclotome::rlwe
