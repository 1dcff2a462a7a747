// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/big_integers.hpp"
#include "bindings/bindings.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/value/value.hpp"

namespace cyclotome::python {

namespace {

using value::Bound;
using value::EncryptedArray;
using value::Integers;
using value::Keyring;
using value::Options;
using value::Shape;

/// No bound that fits has more bits; longer ones are refused before they are computed with.
constexpr std::size_t max_bound_bits = 1 << 16;

/// A Python callback that C++ may copy and drop without the interpreter's lock.
std::shared_ptr<nb::object> shared(nb::object callback) {
  return {new nb::object(std::move(callback)), [](nb::object* kept) {
            const nb::gil_scoped_acquire acquire;
            delete kept;
          }};
}

/// Progress to a callback, if there is one; between pieces of work signals are heard too, so that Ctrl-C ends it.
Options options_of(nb::object callback, bool allow_undecryptable, std::string product_method, bool relinearize_products,
                   bool refresh_operands) {
  const bool silent = callback.is_none();
  const auto kept = shared(std::move(callback));
  Options options;
  options.allow_undecryptable = allow_undecryptable;
  options.product_method = std::move(product_method);
  options.relinearize_products = relinearize_products;
  options.refresh_operands = refresh_operands;
  options.progress = [kept, silent](std::size_t done, std::size_t total, std::string_view what) {
    const nb::gil_scoped_acquire acquire;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    if (!silent) (*kept)(done, total, nb::str(what.data(), what.size()));
  };
  return options;
}

using AnyValues = nb::ndarray<const std::int64_t, nb::c_contig, nb::device::cpu>;

Integers integers_of(const AnyValues& values) {
  Shape shape;
  for (std::size_t i = 0; i < values.ndim(); ++i) shape.push_back(values.shape(i));
  return {shape, std::span(values.data(), values.size())};
}

Integers wide_integers(const Shape& shape, std::size_t words, const nb::bytes& bytes) {
  const std::vector<std::uint64_t> data = words_of(bytes);
  return {shape, words, Integers::Words(data.begin(), data.end())};
}

/// One word for each value, in memory that is zeroised when NumPy lets go of it.
nb::ndarray<nb::numpy, std::int64_t> numpy_of(const Integers& values) {
  if (values.words() != 1) throw ArgumentError("these values take more than one word each");
  auto* const kept = new Integers(values);
  const nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<Integers*>(p); });
  auto* const data = const_cast<std::uint64_t*>(kept->data().data());  // no one else has this copy
  return {reinterpret_cast<std::int64_t*>(data), kept->ndim(), kept->shape().data(), owner};
}

std::optional<BigUnsigned> optional_big(const std::optional<nb::int_>& value) {
  return value ? std::optional(big_of(*value, max_bound_bits)) : std::nullopt;
}

value::Integer signed_of(const nb::int_& value) {
  const bool negative = nb::cast<bool>(value.attr("__lt__")(0));
  return value::Integer(big_of(nb::cast<nb::int_>(value.attr("__abs__")()), max_bound_bits), negative);
}

nb::int_ signed_int_of(const value::Integer& value) {
  const nb::int_ magnitude = int_of(value.magnitude);
  return value.negative ? nb::cast<nb::int_>(magnitude.attr("__neg__")()) : magnitude;
}

std::optional<value::Interval> optional_interval(const std::optional<std::pair<nb::int_, nb::int_>>& values) {
  if (!values) return std::nullopt;
  return value::Interval{signed_of(values->first), signed_of(values->second)};
}

/// An array from its parts: what format version 1 describes in metadata.
EncryptedArray array_of(const std::vector<const rlwe::Ciphertext*>& channels, const Shape& shape,
                        value::Placement placement, bool clean, const std::optional<nb::int_>& bound,
                        const std::optional<nb::int_>& l1_bound) {
  value::Channels copies;
  for (const rlwe::Ciphertext* const channel : channels) copies.push_back(*channel);
  if (copies.empty()) throw ArgumentError("an encrypted array takes ciphertexts");
  const value::Layout layout(shape, value::Widths(copies.front().context()->parameters()), placement, clean);
  const std::optional<BigUnsigned> largest = optional_big(bound);
  return {{std::move(copies), layout},
          largest ? Bound(*largest, layout.last(), optional_big(l1_bound)) : Bound::wrapping()};
}

