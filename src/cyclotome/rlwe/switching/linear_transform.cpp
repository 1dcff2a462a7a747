// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/rlwe/switching/linear_transform.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>

#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/interrupt.hpp"
#include "cyclotome/rlwe/domains.hpp"
#include "cyclotome/rlwe/noise/parameter_noise.hpp"
#include "cyclotome/rlwe/switching/key_switch_program.hpp"
#include "cyclotome/rlwe/switching/levelled.hpp"
#include "cyclotome/rlwe/switching/linear_transform_program.hpp"

namespace cyclotome::rlwe {

namespace {

const SwitchingKey& key_of(std::uint64_t step, const EvaluationKeys& keys) {
  return keys.galois(row_rotation_element(keys.context()->slot_galois(), static_cast<std::int64_t>(step)));
}

bool has_step(std::uint64_t step, const EvaluationKeys& keys) {
  return keys.has_galois(row_rotation_element(keys.context()->slot_galois(), static_cast<std::int64_t>(step)));
}

/// The powers of two that make a number.
std::vector<std::uint64_t> powers_in(std::uint64_t number) {
  std::vector<std::uint64_t> powers;
  for (std::uint64_t power = 1; power != 0 && power <= number; power *= 2) {
    if ((number & power) != 0) powers.push_back(power);
  }
  return powers;
}

/// Which key switches a rotation of the ciphertext itself takes.
std::size_t switches_of(std::uint64_t step, const EvaluationKeys& keys) {
  return rotation_steps("linear_transform", step, keys).size();
}

void require_transformable(const Ciphertext& a, const RotationGrid& grid, const EvaluationKeys& keys) {
  require_same_context("linear_transform", *a.context(), *keys.context());
  require_same_key("linear_transform", a.key(), keys.id());
  if (a.parts() != 2) {
    throw ArgumentError(
        message("linear_transform takes ciphertexts of 2 parts, not ", a.parts(), "; relinearise first"));
  }
  const auto ascend = [](const std::vector<std::uint64_t>& steps) {
    return !steps.empty() && std::ranges::adjacent_find(steps, std::greater_equal<>()) == steps.end();
  };
  if (!ascend(grid.inner) || !ascend(grid.outer)) {
    throw ArgumentError("linear_transform: rotations ascend, and there is at least one of either kind");
  }
  for (const std::uint64_t step : grid.inner) static_cast<void>(switches_of(step, keys));  // a missing key shows early
  for (std::size_t i = 0; i < grid.outer.size(); ++i) static_cast<void>(switches_of(outer_turn(grid, i), keys));
}

/// One run on a few items: rotations of the ciphertext over P Q, and sums of their products.
class Transform {
 public:
  Transform(const Ciphertext& like, Level level, const RotationGrid& grid, const EvaluationKeys& keys, ConstView items)
      : context_(*like.context()),
        level_(level),
        plain_(like.plain()),
        grid_(grid),
        keys_(keys),
        ring_(context_.key_switch(level_, plain_).key_ring()),
        items_(items),
        turned_(make(grid.inner.size())) {}

  /// at_once: rows of factors that may be held at a time.
  void run(View out, const ExtendedFactors& factors, std::size_t at_once) {
    turn_inner();
    std::optional<PolyArray> sum;
    for (std::size_t last = grid_.outer.size(); last > 0;) {
      const std::size_t count = std::min(last, at_once), first = last - count;
      PolyArray products = weighted(factors, first, count);
      for (std::size_t i = last; i-- > first;) {
        check_interrupt();
        const View row = products.view().part(2 * (i - first), 2);
        if (sum) context_.engine()->add(row, row, std::as_const(*sum).view());
        sum = turned(row, outer_turn(grid_, i));
      }
      last = first;
    }
    run_on(divided_ciphertext(context_, level_, plain_), out, std::as_const(*sum).view());
  }

 private:
  /// `count` extended ciphertexts for each item: all items of the first one, then all of the next.
  PolyArray make(std::size_t count) const {
    return {context_.engine(), ring_, count * items_.batch, 2, Domain::transform};
  }
  template <class... Operands>
  static void run_on(const ExecutionPtr& execution, View out, const Operands&... operands) {
    execution->run(std::array<Operand, sizeof...(operands) + 1>{Operand(out), Operand(operands)...});
  }
  View inner(std::size_t j) { return turned_.view().items(j * items_.batch, items_.batch); }

