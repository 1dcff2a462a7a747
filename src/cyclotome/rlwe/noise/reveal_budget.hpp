// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "cyclotome/rlwe/context.hpp"

// How many ciphertexts a secret key decrypts for others to see. Each flooded ciphertext is within 2^-b of what does not
// depend on the key, and distances add up, so that what is promised holds for a number that was planned. It is kept for
// each key: all objects of one process with this key's id share it.
namespace cyclotome::rlwe {

/// Of a key; in ciphertexts of one plaintext modulus.
struct RevealCount {
  std::uint64_t planned;  ///< in the key's life
  std::uint64_t spent;    ///< so far
};

/// What is planned unless somebody says otherwise: with 64 bits of flooding 2^-44 for the life of the key.
inline constexpr std::uint64_t usual_reveals = std::uint64_t{1} << 20;
/// What may be planned at most.
inline constexpr std::uint64_t most_planned = std::uint64_t{1} << 60;

/// How a budget is spoken of in messages.
struct BudgetWords {
  std::string what;    ///< is counted: "reveal"
  std::string whose;   ///< it is: "for this key"
  std::string remedy;  ///< in place of what is refused
};

/// Throws ArgumentError for a number that nobody may plan: 0, or more than 2^60.
void require_planned(const char* what, std::uint64_t planned);
/// Throws BudgetError unless so many are left.
void require_left(const RevealCount& count, std::uint64_t ciphertexts, const BudgetWords& words);

/// Where the count of one key lies beside this process's memory.
class RevealStore {
 public:
  virtual ~RevealStore() = default;
  /// What is kept; `otherwise` where nothing is yet.
  virtual RevealCount read(const RevealCount& otherwise) = 0;
  /// changed(what is kept, or `otherwise`) is kept instead, and is durable before it is returned; nobody else changes
  /// it meanwhile. What `changed` throws leaves everything as it was.
  virtual RevealCount change(const RevealCount& otherwise,
                             const std::function<RevealCount(const RevealCount&)>& changed) = 0;
  /// Where that is, for messages.
  virtual std::string where() const = 0;
};

/// The count of a key; of one that was never asked about, none spent of the usual number.
RevealCount reveals_of(const KeyId& key);
/// Another number for the key's life. Throws ArgumentError for 0, or more than 2^60.
void plan_reveals(const KeyId& key, std::uint64_t planned);
/// Counts ciphertexts that are about to be revealed. Throws BudgetError if they are more than what is left; then none
/// is counted.
void spend_reveals(const KeyId& key, std::uint64_t ciphertexts);
/// Throws as `spend_reveals` would, and counts nothing.
void require_reveals(const KeyId& key, std::uint64_t ciphertexts);
/// From now on the key's count lies there as well, and goes on with the larger number of both. A key that has a store
/// keeps it unless `replaced`.
void keep_reveals(const KeyId& key, std::shared_ptr<RevealStore> store, bool replaced = false);
/// Where the key's count is kept; empty: in memory alone.
std::string reveals_kept_in(const KeyId& key);

}  // namespace cyclotome::rlwe
