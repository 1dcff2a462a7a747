// SPDX-License-Identifier: Apache-2.0
// Composites by an engine's coarse verbs. Whoever has fewer of them than all overrides `native` and asks here for
// those.
#include "cyclotome/engine/engine.hpp"
#include "cyclotome/engine/readers.hpp"
#include "cyclotome/program/composites.hpp"

namespace cyclotome {

using program::Composite;
using program::Program;

namespace {

std::optional<ConstView> last_of(std::span<const View> operands, std::size_t index) {
  return operands.size() > index ? std::optional<ConstView>(operands[index]) : std::nullopt;
}

std::uint64_t* numbers(const View& view) { return static_cast<std::uint64_t*>(view.data); }

}  // namespace

Native Engine::native(const Program& p, const Composite& c) {
  using Views = std::span<const View>;
  if (is_tensor_product(p, c)) return [this](Views o) { do_tensor_product(o[0], o[1], o[2]); };
  if (is_multiply_ciphertexts(p, c)) return [this](Views o) { do_multiply_ciphertexts(o[0], o[1], o[2]); };
  if (is_multiply_key(p, c)) return [this](Views o) { do_multiply_key(o[0], o[1], o[2], o[3]); };
  if (is_key_switch_product(p, c)) return [this](Views o) { do_key_switch_product(o[0], o[1], o[2]); };
  if (const auto step = read_divide_and_round(p, c)) {
    return [this, step = *step](Views o) { do_divide_and_round(o[0], o[1], o[2], step, last_of(o, 3)); };
  }
  if (const auto step = read_key_switch(p, c)) {
    return [this, step = *step](Views o) { do_key_switch(o[0], o[1], o[2], step, last_of(o, 3)); };
  }
  if (const BaseConversion* const conversion = read_convert_with_peaks(p, c)) {
    return [this, conversion](Views o) { do_convert_with_peaks(o[0], o[2], *conversion, numbers(o[1])); };
  }
  if (const auto lift = read_hps_lift(p, c)) {
    return [this, lift = *lift](Views o) { do_hps_lift(o[0], o[1], o[2], o[3], lift); };
  }
  if (const auto lift = read_behz_lift(p, c)) {
    return [this, lift = *lift](Views o) { do_behz_lift(o[0], o[1], lift); };
  }
  if (const auto scale = read_behz_scale(p, c)) {
    return [this, scale = *scale](Views o) { do_behz_scale(o[0], o[1], scale); };
  }
  if (const auto rounding = read_scale_to_plain(p, c)) {
    return [this, rounding = *rounding](Views o) { do_scale_to_plain(o[0], o[2], rounding, numbers(o[1])); };
  }
  return {};
}

}  // namespace cyclotome
