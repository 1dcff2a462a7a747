// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/study/fermat/limbs/general_arithmetic.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <string>
#include <utility>

#include "cyclotome/math/word.hpp"
#include "cyclotome/platform/library.hpp"

namespace cyclotome::study::fermat {

namespace {

std::uint64_t schoolbook_multiply(std::uint64_t* out, const std::uint64_t* a, std::ptrdiff_t a_words,
                                  const std::uint64_t* b, std::ptrdiff_t b_words) {
  std::fill_n(out, a_words + b_words, 0);
  for (std::ptrdiff_t j = 0; j < b_words; ++j) {
    std::uint64_t carry = 0;
    for (std::ptrdiff_t i = 0; i < a_words; ++i) {
      const u128 term = static_cast<u128>(a[i]) * b[j] + out[i + j] + carry;
      out[i + j] = static_cast<std::uint64_t>(term);
      carry = static_cast<std::uint64_t>(term >> 64);
    }
    out[a_words + j] = carry;
  }
  return out[a_words + b_words - 1];
}

/// The digit of Knuth's Algorithm D (TAOCP 4.3.1): at most the true one plus 2 before the loop, plus 1 after it.
std::uint64_t trial_digit(u128 top, std::uint64_t below, std::uint64_t d1, std::uint64_t d2) noexcept {
  const u128 most = ~std::uint64_t{0};
  u128 digit = top / d1;
  u128 rest = top % d1;
  if (digit > most) {
    rest += (digit - most) * d1;
    digit = most;
  }
  while (rest <= most && digit * d2 > ((rest << 64) | below)) {
    --digit;
    rest += d1;
  }
  return static_cast<std::uint64_t>(digit);
}

/// rest -= digit divisor, at `rest`[0 .. count]; adds the divisor back where that was one too many. The digit.
std::uint64_t take_off(std::uint64_t* rest, const std::uint64_t* divisor, std::ptrdiff_t count, std::uint64_t digit) {
  std::uint64_t carry = 0, borrow = 0;
  for (std::ptrdiff_t i = 0; i <= count; ++i) {
    const u128 term = static_cast<u128>(i < count ? divisor[i] : 0) * digit + carry;
    carry = static_cast<std::uint64_t>(term >> 64);
    const u128 difference = static_cast<u128>(rest[i]) - static_cast<std::uint64_t>(term) - borrow;
    rest[i] = static_cast<std::uint64_t>(difference);
    borrow = static_cast<std::uint64_t>(difference >> 64) & 1;
  }
  if (borrow == 0) return digit;
  carry = 0;
  for (std::ptrdiff_t i = 0; i <= count; ++i) {
    const u128 sum = static_cast<u128>(rest[i]) + (i < count ? divisor[i] : 0) + carry;
    rest[i] = static_cast<std::uint64_t>(sum);
    carry = static_cast<std::uint64_t>(sum >> 64);
  }
  return digit - 1;
}

void shift_left(std::uint64_t* out, const std::uint64_t* in, std::ptrdiff_t count, unsigned shift) {
  std::uint64_t below = 0;
  for (std::ptrdiff_t i = 0; i < count; ++i) {
    const std::uint64_t word = in[i];
    out[i] = shift == 0 ? word : (word << shift) | (below >> (64 - shift));
    below = word;
  }
}

/// As mpn_tdiv_qr, but that `quotient` has room for 2 words more than the numerator besides, which hold the rest.
void schoolbook_divide(std::uint64_t* quotient, std::uint64_t* remainder, std::ptrdiff_t /*fraction*/,
                       const std::uint64_t* value, std::ptrdiff_t words, const std::uint64_t* divisor,
                       std::ptrdiff_t divisor_words) {
  const auto shift = static_cast<unsigned>(std::countl_zero(divisor[divisor_words - 1]));
  std::uint64_t* const rest = quotient + (words - divisor_words + 1);  // words + 1
  shift_left(rest, value, words, shift);
  rest[words] = shift == 0 ? 0 : value[words - 1] >> (64 - shift);
  std::uint64_t* const d = rest + words + 1;  // divisor_words
  shift_left(d, divisor, divisor_words, shift);
  const std::uint64_t d1 = d[divisor_words - 1], d2 = divisor_words > 1 ? d[divisor_words - 2] : 0;
  for (std::ptrdiff_t j = words - divisor_words; j >= 0; --j) {
    std::uint64_t* const at = rest + j;
    const u128 top = (static_cast<u128>(at[divisor_words]) << 64) | at[divisor_words - 1];
    const std::uint64_t below = divisor_words > 1 ? at[divisor_words - 2] : 0;
    quotient[j] = take_off(at, d, divisor_words, trial_digit(top, below, d1, d2));
  }
  for (std::ptrdiff_t i = 0; i < divisor_words; ++i) {
    remainder[i] = shift == 0 ? rest[i] : (rest[i] >> shift) | (rest[i + 1] << (64 - shift));
  }
}

}  // namespace

const GeneralArithmetic& GeneralArithmetic::own() noexcept {
  static const GeneralArithmetic arithmetic("schoolbook", schoolbook_multiply, schoolbook_divide);
  return arithmetic;
}

#if defined(_WIN32)
constexpr const char* gmp_library = "libgmp-10.dll";
#elif defined(__APPLE__)
constexpr const char* gmp_library = "libgmp.10.dylib";
#else
constexpr const char* gmp_library = "libgmp.so.10";
#endif

const GeneralArithmetic* GeneralArithmetic::gmp() noexcept {
  static const std::optional<GeneralArithmetic> found = []() -> std::optional<GeneralArithmetic> {
    void* const library = platform::open_library(gmp_library);  // it stays loaded
    if (library == nullptr) return std::nullopt;
    const auto* const bits = static_cast<const int*>(platform::find_symbol(library, "__gmp_bits_per_limb"));
    const auto* const version = static_cast<const char* const*>(platform::find_symbol(library, "__gmp_version"));
    void* const multiply = platform::find_symbol(library, "__gmpn_mul");
    void* const divide = platform::find_symbol(library, "__gmpn_tdiv_qr");
    if (bits == nullptr || *bits != 64 || version == nullptr || multiply == nullptr || divide == nullptr) {
      platform::close_library(library);
      return std::nullopt;
    }
    static const std::string described = std::string("GMP ") + *version;
    return GeneralArithmetic(described.c_str(), reinterpret_cast<gmp_functions::MpnMul*>(multiply),
                             reinterpret_cast<gmp_functions::MpnTdivQr*>(divide));
  }();
  return found ? &*found : nullptr;
}

void GeneralArithmetic::multiply(std::uint64_t* out, std::span<const std::uint64_t> a,
                                 std::span<const std::uint64_t> b) const {
  const auto& [longer, shorter] = a.size() >= b.size() ? std::pair(a, b) : std::pair(b, a);
  multiply_(out, longer.data(), static_cast<std::ptrdiff_t>(longer.size()), shorter.data(),
            static_cast<std::ptrdiff_t>(shorter.size()));
}

void GeneralArithmetic::remainder(std::uint64_t* out, std::span<const std::uint64_t> value,
                                  std::span<const std::uint64_t> divisor, std::uint64_t* scratch) const {
  if (value.size() < divisor.size()) {
    std::ranges::copy(value, out);
    std::fill(out + value.size(), out + divisor.size(), 0);
    return;
  }
  divide_(scratch, out, 0, value.data(), static_cast<std::ptrdiff_t>(value.size()), divisor.data(),
          static_cast<std::ptrdiff_t>(divisor.size()));
}

}  // namespace cyclotome::study::fermat
