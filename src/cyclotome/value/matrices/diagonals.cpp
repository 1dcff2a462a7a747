// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/value/matrices/diagonals.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "cyclotome/engine/memory_limit.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/interrupt.hpp"
#include "cyclotome/rlwe/domains.hpp"
#include "cyclotome/scheme/encoding.hpp"

namespace cyclotome::value {

namespace {

/// Places of a diagonal that are filled together.
constexpr std::size_t tile = 8;

Ciphertext turned(Ciphertext a, std::uint64_t step, const rlwe::EvaluationKeys& keys) {
  for (const std::uint64_t part : rlwe::rotation_steps("matmul", step, keys)) {
    a = rlwe::rotate_rows(a, static_cast<std::int64_t>(part), keys);
  }
  return a;
}

/// a, and what it is when its slots are turned, as often as there are steps.
Ciphertext doubled(Ciphertext a, const std::vector<std::uint64_t>& steps, const rlwe::EvaluationKeys& keys) {
  for (const std::uint64_t step : steps) a = rlwe::add(a, turned(a, step, keys));
  return a;
}

}  // namespace

Integers transposed(const Integers& matrix) {
  const std::size_t axes[] = {1, 0};
  return matrix.taken(transposed_indices(matrix.shape(), axes), {matrix.shape()[1], matrix.shape()[0]});
}

bool Diagonals::possible(const rlwe::Context& context) {
  const rlwe::Parameters& p = context.parameters();
  const auto& generators = context.slot_galois().generators();
  return p.field_slots() == nullptr && p.has_slots() && generators.size() == 2 &&
         2 * generators[0].order == p.slots() && generators[1].order == 2 && p.slots() >= 4;
}

Diagonals::Diagonals(rlwe::ContextPtr context, const Integers& matrix, bool clean, bool quiet)
    : context_(std::move(context)), rows_(matrix.shape()[0]), columns_(matrix.shape()[1]) {
  for (const std::uint64_t t : context_->parameters().plain_moduli()) {
    residues_.push_back(centred_residues(matrix, Modulus<std::uint64_t>(t)));
  }
  make_blocks(clean, quiet);
}

Diagonals::Diagonals(rlwe::ContextPtr context, std::size_t columns, Indices picks, bool clean)
    : context_(std::move(context)), rows_(picks.size()), columns_(columns), picks_(std::move(picks)) {
  make_blocks(clean, false);
}

void Diagonals::make_blocks(bool clean, bool quiet) {
  const std::size_t width = context_->parameters().slots();
  blocks_in_row_ = (columns_ + width - 1) / width;
  for (std::size_t i = 0; i < rows_; i += width) {
    for (std::size_t j = 0; j < columns_; j += width) {
      Block block{{std::min(width, rows_ - i), std::min(width, columns_ - j), width / 2, clean, quiet}, i, j};
      block.grids.push_back(make_grid(block, false));
      if (block.plan.crossed()) block.grids.push_back(make_grid(block, true));
      blocks_.push_back(std::move(block));
    }
  }
}

template <class Visit>
void Diagonals::for_each_entry(const Block& block, const Visit& visit) const {
  const DiagonalPlan& plan = block.plan;
  for (std::size_t i = 0; i < plan.rows(); ++i) {
    if (!picks_.empty()) {
      const std::size_t j = picks_[block.first_row + i] - block.first_column;  // wraps around below the block
      if (picks_[block.first_row + i] < columns_ && j < plan.columns() && !visit(i, j)) return;
      continue;
    }
    const std::size_t start = (block.first_row + i) * columns_ + block.first_column;
    for (std::size_t j = 0; j < plan.columns(); ++j) {
      const auto some = [&](const Residues& channel) { return channel[start + j] != 0; };
      if (std::ranges::any_of(residues_, some) && !visit(i, j)) return;
    }
  }
}

/// The rotations in which something is met; one of them where there is nothing.
rlwe::RotationGrid Diagonals::make_grid(const Block& block, bool crossed) const {
  const DiagonalPlan& plan = block.plan;
  const std::size_t half = context_->parameters().slots() / 2;
  std::vector<bool> met(plan.turns(), false);
  std::size_t left = met.size();  // a full matrix meets all of them in a few rows
  for_each_entry(block, [&](std::size_t i, std::size_t j) {
    if (plan.crossed() && ((i < half) != (j < half)) != crossed) return true;
    const std::size_t turn = plan.turn_of(i, j);
    if (!met[turn]) --left;
    met[turn] = true;
    return left != 0;
  });
  std::set<std::uint64_t> inner, outer;
  for (std::size_t s = 0; s < met.size(); ++s) {
    if (!met[s]) continue;
    inner.insert(s % plan.baby());
    outer.insert(s - s % plan.baby());
  }
  if (inner.empty()) return {{0}, {0}};
  return {{inner.begin(), inner.end()}, {outer.begin(), outer.end()}};
}

/// The diagonals of one outer step, turned back by it.
rlwe::ExtendedPlaintext Diagonals::encoded(const Block& block, std::size_t channel, bool crossed,
                                           std::size_t outer) const {
  const DiagonalPlan& plan = block.plan;
  const rlwe::RotationGrid& grid = block.grids[crossed ? 1 : 0];
  const std::size_t width = context_->parameters().slots(), half = width / 2, back = grid.outer[outer];
  const std::vector<std::uint32_t> columns = plan.columns_at(crossed);
  Residues values(grid.inner.size() * width, 0);
  std::array<std::size_t, tile> rows{};  // of some places next to each other: what is read and written fits a cache
  for (std::size_t first = 0; first < width; first += half) {
    for (std::size_t place = 0; place < half; place += tile) {
      const std::size_t count = std::min(tile, half - place);
      for (std::size_t s = 0; s < count; ++s) rows[s] = plan.row_at(first + (place + s + half - back % half) % half);
      for (std::size_t k = 0; k < grid.inner.size(); ++k) {
        for (std::size_t s = 0; s < count; ++s) {
          std::size_t slot = place + s + grid.inner[k];  // below n
          slot -= slot < half ? 0 : half;
          const std::size_t j = columns[first + slot];
          if (rows[s] >= plan.rows() || j >= plan.columns()) continue;
          values[k * width + first + place + s] = entry(channel, block.first_row + rows[s], block.first_column + j);
        }
      }
    }
  }
  return rlwe::ExtendedPlaintext(
      encode_residues(context_, rlwe::PlainIndex(channel), Encoding::Kind::slots, values, grid.inner.size(), width));
}

void Diagonals::prepare() {
  const rlwe::Parameters& p = context_->parameters();
  const Ring& ring = *context_->key_ring();
  std::size_t polynomials = 0;
  for (const Block& block : blocks_) {
    for (const auto& grid : block.grids) polynomials += grid.inner.size() * grid.outer.size() * context_->plain_count();
  }
  require_memory(*context_->engine(),
                 message("a matrix of shape (", rows_, ", ", columns_, ") at n = ", p.degree(), ", prepared"),
                 polynomials * ring.limbs() * ring.limb_words() * bytes_of(ring.word()),
                 "multiply with the integers, which prepares a part at a time");
  for (Block& block : blocks_) {
    block.prepared.resize(context_->plain_count());
    for (std::size_t channel = 0; channel < context_->plain_count(); ++channel) {
      for (std::size_t sum = 0; sum < block.grids.size(); ++sum) {
        for (std::size_t i = 0; i < block.grids[sum].outer.size(); ++i) {
          check_interrupt();
          block.prepared[channel].push_back(encoded(block, channel, sum == 1, i));
        }
      }
    }
  }
}

std::size_t Diagonals::bytes() const noexcept {
  std::size_t sum = 0;
  for (const Block& block : blocks_) {
    for (const auto& channel : block.prepared) {
      for (const auto& factors : channel) sum += factors.polynomials().bytes();
    }
  }
  return sum;
}

std::size_t Diagonals::steps() const noexcept {
  std::size_t count = 0;
  for (const Block& block : blocks_) {
    for (const auto& grid : block.grids) count += grid.outer.size();
  }
  return count;
}

Ciphertext Diagonals::product(const Block& block, std::size_t channel, const Ciphertext& x,
                              const rlwe::EvaluationKeys& keys, Task& task) const {
  const DiagonalPlan& plan = block.plan;
  Ciphertext vector = doubled(rlwe::native(x), plan.copy_steps(), keys);
  if (const auto step = plan.swap_step()) {
    vector = rlwe::add(vector, rlwe::rotate_columns(turned(vector, *step, keys), keys));
  }
  std::optional<Ciphertext> sum;
  for (std::size_t which = 0; which < block.grids.size(); ++which) {
    const std::size_t before = which == 0 ? 0 : block.grids[0].outer.size();
    const auto factors = [&](std::size_t i) {
      task.advance();
      if (!block.prepared.empty()) return block.prepared[channel][before + i];
      return encoded(block, channel, which == 1, i);
    };
    const Ciphertext part =
        rlwe::linear_transform(which == 0 ? vector : rlwe::rotate_columns(vector, keys), block.grids[which], factors,
                               keys, block.prepared.empty() ? rlwe::Factors::made : rlwe::Factors::kept);
    sum = sum ? rlwe::add(*sum, part) : part;
  }
  const Ciphertext folded = doubled(*sum, plan.fold_steps(), keys);
  return plan.folds_rows() ? rlwe::add(folded, rlwe::rotate_columns(folded, keys)) : folded;
}

void Diagonals::require_keys(const char* operation, const rlwe::EvaluationKeys& keys) const {
  const auto require = [&](bool present, const std::string& what) {
    if (present) return;
    throw MissingKeyError(
        message(operation, ": no key ", what, "; keygen(parameters, matrices=[(", rows_, ", ", columns_,
                ")]) makes those that a matrix of this shape takes, and those of sums, which are made "
                "unless keygen is told otherwise, will do for all"));
  };
  const bool swaps = keys.has_galois(rlwe::column_rotation_element(keys.context()->slot_galois()));
  for (const Block& block : blocks_) {
    std::vector<std::uint64_t> steps = block.plan.copy_steps();
    const auto add = [&](const std::vector<std::uint64_t>& more) {
      steps.insert(steps.end(), more.begin(), more.end());
    };
    add(block.plan.fold_steps());
    add({block.plan.swap_step().value_or(0)});
    for (const rlwe::RotationGrid& grid : block.grids) {
      add(grid.inner);
      for (std::size_t i = 0; i < grid.outer.size(); ++i) add({rlwe::outer_turn(grid, i)});
    }
    for (const std::uint64_t step : steps) {
      require(rlwe::can_rotate(step, keys), message("for a rotation by ", step, ", nor by powers of two"));
    }
    const bool swapped = block.plan.swap_step() || block.plan.folds_rows() || block.plan.crossed();
    require(swaps || !swapped, "that swaps the rows of slots");
  }
}

Placed Diagonals::apply(const char* operation, const Placed& x, const rlwe::EvaluationKeys& keys,
                        const Options& options) const {
  require_keys(operation, keys);
  const std::size_t chunks = x.layout.chunks(), vectors = x.layout.batch() / chunks;
  Task task(options, "multiplying matrices", steps() * context_->plain_count());
  std::vector<Channels> made;
  for (std::size_t first = 0; first < blocks_.size(); first += blocks_in_row_) {
    made.emplace_back();
    for (std::size_t channel = 0; channel < x.channels.size(); ++channel) {
      std::optional<Ciphertext> sum;
      for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
        Indices numbers;
        for (std::size_t i = 0; i < vectors; ++i) numbers.push_back(i * chunks + chunk);
        const Ciphertext part =
            product(blocks_[first + chunk], channel, rlwe::take(x.channels[channel], numbers), keys, task);
        sum = sum ? rlwe::add(*sum, part) : part;
      }
      made.back().push_back(std::move(*sum));
    }
  }
  Shape shape = x.layout.shape();
  shape.back() = rows_;
  const std::size_t axes[] = {1, 0};
  return {take(concatenate(made), transposed_indices({made.size(), vectors}, axes)),
          x.layout.placed(shape, Placement::slots, false)};
}

}  // namespace cyclotome::value
