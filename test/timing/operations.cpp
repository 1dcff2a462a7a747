// SPDX-License-Identifier: Apache-2.0
// What the operations of schemes cost on cores, and what they give: for comparisons of two builds of this library,
// which tools/compare_builds.py makes in pairs. Only what every version has is used here.
//
//   operations                    lists what there is to run
//   operations digests            SHA-256 of each result, from fixed seeds
//   operations serve              reads names of operations, writes microseconds of this thread's time for each
#include "cyclotome/rlwe/operations.hpp"

#include <cstdio>
#include <ctime>
#include <functional>
#include <iostream>
#include <map>
#include <string>

#include "cyclotome/engine/cpu/cpu_engine.hpp"
#include "cyclotome/math/sha256.hpp"
#include "cyclotome/scheme/bfv/operations.hpp"
#include "cyclotome/scheme/bfv/scheme.hpp"
#include "cyclotome/scheme/bgv/operations.hpp"
#include "cyclotome/scheme/bgv/scheme.hpp"
#include "cyclotome/scheme/deterministic.hpp"
#include "cyclotome/scheme/encoding.hpp"
#include "cyclotome/scheme/planning.hpp"
#include "cyclotome/scheme/scheme.hpp"
#include "seed.hpp"

using namespace cyclotome;

namespace {

using check::seed;

struct Setting {
  const char* name;
  const rlwe::Scheme* scheme;
  std::size_t degree;
  unsigned bits;
  std::size_t batch;
  Word word;
  std::vector<std::uint64_t> plain_moduli;
};

/// Keys and two factors, from fixed seeds.
struct Party {
  rlwe::ContextPtr context;
  rlwe::SecretKey secret;
  rlwe::PublicKey key;
  rlwe::EvaluationKeys evaluation;
  rlwe::Plaintext plain;
  rlwe::Ciphertext x, y, one, product;

  static rlwe::ContextPtr context_of(const Setting& setting, const EnginePtr& engine) {
    rlwe::ParametersLiteral literal;
    literal.scheme = setting.scheme;
    literal.degree = setting.degree;
    literal.plain_moduli = setting.plain_moduli;
    literal.word = setting.word;
    return scheme::make_context(scheme::with_modulus_bits(literal, setting.bits), engine);
  }
  static rlwe::Plaintext numbers(const rlwe::ContextPtr& context, std::size_t batch, std::int64_t start) {
    std::vector<std::int64_t> values(context->degree() * batch);
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = (start + static_cast<std::int64_t>(i) * 37) % 1999 - 999;
    return encode_residues(context, rlwe::PlainIndex(0), Encoding::Kind::slots, values, batch, context->degree());
  }

