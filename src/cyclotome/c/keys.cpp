// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "cyclotome/c/boundary.hpp"
#include "cyclotome/value/arrays/keygen.hpp"

using namespace cyclotome;

namespace {

value::KeyOptions key_options_of(const cyclotome_key_options& asked) {
  value::KeyOptions options;
  options.relinearization = asked.no_relinearization == 0;
  if (asked.chosen_rotations == 0) return options;
  const auto steps = c::span_of(asked.rotations, asked.rotation_count, "rotations");
  options.rotations.emplace(steps.begin(), steps.end());
  options.columns = asked.columns != 0;
  return options;
}

}  // namespace

cyclotome_status cyclotome_keygen(const cyclotome_context* context, const cyclotome_key_options* options,
                                  cyclotome_secret_key** secret, cyclotome_public_key** public_key,
                                  cyclotome_evaluation_keys** evaluation) {
  if (secret != nullptr) *secret = nullptr;
  if (public_key != nullptr) *public_key = nullptr;
  if (evaluation != nullptr) *evaluation = nullptr;
  return c::guarded([&] {
    if (secret == nullptr || public_key == nullptr || evaluation == nullptr) {
      throw ArgumentError("keys that are made together need a place each, and one of the pointers is NULL");
    }
    value::Keys keys =
        value::keygen(c::given(context, "context").value, key_options_of(c::options_of(options, "key options")));
    std::unique_ptr<cyclotome_secret_key> first(new cyclotome_secret_key{std::move(keys.secret)});
    std::unique_ptr<cyclotome_public_key> second(new cyclotome_public_key{keys.public_key});
    *evaluation = new cyclotome_evaluation_keys{keys.evaluation};
    *secret = first.release();
    *public_key = second.release();
  });
}

cyclotome_status cyclotome_public_key_id(const cyclotome_public_key* key, uint8_t* id, size_t size) {
  return c::guarded([&] { c::copy_out(c::given(key, "public key").value.id(), id, size, "key id"); });
}
cyclotome_status cyclotome_secret_key_id(const cyclotome_secret_key* key, uint8_t* id, size_t size) {
  return c::guarded([&] { c::copy_out(c::given(key, "secret key").value.id(), id, size, "key id"); });
}

void cyclotome_secret_key_free(cyclotome_secret_key* key) { delete key; }
void cyclotome_public_key_free(cyclotome_public_key* key) { delete key; }
void cyclotome_evaluation_keys_free(cyclotome_evaluation_keys* keys) { delete keys; }
