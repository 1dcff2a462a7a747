// SPDX-License-Identifier: Apache-2.0
// Paper 003's figures 1 and 3: FastBConv as decryption calls it (to t and gamma) and as a product does (to B_sk and
// m~), n = 1024, q of 128 to 16384 bits. Every row is one run: all versions in turn, round by round, thread CPU time,
// medians of their ratios to "none". "copy" moves the words of the residues once, "words" has ordinary primes of 60
// bits.
//
// With "standard" in place of the numbers: figures 8 and 9, (n, bits) = (8192, 128), (16384, 256), (32768, 512), beside
// the library's own BFV at equal security, and how many squarings in a row each carries.
//
// Usage: time_fermat [ROUNDS [LARGEST_BITS]] | standard | scheme X. Prints one JSON object a line.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <functional>
#include <random>

#include "cyclotome/engine/cpu/cpu_engine.hpp"
#include "cyclotome/math/primes.hpp"
#include "cyclotome/scheme/bfv/context.hpp"
#include "cyclotome/scheme/bfv/scheme.hpp"
#include "cyclotome/scheme/encoding.hpp"
#include "cyclotome/scheme/scheme.hpp"
#include "cyclotome/study/fermat/operations.hpp"

using namespace cyclotome;
using namespace cyclotome::study::fermat;

namespace {

constexpr std::size_t degree = 1024;
constexpr std::uint64_t t = 1024, gamma_prime = 2147483647;

double cpu_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

struct Version {
  const char* name;
  std::function<void()> work;
  std::vector<double> times;
};

/// Residues that fill their words, without 2^G.
std::vector<std::uint64_t> residues(const FermatBasis& basis, std::mt19937_64& random) {
  std::vector<std::uint64_t> rows(basis.words() * degree);
  for (const Limb& limb : basis.limbs()) {
    for (std::size_t w = 0; w < limb.words; ++w) {
      const unsigned bits = std::min(64U, limb.bits - std::min(limb.bits, static_cast<unsigned>(64 * w)));
      for (std::size_t c = 0; c < degree; ++c) {
        rows[(limb.first_word + w) * degree + c] = bits == 0 ? 0 : random() >> (64 - bits);
      }
    }
  }
  return rows;
}

void report(const char* figure, std::size_t n, unsigned bits, std::size_t limbs, std::vector<Version>& versions) {
  std::printf("{\"figure\": \"%s\", \"n\": %zu, \"bits\": %u, \"k\": %zu, \"arithmetic\": \"%s\", \"none_us\": %.1f",
              figure, n, bits, limbs, GeneralArithmetic::best().name(), 1e6 * median(versions.front().times));
  for (const Version& version : versions) {
    std::vector<double> ratios;
    for (std::size_t i = 0; i < version.times.size(); ++i) {
      ratios.push_back(versions.front().times[i] / version.times[i]);
    }
    std::printf(", \"%s\": %.2f", version.name, median(ratios));
  }
  std::puts("}");
  std::fflush(stdout);
}

void measure(const char* figure, unsigned x, const Basis& target, int rounds, std::mt19937_64& random) {
  const FermatBasis basis(x);
  const auto rows = residues(basis, random);
  std::vector<std::uint64_t> out(target.size() * degree), copied(rows.size());
  const Basis words(Word::u64, primes_congruent_to_one(60, 2 * degree, (basis.bits() + 59) / 60));
  std::vector<std::uint64_t> word_rows(words.size() * degree);
  for (auto& word : word_rows) word = random() >> 5;  // below every prime
  std::vector<Version> versions;
  const auto add = [&](const char* name, std::shared_ptr<const Punctured> source,
                       const std::vector<std::uint64_t>& in) {
    const auto conversion = std::make_shared<const FromWide>(std::move(source), target);
    versions.push_back({name, [conversion, &out, &in] { conversion->run(out.data(), in.data(), degree); }, {}});
  };
  add("none", std::make_shared<FermatPunctured>(basis, Method::none), rows);
  add("multiplication", std::make_shared<FermatPunctured>(basis, Method::multiplication), rows);
  add("reduction", std::make_shared<FermatPunctured>(basis, Method::reduction), rows);
  add("both", std::make_shared<FermatPunctured>(basis, Method::both), rows);
  add("positional", std::make_shared<FermatPunctured>(FermatBasis(x, 0), Method::both), rows);
  add("words", std::make_shared<WordPunctured>(words), word_rows);
  versions.push_back({"copy", [&] { std::memcpy(copied.data(), rows.data(), rows.size() * 8); }, {}});
  for (int round = 0; round <= rounds; ++round) {
    for (Version& version : versions) {
      const double start = cpu_seconds();
      version.work();
      if (round > 0) version.times.push_back(cpu_seconds() - start);  // the first one warms up
    }
  }
  report(figure, degree, basis.bits(), basis.limbs().size(), versions);
}

/// The library's own BFV at equal security: as many bits in all, in primes of one size, the last of which is special.
struct Library {
  rlwe::ContextPtr context;
  rlwe::SecretKey secret;
  rlwe::EvaluationKeys keys;
  rlwe::Ciphertext text;

