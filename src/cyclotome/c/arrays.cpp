// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/c/boundary.hpp"
#include "cyclotome/value/arrays/decryption.hpp"
#include "cyclotome/value/arrays/encryption.hpp"

using namespace cyclotome;

namespace {

value::Encryption encryption_of(const cyclotome_encryption& stated) {
  value::Encryption how;
  if (stated.bound != 0 && stated.bound_bits != 0) {
    throw ArgumentError("a bound is stated twice, by bound and by bound_bits: leave one at 0");
  }
  if (stated.bound != 0) how.bound = stated.bound;
  if (stated.bound_bits != 0) {
    // More than parameters can hold is refused there; more than this would be memory alone.
    if (stated.bound_bits > 1 << 16) {
      throw RangeError(message("no parameters hold values of ", stated.bound_bits, " bits"));
    }
    BigUnsigned bound = BigUnsigned::power_of_two(stated.bound_bits);
    bound -= 1;
    how.bound = bound;
  }
  how.from_zero = stated.from_zero != 0;
  how.wrap = stated.wrap != 0;
  if (stated.row_bound != 0) how.l1_bound = stated.row_bound;
  switch (stated.placement) {
    case CYCLOTOME_USUAL_PLACEMENT:
      break;
    case CYCLOTOME_SLOTS:
      how.placement = value::Placement::slots;
      break;
    case CYCLOTOME_COEFFICIENTS:
      how.placement = value::Placement::coefficients;
      break;
    default:
      throw ArgumentError(message("there is no placement ", stated.placement, ": CYCLOTOME_SLOTS, ",
                                  "CYCLOTOME_COEFFICIENTS, or CYCLOTOME_USUAL_PLACEMENT"));
  }
  return how;
}

template <class Key>
value::EncryptedArray encrypted(const Key& key, const cyclotome_integers* values, const cyclotome_encryption* how) {
  return value::encrypt(c::integers_of(values, "values"), key, encryption_of(c::options_of(how, "encryption options")));
}

/// Words that hold every value that the array may have, with its sign.
std::size_t words_of(const value::EncryptedArray& array) {
  const BigUnsigned largest =
      array.bound().wraps() ? value::plain_product(array.parameters()) : array.bound().largest();
  return largest.bit_length() / 64 + 1;
}

}  // namespace

cyclotome_status cyclotome_encrypt(const cyclotome_public_key* key, const cyclotome_integers* values,
                                   const cyclotome_encryption* how, cyclotome_array** array) {
  return c::making(array, [&] { return encrypted(c::given(key, "public key").value, values, how); });
}

cyclotome_status cyclotome_encrypt_by_owner(const cyclotome_secret_key* key, const cyclotome_integers* values,
                                            const cyclotome_encryption* how, cyclotome_array** array) {
  return c::making(array, [&] { return encrypted(c::given(key, "secret key").value, values, how); });
}

cyclotome_status cyclotome_decrypt(const cyclotome_secret_key* key, const cyclotome_array* array, uint64_t* words,
                                   size_t words_each, size_t count) {
  return c::guarded([&] {
    const value::EncryptedArray& x = c::given(array, "array").value;
    const rlwe::SecretKey& secret = c::given(key, "secret key").value;
    if (words == nullptr) throw ArgumentError("there is no place for the values: their pointer is NULL");
    if (const std::size_t size = value::count_of(x.shape()); size != count) {
      throw ArgumentError(message("the array has ", size, " values, and there is room for ", count));
    }
    if (const std::size_t needed = words_of(x); words_each < needed) {
      throw RangeError(message("values of this array take up to ", needed, " words, and there is room for ", words_each,
                               " each: cyclotome_array_words says how many suffice"));
    }
    const value::Integers values = value::decrypt(x, secret).resized(words_each);
    std::copy(values.data().begin(), values.data().end(), words);
  });
}

size_t cyclotome_array_axes(const cyclotome_array* array) { return array == nullptr ? 0 : array->value.ndim(); }
size_t cyclotome_array_size(const cyclotome_array* array) {
  return array == nullptr ? 0 : value::count_of(array->value.shape());
}
size_t cyclotome_array_words(const cyclotome_array* array) { return array == nullptr ? 0 : words_of(array->value); }

cyclotome_status cyclotome_array_shape(const cyclotome_array* array, size_t* shape, size_t axes) {
  return c::guarded([&] {
    const value::Shape& lengths = c::given(array, "array").value.shape();
    if (axes != lengths.size() || (shape == nullptr && axes != 0)) {
      throw ArgumentError(
          message("the array has ", lengths.size(), " axes, and there is room for ", shape == nullptr ? 0 : axes));
    }
    std::copy(lengths.begin(), lengths.end(), shape);
  });
}

cyclotome_status cyclotome_array_noise_headroom(const cyclotome_array* array, double* bits) {
  return c::guarded([&] {
    const value::EncryptedArray& x = c::given(array, "array").value;
    if (bits == nullptr) throw ArgumentError("there is no place for the result: its pointer is NULL");
    *bits = x.noise_headroom();
  });
}

cyclotome_status cyclotome_array_with_keys(const cyclotome_array* array, const cyclotome_evaluation_keys* keys,
                                           cyclotome_array** result) {
  return c::making(result,
                   [&] { return c::given(array, "array").value.with_keys(c::given(keys, "evaluation keys").value); });
}

void cyclotome_array_free(cyclotome_array* array) { delete array; }
