// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/complex.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/bindings.hpp"
#include "cyclotome/rlwe/noise/flooding.hpp"
#include "cyclotome/scheme/ckks/levels.hpp"
#include "cyclotome/scheme/ckks/parameters.hpp"
#include "cyclotome/scheme/registry.hpp"
#include "cyclotome/value/reals/real_encryption.hpp"
#include "cyclotome/value/reals/real_functions.hpp"
#include "cyclotome/value/reals/real_matrices.hpp"

namespace cyclotome::python {

namespace {

using value::Field;
using value::RealArray;
using value::Reals;
using value::Shape;

using Complexes = nb::ndarray<const std::complex<double>, nb::c_contig, nb::device::cpu>;

Reals reals_of(const Complexes& values, bool complex) {
  Shape shape;
  for (std::size_t i = 0; i < values.ndim(); ++i) shape.push_back(values.shape(i));
  return {std::move(shape), ckks::Numbers(values.data(), values.data() + values.size()),
          complex ? Field::complex : Field::real};
}

/// In memory that is zeroised when NumPy lets go of it.
nb::ndarray<nb::numpy, std::complex<double>> numpy_of(const Reals& values) {
  auto* const kept = new Reals(values);
  const nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<Reals*>(p); });
  return {kept->values.data(), kept->shape.size(), kept->shape.data(), owner};
}

void bind_array(nb::module_& m) {
  nb::class_<Reals>(m, "Reals")
      .def(nb::new_(&reals_of), "values"_a, "complex"_a)
      .def_prop_ro("shape", [](const Reals& values) { return tuple_of(values.shape); })
      .def_prop_ro("complex", [](const Reals& values) { return values.field == Field::complex; })
      .def("numpy", &numpy_of);
  nb::class_<RealArray>(m, "RealArray")
      .def_prop_ro("context", &RealArray::context)
      .def_prop_ro("shape", [](const RealArray& x) { return tuple_of(x.shape()); })
      .def_prop_ro("outer", [](const RealArray& x) { return tuple_of(x.layout().outer()); })
      .def_prop_ro("packed", [](const RealArray& x) { return x.layout().packed(); })
      .def_prop_ro("batch", [](const RealArray& x) { return x.numbers().ciphertext.batch(); })
      .def_prop_ro("complex", [](const RealArray& x) { return x.field() == Field::complex; })
      .def_prop_ro("bound", &RealArray::bound)
      .def_prop_ro("error",
                   [](const RealArray& x) {
                     const ckks::Error error = x.error();
                     return std::pair(error.max, error.rms);
                   })
      .def_prop_ro("scale", [](const RealArray& x) { return x.numbers().scale(); })
      .def_prop_ro("level", [](const RealArray& x) { return x.level().primes; })
      .def_prop_ro("key", [](const RealArray& x) { return to_bytes(x.key()); })
      .def_prop_ro("nbytes", &RealArray::bytes)
      .def("with_keys", &RealArray::with_keys, "keys"_a)
      .def("to", &RealArray::to, "context"_a, "keys"_a, NoGil())
      .def("assume_bound", &RealArray::assume_bound, "bound"_a)
      .def("switch_to_level", &RealArray::switch_to_level, "level"_a, NoGil());
}

template <class Key>
void bind_encryption(nb::module_& m) {
  m.def(
      "encrypt_reals",
      [](const Reals& values, const Key& key, std::optional<double> bound) {
        return value::encrypt(values, key, bound);
      },
      "values"_a, "key"_a, "bound"_a.none(), NoGil());
}

void bind_arithmetic(nb::module_& m) {
  using Both = RealArray (*)(const RealArray&, const RealArray&);
  using Plain = RealArray (*)(const RealArray&, const Reals&);
  m.def("negate", static_cast<RealArray (*)(const RealArray&)>(&value::negate), "x"_a, NoGil());
  m.def("conjugate", &value::conjugate, "x"_a, NoGil());
  m.def("add", static_cast<Both>(&value::add), "x"_a, "y"_a, NoGil());
  m.def("add", static_cast<Plain>(&value::add), "x"_a, "w"_a, NoGil());
  m.def("subtract", static_cast<Both>(&value::subtract), "x"_a, "y"_a, NoGil());
  m.def("subtract", static_cast<Plain>(&value::subtract), "x"_a, "w"_a, NoGil());
  m.def("multiply", static_cast<Both>(&value::multiply), "x"_a, "y"_a, NoGil());
  m.def("multiply", static_cast<Plain>(&value::multiply), "x"_a, "w"_a, NoGil());
  m.def("power", static_cast<RealArray (*)(const RealArray&, std::int64_t)>(&value::power), "x"_a, "exponent"_a,
        NoGil());
  m.def("matmul", static_cast<Plain>(&value::matmul), "x"_a, "w"_a, NoGil());
  m.def("gather", &value::gather, "x"_a, "numbers"_a, NoGil());
  m.def(
      "sum",
      [](const RealArray& x, const std::vector<std::int64_t>& axes, bool keepdims) {
        return value::sum(x, axes, keepdims);
      },
      "x"_a, "axes"_a, "keepdims"_a, NoGil());
  m.def("select", static_cast<RealArray (*)(const RealArray&, const value::Indices&, const Shape&)>(&value::select),
        "x"_a, "numbers"_a, "outer"_a, NoGil());
}