  PolyArray turned(ConstView extended, std::uint64_t step) const {
    std::optional<PolyArray> result;
    for (const std::uint64_t part : rotation_steps("linear_transform", step, keys_)) {
      PolyArray next = make(1);
      run_on(extended_turn(context_, level_, plain_, element(part)), next.view(),
             result ? std::as_const(*result).view() : extended, key_of(part, keys_).polynomials().view());
      result = std::move(next);
    }
    if (!result) {  // by nothing
      result = make(1);
      context_.engine()->copy(result->view(), extended);
    }
    return std::move(*result);
  }

  /// All inner rotations: what has a key from the digits of the ciphertext, the others from one that was made.
  void turn_inner() {
    PolyArray extended = make(1);
    run_on(extended_ciphertext(context_, level_, plain_), extended.view(), items_);
    std::optional<PolyArray> digits;
    std::map<std::uint64_t, std::size_t> made;
    for (std::size_t j = 0; j < grid_.inner.size(); ++j) {
      check_interrupt();
      const std::uint64_t step = grid_.inner[j];
      made[step] = j;
      if (step == 0) {
        context_.engine()->copy(inner(j), std::as_const(extended).view());
      } else if (has_step(step, keys_)) {
        if (!digits) digits = find_digits();
        run_on(extended_hoisted_turn(context_, level_, plain_, element(step)), inner(j), std::as_const(extended).view(),
               std::as_const(*digits).view(), key_of(step, keys_).polynomials().view());
      } else if (const auto shorter = made.find(step & (step - 1)); shorter != made.end() && shorter->first != 0) {
        const std::uint64_t rest = step - shorter->first;
        run_on(extended_turn(context_, level_, plain_, element(rest)), inner(j), ConstView(inner(shorter->second)),
               key_of(rest, keys_).polynomials().view());
      } else {
        const PolyArray alone = turned(std::as_const(extended).view(), step);
        context_.engine()->copy(inner(j), alone.view());
      }
    }
  }

  PolyArray find_digits() const {
    const KeySwitch& key_switch = context_.key_switch(level_, plain_);
    PolyArray digits(context_.engine(), ring_, items_.batch, key_switch.digits(), Domain::transform);
    run_on(hoisted_digits(context_, level_, plain_), digits.view(), items_.part(1));
    return digits;
  }

  /// The inner rotations' sums with the factors of outer steps, 2 parts for each.
  PolyArray weighted(const ExtendedFactors& factors, std::size_t first, std::size_t count) {
    const std::size_t terms = grid_.inner.size();
    std::vector<ExtendedPlaintext> rows;  // the last one first, as they are asked for
    for (std::size_t i = first + count; i-- > first;) rows.push_back(checked(factors(i)));
    PolyArray sums(context_.engine(), ring_, items_.batch, 2 * count, Domain::transform);
    const auto part = [&](std::size_t which) {
      ConstView view = inner(0).part(which);
      view.parts = terms;
      view.part_stride = items_.batch * view.batch_stride;
      return view;
    };
    std::vector<Operand> operands{sums.view(), part(0), part(1)};
    for (std::size_t i = count; i-- > 0;) operands.emplace_back(rows[i].polynomials().view());
    extended_weighted_sums(context_, level_, rows.front().polynomials().ring(), terms, count)->run(operands);
    return sums;
  }
  ExtendedPlaintext checked(ExtendedPlaintext row) const {
    require_same_context("linear_transform", context_, *row.context());
    if (const std::size_t terms = grid_.inner.size(); row.batch() != terms || row.plain() != plain_) {
      throw ArgumentError(message("linear_transform: ", row.batch(), " factors of plaintext modulus number ",
                                  row.plain(), " for ", terms, " rotations modulo number ", plain_));
    }
    if (row.polynomials().limbs() < ring_->limbs()) {
      throw ArgumentError(message("linear_transform: factors over ", row.polynomials().limbs(), " primes, and the ",
                                  "rotations are computed over ", ring_->limbs(), "; extend them to a higher level"));
    }
    return row;
  }

  std::uint64_t element(std::uint64_t step) const {
    return row_rotation_element(context_.slot_galois(), static_cast<std::int64_t>(step));
  }

