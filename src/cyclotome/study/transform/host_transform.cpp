// SPDX-License-Identifier: Apache-2.0
// The steps of a design as a GPU runs them, one thread after another.
#include "cyclotome/study/transform/host_transform.hpp"

#include <algorithm>

#include "cyclotome/math/bits.hpp"
#include "cyclotome/ring/randomness/secure_memory.hpp"
#include "cyclotome/study/transform/stages.hpp"
#include "cyclotome/study/transform/stockham.hpp"

namespace cyclotome::study {

namespace {

/// Memory as a kernel's blocks have it: shared memory, and a second buffer for what is out of place.
template <class Field>
class Scratch {
 public:
  using W = typename Field::Word;
  explicit Scratch(std::size_t values) : words_(3 * values * Field::words), values_(values) {}
  Cells<W> part(std::size_t index) {
    return {words_.data() + index * values_ * Field::words, static_cast<std::uint32_t>(values_)};
  }

 private:
  ZeroisingVector<W> words_;
  std::size_t values_;
};

template <bool Inverse, class Field>
void run_block(const TransformStep& step, Cells<typename Field::Word> x, const Field& field, unsigned stages,
               Cells<typename Field::Word> scratch) {
  for (std::uint32_t block = 0; block < 1U << (stages - step.count); ++block) {
    const Alone team;
    if (step.storage == Storage::global) {
      block_stages_of<Inverse, Storage::global>(team, field, x, scratch, stages, step.count, block);
    } else if (step.storage == Storage::shuffle) {
      block_stages_of<Inverse, Storage::shuffle>(team, field, x, scratch, stages, step.count, block);
    } else {
      block_stages_of<Inverse, Storage::shared>(team, field, x, scratch, stages, step.count, block);
    }
  }
}

template <bool Inverse, class Field>
void run_stages(const TransformStep& step, Cells<typename Field::Word> x, const Field& field, unsigned stages) {
  with_radix(step.count, [&]<unsigned LogRadix>() {
    for (std::uint32_t i = 0; i < x.stride >> LogRadix; ++i) {
      stages_in_registers<Inverse, LogRadix>(field, x, i, step.first, stages);
    }
  });
}

}  // namespace

template <bool Inverse, class Field>
void transform_on_host(typename Field::Word* data, std::size_t degree, const Field& field, TransformDesign design,
                       bool sorted) {
  using W = typename Field::Word;
  const std::size_t values = degree / Field::words;
  const Cells<W> x{data, static_cast<std::uint32_t>(values)};
  const unsigned stages = bit_length(values) - 1;
  Scratch<Field> scratch(values);
  auto from = x;
  for (const TransformStep& step : plan(design, bit_length(degree) - 1, sizeof(W), Inverse)) {
    if (step.kind == TransformStep::Kind::stages) {
      run_stages<Inverse>(step, x, field, stages);
    } else if (step.kind == TransformStep::Kind::block) {
      run_block<Inverse>(step, x, field, stages, scratch.part(0));
    } else {
      const StockhamGroup group{stages, step.first, step.count, columns_of(stages, step.count), sorted ? 1U : 0U};
      const auto to = group.last() ? x : scratch.part(2);
      for (std::uint32_t column = 0; column < 1U << (stages - step.count); column += 1U << group.columns) {
        stockham_group<Inverse>(Alone(), field, to, from, scratch.part(0), scratch.part(1), group, column);
      }
      from = to;
    }
  }
}

#define CYCLOTOME_INSTANTIATE(field, word)                                                               \
  template void transform_on_host<false>(word*, std::size_t, const field<word>&, TransformDesign, bool); \
  template void transform_on_host<true>(word*, std::size_t, const field<word>&, TransformDesign, bool)
CYCLOTOME_INSTANTIATE(ResidueField, std::uint32_t);
CYCLOTOME_INSTANTIATE(ResidueField, std::uint64_t);
CYCLOTOME_INSTANTIATE(GaussianField, std::uint32_t);
CYCLOTOME_INSTANTIATE(GaussianField, std::uint64_t);
#undef CYCLOTOME_INSTANTIATE

}  // namespace cyclotome::study
