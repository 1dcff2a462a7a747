// SPDX-License-Identifier: Apache-2.0
#include <nanobind/ndarray.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/big_integers.hpp"
#include "bindings/bindings.hpp"
#include "bindings/file_path.hpp"
#include "cyclotome/engine/cpu/cpu_engine.hpp"
#include "cyclotome/io/files/file.hpp"
#include "cyclotome/io/objects/product_context_io.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/study/polynomial_product.hpp"

namespace cyclotome::python {

namespace {

using study::ContextPrime;
using study::PolynomialProduct;
using study::ProductContext;
using Integers = nb::typed<nb::list, nb::int_>;
using SmallIntegers = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

BigUnsigned big_of(const nb::int_& value) { return python::big_of(value, ProductContext::max_bits); }

std::vector<BigUnsigned> bigs_of(const std::vector<nb::int_>& values) {
  std::vector<BigUnsigned> bigs;
  for (const auto& value : values) bigs.push_back(big_of(value));
  return bigs;
}

study::Search search_of(const std::string& name) {
  if (name == "below") return study::Search::below;
  if (name == "above") return study::Search::above;
  throw ArgumentError(message("primes are searched \"below\" or \"above\" a power of two, not \"", name, "\""));
}

study::Arithmetic arithmetic_of(const std::string& name) {
  if (name == "words-32") return study::Arithmetic::words_32;
  if (name == "multi-word") return study::Arithmetic::multi_word;
  throw ArgumentError(message("the arithmetic \"", name, "\" is unknown; there are \"words-32\" and \"multi-word\""));
}

/// A property that lists one number of each prime.
void list_of(nb::class_<ProductContext>& type, const char* name, BigUnsigned ContextPrime::* member) {
  type.def_prop_ro(name, [member](const ProductContext& context) {
    nb::list numbers;
    for (const auto& p : context.primes()) numbers.append(int_of(p.*member));
    return Integers(numbers);
  });
}

}  // namespace

void bind_study(nb::module_& m) {
  nb::class_<ProductContext> context(m, "ProductContext");
  context
      .def(
          "__init__",
          [](ProductContext* self, std::size_t degree, const std::vector<nb::int_>& primes,
             const std::vector<nb::int_>& generators) {
            const auto p = bigs_of(primes), g = bigs_of(generators);
            const Unlocked unlocked;
            new (self) ProductContext(degree, p, g);
          },
          "degree"_a, "primes"_a, "generators"_a)
      .def_static(
          "generate",
          [](std::size_t degree, unsigned modulus_bits, unsigned smallest, unsigned largest,
             const std::string& search) {
            return ProductContext::generate({degree, modulus_bits, smallest, largest, search_of(search)});
          },
          "degree"_a, "modulus_bits"_a, "smallest_prime_bits"_a, "largest_prime_bits"_a, "search"_a, NoGil())
      .def_static(
          "of_lengths",
          [](std::size_t degree, const std::vector<unsigned>& lengths, const std::string& search) {
            return ProductContext::of_lengths(degree, lengths, search_of(search));
          },
          "degree"_a, "lengths"_a, "search"_a, NoGil())
      .def_prop_ro("degree", &ProductContext::degree)
      .def_prop_ro("modulus", [](const ProductContext& c) { return int_of(c.modulus()); })
      .def_prop_ro("root", [](const ProductContext& c) { return int_of(c.root()); })
      .def_prop_ro("inverse_root", [](const ProductContext& c) { return int_of(c.inverse_root()); })
      .def_prop_ro("inverse_degree", [](const ProductContext& c) { return int_of(c.inverse_degree()); })
      .def_prop_ro("fingerprint", [](const ProductContext& c) { return to_bytes(c.fingerprint()); })
      .def(
          "lift", [](const ProductContext& c, const std::vector<nb::int_>& r) { return int_of(c.lift(bigs_of(r))); },
          "residues"_a)
      .def("to_bytes", [](const ProductContext& c) { return to_bytes(io::serialize(c)); })
      .def_static(
          "from_bytes",
          [](const nb::bytes& bytes) {
            const auto span = to_span(bytes);
            const Unlocked unlocked;
            return io::read_product_context(span);
          },
          "bytes"_a)
      .def(
          "write_file",
          [](const ProductContext& c, const FilePath& path) {
            io::write_file(path, io::serialize(c), io::Privacy::shared);
          },
          "path"_a, NoGil())
      .def_static(
          "read_file",
          [](const FilePath& path) {
            return io::read_product_context(io::read_object_file(path, io::max_product_context_bytes));
          },
          "path"_a, NoGil());
  list_of(context, "primes", &ContextPrime::prime);
  list_of(context, "cofactors", &ContextPrime::cofactor);
  list_of(context, "generators", &ContextPrime::generator);
  list_of(context, "roots", &ContextPrime::root);
  list_of(context, "coefficients", &ContextPrime::coefficient);

  nb::class_<PolynomialProduct>(m, "PolynomialProduct")
      .def(
          "__init__",
          [](PolynomialProduct* self, const ProductContext& c, const std::string& arithmetic) {
            new (self) PolynomialProduct(c, arithmetic_of(arithmetic));
          },
          "context"_a, "arithmetic"_a, NoGil())
      .def_static(
          "on_engine", [](const ProductContext& c, const EnginePtr& engine) { return PolynomialProduct(c, engine); },
          "context"_a, "engine"_a, NoGil())
      .def_prop_ro("limbs", &PolynomialProduct::limbs)
      .def(
          "load",
          [](PolynomialProduct& p, const nb::bytes& a, const nb::bytes& b, std::size_t limbs) {
            p.load(words_of(a), words_of(b), limbs);
          },
          "a"_a, "b"_a, "limbs"_a)
      .def("decompose", &PolynomialProduct::decompose, NoGil())
      .def("multiply", &PolynomialProduct::multiply, NoGil())
      .def("reconstruct", &PolynomialProduct::reconstruct, NoGil())
      .def(
          "set_small",
          [](PolynomialProduct& p, std::size_t factor, const SmallIntegers& values) {
            p.set_small(factor, {values.data(), values.size()});
          },
          "factor"_a, "values"_a)
      .def(
          "add_small",
          [](PolynomialProduct& p, const SmallIntegers& values) { p.add_small({values.data(), values.size()}); },
          "values"_a)
      .def("take", &PolynomialProduct::take, "factor"_a, "other"_a, NoGil())
      .def("subtract_from", &PolynomialProduct::subtract_from, "other"_a, NoGil())
      .def("result", [](const PolynomialProduct& p) { return bytes_of_words(p.result()); });
}

}  // namespace cyclotome::python
