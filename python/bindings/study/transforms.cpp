// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <optional>
#include <tuple>

#include "bindings/bindings.hpp"
#include "cyclotome/engine/engine.hpp"
#include "cyclotome/math/bits.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/study/transform/polynomial_transform.hpp"
#include "cyclotome/study/transform/transform_engine.hpp"

// The transforms under study, on any engine.
namespace cyclotome::python {

namespace {

using study::PolynomialTransform;
using Residues = nb::ndarray<const std::uint64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using NumpyResidues = nb::ndarray<nb::numpy, std::uint64_t, nb::ndim<1>>;

std::span<const std::uint64_t> span_of(const Residues& a) { return {a.data(), a.size()}; }

Word word_of(unsigned bits) {
  if (bits == 32) return Word::u32;
  if (bits == 64) return Word::u64;
  throw ArgumentError(message("words have 32 or 64 bits, not ", bits));
}

/// compute() without the interpreter's lock, as an array of NumPy's.
template <class Compute>
NumpyResidues residues(const Compute& compute) {
  auto* const values = new std::vector<std::uint64_t>;
  const nb::capsule owner(values, [](void* p) noexcept { delete static_cast<std::vector<std::uint64_t>*>(p); });
  {
    const Unlocked unlocked;
    *values = compute();
  }
  return NumpyResidues(values->data(), {values->size()}, owner);
}

std::vector<std::tuple<std::string, std::string, std::string>> designs() {
  std::vector<std::tuple<std::string, std::string, std::string>> found;
  for (const DesignFacts& facts : transform_designs) found.emplace_back(facts.name, facts.label, facts.source);
  return found;
}

void require_design(const std::string& design, std::size_t degree, unsigned word) {
  study::require_supported(design_of(design), degree, bytes_of(word_of(word)));
}

std::vector<std::string> steps(const std::string& name, std::size_t degree, unsigned word, bool inverse) {
  require_design(name, degree, word);
  return study::describe(design_of(name), bit_length(degree) - 1, bytes_of(word_of(word)), inverse);
}

}  // namespace

void bind_transforms(nb::module_& m) {
  m.def("transform_designs", &designs, "Name, label and source of each transform design for study.");
  m.def(
      "transform_engine",
      [](const std::string& design, const EnginePtr& host) {
        return study::make_transform_engine(design_of(design), host);
      },
      "design"_a, "host"_a, NoGil(),
      "An engine that computes as `host`, a CPU engine, does, but transforms by this design; the bits are every "
      "engine's.");
  m.def("require_transform_design", &require_design, "design"_a, "degree"_a, "word"_a,
        "ArgumentError unless the design transforms polynomials of this degree in words of so many bits.");
  m.def("transform_steps", &steps, "design"_a, "degree"_a, "word"_a, "inverse"_a,
        "What a transform of this design does, one kernel after the other, in words.");

  nb::class_<PolynomialTransform>(m, "PolynomialTransform",
                                  "Polynomials modulo x^n + 1 and a prime, transformed by an engine's transform.")
      .def(
          "__init__",
          [](PolynomialTransform* self, const EnginePtr& engine, std::size_t degree, std::uint64_t prime,
             std::optional<unsigned> word) {
            const auto chosen = word ? std::optional(word_of(*word)) : std::nullopt;
            new (self) PolynomialTransform(engine, degree, prime, chosen);
          },
          "engine"_a, "degree"_a, "prime"_a, "word"_a = nb::none(), NoGil())
      .def_prop_ro("word", [](const PolynomialTransform& t) { return bits_of(t.word()); })
      .def_prop_ro("gaussian", &PolynomialTransform::gaussian)
      .def_prop_ro("root", &PolynomialTransform::root)
      .def_prop_ro("exponents", &PolynomialTransform::exponents)
      .def(
          "forward",
          [](const PolynomialTransform& t, const Residues& a) {
            return residues([&] { return t.forward(span_of(a)); });
          },
          "coefficients"_a)
      .def(
          "inverse",
          [](const PolynomialTransform& t, const Residues& a) {
            return residues([&] { return t.inverse(span_of(a)); });
          },
          "values"_a)
      .def(
          "multiply_values",
          [](const PolynomialTransform& t, const Residues& a, const Residues& b) {
            return residues([&] { return t.multiply_values(span_of(a), span_of(b)); });
          },
          "a"_a, "b"_a)
      .def(
          "multiply",
          [](const PolynomialTransform& t, const Residues& a, const Residues& b) {
            return residues([&] { return t.multiply(span_of(a), span_of(b)); });
          },
          "a"_a, "b"_a)
      .def("time", &PolynomialTransform::time, "inverse"_a, "batch"_a, "repetitions"_a, NoGil(),
           "Nanoseconds of `repetitions` transforms of `batch` polynomials each, by the host's clock.");
}

}  // namespace cyclotome::python
