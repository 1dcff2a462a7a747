// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/c/boundary.hpp"
#include "cyclotome/io/files/file.hpp"
#include "cyclotome/io/keys/key_files.hpp"

using namespace cyclotome;

namespace {

io::Existing existing(int32_t replace) noexcept {
  return replace != 0 ? io::Existing::replaced : io::Existing::refused;
}

}  // namespace

cyclotome_status cyclotome_write_file(const char* path, const uint8_t* data, size_t size, int32_t replace) {
  return c::guarded([&] {
    io::write_file(c::text_of(path, "path"), c::span_of(data, size, "data"), io::Privacy::shared, existing(replace));
  });
}

cyclotome_status cyclotome_write_secret_key(const char* path, const cyclotome_secret_key* key,
                                            const uint8_t* passphrase, size_t passphrase_size, int32_t replace) {
  return c::guarded([&] {
    io::KeyFileOptions options;
    options.existing = existing(replace);
    const auto sealed = c::span_of(passphrase, passphrase_size, "passphrase");
    if (passphrase != nullptr) options.passphrase = sealed;
    io::write_secret_key(c::text_of(path, "path"), c::given(key, "secret key").value, options);
  });
}
