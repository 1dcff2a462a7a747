// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/engine/integers.hpp"

#include "cyclotome/ring/mixed_radix.hpp"
#include "cyclotome/ring/secure_memory.hpp"

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

}  // namespace cyclotome
