// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "cyclotome/c/boundary.hpp"
#include "cyclotome/io/container/frame.hpp"

using namespace cyclotome;
using Octets = std::span<const std::uint8_t>;

namespace {

io::Limits limits_of(const cyclotome_limits* limits) {
  const cyclotome_limits stated = c::options_of(limits, "limits");
  io::Limits taken;
  if (stated.max_bytes != 0) taken.max_bytes = stated.max_bytes;
  if (stated.max_expanded_bytes != 0) taken.max_expanded_bytes = stated.max_expanded_bytes;
  taken.allow_insecure = stated.allow_insecure != 0;
  return taken;
}

std::string_view passphrase_of(const uint8_t* passphrase, std::size_t size) {
  const Octets bytes = c::span_of(passphrase, size, "passphrase");
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// An object with its kind, which is read from it before it moves.
cyclotome_object opened(io::StoredObject object) {
  std::string kind = object.kind();
  return {std::move(object), std::move(kind)};
}

/// What is in an object, by a member of StoredObject.
template <class Handle, class Member>
cyclotome_status read(const cyclotome_object* object, const cyclotome_context* context, Handle** out, Member member) {
  return c::making(out, [&] { return (c::given(object, "object").value.*member)(c::given(context, "context").value); });
}

}  // namespace

cyclotome_status cyclotome_array_to_bytes(const cyclotome_array* array, const uint8_t* metadata, size_t metadata_size,
                                          cyclotome_bytes** bytes) {
  return c::making(bytes, [&] {
    return c::ended(io::to_bytes(c::given(array, "array").value, c::span_of(metadata, metadata_size, "metadata")));
  });
}
cyclotome_status cyclotome_public_key_to_bytes(const cyclotome_public_key* key, cyclotome_bytes** bytes) {
  return c::making(bytes, [&] { return c::ended(io::to_bytes(c::given(key, "public key").value)); });
}
cyclotome_status cyclotome_evaluation_keys_to_bytes(const cyclotome_evaluation_keys* keys, cyclotome_bytes** bytes) {
  return c::making(bytes, [&] { return c::ended(io::to_bytes(c::given(keys, "evaluation keys").value)); });
}
cyclotome_status cyclotome_secret_key_to_bytes(const cyclotome_secret_key* key, const uint8_t* passphrase,
                                               size_t passphrase_size, cyclotome_bytes** bytes) {
  return c::making(bytes, [&] {
    const rlwe::SecretKey& secret = c::given(key, "secret key").value;
    if (passphrase == nullptr && passphrase_size == 0) return c::ended(io::to_bytes(secret));
    return c::ended(io::to_bytes(secret, passphrase_of(passphrase, passphrase_size)));
  });
}

cyclotome_status cyclotome_announced_size(const uint8_t* data, size_t size, uint64_t* bytes) {
  return c::guarded([&] {
    if (bytes == nullptr) throw ArgumentError("there is no place for the result: its pointer is NULL");
    *bytes = io::announced_bytes(c::span_of(data, size, "data"), std::numeric_limits<std::uint64_t>::max());
  });
}

cyclotome_status cyclotome_object_from_bytes(const uint8_t* data, size_t size, const cyclotome_limits* limits,
                                             cyclotome_object** object) {
  return c::making(object, [&] { return opened(io::StoredObject(c::span_of(data, size, "data"), limits_of(limits))); });
}
cyclotome_status cyclotome_object_load(const char* path, const cyclotome_limits* limits, cyclotome_object** object) {
  return c::making(object, [&] { return opened(io::StoredObject::load(c::text_of(path, "path"), limits_of(limits))); });
}

const char* cyclotome_object_kind(const cyclotome_object* object) {
  return object == nullptr ? nullptr : object->kind.c_str();
}
cyclotome_status cyclotome_object_metadata(const cyclotome_object* object, const uint8_t** metadata, size_t* size) {
  if (metadata != nullptr) *metadata = nullptr;
  if (size != nullptr) *size = 0;
  return c::guarded([&] {
    const Octets bytes = c::given(object, "object").value.metadata();
    if (metadata == nullptr || size == nullptr) {
      throw ArgumentError("there is no place for the metadata: a pointer is NULL");
    }
    *metadata = bytes.data();
    *size = bytes.size();
  });
}
cyclotome_status cyclotome_object_parameters(const cyclotome_object* object, cyclotome_parameters** parameters) {
  return c::making(parameters, [&] { return c::given(object, "object").value.parameters(); });
}
cyclotome_status cyclotome_object_array(const cyclotome_object* object, const cyclotome_context* context,
                                        cyclotome_array** array) {
  return read(object, context, array, &io::StoredObject::array);
}
cyclotome_status cyclotome_object_public_key(const cyclotome_object* object, const cyclotome_context* context,
                                             cyclotome_public_key** key) {
  return read(object, context, key, &io::StoredObject::public_key);
}
cyclotome_status cyclotome_object_evaluation_keys(const cyclotome_object* object, const cyclotome_context* context,
                                                  cyclotome_evaluation_keys** keys) {
  return read(object, context, keys, &io::StoredObject::evaluation_keys);
}
cyclotome_status cyclotome_object_secret_key(const cyclotome_object* object, const cyclotome_context* context,
                                             const uint8_t* passphrase, size_t passphrase_size,
                                             cyclotome_secret_key** key) {
  return c::making(key, [&] {
    const io::StoredObject& stored = c::given(object, "object").value;
    const rlwe::ContextPtr& here = c::given(context, "context").value;
    if (passphrase == nullptr && passphrase_size == 0) return stored.secret_key(here);
    return stored.secret_key(here, passphrase_of(passphrase, passphrase_size));
  });
}
void cyclotome_object_free(cyclotome_object* object) { delete object; }
