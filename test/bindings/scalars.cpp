// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "cyclotome/math/modulus.hpp"
#include "cyclotome/math/primes.hpp"
#include "cyclotome/math/shoup.hpp"
#include "cyclotome/ring/conversion/base_conversion.hpp"
#include "cyclotome/study/transform/barrett.hpp"
#include "cyclotome/value/polynomials/montgomery.hpp"
#include "testing.hpp"

namespace cyclotome::testing {

namespace {

/// high * 2^(bits of a word) + low.
template <LimbWord W>
Wide<W> wide_of(std::uint64_t low, std::uint64_t high) {
  return static_cast<Wide<W>>(static_cast<Wide<W>>(word_of<W>(high)) << word_bits<W>) | word_of<W>(low);
}

template <LimbWord W>
W modulus_of(std::uint64_t q) {
  if (q < 2 || q >= max_modulus<W>) throw std::invalid_argument(message(q, " is no modulus of this word"));
  return static_cast<W>(q);
}

template <LimbWord W>
void bind_modulus(nb::module_& m, const char* name) {
  using Type = Modulus<W>;
  nb::class_<Type>(m, name)
      .def("__init__", [](Type* self, std::uint64_t q) { new (self) Type(modulus_of<W>(q)); })
      .def_prop_ro("value", [](const Type& q) { return std::uint64_t{q.value()}; })
      .def_prop_ro("bits", &Type::bits)
      .def("add",
           [](const Type& q, const Words& a, const Words& b) {
             return map(a, b, [&](auto x, auto y) { return q.add(word_of<W>(x), word_of<W>(y)); });
           })
      .def("subtract",
           [](const Type& q, const Words& a, const Words& b) {
             return map(a, b, [&](auto x, auto y) { return q.subtract(word_of<W>(x), word_of<W>(y)); });
           })
      .def("negate",
           [](const Type& q, const Words& a) { return map(a, [&](auto x) { return q.negate(word_of<W>(x)); }); })
      .def("multiply",
           [](const Type& q, const Words& a, const Words& b) {
             return map(a, b, [&](auto x, auto y) { return q.multiply(word_of<W>(x), word_of<W>(y)); });
           })
      .def("reduce",
           [](const Type& q, const Words& a) { return map(a, [&](auto x) { return q.reduce(word_of<W>(x)); }); })
      .def("reduce_wide",
           [](const Type& q, const Words& low, const Words& high) {
             return map(low, high, [&](auto x, auto y) { return q.reduce_wide(wide_of<W>(x, y)); });
           })
      .def("reduce_signed", [](const Type& q, std::int64_t x) { return std::uint64_t{q.reduce_signed(x)}; })
      .def("power", [](const Type& q, std::uint64_t base, std::uint64_t exponent) {
        return std::uint64_t{q.power(word_of<W>(base), exponent)};
      });
}

template <LimbWord W>
void bind_products(nb::module_& m, const char* barrett, const char* shoup, const char* montgomery) {
  using Barrett = BarrettProduct<W>;
  nb::class_<Barrett>(m, barrett)
      .def("__init__", [](Barrett* self, std::uint64_t q) { new (self) Barrett(modulus_of<W>(q), bit_length(q)); })
      .def("multiply",
           [](const Barrett& q, const Words& a, const Words& b) {
             return map(a, b, [&](auto x, auto y) { return q.multiply(word_of<W>(x), word_of<W>(y)); });
           })
      .def("multiply_lazy", [](const Barrett& q, const Words& a, const Words& b) {
        return map(a, b, [&](auto x, auto y) { return q.multiply_lazy(word_of<W>(x), word_of<W>(y)); });
      });

  using Shoup = ShoupFactor<W>;
  nb::class_<Shoup>(m, shoup)
      .def("__init__",
           [](Shoup* self, std::uint64_t w, std::uint64_t q) { new (self) Shoup(word_of<W>(w), modulus_of<W>(q)); })
      .def("multiply",
           [](const Shoup& w, const Words& x, std::uint64_t q) {
             return map(x, [&](auto value) { return w.multiply(word_of<W>(value), modulus_of<W>(q)); });
           })
      .def("multiply_lazy", [](const Shoup& w, const Words& x, std::uint64_t q) {
        return map(x, [&](auto value) { return w.multiply_lazy(word_of<W>(value), modulus_of<W>(q)); });
      });

  using Form = Montgomery<W>;
  nb::class_<Form>(m, montgomery)
      .def("__init__", [](Form* self, std::uint64_t q) { new (self) Form(modulus_of<W>(q)); })
      .def("multiply",
           [](const Form& q, const Words& a, const Words& b) {
             return map(a, b, [&](auto x, auto y) { return q.multiply(word_of<W>(x), word_of<W>(y)); });
           })
      .def("reduce",
           [](const Form& q, const Words& low, const Words& high) {
             return map(low, high, [&](auto x, auto y) { return q.reduce(wide_of<W>(x, y)); });
           })
      .def("reduce_lazy",
           [](const Form& q, const Words& low, const Words& high) {
             return map(low, high, [&](auto x, auto y) { return q.reduce_lazy(wide_of<W>(x, y)); });
           })
      .def("enter",
           [](const Form& q, const Words& a) { return map(a, [&](auto x) { return q.enter(word_of<W>(x)); }); })
      .def("leave",
           [](const Form& q, const Words& a) { return map(a, [&](auto x) { return q.leave(word_of<W>(x)); }); });
}

}  // namespace

void bind_scalars(nb::module_& m) {
  bind_modulus<std::uint32_t>(m, "Modulus32");
  bind_modulus<std::uint64_t>(m, "Modulus64");
  bind_products<std::uint32_t>(m, "Barrett32", "Shoup32", "Montgomery32");
  bind_products<std::uint64_t>(m, "Barrett64", "Shoup64", "Montgomery64");
  m.def("bit_length", &bit_length);
  m.def("is_power_of_two", &is_power_of_two);
  m.def("reverse_bits", &reverse_bits);
  m.def("inverse_or_zero", &inverse_or_zero);
  m.def("greatest_common_divisor", &greatest_common_divisor);
  m.def("is_prime", &is_prime);
  m.def("minimal_primitive_root", &minimal_primitive_root, "order"_a, "p"_a);
  m.attr("fraction_bits") = fraction_bits;
}

}  // namespace cyclotome::testing
