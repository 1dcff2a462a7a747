// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/c/boundary.hpp"
#include "cyclotome/value/value.hpp"

using namespace cyclotome;
using value::EncryptedArray;
using value::Integers;

namespace {

template <class Operation>
cyclotome_status of_one(const cyclotome_array* x, cyclotome_array** result, const Operation& operation) {
  return c::making(result, [&] { return operation(c::given(x, "array").value); });
}

template <class Operation>
cyclotome_status of_two(const cyclotome_array* x, const cyclotome_array* y, cyclotome_array** result,
                        const Operation& operation) {
  return c::making(result,
                   [&] { return operation(c::given(x, "first array").value, c::given(y, "second array").value); });
}

template <class Operation>
cyclotome_status with_plain(const cyclotome_array* x, const cyclotome_integers* w, cyclotome_array** result,
                            const Operation& operation) {
  return c::making(result, [&] { return operation(c::given(x, "array").value, c::integers_of(w, "public integers")); });
}

}  // namespace

cyclotome_status cyclotome_add(const cyclotome_array* x, const cyclotome_array* y, cyclotome_array** result) {
  return of_two(x, y, result, [](const EncryptedArray& a, const EncryptedArray& b) { return value::add(a, b); });
}
cyclotome_status cyclotome_subtract(const cyclotome_array* x, const cyclotome_array* y, cyclotome_array** result) {
  return of_two(x, y, result, [](const EncryptedArray& a, const EncryptedArray& b) { return value::subtract(a, b); });
}
cyclotome_status cyclotome_multiply(const cyclotome_array* x, const cyclotome_array* y, cyclotome_array** result) {
  return of_two(x, y, result, [](const EncryptedArray& a, const EncryptedArray& b) { return value::multiply(a, b); });
}
cyclotome_status cyclotome_negate(const cyclotome_array* x, cyclotome_array** result) {
  return of_one(x, result, [](const EncryptedArray& a) { return value::negate(a); });
}

cyclotome_status cyclotome_add_plain(const cyclotome_array* x, const cyclotome_integers* w, cyclotome_array** result) {
  return with_plain(x, w, result, [](const EncryptedArray& a, const Integers& b) { return value::add(a, b); });
}
cyclotome_status cyclotome_subtract_plain(const cyclotome_array* x, const cyclotome_integers* w,
                                          cyclotome_array** result) {
  return with_plain(x, w, result, [](const EncryptedArray& a, const Integers& b) { return value::subtract(a, b); });
}
cyclotome_status cyclotome_subtract_from_plain(const cyclotome_integers* w, const cyclotome_array* x,
                                               cyclotome_array** result) {
  return with_plain(x, w, result, [](const EncryptedArray& a, const Integers& b) { return value::subtract(b, a); });
}
cyclotome_status cyclotome_multiply_plain(const cyclotome_array* x, const cyclotome_integers* w,
                                          cyclotome_array** result) {
  return with_plain(x, w, result, [](const EncryptedArray& a, const Integers& b) { return value::multiply(a, b); });
}
cyclotome_status cyclotome_plain_matmul(const cyclotome_integers* w, const cyclotome_array* x,
                                        cyclotome_array** result) {
  return with_plain(x, w, result, [](const EncryptedArray& a, const Integers& b) { return value::matmul(b, a); });
}
cyclotome_status cyclotome_matmul_plain(const cyclotome_array* x, const cyclotome_integers* w,
                                        cyclotome_array** result) {
  return with_plain(x, w, result, [](const EncryptedArray& a, const Integers& b) { return value::matmul(a, b); });
}

cyclotome_status cyclotome_sum(const cyclotome_array* x, const int64_t* axes, size_t count, int32_t keep_axes,
                               cyclotome_array** result) {
  return of_one(x, result, [&](const EncryptedArray& a) {
    if (axes != nullptr) return value::sum(a, std::span(axes, count), keep_axes != 0);
    const value::Indices all = value::iota(a.ndim());
    const std::vector<std::int64_t> every(all.begin(), all.end());
    static_cast<void>(c::span_of(axes, count, "axes"));  // NULL and a number contradict each other
    return value::sum(a, every, keep_axes != 0);
  });
}
cyclotome_status cyclotome_item(const cyclotome_array* x, int64_t index, cyclotome_array** result) {
  return of_one(x, result, [&](const EncryptedArray& a) { return value::item(a, index); });
}
cyclotome_status cyclotome_slice(const cyclotome_array* x, size_t start, size_t stop, cyclotome_array** result) {
  return of_one(x, result, [&](const EncryptedArray& a) { return value::slice(a, start, stop); });
}
cyclotome_status cyclotome_reshape(const cyclotome_array* x, const size_t* shape, size_t axes,
                                   cyclotome_array** result) {
  return of_one(x, result, [&](const EncryptedArray& a) {
    if (axes > value::max_axes) {
      throw ArgumentError(message("a shape of ", axes, " axes; at most ", value::max_axes, " are possible"));
    }
    const std::span<const std::size_t> lengths = c::span_of(shape, axes, "shape");
    return value::reshape(a, {lengths.begin(), lengths.end()});
  });
}
