// SPDX-License-Identifier: Apache-2.0
// Contexts of products and the products themselves, for the sanitizers; the
// oracles of Python stand in test/python.

#include <random>

#include "check.hpp"
#include "cyclotome/engine/cpu/cpu_engine.hpp"
#include "cyclotome/study/polynomial_product.hpp"
#include "io_exercise.hpp"

namespace {

using namespace cyclotome;
using study::Arithmetic;
using study::PolynomialProduct;
using study::ProductContext;
using study::Search;

std::uint64_t fresh_seed() {
  const std::uint64_t seed = std::random_device{}();
  std::cout << "seed " << seed << '\n';
  return seed;
}

std::vector<BigUnsigned> coefficients(std::span<const std::uint64_t> words, std::size_t limbs) {
  std::vector<BigUnsigned> result;
  for (std::size_t i = 0; i < words.size(); i += limbs) {
    result.push_back(BigUnsigned::from_limbs(words.subspan(i, limbs)));
  }
  return result;
}

BigUnsigned remainder(BigUnsigned value, const BigUnsigned& q) {
  for (unsigned shift = value.bit_length(); shift-- > 0;) {
    const BigUnsigned multiple = q * BigUnsigned::power_of_two(shift);
    if (multiple <= value) value -= multiple;
  }
  return value;
}

// By definition: x^N = -1.
std::vector<BigUnsigned> schoolbook(const std::vector<BigUnsigned>& a, const std::vector<BigUnsigned>& b,
                                    const BigUnsigned& q) {
  std::vector<BigUnsigned> result(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < b.size(); ++j) {
      BigUnsigned term = remainder(a[i] * b[j], q);
      const std::size_t k = i + j;
      if (k >= a.size()) term = q - term;
      auto& sum = result[k % a.size()];
      sum = remainder(sum + term, q);
    }
  }
  return result;
}

std::vector<BigUnsigned> multiplied(PolynomialProduct product, std::span<const std::uint64_t> a,
                                    std::span<const std::uint64_t> b, std::size_t limbs) {
  product.load(a, b, limbs);
  product.decompose();
  product.multiply();
  product.reconstruct();
  return coefficients(product.result(), product.limbs());
}

TEST(products_agree_with_the_definition) {
  std::mt19937_64 random(fresh_seed());
  const std::vector<unsigned> sets[] = {{32, 32, 32}, {30, 28}, {61, 40}, {64, 33}, {128, 64}, {72, 96}, {200}, {260}};
  for (const auto& lengths : sets) {
    const auto context = ProductContext::of_lengths(4, lengths, Search::below);
    const BigUnsigned& q = context.modulus();
    for (const std::size_t limbs : {std::size_t{1}, q.limbs().size(), q.limbs().size() + 2}) {
      for (const std::uint64_t mask : {std::uint64_t{0}, ~std::uint64_t{0}}) {  // random words, and all ones
        std::vector<std::uint64_t> a(4 * limbs), b(4 * limbs);
        for (auto* words : {&a, &b}) {
          for (auto& word : *words) word = random() | mask;
        }
        const auto expected = schoolbook(coefficients(a, limbs), coefficients(b, limbs), q);
        CHECK(multiplied({context, Arithmetic::multi_word}, a, b, limbs) == expected);
        const unsigned widest = *std::ranges::max_element(lengths);
        if (widest <= 32) CHECK(multiplied({context, Arithmetic::words_32}, a, b, limbs) == expected);
        if (widest <= 61) CHECK(multiplied({context, CpuEngine::create(1)}, a, b, limbs) == expected);
      }
    }
  }
}

TEST(contexts_come_back_from_their_bytes_and_no_others_are_taken) {
  const auto context = ProductContext::generate({16, 180, 40, 70, Search::above});
  const io::Bytes bytes = io::serialize(context);
  CHECK(io::read_product_context(bytes).fingerprint() == context.fingerprint());
  CHECK(io_exercise::load_product_context(bytes));
  std::mt19937_64 random(fresh_seed());
  for (std::size_t i = 0; i + 32 < bytes.size(); ++i) {
    io::Bytes changed = bytes;
    changed[i] ^= static_cast<std::uint8_t>(1U << (random() % 8));
    // The length is put right again; everything else must be found.
    const bool length = i >= io::layout::length_offset && i < io::layout::length_offset + 8;
    CHECK_EQ(io_exercise::load_product_context(io_exercise::resealed(changed)), length);
  }
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    const io_exercise::Span start(bytes.data(), length);
    CHECK(!io_exercise::load_product_context(start));
    CHECK(!io_exercise::load_product_context(io_exercise::resealed(start)));
  }
  CHECK_THROWS_WITH(FormatError, io::read_product_context(bytes, 100), "limit");
  CHECK_THROWS_WITH(FormatError, io::Container(bytes), "context of polynomial products");
}

}  // namespace

int main() { return cyclotome::check::run(); }
