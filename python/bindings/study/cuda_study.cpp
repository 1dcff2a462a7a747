// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>

#include "bindings/bindings.hpp"
#include "cyclotome/engine/engine.hpp"
#include "cyclotome/engine/poly.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/primes.hpp"
#include "cyclotome/ring/conversion/mixed_radix.hpp"
#include "cyclotome/study/transform/design.hpp"

#ifdef CYCLOTOME_CUDA
#include "cyclotome/engine/cuda/study/study_engine.hpp"
#endif

// The transforms of papers 000 and 001 on a GPU, for the benchmark. The same functions in every build.
namespace cyclotome::python {

namespace {

using Microseconds = std::pair<double, double>;

std::vector<std::string> designs() {
  std::vector<std::string> labels;
  for (const DesignFacts& facts : transform_designs) labels.emplace_back(facts.label);
  return labels;
}

#ifdef CYCLOTOME_CUDA

constexpr unsigned warm_up = 3;

EnginePtr study_engine(const std::string& design, int device) { return StudyEngine::create(design_of(design), device); }

/// Random residues modulo the largest primes of so many bits that are 1 modulo 2n.
PolyArray random_polynomials(const EnginePtr& engine, std::size_t degree, unsigned prime_bits, std::size_t limbs,
                             std::size_t batch) {
  const Word word = prime_bits < 32 ? Word::u32 : Word::u64;
  PolyArray a(
      engine,
      Ring::negacyclic(degree, Basis(word, primes_congruent_to_one(
                                               prime_bits, RingShape::negacyclic(degree)->transform_step(), limbs))),
      batch, 1);
  engine->sample(a.view(), Law::uniform, Seed::from_system(), Stream::public_uniform);
  return a;
}

double event_time(StudyEngine& engine, const std::function<void()>& work, unsigned repetitions) {
  for (unsigned i = 0; i < warm_up; ++i) work();
  return engine.event_time(work, repetitions);
}

std::optional<Microseconds> transform_times(const std::string& name, std::size_t degree, unsigned prime_bits,
                                            std::size_t limbs, std::size_t batch, unsigned repetitions, bool gaussian,
                                            int device) {
  const TransformDesign design = design_of(name);
  if (gaussian && !is_gaussian(design)) {
    throw ArgumentError("only a DGT works on Gaussian residues; design " + name + " does not");
  }
  if (!is_power_of_two(degree)) throw ArgumentError(message("degree ", degree, " is not a power of two"));
  if (!study::supports(design, bit_length(degree) - 1, prime_bits < 32 ? 4 : 8)) return std::nullopt;
  const auto engine = StudyEngine::create(design, device);
  PolyArray a = random_polynomials(engine, degree, prime_bits, limbs, batch);
  const View there = a.view();
  View back = there;
  back.domain = Domain::transform;
  const auto forward = [&] { gaussian ? engine->forward_gaussian(there) : engine->forward(there); };
  const auto inverse = [&] { gaussian ? engine->inverse_gaussian(back) : engine->inverse(back); };
  const double first = event_time(*engine, forward, repetitions), second = event_time(*engine, inverse, repetitions);
  return Microseconds{first, second};
}

double reconstruction_time(std::size_t degree, unsigned prime_bits, std::size_t limbs, std::size_t batch,
                           unsigned repetitions, int device) {
  const auto engine = StudyEngine::create(TransformDesign::hybrid, device);
  const PolyArray a = random_polynomials(engine, degree, prime_bits, limbs, batch);
  const MixedRadix step(a.ring());
  const auto words = engine->allocate(batch * step.words() * degree * sizeof(std::uint64_t), false);
  return event_time(*engine, [&] { engine->reconstruct(*words, a.view(), step); }, repetitions);
}

#else

[[noreturn]] void refuse() {
  throw EngineError(
      "this build of cyclotome has no CUDA engine; make install-cuda builds it, and device='cpu/<transform>' computes "
      "with "
      "the same transforms on a processor");
}
EnginePtr study_engine(const std::string&, int) { refuse(); }
std::optional<Microseconds> transform_times(const std::string&, std::size_t, unsigned, std::size_t, std::size_t,
                                            unsigned, bool, int) {
  refuse();
}
double reconstruction_time(std::size_t, unsigned, std::size_t, std::size_t, unsigned, int) { refuse(); }

#endif

}  // namespace

void bind_cuda_study(nb::module_& m) {
  m.def("cuda_designs", &designs,
        "Labels of the transform designs for study, as records have them: D1 to D5, DGT, ...");
  m.def("cuda_study_engine", &study_engine, "design"_a, "device"_a = 0, NoGil(),
        "A CUDA engine whose transforms are of this design; the bits are every engine's.");
  m.def("cuda_transform_times", &transform_times, "design"_a, "degree"_a, "prime_bits"_a, "limbs"_a = 1, "batch"_a = 1,
        "repetitions"_a = 100, "gaussian"_a = false, "device"_a = 0, NoGil(),
        "Microseconds of one transform and one inverse transform of batch x limbs polynomials at once, by CUDA events "
        "around `repetitions` of them; None where the design cannot do this degree. gaussian: the DGT without the step "
        "into the library's order, as in paper 000, for primes of up to 31 bits too.");
  m.def("cuda_reconstruction_time", &reconstruction_time, "degree"_a, "prime_bits"_a, "limbs"_a, "batch"_a = 1,
        "repetitions"_a = 100, "device"_a = 0, NoGil(),
        "Microseconds in which batch polynomials of degree coefficients modulo `limbs` primes become integers (paper "
        "000, Algorithm 4), by CUDA events.");
}

}  // namespace cyclotome::python
