// SPDX-License-Identifier: Apache-2.0
// Polynomials of encrypted coefficients: products, automorphisms, expansion and packing against integer arithmetic.

#include <algorithm>
#include <numeric>

#include "check.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/scheme/bfv/scheme.hpp"
#include "cyclotome/scheme/bgv/scheme.hpp"
#include "value_party.hpp"

namespace {

using namespace cyclotome;
using check::ValueParty;
using value::EncryptedArray;
using value::Integers;
using value::Placement;
using value::Relinearization;
using value::Scaling;
using Numbers = std::vector<std::int64_t>;

constexpr std::int64_t n = ValueParty::degree;

/// Keys with the automorphisms of traces and of x -> x^7.
struct Party : ValueParty {
  rlwe::EvaluationKeys galois;

  explicit Party(const rlwe::Scheme* scheme, const std::vector<std::uint64_t>& plain = {40961, 65537},
                 std::size_t primes = 4)
      : ValueParty(scheme, plain, primes),
        galois(rlwe::deterministic::generate_evaluation_keys(secret, true, elements(context), check::seed(4))) {}
  static std::vector<std::uint64_t> elements(const rlwe::ContextPtr& context) {
    std::vector<std::uint64_t> all = value::trace_elements(context->parameters());
    all.push_back(7);
    return all;
  }
  EncryptedArray polynomial(const Integers& values, const value::Encryption& how) const {
    value::Encryption stated = how;
    stated.placement = Placement::coefficients;
    return value::encrypt(values, key, stated).with_keys(galois);
  }
  EncryptedArray polynomial(const Numbers& values, std::uint64_t bound) const {
    return polynomial(Integers(values), {.bound = bound});
  }
  Numbers opened(const EncryptedArray& x) const { return value::decrypt(x, secret).to_int64(); }
};

Numbers linear(const Numbers& a, const Numbers& b) {
  Numbers out(a.size() + b.size() - 1, 0);
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < b.size(); ++j) out[i + j] += a[i] * b[j];
  }
  return out;
}

Numbers negacyclic(const Numbers& a, const Numbers& b) {
  Numbers out(static_cast<std::size_t>(n), 0);
  const Numbers whole = linear(a, b);
  for (std::size_t i = 0; i < whole.size(); ++i) {
    out[i % out.size()] += i / out.size() % 2 == 0 ? whole[i] : -whole[i];
  }
  return out;
}

Numbers turned(const Numbers& a, std::int64_t g) {
  Numbers out(static_cast<std::size_t>(n), 0);
  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto place = static_cast<std::size_t>(((static_cast<std::int64_t>(i) * g) % (2 * n) + 2 * n) % (2 * n));
    out[place % out.size()] += place < out.size() ? a[i] : -a[i];
  }
  return out;
}

Numbers ramp(std::size_t length, std::int64_t start) {
  Numbers values(length);
  std::iota(values.begin(), values.end(), start);
  for (std::size_t i = 1; i < length; i += 2) values[i] = -values[i];
  return values;
}

const Party& party(const rlwe::Scheme& scheme) {
  static const Party bfv_party(&bfv::scheme()), bgv_party(&bgv::scheme(), {40961, 65537}, 6);
  return &scheme == &bfv::scheme() ? bfv_party : bgv_party;
}

template <class Body>
void in_both_schemes(const Body& body) {
  body(party(bfv::scheme()));
  body(party(bgv::scheme()));
}

}  // namespace

TEST(products_of_polynomials_are_those_of_integers) {
  in_both_schemes([](const Party& p) {
    const Numbers a = ramp(n, -7), b = ramp(n, 3), s = ramp(6, 1), u = ramp(11, -4);
    const EncryptedArray x = p.polynomial(a, 20), y = p.polynomial(b, 20), v = p.polynomial(s, 20);
    CHECK_EQ(p.opened(value::negacyclic_product(x, y)), negacyclic(a, b));
    CHECK_EQ(p.opened(value::negacyclic_product(x, x)), negacyclic(a, a));
    CHECK_EQ(p.opened(value::negacyclic_product(x, v)), negacyclic(a, s));
    CHECK_EQ(p.opened(value::negacyclic_product(x, Integers(b))), negacyclic(a, b));
    CHECK_EQ(p.opened(value::convolve(v, p.polynomial(u, 20))), linear(s, u));
    CHECK_EQ(p.opened(value::convolve(v, Integers(u))), linear(s, u));
    const EncryptedArray later = value::negacyclic_product(x, y, Relinearization::later);
    CHECK_EQ(later.channels().front().parts(), std::size_t{3});
    CHECK_EQ(p.opened(later), negacyclic(a, b));
    CHECK_EQ(p.opened(value::relinearized(later)), negacyclic(a, b));
  });
}

