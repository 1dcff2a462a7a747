// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include <array>

#include "bindings/bindings.hpp"
#include "cyclotome/engine/poly.hpp"
#include "cyclotome/engine/work_clock.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/program/composites.hpp"
#include "cyclotome/ring/conversion/base_conversion.hpp"
#include "cyclotome/ring/conversion/divide_and_round.hpp"
#include "cyclotome/rlwe/noise/parameter_noise.hpp"
#include "cyclotome/rlwe/operations.hpp"
#include "cyclotome/rlwe/switching/key_switch_program.hpp"
#include "cyclotome/scheme/scheme.hpp"

namespace cyclotome::python {

namespace {

Word word_of(unsigned bits) {
  if (bits == 32) return Word::u32;
  if (bits == 64) return Word::u64;
  throw ArgumentError(message("words have 32 or 64 bits, not ", bits));
}

/// Polynomials modulo one or several primes, transformed in place as often as asked: the transform alone, timed without
/// Python.
class TransformBench {
 public:
  TransformBench(const EnginePtr& engine, unsigned word, const std::vector<std::uint64_t>& moduli, std::size_t degree,
                 std::size_t batch)
      : polynomials_(engine, Ring::negacyclic(degree, Basis(word_of(word), moduli)), batch, 1) {
    engine->clear(polynomials_.view());
  }

  void load(const std::vector<std::uint64_t>& residues) {
    polynomials_.set_domain(Domain::coefficient);
    polynomials_.from_host(residues);
  }
  std::vector<std::uint64_t> residues() const { return polynomials_.to_host(); }

  /// Nanoseconds of `repetitions` transforms in a row, each of the result of the one before.
  std::uint64_t forward(std::size_t repetitions) {
    return timed(repetitions, Domain::coefficient, [this](View a) { polynomials_.engine()->forward(a); });
  }
  std::uint64_t inverse(std::size_t repetitions) {
    return timed(repetitions, Domain::transform, [this](View a) { polynomials_.engine()->inverse(a); });
  }

  /// Fills the array with random residues and transforms it there and back; true if its first and last polynomials are
  /// what `reference` makes of the same residues, and all come back.
  bool agrees_with(const EnginePtr& reference) {
    const EnginePtr& engine = polynomials_.engine();
    polynomials_.set_domain(Domain::coefficient);
    const View all = polynomials_.view();
    engine->sample(all, Law::uniform, Seed::from_system(), Stream::public_uniform);
    const std::size_t last = all.batch - 1;
    const PolyArray before = polynomials_.clone();
    engine->forward(all);
    polynomials_.set_domain(Domain::transform);
    bool right = true;
    for (const std::size_t item : {std::size_t{0}, last}) {
      PolyArray expected = item_of(before, item).to(reference);
      expected.to_transform();
      right &= expected.to_host() == item_of(polynomials_, item).to_host();
    }
    engine->inverse(polynomials_.view());
    polynomials_.set_domain(Domain::coefficient);
    return right && item_of(polynomials_, 0).to_host() == item_of(before, 0).to_host() &&
           item_of(polynomials_, last).to_host() == item_of(before, last).to_host();
  }

 private:
  /// A copy of one item.
  static PolyArray item_of(const PolyArray& array, std::size_t item) {
    PolyArray copy(array.engine(), array.ring(), 1, array.parts(), array.domain());
    array.engine()->copy(copy.view(), array.view().items(item, 1));
    return copy;
  }

  template <class Transform>
  std::uint64_t timed(std::size_t repetitions, Domain domain, const Transform& transform) {
    polynomials_.set_domain(domain);
    const View a = polynomials_.view();
    Engine& engine = *polynomials_.engine();
    engine.synchronize();
    const WorkClock clock(engine);
    const std::int64_t start = clock.nanoseconds();
    for (std::size_t i = 0; i < repetitions; ++i) transform(a);
    engine.synchronize();
    return static_cast<std::uint64_t>(clock.nanoseconds() - start);
  }

