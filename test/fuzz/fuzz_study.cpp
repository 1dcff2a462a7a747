// SPDX-License-Identifier: Apache-2.0
// Fuzz target for the readers of what is there for study: contexts of polynomial products, LTV, and BFV on Fermat
// moduli; with length and checksum put right. Whatever is taken must be written with the same bytes again.

#include <cstdint>
#include <memory>

#include "../cpp/io_exercise.hpp"
#include "cyclotome/io/objects/fermat_io.hpp"
#include "cyclotome/io/objects/ltv_io.hpp"
#include "cyclotome/study/fermat/scheme/context.hpp"

namespace {

using namespace cyclotome;
constexpr std::uint64_t most_bytes = 1U << 20;

void same(io_exercise::Span read, const io::Bytes& written, const char* what) {
  if (!std::ranges::equal(read, written)) throw std::logic_error(what);
}

io::Bytes written(const io::LtvObject& object) {
  if (const auto* const key = std::get_if<study::ltv::SecretKey>(&object)) return io::serialize(*key);
  if (const auto* const key = std::get_if<study::ltv::PublicKey>(&object)) return io::serialize(*key);
  if (const auto* const keys = std::get_if<io::LtvEvaluationKeys>(&object)) {
    std::vector<const study::ltv::SwitchingKey*> galois;
    for (const auto& key : keys->galois) galois.push_back(&key);
    return io::serialize(keys->relinearization, galois);
  }
  const auto& array = std::get<io::LtvArray>(object);
  return io::serialize(array.ciphertext, array.length, array.field);
}

void load_ltv(io_exercise::Span bytes) {
  if (!io::names_ltv(bytes)) return;
  try {
    const io::LtvInspection seen = io::inspect_ltv(bytes, most_bytes);
    // Tables of large parameters take minutes under sanitizers; what they hold is read as small ones are.
    if (seen.parameters.index > 200 || seen.parameters.primes > 4) return;
    same(bytes, written(io::read_ltv(bytes, most_bytes)), "an object of LTV is written with other bytes");
  } catch (const Error&) {
  }
}

void load_fermat(io_exercise::Span bytes) {
  if (!io::names_fermat(bytes)) return;
  static const EnginePtr engine = CpuEngine::create(1);
  try {
    const io::FermatInspection seen = io::inspect_fermat(bytes, most_bytes);
    if (seen.parameters.degree() > 64) return;
    static_cast<void>(io::read_fermat(bytes, {most_bytes, true}, [](const study::fermat::Parameters& parameters) {
      return study::fermat::Context::create(parameters, engine);
    }));
  } catch (const Error&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const io_exercise::Span bytes(data, size);
  const io::Bytes sealed = io_exercise::resealed(bytes);
  io_exercise::load_product_context(bytes);
  io_exercise::load_product_context(sealed);
  load_ltv(sealed);
  load_fermat(sealed);
  return 0;
}