TEST(rows_broadcast_and_one_polynomial_meets_many) {
  const Party& p = party(bfv::scheme());
  const Numbers a = ramp(8, 1), b = ramp(8, 2), c = ramp(5, 3);
  Numbers both = a;
  both.insert(both.end(), b.begin(), b.end());
  const EncryptedArray x = p.polynomial(Integers({2, 1, 8}, both), {.bound = 20}), y = p.polynomial(c, 20);
  Numbers expected = linear(a, c);
  const Numbers second = linear(b, c);
  expected.insert(expected.end(), second.begin(), second.end());
  CHECK_EQ(value::convolve(x, y).shape(), (value::Shape{2, 1, 12}));
  CHECK_EQ(p.opened(value::convolve(x, y)), expected);
  CHECK_EQ(p.opened(value::convolve(y, Integers({2, 8}, both))), expected);
  CHECK_EQ(value::convolve(x, Integers({3, 5}, Numbers(15, 1))).shape(), (value::Shape{2, 3, 12}));
}

TEST(bounds_of_products_are_hoelders) {
  const Party& p = party(bfv::scheme());
  const EncryptedArray x = p.polynomial(Integers(ramp(n, 0)), {.bound = BigUnsigned(20), .l1_bound = BigUnsigned(200)});
  const EncryptedArray y = p.polynomial(ramp(4, 0), 5);
  CHECK_EQ(value::negacyclic_product(x, y).bound().largest(), BigUnsigned(400));  // 20 times 20, below 200 times 5
  CHECK_EQ(value::negacyclic_product(x, y).bound().row(), BigUnsigned(4000));
  CHECK_EQ(value::negacyclic_product(x, Integers{0, 0, 3}).bound().largest(), BigUnsigned(60));
  const Party narrow(&bfv::scheme(), {257});
  const EncryptedArray largest = narrow.polynomial(Numbers(n, 1), 2);
  CHECK_EQ(narrow.opened(value::negacyclic_product(largest, Integers(Numbers(n, 4)))).back(), 4 * n);
  CHECK_THROWS_WITH(RangeError, value::negacyclic_product(largest, Integers(Numbers(n, 5))),
                    "values may reach 160 (8 bits), but these parameters hold at most 128");
  CHECK_THROWS_WITH(RangeError,
                    value::negacyclic_product(p.polynomial(ramp(n, 0), 16384), p.polynomial(ramp(n, 0), 16384)),
                    "negacyclic_product: values may reach");
}

TEST(what_is_no_polynomial_or_too_long_is_refused) {
  const Party& p = party(bfv::scheme());
  const EncryptedArray x = p.polynomial(ramp(9, 0), 20);
  const EncryptedArray slots = p.encrypted(Integers(ramp(9, 0)), {.bound = 20});
  CHECK_THROWS_WITH(ArgumentError, value::convolve(x, x), "products of 17, but ciphertexts hold n = 16");
  CHECK_THROWS_WITH(ArgumentError, value::convolve(x, Integers(ramp(17, 0))), "a polynomial of 17 coefficients");
  CHECK_THROWS_WITH(ArgumentError, value::negacyclic_product(x, Integers(3)), "a scalar is no polynomial");
  CHECK_THROWS_WITH(UnsupportedError, value::negacyclic_product(slots, x), "packed in slots");
  CHECK_THROWS_WITH(UnsupportedError, value::negacyclic_product(x, slots), "packed in slots");
  CHECK_THROWS_WITH(ArgumentError, value::negacyclic_product(p.polynomial(ramp(20, 0), 20), x), "several polynomials");
  const EncryptedArray later = value::negacyclic_product(x, x, Relinearization::later);
  CHECK_THROWS_WITH(ArgumentError, value::negacyclic_product(later, x), "not relinearised");
  CHECK_THROWS_WITH(ArgumentError, value::automorphism(later, 3), "not relinearised");
}

TEST(automorphisms_move_coefficients_with_signs) {
  in_both_schemes([](const Party& p) {
    const Numbers a = ramp(n, 5);
    const EncryptedArray x = p.polynomial(a, 40);
    for (const std::int64_t g : {3L, 5L, 7L, 9L, 17L, -25L, 7 + 4 * n}) {
      CHECK_EQ(p.opened(value::automorphism(x, g)), turned(a, g));
    }
    CHECK_EQ(p.opened(value::automorphism(p.polynomial(Numbers{1, 2, 3}, 40), 7)), turned({1, 2, 3}, 7));
    CHECK_EQ(value::automorphism(p.polynomial(ramp(2 * n, 0), 40), 3).shape(), value::Shape{2 * n});
    CHECK_THROWS_WITH(ArgumentError, value::automorphism(x, 4), "must be odd");
    CHECK_THROWS_WITH(MissingKeyError, value::automorphism(x, 11), "galois_elements=[11]");
    const Numbers traced = p.opened(value::coefficient_trace(x));
    CHECK_EQ(traced, Numbers{n * a[0]});
  });
}