  PolyArray polynomials_;
};

/// Nanoseconds of the engine's `WorkClock` for one call of `work`, which asks `engine` for something: `repetitions` in
/// a row after one that warms up.
template <class Work>
double nanoseconds_each(Engine& engine, std::size_t repetitions, const Work& work) {
  work();
  engine.synchronize();
  const WorkClock clock(engine);
  const std::int64_t start = clock.nanoseconds();
  for (std::size_t i = 0; i < repetitions; ++i) work();
  engine.synchronize();
  return static_cast<double>(clock.nanoseconds() - start) / static_cast<double>(repetitions);
}

PolyArray random_polynomials(const EnginePtr& engine, const RingPtr& ring) {
  PolyArray a(engine, ring, 1, 1);
  engine->sample(a.view(), Law::uniform, Seed::from_system(), Stream::public_uniform);
  return a;
}

/// One polynomial from the basis `sources` to the basis `targets`, the fast way.
double conversion_nanoseconds(const EnginePtr& engine, unsigned word, std::size_t degree,
                              const std::vector<std::uint64_t>& sources, const std::vector<std::uint64_t>& targets,
                              std::size_t repetitions) {
  const Basis from(word_of(word), sources), to(word_of(word), targets);
  const BaseConversion conversion(from, to, Lift::fast);
  const PolyArray a = random_polynomials(engine, Ring::negacyclic(degree, from));
  PolyArray out(engine, Ring::negacyclic(degree, to), 1, 1);
  return nanoseconds_each(*engine, repetitions, [&] { engine->convert(out.view(), a.view(), conversion); });
}

/// One polynomial over both bases divided by the product of `dropped`, and rounded.
double division_nanoseconds(const EnginePtr& engine, unsigned word, std::size_t degree,
                            const std::vector<std::uint64_t>& kept, const std::vector<std::uint64_t>& dropped,
                            std::size_t repetitions) {
  const DivideAndRound step(Ring::negacyclic(degree, Basis(word_of(word), kept)),
                            Ring::negacyclic(degree, Basis(word_of(word), dropped)));
  const PolyArray a = random_polynomials(engine, step.kept), b = random_polynomials(engine, step.dropped);
  PolyArray out(engine, step.kept, 1, 1);
  program::Builder program("division");
  const auto quotient = program.output(step.kept, 1, Domain::coefficient),
             whole = program.input(step.kept, 1, Domain::coefficient),
             rest = program.input(step.dropped, 1, Domain::coefficient);
  program::divide_and_round(program, quotient, whole, rest, step);
  const ExecutionPtr division = engine->prepare(program.finish());
  const std::array<Operand, 3> operands{out.view(), a.view(), b.view()};
  return nanoseconds_each(*engine, repetitions, [&] { division->run(operands); });
}

/// The product whose key switch runs over all of the factors' primes, whatever the noise: what levelled ones are
/// measured beside. Of one object twice: the square.
rlwe::Ciphertext multiply_switched_over_all(const rlwe::Ciphertext& a, const rlwe::Ciphertext& b,
                                            const rlwe::EvaluationKeys& keys) {
  const rlwe::Ciphertext product = &a == &b ? scheme::square(a) : scheme::multiply(a, b);
  const rlwe::Context& context = *product.context();
  const rlwe::Level all = product.level();
  PolyArray result = product.like(product.batch(), 2);
  const std::array<Operand, 3> operands{result.view(), product.polynomials().view(),
                                        rlwe::relinearization_key(product, keys)};
  rlwe::relinearization(context, {product.plain(), all, all, all})->run(operands);
  return product.derived(std::move(result),
                         rlwe::key_switched_noise(context.parameters(), product.noise(), all, all, 3,
                                                  context.key_switch(all, product.plain()).relinearization_noise()));
}

}  // namespace

void bind_bench(nb::module_& m) {
  nb::class_<TransformBench>(m, "TransformBench",
                             "Polynomials modulo one or several primes, for timing transforms; they lie there as the "
                             "last call left them.")
      .def(nb::init<const EnginePtr&, unsigned, const std::vector<std::uint64_t>&, std::size_t, std::size_t>(),
           "engine"_a, "word"_a, "moduli"_a, "degree"_a, "batch"_a = 1, NoGil())
      .def("load", &TransformBench::load, "residues"_a, NoGil(),
           "Sets its residues[batch][modulus][coefficient], each in [0, modulus).")
      .def("residues", &TransformBench::residues, NoGil())
      .def("forward", &TransformBench::forward, "repetitions"_a, NoGil(),
           "Transforms them `repetitions` times in a row; returns nanoseconds.")
      .def("inverse", &TransformBench::inverse, "repetitions"_a, NoGil(),
           "Transforms them back `repetitions` times in a row; returns nanoseconds.")
      .def("agrees_with", &TransformBench::agrees_with, "reference"_a, NoGil(),
           "Whether random residues are transformed as the engine `reference` does it (the first and last polynomial), "
           "and come back.");
  m.def("conversion_nanoseconds", &conversion_nanoseconds, "engine"_a, "word"_a, "degree"_a, "sources"_a, "targets"_a,
        "repetitions"_a, NoGil(), "Time of one polynomial's fast conversion from one basis to another.");
  m.def("division_nanoseconds", &division_nanoseconds, "engine"_a, "word"_a, "degree"_a, "kept"_a, "dropped"_a,
        "repetitions"_a, NoGil(), "Time of one polynomial's division by the product of `dropped`, rounded.");
  m.def("multiply_switched_over_all", &multiply_switched_over_all, "a"_a, "b"_a, "keys"_a, NoGil(),
        "The relinearised product whose key switch runs over all primes, whatever the noise.");
}

}  // namespace cyclotome::python
