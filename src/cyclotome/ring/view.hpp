// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <type_traits>

#include "cyclotome/ring/ring.hpp"

namespace cyclotome {

/// Which form a polynomial's residues are in.
enum class Domain : std::uint8_t { coefficient, transform };

/// A window on residues[batch][part][limb][coefficient] in an engine's memory, without ownership. batch: independent
/// ciphertexts; part: c0, c1, c2 (or digits); limb: residue modulo one prime of `ring`. Coefficients are contiguous;
/// limbs lie as far apart as the ring says, and batch and part have strides in words. A view of batch (part) 1 is
/// broadcast where an operand of a larger batch (part count) is asked for.
template <bool IsConst>
struct BasicView {
  using Pointer = std::conditional_t<IsConst, const void*, void*>;

  Pointer data = nullptr;
  const Ring* ring = nullptr;
  std::size_t batch = 1, parts = 1;
  std::size_t batch_stride = 0, part_stride = 0;
  Domain domain = Domain::coefficient;

  std::size_t limbs() const noexcept { return ring->limbs(); }
  std::size_t degree() const noexcept { return ring->degree(); }
  std::size_t limb_words() const noexcept { return ring->limb_words(); }
  Word word() const noexcept { return ring->word(); }

  /// First coefficient of a limb; b and p are taken modulo nothing: 0 <= b < batch or batch == 1.
  template <LimbWord W>
  auto limb(std::size_t b, std::size_t p, std::size_t l) const noexcept {
    using Element = std::conditional_t<IsConst, const W, W>;
    return static_cast<Element*>(data) + (batch == 1 ? 0 : b) * batch_stride + (parts == 1 ? 0 : p) * part_stride +
           l * limb_words();
  }

  /// Parts first ... first + count - 1.
  BasicView part(std::size_t first, std::size_t count = 1) const noexcept {
    return moved(first * part_stride, batch, count, ring);
  }
  /// Batch items first ... first + count - 1.
  BasicView items(std::size_t first, std::size_t count = 1) const noexcept {
    return moved(first * batch_stride, count, parts, ring);
  }
  /// The limbs from `first` on that `slice` describes; slice must be that slice of `ring` and outlive the view.
  BasicView limbs_at(std::size_t first, const Ring& slice) const noexcept {
    return moved(first * limb_words(), batch, parts, &slice);
  }

  operator BasicView<true>() const noexcept {  // NOLINT(google-explicit-constructor): like T* to const T*
    return {data, ring, batch, parts, batch_stride, part_stride, domain};
  }

 private:
  BasicView moved(std::size_t words, std::size_t new_batch, std::size_t new_parts,
                  const Ring* new_ring) const noexcept {
    using Byte = std::conditional_t<IsConst, const char, char>;
    BasicView view = *this;
    view.data = static_cast<Byte*>(data) + words * bytes_of(word());
    view.batch = new_batch;
    view.parts = new_parts;
    view.ring = new_ring;
    return view;
  }
};

using View = BasicView<false>;
using ConstView = BasicView<true>;

}  // namespace cyclotome
