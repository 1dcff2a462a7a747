// SPDX-License-Identifier: Apache-2.0
// As test_secret_poisoning, on Fermat moduli: no branch and no index of encryption, decryption or the making of keys
// depends on a secret key or a message. The paper's versions that divide are a baseline and not constant-time, which
// this sees (--leak).
#include <cstring>

#include "check.hpp"
#include "cyclotome/engine/cpu/cpu_engine.hpp"
#include "cyclotome/study/fermat/scheme/operations.hpp"

#if __has_include(<valgrind/memcheck.h>)
#include <valgrind/memcheck.h>
#else
#define VALGRIND_MAKE_MEM_UNDEFINED(address, bytes) static_cast<void>(address)
#define VALGRIND_MAKE_MEM_DEFINED(address, bytes) static_cast<void>(address)
#endif

using namespace cyclotome;
using namespace cyclotome::study::fermat;

namespace {

template <class Vector>
void declare_secret(const Vector& v) {
  VALGRIND_MAKE_MEM_UNDEFINED(v.data(), v.size() * sizeof(v[0]));
}
template <class Vector>
void declare_public(const Vector& v) {
  VALGRIND_MAKE_MEM_DEFINED(v.data(), v.size() * sizeof(v[0]));
}
void declare_public(const PolyArray& a) { VALGRIND_MAKE_MEM_DEFINED(a.view().data, a.bytes()); }
void declare_public(const Ciphertext& c) {
  for (const Parts& parts : c.items) declare_public(parts);
}

ContextPtr make(unsigned x, unsigned splits, Variant variant, unsigned digit_bits, unsigned special_bits = 0) {
  ParametersLiteral literal{.degree = 64, .x = x, .splits = splits, .plain_modulus = 163841, .digit_bits = digit_bits};
  literal.special_bits = special_bits;
  literal.allow_insecure = true;
  return Context::create(Parameters(literal), CpuEngine::create(1), variant);
}

void all_operations(const ContextPtr& context) {
  const std::size_t n = context->degree();
  std::vector<std::int64_t> values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<std::int64_t>(i % 201) - 100;
  const std::vector<std::int64_t> expected = values;
  declare_secret(values);

  const SecretKey made = SecretKey::generate(context);
  VALGRIND_MAKE_MEM_UNDEFINED(made.transform().view().data, made.transform().bytes());
  const SecretKey secret = SecretKey::restore(context, made.id(), made.coefficients());  // as a file's reader does
  const bool hybrid = context->special() != nullptr;
  const PublicKey key = PublicKey::generate(secret);
  const RelinearizationKey relinearization = RelinearizationKey::generate(secret);
  for (std::size_t limb = 0; limb < context->ring().basis().limbs().size(); ++limb) {
    for (std::size_t part = 0; part < 2; ++part) {
      declare_public(key.transform(part, limb));
      for (std::size_t d = 0; d < relinearization.digits(); ++d) {
        declare_public(relinearization.transform(d, part, limb));
        if (hybrid) declare_public(relinearization.special_transform(d, part));
      }
    }
  }
  const Plaintext message = encode(context, values, 1, true);
  const Ciphertext a = encrypt(message, key), b = encrypt(message, secret);
  declare_public(a);
  declare_public(b);
  const Ciphertext sum = subtract(add_plain(multiply(a, b, relinearization), message), a);
  declare_public(sum);
  const std::vector<std::int64_t> decoded = decode(decrypt(sum, secret), true);
  declare_public(decoded);
  bool all = true;
  for (std::size_t i = 0; i < n; ++i) all = all && decoded[i] == expected[i] * expected[i];
  CHECK(all);
}

TEST(fermat_limbs) {
  all_operations(make(8, 2, Variant::both, 30));
  all_operations(make(9, 4, Variant::both, 0));
  all_operations(make(9, 3, Variant::both, 0, 258));
  all_operations(make(8, 2, Variant::both, 59, 60));
}

TEST(positional_integers) { all_operations(make(8, 0, Variant::positional, 30)); }

}  // namespace

int main(int count, char** arguments) {
  if (count > 1 && std::strcmp(arguments[1], "--leak") == 0) all_operations(make(8, 2, Variant::none, 30));
  return check::run();
}
