// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/study/transform/design.hpp"

#include <algorithm>

#include "cyclotome/math/bits.hpp"
#include "cyclotome/math/errors.hpp"

namespace cyclotome {

std::string design_names() {
  std::string names;
  for (const DesignFacts& facts : transform_designs) {
    if (!names.empty()) names += ", ";
    names += facts.name;
  }
  return names;
}

TransformDesign design_of(std::string_view name) {
  for (const DesignFacts& facts : transform_designs) {
    if (name == facts.name || name == facts.label) return facts.design;
  }
  throw ArgumentError(message("there is no transform design ", name, "; there are ", design_names()));
}

namespace study {

namespace {

using Kind = TransformStep::Kind;
using Steps = std::vector<TransformStep>;

/// Stages in kernels of at most `most` each: from the widest down, or, backwards, the same kernels from the narrowest
/// up.
Steps by_registers(unsigned from, unsigned stages, unsigned most, bool inverse) {
  Steps steps;
  for (unsigned top = stages; top > from;) {
    const unsigned count = std::min(most, top - from);
    top -= count;
    steps.push_back({Kind::stages, top, count, Storage::global});
  }
  if (inverse) std::ranges::reverse(steps);
  return steps;
}

/// Wide stages one by one, then blocks of 2^block_stages values.
Steps by_blocks(unsigned stages, unsigned block_stages, Storage storage, bool inverse) {
  Steps steps = by_registers(block_stages, stages, 1, inverse);
  steps.insert(inverse ? steps.begin() : steps.end(), {Kind::block, 0, block_stages, storage});
  return steps;
}

/// One kernel where a block takes all values, else two.
Steps by_groups(unsigned stages, bool two) {
  const unsigned first = !two && stages <= group_stages ? stages : (stages + 1) / 2;
  Steps steps{{Kind::group, 0, first, Storage::shared}};
  if (first < stages) steps.push_back({Kind::group, first, stages - first, Storage::shared});
  return steps;
}

/// "8, 8, 4": of the passes of 2^count values.
std::string radices(unsigned count) {
  std::string text;
  for (unsigned done = 0; done < count;) {
    const unsigned log_radix = pass_log_radix(count, done);
    text += message(done == 0 ? "" : ", ", 1U << log_radix);
    done += log_radix;
  }
  return text;
}

}  // namespace

std::vector<TransformStep> plan(TransformDesign design, unsigned log_degree, std::size_t word_bytes, bool inverse) {
  const bool gaussian = is_gaussian(design);
  const unsigned stages = gaussian ? log_degree - 1 : log_degree;
  const std::size_t value_bytes = gaussian ? 2 * word_bytes : word_bytes;
  switch (design) {
    case TransformDesign::single_kernel:
      return by_blocks(stages, stages, Storage::global, inverse);
    case TransformDesign::multi_kernel:
      return by_registers(0, stages, 1, inverse);
    case TransformDesign::single_kernel_shared:
      return by_blocks(stages, stages, Storage::shared, inverse);
    case TransformDesign::single_kernel_shuffle:
      return by_blocks(stages, stages, Storage::shuffle, inverse);
    case TransformDesign::hybrid:
    case TransformDesign::galois:
      return by_blocks(stages, std::min(stages, shared_stages(value_bytes, inverse)), Storage::shared, inverse);
    case TransformDesign::radix_4:
      return by_registers(0, stages, 2, inverse);
    case TransformDesign::radix_8:
      return by_registers(0, stages, 3, inverse);
    case TransformDesign::radix_16:
      return by_registers(0, stages, max_log_radix, inverse);
    case TransformDesign::stockham:
    case TransformDesign::galois_stockham:
      return by_groups(stages, false);
    case TransformDesign::four_step:
      return by_groups(stages, true);
  }
  return {};
}

std::vector<std::string> describe(TransformDesign design, unsigned log_degree, std::size_t word_bytes, bool inverse) {
  constexpr const char* memory[] = {"global memory", "shared memory", "global memory, the six narrowest by shuffles"};
  const unsigned total = is_gaussian(design) ? log_degree - 1 : log_degree;
  std::vector<std::string> lines;
  for (const TransformStep& step : plan(design, log_degree, word_bytes, inverse)) {
    switch (step.kind) {
      case Kind::stages:
        lines.push_back(message("radix ", 1U << step.count, " over global memory, narrowest gap ", 1U << step.first));
        break;
      case Kind::block:
        lines.push_back(message("blocks of ", std::size_t{1} << step.count, " values, ", step.count, " stages over ",
                                memory[static_cast<std::size_t>(step.storage)]));
        break;
      case Kind::group:
        lines.push_back(message("transforms of ", std::size_t{1} << step.count, " values, ",
                                std::size_t{1} << (total - step.count), " apart, in passes of radix ",
                                radices(step.count)));
        break;
    }
  }
  return lines;
}

void require_supported(TransformDesign design, std::size_t degree, std::size_t word_bytes) {
  if (is_power_of_two(degree) && supports(design, bit_length(degree) - 1, word_bytes)) return;
  throw ArgumentError(message("design ", facts_of(design).name, " cannot transform ", degree, " residues of ",
                              8 * word_bytes, " bits: d3 holds at most 32 KB of a polynomial, d4 needs 64 residues, ",
                              "dgt, dgt-stockham and four-step need 4; use d5 or the engine's own transform"));
}

}  // namespace study
}  // namespace cyclotome
