// SPDX-License-Identifier: Apache-2.0
// Holds one engine to what every engine is: each verb by its definition, each operation of every scheme by its program,
// with the engine's own composites and without, in tiles, on memory that held no residues before.
//
//   engine_kit cpu | cpu:scalar | cpu:avx2 | cpu:avx512 | cpu:avx512-ifma | fpga:CIRCUIT.so | cuda   [degree]
//
// Exits with 77 where this machine or this build does not have the engine. Random; prints its seed.
#include <iostream>
#include <set>
#include <string>

#include "../cpp/check.hpp"
#include "canonical.hpp"
#include "cyclotome/engine/cpu/cpu_engine.hpp"
#ifdef CYCLOTOME_CUDA
#include "cyclotome/engine/cuda/cuda_engine.hpp"
#include "cyclotome/engine/cuda/study/study_engine.hpp"
#endif
#include "cyclotome/engine/fpga/fpga_engine.hpp"
#include "cyclotome/engine/poly.hpp"
#include "cyclotome/engine/running/interpreter.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/primes.hpp"
#include "cyclotome/ring/conversion/big_unsigned.hpp"
#include "cyclotome/ring/conversion/mixed_radix.hpp"
#include "cyclotome/study/transform/transform_engine.hpp"
#include "definition_engine.hpp"
#include "restricted_engine.hpp"
#include "runs.hpp"

using namespace cyclotome;
using namespace cyclotome::kit;

namespace {

EnginePtr engine;  // under test
std::size_t degree = 128;
std::mt19937_64 random_bits;

EnginePtr engine_named(const std::string& name) {
  if (name == "cpu") return CpuEngine::create(2);
  if (name.starts_with("cpu/")) return study::make_transform_engine(design_of(name.substr(4)), CpuEngine::create(2));
  if (name.starts_with("cpu:")) {
    for (const auto set : cpu::instruction_sets()) {
      if (name.substr(4) == cpu::name_of(set)) return CpuEngine::create(2, set);
    }
    return nullptr;
  }
  if (name.starts_with("fpga:")) {
    const auto made = FpgaEngine::create(CpuEngine::create(1), {});
    made->open(name.substr(5));
    return made;
  }
#ifdef CYCLOTOME_CUDA
  if (name.starts_with("cuda") && CudaEngine::device_count() == 0) return nullptr;
  if (name == "cuda") return CudaEngine::create();
  if (name.starts_with("cuda/")) return StudyEngine::create(design_of(name.substr(5)));
#endif
  return nullptr;
}

/// The same residues on the engine under test and where everything is by definition.
struct Twins {
  PolyArray tested, defined;

