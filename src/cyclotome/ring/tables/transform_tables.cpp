// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/ring/tables/transform_tables.hpp"

#include <new>

#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/primes.hpp"
#include "cyclotome/ring/tables/halved_roots.hpp"

namespace cyclotome {

template <LimbWord W>
TransformTables<W>::TransformTables(std::size_t degree_, W modulus_)
    : Transform(own_method, static_cast<Word>(sizeof(W)), 0), degree(degree_), modulus(modulus_), root(0) {
  if (!is_power_of_two(degree) || degree < 2) {
    throw ParameterError(message("degree ", degree, " is not a power of two of at least 2"));
  }
  if (modulus_ >= max_transform_modulus<W>) {
    throw ParameterError(message("modulus ", modulus_, " is too wide for a transform in ", word_bits<W>,
                                 "-bit words; it must be below ", max_transform_modulus<W>));
  }
  if (!is_prime(modulus_)) {
    throw ParameterError(message("modulus ", modulus_, " is not prime, so it has no transform of length ", degree));
  }
  root = static_cast<W>(minimal_primitive_root(2 * degree, modulus_));
  const unsigned bits = bit_length(degree) - 1;
  const W inverse_root = static_cast<W>(inverse_or_zero(root, modulus_));
  roots.resize(degree);
  root_quotients.resize(degree);
  inverse_roots.resize(degree);
  inverse_root_quotients.resize(degree);
  W power = 1, inverse_power = 1;
  for (std::size_t i = 0; i < degree; ++i) {
    const std::size_t k = reverse_bits(i, bits);
    const ShoupFactor<W> forward(power, modulus_), inverse(inverse_power, modulus_);
    roots[k] = forward.operand;
    root_quotients[k] = forward.quotient;
    inverse_roots[k] = inverse.operand;
    inverse_root_quotients[k] = inverse.quotient;
    power = modulus.multiply(power, root);
    inverse_power = modulus.multiply(inverse_power, inverse_root);
  }
  const W scale = static_cast<W>(inverse_or_zero(degree, modulus_));
  inverse_degree = ShoupFactor<W>(scale, modulus_);
  last_inverse_root = ShoupFactor<W>(modulus.multiply(scale, inverse_roots[1]), modulus_);
}

template <LimbWord W>
const HalvedRoots* TransformTables<W>::halved_roots() const noexcept {
  if constexpr (sizeof(W) == 8) {
    if (!NearPower::includes(modulus.value())) return nullptr;
    const NearPower q(modulus.value());
    const auto halve = [&](const std::vector<W>& from, std::vector<W>& factors, std::vector<W>& lifted) {
      factors.resize(degree + 1);
      lifted.resize(degree + 1);
      for (std::size_t k = 0; k < degree; ++k) {
        const HalvedFactor halved(from[k], q);
        factors[k] = halved.factor;
        lifted[k] = halved.lifted;
      }
    };
    try {
      halve_([&] {
        auto made = std::make_shared<HalvedRoots>();
        halve(roots, made->roots, made->lifted_roots);
        halve(inverse_roots, made->inverse_roots, made->lifted_inverse_roots);
        halved_ = std::move(made);
      });
    } catch (const std::bad_alloc&) {
      return nullptr;
    }
  }
  return halved_.get();
}

template struct TransformTables<std::uint32_t>;
template struct TransformTables<std::uint64_t>;

}  // namespace cyclotome
