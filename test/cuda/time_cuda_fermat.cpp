// SPDX-License-Identifier: Apache-2.0
// Paper 003's conversions and operations on one GPU, by CUDA events: microseconds of one call for each number of words
// a lane, where lanes are what is compared. Arguments: log2 of bit(q), and degrees (1024).
#include <cstdio>
#include <cstdlib>
#include <random>

#include "cyclotome/engine/cuda/study/wide_cuda_engine.hpp"
#include "cyclotome/math/primes.hpp"
#include "cyclotome/study/fermat/scheme/operations.hpp"
#include "engines.hpp"

using namespace cyclotome;
using namespace cyclotome::study::fermat;

namespace {

constexpr unsigned warm_up = 3, repetitions = 30;
std::mt19937_64 numbers(3);

double microseconds(const std::function<void()>& work) {
  for (unsigned i = 0; i < warm_up; ++i) work();
  return event_time_of(check::device(), work, repetitions);
}

void report(std::size_t n, unsigned x, const char* what, unsigned words, double time) {
  std::printf("n %zu, 2^%u bits: %-44s %2u words a lane %12.2f us\n", n, x, what, words, time);
}

/// Random residues: words of an element below 2^G each.
WideWords random_rows(const WideEngine& wide, const FermatBasis& basis, std::size_t n, std::size_t parts) {
  std::vector<std::uint64_t> rows(parts * basis.words() * n);
  for (std::size_t part = 0; part < parts; ++part) {
    for (const Limb& limb : basis.limbs()) {
      for (std::size_t i = 0; i < limb.bits / 64 * n; ++i) {
        rows[(part * basis.words() + limb.first_word) * n + i] = numbers();
      }
    }
  }
  WideWords there(wide, rows.size(), false);
  wide.engine()->upload(there.data(), rows.data(), rows.size() * 8);
  return there;
}

void time_steps(std::size_t n, unsigned x) {
  const auto wide = WideEngine::of(check::device());
  const WideRing ring(FermatBasis(x), RingShape::negacyclic(n));
  const FermatBasis& basis = ring.basis();
  const WideWords a = random_rows(*wide, basis, n, 1), b = random_rows(*wide, basis, n, 1);
  WideWords out(*wide, basis.words() * n, false);
  const auto shifts = std::make_shared<const FermatPunctured>(basis, Method::both);
  const Limb& widest = basis.limbs().front();
  const std::size_t count = (2 * widest.bits + 20) / 60 + 1;
  const Basis primes(Word::u64, primes_congruent_to_one(60, 2 * n, count));
  const Ring ring_of_primes = *Ring::negacyclic(n, primes);
  WideWords y(*wide, count * n, false), wraps(*wide, n, false);
  std::vector<std::uint64_t> residues;
  for (std::size_t i = 0; i < count * n; ++i) residues.push_back(numbers() % primes[i / n]);
  check::device()->upload(y.data(), residues.data(), residues.size() * 8);
  auto* const numbers_of_wraps = reinterpret_cast<std::int64_t*>(wraps.data());
  const auto count_wraps = wide->centred_wraps(primes);
  count_wraps(numbers_of_wraps, y.data(), {n});
  const unsigned chosen = words_of_lane();
  for (const unsigned words : {2U, 4U, 8U}) {
    set_words_of_lane(words);
    report(n, x, "sum of two", words, microseconds([&] { wide->add(ring, out.data(), a.data(), b.data(), 1); }));
    report(n, x, "multiple by a word", words, microseconds([&] { wide->scale(ring, out.data(), a.data(), 12345, 1); }));
    const auto puncture = wide->puncture(shifts);
    report(n, x, "D_RNS, both", words, microseconds([&] { puncture(out.data(), a.data(), {n}); }));
    const auto back = wide->to_limb(std::make_shared<ToLimb>(primes, widest));
    report(n, x, "primes to the widest limb", words,
           microseconds([&] { back(out.data(), y.data(), numbers_of_wraps, {n}); }));
  }
  set_words_of_lane(chosen);
  const auto forth = wide->from_wide(std::make_shared<FromWide>(std::make_shared<WideIntegers>(widest.words), primes));
  report(n, x, "the widest limb to primes", 0, microseconds([&] { forth(y.data(), a.data(), {n}); }));
}

void time_products(std::size_t n, unsigned x, Variant variant) {
  ParametersLiteral literal{.degree = n, .x = x, .plain_modulus = 786433};
  if (variant == Variant::positional) literal.splits = 0;
  literal.allow_insecure = true;
  literal.security = 0;
  const ContextPtr context = Context::create(Parameters(literal), check::device(), variant);
  const WideWords a = random_rows(context->wide(), context->ring().basis(), n, 2);
  WideWords out(context->wide(), 3 * context->ring().size(), false);
  const unsigned chosen = words_of_lane();
  for (const unsigned words : {2U, 4U, 8U}) {
    set_words_of_lane(words);
    const std::string what = "tensor product, " + name_of(variant);
    report(n, x, what.c_str(), words,
           microseconds([&] { context->scaling().multiply(out.data(), a.data(), a.data()); }));
    if (variant == Variant::positional) break;
  }
  set_words_of_lane(chosen);
}

}  // namespace

int main(int count, char** arguments) {
  if (!check::has_device()) return check::skipped;
  WideEngine::add_maker(wide_cuda_engine);
  const auto x = static_cast<unsigned>(count > 1 ? std::strtoul(arguments[1], nullptr, 10) : 9);
  std::vector<std::size_t> degrees;
  for (int i = 2; i < count; ++i) degrees.push_back(std::strtoul(arguments[i], nullptr, 10));
  if (degrees.empty()) degrees = {1024};
  for (const std::size_t n : degrees) {
    time_steps(n, x);
    time_products(n, x, Variant::both);
    if (x < 13) time_products(n, x, Variant::positional);
  }
  return 0;
}
