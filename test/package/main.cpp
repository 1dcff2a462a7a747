// SPDX-License-Identifier: Apache-2.0
// A program of somebody else: it knows the one installed header and the library, and nothing of the source tree. It
// encrypts two small vectors, multiplies them under encryption and decrypts the products; is refused a product that
// would not fit; and ends work that takes too long, by an exception of its own.

#include <cstdint>
#include <cyclotome/cyclotome.hpp>
#include <iostream>
#include <stdexcept>
#include <typeinfo>
#include <vector>

using namespace cyclotome;

namespace {

class TooLong : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

Parameters parameters_by_hand() {
  ParametersLiteral literal;
  literal.scheme = &bfv_scheme();
  literal.degree = 8192;
  literal.plain_moduli = {65537};
  literal.moduli = primes_congruent_to_one(50, 2 * literal.degree, 4);
  literal.special_moduli = {literal.moduli.front()};
  literal.moduli.erase(literal.moduli.begin());
  return Parameters(literal);
}

/// Whether `call` throws an `Expected`, as that class and as the base of all.
template <class Expected, class Call>
bool refuses(const char* what, const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    if (dynamic_cast<const Expected*>(&error) != nullptr && typeid(error) == typeid(Expected)) return true;
    std::cerr << what << ": another error, " << error.what() << '\n';
    return false;
  }
  std::cerr << what << " was not refused\n";
  return false;
}

}  // namespace

int main() try {
  const ContextPtr context = make_context(parameters_by_hand(), make_cpu_engine());
  const auto [secret, public_key, evaluation] = keygen(context, {.rotations = {{}}});

  const std::vector<std::int64_t> x = {1, -2, 3, 127}, y = {5, 6, -7, 255};
  const EncryptedArray encrypted_x = encrypt(x, public_key, {.bound = 127}).with_keys(evaluation);
  const EncryptedArray encrypted_y = encrypt(y, public_key, {.bound = 255});
  const std::vector<std::int64_t> products = decrypt(encrypted_x * encrypted_y, secret).to_int64();
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (products.at(i) != x[i] * y[i]) {
      std::cerr << x[i] << " * " << y[i] << " came back as " << products[i] << '\n';
      return 1;
    }
  }
  // Up to 127000, and the plaintext modulus is 65537.
  if (!refuses<RangeError>("a product that could wrap around", [&] { return 1000 * encrypted_x; })) return 1;
  if (!refuses<ParameterError>("a scheme that is not there", [] { return &scheme_named("none"); })) return 1;
  bool ended = false;
  try {
    const InterruptScope scope([] { throw TooLong("enough"); }, {});
    if (!interruptible()) {
      std::cerr << "the program and the library have a scope each\n";
      return 1;
    }
    (void)(encrypted_x * encrypted_y);
  } catch (const TooLong&) {
    ended = true;
  }
  if (!ended) {
    std::cerr << "work went on\n";
    return 1;
  }
  std::cout << "consumer: multiplied under " << context->parameters().summary() << '\n';
  return 0;
} catch (const Error& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
