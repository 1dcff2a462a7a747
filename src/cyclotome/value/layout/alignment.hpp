// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/value/arrays/encrypted_array.hpp"

// Brings operands together. Here it is decided, before anything is computed, which pairs of placements can meet, by
// what operands become when they are broadcast:
//
//   sums       replicated + replicated; packed + packed in the same encoding; replicated + slots. A constant added to
//              coefficients would reach the first one only.
//   products   replicated * anything, since constants multiply every coefficient; slots * slots.
namespace cyclotome::value {

enum class Meeting : std::uint8_t { sum, product };

/// Two operands as they meet, their ciphertexts in their own orders, and the result's layout. levels: of products that
/// wait in a sum of them. An operand of a sum goes on waiting unless the result has more ciphertexts than it has, which
/// would be relinearised one by one, or primes are dropped from it.
struct Met {
  Placed x, y;
  Layout layout;
  Waiting::Levels levels;
};
Met met(const char* operation, Meeting meeting, const EncryptedArray& x, const EncryptedArray& y,
        const Options& options);

/// Whether products that wait in x go on waiting in a sum with y.
bool waits_beside(const char* operation, const EncryptedArray& x, const EncryptedArray& y);

/// Two operands' ciphertexts in the order of the result's, batches equal or 1, and the result's layout.
struct Aligned {
  Channels x, y;
  Layout layout;
  Waiting::Levels levels;
};
Aligned aligned(const char* operation, Meeting meeting, const EncryptedArray& x, const EncryptedArray& y,
                const Options& options);

/// An operand that meets public integers of shape `w`: products wait as in sums.
struct Term {
  const Placed& placed;
  Waiting::Levels levels;
};
/// Whether products go on waiting then.
bool waits_with(const char* operation, const EncryptedArray& x, const Shape& w);
Term term_of(const char* operation, const EncryptedArray& x, const Shape& w);

/// x so that a public operand of shape `w` can meet it, and the layout of what comes out.
struct Expanded {
  Placed x;
  Layout layout;
};
Expanded expanded(const char* operation, const Placed& x, const Keyring& keys, const Shape& w, const Options& options);

}  // namespace cyclotome::value
