// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/study/classic_reconstruction.hpp"

#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/modulus.hpp"

namespace cyclotome::study {

namespace {

/// The lowest `size` 32-bit words of a number.
void append_words(std::vector<std::uint32_t>& words, const BigUnsigned& number, std::size_t size) {
  for (std::size_t w = 0; w < size; ++w) {
    const std::uint64_t limb = w / 2 < number.limbs().size() ? number.limbs()[w / 2] : 0;
    words.push_back(static_cast<std::uint32_t>(limb >> (32 * (w % 2))));
  }
}

}  // namespace

ClassicReconstruction::ClassicReconstruction(const RingPtr& ring_) : ring(ring_) {
  const Basis& basis = ring->basis();
  if (ring->word() != Word::u32 || basis.size() > most_classic_limbs) {
    throw ParameterError(message("the classic reconstruction takes up to ", most_classic_limbs,
                                 " moduli in 32-bit words, not ", basis.size(), " in words of ",
                                 bits_of(ring->word())));
  }
  const BigUnsigned m = basis.product();
  size = (m.bit_length() + 31) / 32;
  shift = 32 * size - m.bit_length();
  append_words(modulus, m, size);
  append_words(shifted, m * BigUnsigned::power_of_two(shift), size);
  for (std::size_t i = 0; i < basis.size(); ++i) {
    const BigUnsigned rest = m.divided_by(basis[i]);
    moduli.push_back(static_cast<std::uint32_t>(basis[i]));
    inverses.push_back(static_cast<std::uint32_t>(inverse_or_zero(rest.mod(basis[i]), basis[i])));
    append_words(punctured, rest, size);
  }
}

ClassicConstants ClassicReconstruction::constants() const noexcept {
  return {static_cast<std::uint32_t>(moduli.size()),
          size,
          static_cast<std::uint32_t>(words()),
          shift,
          moduli.data(),
          inverses.data(),
          punctured.data(),
          modulus.data(),
          shifted.data()};
}

}  // namespace cyclotome::study
