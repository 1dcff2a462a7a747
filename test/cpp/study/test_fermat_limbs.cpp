// SPDX-License-Identifier: Apache-2.0
// Punctured residues against big integers: right with the shifts of Lemmas 2 and 3 as the errata correct them, and seen
// to be wrong with any other. Types of GMP's functions, where its header is installed.
#include <random>
#include <type_traits>

#include "check.hpp"
#include "cyclotome/study/fermat/limbs/punctured.hpp"

#if __has_include(<gmp.h>)
#include <gmp.h>
static_assert(std::is_same_v<mp_limb_t, std::uint64_t> && std::is_same_v<mp_size_t, std::ptrdiff_t>);
static_assert(std::is_same_v<decltype(mpn_mul), cyclotome::study::fermat::gmp_functions::MpnMul>);
static_assert(std::is_same_v<decltype(mpn_tdiv_qr), cyclotome::study::fermat::gmp_functions::MpnTdivQr>);
#endif

using namespace cyclotome;
using namespace cyclotome::study::fermat;

namespace {

BigUnsigned remainder(BigUnsigned value, const BigUnsigned& q) {
  for (unsigned shift = value.bit_length(); shift-- > 0;) {  // binary long division
    const BigUnsigned multiple = q * BigUnsigned::power_of_two(shift);
    if (value >= multiple) value -= multiple;
  }
  return value;
}

std::vector<BigUnsigned> interesting(const Limb& limb, std::mt19937_64& random) {
  const BigUnsigned q = limb.modulus();
  std::vector<BigUnsigned> values{0, 1, 2, q - 1, q - 2, q.shifted_right(1)};
  for (int i = 0; i < 8; ++i) {
    std::vector<std::uint64_t> words(limb.words);
    for (auto& word : words) word = random();
    values.push_back(remainder(BigUnsigned::from_limbs(words), q));
  }
  return values;
}

/// How many of these are punctured wrongly by a limb whose shift is `shift` in place of the right one.
std::size_t wrong(const Limb& limb, unsigned shift, const std::vector<BigUnsigned>& values) {
  Limb changed = limb;
  changed.shift = shift;
  std::size_t count = 0;
  for (const BigUnsigned& value : values) {
    std::vector<std::uint64_t> x = value.limbs(), y(limb.words);
    x.resize(limb.words);
    LimbArithmetic(changed).puncture(y.data(), x.data());
    count +=
        BigUnsigned::from_limbs(y) != remainder(value * BigUnsigned::power_of_two(limb.exponent()), limb.modulus());
  }
  return count;
}

TEST(a_shift_that_is_off_by_one_is_seen) {
  const std::uint64_t seed = std::random_device{}();
  std::cout << "seed " << seed << '\n';
  std::mt19937_64 random(seed);
  for (const auto& [x, f] : {std::pair{5U, 2U}, {6U, 1U}, {7U, 1U}, {8U, 2U}, {9U, 3U}, {9U, 5U}}) {
    const FermatBasis basis(x, f);
    for (const Limb& limb : basis.limbs()) {
      const auto values = interesting(limb, random);
      CHECK_EQ(wrong(limb, limb.shift, values), std::size_t{0});
      CHECK(wrong(limb, limb.shift + 1, values) >= values.size() - 3);
      if (limb.shift > 1) CHECK(wrong(limb, limb.shift - 1, values) >= values.size() - 3);
    }
  }
}

TEST(general_arithmetic_has_a_name) {
  CHECK_EQ(std::string(GeneralArithmetic::own().name()), std::string("schoolbook"));
  if (GeneralArithmetic::gmp() != nullptr) CHECK(std::string(GeneralArithmetic::gmp()->name()).starts_with("GMP "));
}

}  // namespace

int main() { return check::run(); }