template <class Key>
void bind_encryption(nb::module_& m) {
  m.def(
      "encrypt",
      [](const Integers& values, const Key& key, const std::optional<nb::int_>& bound,
         const std::optional<nb::int_>& l1_bound, bool wrap, std::optional<value::Placement> placement,
         const Options& options, const std::optional<std::pair<nb::int_, nb::int_>>& interval) {
        const value::Encryption how{optional_big(bound),    false, optional_interval(interval),
                                    optional_big(l1_bound), wrap,  placement};
        const Unlocked unlocked;
        return value::encrypt(values, key, how, options);
      },
      "values"_a, "key"_a, "bound"_a.none(), "l1_bound"_a.none(), "wrap"_a, "placement"_a.none(), "options"_a,
      "interval"_a = nb::none());
}

void bind_shape(nb::module_& m) {
  m.def(
      "encrypt_shape",
      [](const Shape& shape, const rlwe::PublicKey& key, const std::optional<nb::int_>& l1_bound, bool wrap,
         std::optional<value::Placement> placement, const Options& options,
         const std::optional<std::pair<nb::int_, nb::int_>>& interval) {
        const value::Encryption how{std::nullopt,           false, optional_interval(interval),
                                    optional_big(l1_bound), wrap,  placement};
        const Unlocked unlocked;
        return value::encrypt_shape(shape, key, how, options);
      },
      "shape"_a, "key"_a, "l1_bound"_a.none(), "wrap"_a, "placement"_a.none(), "options"_a, "interval"_a.none());
}

void bind_parts(nb::module_& m) {
  nb::class_<Options>(m, "Options")
      .def(nb::new_(&options_of), "progress"_a.none(), "allow_undecryptable"_a, "product_method"_a = "",
           "relinearize_products"_a = false, "refresh_operands"_a = false);
  nb::class_<Integers>(m, "Integers")
      .def(nb::new_(&integers_of), "values"_a)
      .def_static("wide", &wide_integers, "shape"_a, "words"_a, "bytes"_a)
      .def_prop_ro("shape", [](const Integers& values) { return tuple_of(values.shape()); })
      .def_prop_ro("words", &Integers::words)
      .def("numpy", &numpy_of)
      .def("to_bytes", [](const Integers& values) { return bytes_of_words(values.data()); });
  nb::class_<Keyring>(m, "Keyring")
      .def(nb::new_([](std::shared_ptr<rlwe::PublicKey> encryption, std::shared_ptr<rlwe::EvaluationKeys> evaluation) {
             Keyring ring;
             ring.encryption = std::move(encryption);
             ring.evaluation = std::move(evaluation);
             return ring;
           }),
           "encryption"_a.none(), "evaluation"_a.none());
  nb::enum_<value::Placement>(m, "Placement")
      .value("replicated", value::Placement::replicated)
      .value("slots", value::Placement::slots)
      .value("coefficients", value::Placement::coefficients);
  nb::class_<Bound>(m, "Bound")
      .def_prop_ro("wraps", &Bound::wraps)
      .def_prop_ro("starts_at_zero", &Bound::starts_at_zero)
      .def_prop_ro("is_bits", &Bound::is_bits)
      .def_prop_ro("largest", [](const Bound& bound) { return int_of(bound.largest()); })
      .def_prop_ro("values",
                   [](const Bound& bound) -> std::pair<nb::int_, nb::int_> {
                     return {signed_int_of(bound.values().low), signed_int_of(bound.values().high)};
                   })
      .def_prop_ro("row", [](const Bound& bound) { return int_of(bound.row()); })
      .def(
          "joined",
          [](const Bound& a, const Bound& b, std::size_t length) { return value::joint_bound("shards", a, b, length); },
          "other"_a, "length"_a)
      .def(
          "together",
          [](const Bound& a, const Bound& b, std::size_t length) {
            return value::appended_bound("shards", a, b, length);
          },
          "other"_a, "length"_a)
      .def("total", &value::total_bound, "shape"_a, "axes"_a)
      .def(
          "left_product",
          [](const Bound& x, const Integers& matrix, std::size_t length) {
            return value::left_product_bound(matrix, x, length);
          },
          "matrix"_a, "length"_a)
      .def(
          "left_vector_product",
          [](const Bound& x, const Integers& matrix) {
            return value::left_vector_product_bound(value::MatrixSize(matrix), x);
          },
          "matrix"_a)
      .def(
          "right_product",
          [](const Bound& x, const Integers& matrix) {
            return value::right_product_bound(x, value::MatrixSize(matrix));
          },
          "matrix"_a);
}

