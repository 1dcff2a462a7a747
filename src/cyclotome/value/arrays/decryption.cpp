// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/value/arrays/decryption.hpp"

#include <algorithm>
#include <limits>

#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/text/hexadecimal.hpp"
#include "cyclotome/ring/randomness/secure_memory.hpp"
#include "cyclotome/rlwe/noise/flooding.hpp"
#include "cyclotome/rlwe/noise/reveal_budget.hpp"
#include "cyclotome/scheme/encoding.hpp"
#include "cyclotome/value/arrays/opening.hpp"
#include "cyclotome/value/layout/residues.hpp"
#include "cyclotome/value/layout/rows.hpp"

namespace cyclotome::value {

namespace {

/// The first four bytes of an id in hexadecimal: what people are shown of it.
std::string short_id(const rlwe::KeyId& id) { return hexadecimal(id).substr(0, 8); }

/// The array on the key's engine.
EncryptedArray beside(const char* operation, const EncryptedArray& x, const rlwe::SecretKey& key) {
  const rlwe::Parameters &own = x.parameters(), &others = key.context()->parameters();
  if (own.fingerprint() != others.fingerprint()) {
    throw MismatchError(
        message(operation, ": the array was encrypted under ", own.summary(), ", the key is of ", others.summary()));
  }
  if (x.key() != key.id()) {
    throw MismatchError(message(operation, ": the array was encrypted under key ", short_id(x.key()), ", this is key ",
                                short_id(key.id()),
                                "; take the secret key that was generated with the array's public key"));
  }
  return x.context()->engine() == key.context()->engine() ? x : x.to(key.context());
}

/// The values in what a ciphertext holds, row after row: the first ones of each row.
void append_values(Residues& values, const rlwe::Plaintext& plaintext, const Layout& layout, std::size_t first) {
  std::vector<std::int64_t> decoded = decode_residues(plaintext, encoding_of(layout));
  const std::size_t n = decoded.size() / plaintext.batch(), chunks = layout.chunks();
  for (std::size_t i = 0; i < plaintext.batch(); ++i) {
    const std::size_t before = (first + i) % chunks * n, count = std::min(n, layout.length() - before);
    const auto row = decoded.begin() + static_cast<std::ptrdiff_t>(i * n);
    values.insert(values.end(), row, row + static_cast<std::ptrdiff_t>(count));
  }
  secure_zero(decoded.data(), decoded.size() * sizeof(std::int64_t));
}

void require_as_stated(const char* operation, const Integers& values, const Bound& bound) {
  if (bound.is_bits() && values.largest() > BigUnsigned(1)) {
    throw RangeError(message(operation, ": a value is no bit, which the array states that all of them are; the ",
                             "ciphertexts were altered, or their description is wrong"));
  }
  if (bound.wraps()) return;
  const BigUnsigned largest = values.largest();
  const BigUnsigned row = values.ndim() == 0 ? largest : values.largest_sum(values.ndim() - 1);
  if (largest <= bound.largest() && row <= bound.row()) {
    const std::size_t found = first_outside(values, bound.values());
    if (found == values.size()) return;
    throw RangeError(message(operation, ": a value is ", shown(values[found]), ", not ", shown(bound.values()),
                             ", as the array states; the ciphertexts were altered, or their description is wrong"));
  }
  const bool single = largest > bound.largest();
  throw RangeError(message(
      operation, single ? ": a value has magnitude " : ": magnitudes along the last axis add up to ",
      shown(single ? largest : row), ", beyond the array's stated bound ",
      shown(single ? bound.largest() : bound.row()), "; the ciphertexts were altered, or their description is wrong"));
}

/// By a key: the array comes to its engine.
template <class Open>
Integers opened_by(const char* operation, const EncryptedArray& array, const rlwe::SecretKey& key, const Open& open,
                   const Options& options) {
  const EncryptedArray x = beside(operation, array, key);
  const auto part_opened = [&](std::size_t channel, const Piece& piece) { return open(x, channel, piece); };
  return opened(operation, x, part_opened, options);
}

}  // namespace

Integers opened(const char* operation, const EncryptedArray& x, const Opening& opening, const Options& options) {
  const Layout& layout = x.layout();
  const std::size_t channels = x.parameters().plain_moduli().size();
  Task task(options, "decrypting", layout.batch() * channels);
  std::vector<Residues> residues;
  for (std::size_t channel = 0; channel < channels; ++channel) {
    residues.emplace_back().reserve(count_of(layout.shape()));
    for (const Piece& piece : pieces(layout.batch(), *x.context()->engine())) {
      append_values(residues.back(), opening(channel, piece), layout, piece.start);
      task.advance(piece.stop - piece.start);
    }
  }
  // Where the bound fits one word, so does what is right.
  const bool narrow = !x.bound().wraps() && x.bound().largest().bit_length() < 64;
  const Integers values =
      x.parameters().field_slots() != nullptr
          ? Integers(x.shape(), std::span(residues[0]))
          : Remainders(x.parameters().plain_moduli()).combine(residues, x.shape(), x.bound().wraps(), narrow);
  require_as_stated(operation, values, x.bound());
  return narrow && values.words() > 1 ? values.resized(1) : values;
}

Integers decrypt(const EncryptedArray& x, const rlwe::SecretKey& key, const Options& options) {
  // Three parts decrypt as two do, without a relinearisation; where the stated noise is too much, to its refusal.
  const auto open = [&](const EncryptedArray& own, std::size_t channel, const Piece& piece) {
    const Placed& placed = own.waits() && own.noise_headroom() >= 0 ? own.as_it_is() : own.placed();
    return scheme::decrypt(part(placed.channels[channel], piece), key);
  };
  return opened_by("decrypt", x, key, open, options);
}

Integers reveal(const EncryptedArray& x, const rlwe::SecretKey& key, unsigned flooding_bits, const Options& options) {
  if (flooding_bits < 1 || flooding_bits > 128) {
    throw ArgumentError(message("reveal: flooding_bits ", flooding_bits, " must lie in [1, 128]; 64 is usual"));
  }
  // The distances of all ciphertexts from what does not depend on the key add up.
  const std::size_t ciphertexts = x.layout().batch() * x.parameters().plain_moduli().size();
  const unsigned bits = flooding_bits + rlwe::flooding_bits_of(ciphertexts);
  rlwe::require_reveals(key.id(),
                        ciphertexts);  // all of the call or nothing; each piece is counted before it is opened
  const auto open = [&](const EncryptedArray& own, std::size_t channel, const Piece& piece) {
    return scheme::reveal(part(own.channels()[channel], piece), key, bits);
  };
  return opened_by("reveal", x, key, open, options);
}

unsigned noise_budget(const EncryptedArray& array, const rlwe::SecretKey& key) {
  const EncryptedArray x = beside("noise_budget", array, key);
  unsigned least = std::numeric_limits<unsigned>::max();
  for (const Ciphertext& channel : x.channels()) {
    for (const unsigned budget : scheme::noise_budget(channel, key)) least = std::min(least, budget);
  }
  return least;
}

}  // namespace cyclotome::value