TEST(one_ciphertext_expands_to_many_and_back) {
  in_both_schemes([](const Party& p) {
    for (const std::size_t length : {1U, 2U, 3U, 5U, 8U, 13U, 16U}) {
      Numbers values = ramp(2 * length, -3);
      const EncryptedArray x = p.polynomial(Integers({2, length}, values), {.bound = 40});
      const EncryptedArray many = value::expand(x);
      CHECK_EQ(many.shape(), (value::Shape{2, length}));
      CHECK_EQ(many.layout().placement(), Placement::replicated);
      CHECK_EQ(many.bound().largest(), BigUnsigned(40));
      CHECK_EQ(p.opened(many), values);
      CHECK_EQ(p.opened(value::packed_in_coefficients(many)), values);
      for (std::int64_t& value : values) value *= static_cast<std::int64_t>(std::bit_ceil(length));
      CHECK_EQ(p.opened(value::expand(x, Scaling::by_power_of_two)), values);
    }
  });
}

TEST(constant_terms_are_packed_whatever_stands_beside_them) {
  in_both_schemes([](const Party& p) {
    for (const std::size_t count : {1U, 2U, 3U, 6U, 8U, 11U, 16U}) {
      const Numbers values = ramp(2 * count * n, 2);
      const EncryptedArray x = p.polynomial(Integers({2, count, n}, values), {.bound = 600});
      const std::size_t step = static_cast<std::size_t>(n) / std::bit_ceil(count);
      Numbers expected(2 * n, 0);
      for (std::size_t row = 0; row < 2; ++row) {
        for (std::size_t i = 0; i < count; ++i) expected[row * n + i * step] = values[(row * count + i) * n];
      }
      CHECK_EQ(p.opened(value::pack_constant_terms(x)), expected);
      for (std::int64_t& value : expected) value *= n;
      CHECK_EQ(p.opened(value::pack_constant_terms(x, Scaling::by_power_of_two)), expected);
    }
  });
}

TEST(moduli_without_slots_compute) {
  for (const std::uint64_t t :
       {std::uint64_t{2}, std::uint64_t{1024}, std::uint64_t{65}, (std::uint64_t{1} << 60) - 1}) {
    const Party p(&bfv::scheme(), {t}, 6);
    const Numbers a{1, 1, 0, 1, 0, 0, 0, 1}, b{1, 0, 1, 1, 1};
    const bool bits = t == 2;
    const auto how = bits ? value::Encryption{} : value::Encryption{.bound = BigUnsigned(1)};
    const EncryptedArray x = p.polynomial(Integers(a), how), y = p.polynomial(Integers(b), how);
    Numbers expected = linear(a, b);
    for (std::int64_t& value : expected) value = bits ? value & 1 : value;
    CHECK_EQ(p.opened(value::convolve(x, y)), expected);
    CHECK_EQ(p.opened(value::convolve(x, Integers(b))), expected);
    CHECK_EQ(value::convolve(x, y).bound().is_bits(), bits);
  }
}

TEST(bits_over_powers_of_two) {
  const Party p(&bfv::scheme(), {2});
  const EncryptedArray x = p.polynomial(Integers{0, 0, 1, 1}, {}), y = p.polynomial(Integers{0, 1, 0, 1}, {});
  CHECK_EQ(p.opened(x + y), (Numbers{0, 1, 1, 0}));
  CHECK_EQ(p.opened(x - y), (Numbers{0, 1, 1, 0}));
  CHECK_EQ(p.opened(x - Integers{0, 1, 0, 1}), (Numbers{0, 1, 1, 0}));
  CHECK_EQ(p.opened(x + 1), (Numbers{1, 1, 0, 0}));
  CHECK((x + 1).bound().is_bits());
  CHECK_THROWS_WITH(RangeError, x + 2, "no bit");
  CHECK_THROWS_WITH(RangeError, p.polynomial(Integers{0, 2}, {}), "value 2 at index (1,) is no bit");
  CHECK_THROWS_WITH(RangeError, p.polynomial(Integers{0, -1}, {}), "no bit");
  CHECK_THROWS_WITH(ArgumentError, p.polynomial(Integers{0, 1}, {.bound = BigUnsigned(1)}), "have no bound");
  CHECK_EQ(p.opened(p.polynomial(Integers{5, -3, 4}, {.wrap = true})), (Numbers{1, 1, 0}));
  const EncryptedArray a = value::encrypt(Integers{0, 0, 1, 1}, p.key, {.placement = Placement::replicated});
  const EncryptedArray b = value::encrypt(Integers{0, 1, 0, 1}, p.key, {.placement = Placement::replicated});
  CHECK_EQ(p.opened(a.with_keys(p.galois) * b), (Numbers{0, 0, 0, 1}));
  CHECK_THROWS_WITH(UnsupportedError, value::expand(x), "2 has no inverse");
}

int main() { return check::run(); }
