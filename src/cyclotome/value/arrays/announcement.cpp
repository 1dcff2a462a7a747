// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/value/arrays/announcement.hpp"

#include <algorithm>
#include <cmath>

#include "cyclotome/engine/memory_limit.hpp"
#include "cyclotome/math/errors.hpp"

namespace cyclotome::value {

namespace {

/// Ciphertexts with this axis packed.
std::size_t ciphertexts(const Layout& layout, std::size_t axis) {
  const Shape& shape = layout.shape();
  return count_of(shape) / shape[axis] * ((shape[axis] + layout.width() - 1) / layout.width());
}

/// How to need less. each: bytes of a ciphertext, those of all plaintext moduli.
std::string advice(const Layout& layout, std::uint64_t each) {
  const Shape& shape = layout.shape();
  std::size_t best = 0, fewest = layout.batch();
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (const std::size_t count = ciphertexts(layout, axis); count < fewest) {
      best = axis;
      fewest = count;
    }
  }
  if (2 * fewest > layout.batch()) return "encrypt fewer values at a time, or take parameters of a smaller degree";
  const std::string takes = " takes " + byte_size(fewest * each);
  if (best + 1 == shape.size()) return "packing the last axis (layout=\"packed\")" + takes;
  return "put a long axis last: " + (shape.size() == 2 ? std::string("values.T") : message("axis ", best)) + takes;
}

}  // namespace

void announce_fresh(const char* operation, const rlwe::Context& context, const Layout& layout, double spare) {
  const rlwe::Parameters& p = context.parameters();
  const std::uint64_t ciphertext = 2 * p.moduli().size() * p.degree() * bytes_of(p.word());
  const std::size_t channels = p.plain_moduli().size(), batch = layout.batch();
  const double bytes =
      static_cast<double>(ciphertext) * static_cast<double>(batch) * (static_cast<double>(channels) + spare);
  if (bytes < static_cast<double>(announced_bytes)) return;
  const double used = layout.packed()
                          ? static_cast<double>(layout.length()) / static_cast<double>(layout.chunks() * layout.width())
                          : 1;
  std::string what = message(operation, ": shape ", to_string(layout.shape()), " in ", batch * channels,
                             " ciphertexts of n = ", layout.width());
  if (used < 0.1) what += message(", ", std::floor(1000 * (1 - used)) / 10, " % of which is padding,");
  require_memory(*context.engine(), what, static_cast<std::uint64_t>(std::min(bytes, 0x1p62)),
                 advice(layout, ciphertext * channels));
}

void announce_rest(const char* what, const rlwe::Ciphertext& made, std::size_t rest) {
  const std::uint64_t each = made.polynomials().bytes() / made.batch();
  if (rest == 0 || each * rest < announced_bytes) return;
  require_memory(*made.context()->engine(), message(what, ": ", rest, " more ciphertexts"), each * rest);
}

}  // namespace cyclotome::value
