// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/circuit/jobs/prince.hpp"

#include <algorithm>
#include <array>

#include "cyclotome/circuit/writer.hpp"
#include "cyclotome/math/errors.hpp"

namespace cyclotome::circuit {

namespace {

using State = std::vector<Wire>;  // 64 bits, the most significant first
constexpr unsigned layers = 12;

constexpr std::array<std::uint64_t, layers> round_constants = {
    0x0000000000000000, 0x13198a2e03707344, 0xa4093822299f31d0, 0x082efa98ec4e6c89,
    0x452821e638d01377, 0xbe5466cf34e90c6c, 0x7ef84f78fd955cb1, 0x85840851f1ac43aa,
    0xc882d32f25323c54, 0x64a51195e0e3610d, 0xd3b5a399ca0c2399, 0xc0ac29b7c97c50dd};
/// What the constants of rounds i and 11 - i differ by.
constexpr std::uint64_t alpha = 0xc0ac29b7c97c50dd;
/// Nibble i comes from nibble shift_rows[i]; 0 is the most significant.
constexpr std::array<unsigned, 16> shift_rows = {0, 5, 10, 15, 4, 9, 14, 3, 8, 13, 2, 7, 12, 1, 6, 11};

/// A monomial of an S-box's bits a, b, c, d (a is the most significant), in the order of `monomials` below.
enum Monomial : unsigned { one, a, b, c, d, ab, ac, ad, bc, bd, cd, abc, abd, acd, bcd };
using Polynomials = std::array<std::initializer_list<Monomial>, 4>;

/// Each output bit as the sum of monomials (specification 2.3).
const Polynomials substitution = {{{one, a, c, ab, bc, abd, acd, bcd},
                                   {a, d, ac, ad, cd, abc, acd},
                                   {one, ac, bc, bd, abc, bcd},
                                   {one, a, b, ab, ad, bc, cd, bcd}}};
const Polynomials inverse_substitution = {{{one, c, d, ab, bc, bd, cd, abc, abd, bcd},
                                           {b, d, ac, bc, bd, cd, acd, bcd},
                                           {one, ab, ac, bc, bd, bcd},
                                           {one, a, ab, bc, cd, abd, acd}}};

int bit(std::uint64_t word, std::size_t i) { return static_cast<int>(word >> (63 - i) & 1); }

/// Writes the cipher.
class Prince {
 public:
  Prince(Writer& writer, State k0, State k1, bool decrypts) : writer_(writer), k0_(std::move(k0)), k1_(std::move(k1)) {
    for (std::size_t i = 0; i < 64; ++i) k0_rotated_.push_back(k0_[(i + 63) % 64]);  // k0' = (k0 >>> 1) + (k0 >> 63)
    k0_rotated_[63] = writer_.sum({{k0_[62]}, {k0_[0]}});
    if (decrypts) {
      std::swap(k0_, k0_rotated_);
      k1_constant_ = alpha;
    }
  }

  State before(unsigned layer, const State& x);
  State substituted(unsigned layer, const State& x);
  State whitened(const State& x) { return summed({&x, &k1_, &k0_rotated_}, round_constants[11] ^ k1_constant_); }

 private:
  State summed(std::initializer_list<const State*> states, std::uint64_t constant);
  State mixed(const State& x, const State* key, std::uint64_t constant);
  std::vector<Wire> box(const Polynomials& polynomials, std::span<const Wire> x);

