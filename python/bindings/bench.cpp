// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include <chrono>

#include "bindings.hpp"
#include "cyclotome/engine/cpu/cpu_engine.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/ring/poly.hpp"

namespace cyclotome::python {

namespace {

Word word_of(unsigned bits) {
  if (bits == 32) return Word::u32;
  if (bits == 64) return Word::u64;
  throw ArgumentError(message("words have 32 or 64 bits, not ", bits));
}

/// One polynomial modulo one prime, transformed in place as often as asked: the transform alone, timed without Python.
class TransformBench {
 public:
  TransformBench(const EnginePtr& engine, unsigned word, std::uint64_t modulus, std::size_t degree)
      : polynomial_(engine, Ring::negacyclic(degree, Basis(word_of(word), {modulus})), 1, 1) {
    polynomial_.from_host(std::vector<std::uint64_t>(degree));
  }

  void load(const std::vector<std::uint64_t>& residues) { polynomial_.from_host(residues); }
  std::vector<std::uint64_t> residues() const { return polynomial_.to_host(); }

  /// Nanoseconds of `repetitions` transforms in a row, each of the result of the one before.
  std::uint64_t forward(std::size_t repetitions) {
    return timed(repetitions, Domain::coefficient, [this](View a) { polynomial_.engine()->forward(a); });
  }
  std::uint64_t inverse(std::size_t repetitions) {
    return timed(repetitions, Domain::transform, [this](View a) { polynomial_.engine()->inverse(a); });
  }

 private:
  template <class Transform>
  std::uint64_t timed(std::size_t repetitions, Domain domain, const Transform& transform) {
    polynomial_.set_domain(domain);
    const View a = polynomial_.view();
    const auto start = std::chrono::steady_clock::now();
    for (std::size_t i = 0; i < repetitions; ++i) transform(a);
    const auto elapsed = std::chrono::steady_clock::now() - start;
    return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(elapsed).count());
  }

  PolyArray polynomial_;
};

}  // namespace

void bind_bench(nb::module_& m) {
  nb::class_<TransformBench>(m, "TransformBench",
                             "One polynomial modulo one prime, for timing transforms; it lies there as the last call "
                             "left it.")
      .def(nb::init<const EnginePtr&, unsigned, std::uint64_t, std::size_t>(), "engine"_a, "word"_a, "modulus"_a,
           "degree"_a, NoGil())
      .def("load", &TransformBench::load, "residues"_a, NoGil(), "Sets its n residues, each in [0, modulus).")
      .def("residues", &TransformBench::residues, NoGil())
      .def("forward", &TransformBench::forward, "repetitions"_a, NoGil(),
           "Transforms it `repetitions` times in a row; returns nanoseconds.")
      .def("inverse", &TransformBench::inverse, "repetitions"_a, NoGil(),
           "Transforms it back `repetitions` times in a row; returns nanoseconds.");

  m.def(
      "engine_memory", [](const CpuEngine& engine) { return std::pair(engine.memory_used(), engine.memory_peak()); },
      "engine"_a,
      "Bytes of the engine's memory in use, and the most that were at any time since reset_engine_memory_peak.");
  m.def("reset_engine_memory_peak", &CpuEngine::reset_memory_peak, "engine"_a);
}

}  // namespace cyclotome::python
