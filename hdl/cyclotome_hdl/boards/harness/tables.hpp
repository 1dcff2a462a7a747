// SPDX-License-Identifier: Apache-2.0
// When the tables of products to come are written, while others are in flight.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "layout.hpp"

namespace {

/// Takes the value of a word of a lane, and the bank it belongs to.
using WriteWord = std::function<void(std::size_t lane, std::size_t word, std::uint64_t value, unsigned bank)>;

/// Tables that need no writing: all products are modulo the prime that was loaded.
struct Tables {
  virtual ~Tables() = default;
  /// Ticks before the first product's first word at which the writing starts.
  virtual std::int64_t lead() const { return 0; }
  /// Whether the words of a product may come.
  virtual bool ready(std::uint64_t) const { return true; }
  virtual unsigned bank(std::uint64_t) const { return 0; }
  /// The writing of one tick. `now` counts from the tick at which the first product may start; of `begun` products the
  /// results have left, or begun to.
  virtual void write(std::int64_t /* now */, std::uint64_t /* begun */, const WriteWord&) {}
};

/// Product k starts k `period` after the first, and a port has a word to write for at most one of them at a tick.
class TimedTables final : public Tables {
 public:
  TimedTables(const std::vector<Prime>& primes, std::size_t beats)
      : primes_(primes), period_(static_cast<std::int64_t>(beats)) {
    for (const auto& lane : layout().tables) {
      auto& slot = slots_.emplace_back(beats, -1);
      for (std::size_t i = 0; i < lane.count; ++i) {
        const std::int64_t offset = lane.words[i].offset;
        slot[static_cast<std::size_t>(phase(offset))] = static_cast<std::int32_t>(i);
        lead_ = std::max(lead_, -offset);
      }
    }
  }

  std::int64_t lead() const override { return lead_; }
  unsigned bank(std::uint64_t item) const override { return item & 1; }

  void write(std::int64_t now, std::uint64_t, const WriteWord& word) override {
    for (std::size_t lane = 0; lane < slots_.size(); ++lane) {
      const std::int32_t which = slots_[lane][static_cast<std::size_t>(phase(now))];
      if (which < 0) continue;
      const auto i = static_cast<std::size_t>(which);
      const std::int64_t offset = layout().tables[lane].words[i].offset, product = (now - offset) / period_;
      if (now < offset || product >= static_cast<std::int64_t>(primes_.size())) continue;
      const auto k = static_cast<std::size_t>(product);
      word(lane, i, primes_[k].words[lane][i], bank(k));
    }
  }

 private:
  std::int64_t phase(std::int64_t tick) const { return (tick % period_ + period_) % period_; }

  const std::vector<Prime>& primes_;
  std::int64_t period_, lead_ = 0;
  std::vector<std::vector<std::int32_t>> slots_;  // [port][tick modulo period]: which word
};

/// Products of one prime after another share tables. Those of the next prime are written, a word a tick, as soon as the
/// last product that needs what they replace has been computed; no word of a product comes before its tables are there.
class TablesAhead final : public Tables {
 public:
  explicit TablesAhead(const std::vector<Prime>& primes) : primes_(primes) {
    for (std::size_t k = 0; k < primes.size(); ++k) {
      if (k == 0 || primes[k].words != primes[k - 1].words) first_.push_back(k);
      group_.push_back(first_.size() - 1);
    }
    for (const auto& lane : layout().tables) longest_ = std::max(longest_, lane.count);
  }

  std::int64_t lead() const override { return static_cast<std::int64_t>(longest_) + 1; }
  bool ready(std::uint64_t item) const override { return group_[item] < written_; }
  unsigned bank(std::uint64_t item) const override { return group_[item] & 1; }

  void write(std::int64_t, std::uint64_t begun, const WriteWord& word) override {
    // The last product of the group before the last must be over.
    if (written_ == first_.size() || (written_ > 1 && begun < first_[written_ - 1])) return;
    const std::size_t k = first_[written_];
    for (std::size_t lane = 0; lane < layout().tables.size(); ++lane) {
      if (next_ < layout().tables[lane].count) word(lane, next_, primes_[k].words[lane][next_], bank(k));
    }
    if (++next_ == longest_) next_ = 0, ++written_;
  }

 private:
  const std::vector<Prime>& primes_;
  std::vector<std::size_t> group_;  // of each product: it has the tables of the products before it, or new ones
  std::vector<std::size_t> first_;  // of each group
  std::size_t longest_ = 0, next_ = 0, written_ = 0;
};

/// `primes`: one for each product, or null where all are modulo the prime that is loaded.
std::unique_ptr<Tables> tables_of(const std::vector<Prime>* primes, std::size_t beats) {
  if (primes == nullptr) return std::make_unique<Tables>();
  if (layout().timed) return std::make_unique<TimedTables>(*primes, beats);
  return std::make_unique<TablesAhead>(*primes);
}

}  // namespace
