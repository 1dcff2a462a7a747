// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/array.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <functional>

#include "bindings/big_integers.hpp"
#include "cyclotome/engine/cpu/cpu_engine.hpp"
#include "cyclotome/engine/poly.hpp"
#include "cyclotome/engine/work_clock.hpp"
#include "cyclotome/math/bits.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/ring/conversion/mixed_radix.hpp"
#include "cyclotome/study/classic_reconstruction.hpp"
#include "cyclotome/study/laws.hpp"
#include "cyclotome/study/profiling_engine.hpp"
#include "cyclotome/study/salsa20.hpp"
#include "cyclotome/study/transform/design.hpp"
#include "cyclotome/study/word_reduction.hpp"

#ifdef CYCLOTOME_CUDA
#include "cyclotome/engine/cuda/study/paper_kernels.hpp"
#endif

// What papers 000 and 001 compare beside transforms: residues and integers, reductions, laws, shares of work.
namespace cyclotome::python {

namespace {

using namespace study;
using NumpyNumbers = nb::ndarray<nb::numpy, std::int32_t, nb::ndim<1>>;

/// Nanoseconds of one call of `work`, by the engine's `WorkClock` around `repetitions`; on a GPU by CUDA events.
double nanoseconds_each(Engine& engine, std::size_t repetitions, const std::function<void()>& work) {
  if (repetitions == 0) throw ArgumentError("0 repetitions: at least one is timed");
  work();
  engine.synchronize();
#ifdef CYCLOTOME_CUDA
  if (auto* const cuda = dynamic_cast<CudaEngine*>(&engine)) {
    return 1000 * cuda::study::device_time(*cuda, work, static_cast<unsigned>(repetitions));
  }
#endif
  const WorkClock clock(engine);
  const std::int64_t start = clock.nanoseconds();
  for (std::size_t i = 0; i < repetitions; ++i) work();
  engine.synchronize();
  return static_cast<double>(clock.nanoseconds() - start) / static_cast<double>(repetitions);
}

/// One polynomial as integers and as residues, in an engine's memory.
class Residues {
 public:
  Residues(const EnginePtr& engine, unsigned word, const std::vector<std::uint64_t>& moduli, std::size_t degree)
      : polynomial_(engine,
                    Ring::negacyclic(degree, Basis(word == 32   ? Word::u32
                                                   : word == 64 ? Word::u64
                                                                : refuse(word),
                                                   moduli)),
                    1, 1),
        step_(polynomial_.ring()) {
    engine->clear(polynomial_.view());
    make_integers(step_.words());
  }

  std::size_t words() const noexcept { return step_.words(); }
  /// n integers of so many words each, one after another.
  void set_integers(const nb::bytes& bytes) {
    const std::vector<std::uint64_t> words = words_of(bytes);
    const std::size_t n = polynomial_.degree();
    if (words.empty() || words.size() % n != 0) {
      throw ArgumentError(message(words.size(), " words are no integers for ", n, " coefficients"));
    }
    make_integers(words.size() / n);
    std::vector<std::uint64_t> turned(words.size());
    for (std::size_t i = 0; i < words.size(); ++i) turned[i % count_ * n + i / count_] = words[i];
    engine().upload(integers_->data(), turned.data(), turned.size() * sizeof(std::uint64_t));
  }
  nb::bytes integers() const {
    const std::size_t n = polynomial_.degree();
    std::vector<std::uint64_t> turned(n * count_), words(n * count_);
    engine().download(turned.data(), integers_->data(), turned.size() * sizeof(std::uint64_t));
    for (std::size_t i = 0; i < words.size(); ++i) words[i] = turned[i % count_ * n + i / count_];
    return bytes_of_words(words);
  }
  void set_residues(const std::vector<std::uint64_t>& residues) { polynomial_.from_host(residues); }
  std::vector<std::uint64_t> residues() const { return polynomial_.to_host(); }

