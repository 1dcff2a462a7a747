// SPDX-License-Identifier: Apache-2.0
#pragma once

// Composites as functions, for tests that compare one of them with its oracle: a call writes a program of that
// composite for its operands' shapes, prepares it on an engine, and runs it. What does not fit throws ArgumentError.

#include <optional>

#include "cyclotome/engine/engine.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/program/composites.hpp"
#include "cyclotome/scheme/bfv/composites.hpp"

namespace cyclotome::check {

/// A program of one composite and the memory that it runs on.
class OneComposite {
 public:
  /// name: a literal. batch: the result's.
  OneComposite(std::string_view name, std::size_t batch) : builder_(name), batch_(batch) {}

  program::Builder& builder() noexcept { return builder_; }
  program::Slice out(View view) {
    operands_.emplace_back(view);
    return builder_.output(view.ring->shared_from_this(), view.parts, view.domain);
  }
  /// A number for each item, in the engine's memory.
  program::Slice numbers(std::uint64_t* memory) {
    operands_.emplace_back(View{memory, program::number_ring().get(), batch_, 1, 1, 1, Domain::coefficient});
    return builder_.output_numbers();
  }
  /// As many items as the result has, or a number of its own: what is broadcast.
  program::Slice in(ConstView view) {
    return view.batch == batch_ ? input(view, program::each) : input(view, view.batch);
  }
  /// The digits of a key are its items.
  program::Slice key(ConstView view) { return input(view, view.batch); }

  void run(Engine& engine) { engine.prepare(builder_.finish())->run(operands_); }

 private:
  program::Slice input(ConstView view, std::size_t count) {
    operands_.emplace_back(view);
    return builder_.input(view.ring->shared_from_this(), view.parts, view.domain, count);
  }

  program::Builder builder_;
  std::size_t batch_;
  std::vector<Operand> operands_;
};

inline void tensor_product(Engine& engine, View out, ConstView a, ConstView b) {
  OneComposite one("tensor_product", out.batch);
  const auto product = one.out(out), x = one.in(a), y = one.in(b);
  program::tensor_product(one.builder(), product, x, y);
  one.run(engine);
}

inline void key_switch_product(Engine& engine, View out, ConstView digits, ConstView key) {
  OneComposite one("key_switch_product", out.batch);
  const auto sum = one.out(out), x = one.in(digits), y = one.key(key);
  program::key_switch_product(one.builder(), sum, x, y);
  one.run(engine);
}

inline void key_switch(Engine& engine, View out, ConstView c, ConstView key, const KeySwitchConstants& step,
                       const std::optional<ConstView>& addend = std::nullopt) {
  OneComposite one("key_switch", out.batch);
  const auto switched = one.out(out), x = one.in(c), y = one.key(key);
  const auto more = addend ? std::optional(one.in(*addend)) : std::nullopt;
  program::key_switch(one.builder(), switched, x, y, step, out.domain, more);
  one.run(engine);
}

inline void divide_and_round(Engine& engine, View out, ConstView kept, ConstView dropped, const DivideAndRound& step,
                             const std::optional<ConstView>& addend = std::nullopt) {
  OneComposite one("divide_and_round", out.batch);
  const auto quotient = one.out(out), x = one.in(kept), rest = one.in(dropped);
  const auto more = addend ? std::optional(one.in(*addend)) : std::nullopt;
  program::divide_and_round(one.builder(), quotient, x, rest, step, more);
  one.run(engine);
}

inline void behz_lift(Engine& engine, View out, ConstView a, const bfv::BehzLift& step) {
  OneComposite one("behz_lift", out.batch);
  const auto lifted = one.out(out), x = one.in(a);
  bfv::behz_lift(one.builder(), lifted, x, step);
  one.run(engine);
}

inline void behz_scale(Engine& engine, View out, ConstView a, const bfv::BehzScale& step) {
  OneComposite one("behz_scale", out.batch);
  const auto scaled = one.out(out), x = one.in(a);
  bfv::behz_scale(one.builder(), scaled, x, step);
  one.run(engine);
}

/// Of one part. peaks: a number for each item, in the engine's memory.
inline void scale_to_plain(Engine& engine, View out, ConstView a, const bfv::PlainScale& step, std::uint64_t* peaks) {
  OneComposite one("scale_to_plain", out.batch);
  const auto plain = one.out(out), numbers = one.numbers(peaks), x = one.in(a);
  bfv::scale_to_plain(one.builder(), plain, numbers, x, step);
  one.run(engine);
}

inline void convert_with_peaks(Engine& engine, View out, ConstView a, const BaseConversion& conversion,
                               std::uint64_t* peaks) {
  OneComposite one("convert_with_peaks", out.batch);
  const auto converted = one.out(out), numbers = one.numbers(peaks), x = one.in(a);
  program::convert_with_peaks(one.builder(), converted, numbers, x, conversion);
  one.run(engine);
}

/// Part after part, without the peaks.
inline void scale_to_plain(Engine& engine, View out, ConstView a, const bfv::PlainScale& step) {
  const auto peaks = engine.allocate(out.batch * sizeof(std::uint64_t), true);
  if (a.parts != out.parts) {
    throw ArgumentError(message("scale_to_plain: ", a.parts, " parts do not fit a result of ", out.parts));
  }
  for (std::size_t p = 0; p < out.parts; ++p) {
    scale_to_plain(engine, out.part(p), a.part(p), step, static_cast<std::uint64_t*>(peaks->data()));
  }
}

}  // namespace cyclotome::check
