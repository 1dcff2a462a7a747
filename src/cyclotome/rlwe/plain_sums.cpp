// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/rlwe/plain_sums.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "cyclotome/math/errors.hpp"
#include "cyclotome/program/composites.hpp"
#include "cyclotome/rlwe/domains.hpp"
#include "cyclotome/rlwe/noise/parameter_noise.hpp"

namespace cyclotome::rlwe {

namespace {

/// Products that are summed at a time.
constexpr std::size_t most_terms = 128;

/// Operands: out, rows as parts, ciphertexts as items, all transforms over the level's primes.
ExecutionPtr inner_product(const Context& context, Level level, std::size_t parts, std::size_t terms) {
  return context.execution({"sum of plain products", {level.primes, parts, terms}}, [&] {
    const RingPtr& ring = context.level_ring(level);
    program::Builder b("sum of plain products");
    const program::Slice out = b.output(ring, parts, Domain::transform);
    const program::Slice rows = b.input(ring, terms, Domain::transform);
    program::key_switch_product(b, out, rows, b.input(ring, parts, Domain::transform, terms));
    return b.finish();
  });
}

/// Some items of an array: where they are if they lie evenly, else copies.
class Items {
 public:
  Items(const Context& context, ConstView all, std::span<const std::size_t> numbers) : view_(all.items(numbers[0])) {
    const std::size_t count = numbers.size(), step = count > 1 ? numbers[1] - numbers[0] : 0;  // wraps around if below
    bool even = true;
    for (std::size_t i = 1; i < count; ++i)
      even = even && numbers[i] >= numbers[0] && numbers[i] - numbers[i - 1] == step;
    if (even && step < all.batch) {
      view_.batch = count;
      view_.batch_stride = step * all.batch_stride;
      return;
    }
    std::vector<ConstView> items;
    for (const std::size_t number : numbers) items.push_back(all.items(number));
    copy_.emplace(context.engine(), all.ring->shared_from_this(), count, all.parts, all.domain);
    context.engine()->sum_items(copy_->view(), items, 1);
    view_ = std::as_const(*copy_).view();
  }
  ConstView items() const noexcept { return view_; }
  /// Items of one part as parts of one item.
  ConstView parts() const noexcept {
    ConstView view = view_;
    view.parts = view_.batch, view.part_stride = view_.batch_stride;
    view.batch = 1;
    return view;
  }

 private:
  std::optional<PolyArray> copy_;
  ConstView view_;
};

void require_summable(const Ciphertext& a, std::span<const std::size_t> numbers, const Plaintext& b,
                      std::span<const std::size_t> rows, std::size_t group) {
  require_same_context("sum_plain_products", *a.context(), *b.context());
  if (a.plain() != b.plain()) {
    throw MismatchError(
        message("sum_plain_products: the operands have plaintext moduli number ", a.plain(), " and ", b.plain()));
  }
  if (b.transforms() == nullptr) throw ArgumentError("sum_plain_products takes plaintexts that were prepared");
  const auto below = [](std::span<const std::size_t> list, std::size_t end) {
    return std::ranges::all_of(list, [end](std::size_t number) { return number < end; });
  };
  if (group == 0 || numbers.empty() || numbers.size() != rows.size() || numbers.size() % group != 0 ||
      !below(numbers, a.batch()) || !below(rows, b.batch())) {
    throw ArgumentError(message("sum_plain_products: ", numbers.size(), " numbers of ", a.batch(), " ciphertexts and ",
                                rows.size(), " of ", b.batch(), " rows make no groups of ", group));
  }
}

}  // namespace

Ciphertext sum_plain_products(const Ciphertext& a, std::span<const std::size_t> numbers, const Plaintext& b,
                              std::span<const std::size_t> rows, std::size_t group) {
  require_summable(a, numbers, b, rows, group);
  const Context& context = *a.context();
  const RingPtr& ring = context.level_ring(a.level());
  const Ciphertext moved = transformed(a);
  const ConstView c = moved.polynomials().view(), m = std::as_const(*b.transforms()).view().limbs_at(0, *ring);
  PolyArray out = context.make(ring, numbers.size() / group, a.parts(), Domain::transform);
  for (std::size_t sum = 0; sum < out.batch(); ++sum) {
    for (std::size_t first = 0; first < group; first += most_terms) {
      const std::size_t at = sum * group + first, terms = std::min(most_terms, group - first);
      const Items of_c(context, c, numbers.subspan(at, terms)), of_m(context, m, rows.subspan(at, terms));
      const ExecutionPtr run = inner_product(context, a.level(), a.parts(), terms);
      const View total = out.view().items(sum);
      if (first == 0) {
        run->run(std::array<Operand, 3>{total, of_m.parts(), of_c.items()});
        continue;
      }
      PolyArray part = context.make(ring, 1, a.parts(), Domain::transform);
      run->run(std::array<Operand, 3>{part.view(), of_m.parts(), of_c.items()});
      context.engine()->add(total, total, std::as_const(part).view());
    }
  }
  const NoiseBound product = context.parameters().noise().times_plain(a.noise(), b.norms());
  return a.derived(std::move(out), NoiseCalculus::times(product, static_cast<double>(group)), a.raised_from());
}

}  // namespace cyclotome::rlwe
