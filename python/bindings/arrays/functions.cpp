// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include "bindings/bindings.hpp"
#include "cyclotome/value/value.hpp"

namespace cyclotome::python {

namespace {

using value::EncryptedArray;
using value::Integers;
using value::Options;

using Both = EncryptedArray (*)(const EncryptedArray&, const EncryptedArray&, const Options&);
using Right = EncryptedArray (*)(const EncryptedArray&, const Integers&, const Options&);
using Left = EncryptedArray (*)(const Integers&, const EncryptedArray&, const Options&);

void bind_comparisons(nb::module_& m) {
  m.def("is_zero", &value::is_zero, "x"_a, "options"_a, NoGil());
  m.def("is_negative", &value::is_negative, "x"_a, "options"_a, NoGil());
  m.def("equal", static_cast<Both>(&value::equal), "x"_a, "y"_a, "options"_a, NoGil());
  m.def("equal", static_cast<Right>(&value::equal), "x"_a, "y"_a, "options"_a, NoGil());
  m.def("less", static_cast<Both>(&value::less), "x"_a, "y"_a, "options"_a, NoGil());
  m.def("less", static_cast<Right>(&value::less), "x"_a, "y"_a, "options"_a, NoGil());
  m.def("less", static_cast<Left>(&value::less), "x"_a, "y"_a, "options"_a, NoGil());
  m.def("maximum", static_cast<Both>(&value::maximum), "x"_a, "y"_a, "options"_a, NoGil());
  m.def("maximum", static_cast<Right>(&value::maximum), "x"_a, "y"_a, "options"_a, NoGil());
  m.def("minimum", static_cast<Both>(&value::minimum), "x"_a, "y"_a, "options"_a, NoGil());
  m.def("minimum", static_cast<Right>(&value::minimum), "x"_a, "y"_a, "options"_a, NoGil());
  m.def("equal_digits", &value::equal_digits, "x"_a, "y"_a, "options"_a, NoGil());
  m.def("less_digits", &value::less_digits, "x"_a, "y"_a, "options"_a, NoGil());
}

void bind_selections(nb::module_& m) {
  using Encrypted = const EncryptedArray&;
  using Plain = const Integers&;
  const auto bind = [&](auto function) { m.def("where", function, "mask"_a, "a"_a, "b"_a, "options"_a, NoGil()); };
  bind(static_cast<EncryptedArray (*)(Encrypted, Encrypted, Encrypted, const Options&)>(&value::where));
  bind(static_cast<EncryptedArray (*)(Encrypted, Encrypted, Plain, const Options&)>(&value::where));
  bind(static_cast<EncryptedArray (*)(Encrypted, Plain, Encrypted, const Options&)>(&value::where));
  bind(static_cast<EncryptedArray (*)(Encrypted, Plain, Plain, const Options&)>(&value::where));
}

template <class Function>
auto ordered(Function function) {
  return
      [function](const EncryptedArray& x, std::int64_t axis, bool descending, std::size_t kept, bool digits,
                 const Options& options) { return function(x, value::Order{axis, descending, kept, digits}, options); };
}

void bind_plain(nb::module_& m) {
  using value::PlainArray;
  using Function = EncryptedArray (*)(const EncryptedArray&, const PlainArray&, const Options&);
  nb::class_<PlainArray>(m, "PlainArray")
      .def(nb::new_([](const rlwe::ContextPtr& context, const Integers& values, const Options& options) {
             return PlainArray(context, values, options);
           }),
           "context"_a, "values"_a, "options"_a, NoGil())
      .def_prop_ro("nbytes", &PlainArray::bytes)
      .def_prop_ro("prepared", &PlainArray::prepared)
      .def("meets", &PlainArray::meets, "x"_a);
  m.def("add", static_cast<Function>(&value::add), "x"_a, "w"_a, "options"_a, NoGil());
  m.def("subtract", static_cast<Function>(&value::subtract), "x"_a, "w"_a, "options"_a, NoGil());
  m.def("multiply", static_cast<Function>(&value::multiply), "x"_a, "w"_a, "options"_a, NoGil());
  m.def(
      "sum_of_products",
      [](const EncryptedArray& x, const PlainArray& w, const std::vector<std::int64_t>& axes, const Options& options) {
        return value::sum_of_products(x, w, axes, options);
      },
      "x"_a, "w"_a, "axes"_a, "options"_a, NoGil());
}

}  // namespace

void bind_functions(nb::module_& m) {
  bind_plain(m);
  m.def("power", &value::power, "x"_a, "exponent"_a, "options"_a, NoGil());
  m.def("polyval", &value::polyval, "coefficients"_a, "x"_a, "options"_a, NoGil());
  m.def("lookup", &value::lookup, "table"_a, "x"_a, "options"_a, NoGil());
  m.def("floor_divide", &value::floor_divide, "x"_a, "divisor"_a, "options"_a, NoGil());
  m.def("remainder", &value::remainder, "x"_a, "divisor"_a, "options"_a, NoGil());
  m.def(
      "divide",
      [](const EncryptedArray& x, std::int64_t divisor, const Options& options) {
        value::Divided parts = value::divide(x, divisor, options);
        return std::pair(std::move(parts.quotient), std::move(parts.remainder));
      },
      "x"_a, "divisor"_a, "options"_a, NoGil());
  bind_comparisons(m);
  bind_selections(m);
  m.def("sorted", ordered(&value::sorted), "x"_a, "axis"_a, "descending"_a, "kept"_a, "digits"_a, "options"_a, NoGil());
  m.def("first_place", ordered(&value::first_place), "x"_a, "axis"_a, "descending"_a, "kept"_a, "digits"_a, "options"_a,
        NoGil());
}

}  // namespace cyclotome::python
