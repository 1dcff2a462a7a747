// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/io/keys/key_files.hpp"

#include "cyclotome/io/files/file_set.hpp"
#include "cyclotome/io/files/reveal_file.hpp"
#include "cyclotome/io/joint/threshold_io.hpp"
#include "cyclotome/io/keys/keys_io.hpp"
#include "cyclotome/io/keys/protected_key.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/text/hexadecimal.hpp"
#include "cyclotome/platform/files.hpp"

namespace cyclotome::io {

namespace {

/// Secret keys' files are small, but for their metadata.
constexpr std::uint64_t most_key_bytes = std::uint64_t{4} << 20;

std::string digits_of(const rlwe::KeyId& id) { return hexadecimal(id).substr(0, 8); }

/// What the file at `path` is kept as when this key takes its place; empty for one that holds the same key, and for
/// none. What can't be read could be a secret key too.
std::string backup_label(const std::string& path, const rlwe::SecretKey& key) {
  bool found = false;
  if (platform::status_of(path, found).kind != platform::FileKind::regular) return {};
  try {
    const Bytes bytes = read_file(path, most_key_bytes);
    const Container old(bytes, {.allow_insecure = true});
    if (old.kind() != Kind::secret_key && old.kind() != Kind::protected_secret_key) return "bak";
    return old.key_id() == key.id() ? "" : "bak-" + digits_of(old.key_id());
  } catch (const Error&) {
    return "bak";
  }
}

/// Under the passphrase, if there is one.
template <class Secret>
Bytes bytes_of(const Secret& secret, const KeyFileOptions& options) {
  return options.passphrase ? serialize_protected(secret, *options.passphrase, options.metadata)
                            : serialize(secret, options.metadata);
}

void add_secret_key(FileSet& set, const std::string& path, const rlwe::SecretKey& key, const KeyFileOptions& options) {
  set.add(path, bytes_of(key, options), Privacy::secret, options.existing, backup_label(path, key));
}

std::string commit(FileSet& set) {
  std::vector<std::string> kept = set.commit();
  return kept.empty() ? std::string() : std::move(kept.front());  // nothing may fail from here on
}

}  // namespace

std::string write_secret_key(const std::string& path, const rlwe::SecretKey& key, const KeyFileOptions& options) {
  FileSet set;
  add_secret_key(set, path, key, options);
  RevealsBeside beside(key, path);
  std::string backup = commit(set);
  beside.keep();
  return backup;
}

void write_secret_share(const std::string& path, const rlwe::SecretShare& share, const KeyFileOptions& options) {
  write_file(path, bytes_of(share, options), Privacy::secret, options.existing);
}

std::string write_keys(const KeyPaths& paths, const rlwe::SecretKey& secret, const rlwe::PublicKey& public_key,
                       const rlwe::EvaluationKeys& evaluation, const KeyFileOptions& options) {
  rlwe::require_same_key("write_keys", secret.id(), public_key.id());
  rlwe::require_same_key("write_keys", secret.id(), evaluation.id());
  FileSet set;
  add_secret_key(set, paths.secret, secret, options);
  set.add(paths.public_key, serialize(public_key, options.metadata), Privacy::shared, options.existing);
  set.add(paths.evaluation, serialize(evaluation, options.metadata), Privacy::shared, options.existing);
  RevealsBeside beside(secret, paths.secret);
  std::string backup = commit(set);
  beside.keep();
  return backup;
}

}  // namespace cyclotome::io