void bind_array(nb::module_& m) {
  nb::class_<EncryptedArray>(m, "EncryptedArray")
      .def(nb::new_(&array_of), "channels"_a, "shape"_a, "placement"_a, "clean"_a, "bound"_a.none(),
           "l1_bound"_a = nb::none())
      .def_prop_ro("context", &EncryptedArray::context)
      .def_prop_ro("shape", [](const EncryptedArray& x) { return tuple_of(x.shape()); })
      .def_prop_ro("placement", [](const EncryptedArray& x) { return x.layout().placement(); })
      .def_prop_ro("clean", [](const EncryptedArray& x) { return x.layout().clean(); })
      .def_prop_ro("outer", [](const EncryptedArray& x) { return tuple_of(x.layout().outer()); })
      .def_prop_ro("batch", [](const EncryptedArray& x) { return x.layout().batch(); })
      .def_prop_ro("bound", &EncryptedArray::bound, nb::rv_policy::copy)
      .def_prop_ro("key", [](const EncryptedArray& x) { return to_bytes(x.key()); })
      .def_prop_ro("channels", [](const EncryptedArray& x) { return x.channels(); })
      .def_prop_ro("channels_as_they_are", [](const EncryptedArray& x) { return x.as_it_is().channels; })
      .def_prop_ro("nbytes", &EncryptedArray::bytes)
      .def_prop_ro("held_bytes", &EncryptedArray::held_bytes)
      .def_prop_ro("noise_headroom", &EncryptedArray::noise_headroom)
      .def_prop_ro("level", &EncryptedArray::level)
      .def_prop_ro("parts", [](const EncryptedArray& x) { return x.waits() ? 2 : x.channels().front().parts(); })
      .def_prop_ro("waits", &EncryptedArray::waits)
      .def("with_keys", &EncryptedArray::with_keys, "keys"_a)
      .def("to", nb::overload_cast<const rlwe::ContextPtr&, const Keyring&>(&EncryptedArray::to, nb::const_),
           "context"_a, "keys"_a, NoGil())
      .def("transformed", &EncryptedArray::transformed, NoGil())
      .def("in_native_domain", &EncryptedArray::in_native_domain, NoGil())
      .def_prop_ro("is_transformed", &EncryptedArray::is_transformed)
      .def("switch_to_level", &EncryptedArray::switch_to_level, "level"_a, NoGil())
      .def("switch_to_least_level", &EncryptedArray::switch_to_least_level, "headroom"_a, NoGil());
}