  Twins(const RingPtr& ring, std::size_t batch, std::size_t parts, Domain domain)
      : tested(engine, ring, batch, parts, domain), defined(DefinitionEngine::create(), ring, batch, parts, domain) {
    Residues residues(tested.size());
    for (std::size_t i = 0; i < residues.size(); ++i) {
      const std::uint64_t q = ring->basis()[i / ring->degree() % ring->limbs()];
      residues[i] = random_bits() % 8 == 0 ? (random_bits() % 2 == 0 ? q - 1 : 0) : random_bits() % q;
    }
    tested.from_host(residues);
    defined.from_host(residues);
  }
  bool equal() const { return tested.to_host() == defined.to_host(); }
};

bool computes_in(const RingPtr& ring) {
  try {
    PolyArray(engine, ring, 1, 1);
    return true;
  } catch (const EngineError&) {
    return false;
  }
}

/// x^n + 1, and Phi_m wherever the engine computes there: every core does. 105 has padded axes, 771 the factor 257.
std::vector<RingPtr> rings() {
  std::vector<RingPtr> all;
  for (const auto& shape : {RingShape::negacyclic(degree), RingShape::cyclotomic(105), RingShape::cyclotomic(771)}) {
    for (const unsigned bits : {29U, 36U, 50U, 60U}) {
      const Word word = bits == 29 ? Word::u32 : Word::u64;
      all.push_back(Ring::create(shape, Basis(word, primes_congruent_to_one(bits, shape->transform_step(), 3))));
    }
  }
  if (engine->name() == "cpu") CHECK(computes_in(all.back()));
  std::erase_if(all, [](const RingPtr& ring) { return !computes_in(ring); });
  return all;
}

TEST(verbs_are_what_they_are_defined_as) {
  for (const RingPtr& ring : rings()) {
    for (const Domain domain : {Domain::coefficient, Domain::transform}) {
      for (const std::size_t batch : {1U, 3U}) {
        Twins a(ring, batch, 2, domain), b(ring, 1, 1, domain), out(ring, batch, 2, domain);
        const auto same = [&](const char* verb, const auto& apply) {
          apply(*engine, out.tested.view(), std::as_const(a.tested).view(), std::as_const(b.tested).view());
          apply(*out.defined.engine(), out.defined.view(), std::as_const(a.defined).view(),
                std::as_const(b.defined).view());
          if (!out.equal()) std::cout << "  " << verb << ", " << ring->basis()[0] << '\n';
          CHECK(out.equal());
        };
        same("copy", [](Engine& e, View o, ConstView x, ConstView) { e.copy(o, x); });
        same("add", [](Engine& e, View o, ConstView x, ConstView y) { e.add(o, x, y); });
        same("multiply_accumulate",
             [](Engine& e, View o, ConstView x, ConstView y) { e.multiply_accumulate(o, x, y); });
        same("subtract", [](Engine& e, View o, ConstView x, ConstView y) { e.subtract(o, x, y); });
        same("subtract in place", [](Engine& e, View o, ConstView x, ConstView) { e.subtract(o, x, o); });
        same("negate", [](Engine& e, View o, ConstView x, ConstView) { e.negate(o, x); });
        same("multiply", [](Engine& e, View o, ConstView x, ConstView y) { e.multiply(o, x, y); });
        const GaloisGroup& galois = ring->galois();
        for (const std::uint64_t element : {galois.index() - 1, galois.generators().front().element,
                                            galois.power(galois.generators().back().element, 3), galois.inverse(11)}) {
          same("automorphism", [&](Engine& e, View o, ConstView x, ConstView) { e.automorphism(o, x, element); });
        }
        std::vector<std::uint64_t> factors;
        for (const auto q : ring->basis().values()) factors.push_back(random_bits() % q);
        same("multiply_scalars", [&](Engine& e, View o, ConstView x, ConstView) { e.multiply_scalars(o, x, factors); });
        same("a window", [&](Engine& e, View o, ConstView x, ConstView) {
          const RingPtr slice = ring->slice(1, 2);
          e.clear(o.part(1));
          e.negate(o.part(1).limbs_at(1, *slice), x.part(0).limbs_at(1, *slice));
        });
        same("transform", [&](Engine& e, View o, ConstView x, ConstView) {
          e.copy(o, x);
          if (domain == Domain::coefficient) {
            e.forward(o);
          } else {
            e.inverse(o);
          }
        });
        if (domain == Domain::coefficient) {
          std::array<std::uint8_t, 32> bytes;
          for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random_bits());
          const Seed seed(bytes);
          for (const Law law : {Law::uniform, Law::ternary, Law::error}) {
            same("sample",
                 [&](Engine& e, View o, ConstView, ConstView) { e.sample(o, law, seed, Stream::encryption_error, 5); });
          }
        }
      }
    }
  }
}

TEST(conversions_and_peaks_are_what_they_are_defined_as) {
  for (const RingPtr& ring : rings()) {
    const auto primes =
        primes_congruent_to_one(ring->word() == Word::u32 ? 28 : 45, ring->shape()->transform_step(), 2);
    const RingPtr target = ring->with_basis(Basis(ring->word(), primes).joined(ring->basis().slice(1, 1)));
    for (const Lift lift : {Lift::fast, Lift::centred}) {
      for (const std::size_t limbs : {1U, 3U}) {
        const RingPtr source = ring->slice(0, limbs);
        const BaseConversion conversion(source->basis(), target->basis(), lift, std::vector<std::uint64_t>(limbs, 7),
                                        std::vector<std::uint64_t>(target->limbs(), 1234567));
        Twins a(source, 3, 1, Domain::coefficient), out(target, 3, 1, Domain::coefficient);
        engine->convert(out.tested.view(), std::as_const(a.tested).view(), conversion);
        out.defined.engine()->convert(out.defined.view(), std::as_const(a.defined).view(), conversion);
        CHECK(out.equal());
        if (lift == Lift::fast) continue;
        Twins numbers(program::number_ring(), 3, 1, Domain::coefficient);
        View tested = numbers.tested.view(), defined = numbers.defined.view();
        tested.batch_stride = defined.batch_stride = 1;
        engine->peaks(tested, std::as_const(a.tested).view(), conversion);
        numbers.defined.engine()->peaks(defined, std::as_const(a.defined).view(), conversion);
        Residues here = numbers.tested.to_host(), there = numbers.defined.to_host();
        here.resize(3);
        there.resize(3);
        CHECK(here == there);
        const auto taken = engine->make_numbers(3);
        for (int round = 0; round < 2; ++round) {
          engine->peaks(taken->view(), std::as_const(a.tested).view(), conversion);
          here.assign(3, 0);
          taken->take(here.data());
          CHECK(here == there);
        }
      }
    }
  }
}

