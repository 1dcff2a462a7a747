// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/io/objects/polynomials_io.hpp"

#include "cyclotome/io/container/bit_packing.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/interrupt.hpp"

namespace cyclotome::io {

namespace {

/// One polynomial in host memory; zeroised when it is freed.
template <LimbWord W>
using Staging = std::vector<W, ZeroisingAllocator<W>>;

template <LimbWord W>
void unpack_limb(std::span<W> values, std::span<const std::uint8_t> packed, W q, std::uint64_t offset) {
  if (unpack_bits<W>(values, packed, packed_bits(q), q)) return;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] >= q) {
      throw FormatError(message("the residue of coefficient ", i, " in the limb at offset ", offset,
                                " is not below its modulus ", q, ": the data is damaged; get a fresh copy"));
    }
  }
  throw FormatError(
      message("unused bits are set in the limb at offset ", offset, ": the data is damaged; get a fresh copy"));
}

}  // namespace

std::uint64_t packed_polynomial_bytes(std::size_t degree, std::span<const std::uint64_t> moduli) noexcept {
  std::uint64_t bytes = 0;
  for (const auto q : moduli) bytes += packed_bytes(degree, packed_bits(q));
  return bytes;
}

void write_polynomials(ByteWriter& writer, const PolyArray& polynomials, std::size_t parts) {
  const std::size_t n = polynomials.degree();
  const Basis& basis = polynomials.ring()->basis();
  with_word(polynomials.word(), [&]<class W>(W) {
    Staging<W> words(basis.size() * n);
    for (std::size_t b = 0; b < polynomials.batch(); ++b) {
      for (std::size_t p = 0; p < parts; ++p) {
        check_interrupt();
        polynomials.download_part(b, p, words.data());
        for (std::size_t l = 0; l < basis.size(); ++l) {
          const unsigned bits = packed_bits(basis[l]);
          pack_bits<W>(writer.extend(packed_bytes(n, bits)), std::span(words).subspan(l * n, n), bits);
        }
      }
    }
  });
}

void read_polynomials(PolyArray& polynomials, std::size_t parts, std::span<const std::uint8_t> packed,
                      std::uint64_t offset) {
  const std::size_t n = polynomials.degree();
  const Basis& basis = polynomials.ring()->basis();
  std::size_t position = 0;
  with_word(polynomials.word(), [&]<class W>(W) {
    Staging<W> words(basis.size() * n);
    for (std::size_t b = 0; b < polynomials.batch(); ++b) {
      for (std::size_t p = 0; p < parts; ++p) {
        check_interrupt();
        for (std::size_t l = 0; l < basis.size(); ++l) {
          const std::size_t bytes = packed_bytes(n, packed_bits(basis[l]));
          unpack_limb<W>(std::span(words).subspan(l * n, n), packed.subspan(position, bytes), static_cast<W>(basis[l]),
                         offset + position);
          position += bytes;
        }
        polynomials.upload_part(b, p, words.data());
      }
    }
  });
}

}  // namespace cyclotome::io
