// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "cyclotome/rlwe/keys/keys.hpp"
#include "cyclotome/rlwe/noise/reveal_budget.hpp"

// The number of ciphertexts that a secret key revealed, in a file beside the key's: a few lines of text, replaced whole
// and synced before anything is decrypted, while a lock on it is held. So a process that is killed has counted too
// much, never too little, and two processes count one after the other.
namespace cyclotome::io {

/// Beside the file of a key: FOLDER/reveals-ID.count, with the first 16 digits of the key's id. Copies of a key in one
/// folder share it.
std::string reveal_file_beside(const std::string& key_path, const rlwe::KeyId& key);

/// Counts what `key` reveals in the file `path` from now on, which is made at the first one; what it says already, or
/// this process has counted, is not forgotten. Later reveals throw FileError where it can't be written, FormatError
/// where it is damaged, and MismatchError where it is another key's; nothing is decrypted then.
void keep_reveals(const rlwe::KeyId& key, const std::string& path);

/// For a key that was read from a file: counts in the file beside it, unless the key's reveals are kept already. False,
/// and nothing, for what is no regular file.
bool keep_reveals_beside(const rlwe::SecretKey& key, const std::string& key_path);

/// The same for a key that is about to be written to a file: where another number than the usual one was planned, or
/// something was revealed, the file beside it says so before the key is there. All that can fail does so here
/// (FileError); without `keep`, a file that was made for it goes again.
class RevealsBeside {
 public:
  RevealsBeside(const rlwe::SecretKey& key, const std::string& key_path);
  RevealsBeside(const RevealsBeside&) = delete;
  RevealsBeside& operator=(const RevealsBeside&) = delete;
  ~RevealsBeside();
  /// The key is there: counts beside it from now on.
  void keep();

 private:
  rlwe::KeyId key_;
  std::string path_;
  std::shared_ptr<rlwe::RevealStore> store_;
  bool made_ = false;
};

}  // namespace cyclotome::io
