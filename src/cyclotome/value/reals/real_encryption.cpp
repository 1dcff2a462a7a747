// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/value/reals/real_encryption.hpp"

#include "cyclotome/math/errors.hpp"
#include "cyclotome/rlwe/noise/flooding.hpp"

namespace cyclotome::value {

namespace {

template <class Key>
RealArray encrypted(const Reals& values, const Key& key, std::optional<double> stated) {
  const ckks::Context& own = ckks::ckks_context(key.context());
  const rlwe::Parameters& parameters = own.parameters();
  const double bound = stated.value_or(ckks::Part::of(parameters).bound());
  if (!(bound > 0)) throw RangeError(message("encrypt: bound ", bound, " is no magnitude above 0"));
  if (const double most = ckks::largest(values.values); most > bound) {
    throw RangeError(message("encrypt: a value has magnitude ", most, ", beyond the bound ", bound,
                             "; state a larger bound=, or parameters with one"));
  }
  const Layout layout = layout_of_reals(parameters, values.shape);
  const auto context = std::static_pointer_cast<const ckks::Context>(key.context());
  const double scale = own.scale(own.max_level());
  const rlwe::Plaintext plaintext = ckks::encode(context, spread(values, layout), scale, ckks::Secrecy::secret);
  return {ckks::encrypt(plaintext, key, bound), layout, values.field};
}

}  // namespace

RealArray encrypt(const Reals& values, const rlwe::PublicKey& key, std::optional<double> bound) {
  RealArray array = encrypted(values, key, bound);
  return array.with_keys(key);
}

RealArray encrypt(const Reals& values, const rlwe::SecretKey& key, std::optional<double> bound) {
  return encrypted(values, key, bound);
}

namespace {

/// x on the engine of the key.
RealArray beside(const char* operation, const RealArray& x, const rlwe::SecretKey& key) {
  if (x.parameters().fingerprint() != key.context()->parameters().fingerprint()) {
    throw MismatchError(message(operation, ": the array was encrypted under ", x.parameters().summary(),
                                ", the key is of ", key.context()->parameters().summary()));
  }
  const bool here = x.context()->engine() == key.context()->engine();
  return here ? x : x.to(key.context(), {});
}

}  // namespace

Reals decrypt(const RealArray& x, const rlwe::SecretKey& key) {
  const RealArray own = beside("decrypt", x, key);
  return gathered(ckks::decrypt(own.numbers(), key), own.layout(), own.field());
}

Reals reveal(const RealArray& x, const rlwe::SecretKey& key, double precision, unsigned flooding_bits) {
  if (flooding_bits < 1 || flooding_bits > 128) {
    throw ArgumentError(message("reveal: flooding_bits ", flooding_bits, " must lie in [1, 128]; 64 is usual"));
  }
  const RealArray own = beside("reveal", x, key);
  const ckks::Approximate& numbers = own.numbers();
  // The distances of all ciphertexts add up.
  const unsigned bits = flooding_bits + rlwe::flooding_bits_of(numbers.ciphertext.batch());
  return gathered(ckks::reveal(numbers, key, precision, bits), own.layout(), own.field());
}

}  // namespace cyclotome::value
