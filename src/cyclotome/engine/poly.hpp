// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/engine/engine.hpp"

namespace cyclotome {

/// Owned residues[batch][part][limb][coefficient] in an engine's memory. Movable; copies are explicit (`clone`).
class PolyArray {
 public:
  PolyArray() = default;
  /// Uninitialised residues; secret memory is zeroised when it is freed. Throws ArgumentError for an empty batch, no
  /// parts or a size beyond the address space.
  PolyArray(EnginePtr engine, RingPtr ring, std::size_t batch, std::size_t parts, Domain domain = Domain::coefficient,
            bool secret = false);

  const EnginePtr& engine() const noexcept { return engine_; }
  const RingPtr& ring() const noexcept { return ring_; }
  std::size_t batch() const noexcept { return batch_; }
  std::size_t parts() const noexcept { return parts_; }
  std::size_t limbs() const noexcept { return ring_->limbs(); }
  std::size_t degree() const noexcept { return ring_->degree(); }
  Word word() const noexcept { return ring_->word(); }
  Domain domain() const noexcept { return domain_; }
  bool secret() const noexcept { return buffer_->secret(); }
  /// Number of residues.
  std::size_t size() const noexcept { return batch_ * parts_ * limbs() * degree(); }
  /// Size in the engine's memory, with what limbs have beside them.
  std::size_t bytes() const noexcept { return batch_ * parts_ * part_words() * bytes_of(word()); }

  View view() noexcept;
  ConstView view() const noexcept;

  /// Into transform (coefficient) domain; nothing happens if it is there already.
  PolyArray& to_transform();
  PolyArray& to_coefficient();
  /// Keeps residues on the host out of swap from now on, where the system allows it: for secrets that live long.
  void lock() const noexcept;
  /// States that the residues, just written, are in `domain`.
  void set_domain(Domain domain) noexcept { domain_ = domain; }

  PolyArray clone() const;
  /// The same residues in another engine's memory.
  PolyArray to(const EnginePtr& engine) const;

  /// Residues from / to the host, widened to 64 bits: size() values in [0, q_l) in the order batch, part, limb,
  /// coefficient. `from_host` throws RangeError for a value that is not below its modulus.
  void from_host(std::span<const std::uint64_t> residues);
  /// The same for some items from `first_item` on.
  void from_host(std::size_t first_item, std::span<const std::uint64_t> residues);
  std::vector<std::uint64_t> to_host() const;
  /// The same into the caller's memory of size() values: for secrets, whose owner wipes them.
  void to_host(std::span<std::uint64_t> residues) const;
  /// size() residues in the ring's word, without gaps, unchecked (serialisation checks before it calls this).
  void upload(const void* words);
  void download(void* words) const;
  /// The same of one part of one item.
  void upload_part(std::size_t item, std::size_t part, const void* words);
  void download_part(std::size_t item, std::size_t part, void* words) const;

 private:
  std::size_t part_words() const noexcept { return limbs() * ring_->limb_words(); }
  /// Whether limbs follow each other without gaps.
  bool dense() const noexcept { return ring_->limb_words() == degree(); }
  /// `count` limbs from number `first` of the array on, without gaps on the host.
  void upload_limbs(std::size_t first, std::size_t count, const void* words);
  void download_limbs(std::size_t first, std::size_t count, void* words) const;
  /// body(host words, first item, items) for the items of the array, a few at a time.
  template <class Body>
  void for_each_piece(std::size_t first, std::size_t count, const Body& body) const;

  EnginePtr engine_;
  RingPtr ring_;
  std::size_t batch_ = 0, parts_ = 0;
  Domain domain_ = Domain::coefficient;
  std::shared_ptr<Buffer> buffer_;
};

}  // namespace cyclotome