/// Words of all ones, 2^64 - q and zeros are where a reduction's estimate is worst; from fewer words than q has to
/// more.
TEST(integers_and_residues_are_each_others_way_back) {
  std::vector<RingPtr> all = rings();
  for (const unsigned bits : {31U, 61U}) {
    const Word word = bits == 31 ? Word::u32 : Word::u64;
    all.push_back(Ring::negacyclic(degree, Basis(word, primes_congruent_to_one(bits, 2 * degree, 7))));
  }
  constexpr std::size_t batch = 3, parts = 2;
  for (const RingPtr& ring : all) {
    const std::size_t n = ring->degree();
    const MixedRadix step(ring);
    for (const std::size_t count : {std::size_t{1}, step.words(), step.words() + 2}) {
      std::vector<std::uint64_t> words(batch * parts * count * n);
      for (auto& word : words) {
        const std::uint64_t worst[] = {~std::uint64_t{0}, 0, ~ring->basis()[0] + 1, ~(ring->basis()[0] << 32) + 1};
        word = random_bits() % 4 == 0 ? worst[random_bits() % 4] : random_bits();
      }
      for (std::size_t w = 0; w < count; ++w) words[w * n] = ~std::uint64_t{0};  // the largest integer
      const auto buffer = engine->allocate(words.size() * 8, false);
      engine->upload(buffer->data(), words.data(), words.size() * 8);
      PolyArray out(engine, ring, batch, parts + 1);
      engine->clear(out.view());
      engine->decompose(out.view().part(1, parts), *buffer, count);
      const Residues found = out.to_host();
      std::vector<std::uint64_t> integer(count);
      bool right = true;
      for (std::size_t i = 0; i < found.size(); ++i) {
        const std::size_t c = i % n, l = i / n % ring->limbs(), p = i / n / ring->limbs() % (parts + 1);
        const std::size_t item = i / n / ring->limbs() / (parts + 1);
        for (std::size_t w = 0; w < count; ++w) {
          integer[w] = p == 0 ? 0 : words[((item * parts + p - 1) * count + w) * n + c];
        }
        right = right && found[i] == BigUnsigned::from_limbs(integer).mod(ring->basis()[l]);
      }
      CHECK(right);
      if (!right) std::cout << "  " << count << " words, " << ring->basis()[0] << '\n';
    }
    Twins twins(ring, batch, 1, Domain::coefficient);
    const auto buffer = engine->allocate(batch * step.words() * n * 8, false);
    engine->reconstruct(*buffer, std::as_const(twins.tested).view(), step);
    engine->clear(twins.tested.view());
    engine->decompose(twins.tested.view(), *buffer, step.words());
    CHECK(twins.equal());
  }
}

/// Every way in which the engine may be asked to run a program gives what its operations are defined as.
void compare(const std::string& name, const program::ProgramPtr& program) {
  constexpr std::uint32_t first_item = 7;
  const Inputs inputs = random_inputs(*program, 3, random_bits);
  const auto by_definition = DefinitionEngine::create();
  const auto expected = outputs_of(*by_definition->prepare(program), by_definition, inputs, first_item);
  const auto same = [&](const std::string& way, const EnginePtr& on, const Execution& execution) {
    const bool equal = outputs_of(execution, on, inputs, first_item) == expected;
    if (!equal) std::cout << "  " << name << ", " << way << '\n';
    CHECK(equal);
  };
  const auto own = engine->prepare(program);
  for (int run = 0; run < 3; ++run) same("as the engine runs it, " + std::to_string(run), engine, *own);
  const auto restricted = [&](const std::string& way, const RestrictedEngine::Choice& choice, std::size_t tile) {
    const auto made = std::make_shared<RestrictedEngine>(engine, choice, tile);
    same(way, engine, *made->prepare(program));
  };
  for (const std::size_t tile : {0U, 1U, 2U}) {
    restricted("verbs alone in tiles of " + std::to_string(tile), [](std::string_view) { return false; }, tile);
    restricted("composites in tiles of " + std::to_string(tile), [](std::string_view) { return true; }, tile);
  }
  std::set<std::string_view> composites;
  for (const program::Composite& composite : program->composites()) composites.insert(composite.name);
  for (const std::string_view without : composites) {
    restricted("without " + std::string(without), [&](std::string_view which) { return which != without; }, 0);
  }
}

TEST(programs_give_the_same_however_they_are_run) {
  for (const NamedContext& context : small_contexts(degree)) {
    for (const NamedProgram& named : canonical_programs(context.context)) {
      compare(context.name + ": " + named.name, named.program);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string name = argc > 1 ? argv[1] : "cpu";
  if (argc > 2) degree = std::stoul(argv[2]);
  engine = engine_named(name);
  if (engine == nullptr) {
    std::cout << "there is no engine " << name << " here\n";
    return 77;
  }
  const std::uint64_t seed = argc > 3 ? std::stoull(argv[3]) : std::random_device()();
  std::cout << "engine " << engine->name() << ", degree " << degree << ", seed " << seed << '\n';
  random_bits.seed(seed);
  const int failed = cyclotome::check::run();
  engine.reset();
  return failed;
}