  void decompose() { engine().decompose(polynomial_.view(), *integers_, count_); }
  void reconstruct(const std::string& how) {
    make_integers(step_.words());
    reconstruction(how)();
  }
  double decompose_nanoseconds(std::size_t repetitions) {
    return nanoseconds_each(engine(), repetitions, [this] { decompose(); });
  }
  double reconstruct_nanoseconds(const std::string& how, std::size_t repetitions) {
    make_integers(step_.words());
    return nanoseconds_each(engine(), repetitions, reconstruction(how));
  }

 private:
  [[noreturn]] static Word refuse(unsigned word) {
    throw ArgumentError(message("words have 32 or 64 bits, not ", word));
  }
  Engine& engine() const { return *polynomial_.engine(); }
  void make_integers(std::size_t count) {
    if (integers_ != nullptr && count == count_) return;
    integers_ = engine().allocate(count * polynomial_.degree() * sizeof(std::uint64_t), false);
    count_ = count;
    const std::vector<std::uint64_t> zeros(count * polynomial_.degree());
    engine().upload(integers_->data(), zeros.data(), zeros.size() * sizeof(std::uint64_t));
  }
  std::function<void()> reconstruction(const std::string& how) {
    if (how == "garner") {
      return [this] { engine().reconstruct(*integers_, std::as_const(polynomial_).view(), step_); };
    }
    if (how != "division" && how != "subtraction") {
      throw ArgumentError("there is no reconstruction " + how + "; there are garner, division and subtraction");
    }
    const ClassicSum sum = how == "division" ? ClassicSum::division : ClassicSum::subtraction;
    const auto step = std::make_shared<const ClassicReconstruction>(polynomial_.ring());
#ifdef CYCLOTOME_CUDA
    if (const auto cuda = std::dynamic_pointer_cast<CudaEngine>(polynomial_.engine())) {
      const auto device = std::make_shared<cuda::study::DeviceReconstruction>(cuda, *step);
      return [this, device, sum] { device->run(*integers_, std::as_const(polynomial_).view(), sum); };
    }
#endif
    if (dynamic_cast<CpuEngine*>(&engine()) == nullptr) {
      throw UnsupportedError("classic reconstructions run on cores and GPUs only; there is garner");
    }
    return [this, step, sum] { on_host(*step, sum); };
  }
  void on_host(const ClassicReconstruction& step, ClassicSum how) {
    const std::size_t n = polynomial_.degree();
    const auto* const residues = static_cast<const std::uint32_t*>(std::as_const(polynomial_).view().data);
    auto* const words = static_cast<std::uint64_t*>(integers_->data());
    const ClassicConstants constants = step.constants();
    for (std::size_t c = 0; c < n; ++c) {
      how == ClassicSum::division
          ? reconstruct_classically<ClassicSum::division>(residues + c, n, constants, words + c, n)
          : reconstruct_classically<ClassicSum::subtraction>(residues + c, n, constants, words + c, n);
    }
  }

  PolyArray polynomial_;
  MixedRadix step_;
  std::unique_ptr<Buffer> integers_;
  std::size_t count_ = 0;
};

template <WordReduction How>
void reduce_on_host(std::uint32_t* out, const std::uint64_t* in, std::size_t count, const ReducedPrime& p) {
  for (std::size_t i = 0; i < count; ++i) out[i] = reduced<How>(in[i], p);
}

/// Integers below 2^62 reduced modulo a 30-bit prime, in each of the ways of paper 000's Table 1.
class WordReductions {
 public:
  WordReductions(const EnginePtr& engine, const std::vector<std::uint64_t>& integers, std::uint64_t p)
      : engine_(engine), count_(integers.size()), p_(require(p, integers)) {
    in_ = engine_->allocate(count_ * sizeof(std::uint64_t), false);
    out_ = engine_->allocate(count_ * sizeof(std::uint32_t), false);
    engine_->upload(in_->data(), integers.data(), count_ * sizeof(std::uint64_t));
  }

  std::vector<std::uint32_t> reduced_by(const std::string& how) {
    const std::vector<std::uint32_t> ones(count_, ~std::uint32_t{0});
    engine_->upload(out_->data(), ones.data(), count_ * sizeof(std::uint32_t));
    run(method(how));
    std::vector<std::uint32_t> found(count_);
    engine_->download(found.data(), out_->data(), count_ * sizeof(std::uint32_t));
    return found;
  }
  double nanoseconds(const std::string& how, std::size_t repetitions) {
    return nanoseconds_each(*engine_, repetitions, [this, which = method(how)] { run(which); });
  }