  Party(const Setting& setting, const EnginePtr& engine)
      : context(context_of(setting, engine)),
        secret(rlwe::deterministic::generate_secret_key(context, seed(1))),
        key(rlwe::deterministic::generate_public_key(secret, seed(2))),
        evaluation(rlwe::deterministic::generate_evaluation_keys(secret, true, {3, 9, 27, 81}, seed(3))),
        plain(numbers(context, setting.batch, 5)),
        x(scheme::deterministic::encrypt(plain, key, seed(4))),
        y(scheme::deterministic::encrypt(numbers(context, setting.batch, 77), secret, seed(5))),
        one(scheme::deterministic::encrypt(numbers(context, 1, 7), key, seed(6))),
        product(scheme::multiply(x, y)) {}
};

using Operation = std::function<std::vector<PolyArray>()>;

std::vector<PolyArray> residues(rlwe::Ciphertext&& c) {
  std::vector<PolyArray> all;
  all.push_back(std::move(c).polynomials());
  return all;
}

std::vector<PolyArray> residues(const rlwe::Plaintext& p) {
  std::vector<PolyArray> all;
  all.push_back(p.polynomials().clone());
  return all;
}

std::map<std::string, Operation> operations_of(const Party& p, bool bfv) {
  std::map<std::string, Operation> all;
  all["multiply_relinearized"] = [&p] { return residues(scheme::multiply_relinearized(p.x, p.y, p.evaluation)); };
  all["multiply"] = [&p] { return residues(scheme::multiply(p.x, p.y)); };
  all["multiply_by_one"] = [&p] { return residues(scheme::multiply_relinearized(p.one, p.x, p.evaluation)); };
  all["square_relinearized"] = [&p] { return residues(scheme::square_relinearized(p.x, p.evaluation)); };
  all["multiply_lower"] = [&p] {
    const rlwe::Ciphertext low = scheme::multiply_relinearized(p.x, p.y, p.evaluation);
    return residues(scheme::multiply_relinearized(low, p.x, p.evaluation));
  };
  all["relinearize"] = [&p] { return residues(rlwe::relinearize(p.product, p.evaluation)); };
  all["rotate"] = [&p] { return residues(rlwe::apply_galois(p.x, 3, p.evaluation)); };
  all["rotate_hoisted_4"] = [&p] {
    std::vector<PolyArray> turned;
    const std::vector<std::uint64_t> elements{3, 9, 27, 81};
    for (auto& c : rlwe::apply_galois_hoisted(p.x, elements, p.evaluation))
      turned.push_back(std::move(c).polynomials());
    return turned;
  };
  all["multiply_plain"] = [&p] { return residues(rlwe::multiply_plain(p.x, p.plain)); };
  all["encrypt"] = [&p] { return residues(scheme::deterministic::encrypt(p.plain, p.key, seed(9))); };
  all["encrypt_secret"] = [&p] { return residues(scheme::deterministic::encrypt(p.plain, p.secret, seed(9))); };
  all["decrypt"] = [&p] { return residues(scheme::decrypt_unchecked(p.x, p.secret)); };
  all["decrypt_product"] = [&p] { return residues(scheme::decrypt_unchecked(p.product, p.secret)); };
  all["add_plain"] = [&p] { return residues(scheme::add_plain(p.x, p.plain)); };
  if (bfv) {
    all["multiply_behz"] = [&p] { return residues(bfv::multiply(p.x, p.y, bfv::ProductMethod::behz)); };
    all["multiply_hps"] = [&p] { return residues(bfv::multiply(p.x, p.y, bfv::ProductMethod::hps_over_q)); };
  } else if (p.context->max_level().primes > 1) {
    all["switch_modulus"] = [&p] { return residues(bgv::switch_modulus(p.x)); };
  }
  return all;
}

std::string digest(const std::vector<PolyArray>& results) {
  Sha256 hash;
  for (const PolyArray& result : results) {
    const std::vector<std::uint64_t> words = result.to_host();
    hash.update({reinterpret_cast<const std::uint8_t*>(words.data()), words.size() * sizeof(words[0])});
  }
  std::string text;
  for (const auto byte : hash.finish()) {
    char hex[3];
    std::snprintf(hex, sizeof(hex), "%02x", byte);
    text += hex;
  }
  return text;
}

double now() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) * 1e6 + static_cast<double>(t.tv_nsec) * 1e-3;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<Setting> settings{
      {"bfv-4096", &bfv::scheme(), 4096, 72, 1, Word::u64, {65537}},
      {"bgv-4096", &bgv::scheme(), 4096, 72, 1, Word::u64, {65537}},
      {"bfv-8192-b5", &bfv::scheme(), 8192, 174, 5, Word::u64, {65537}},
      {"bgv-8192-b5", &bgv::scheme(), 8192, 174, 5, Word::u64, {65537}},
      {"bfv-4096-u32-b3", &bfv::scheme(), 4096, 72, 3, Word::u32, {65537}},
      {"bgv-8192-u32-b3", &bgv::scheme(), 8192, 174, 3, Word::u32, {65537, 114689}},
      {"bfv-8192-two", &bfv::scheme(), 8192, 174, 2, Word::u64, {65537, 114689}},
      {"bfv-4096-b32", &bfv::scheme(), 4096, 72, 32, Word::u64, {65537}},
      {"bgv-4096-b32", &bgv::scheme(), 4096, 72, 32, Word::u64, {65537}},
  };
  const std::string mode = argc > 1 ? argv[1] : "list";
  const std::size_t threads = argc > 2 ? std::stoul(argv[2]) : 1;
  const auto engine = CpuEngine::create(threads);
  std::map<std::string, std::unique_ptr<Party>> parties;
  std::map<std::string, Operation> all;
  const auto load = [&](const Setting& s) {
    auto& party = parties[s.name];
    if (party != nullptr) return;
    party = std::make_unique<Party>(s, engine);
    for (auto& [name, operation] : operations_of(*party, s.scheme == &bfv::scheme())) {
      all[std::string(s.name) + "/" + name] = operation;
    }
  };
  if (mode == "serve") {
    for (std::string line; std::getline(std::cin, line);) {
      for (const Setting& s : settings) {
        if (line.starts_with(std::string(s.name) + "/")) load(s);
      }
      const auto found = all.find(line);
      if (found == all.end()) {
        std::cout << "unknown\n" << std::flush;
        continue;
      }
      static_cast<void>(found->second());  // what is made on first use
      const double begin = now();
      static_cast<void>(found->second());
      std::cout << now() - begin << '\n' << std::flush;
    }
    return 0;
  }
  for (const Setting& s : settings) load(s);
  for (const auto& [name, operation] : all) {
    std::cout << name;
    if (mode == "digests") std::cout << ' ' << digest(operation());
    std::cout << '\n';
  }
  return 0;
}
