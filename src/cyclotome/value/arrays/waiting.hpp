// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>
#include <optional>

#include "cyclotome/value/arrays/channels.hpp"

namespace cyclotome::value {

/// Products of ciphertexts, of 3 parts, that wait to be relinearised until something else than a sum wants two: one
/// relinearisation then serves all products of a sum. What copies and selections of an array have in common. A sum
/// always takes the three parts and everything else the two, so that bits follow from the expression alone, whatever
/// was computed before, and by whom.
class Waiting {
 public:
  /// In how many primes each channel is relinearised (rlwe::relinearization_level).
  using Levels = std::vector<rlwe::Level>;
  using Keys = std::shared_ptr<const rlwe::EvaluationKeys>;

  /// keys: with a key to relinearise.
  Waiting(Placed three, Levels levels, Keys keys);
  /// Ciphertexts `numbers` of what waits in `whole`, which relinearises them where it still lives.
  Waiting(Placed three, Indices numbers, const std::shared_ptr<const Waiting>& whole);
  /// What waits in `base` times an integer for each channel, plus ciphertexts of two parts, if there are some, of the
  /// base's levels and correction factors, in this layout. Its two parts are the same of the base's two, so that a
  /// product, its multiples and its sums with what does not wait take one relinearisation.
  Waiting(std::shared_ptr<const Waiting> base, std::vector<std::int64_t> factors, Channels addend, Layout layout);

  /// The three parts and the two. Of multiples, and of what is relinearised, they are computed when they are asked for,
  /// once, and kept. Thread-safe; no lock is held while anything is computed. Throws what it takes to compute them:
  /// MemoryLimitError, and what ends an interrupted call.
  const Placed& three() const;
  const Placed& two() const;
  const Levels& levels() const noexcept { return levels_; }
  const Keys& keys() const noexcept { return keys_; }
  const std::shared_ptr<const Waiting>& base() const noexcept { return base_; }
  const std::vector<std::int64_t>& factors() const noexcept { return factors_; }
  const Channels& addend() const noexcept { return addend_; }
  const Layout& layout() const noexcept { return layout_; }
  /// Bounds of the two parts, channel by channel.
  std::vector<rlwe::NoiseBound> settled_noise() const;
  /// Bytes of what is kept at present.
  std::size_t held_bytes() const;

 private:
  /// One of both forms, and who makes it.
  struct Form {
    std::mutex mutex;
    std::optional<Placed> made;
  };
  template <class Make>
  static const Placed& kept(Form& form, const Make& make);
  /// The same of a form of the base.
  Placed combined(const Placed& x) const;
  Placed relinearized() const;

  Levels levels_;
  Keys keys_;
  std::weak_ptr<const Waiting> whole_;
  Indices numbers_;
  std::shared_ptr<const Waiting> base_;
  std::vector<std::int64_t> factors_;
  Channels addend_;
  Layout layout_;
  mutable Form three_, two_;
};

/// The levels of products as they were made.
Waiting::Levels waiting_levels(const Channels& products);
/// The bounds that they have once they were relinearised there. As they are without levels.
std::vector<rlwe::NoiseBound> settled_noise(const Channels& products, const Waiting::Levels& levels);
/// The least of the bits that each channel's noise may grow by until decryption refuses.
double headroom_of(const Channels& channels, const std::vector<rlwe::NoiseBound>& noise);

}  // namespace cyclotome::value
