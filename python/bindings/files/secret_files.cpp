// SPDX-License-Identifier: Apache-2.0
// Files for one reader only.
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include "bindings/files/io.hpp"
#include "cyclotome/io/keys/key_files.hpp"
#include "cyclotome/ring/randomness/libcrypto.hpp"

namespace cyclotome::python {

namespace {

using io::Privacy;

io::KeyFileOptions key_file_options(const nb::bytes& metadata, const std::optional<nb::bytearray>& passphrase,
                                    bool overwrite) {
  io::KeyFileOptions options{to_span(metadata), std::nullopt, existing(overwrite)};
  if (passphrase) options.passphrase = typed(*passphrase);
  return options;
}

}  // namespace

void bind_secret_files(nb::module_& m) {
  m.def(
      "write_secret_key",
      [](const FilePath& path, const rlwe::SecretKey& key, const nb::bytes& metadata, bool overwrite,
         const std::optional<nb::bytearray>& passphrase) {
        const io::KeyFileOptions options = key_file_options(metadata, passphrase, overwrite);
        return shown_path([&] {
          const Unlocked unlocked;
          return io::write_secret_key(path, key, options);
        }());
      },
      "path"_a, "key"_a, "metadata"_a, "overwrite"_a, "passphrase"_a.none());
  m.def(
      "write_keys",
      [](const std::array<FilePath, 3>& paths, const rlwe::SecretKey& secret, const rlwe::PublicKey& public_key,
         const rlwe::EvaluationKeys& evaluation, const nb::bytes& metadata, bool overwrite,
         const std::optional<nb::bytearray>& passphrase) {
        const io::KeyFileOptions options = key_file_options(metadata, passphrase, overwrite);
        return shown_path([&] {
          const Unlocked unlocked;
          return io::write_keys({paths[0], paths[1], paths[2]}, secret, public_key, evaluation, options);
        }());
      },
      "paths"_a, "secret"_a, "public_key"_a, "evaluation"_a, "metadata"_a, "overwrite"_a, "passphrase"_a.none());
  m.def(
      "write_secret_share",
      [](const FilePath& path, const rlwe::SecretShare& share, const nb::bytes& metadata, bool overwrite,
         const std::optional<nb::bytearray>& passphrase) {
        const io::KeyFileOptions options = key_file_options(metadata, passphrase, overwrite);
        const Unlocked unlocked;
        io::write_secret_share(path, share, options);
      },
      "path"_a, "share"_a, "metadata"_a, "overwrite"_a, "passphrase"_a.none());
  m.def(
      "write_bytes",
      [](const FilePath& path, const nb::object& bytes, bool secret, bool overwrite) {
        const Lent lent(bytes);
        const Unlocked unlocked;
        io::write_file(path, lent.bytes(), secret ? Privacy::secret : Privacy::shared, existing(overwrite));
      },
      "path"_a, "bytes"_a, "secret"_a, "overwrite"_a, "Of another format, which the caller has made.");
  m.def(
      "names_stream", [](const FilePath& path) { return io::names_stream(path); }, "path"_a,
      "Whether files of this name are written through, and nothing is replaced.");
  m.def("file_is_private", [](const FilePath& path) { return io::file_is_private(path); }, "path"_a);
  m.def("passphrases", &libcrypto::state, "\"ready\", or what is missing for keys under a passphrase.");
}

}  // namespace cyclotome::python
