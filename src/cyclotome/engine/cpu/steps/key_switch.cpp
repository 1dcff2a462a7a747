// SPDX-License-Identifier: Apache-2.0
// Key switches of whole batches: how much is worked on at a time, and on which memory.
#include "cyclotome/engine/cpu/steps/key_switch.hpp"

#include <algorithm>

#include "cyclotome/engine/cpu/cpu_engine.hpp"

namespace cyclotome {

template <class Run>
void CpuEngine::key_switch_in_tiles(View out, ConstView key, const KeySwitchConstants& constants,
                                    const SwitchedFrom& from, const Run& run) {
  with_word(out.word(), [&]<class W>(W) {
    const std::size_t limb_bytes = from.digits * out.degree() * sizeof(W);
    const auto limbs_of = [&](std::size_t bytes) { return std::max<std::size_t>(1, threads() * bytes / limb_bytes); };
    cpu::KeySwitchLayout layout{out.degree(),
                                constants.key_ring->limbs(),
                                constants.special_limbs(),
                                from.digits,
                                1,
                                1,
                                from.transforms,
                                from.several_primes,
                                from.given};
    layout.items = std::min(out.batch, limbs_of(cpu::item_bytes_per_thread));
    layout.group = std::clamp<std::size_t>(limbs_of(cpu::limb_bytes_per_thread) / layout.items, 1, layout.limbs);
    const auto scratch = allocate(layout.items * layout.words() * sizeof(W), false);
    const auto parallel = [this](std::size_t count, std::size_t words, const auto& body) {
      loops_.in_parallel(count, words, body);
    };
    const cpu::KeySwitchNative<W, decltype(parallel)> native(kernels<W>(), parallel, layout,
                                                             static_cast<W*>(scratch->data()), constants, key);
    for (std::size_t first = 0; first < out.batch; first += layout.items) {
      run(native, first, std::min(layout.items, out.batch - first));
    }
  });
}

void CpuEngine::key_switch(View out, ConstView c, ConstView key, const KeySwitchConstants& constants,
                           const std::optional<ConstView>& addend) {
  const SwitchedFrom from{constants.digits.size(), c.domain == Domain::transform, constants.digits[0].ring->limbs() > 1,
                          false};
  key_switch_in_tiles(out, key, constants, from, [&](const auto& native, std::size_t first, std::size_t count) {
    native.run(out.items(first, count), c.items(first, count),
               addend ? std::optional<ConstView>(addend->items(first, count)) : std::nullopt);
  });
}

void CpuEngine::turned_switch(View out, ConstView body, ConstView digits, ConstView key,
                              const KeySwitchConstants& constants, const cpu::Turn& turn) {
  const SwitchedFrom from{digits.parts, false, false, true};
  key_switch_in_tiles(out, key, constants, from, [&](const auto& native, std::size_t first, std::size_t count) {
    native.run_turned(out.items(first, count), body.items(first, count), digits.items(first, count), turn);
  });
}

}  // namespace cyclotome
