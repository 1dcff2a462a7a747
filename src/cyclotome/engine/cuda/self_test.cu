// SPDX-License-Identifier: Apache-2.0
// What an engine has to get right before anybody computes with it: a build or a driver that runs nothing, or something
// else than the host expects, is refused.
#include "cyclotome/engine/cuda/architecture.cuh"
#include "cyclotome/engine/cuda/cuda_engine.hpp"
#include "cyclotome/engine/cuda/state.cuh"
#include "cyclotome/engine/poly.hpp"
#include "cyclotome/math/primes.hpp"

namespace cyclotome {

namespace {

constexpr std::size_t degree = 1024;  // the least that kernels with whole limbs transform

/// One for each arithmetic: integers of both words, and doubles.
const std::vector<RingPtr>& test_rings() {
  static const std::vector<RingPtr> rings = [] {
    const auto prime = [](unsigned bits) {
      return primes_congruent_to_one(bits, RingShape::negacyclic(degree)->transform_step(), 1)[0];
    };
    return std::vector<RingPtr>{Ring::negacyclic(degree, Basis(Word::u32, {prime(30)})),
                                Ring::negacyclic(degree, Basis(Word::u64, {prime(61), prime(50)}))};
  }();
  return rings;
}

/// Residues without a pattern, the same each time.
std::vector<std::uint64_t> scattered(const Ring& ring) {
  std::vector<std::uint64_t> residues;
  std::uint64_t state = 1;
  for (const std::uint64_t q : ring.basis().values()) {
    for (std::size_t i = 0; i < degree; ++i) {
      state = state * 6364136223846793005 + 1442695040888963407;
      residues.push_back((state >> 3) % q);
    }
  }
  return residues;
}

/// One term of a polynomial, factor x^exponent.
struct MonomialTerm {
  std::size_t exponent;
  std::uint64_t factor;
};
constexpr MonomialTerm sparse[] = {{0, 3}, {1, 1}, {577, 12345}, {1023, 987654}};

/// scattered(ring) times `sparse`, by definition.
std::vector<std::uint64_t> expected_product(const Ring& ring) {
  const std::vector<std::uint64_t> a = scattered(ring);
  std::vector<std::uint64_t> product(a.size());
  for (std::size_t l = 0; l < ring.limbs(); ++l) {
    const Modulus<std::uint64_t> q(ring.basis()[l]);
    for (const auto& [exponent, factor] : sparse) {
      for (std::size_t i = 0; i < degree; ++i) {
        const std::uint64_t term = q.multiply(a[l * degree + i], factor);
        std::uint64_t& sum = product[l * degree + (i + exponent) % degree];
        sum = i + exponent < degree ? q.add(sum, term) : q.subtract(sum, term);
      }
    }
  }
  return product;
}

/// The same by the engine's transforms.
std::vector<std::uint64_t> computed_product(const EnginePtr& engine, const RingPtr& ring) {
  PolyArray a(engine, ring, 1, 1), b(engine, ring, 1, 1);
  std::vector<std::uint64_t> terms(ring->limbs() * degree);
  for (std::size_t l = 0; l < ring->limbs(); ++l) {
    for (const auto& [exponent, factor] : sparse) terms[l * degree + exponent] = factor;
  }
  a.from_host(scattered(*ring));
  b.from_host(terms);
  a.to_transform();
  b.to_transform();
  engine->multiply(a.view(), a.view(), b.view());
  a.to_coefficient();
  return a.to_host();
}

}  // namespace

void CudaEngine::test_itself() {
  const std::unique_ptr<Buffer> reported = allocate(sizeof(cuda::Architecture), false);
  cuda::report_architecture(cuda::Turn(*state_, {}, {reported->data()}).queue(),
                            static_cast<cuda::Architecture*>(reported->data()));
  cuda::Architecture running = 0;
  download(&running, reported->data(), sizeof(running));
  const auto refuse = [&](const std::string& what) {
    throw EngineError(message("GPU ", name(), " fails its self-test: ", what,
                              "; look at the driver (nvidia-smi), and build cyclotome again for this GPU"));
  };
  if (running != state_->loaded) {
    refuse(message("kernels for compute capability ", cuda::text_of(running), " run where those for ",
                   cuda::text_of(state_->loaded), " were chosen"));
  }
  for (const RingPtr& ring : test_rings()) {
    if (computed_product(shared_from_this(), ring) != expected_product(*ring)) {
      refuse(message("a product of polynomials modulo ", ring->basis()[0], " is wrong"));
    }
  }
}

}  // namespace cyclotome
