// SPDX-License-Identifier: Apache-2.0
// Transforms over Phi_m on every instruction set of this machine against the definition, a cyclic convolution along
// each axis by plain sums: primes that split the convolutions to blocks of every length, each width of word, each
// layout. And the other way round: every table that a path reads, changed in one entry, gives another result.
#include <functional>

#include "cyclotome/engine/cpu/steps/limb_transform.hpp"
#include "vector_operands.hpp"

namespace {

using namespace cyclotome;
using check::check_all;
using check::label;
using check::Pattern;
using check::patterns;
using check::residues;
using check::Words;
using cpu::InstructionSet;

template <LimbWord W>
using Tables = PrimeFactorTables<W>;
using IndexPtr = std::shared_ptr<const CyclotomicIndex>;

IndexPtr index_of(std::uint64_t m) { return std::make_shared<const CyclotomicIndex>(m, std::uint64_t{1} << 17); }

/// A(e) = sum of b(f) W(e - f) along each axis, W(d) = omega^(g^d); back V(d) = (omega^(-g^-d) - 1)/p.
template <LimbWord W>
Words<W> by_definition(Words<W> a, const Tables<W>& tables, bool forward) {
  const std::uint64_t q = tables.modulus.value();
  for (const auto& axis : tables.index->axes()) {
    const std::size_t n = axis.length();
    const W omega = tables.modulus.power(tables.root, axis.unit);
    std::vector<std::uint64_t> kernel(n);
    for (std::size_t d = 0; d < n; ++d) {
      const std::uint64_t opposite = axis.prime - axis.powers[(n - d) % n];
      kernel[d] = forward
                      ? tables.modulus.power(omega, axis.powers[d])
                      : static_cast<std::uint64_t>(static_cast<u128>(tables.modulus.power(omega, opposite) + q - 1) %
                                                   q * inverse_or_zero(axis.prime % q, q) % q);
    }
    std::vector<std::uint64_t> line(n);
    for (const std::uint32_t start : axis.starts) {
      for (std::size_t e = 0; e < n; ++e) {
        u128 sum = 0;  // at most 2^17 products below 2^61: reduced on the way
        for (std::size_t f = 0; f < n; ++f) {
          sum += static_cast<u128>(a[start + axis.offsets[f]]) * kernel[e >= f ? e - f : n + e - f];
          if (f % 32 == 31) sum %= q;
        }
        line[e] = static_cast<std::uint64_t>(sum % q);
      }
      for (std::size_t e = 0; e < n; ++e) a[start + axis.offsets[e]] = static_cast<W>(line[e]);
    }
  }
  return a;
}

template <LimbWord W>
Words<W> transformed(InstructionSet set, Words<W> a, const Tables<W>& tables, bool forward) {
  cpu::TransformScratch<W> scratch(tables);
  const cpu::ConvolutionKernels<W>& kernels = cpu::kernels<W>(set).convolutions(tables.modulus.value());
  (forward ? cpu::to_transform<W> : cpu::to_coefficients<W>)(kernels, a.data(), tables, scratch.data());
  return a;
}

template <LimbWord W>
void compare(const IndexPtr& index, std::uint64_t q, Pattern pattern) {
  const Tables<W> tables(index, static_cast<W>(q));
  const Words<W> a = residues<W>(index->degree(), q, pattern, q);
  for (const bool forward : {true, false}) {
    const Words<W> expected = by_definition(a, tables, forward);
    for (const InstructionSet set : cpu::instruction_sets()) {
      const auto what = message(forward ? "transform" : "inverse", " over Phi_", index->index());
      check_all(label(set, word_bits<W>, what.c_str(), q, pattern), transformed(set, a, tables, forward),
                [&](std::size_t c) { return expected[c]; });
    }
  }
}

/// The largest prime of `bits` that is 1 modulo `multiple` m but, where there is one, not modulo 2 multiple m; 0 if
/// none.
std::uint64_t prime_of(std::uint64_t m, unsigned bits, std::uint64_t multiple) {
  for (std::uint64_t k = ((std::uint64_t{1} << bits) - 2) / (multiple * m); k != 0; --k) {
    const std::uint64_t q = k * multiple * m + 1;
    if (q >> (bits - 1) == 0) return 0;
    if (k % 2 == 1 && is_prime(q)) return q;
  }
  return 0;
}

/// All 2-adic depths, and for 32-bit words both sides of the limits of Toeplitz products and of lazy sums.
template <LimbWord W>
void compare_all(std::uint64_t m) {
  const IndexPtr index = index_of(m);
  const auto widths =
      sizeof(W) == 4 ? std::vector<unsigned>{30, 29, 26} : std::vector<unsigned>{61, 60, 51, 50, 40, 30};
  const std::uint64_t step = prime_factor_step(*index) / m;
  std::size_t compared = 0;
  for (const unsigned bits : widths) {
    for (std::uint64_t multiple = step; multiple <= 32 * step; multiple *= 2) {
      const std::uint64_t q = prime_of(m, bits, multiple);
      if (q == 0) continue;
      for (const Pattern pattern : patterns) {
        const bool large = index->degree() > 2048;  // the definition takes n (p_1 + p_2 ...) products
        if (large && (pattern == Pattern::zeros || pattern == Pattern::ones || (bits != widths[0] && bits != 50)))
          continue;
        compare<W>(index, q, pattern);
        ++compared;
      }
    }
  }
  CHECK(compared != 0);
}

// Columns with fewer lines than lanes; every subset of 3, 5, 17 beside 257; padded axes; 257 beside another prime, and
// between two; single lines.
TEST(transforms_equal_their_definition_32) {
  for (const std::uint64_t m : {3, 5, 15, 17, 21, 105, 255, 257, 771, 1105, 1285, 1799, 3855, 4369, 331, 257 * 337}) {
    compare_all<std::uint32_t>(m);
  }
}
TEST(transforms_equal_their_definition_64) {
  for (const std::uint64_t m : {3, 5, 15, 21, 105, 257, 771, 1105, 1285, 1799, 3855, 4369, 331}) {
    compare_all<std::uint64_t>(m);
  }
}
TEST(large_transforms_equal_their_definition) {
  for (const std::uint64_t m : {13107, 21845, 65535}) {
    for (const std::uint64_t multiple : {16, 64, 256}) {
      if (const std::uint64_t q = prime_of(m, 30, multiple)) compare<std::uint32_t>(index_of(m), q, Pattern::largest);
    }
    compare<std::uint32_t>(index_of(m), prime_of(m, 28, 16), Pattern::random);
    for (const unsigned bits : {50, 60}) compare<std::uint64_t>(index_of(m), prime_of(m, bits, 256), Pattern::largest);
  }
  compare<std::uint64_t>(index_of(8191), prime_of(8191, 50, 1 << 14), Pattern::largest);
  compare<std::uint64_t>(index_of(8191), prime_of(8191, 60, 1 << 14), Pattern::random);
}

/// Primes at the limit up to which sums of Toeplitz products grow, from both sides.
TEST(residues_next_to_the_limit_of_lazy_sums) {
  const IndexPtr index = index_of(4369);
  const std::uint64_t step = 16 * 4369;
  std::uint64_t below = max_toeplitz_modulus / step * step + 1, above = below + step;
  while (!is_prime(below) || (below - 1) % (2 * step) == 0) below -= step;
  while (!is_prime(above) || (above - 1) % (2 * step) == 0) above += step;
  CHECK(below < max_toeplitz_modulus && above > max_toeplitz_modulus);
  for (const std::uint64_t q : {below, above}) {
    for (const Pattern pattern : patterns) compare<std::uint32_t>(index, q, pattern);
  }
}

// --- mutations
// ---------------------------------------------------------------------------------------------------------
template <LimbWord W>
struct Mutation {
  const char* what;
  std::function<void(FixedConvolution<W>&, std::vector<ShoupFactor<W>>& joint)> change;
};

/// Whether a set notices a change of the tables of one axis.
template <LimbWord W>
bool notices(InstructionSet set, std::uint64_t m, std::uint64_t q, std::size_t axis, const Mutation<W>& mutation) {
  const IndexPtr index = index_of(m);
  Tables<W> tables(index, static_cast<W>(q));
  const Words<W> a = residues<W>(index->degree(), q, Pattern::random, 1);
  const Words<W> expected = transformed(set, a, tables, true), back = transformed(set, a, tables, false);
  mutation.change(tables.to_transform[axis], tables.joint_to_transform);
  const bool there = transformed(set, a, tables, true) != expected;
  mutation.change(tables.to_coefficients[axis], tables.joint_to_coefficients);
  return there && transformed(set, a, tables, false) != back;
}

template <LimbWord W>
Mutation<W> one_split(std::size_t entry) {
  return {"split", [=](auto& c, auto&) { c.splits[entry].operand ^= 1; }};
}
template <LimbWord W>
Mutation<W> one_merge(std::size_t entry) {
  return {"merge", [=](auto& c, auto&) { c.merges[entry].operand ^= 1; }};
}

TEST(one_wrong_entry_of_any_table_shows) {
  using W = std::uint32_t;
  const std::uint64_t narrow = prime_of(65535, 28, 16), wide = prime_of(65535, 30, 16),
                      whole = prime_of(65535, 30, 256);
  for (const InstructionSet set : cpu::instruction_sets()) {
    for (const std::size_t entry : {2, 4, 14}) {
      for (const std::size_t axis : {2, 3}) {
        CHECK(notices(set, 65535, narrow, axis, one_split<W>(entry)));
        CHECK(notices(set, 65535, narrow, axis, one_merge<W>(entry)));
      }
    }
    CHECK(notices(set, 65535, narrow, 1, one_split<W>(2)));
    CHECK(notices(set, 65535, whole, 3, one_split<W>(254)));
    CHECK(notices(set, 65535, whole, 3, one_merge<W>(137)));
    const bool vectors = set != InstructionSet::scalar;
    for (const std::uint64_t q : {narrow, wide}) {
      const auto wrong_kernel = [&](auto& c, auto&) {
        vectors ? c.toeplitz[7 * toeplitz_words(16) + 40] ^= 1 : c.kernel[7 * 32 + 21] ^= 1;
      };
      CHECK(notices<W>(set, 65535, q, 3, {"block", wrong_kernel}));
    }
    const auto wrong_product = [&](auto& c, auto& joint) {
      vectors ? joint[77].operand ^= 1 : c.factors[7].operand ^= 1;
    };
    CHECK(notices<W>(set, 65535, narrow, 2, {"joint product", wrong_product}));
    CHECK(notices<W>(set, 1105, prime_of(1105, 30, 32), 1, one_split<W>(22)));
    CHECK(notices<W>(set, 257, prime_of(257, 30, 64), 0,
                     {"block of 4", [=](auto& c, auto&) { vectors ? c.toeplitz[100] ^= 1 : c.kernel[101] ^= 1; }}));
    CHECK(notices<W>(set, 257, prime_of(257, 30, 128), 0, {"block of 2", [](auto& c, auto&) { c.kernel[100] ^= 1; }}));
    CHECK(notices<W>(set, 257, prime_of(257, 30, 32), 0,
                     {"block of 8", [=](auto& c, auto&) { vectors ? c.toeplitz[100] ^= 1 : c.kernel[100] ^= 1; }}));
  }
}

}  // namespace

int main() { return cyclotome::check::run(); }
