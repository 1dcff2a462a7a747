// SPDX-License-Identifier: Apache-2.0
// The composites that cores compute at once: a tile of coefficients, or a few limbs, goes through all of it while it is
// in cache. The others are faster, or as fast, one operation after another.
#include <algorithm>

#include "cyclotome/engine/cpu/cpu_engine.hpp"
#include "cyclotome/engine/cpu/steps/limb_transform.hpp"
#include "cyclotome/program/composites.hpp"
#include "cyclotome/program/lifts.hpp"

namespace cyclotome {

namespace {

using Views = std::span<const View>;

std::optional<ConstView> addend_of(Views operands) {
  return operands.size() > 3 ? std::optional<ConstView>(operands[3]) : std::nullopt;
}

/// Whether everything that a composite works on is the items' own: what all of them share is transformed once, not for
/// each tile of items.
bool items_own(const program::Program& p, const program::Composite& c) {
  const auto own = [&](const program::Place& place) { return p.values()[place.value].items == program::each; };
  return std::ranges::all_of(c.outs, own) && std::ranges::all_of(c.ins, own);
}
/// Whether the factors of multiply_ciphertexts, which it uses up, are one or don't touch.
bool apart(const program::Composite& c) { return c.ins[0].value != c.ins[1].value || c.ins[0].same_window(c.ins[1]); }

std::uint64_t* numbers(const View& view) { return static_cast<std::uint64_t*>(view.data); }

}  // namespace

Native CpuEngine::native(const program::Program& p, const program::Composite& c) {
  if (is_tensor_product(p, c)) return [this](Views o) { tensor_product(o[0], o[1], o[2]); };
  if (is_multiply_ciphertexts(p, c) && items_own(p, c) && apart(c)) {
    return [this](Views o) { multiply_ciphertexts(o[0], o[1], o[2]); };
  }
  if (is_key_switch_product(p, c)) return [this](Views o) { key_switch_product(o[0], o[1], o[2]); };
  if (is_weighted_sums(p, c)) return [this](Views o) { weighted_sums(o[0], o.subspan(1)); };
  if (const auto element = read_turned_product(p, c)) {
    return [this, turn = cpu::SlotTurn(c.outs[0].ring->galois().slots(*element))](Views o) {
      turned_product(o[0], o[1], o[2], turn);
    };
  }
  if (const auto step = read_turned_switch(p, c)) {
    const GaloisGroup& galois = c.outs[0].ring->galois();
    return [this, constants = step->constants,
            turn = cpu::Turn{cpu::SlotTurn(galois.slots(step->element)),
                             cpu::CoefficientTurn(galois.coefficients(step->element))}](Views o) {
      turned_switch(o[0], o[1], o[2], o[3], constants, turn);
    };
  }
  if (const auto constants = read_key_switch(p, c)) {
    return [this, constants = *constants](Views o) { key_switch(o[0], o[1], o[2], constants, addend_of(o)); };
  }
  // Of transforms a division is a transform in between, and nothing to keep in cache.
  if (const auto step = read_divide_and_round(p, c); step && c.outs[0].domain == Domain::coefficient) {
    return [this, step = *step](Views o) { divide_and_round(o[0], o[1], o[2], step, addend_of(o)); };
  }
  if (const auto lift = read_behz_lift(p, c)) {
    return [this, lift = *lift](Views o) { behz_lift(o[0], o[1], lift); };
  }
  if (const auto scale = read_behz_scale(p, c)) {
    return [this, scale = *scale](Views o) { behz_scale(o[0], o[1], scale); };
  }
  if (const auto rounding = read_scale_to_plain(p, c)) {
    return [this, rounding = *rounding](Views o) { scale_to_plain(o[0], numbers(o[1]), o[2], rounding); };
  }
  if (const BaseConversion* const conversion = read_convert_with_peaks(p, c)) {
    return [this, conversion](Views o) { convert_with_peaks(o[0], numbers(o[1]), o[2], *conversion); };
  }
  return {};
}

}  // namespace cyclotome
