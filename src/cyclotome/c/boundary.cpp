// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/c/boundary.hpp"

#include <new>

namespace cyclotome::c {

namespace {

/// What the last failure of a thread said. Where there is no memory to keep it, a text that needs none.
struct LastError {
  std::string message;
  const char* fixed = nullptr;

  void keep(const char* text) noexcept {
    try {
      fixed = nullptr;
      message = text;
    } catch (...) {
      fixed = "there is no memory, not even to say for what";
    }
  }
};
thread_local LastError last_error;

struct Check {
  int (*function)(void*) = nullptr;
  void* data = nullptr;
};
thread_local Check check;

/// By class, derived ones before those they derive from.
cyclotome_status status_of(const Error& error) noexcept {
  const auto is = [&]<class Class>(const Class*) { return dynamic_cast<const Class*>(&error) != nullptr; };
  if (is(static_cast<const SecurityError*>(nullptr))) return CYCLOTOME_SECURITY_ERROR;
  if (is(static_cast<const ParameterError*>(nullptr))) return CYCLOTOME_PARAMETER_ERROR;
  if (is(static_cast<const ArgumentError*>(nullptr))) return CYCLOTOME_ARGUMENT_ERROR;
  if (is(static_cast<const MismatchError*>(nullptr))) return CYCLOTOME_MISMATCH_ERROR;
  if (is(static_cast<const PassphraseError*>(nullptr))) return CYCLOTOME_PASSPHRASE_ERROR;
  if (is(static_cast<const MissingKeyError*>(nullptr))) return CYCLOTOME_MISSING_KEY_ERROR;
  if (is(static_cast<const NoiseError*>(nullptr))) return CYCLOTOME_NOISE_ERROR;
  if (is(static_cast<const ContradictionError*>(nullptr))) return CYCLOTOME_CONTRADICTION_ERROR;
  if (is(static_cast<const BudgetError*>(nullptr))) return CYCLOTOME_BUDGET_ERROR;
  if (is(static_cast<const RangeError*>(nullptr))) return CYCLOTOME_RANGE_ERROR;
  if (is(static_cast<const UnsupportedError*>(nullptr))) return CYCLOTOME_UNSUPPORTED_ERROR;
  if (is(static_cast<const TransparentError*>(nullptr))) return CYCLOTOME_TRANSPARENT_ERROR;
  if (is(static_cast<const FormatError*>(nullptr))) return CYCLOTOME_FORMAT_ERROR;
  if (is(static_cast<const FileError*>(nullptr))) return CYCLOTOME_FILE_ERROR;
  if (is(static_cast<const MemoryLimitError*>(nullptr))) return CYCLOTOME_MEMORY_LIMIT_ERROR;
  if (is(static_cast<const EngineError*>(nullptr))) return CYCLOTOME_ENGINE_ERROR;
  if (is(static_cast<const Interrupted*>(nullptr))) return CYCLOTOME_INTERRUPTED;
  return CYCLOTOME_ERROR;
}

}  // namespace

cyclotome_status failed() noexcept {
  try {
    throw;
  } catch (const Error& error) {
    last_error.keep(error.what());
    return status_of(error);
  } catch (const std::bad_alloc&) {
    last_error.keep("the system has no memory left for this");
    return CYCLOTOME_OUT_OF_MEMORY;
  } catch (const std::length_error&) {  // a container of more than there can be
    last_error.keep("the system has no memory left for this");
    return CYCLOTOME_OUT_OF_MEMORY;
  } catch (const std::exception& error) {
    last_error.keep(error.what());
    return CYCLOTOME_INTERNAL_ERROR;
  } catch (...) {
    last_error.keep("something was thrown that is no error of this library");
    return CYCLOTOME_INTERNAL_ERROR;
  }
}

bool thread_has_check() noexcept { return check.function != nullptr; }

void check_thread() {
  if (check.function != nullptr && check.function(check.data) != 0) {
    throw Interrupted("the check that cyclotome_set_check set ended the call");
  }
}

std::string text_of(const char* text, const char* name) {
  if (text == nullptr) throw ArgumentError(message("NULL was given for the ", name, ", which is needed"));
  return text;
}

value::Integers integers_of(const cyclotome_integers* integers, const char* name) {
  const cyclotome_integers& these = given(integers, name);
  value::Shape shape{these.count};
  if (these.shape != nullptr || these.axes != 0) {
    if (these.axes > value::max_axes) {
      throw ArgumentError(message(name, " have ", these.axes, " axes; at most ", value::max_axes, " are possible"));
    }
    const std::span<const std::size_t> lengths = span_of(these.shape, these.axes, "shape");
    shape.assign(lengths.begin(), lengths.end());
  }
  if (these.words_each == 0) throw ArgumentError(message(name, " have words_each 0: a value takes at least one word"));
  const std::size_t count = value::count_of(shape);
  if (count != these.count) {
    throw ArgumentError(
        message(name, " are ", these.count, ", and the shape ", value::to_string(shape), " holds ", count));
  }
  if (these.words_each > SIZE_MAX / sizeof(std::uint64_t) / count) {
    throw ArgumentError(message(name, " would take more memory than addresses reach: ", count, " values of ",
                                these.words_each, " words"));
  }
  const std::span<const std::uint64_t> words = span_of(these.words, count * these.words_each, name);
  return {std::move(shape), these.words_each, value::Integers::Words(words.begin(), words.end())};
}

io::Bytes ended(io::Bytes bytes) {
  bytes.push_back(0);
  return bytes;
}

io::Bytes ended(std::string_view text) {
  io::Bytes bytes(text.size() + 1);
  std::copy(text.begin(), text.end(), bytes.begin());
  return bytes;
}

void copy_out(std::span<const std::uint8_t> bytes, std::uint8_t* out, std::size_t size, const char* name) {
  if (out == nullptr || size != bytes.size()) {
    throw ArgumentError(message("the ", name, " takes ", bytes.size(), " bytes, and there ",
                                out == nullptr ? "is NULL for it" : message("are ", size)));
  }
  std::copy(bytes.begin(), bytes.end(), out);
}

}  // namespace cyclotome::c

using cyclotome::c::check;
using cyclotome::c::last_error;

const char* cyclotome_last_error(void) {
  return last_error.fixed != nullptr ? last_error.fixed : last_error.message.c_str();
}

void cyclotome_set_check(int (*function)(void*), void* data) { check = {function, data}; }
