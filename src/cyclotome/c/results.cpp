// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "cyclotome/c/boundary.hpp"

namespace {

constexpr std::array names = {
    "success",       "Error",           "ParameterError",   "SecurityError",    "ArgumentError",
    "MismatchError", "MissingKeyError", "PassphraseError",  "NoiseError",       "ContradictionError",
    "BudgetError",   "RangeError",      "UnsupportedError", "TransparentError", "FormatError",
    "FileError",     "EngineError",     "MemoryLimitError", "Interrupted",      "out of memory",
    "internal error"};
static_assert(names.size() == CYCLOTOME_INTERNAL_ERROR + 1);

}  // namespace

uint32_t cyclotome_c_version(void) { return CYCLOTOME_C_VERSION; }
const char* cyclotome_version(void) { return CYCLOTOME_VERSION; }

const char* cyclotome_status_name(cyclotome_status status) {
  return status < 0 || static_cast<std::size_t>(status) >= names.size() ? "unknown status"
                                                                        : names[static_cast<std::size_t>(status)];
}

const uint8_t* cyclotome_bytes_data(const cyclotome_bytes* bytes) {
  return bytes == nullptr ? nullptr : bytes->value.data();
}
size_t cyclotome_bytes_size(const cyclotome_bytes* bytes) { return bytes == nullptr ? 0 : bytes->value.size() - 1; }
void cyclotome_bytes_free(cyclotome_bytes* bytes) { delete bytes; }