 private:
  static ReducedPrime require(std::uint64_t p, const std::vector<std::uint64_t>& integers) {
    if (!ReducedPrime::suits(p)) throw ArgumentError(message(p, " is no odd number in (2^32/5, 2^30)"));
    for (const std::uint64_t integer : integers) {
      if (integer >> 62 != 0) throw ArgumentError(message(integer, " has more than 62 bits"));
    }
    if (integers.empty()) throw ArgumentError("no integers to reduce");
    return ReducedPrime(static_cast<std::uint32_t>(p));
  }
  static WordReduction method(const std::string& how) {
    for (const WordReduction which : word_reductions) {
      if (how == name_of(which)) return which;
    }
    throw ArgumentError("there is no reduction " + how + "; there are division, nfllib and barrett");
  }
  void run(WordReduction how) {
#ifdef CYCLOTOME_CUDA
    if (auto* const cuda = dynamic_cast<CudaEngine*>(engine_.get())) {
      return cuda::study::reduce_words(*cuda, *out_, *in_, count_, how, p_);
    }
#endif
    auto* const out = static_cast<std::uint32_t*>(out_->data());
    const auto* const in = static_cast<const std::uint64_t*>(in_->data());
    switch (how) {
      case WordReduction::division:
        return reduce_on_host<WordReduction::division>(out, in, count_, p_);
      case WordReduction::nfllib:
        return reduce_on_host<WordReduction::nfllib>(out, in, count_, p_);
      default:
        return reduce_on_host<WordReduction::barrett>(out, in, count_, p_);
    }
  }

