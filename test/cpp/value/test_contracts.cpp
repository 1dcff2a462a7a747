// SPDX-License-Identifier: Apache-2.0
// Contracts that only a C++ compiler can check: what is usable at compile time, which types may be copied or converted,
// and the families of errors. Expected values come from 128-bit integers, not from the code under test.

#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "check.hpp"
#include "cyclotome/engine/poly.hpp"
#include "cyclotome/math/chacha20.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/modulus.hpp"
#include "cyclotome/math/primes.hpp"
#include "cyclotome/math/sha256.hpp"
#include "cyclotome/math/shoup.hpp"
#include "cyclotome/rlwe/ciphertext.hpp"
#include "cyclotome/rlwe/keys/keys.hpp"
#include "cyclotome/study/transform/barrett.hpp"
#include "cyclotome/value/polynomials/montgomery.hpp"

namespace {

using namespace cyclotome;

// Every error is an Error, and an Error is a runtime_error: one catch clause suffices.
static_assert(std::derived_from<Error, std::runtime_error>);
static_assert(std::derived_from<ParameterError, Error> && std::derived_from<SecurityError, ParameterError>);
static_assert(std::derived_from<ArgumentError, Error> && std::derived_from<MismatchError, Error>);
static_assert(std::derived_from<MissingKeyError, Error> && std::derived_from<NoiseError, Error>);
static_assert(std::derived_from<RangeError, Error> && std::derived_from<FormatError, Error>);
static_assert(std::derived_from<EngineError, Error> && std::derived_from<MemoryLimitError, EngineError>);
static_assert(std::derived_from<Interrupted, Error>);

// Only the two limb words are words.
static_assert(LimbWord<std::uint32_t> && LimbWord<std::uint64_t>);
static_assert(!LimbWord<int> && !LimbWord<std::int64_t> && !LimbWord<std::uint16_t> && !LimbWord<u128>);
static_assert(sizeof(Wide<std::uint32_t>) == 8 && sizeof(Wide<std::uint64_t>) == 16);
static_assert(max_modulus<std::uint32_t> == 2147483648U && max_modulus<std::uint64_t> == 2305843009213693952U);

// A number does not turn into a modulus by accident, and a modulus is a plain value that device code can be handed.
static_assert(!std::convertible_to<std::uint64_t, Modulus<std::uint64_t>>);
static_assert(std::is_trivially_copyable_v<Modulus<std::uint32_t>> &&
              std::is_trivially_copyable_v<Modulus<std::uint64_t>>);
static_assert(std::is_trivially_copyable_v<ShoupFactor<std::uint64_t>>);
static_assert(std::is_trivially_copyable_v<Montgomery<std::uint64_t>>);

// Residues are copied only by `clone`, and a secret key not at all.
static_assert(std::is_nothrow_move_constructible_v<PolyArray> && std::movable<rlwe::SecretKey>);
static_assert(!std::is_copy_constructible_v<rlwe::SecretKey> && !std::is_copy_assignable_v<rlwe::SecretKey>);

// No role turns into another: what the evaluating side holds is never made from a secret key by conversion.
template <class To, class From>
constexpr bool turns_into = std::is_constructible_v<To, From> || std::is_assignable_v<To&, From>;
static_assert(!turns_into<rlwe::PublicKey, rlwe::SecretKey> && !turns_into<rlwe::EvaluationKeys, rlwe::SecretKey>);
static_assert(!turns_into<rlwe::SecretKey, rlwe::PublicKey> && !turns_into<rlwe::SecretKey, rlwe::EvaluationKeys>);
static_assert(!turns_into<rlwe::Plaintext, rlwe::Ciphertext> && !turns_into<rlwe::Ciphertext, rlwe::Plaintext>);

// The product and reduction of `Modulus`, Barrett, Shoup and Montgomery agree with remainders of double words, at the
// corners of the ranges that their contracts promise.
template <LimbWord W>
constexpr bool products_are_exact(W q) {
  const Modulus<W> modulus(q);
  const W operands[] = {
      0, 1, 2, static_cast<W>(q / 2), static_cast<W>(q / 2 + 1), static_cast<W>(q - 2), static_cast<W>(q - 1)};
  for (const W a_any : operands) {
    const W a = static_cast<W>(a_any % q);
    for (const W b_any : operands) {
      const W b = static_cast<W>(b_any % q);
      const Wide<W> product = static_cast<Wide<W>>(a) * b;
      const W expected = static_cast<W>(product % q);
      if (modulus.multiply(a, b) != expected || modulus.reduce_wide(product) != expected) return false;
      if (modulus.add(a, b) != static_cast<W>((static_cast<Wide<W>>(a) + b) % q)) return false;
      if (modulus.subtract(a, b) != static_cast<W>((static_cast<Wide<W>>(a) + q - b) % q)) return false;
      if (ShoupFactor<W>(a, q).multiply(b, q) != expected) return false;
      if (q % 2 == 1 && q > 2) {
        const Montgomery<W> montgomery(q);
        if (montgomery.leave(montgomery.multiply(montgomery.enter(a), montgomery.enter(b))) != expected) return false;
      }
      if (modulus.bits() <= 30 || sizeof(W) == 8) {
        if (BarrettProduct<W>(q, modulus.bits()).multiply(a, b) != expected) return false;
      }
    }
  }
  const Wide<W> largest = ~static_cast<Wide<W>>(0);
  return modulus.reduce_wide(largest) == static_cast<W>(largest % q) &&
         modulus.reduce(static_cast<W>(largest)) == static_cast<W>(largest) % q;
}

static_assert(products_are_exact<std::uint32_t>(2) && products_are_exact<std::uint32_t>(3));
static_assert(products_are_exact<std::uint32_t>(65536) && products_are_exact<std::uint32_t>(65537));
static_assert(products_are_exact<std::uint32_t>(1073479681) && products_are_exact<std::uint32_t>(2147483647));
static_assert(products_are_exact<std::uint64_t>(2) && products_are_exact<std::uint64_t>(3));
static_assert(products_are_exact<std::uint64_t>(1099511627776) && products_are_exact<std::uint64_t>(65537));
static_assert(products_are_exact<std::uint64_t>(1152921504606830593) &&
              products_are_exact<std::uint64_t>(2305843009213693951));

// Signed reduction takes every 64-bit integer, the smallest included.
constexpr std::uint64_t signed_remainder(std::int64_t value, std::uint64_t q) {
  const i128 remainder = static_cast<i128>(value) % static_cast<i128>(q);
  return static_cast<std::uint64_t>(remainder < 0 ? remainder + static_cast<i128>(q) : remainder);
}
template <LimbWord W>
constexpr bool signed_reduction_is_exact(W q) {
  for (const std::int64_t value : {std::numeric_limits<std::int64_t>::min(), std::int64_t{-65537}, std::int64_t{-1},
                                   std::int64_t{0}, std::int64_t{1}, std::numeric_limits<std::int64_t>::max()}) {
    if (Modulus<W>(q).reduce_signed(value) != signed_remainder(value, q)) return false;
  }
  return true;
}
static_assert(signed_reduction_is_exact<std::uint32_t>(65537) && signed_reduction_is_exact<std::uint64_t>(65537));
static_assert(signed_reduction_is_exact<std::uint64_t>(2305843009213693951));

// RFC 8439, section 2.3.2: the block function's test vector, at compile time.
constexpr bool chacha20_matches_rfc8439() {
  const std::uint32_t key[8] = {0x03020100, 0x07060504, 0x0b0a0908, 0x0f0e0d0c,
                                0x13121110, 0x17161514, 0x1b1a1918, 0x1f1e1d1c};
  const std::uint32_t nonce[3] = {0x09000000, 0x4a000000, 0x00000000};
  std::uint32_t out[16] = {};
  chacha20_block(key, 1, nonce, out);
  return out[0] == 0xe4e7f110 && out[1] == 0x15593bd1 && out[14] == 0xe883d0cb && out[15] == 0x4e3c50a2;
}
static_assert(chacha20_matches_rfc8439());

TEST(errors_carry_their_message_to_the_base_class) {
  try {
    throw SecurityError(message("log2(q) is ", 219, ", the limit is ", 218));
  } catch (const Error& error) {
    CHECK_EQ(std::string_view(error.what()), "log2(q) is 219, the limit is 218");
    return;
  }
  CHECK(false);
}

TEST(a_prime_that_does_not_exist_is_a_parameter_error) {
  CHECK_THROWS(ParameterError, primes_congruent_to_one(62, 2048, 1));
  CHECK_THROWS(ParameterError, primes_congruent_to_one(12, 2048, 3));
  CHECK_EQ(primes_congruent_to_one(17, 16384, 1), (std::vector<std::uint64_t>{114689}));
}

TEST(sha256_is_the_same_with_and_without_the_processors_instructions) {
  std::vector<std::uint8_t> bytes;
  for (std::size_t length = 0; length < 300; ++length) {
    Sha256 accelerated(true), portable(false);
    accelerated.update(bytes);
    portable.update(bytes);
    CHECK(accelerated.finish() == portable.finish());
    bytes.push_back(static_cast<std::uint8_t>(31 * length + 7));
  }
}

}  // namespace

int main() { return cyclotome::check::run(); }