void bind_arithmetic(nb::module_& m) {
  using Both = EncryptedArray (*)(const EncryptedArray&, const EncryptedArray&, const Options&);
  using Right = EncryptedArray (*)(const EncryptedArray&, const Integers&, const Options&);
  using Left = EncryptedArray (*)(const Integers&, const EncryptedArray&, const Options&);
  m.def("negate", nb::overload_cast<const EncryptedArray&>(&value::negate), "x"_a, NoGil());
  m.def("add", static_cast<Both>(&value::add), "x"_a, "y"_a, "options"_a, NoGil());
  m.def("add", static_cast<Right>(&value::add), "x"_a, "w"_a, "options"_a, NoGil());
  m.def("subtract", static_cast<Both>(&value::subtract), "x"_a, "y"_a, "options"_a, NoGil());
  m.def("subtract", static_cast<Right>(&value::subtract), "x"_a, "w"_a, "options"_a, NoGil());
  m.def("subtract", static_cast<Left>(&value::subtract), "w"_a, "x"_a, "options"_a, NoGil());
  m.def("multiply", static_cast<Both>(&value::multiply), "x"_a, "y"_a, "options"_a, NoGil());
  m.def("multiply", static_cast<Right>(&value::multiply), "x"_a, "w"_a, "options"_a, NoGil());
  m.def("matmul", static_cast<Both>(&value::matmul), "x"_a, "y"_a, "options"_a, NoGil());
  m.def(
      "sum_of_products",
      [](const EncryptedArray& x, const EncryptedArray& y, const std::vector<std::int64_t>& axes,
         const Options& options) { return value::sum_of_products(x, y, axes, options); },
      "x"_a, "y"_a, "axes"_a, "options"_a, NoGil());
  m.def("matmul", static_cast<Right>(&value::matmul), "x"_a, "matrix"_a, "options"_a, NoGil());
  m.def("matmul", static_cast<Left>(&value::matmul), "matrix"_a, "x"_a, "options"_a, NoGil());
  nb::class_<value::Matrix>(m, "Matrix")
      .def(nb::init<const rlwe::ContextPtr&, Integers>(), "context"_a, "values"_a)
      .def_prop_ro("shape", [](const value::Matrix& matrix) { return tuple_of(matrix.values().shape()); })
      .def_prop_ro("context", &value::Matrix::context)
      .def_prop_ro("values", &value::Matrix::values)
      .def_prop_ro("nbytes", &value::Matrix::bytes)
      .def(
          "prepare",
          [](const value::Matrix& matrix, bool transposed) { static_cast<void>(matrix.diagonals(transposed, true)); },
          "transposed"_a, NoGil());
  m.def("matmul", nb::overload_cast<const value::Matrix&, const EncryptedArray&, const Options&>(&value::matmul),
        "matrix"_a, "x"_a, "options"_a, NoGil());
  m.def("matmul", nb::overload_cast<const EncryptedArray&, const value::Matrix&, const Options&>(&value::matmul), "x"_a,
        "matrix"_a, "options"_a, NoGil());
  m.def(
      "sum",
      [](const EncryptedArray& x, const std::vector<std::int64_t>& axes, bool keepdims, const Options& options) {
        return value::sum(x, axes, keepdims, options);
      },
      "x"_a, "axes"_a, "keepdims"_a, "options"_a, NoGil());
}

void bind_polynomials(nb::module_& m) {
  using Right = EncryptedArray (*)(const EncryptedArray&, const Integers&, const Options&);
  using Both = EncryptedArray (*)(const EncryptedArray&, const EncryptedArray&, value::Relinearization, const Options&);
  const auto product = [&m](const char* name, Both both, Right right) {
    m.def(
        name,
        [both](const EncryptedArray& x, const EncryptedArray& y, bool relinearize, const Options& options) {
          return both(x, y, value::Relinearization(relinearize), options);
        },
        "x"_a, "y"_a, "relinearize"_a, "options"_a, NoGil());
    m.def(
        name,
        [right](const EncryptedArray& x, const Integers& w, const Options& options) { return right(x, w, options); },
        "x"_a, "w"_a, "options"_a, NoGil());
  };
  product("negacyclic_product", &value::negacyclic_product, &value::negacyclic_product);
  product("convolve", &value::convolve, &value::convolve);
  const auto rescaled = [&m](const char* name,
                             EncryptedArray (*function)(const EncryptedArray&, value::Scaling, const Options&)) {
    m.def(
        name,
        [function](const EncryptedArray& x, bool scaled, const Options& options) {
          return function(x, value::Scaling(scaled), options);
        },
        "x"_a, "scaled"_a, "options"_a, NoGil());
  };
  rescaled("expand", &value::expand);
  rescaled("pack_constant_terms", &value::pack_constant_terms);
  m.def("packed_in_coefficients", &value::packed_in_coefficients, "x"_a, "options"_a, NoGil());
  m.def("relinearized", &value::relinearized, "x"_a, "options"_a, NoGil());
  m.def("automorphism", &value::automorphism, "x"_a, "element"_a, "options"_a, NoGil());
  m.def("coefficient_trace", &value::coefficient_trace, "x"_a, "options"_a, NoGil());
  m.def("trace_elements", &value::trace_elements, "parameters"_a);
}

std::vector<EncryptedArray> copied(const std::vector<const EncryptedArray*>& arrays) {
  std::vector<EncryptedArray> copies;
  for (const EncryptedArray* const x : arrays) copies.push_back(*x);
  return copies;
}

