// SPDX-License-Identifier: Apache-2.0
// Fuzz target for everything that reads containers, and identities of parties, from outside: the input as it is, and
// where its length, checksum or fingerprint don't fit, with these put right. Anything but a typed error or a faithful
// load ends the process, and so does whatever the sanitizers find.

#include <cstdint>

#include "../cpp/io_exercise.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cyclotome;
  static io_exercise::Contexts contexts;
  const io_exercise::Span bytes(data, size);
  io_exercise::load(bytes, contexts);
  const io::Bytes sealed = io_exercise::resealed(bytes), fitting = io_exercise::resealed_with_fingerprint(bytes);
  if (!std::ranges::equal(sealed, bytes)) io_exercise::load(sealed, contexts);
  if (fitting != sealed) io_exercise::load(fitting, contexts);
  io_exercise::load_identity(bytes);
  io_exercise::load_identity(fitting);
  return 0;
}