void bind_functions_of_reals(nb::module_& m) {
  m.def(
      "polynomial",
      [](const RealArray& x, const std::vector<double>& coefficients) { return value::polynomial(x, coefficients); },
      "x"_a, "coefficients"_a, NoGil());
  m.def(
      "chebyshev",
      [](const RealArray& x, const std::vector<double>& coefficients, double low, double high) {
        return value::chebyshev(x, coefficients, {low, high});
      },
      "x"_a, "coefficients"_a, "low"_a, "high"_a, NoGil());
  m.def(
      "apply_function",
      [](const RealArray& x, const std::string& name, double low, double high, double precision) {
        return value::apply(x, name, {low, high}, precision);
      },
      "x"_a, "name"_a, "low"_a, "high"_a, "precision"_a, NoGil());
  m.def("step", static_cast<RealArray (*)(const RealArray&, double, double, double, double)>(&value::step), "x"_a,
        "gap"_a, "precision"_a, "low"_a, "high"_a, NoGil());
  m.def("relu", &value::relu, "x"_a, "precision"_a, NoGil());
  m.def("absolute", &value::absolute, "x"_a, "precision"_a, NoGil());
  m.def(
      "fit_function",
      [](const std::string& name, double low, double high, double precision) {
        const value::Fit found = value::fit(value::analytic(name), {low, high}, precision);
        return std::pair(found.coefficients, found.error);
      },
      "name"_a, "low"_a, "high"_a, "precision"_a, NoGil());
}

void bind_real_parameters(nb::module_& m) {
  m.def(
      "parameters_with_scale",
      [](std::size_t degree, unsigned scale_bits, unsigned depth, double bound, double result_bound, unsigned security,
         const std::string& table, bool allow_insecure, bool strict, std::string name) {
        return ckks::with_scale({degree, scale_bits, depth, bound, result_bound, security, rlwe::security_table(table),
                                 allow_insecure, strict, std::move(name)});
      },
      nb::kw_only(), "degree"_a, "scale_bits"_a, "depth"_a, "bound"_a, "result_bound"_a, "security"_a, "table"_a,
      "allow_insecure"_a, "strict"_a, "name"_a, NoGil());
  m.def(
      "suggest_for_reals",
      [](double precision, double bound, double result_bound, unsigned depth, std::size_t min_degree, unsigned security,
         const std::string& table, bool strict, unsigned flooding_bits) {
        return ckks::suggest_reals({precision, bound, result_bound, depth, min_degree, security,
                                    rlwe::security_table(table), strict, flooding_bits});
      },
      nb::kw_only(), "precision"_a, "bound"_a, "result_bound"_a, "depth"_a, "min_degree"_a, "security"_a, "table"_a,
      "strict"_a, "flooding_bits"_a, NoGil());
  m.def("certified_error", &ckks::certified_error, "parameters"_a, "depth"_a, "result_bound"_a, "flooding_bits"_a = 0,
        NoGil());
  m.def("holds_reals", &scheme::holds_reals, "parameters"_a);
  m.def(
      "scheme_holds_reals",
      [](const std::string& name) { return scheme::values_of(scheme::named(name)) == scheme::Values::approximate; },
      "name"_a);
  m.def(
      "real_bound", [](const rlwe::Parameters& parameters) { return ckks::Part::of(parameters).bound(); },
      "parameters"_a);
  m.def(
      "scales",
      [](const rlwe::Parameters& parameters) {
        return ckks::level_scales(parameters.moduli(), ckks::Part::of(parameters).scale());
      },
      "parameters"_a, "Of every level, the lowest first.");
}

}  // namespace

void bind_reals(nb::module_& m) {
  bind_array(m);
  bind_encryption<rlwe::PublicKey>(m);
  bind_encryption<rlwe::SecretKey>(m);
  m.def("decrypt", static_cast<Reals (*)(const RealArray&, const rlwe::SecretKey&)>(&value::decrypt), "x"_a, "key"_a,
        NoGil());
  m.def(
      "reveal_reals",
      [](const RealArray& x, const rlwe::SecretKey& key, double precision, unsigned flooding_bits) {
        return value::reveal(x, key, precision, flooding_bits);
      },
      "x"_a, "key"_a, "precision"_a, "flooding_bits"_a, NoGil());
  m.def(
      "revealed_error",
      [](const RealArray& x, unsigned flooding_bits) {
        const ckks::Approximate& numbers = x.numbers();
        const unsigned bits = flooding_bits + rlwe::flooding_bits_of(numbers.ciphertext.batch());
        return ckks::revealed_error(x.parameters(), numbers.about, numbers.scale(), bits);
      },
      "x"_a, "flooding_bits"_a, NoGil());
  bind_arithmetic(m);
  bind_functions_of_reals(m);
  bind_real_parameters(m);
}

}  // namespace cyclotome::python