void bind_shaping(nb::module_& m) {
  using Arrays = std::vector<const EncryptedArray*>;
  m.def(
      "broadcast_shape",
      [](const std::string& operation, const Shape& a, const Shape& b) {
        return tuple_of(value::broadcast_shape(operation.c_str(), a, b));
      },
      "operation"_a, "a"_a, "b"_a);
  m.def("refresh", &value::refresh, "x"_a, "options"_a, NoGil());
  nb::class_<value::RefreshFacts>(m, "RefreshFacts")
      .def_ro("weight", &value::RefreshFacts::weight)
      .def_ro("products", &value::RefreshFacts::products)
      .def_ro("refreshed_headroom", &value::RefreshFacts::refreshed_headroom)
      .def_ro("least_headroom", &value::RefreshFacts::least_headroom);
  m.def("refresh_facts", &value::refresh_facts, "context"_a, NoGil());
  m.def("rekey", &value::rekey, "x"_a, "key"_a, "options"_a, NoGil());
  m.def("rerandomize", &value::rerandomize, "x"_a, "key"_a, "options"_a, NoGil());
  m.def("reshape", &value::reshape, "x"_a, "shape"_a, NoGil());
  m.def(
      "assume_bound",
      [](const EncryptedArray& x, const std::pair<nb::int_, nb::int_>& interval,
         const std::optional<nb::int_>& l1_bound) {
        return value::assume_bound(x, *optional_interval(interval), optional_big(l1_bound));
      },
      "x"_a, "interval"_a, "l1_bound"_a.none());
  m.def("rearranged", &value::rearranged, "x"_a, "numbers"_a, "shape"_a, "options"_a, NoGil());
  m.def("select", &value::select, "x"_a, "numbers"_a, "outer"_a, NoGil());
  m.def(
      "concatenate",
      [](const Arrays& arrays, std::int64_t axis, const Options& options) {
        return value::concatenate(copied(arrays), axis, options);
      },
      "arrays"_a, "axis"_a, "options"_a, NoGil());
  m.def(
      "stack",
      [](const Arrays& arrays, std::int64_t axis, const Options& options) {
        return value::stack(copied(arrays), axis, options);
      },
      "arrays"_a, "axis"_a, "options"_a, NoGil());
  m.def(
      "sum_of_parts",
      [](const Arrays& parts, const Bound& bound, const Options& options) {
        return value::sum_of_parts(copied(parts), bound, options);
      },
      "parts"_a, "bound"_a, "options"_a, NoGil());
  m.def("packed", &value::packed, "x"_a, "options"_a, NoGil());
  m.def("padded", &value::padded, "x"_a, "options"_a, NoGil());
  m.def("rotate_rows", nb::overload_cast<const EncryptedArray&, std::int64_t, const Options&>(&value::rotate_rows),
        "x"_a, "steps"_a, "options"_a, NoGil());
  m.def(
      "rotate_rows",
      [](const EncryptedArray& x, const std::vector<std::int64_t>& steps, const Options& options) {
        return value::rotate_rows(x, steps, options);
      },
      "x"_a, "steps"_a, "options"_a, NoGil());
  m.def("rotate_columns", &value::rotate_columns, "x"_a, "options"_a, NoGil());
  m.def("roll", &value::roll, "x"_a, "dimension"_a, "steps"_a, "options"_a, NoGil());
  m.def("frobenius", &value::frobenius, "x"_a, "power"_a, "options"_a, NoGil());
  m.def("trace", &value::trace, "x"_a, "options"_a, NoGil());
}

void bind_decryption(nb::module_& m) {
  m.def("decrypt", &value::decrypt, "x"_a, "key"_a, "options"_a, NoGil());
  m.def("reveal", &value::reveal, "x"_a, "key"_a, "flooding_bits"_a, "options"_a, NoGil());
  m.def("noise_budget", &value::noise_budget, "x"_a, "key"_a, NoGil());
}

}  // namespace

nb::typed<nb::tuple, nb::int_, nb::ellipsis> tuple_of(const std::vector<std::size_t>& shape) {
  nb::list lengths;
  for (const std::size_t length : shape) lengths.append(length);
  return nb::tuple(lengths);
}

void bind_arrays(nb::module_& m) {
  bind_parts(m);
  bind_array(m);
  bind_encryption<rlwe::PublicKey>(m);
  bind_encryption<rlwe::SecretKey>(m);
  bind_shape(m);
  bind_arithmetic(m);
  bind_polynomials(m);
  bind_shaping(m);
  bind_decryption(m);
}

}  // namespace cyclotome::python
