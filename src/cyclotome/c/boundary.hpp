// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <concepts>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include "cyclotome/cyclotome.h"
#include "cyclotome/io/objects/stored_object.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/interrupt.hpp"
#include "cyclotome/rlwe/keys/keys.hpp"
#include "cyclotome/value/arrays/encrypted_array.hpp"

// What stands behind the types of cyclotome.h: one object of the library each.
struct cyclotome_bytes {
  cyclotome::io::Bytes value;  ///< and a zero behind them
};
struct cyclotome_parameters {
  cyclotome::rlwe::Parameters value;
};
struct cyclotome_context {
  cyclotome::rlwe::ContextPtr value;
};
struct cyclotome_secret_key {
  cyclotome::rlwe::SecretKey value;
};
struct cyclotome_public_key {
  cyclotome::rlwe::PublicKey value;
};
struct cyclotome_evaluation_keys {
  cyclotome::rlwe::EvaluationKeys value;
};
struct cyclotome_array {
  cyclotome::value::EncryptedArray value;
};
struct cyclotome_object {
  cyclotome::io::StoredObject value;
  std::string kind;
};

/// The boundary between C and C++: exceptions become statuses, pointers are looked at before they are followed.
namespace cyclotome::c {

/// The status of the exception that is being handled, whose message the thread keeps. Precondition: there is one.
cyclotome_status failed() noexcept;
/// What the calling thread's check asks for, if it has set one: throws Interrupted.
void check_thread();
bool thread_has_check() noexcept;

/// Runs what a function of the interface does, and says how it ended.
template <class Body>
cyclotome_status guarded(const Body& body) noexcept {
  try {
    if (thread_has_check()) {
      const InterruptScope scope(check_thread);
      body();
    } else {
      body();
    }
    return CYCLOTOME_OK;
  } catch (...) {
    return failed();
  }
}

/// The same of a function that makes something: `out` is NULL unless it succeeds.
template <class Handle, class Make>
cyclotome_status making(Handle** out, const Make& make) noexcept {
  if (out != nullptr) *out = nullptr;
  return guarded([&] {
    if (out == nullptr) throw ArgumentError("there is no place for the result: its pointer is NULL");
    *out = new Handle{make()};
  });
}

/// What a pointer leads to. Throws ArgumentError for NULL; `name` says of what.
template <class T>
const T& given(const T* pointer, const char* name) {
  if (pointer == nullptr) throw ArgumentError(message("NULL was given for the ", name, ", which is needed"));
  return *pointer;
}

/// `count` values at a pointer, which may be NULL where there are none. Throws ArgumentError.
template <class T>
std::span<const T> span_of(const T* pointer, std::size_t count, const char* name) {
  if (pointer == nullptr && count != 0) {
    throw ArgumentError(message("NULL was given for the ", name, ", of which ", count, " values are announced"));
  }
  return {pointer, count};
}

/// A text. Throws ArgumentError for NULL.
std::string text_of(const char* text, const char* name);

/// Options as this library knows them: those of a program that was compiled with an older header end earlier, and what
/// it lacks is 0. NULL: all 0. Throws ArgumentError for a size that no version had.
template <class Options>
Options options_of(const Options* options, const char* name) {
  static_assert(std::is_trivially_copyable_v<Options>);
  Options known{};
  known.size = sizeof(Options);
  if (options == nullptr) return known;
  if (options->size < 2 * sizeof(std::size_t) || options->size > sizeof(Options)) {
    throw ArgumentError(message("the size of the ", name, " is ", options->size, " and this library knows ",
                                sizeof(Options), ": set it to sizeof of their type"));
  }
  std::memcpy(&known, options, options->size);
  return known;
}

/// Public integers. Throws ArgumentError for a shape of another number of values.
value::Integers integers_of(const cyclotome_integers* integers, const char* name);

/// Bytes as a handle, with a zero behind them.
io::Bytes ended(io::Bytes bytes);
io::Bytes ended(std::string_view text);

/// Copies fixed bytes out. Throws ArgumentError unless there is room for exactly these.
void copy_out(std::span<const std::uint8_t> bytes, std::uint8_t* out, std::size_t size, const char* name);

}  // namespace cyclotome::c
