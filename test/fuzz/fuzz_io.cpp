// SPDX-License-Identifier: Apache-2.0
// Fuzz target for everything that reads bytes from outside: the input as it is, and with length, checksum and
// fingerprint put right, without which no mutation would get past the checksum. Anything but a typed error or a
// faithful load ends the process, and so does whatever the sanitizers find.

#include <cstdint>

#include "../cpp/io_exercise.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cyclotome;
  static io_exercise::Contexts contexts;
  const io_exercise::Span bytes(data, size);
  io_exercise::load(bytes, contexts);
  io_exercise::load(io_exercise::resealed(bytes), contexts);
  io_exercise::load(io_exercise::resealed_with_fingerprint(bytes), contexts);
  io_exercise::load_product_context(io_exercise::resealed(bytes));
  return 0;
}
