// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cyclotome/rlwe/noise/noise_model.hpp"
#include "cyclotome/scheme/bfv/scheme.hpp"

namespace cyclotome::scheme {

using rlwe::NoiseModel;

/// What a computation needs, in a user's terms.
struct Intent {
  unsigned depth = 1;        ///< products of ciphertexts in a row
  unsigned value_bits = 16;  ///< encrypted values lie in (-2^value_bits, 2^value_bits)
  unsigned result_bits =
      0;  ///< all values ever lie in (-2^result_bits, 2^result_bits); 0: value_bits 2^depth + log2(terms)
  std::uint64_t terms = 1 << 14;  ///< how many values are added up at most
  unsigned plain_products = 1;    ///< products with plaintext vectors or matrices, in addition to depth
  unsigned security = 128;        ///< 128, 192 or 256
  /// Which table says how large moduli may be.
  rlwe::SecurityTable table = rlwe::default_security_table;
  std::optional<Word> word = std::nullopt;  ///< none: whichever is cheaper
  std::size_t min_degree = 0;               ///< at least this many slots
  bool slots = true;                        ///< plaintext moduli with a transform, for sums and products value by value
  const rlwe::Scheme* scheme = nullptr;     ///< null: BFV for integers, BGV for bits
  /// Room for revealing up to 1024 ciphertexts of each plaintext modulus at once with this flooding
  /// (rlwe/noise/flooding.hpp); 0: none.
  unsigned flooding_bits = 0;
  bool strict = false;  ///< noise bounds without assumptions (doc/noise.md)
  /// Bits and elements of GF(2^r), plaintext modulus 2 over Phi_m, instead of integers: value_bits, result_bits and
  /// slots then have no meaning.
  bool bits = false;
  std::size_t cyclotomic = 0;  ///< of bits: m; 0: the smallest of 4369, 21845 and 65535 that serves
  std::size_t parties = 1;     ///< of a joint key; with flooding_bits, they all decrypt together
};

/// The cheapest parameters that serve `intent`: degree, plaintext moduli (several when the results are wider than one
/// can hold), ciphertext primes, special primes and digits. For bits in a scheme with levels the ciphertext primes are
/// the smallest that have a transform, ascending, since a level takes fewer bits than they have, and the special ones
/// those that follow. Throws ParameterError when no supported degree suffices; it says what would be needed.
rlwe::Parameters suggest(const Intent& asked);

/// What primes are chosen by.
enum class Aim : std::uint8_t {
  speed,  ///< of one product at the top level
  depth   ///< products one after the other; of those as deep, the fastest. In a scheme with levels it depends on widths
};
/// `base` with ciphertext primes of `modulus_bits` bits in all, equally wide, of up to 30 bits in 32-bit words and 50
/// in 64-bit words, and special primes within base's security, as many of both as serve the aim best; none if
/// `modulus_bits` leaves no room for one. Throws ParameterError or SecurityError when that is impossible.
rlwe::Parameters with_modulus_bits(rlwe::ParametersLiteral base, unsigned modulus_bits, Aim aim = Aim::speed);

/// Noise along x, x^2, x^4, ... (each product relinearised): entry d belongs to depth d; the last is the deepest that
/// still decrypts. Empty if not even a fresh encryption does, and no longer than 1 in schemes without products. For the
/// plaintext modulus number `plain`.
std::vector<NoiseModel::State> noise_by_depth(const rlwe::Parameters& parameters,
                                              rlwe::PlainIndex plain = rlwe::PlainIndex(0));

/// Several lines for people: the primes, sizes of keys and ciphertexts in bytes, security and its cap, and noise
/// headroom by depth. Then a table of the numbers of special primes and digits that there were to choose from: what
/// each costs, and why it was chosen or not.
std::string explain(const rlwe::Parameters& parameters);

/// Sizes in bytes on the wire and in memory.
struct Sizes {
  /// Each of one.
  std::size_t ciphertext, public_key, relinearization_key, galois_key;
};
/// Of ciphertexts of 2 parts and of keys, with these parameters.
Sizes sizes_in_memory(const rlwe::Parameters& parameters);

/// Named parameter sets of papers 000, 001 and 004 (with this library's ternary secret and binomial error in place of
/// theirs) and SEAL's 128-bit defaults. Throws ParameterError for an unknown name, listing the known ones, and
/// SecurityError for a set below 128 bits unless allow_insecure.
rlwe::Parameters preset(const std::string& name, bool allow_insecure = false);
/// All names that `preset` knows.
std::vector<std::string> preset_names();

}  // namespace cyclotome::scheme
