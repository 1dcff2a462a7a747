// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/engine/poly.hpp"

#include <algorithm>
#include <limits>

#include "cyclotome/engine/memory_limit.hpp"
#include "cyclotome/math/declassify.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/interrupt.hpp"
#include "cyclotome/ring/randomness/secure_memory.hpp"

namespace cyclotome {

namespace {

/// Host memory between an engine and 64-bit integers, of so many bytes at a time.
constexpr std::size_t staging_bytes = std::size_t{16} << 20;

/// Words in host memory that are overwritten when they go, if they are secret.
template <LimbWord W>
class Staging {
 public:
  Staging(std::size_t count, bool secret) : words_(count), secret_(secret) {}
  ~Staging() {
    if (secret_) secure_zero(words_.data(), words_.size() * sizeof(W));
  }
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;

  W* data() noexcept { return words_.data(); }

 private:
  std::vector<W> words_;
  bool secret_;
};

}  // namespace

PolyArray::PolyArray(EnginePtr engine, RingPtr ring, std::size_t batch, std::size_t parts, Domain domain, bool secret)
    : engine_(std::move(engine)), ring_(std::move(ring)), batch_(batch), parts_(parts), domain_(domain) {
  if (batch == 0 || parts == 0) {
    throw ArgumentError(
        message("an array of polynomials needs at least one batch item and one part, not ", batch, " and ", parts));
  }
  engine_->require_ring(*ring_);
  const std::size_t bytes_each = part_words() * sizeof(std::uint64_t);
  constexpr std::size_t address_space = std::numeric_limits<std::ptrdiff_t>::max();
  if (bytes_each != 0 && static_cast<u128>(batch) * parts > address_space / bytes_each) {
    throw ArgumentError(message("an array of ", batch, " items of ", parts, " parts of ", bytes_each,
                                " bytes each is larger than the address space; work on smaller batches"));
  }
  if (bytes() >= announced_bytes || memory_limit()) {
    require_memory(*engine_, message("an array of ", batch, " times ", parts, " polynomials of degree ", degree()),
                   bytes());
  }
  buffer_ = engine_->allocate(bytes(), secret);
}

View PolyArray::view() noexcept {
  const std::size_t part = part_words();
  return {buffer_->data(), ring_.get(), batch_, parts_, parts_ * part, part, domain_};
}

ConstView PolyArray::view() const noexcept {
  const std::size_t part = part_words();
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
  if (!secret() && engine->fetch(moved.buffer_->data(), *engine_, buffer_->data(), bytes())) return moved;
  ZeroisingVector<std::byte> staging(size() * bytes_of(word()));
  download(staging.data());
  moved.upload(staging.data());
  return moved;
}

void PolyArray::from_host(std::span<const std::uint64_t> residues) {
  if (residues.size() != size()) {
    throw ArgumentError(message(residues.size(), " residues were given for an array of ", size()));
  }
  from_host(0, residues);
}

void PolyArray::from_host(std::size_t first_item, std::span<const std::uint64_t> residues) {
  const std::size_t item = parts_ * limbs() * degree();
  if (residues.size() % item != 0 || first_item > batch_ || residues.size() / item > batch_ - first_item) {
    throw ArgumentError(message(residues.size(), " residues were given for the items of ", item, " from number ",
                                first_item, " of ", batch_));
  }
  const auto modulus = [&](std::size_t i) { return ring_->basis()[i / degree() % limbs()]; };
  std::uint64_t any = 0;  // the residues may be secret: only that one of them is too large is told
  for (std::size_t first = 0; first < residues.size(); first += degree()) {
    const std::uint64_t largest = modulus(first) - 1;
    for (const std::uint64_t residue : residues.subspan(first, degree())) any |= exceeds(residue, largest);
  }
  if (declassify(any != 0)) {
    std::size_t i = 0;
    while (residues[i] < modulus(i)) ++i;
    throw RangeError(message("residue ", residues[i], " at position ", first_item * item + i,
                             " is not below its modulus ", modulus(i)));
  }
  for_each_piece(first_item, residues.size() / item, [&]<class W>(W* words, std::size_t first, std::size_t count) {
    const auto from = residues.subspan((first - first_item) * item, count * item);
    for (std::size_t i = 0; i < from.size(); ++i) words[i] = static_cast<W>(from[i]);
    upload_limbs(first * parts_ * limbs(), count * parts_ * limbs(), words);
  });
}

std::vector<std::uint64_t> PolyArray::to_host() const {
  require_main_memory("copying residues to the host", size() * sizeof(std::uint64_t));
  std::vector<std::uint64_t> residues(size());
  to_host(residues);
  return residues;
}

void PolyArray::to_host(std::span<std::uint64_t> residues) const {
  if (residues.size() != size()) {
    throw ArgumentError(message("memory for ", residues.size(), " residues was given for an array of ", size()));
  }
  const std::size_t item = parts_ * limbs() * degree();
  for_each_piece(0, batch_, [&]<class W>(W* words, std::size_t first, std::size_t count) {
    download_limbs(first * parts_ * limbs(), count * parts_ * limbs(), words);
    std::copy_n(words, count * item, residues.begin() + static_cast<std::ptrdiff_t>(first * item));
  });
}

template <class Body>
void PolyArray::for_each_piece(std::size_t first, std::size_t count, const Body& body) const {
  const std::size_t item = parts_ * limbs() * degree();
  with_word(word(), [&]<class W>(W) {
    const std::size_t at_once = std::clamp<std::size_t>(staging_bytes / (item * sizeof(W)), 1, count);
    Staging<W> staging(at_once * item, secret());
    for (std::size_t done = 0; done < count; done += at_once) {
      check_interrupt();
      body(staging.data(), first + done, std::min(at_once, count - done));
    }
  });
}

void PolyArray::lock() const noexcept { static_cast<void>(lock_secret_pages(buffer_->data())); }

void PolyArray::upload_limbs(std::size_t first, std::size_t count, const void* words) {
  const std::size_t limb = degree() * bytes_of(word()), stride = ring_->limb_words() * bytes_of(word());
  char* const to = static_cast<char*>(buffer_->data()) + first * stride;
  if (dense()) return engine_->upload(to, words, count * limb);
  for (std::size_t i = 0; i < count; ++i) {
    engine_->upload(to + i * stride, static_cast<const char*>(words) + i * limb, limb);
  }
}

void PolyArray::download_limbs(std::size_t first, std::size_t count, void* words) const {
  const std::size_t limb = degree() * bytes_of(word()), stride = ring_->limb_words() * bytes_of(word());
  const char* const from = static_cast<const char*>(buffer_->data()) + first * stride;
  if (dense()) return engine_->download(words, from, count * limb);
  engine_->download_runs(words, from, limb, stride, count);
}

void PolyArray::upload(const void* words) { upload_limbs(0, batch_ * parts_ * limbs(), words); }
void PolyArray::download(void* words) const { download_limbs(0, batch_ * parts_ * limbs(), words); }

void PolyArray::upload_part(std::size_t item, std::size_t part, const void* words) {
  upload_limbs((item * parts_ + part) * limbs(), limbs(), words);
}
void PolyArray::download_part(std::size_t item, std::size_t part, void* words) const {
  download_limbs((item * parts_ + part) * limbs(), limbs(), words);
}

}  // namespace cyclotome
