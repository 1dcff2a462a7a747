// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/rlwe/encapsulation/sparse_secrets.hpp"

#include <bit>
#include <cstring>
#include <vector>

#include "cyclotome/math/chacha20.hpp"
#include "cyclotome/math/declassify.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/word.hpp"
#include "cyclotome/ring/conversion/big_unsigned.hpp"

namespace cyclotome::rlwe {

namespace {

constexpr SparseSecretRow rows[] = {
    {32768, 40, 110, 156, 146, 129},
    {65536, 32, 120, 157, 147, 131},
};

unsigned encapsulation_bits(const Parameters& p) {
  return BigUnsigned::product(std::vector{p.moduli().front(), p.special_moduli().front()}).bit_length();
}

/// One stream of 64-bit words of a seed. Its blocks stand in secret memory.
class Words {
 public:
  Words(const Seed& seed, std::uint32_t attempt)
      : attempt_(attempt), key_(8, Residence::locked), block_(16, Residence::locked) {
    auto words = seed.words();
    std::memcpy(key_.data(), words.data(), sizeof(words));
    secure_zero(words.data(), sizeof(words));
  }
  std::uint64_t next() {
    if (used_ == block_.size()) refill();
    const std::uint64_t low = block_[used_], high = block_[used_ + 1];
    used_ += 2;
    return high << 32 | low;
  }

 private:
  void refill() {
    const std::uint32_t nonce[3] = {attempt_, 0, 0};
    std::uint32_t key[8], out[16];
    std::memcpy(key, key_.data(), sizeof(key));
    chacha20_block(key, counter_++, nonce, out);
    std::memcpy(block_.data(), out, sizeof(out));
    secure_zero(key, sizeof(key));
    secure_zero(out, sizeof(out));
    used_ = 0;
  }

  std::uint32_t attempt_, counter_ = 0;
  ZeroisingVector<std::uint32_t> key_, block_;
  std::size_t used_ = 16;
};

/// Sorts by a network of exchanges (Batcher's bitonic one), whose addresses don't depend on the values. Length a power
/// of two; values below 2^63.
void sort_obliviously(std::span<std::uint64_t> values) {
  const std::size_t n = values.size();
  for (std::size_t block = 2; block <= n; block *= 2) {
    for (std::size_t distance = block / 2; distance > 0; distance /= 2) {
      for (std::size_t i = 0; i < n; ++i) {
        const std::size_t j = i ^ distance;
        if (j < i) continue;  // a public place
        const std::uint64_t first = values[i], second = values[j];
        const std::uint64_t descending = (i & block) == 0 ? 0 : ~std::uint64_t{0};
        const std::uint64_t out_of_order = mask_if<std::uint64_t>(second < first) ^ descending;
        const std::uint64_t difference = (first ^ second) & out_of_order;
        values[i] = first ^ difference;
        values[j] = second ^ difference;
      }
    }
  }
}

/// 1 if two neighbours have the same key, that is the same bits but for the last two.
std::uint64_t has_equal_keys(std::span<const std::uint64_t> sorted) {
  std::uint64_t equal = 0;
  for (std::size_t i = 1; i < sorted.size(); ++i) equal |= 1 ^ exceeds((sorted[i] ^ sorted[i - 1]) >> 2, 0);
  return equal;
}

}  // namespace

std::span<const SparseSecretRow> sparse_secret_rows() noexcept { return rows; }

unsigned sparse_secret_weight(const Parameters& parameters) {
  const LatticeParameters& p = parameters.lattice();
  if (p.cyclotomic != 0 || p.special_moduli.empty() || p.parties != 1) {
    throw UnsupportedError(message("a sparse secret takes the ring x^n + 1, special primes and one owner; these are ",
                                   parameters.summary()));
  }
  if (parameters.insecure() && p.allow_insecure) {
    if (parameters.degree() >= least_sparse_degree) return insecure_sparse_weight;
    throw UnsupportedError(message("degree ", parameters.degree(), " is too small for a sparse secret of weight ",
                                   insecure_sparse_weight, "; take ", least_sparse_degree, " or more"));
  }
  const unsigned bits = encapsulation_bits(parameters);
  if (p.security <= 128 && !counts_quantum_attacks(p.table)) {
    for (const SparseSecretRow& row : rows) {
      if (row.degree == parameters.degree() && bits <= row.modulus_bits) return row.weight;
    }
  }
  throw SecurityError(message("no sparse secret is known to be secure for a key over ", bits, " bits (the first ",
                              "ciphertext prime and the first special prime) at degree ", parameters.degree(), " with ",
                              level_text(p.security, p.table),
                              ": the table allows 110 bits at degree 32768 and 120 at ",
                              "65536, for 128-bit classical security; take Parameters.bootstrappable"));
}

ZeroisingVector<std::int8_t> draw_sparse_secret(std::size_t degree, unsigned weight, const Seed& seed) {
  ZeroisingVector<std::uint64_t> places(degree, Residence::locked);
  ZeroisingVector<std::int8_t> secret(degree, Residence::locked);
  // Distinct keys of 61 bits, sorted, put what stands beside them into uniform order. Equal ones, which occur with
  // probability n^2/2^62, would not: all are drawn again then, which tells nothing of the order.
  constexpr std::uint32_t most_attempts = 16;
  for (std::uint32_t attempt = 0; attempt < most_attempts; ++attempt) {
    Words words(seed, attempt);
    for (std::size_t i = 0; i < degree; ++i) {
      const std::uint64_t random = words.next();
      const std::uint64_t sign = i < weight ? 1 + (random >> 63) : 0;  // 1: +1, 2: -1; which i is public
      places[i] = (random & ((std::uint64_t{1} << 61) - 1)) << 2 | sign;
    }
    sort_obliviously(places);
    if (declassify(has_equal_keys(places) != 0)) continue;
    for (std::size_t i = 0; i < degree; ++i) {
      const std::uint64_t code = places[i] & 3;
      secret[i] = static_cast<std::int8_t>(static_cast<int>(code & 1) - static_cast<int>(code >> 1));
    }
    return secret;
  }
  throw EngineError(message("none of ", most_attempts, " draws of a sparse secret had distinct keys, which honest ",
                            "randomness makes impossible: the operating system's generator is defective"));
}

}  // namespace cyclotome::rlwe
