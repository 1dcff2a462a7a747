// SPDX-License-Identifier: Apache-2.0
// Paper 002's Table 5 and Figure 4 on one GPU: milliseconds of an operation on one polynomial of all primes, in
// batches, by CUDA events. Arguments: polynomials of a batch (16), and presets (Table 5's).
#include <cstdio>
#include <cstdlib>

#include "cyclotome/engine/cuda/study/ltv_engine.hpp"
#include "engines.hpp"
#include "ltv_operands.hpp"

using namespace cyclotome;
using namespace cyclotome::study::ltv;

namespace {

constexpr unsigned warm_up = 2, repetitions = 10;

void time_set(const std::string& name, std::size_t items) {
  const auto parameters = Parameters::create(preset(name));
  const auto engine = LtvEngine::create(parameters->arithmetic());
  std::mt19937_64 random(1);
  std::vector<Polynomial> values;
  for (std::size_t i = 0; i < items; ++i) {
    values.push_back(check::residues(engine->arithmetic(), parameters->levels(), false, random));
  }
  const auto x = engine->put(values), y = engine->put(values);
  const auto raw = engine->icrt(x), transformed = engine->ntt(x);
  const auto product = engine->intt(engine->dot(transformed, transformed));
  const auto key = engine->put(check::any_key(parameters, random));
  const auto digits = engine->digits(raw, parameters->window(), parameters->digits(parameters->levels()));
  const auto milliseconds = [&](const char* operation, const std::function<void()>& work) {
    for (unsigned i = 0; i < warm_up; ++i) work();
    const double one = engine->event_time(work, repetitions) / 1000 / static_cast<double>(items);
    std::printf("%s, %zu at once: %-28s %10.5f ms\n", name.c_str(), items, operation, one);
  };
  milliseconds("CRT", [&] { engine->crt(raw); });
  milliseconds("ICRT", [&] { engine->icrt(x); });
  milliseconds("NTT", [&] { engine->ntt(x); });
  milliseconds("INTT", [&] { engine->intt(transformed); });
  milliseconds("MULADD of all digits", [&] { engine->multiply_add(digits, key); });
  milliseconds("BARRETT", [&] { engine->barrett(product); });
  milliseconds("reduction by sums", [&] { engine->reduced(product); });
  milliseconds("ADD", [&] { engine->add(x, y); });
  milliseconds("product", [&] { engine->multiply(x, y); });
  milliseconds("relinearisation", [&] { engine->relinearize(x, key); });
  milliseconds("relinearisation, by sums", [&] { engine->relinearize(x, key, LtvEngine::Reduction::sums); });
  milliseconds("modulus switch", [&] { engine->switched(x); });
}

}  // namespace

int main(int count, char** arguments) {
  if (!check::has_device()) return check::skipped;
  const std::size_t items = count > 1 ? std::strtoul(arguments[1], nullptr, 10) : 16;
  std::vector<std::string> names(arguments + std::min(count, 2), arguments + count);
  if (names.empty()) names = {"002-15-8192", "002-25-16384", "002-40-32768"};
  for (const std::string& name : names) time_set(name, items);
  return 0;
}