  Writer& writer_;
  State k0_, k0_rotated_, k1_;
  std::uint64_t k1_constant_ = 0;
  State k1_shifted_back_;  // M'(SR^-1(k1)), made once
};

State Prince::summed(std::initializer_list<const State*> states, std::uint64_t constant) {
  State result;
  for (std::size_t i = 0; i < 64; ++i) {
    std::vector<Term> terms;
    for (const State* const state : states) terms.push_back({(*state)[i]});
    result.push_back(writer_.sum(terms, bit(constant, i)));
  }
  return result;
}

/// The three bits that a bit of M' is the sum of: M' is four blocks of 16 bits; in the block, nibble i of the result is
/// the sum over j of nibble j without its bit (i + j + s) mod 4, with s = 1 in the middle blocks.
std::array<std::size_t, 3> mixing_row(std::size_t i) {
  const std::size_t block = i / 16, shift = block == 1 || block == 2 ? 1 : 0, row = i / 4 % 4;
  std::array<std::size_t, 3> bits{};
  std::size_t count = 0;
  for (std::size_t j = 0; j < 4; ++j) {
    if ((row + j + shift) % 4 != i % 4) bits.at(count++) = 16 * block + 4 * j + i % 4;
  }
  return bits;
}

std::uint64_t mixed_constant(std::uint64_t x) {
  std::uint64_t result = 0;
  for (std::size_t i = 0; i < 64; ++i) {
    int sum = 0;
    for (const std::size_t j : mixing_row(i)) sum ^= bit(x, j);
    result = result << 1 | static_cast<unsigned>(sum);
  }
  return result;
}

/// M'(x) + key + constant.
State Prince::mixed(const State& x, const State* key, std::uint64_t constant) {
  State result;
  for (std::size_t i = 0; i < 64; ++i) {
    std::vector<Term> terms;
    for (const std::size_t j : mixing_row(i)) terms.push_back({x[j]});
    if (key != nullptr) terms.push_back({(*key)[i]});
    result.push_back(writer_.sum(terms, bit(constant, i)));
  }
  return result;
}

/// Where bit i of a state comes from when nibbles move.
std::size_t moved(std::size_t i) { return 4 * shift_rows[i / 4] + i % 4; }

State shifted(const State& x) {
  State result = x;
  for (std::size_t i = 0; i < 64; ++i) result[i] = x[moved(i)];
  return result;
}
State shifted_back(const State& x) {
  State result = x;
  for (std::size_t i = 0; i < 64; ++i) result[moved(i)] = x[i];
  return result;
}
/// A constant as shifted_back moves a state.
std::uint64_t moved_back(std::uint64_t x) {
  std::uint64_t result = 0;
  for (std::size_t i = 0; i < 64; ++i) result |= static_cast<std::uint64_t>(bit(x, i)) << (63 - moved(i));
  return result;
}

/// What S-box layer number `layer` takes, from what the layer before gave.
State Prince::before(unsigned layer, const State& x) {
  if (layer == 1) return summed({&x, &k0_, &k1_}, round_constants[0] ^ k1_constant_);
  if (layer == 7) return mixed(x, nullptr, 0);
  if (layer < 7) {  // SR(M'(x)) + RC + k1 = SR(M'(x) + SR^-1(RC + k1))
    const State key = shifted_back(k1_);
    return shifted(mixed(x, &key, moved_back(round_constants[layer - 1] ^ k1_constant_)));
  }
  // M'(SR^-1(x + k1 + RC)): the key's share is the same in every layer.
  if (k1_shifted_back_.empty()) k1_shifted_back_ = mixed(shifted_back(k1_), nullptr, 0);
  const std::uint64_t constant = moved_back(round_constants[layer - 2] ^ k1_constant_);
  return mixed(shifted_back(x), &k1_shifted_back_, mixed_constant(constant));
}

/// Four output bits. Only ab and cd are relinearised before they are multiplied again; the other products of two bits
/// are computed beside those of three, with factors that are brought to that level anyway, and so are the bits.
std::vector<Wire> Prince::box(const Polynomials& polynomials, std::span<const Wire> x) {
  std::array<Wire, 15> monomials{};
  std::array<bool, 15> made{};
  std::uint32_t last = 0;
  for (const Wire wire : x) last = std::max(last, writer_.depth(wire) + 2);
  for (unsigned i = 0; i < 4; ++i) {
    monomials.at(a + i) = x[i];
    made.at(a + i) = true;
  }
  constexpr std::array<std::pair<Monomial, Monomial>, 10> factors = {
      {{a, b}, {a, c}, {a, d}, {b, c}, {b, d}, {c, d}, {ab, c}, {ab, d}, {cd, a}, {cd, b}}};
  const auto wire_of = [&](auto&& self, Monomial m) -> Wire {
    if (!made.at(m)) {
      const auto [left, right] = factors.at(m - ab);
      const Wire factor = self(self, left);
      const bool multiplied_again = m == ab || m == cd;
      monomials.at(m) = writer_.product(factor, self(self, right), multiplied_again ? 0 : last);
      if (multiplied_again) monomials.at(m) = writer_.relinearized(monomials.at(m));
      made.at(m) = true;
    }
    return monomials.at(m);
  };
  std::vector<Wire> outputs;
  for (const auto& polynomial : polynomials) {
    std::vector<Term> terms;
    int constant = 0;
    for (const Monomial m : polynomial) {
      if (m == one) {
        constant = 1;
      } else {
        terms.push_back({wire_of(wire_of, m)});
      }
    }
    outputs.push_back(writer_.relinearized(writer_.sum(terms, constant, Shallow::one_by_one)));
  }
  return outputs;
}

State Prince::substituted(unsigned layer, const State& x) {
  State result;
  for (std::size_t i = 0; i < 64; i += 4) {
    const std::vector<Wire> four = box(layer <= 6 ? substitution : inverse_substitution, std::span(x).subspan(i, 4));
    result.insert(result.end(), four.begin(), four.end());
  }
  return result;
}

Circuit written(std::string name, unsigned first, unsigned last, bool decrypts, bool whole) {
  Writer writer(std::move(name));
  State x = writer.input("data", 64);
  const State k0 = writer.input("k0", 64), k1 = writer.input("k1", 64);
  Prince cipher(writer, k0, k1, decrypts);
  for (unsigned layer = first; layer <= last; ++layer) x = cipher.substituted(layer, cipher.before(layer, x));
  writer.output("data", whole ? cipher.whitened(x) : x);
  return writer.finish();
}

}  // namespace

Circuit prince_encryption() { return written("PRINCE", 1, layers, false, true); }

Circuit prince_decryption() { return written("PRINCE decryption", 1, layers, true, true); }

Circuit prince_layers(unsigned first, unsigned last) {
  if (first < 1 || first > last || last > layers) {
    throw ArgumentError(message("PRINCE has S-box layers 1 to ", layers, ", not ", first, " to ", last));
  }
  return written(message("PRINCE, S-box layers ", first, " to ", last), first, last, false, false);
}

}  // namespace cyclotome::circuit
