// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/engine/integers.hpp"

#include <algorithm>

#include "cyclotome/math/errors.hpp"
#include "cyclotome/ring/conversion/mixed_radix.hpp"
#include "cyclotome/ring/randomness/secure_memory.hpp"

namespace cyclotome {

std::vector<BigUnsigned> integers(const PolyArray& polynomials) {
  const MixedRadix step(polynomials.ring());
  const EnginePtr& engine = polynomials.engine();
  const std::size_t n = polynomials.degree(), items = polynomials.batch() * polynomials.parts();
  const auto buffer = engine->allocate(items * step.words() * n * sizeof(std::uint64_t), polynomials.secret());
  engine->reconstruct(*buffer, polynomials.view(), step);
  ZeroisingVector<std::uint64_t> words(items * step.words() * n), one(step.words());
  engine->download(words.data(), buffer->data(), words.size() * sizeof(std::uint64_t));
  std::vector<BigUnsigned> values;
  values.reserve(items * n);
  for (std::size_t item = 0; item < items; ++item) {
    for (std::size_t c = 0; c < n; ++c) {
      for (std::size_t w = 0; w < one.size(); ++w) one[w] = words[(item * one.size() + w) * n + c];
      values.push_back(BigUnsigned::from_limbs(one));
    }
  }
  return values;
}

PolyArray residues(const EnginePtr& engine, const RingPtr& ring, std::size_t parts,
                   const std::vector<BigUnsigned>& integers) {
  const std::size_t n = ring->degree(), item = parts * n;
  if (integers.empty() || item == 0 || integers.size() % item != 0) {
    throw ArgumentError(message(integers.size(), " integers are no positive number of items of ", parts, " parts and ",
                                n, " coefficients"));
  }
  std::size_t size = 1;
  for (const BigUnsigned& integer : integers) size = std::max(size, integer.limbs().size());
  ZeroisingVector<std::uint64_t> words(integers.size() * size, 0);
  for (std::size_t i = 0; i < integers.size(); ++i) {
    const auto& limbs = integers[i].limbs();
    for (std::size_t w = 0; w < limbs.size(); ++w) words[(i / n * size + w) * n + i % n] = limbs[w];
  }
  const auto buffer = engine->allocate(words.size() * sizeof(std::uint64_t), true);
  engine->upload(buffer->data(), words.data(), words.size() * sizeof(std::uint64_t));
  PolyArray out(engine, ring, integers.size() / item, parts);
  engine->decompose(out.view(), *buffer, size);
  return out;
}

}  // namespace cyclotome
