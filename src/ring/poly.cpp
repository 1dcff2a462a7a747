// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/ring/poly.hpp"

#include <limits>

#include "cyclotome/math/declassify.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/ring/secure_memory.hpp"

namespace cyclotome {

PolyArray::PolyArray(EnginePtr engine, RingPtr ring, std::size_t batch, std::size_t parts, Domain domain, bool secret)
    : engine_(std::move(engine)), ring_(std::move(ring)), batch_(batch), parts_(parts), domain_(domain) {
  if (batch == 0 || parts == 0) {
    throw ArgumentError(
        message("an array of polynomials needs at least one batch item and one part, not ", batch, " and ", parts));
  }
  const std::size_t bytes_each = limbs() * degree() * sizeof(std::uint64_t);
  constexpr std::size_t address_space = std::numeric_limits<std::ptrdiff_t>::max();
  if (bytes_each != 0 && static_cast<u128>(batch) * parts > address_space / bytes_each) {
    throw ArgumentError(message("an array of ", batch, " items of ", parts, " parts of ", bytes_each,
                                " bytes each is larger than the address space; work on smaller batches"));
  }
  buffer_ = engine_->allocate(bytes(), secret);
}

View PolyArray::view() noexcept {
  const std::size_t part = limbs() * degree();
  return {buffer_->data(), ring_.get(), batch_, parts_, parts_ * part, part, domain_};
}

ConstView PolyArray::view() const noexcept {
  const std::size_t part = limbs() * degree();
  return {buffer_->data(), ring_.get(), batch_, parts_, parts_ * part, part, domain_};
}

PolyArray& PolyArray::to_transform() {
  if (domain_ == Domain::coefficient) {
    engine_->forward(view());
    domain_ = Domain::transform;
  }
  return *this;
}

PolyArray& PolyArray::to_coefficient() {
  if (domain_ == Domain::transform) {
    engine_->inverse(view());
    domain_ = Domain::coefficient;
  }
  return *this;
}

PolyArray PolyArray::clone() const {
  PolyArray copy(engine_, ring_, batch_, parts_, domain_, secret());
  engine_->copy(copy.view(), view());
  return copy;
}

PolyArray PolyArray::to(const EnginePtr& engine) const {
  if (engine == engine_) return clone();
  PolyArray moved(engine, ring_, batch_, parts_, domain_, secret());
  ZeroisingVector<std::byte> staging(bytes());
  download(staging.data());
  moved.upload(staging.data());
  return moved;
}

void PolyArray::from_host(std::span<const std::uint64_t> residues) {
  if (residues.size() != size()) {
    throw ArgumentError(message(residues.size(), " residues were given for an array of ", size()));
  }
  const auto modulus = [&](std::size_t i) { return ring_->basis()[i / degree() % limbs()]; };
  std::uint64_t any = 0;  // the residues may be secret: only that one of them is too large is told
  for (std::size_t first = 0; first < size(); first += degree()) {
    const std::uint64_t largest = modulus(first) - 1;
    for (const std::uint64_t residue : residues.subspan(first, degree())) any |= exceeds(residue, largest);
  }
  if (declassify(any != 0)) {
    std::size_t i = 0;
    while (residues[i] < modulus(i)) ++i;
    throw RangeError(message("residue ", residues[i], " at position ", i, " is not below its modulus ", modulus(i)));
  }
  with_word(word(), [&]<class W>(W) {
    ZeroisingVector<W> words(size());
    for (std::size_t i = 0; i < size(); ++i) words[i] = static_cast<W>(residues[i]);
    upload(words.data());
  });
}

std::vector<std::uint64_t> PolyArray::to_host() const {
  std::vector<std::uint64_t> residues(size());
  to_host(residues);
  return residues;
}

void PolyArray::to_host(std::span<std::uint64_t> residues) const {
  if (residues.size() != size()) {
    throw ArgumentError(message("memory for ", residues.size(), " residues was given for an array of ", size()));
  }
  with_word(word(), [&]<class W>(W) {
    ZeroisingVector<W> words(size());
    download(words.data());
    for (std::size_t i = 0; i < size(); ++i) residues[i] = words[i];
  });
}

void PolyArray::lock() const noexcept { static_cast<void>(lock_secret_pages(buffer_->data())); }

void PolyArray::upload(const void* words) { engine_->upload(buffer_->data(), words, bytes()); }
void PolyArray::download(void* words) const { engine_->download(words, buffer_->data(), bytes()); }

}  // namespace cyclotome
