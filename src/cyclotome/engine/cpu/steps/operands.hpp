// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "cyclotome/engine/cpu/tile.hpp"
#include "cyclotome/math/secure_zero.hpp"
#include "cyclotome/math/word.hpp"
#include "cyclotome/ring/randomness/secure_memory.hpp"

// Memory of one thread, which its verbs use again and again.
namespace cyclotome::cpu {

/// Pointers of one thread to the operands of an inner product; grows once and is reused.
template <LimbWord W>
struct Operands {
  std::vector<const W*> left, right;
  static Operands& of_thread(std::size_t terms) {
    thread_local Operands operands;
    if (operands.left.size() < terms) {
      operands.left.resize(terms);
      operands.right.resize(terms);
    }
    return operands;
  }
};

/// Scratch for tiles of `limbs` limbs in all. Its memory is the thread's, which it goes back to and is reused from;
/// what a check for interruptions computes meanwhile gets other memory.
template <LimbWord W>
class TileScratch {
 public:
  explicit TileScratch(std::size_t limbs) : kept_(std::exchange(of_thread(), Kept{})) {
    if (kept_.words.size() < limbs * conversion_tile) kept_ = {ZeroisingVector<W>(limbs * conversion_tile), 0};
  }
  ~TileScratch() {
    kept_.used = std::max(kept_.used, used_);
    if (kept_.words.size() <= most_kept) of_thread() = std::exchange(kept_, Kept{});
  }
  TileScratch(const TileScratch&) = delete;
  TileScratch& operator=(const TileScratch&) = delete;

  /// A tile of `limbs` limbs.
  Tile<W> tile(std::size_t limbs) {
    const Tile<W> result{kept_.words.data() + used_, conversion_tile};
    used_ += limbs * conversion_tile;
    return result;
  }
  /// Zeros over everything that this thread's tiles have held since the last time.
  static void wipe_thread() noexcept {
    Kept& kept = of_thread();
    secure_zero(kept.words.data(), kept.used * sizeof(W));
    kept.used = 0;
  }

 private:
  struct Kept {
    ZeroisingVector<W> words;
    std::size_t used = 0;  // the most that tiles took
  };
  static constexpr std::size_t most_kept = std::size_t{1} << 20;  // words; wide matrices take more
  static Kept& of_thread() noexcept {
    thread_local Kept kept;
    return kept;
  }

  Kept kept_;
  std::size_t used_ = 0;
};

/// At the end of a job: for verbs that messages, errors and phases come through.
inline constexpr auto wipe_scratch = []<LimbWord W>(W) { TileScratch<W>::wipe_thread(); };

}  // namespace cyclotome::cpu