  Library(std::size_t n, unsigned bits, const EnginePtr& engine)
      : context(bfv::make_context(parameters(n, bits), engine)),
        secret(rlwe::SecretKey::generate(context)),
        keys(rlwe::EvaluationKeys::generate(secret, true, {})),
        text(scheme::encrypt(encode_residues(context, rlwe::PlainIndex(0), Encoding::Kind::coefficients,
                                             std::vector<std::int64_t>(n, 3), 1, n),
                             secret)) {}

  static rlwe::Parameters parameters(std::size_t n, unsigned bits) {
    const unsigned count = (bits + 59) / 60;
    auto primes = primes_congruent_to_one(bits / count, 2 * n, count);
    rlwe::ParametersLiteral literal;
    literal.scheme = &bfv::scheme();
    literal.degree = n;
    literal.plain_moduli = {t};
    literal.special_moduli = {primes[0]};
    literal.moduli = {primes.begin() + 1, primes.end()};
    literal.allow_insecure = true;
    return rlwe::Parameters(literal);
  }
  int depth() const {
    rlwe::Ciphertext power = text;
    int squarings = -1;
    for (; scheme::noise_headroom(power) >= 0; ++squarings) power = scheme::multiply_relinearized(power, power, keys);
    return squarings;
  }
};

int depth_of(const Context& context) {
  const auto& noise = context.parameters().noise();
  rlwe::NoiseBound bound = noise.sum(noise.symmetric_zero(1), noise.chosen(0.5));
  int squarings = -1;
  for (; context.headroom(bound) >= 0; ++squarings) {
    bound = noise.sum(context.product_noise(bound, bound), context.relinearization_noise());
  }
  return squarings;
}

/// Figures 2, 4 and 5, and 6 to 9 at other degrees: whole operations in all versions, on the same ciphertexts; beside
/// the library's own BFV where `library` says so.
void measure_scheme(std::size_t n, unsigned x, int rounds, bool library, unsigned digit_bits) {
  ParametersLiteral literal{.degree = n, .x = x, .plain_modulus = t, .digit_bits = digit_bits};
  literal.allow_insecure = true;
  const Parameters parameters(literal);
  const EnginePtr engine = CpuEngine::create(1);
  std::vector<ContextPtr> contexts;
  for (const Variant variant : {Variant::none, Variant::multiplication, Variant::reduction, Variant::both}) {
    contexts.push_back(Context::create(parameters, engine, variant));
  }
  literal.splits = 0;
  literal.digit_bits = 59;
  const auto positional = Context::create(Parameters(literal), engine);
  struct Party {
    SecretKey secret;
    RelinearizationKey relinearization;
    Ciphertext text;
    explicit Party(const ContextPtr& on)
        : secret(SecretKey::generate(on)),
          relinearization(RelinearizationKey::generate(secret)),
          text(encrypt(Plaintext{on, ZeroisingVector<std::uint64_t>(on->degree(), 3)}, secret)) {}
  };
  const Party common(contexts.front()), alone(positional);
  std::vector<Version> decryptions, decompositions, products;
  const auto add = [&](const ContextPtr& context, const Party& party) {
    const auto text = std::make_shared<const Ciphertext>(party.text.in(context));
    const auto y = std::make_shared<std::vector<std::uint64_t>>(context->ring().size());
    static const char* const names[] = {"none", "multiplication", "reduction", "both", "positional"};
    const char* const name = names[static_cast<std::size_t>(context->variant())];
    decryptions.push_back({name, [=, &party] { decrypt_unchecked(*text, party.secret); }, {}});
    decompositions.push_back({name, [=] { context->decompose(y->data(), text->items[0].data()); }, {}});
    products.push_back({name, [=, &party] { multiply(*text, *text, party.relinearization); }, {}});
  };
  for (const ContextPtr& context : contexts) add(context, common);
  add(positional, alone);
  std::optional<Library> own;
  if (library) {
    own.emplace(n, parameters.basis().bits(), engine);
    decryptions.push_back({"library", [&] { scheme::decrypt_unchecked(own->text, own->secret); }, {}});
    products.push_back({"library", [&] { scheme::multiply_relinearized(own->text, own->text, own->keys); }, {}});
    std::printf(
        "{\"n\": %zu, \"bits\": %u, \"digit_bits\": %u, \"depth\": {\"both\": %d, \"positional\": %d, \"library\": "
        "%d}}\n",
        n, parameters.basis().bits(), digit_bits, depth_of(*contexts.back()), depth_of(*positional), own->depth());
  }
  const std::size_t limbs = parameters.basis().limbs().size();
  const std::pair<const char*, std::vector<Version>*> figures[] = {
      {"2: decryption", &decryptions}, {"4: decomposition", &decompositions}, {"5: product", &products}};
  for (const auto& [figure, versions] : figures) {
    for (int round = 0; round <= rounds; ++round) {
      for (Version& version : *versions) {
        const double start = cpu_seconds();
        version.work();
        if (round > 0) version.times.push_back(cpu_seconds() - start);
      }
    }
    report(figure, n, parameters.basis().bits(), limbs, *versions);
  }
}

}  // namespace

