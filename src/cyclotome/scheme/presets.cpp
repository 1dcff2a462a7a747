// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <map>

#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/primes.hpp"
#include "cyclotome/scheme/bgv/scheme.hpp"
#include "cyclotome/scheme/planning.hpp"

namespace cyclotome::scheme {

namespace {

struct Preset {
  const char* name;
  std::size_t degree;
  std::uint64_t plain_modulus;
  Word word;
  std::vector<unsigned> prime_bits;    // ciphertext primes
  std::vector<unsigned> special_bits;  // special primes
  const rlwe::Scheme* scheme = &bfv::scheme();
};

std::vector<unsigned> times(std::size_t count, unsigned bits) { return std::vector<unsigned>(count, bits); }

std::vector<unsigned> operator+(std::vector<unsigned> a, const std::vector<unsigned>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

const std::vector<Preset>& presets() {
  static const std::vector<Preset> all = {
      // Paper 000, Table 4: t = 2, no special prime. SEAL's column has 30-bit primes, the paper's own has 31-bit ones,
      // which need 64-bit words here (lazy transforms in 32-bit words take primes below 2^30).
      {"000-2048-60", 2048, 2, Word::u32, times(2, 30), {}},
      {"000-2048-62", 2048, 2, Word::u64, times(2, 31), {}},
      {"000-4096-180", 4096, 2, Word::u32, times(6, 30), {}},
      {"000-4096-186", 4096, 2, Word::u64, times(6, 31), {}},
      {"000-8192-360", 8192, 2, Word::u32, times(12, 30), {}},
      {"000-8192-372", 8192, 2, Word::u64, times(12, 31), {}},
      {"000-16384-720", 16384, 2, Word::u32, times(24, 30), {}},
      {"000-16384-744", 16384, 2, Word::u64, times(24, 31), {}},
      // Paper 001, Tables 2 and 7: t = 1024, r primes of which the last is special; r = 1 has none (erratum 001-13).
      {"001-2048-54", 2048, 1024, Word::u64, {54}, {}},
      {"001-4096-109", 4096, 1024, Word::u64, times(2, 36), {37}},
      {"001-8192-152", 8192, 1024, Word::u64, times(3, 38), {38}},
      {"001-8192-218", 8192, 1024, Word::u64, times(2, 43) + times(2, 44), {44}},
      {"001-16384-237", 16384, 1024, Word::u64, times(3, 47) + times(1, 48), {48}},
      {"001-32768-496", 32768, 1024, Word::u64, times(8, 55), {56}},
      {"001-32768-880", 32768, 1024, Word::u64, times(15, 55), {55}},
      // Paper 004, tables 6.5-6.12: BGV with t = 2 and one level; its 64-bit primes become 60- and 61-bit ones here,
      // equal in sum.
      {"004-16384-64", 16384, 2, Word::u64, times(2, 32), {}, &bgv::scheme()},
      {"004-16384-320", 16384, 2, Word::u64, times(4, 53) + times(2, 54), {}, &bgv::scheme()},
      {"004-16384-576", 16384, 2, Word::u64, times(4, 57) + times(6, 58), {}, &bgv::scheme()},
      {"004-16384-1088", 16384, 2, Word::u64, times(10, 60) + times(8, 61), {}, &bgv::scheme()},
      {"004-32768-1088", 32768, 2, Word::u64, times(10, 60) + times(8, 61), {}, &bgv::scheme()},
      // SEAL's 128-bit defaults with the batching prime 65537.
      {"seal-4096", 4096, 65537, Word::u64, times(2, 36), {37}},
      {"seal-8192", 8192, 65537, Word::u64, times(2, 43) + times(2, 44), {44}},
      {"seal-16384", 16384, 65537, Word::u64, times(3, 48) + times(5, 49), {49}},
      {"seal-32768", 32768, 65537, Word::u64, times(15, 55), {56}},
  };
  return all;
}

}  // namespace

std::vector<std::string> preset_names() {
  std::vector<std::string> names;
  for (const Preset& p : presets()) names.emplace_back(p.name);
  return names;
}

rlwe::Parameters preset(const std::string& name, bool allow_insecure) {
  const auto found = std::find_if(presets().begin(), presets().end(), [&](const Preset& p) { return name == p.name; });
  if (found == presets().end()) {
    std::string known;
    for (const auto& other : preset_names()) known += (known.empty() ? "" : ", ") + other;
    throw ParameterError(message("preset '", name, "' is unknown; there are ", known));
  }
  rlwe::ParametersLiteral literal;
  literal.scheme = found->scheme;
  literal.degree = found->degree;
  literal.plain_moduli = {found->plain_modulus};
  literal.word = found->word;
  literal.table = rlwe::SecurityTable::he_standard_2018;  // the papers and SEAL stand on its edge
  literal.allow_insecure = allow_insecure;
  literal.name = found->name;
  const std::uint64_t step = literal.ring()->transform_step();
  std::vector<std::uint64_t> taken;
  // In SEAL's order, so that its sets have SEAL's primes in SEAL's places: the special prime is chosen last.
  for (auto [bits, moduli] :
       {std::pair{&found->prime_bits, &literal.moduli}, std::pair{&found->special_bits, &literal.special_moduli}}) {
    for (const unsigned b : *bits) {
      const std::uint64_t prime = primes_congruent_to_one(b, step, 1, taken)[0];
      taken.push_back(prime);
      moduli->push_back(prime);
    }
  }
  return rlwe::Parameters(literal);
}

}  // namespace cyclotome::scheme
