// SPDX-License-Identifier: Apache-2.0
// Example 9: what makes computations fast, and where they run: batches, threads, memory, progress, other engines.
#include <chrono>

#include "examples.hpp"

namespace {

using namespace cyclotome;
using namespace examples;

template <class Work>
double milliseconds(const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

/// The squares of a question's values on an engine, as the client decrypts them.
Numbers squares_on(const EnginePtr& engine, const Parameters& parameters, const Bytes& secret_key, const Bytes& keys,
                   const Bytes& question) {
  const ContextPtr context = make_context(parameters, engine);
  const EncryptedArray x = StoredObject(question).array(context).with_keys(StoredObject(keys).evaluation_keys(context));
  EncryptedArray y = x;
  const double time = milliseconds([&] {
    y = x * x;
    engine->synchronize();
  });
  std::cout << time << " ms for " << x.layout().batch() << " products of ciphertexts\n";
  return decrypt(y, StoredObject(secret_key).secret_key(context)).to_int64();
}

void performance() {
  const Parameters parameters = suggest({.depth = 1, .value_bits = 8, .result_bits = 20});
  const ContextPtr context = make_context(parameters, make_cpu_engine());
  const auto [secret, public_key, evaluation] = keygen(context, {.rotations = {{}}});
  const std::size_t slots = parameters.slots(), rows = 16;
  Numbers values(rows * slots), expected(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<std::int64_t>(i % 511) - 255;
    expected[i] = values[i] * values[i];
  }

  title("Whole batches: one call on many ciphertexts");
  const EncryptedArray x = encrypt(Integers({rows, slots}, values), public_key, {.bound = 255}).with_keys(evaluation);
  std::cout << x.layout().batch() << " ciphertexts, " << x.bytes() << " bytes\n";
  std::size_t reports = 0;
  const Options options = {.progress = [&](std::size_t, std::size_t, std::string_view) { ++reports; }};
  check("x^2", decrypt(multiply(x, x, options), secret).to_int64(), expected);
  check("progress was reported", reports > 0);

  title("Engines: the same bits, wherever they are computed");
  const Bytes question = to_bytes(x), keys = to_bytes(evaluation), key = to_bytes(secret);
  for (const cpu::InstructionSet set : cpu::instruction_sets()) {
    check("x^2 by " + std::string(name_of(set)),
          squares_on(make_cpu_engine(1, set), parameters, key, keys, question) == expected);
  }
  check("x^2 on all cores", squares_on(make_cpu_engine(), parameters, key, keys, question) == expected);

  title("Public operands that are used often");
  Numbers factors(slots, 2);
  factors[0] = 3;
  const PlainArray prepared(context, factors);
  const Integers plain(factors);
  std::cout << "encoded each time " << milliseconds([&] { multiply(x, plain); }) << " ms, once "
            << milliseconds([&] { multiply(x, prepared); }) << " ms\n";

  title("Memory and interruption");
  set_memory_limit(std::uint64_t{1} << 20);
  check_refused<MemoryLimitError>("work beyond a limit of 1 MiB", [&] { return x * x; });
  set_memory_limit(std::nullopt);
  bool stop = true;
  InterruptScope scope(
      [&] {
        if (stop) throw Interrupted("stopped, as whoever waits may ask for");
      },
      {});
  check_refused<Interrupted>("work that somebody ended", [&] { return x * x; });
  stop = false;
  check("afterwards all is as before",
        decrypt(item(x, 0), secret).to_int64() ==
            Numbers(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(slots)));
}

}  // namespace

int main() { return run(performance); }