int main(int count, char** arguments) {
  if (count > 1 && std::strcmp(arguments[1], "standard") == 0) {
    for (const auto& [n, x] : {std::pair<std::size_t, unsigned>{8192, 7}, {16384, 8}, {32768, 9}}) {
      for (const unsigned digit_bits : {0U, 30U}) measure_scheme(n, x, 5, true, digit_bits);
    }
    return 0;
  }
  if (count > 2 && std::strcmp(arguments[1], "scheme") == 0) {
    measure_scheme(degree, static_cast<unsigned>(std::atoi(arguments[2])), 3, false, 0);
    return 0;
  }
  const int rounds = std::max(1, count > 1 ? std::atoi(arguments[1]) : 15);
  const unsigned largest = count > 2 ? static_cast<unsigned>(std::atoi(arguments[2])) : 16384;
  std::mt19937_64 random(1);
  for (unsigned x = 7; x <= FermatBasis::max_x && (1U << x) <= largest; ++x) {
    measure("1: decryption", x, Basis(Word::u64, {t, gamma_prime}), rounds, random);
  }
  for (unsigned x = 7; x <= FermatBasis::max_x && (1U << x) <= largest; ++x) {
    const FermatBasis basis(x);
    auto primes = basis.coprime_primes(60, 2 * degree, (basis.bits() + 20) / 59 + 1, {});
    primes.push_back(std::uint64_t{1} << 32);
    measure("3: product", x, Basis(Word::u64, primes), std::max(3, rounds / 3), random);
  }
  for (unsigned x = 7; x <= 14 && (1U << x) <= largest; ++x)
    measure_scheme(degree, x, std::max(3, rounds / 3), false, 0);
  return 0;
}