  const Context& context_;
  Level level_;
  PlainIndex plain_;
  const RotationGrid& grid_;
  const EvaluationKeys& keys_;
  RingPtr ring_;
  ConstView items_;
  PolyArray turned_;
};

}  // namespace

std::uint64_t outer_turn(const RotationGrid& grid, std::size_t i) {
  return grid.outer[i] - (i == 0 ? 0 : grid.outer[i - 1]);
}

ExtendedPlaintext::ExtendedPlaintext(const Plaintext& plaintext)
    : ExtendedPlaintext(plaintext, plaintext.context()->max_level()) {}

ExtendedPlaintext::ExtendedPlaintext(const Plaintext& plaintext, Level level)
    : context_(plaintext.context()),
      plain_(plaintext.plain()),
      norms_(plaintext.norms()),
      polynomials_(context_->engine(), extended_ring(*context_, level), plaintext.batch(), 1, Domain::transform) {
  const Operand operands[] = {polynomials_.view(), plaintext.polynomials().view()};
  extended_plaintext(*context_, level, plain_)->run(operands);
}

std::vector<std::uint64_t> rotation_steps(const char* operation, std::uint64_t steps, const EvaluationKeys& keys) {
  if (!can_rotate(steps, keys)) {
    throw MissingKeyError(message(operation, ": no keys for ", steps,
                                  " steps; ask for this rotation when the keys are generated, keygen(parameters, "
                                  "rotations=[",
                                  steps, "]), or for powers of two, as sums take"));
  }
  if (steps == 0) return {};
  return has_step(steps, keys) ? std::vector{steps} : powers_in(steps);
}

bool can_rotate(std::uint64_t steps, const EvaluationKeys& keys) {
  return steps == 0 || has_step(steps, keys) ||
         std::ranges::all_of(powers_in(steps), [&](std::uint64_t step) { return has_step(step, keys); });
}

NoiseBound linear_transform_noise(const Ciphertext& a, const RotationGrid& grid, std::span<const PlainNorms> norms,
                                  const EvaluationKeys& keys) {
  return linear_transform_noise(a.context()->parameters(), a.plain(), a.level(), a.noise(), grid, norms,
                                [&](std::uint64_t step) { return switches_of(step, keys); });
}

NoiseBound linear_transform_noise(const Parameters& parameters, PlainIndex plain, Level level, const NoiseBound& noise,
                                  const RotationGrid& grid, std::span<const PlainNorms> norms,
                                  const std::function<std::size_t(std::uint64_t)>& switches) {
  const NoiseCalculus& calculus = parameters.noise();
  const Level at = key_switch_level(parameters, noise, level, 2, key_switch_noise(parameters, plain, level));
  const double dropped = parameters.log2_modulus(level.primes) - parameters.log2_modulus(at.primes);
  const NoiseBound one_switch = NoiseCalculus::scaled(key_switch_noise(parameters, plain, at), dropped);
  const auto switched = [&](NoiseBound before, std::size_t times) {
    return times == 0 ? before : calculus.sum(before, NoiseCalculus::times(one_switch, static_cast<double>(times)));
  };
  NoiseBound lowered = noise;
  if (at < level) lowered = calculus.sum(lowered, NoiseCalculus::scaled(calculus.rounding_of_ciphertext(), dropped));
  std::optional<NoiseBound> sum;
  for (std::size_t i = grid.outer.size(); i-- > 0;) {
    for (const std::uint64_t step : grid.inner) {
      const NoiseBound term = calculus.times_plain(switched(lowered, switches(step)), norms[i]);
      sum = sum ? calculus.sum(*sum, term) : term;
    }
    sum = switched(*sum, switches(outer_turn(grid, i)));
  }
  return switched(*sum, 1);  // the division in the end
}

Ciphertext linear_transform(const Ciphertext& given, const RotationGrid& grid, const ExtendedFactors& factors,
                            const EvaluationKeys& keys, Factors made) {
  require_transformable(given, grid, keys);
  const Ciphertext a = native(given);
  const Context& context = *a.context();
  std::vector<PlainNorms> norms(grid.outer.size());
  const auto noted = [&](std::size_t i) {
    ExtendedPlaintext row = factors(i);
    norms[i] = row.norms();
    return row;
  };
  const Level at = rotation_level(a);
  const PolyArray low = at_level(a, at);
  PolyArray out = context.make(low.ring(), a.batch(), 2, low.domain());
  const Ring& ring = *context.key_switch(at, a.plain()).key_ring();
  const std::size_t item = ring.limbs() * ring.limb_words() * bytes_of(ring.word());
  const std::size_t at_once = made == Factors::kept ? most_weights : 1;
  const std::size_t held = 2 * (grid.inner.size() + at_once + 3) + context.key_switch(at, a.plain()).digits();
  const std::size_t tile = context.engine()->batch_tile(a.batch(), held * item);
  for (std::size_t first = 0; first < a.batch(); first += tile) {
    const std::size_t count = std::min(tile, a.batch() - first);
    Transform(a, at, grid, keys, low.view().items(first, count)).run(out.view().items(first, count), noted, at_once);
  }
  return a.derived(from_level(a, std::move(out)), linear_transform_noise(a, grid, norms, keys), at);
}

}  // namespace cyclotome::rlwe