  EnginePtr engine_;
  std::size_t count_;
  ReducedPrime p_;
  std::unique_ptr<Buffer> in_, out_;
};

constexpr std::pair<const char*, PaperLaw> laws[] = {
    {"binary", PaperLaw::binary},           {"zero-one", PaperLaw::zero_one}, {"box-muller", PaperLaw::box_muller},
    {"inverse-cdf", PaperLaw::inverse_cdf}, {"ternary", PaperLaw::ternary},   {"binomial", PaperLaw::binomial}};

PaperLaw law_of(const std::string& name) {
  for (const auto& [known, law] : laws) {
    if (name == known) return law;
  }
  throw ArgumentError("there is no law " + name);
}

Seed seed_of(const nb::bytes& bytes) {
  std::array<std::uint8_t, 32> seed;
  if (bytes.size() != seed.size()) throw ArgumentError(message("a seed has 32 bytes, not ", bytes.size()));
  std::copy_n(to_span(bytes).begin(), seed.size(), seed.begin());
  return Seed(seed);
}

NumpyNumbers draw_numbers(const std::string& law, double deviation, std::uint32_t bound, const nb::bytes& seed,
                          std::size_t count) {
  auto numbers = std::make_unique<std::vector<std::int32_t>>(count);
  {
    const SmallLaw which{law_of(law), deviation, bound};
    const Seed drawn = seed.size() == 0 ? Seed::from_system() : seed_of(seed);
    const Unlocked unlocked;
    draw(*numbers, which, drawn);
  }
  std::int32_t* const data = numbers->data();
  const nb::capsule owner(numbers.release(),
                          [](void* all) noexcept { delete static_cast<std::vector<std::int32_t>*>(all); });
  return NumpyNumbers(data, {count}, owner);
}

/// A buffer of numbers in an engine's memory, drawn there: on the host for an engine whose memory is the host's.
std::function<void()> drawing(const EnginePtr& engine, const SmallLaw& law, Buffer& out, std::size_t count,
                              const Seed& seed) {
#ifdef CYCLOTOME_CUDA
  if (auto* const cuda = dynamic_cast<CudaEngine*>(engine.get())) {
    return [=, &out, &seed] { cuda::study::draw(*cuda, out, count, law, seed); };
  }
#endif
  if (dynamic_cast<CpuEngine*>(engine.get()) == nullptr)
    throw UnsupportedError("laws are drawn on cores and GPUs only");
  const std::span numbers(static_cast<std::int32_t*>(out.data()), count);
  return [=, &seed] { draw(numbers, law, seed); };
}

double draw_nanoseconds(const EnginePtr& engine, const std::string& law, double deviation, std::uint32_t bound,
                        std::size_t count, std::size_t repetitions) {
  const Seed seed = Seed::from_system();
  const auto out = engine->allocate(count * sizeof(std::int32_t), false);
  return nanoseconds_each(*engine, repetitions, drawing(engine, {law_of(law), deviation, bound}, *out, count, seed)) /
         static_cast<double>(count);
}

std::vector<std::int32_t> draw_on(const EnginePtr& engine, const std::string& law, double deviation,
                                  std::uint32_t bound, const std::array<std::uint8_t, 32>& bytes, std::size_t count) {
  const Seed seed(bytes);
  const auto out = engine->allocate(count * sizeof(std::int32_t), false);
  drawing(engine, {law_of(law), deviation, bound}, *out, count, seed)();
  std::vector<std::int32_t> numbers(count);
  engine->download(numbers.data(), out->data(), count * sizeof(std::int32_t));
  return numbers;
}

/// A number of this library's own law, as its engine draws it.
double engine_draw_nanoseconds(const EnginePtr& engine, const std::string& law, std::size_t count,
                               std::size_t repetitions) {
  constexpr std::size_t degree = std::size_t{1} << 14;
  const Law which = law == "ternary" ? Law::ternary : law == "binomial" ? Law::error : Law::uniform;
  const std::size_t batch = std::max<std::size_t>(1, count / degree);
  PolyArray a(engine, Ring::negacyclic(degree, Basis(Word::u32, {1073479681})), batch, 1);
  const Seed seed = Seed::from_system();
  return nanoseconds_each(*engine, repetitions,
                          [&] { engine->sample(a.view(), which, seed, Stream::encryption_error); }) /
         static_cast<double>(batch * degree);
}

/// Stages of a design outside and inside its last kernel's shared memory.
std::pair<unsigned, unsigned> design_stages(const std::string& name, std::size_t degree, unsigned prime_bits,
                                            bool inverse) {
  const TransformDesign design = design_of(name);
  const std::size_t word_bytes = prime_bits < 32 ? 4 : 8;
  study::require_supported(design, degree, word_bytes);
  unsigned outside = 0, inside = 0;
  for (const study::TransformStep& step : study::plan(design, bit_length(degree) - 1, word_bytes, inverse)) {
    (step.storage == study::Storage::shared ? inside : outside) += step.count;
  }
  return {outside, inside};
}

nb::bytes salsa20_stream(const nb::bytes& key, std::uint64_t nonce, std::uint64_t counter, std::size_t blocks) {
  const Seed seed = seed_of(key);
  const auto words = seed.words();
  std::uint32_t of_key[8], block[16];
  std::copy(words.begin(), words.end(), of_key);
  std::string bytes;
  for (std::size_t i = 0; i < blocks; ++i) {
    salsa20_block(of_key, counter + i, nonce, block);
    for (const std::uint32_t word : block) {
      for (int b = 0; b < 4; ++b) bytes.push_back(static_cast<char>(word >> (8 * b)));
    }
  }
  return nb::bytes(bytes.data(), bytes.size());
}

/// Microseconds of each kind of work since the last reset.
nb::typed<nb::dict, nb::str, nb::float_> profile(const ProfilingEngine& engine) {
  nb::typed<nb::dict, nb::str, nb::float_> shares;
  for (std::size_t i = 0; i < std::size(work_names); ++i) shares[work_names[i]] = engine.nanoseconds()[i] / 1000;
  return shares;
}

double transform_nanoseconds(const EnginePtr& engine, unsigned word, const std::vector<std::uint64_t>& moduli,
                             std::size_t degree, bool inverse, std::size_t repetitions) {
  PolyArray a(engine, Ring::negacyclic(degree, Basis(word == 32 ? Word::u32 : Word::u64, moduli)), 1, 1,
              inverse ? Domain::transform : Domain::coefficient);
  engine->sample(a.view(), Law::uniform, Seed::from_system(), Stream::public_uniform);
  return nanoseconds_each(*engine, repetitions,
                          [&] { inverse ? engine->inverse(a.view()) : engine->forward(a.view()); });
}

}  // namespace

void bind_study_papers(nb::module_& m) {
  nb::class_<Residues>(m, "Residues", "One polynomial as integers and as residues in an engine's memory.")
      .def(nb::init<const EnginePtr&, unsigned, const std::vector<std::uint64_t>&, std::size_t>(), "engine"_a, "word"_a,
           "moduli"_a, "degree"_a, NoGil())
      .def_prop_ro("words", &Residues::words, "64-bit words that hold any integer below the moduli's product.")
      .def("set_integers", &Residues::set_integers, "integers"_a)
      .def("integers", &Residues::integers)
      .def("set_residues", &Residues::set_residues, "residues"_a, NoGil())
      .def("residues", &Residues::residues, NoGil(), "residues[modulus][coefficient].")
      .def("decompose", &Residues::decompose, NoGil(), "Integers to residues (Engine::decompose).")
      .def("reconstruct", &Residues::reconstruct, "how"_a, NoGil(),
           "Residues to integers: garner (Engine::reconstruct), division or subtraction (paper 000, Equation 1).")
      .def("decompose_nanoseconds", &Residues::decompose_nanoseconds, "repetitions"_a, NoGil())
      .def("reconstruct_nanoseconds", &Residues::reconstruct_nanoseconds, "how"_a, "repetitions"_a, NoGil());
  nb::class_<WordReductions>(m, "WordReductions", "62-bit integers modulo a 30-bit prime (paper 000, Table 1).")
      .def(nb::init<const EnginePtr&, const std::vector<std::uint64_t>&, std::uint64_t>(), "engine"_a, "integers"_a,
           "p"_a, NoGil())
      .def("reduced", &WordReductions::reduced_by, "how"_a, NoGil())
      .def("nanoseconds", &WordReductions::nanoseconds, "how"_a, "repetitions"_a, NoGil());
  m.def("draw_numbers", &draw_numbers, "law"_a, "deviation"_a, "bound"_a, "seed"_a, "count"_a,
        "Numbers of a paper's law; an empty seed draws one from the system.");
  m.def("draw_nanoseconds", &draw_nanoseconds, "engine"_a, "law"_a, "deviation"_a, "bound"_a, "count"_a,
        "repetitions"_a, NoGil(), "Nanoseconds for a number: one thread, or a GPU by CUDA events.");
  m.def("draw_on", &draw_on, "engine"_a, "law"_a, "deviation"_a, "bound"_a, "seed"_a, "count"_a, NoGil(),
        "Numbers of a paper's law as a GPU draws them, or a core.");
  m.def("engine_draw_nanoseconds", &engine_draw_nanoseconds, "engine"_a, "law"_a, "count"_a, "repetitions"_a, NoGil(),
        "Nanoseconds for a number of this library's laws, as an engine draws it.");
  m.def("cuda_design_stages", &design_stages, "design"_a, "degree"_a, "prime_bits"_a, "inverse"_a,
        "How many stages of a transform design run outside and inside shared memory (paper 001, Table 3).");
  m.def("salsa20_stream", &salsa20_stream, "key"_a, "nonce"_a, "counter"_a, "blocks"_a);
  m.def("inverse_normal", &inverse_normal, "p"_a);
  m.def("unit_interval", &unit_interval, "bits"_a);
  m.def("transform_nanoseconds", &transform_nanoseconds, "engine"_a, "word"_a, "moduli"_a, "degree"_a, "inverse"_a,
        "repetitions"_a, NoGil(),
        "Nanoseconds of one transform of a polynomial modulo each modulus: on a GPU by CUDA events, without launches.");
  nb::class_<ProfilingEngine, Engine>(m, "ProfilingEngine", "Another engine, and how long each kind of work took.")
      .def(nb::new_([](const EnginePtr& engine) { return std::make_shared<ProfilingEngine>(engine); }), "engine"_a)
      .def("reset", &ProfilingEngine::reset)
      .def("profile", &profile);
}

}  // namespace cyclotome::python
