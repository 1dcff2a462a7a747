// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/value/matrices/diagonal_plan.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <set>

namespace cyclotome::value {

namespace {

// In key switches, as measured on one core: a rotation by hoisted digits, one of a sum over P Q, and a plaintext that
// is encoded, transformed and multiplied.
constexpr double hoisted = 0.4, turned = 1.2, product = 0.1;

/// What `length` is cut into, each once.
std::set<std::size_t> block_lengths(std::size_t length, std::size_t most) {
  std::set<std::size_t> lengths{std::min(length, most)};
  if (length > most && length % most != 0) lengths.insert(length % most);
  return lengths;
}

double log2_of(std::size_t power) { return std::log2(static_cast<double>(power)); }

}  // namespace

DiagonalPlan::DiagonalPlan(std::size_t rows, std::size_t columns, std::size_t row, bool clean, bool quiet)
    : rows_(rows), columns_(columns), row_(row), period_(rows > row ? row : std::bit_ceil(rows)), turns_(period_) {
  choose_copies(1, clean && tall() && !wide());  // where results fill both rows, both hold the vector
  if (quiet) return;
  choose_baby();
  if (!clean || wide()) return;
  DiagonalPlan best = *this;
  for (const bool swaps : {false, true}) {
    if (tall() && !swaps) continue;
    for (std::size_t copies = 1; copies <= row; copies *= 2) {
      DiagonalPlan other = *this;
      if (!other.choose_copies(copies, swaps)) continue;
      other.choose_baby();
      if (other.cost() < best.cost()) best = other;
    }
  }
  *this = best;
}

/// False if they don't fit.
bool DiagonalPlan::choose_copies(std::size_t copies, bool swaps) noexcept {
  const std::size_t shares = copies * (swaps && !tall() ? 2 : 1);  // of the diagonals
  if (shares > period_) return false;
  copies_ = copies;
  swaps_ = swaps;
  turns_ = period_ / shares;
  stride_ = turns_;
  while (stride_ < columns_) stride_ += period_;  // a multiple of the period further, so that rows stay where they are
  return copies == 1 || (copies - 1) * stride_ + columns_ <= row_;
}

void DiagonalPlan::choose_baby() noexcept {
  const auto cost_of = [this](std::size_t baby) {
    return hoisted * static_cast<double>(baby - 1) + turned * static_cast<double>(turns_ / baby - 1);
  };
  baby_ = 1;
  for (std::size_t baby = 2; baby <= turns_; baby *= 2) {
    if (cost_of(baby) < cost_of(baby_)) baby_ = baby;
  }
}

double DiagonalPlan::cost() const noexcept {
  const double once = log2_of(copies_) + (swaps_ ? 1 : 0) + log2_of(row_ / period_) + (folds_rows() ? 1 : 0);
  const double steps = hoisted * static_cast<double>(baby_ - 1) + turned * static_cast<double>(turns_ / baby_ - 1);
  return once + steps + product * static_cast<double>(turns_);
}

std::vector<std::uint64_t> DiagonalPlan::copy_steps() const {
  std::vector<std::uint64_t> steps;
  for (std::size_t made = 1; made < copies_; made *= 2) steps.push_back(stride_ * made % row_);
  return steps;
}

std::optional<std::uint64_t> DiagonalPlan::swap_step() const {
  if (!swaps_) return std::nullopt;
  return tall() ? 0 : turns_ * copies_ % row_;
}

std::vector<std::uint64_t> DiagonalPlan::fold_steps() const {
  std::vector<std::uint64_t> steps;
  for (std::size_t step = period_; step < row_; step *= 2) steps.push_back(step);
  return steps;
}

std::vector<std::uint32_t> DiagonalPlan::columns_at(bool crossed) const {
  const auto none = static_cast<std::uint32_t>(columns_);
  std::vector<std::uint32_t> at(2 * row_, none);
  if (wide() || crossed) {
    for (std::size_t j = 0; j < columns_; ++j)
      at[crossed ? (j + row_) % (2 * row_) : j] = static_cast<std::uint32_t>(j);
    return at;
  }
  for (std::size_t copy = 0; copy < copies_; ++copy) {
    const std::size_t start = row_ - copy * stride_ % row_;
    for (std::size_t j = 0; j < columns_; ++j) at[(start + j) % row_] = static_cast<std::uint32_t>(j);
  }
  if (const auto step = swap_step()) {
    for (std::size_t p = 0; p < row_; ++p) at[row_ + p] = at[(p + *step) % row_];
  }
  return at;
}

std::vector<std::uint64_t> matrix_rotations(std::size_t rows, std::size_t columns, std::size_t row) {
  std::set<std::uint64_t> steps;
  const auto of_block = [&](std::size_t height, std::size_t width, bool clean) {
    const DiagonalPlan plan(height, width, row, clean);
    for (const auto& some : {plan.copy_steps(), plan.fold_steps()}) steps.insert(some.begin(), some.end());
    if (const auto step = plan.swap_step()) steps.insert(*step);
    for (std::size_t step = 1; step < plan.baby(); ++step) steps.insert(step);
    if (plan.baby() < plan.turns()) steps.insert(plan.baby() % row);
  };
  for (const std::size_t height : block_lengths(rows, 2 * row)) {
    for (const std::size_t width : block_lengths(columns, 2 * row)) {
      for (const bool clean : {true, false}) of_block(height, width, clean);
    }
  }
  steps.erase(0);
  return {steps.begin(), steps.end()};
}

}  // namespace cyclotome::value
