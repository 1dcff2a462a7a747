// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/rlwe/operations.hpp"

#include <algorithm>
#include <cstdlib>

#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/interrupt.hpp"
#include "cyclotome/rlwe/deterministic.hpp"
#include "cyclotome/rlwe/encryption.hpp"

namespace cyclotome::rlwe {

namespace {

const NoiseCalculus& calculus(const Ciphertext& a) { return a.context()->parameters().noise(); }

NoiseBound switched_noise(const Ciphertext& a, const KeySwitch& key_switch) {
  return calculus(a).sum(a.noise(), key_switch.noise());
}

/// b: a ciphertext or a plaintext.
template <class Operand>
void require_operands(const char* operation, const Ciphertext& a, const Operand& b) {
  const Context& context = *b.context();
  const std::size_t plain = b.plain(), batch = b.batch();
  require_same_context(operation, *a.context(), context);
  if (a.plain() != plain) {
    throw MismatchError(message(operation, ": the operands have plaintext moduli number ", a.plain(), " and ", plain));
  }
  if (a.batch() != batch && a.batch() != 1 && batch != 1) {
    throw ArgumentError(message(operation, ": batches of ", a.batch(), " and ", batch,
                                " ciphertexts do not fit; they must be equal or 1"));
  }
}

/// Shared by add and subtract: `both` on the parts that both have, `only_b` on those that only b has.
template <class Both, class OnlyB>
Ciphertext combine(const char* operation, const Ciphertext& a, const Ciphertext& b, const Both& both,
                   const OnlyB& only_b) {
  require_operands(operation, a, b);
  require_same_key(operation, a.key(), b.key());
  if (a.limbs() != b.limbs() || a.correction() != b.correction()) {
    throw MismatchError(message(operation, ": the operands are at levels ", a.limbs(), " and ", b.limbs(),
                                " with correction factors ", a.correction(), " and ", b.correction(),
                                "; bring them to one level and factor first"));
  }
  const Context& context = *a.context();
  const std::size_t shared = std::min(a.parts(), b.parts()), parts = std::max(a.parts(), b.parts());
  PolyArray out = a.like(std::max(a.batch(), b.batch()), parts);
  const ConstView x = a.polynomials().view(), y = b.polynomials().view();
  both(out.view().part(0, shared), x.part(0, shared), y.part(0, shared));
  if (a.parts() > shared)
    context.engine()->copy(out.view().part(shared, parts - shared), x.part(shared, parts - shared));
  if (b.parts() > shared) only_b(out.view().part(shared, parts - shared), y.part(shared, parts - shared));
  return a.derived(std::move(out), calculus(a).sum(a.noise(), b.noise()));
}

void require_keys_of(const char* operation, const Ciphertext& a, const EvaluationKeys& keys) {
  require_same_context(operation, *a.context(), *keys.context());
  require_same_key(operation, a.key(), keys.id());
}

void require_rotatable(const Ciphertext& a, const EvaluationKeys& keys) {
  require_keys_of("rotate", a, keys);
  if (a.parts() != 2) {
    throw ArgumentError(message("rotations take ciphertexts of 2 parts, not ", a.parts(), "; relinearise first"));
  }
}

}  // namespace

Ciphertext add(const Ciphertext& a, const Ciphertext& b) {
  Engine& engine = *a.context()->engine();
  return combine(
      "add", a, b, [&](View out, ConstView x, ConstView y) { engine.add(out, x, y); },
      [&](View out, ConstView y) { engine.copy(out, y); });
}

Ciphertext subtract(const Ciphertext& a, const Ciphertext& b) {
  Engine& engine = *a.context()->engine();
  return combine(
      "subtract", a, b, [&](View out, ConstView x, ConstView y) { engine.subtract(out, x, y); },
      [&](View out, ConstView y) { engine.negate(out, y); });
}

Ciphertext negate(const Ciphertext& a) {
  PolyArray out = a.like(a.batch(), a.parts());
  a.context()->engine()->negate(out.view(), a.polynomials().view());
  return a.derived(std::move(out), a.noise());
}

Ciphertext multiply_plain(const Ciphertext& a, const Plaintext& b) {
  require_operands("multiply_plain", a, b);
  const Context& context = *a.context();
  Engine& engine = *context.engine();
  const RingPtr& ring = a.polynomials().ring();
  const std::size_t batch = std::max(a.batch(), b.batch());
  const BaseConversion lift(b.polynomials().ring()->basis(), ring->basis(), Lift::centred);
  PolyArray out = a.like(batch, a.parts());
  const std::size_t item_bytes = (a.parts() + 1) * ring->limbs() * ring->degree() * bytes_of(ring->word());
  const std::size_t tile = engine.batch_tile(batch, item_bytes);
  for (std::size_t first = 0; first < batch; first += tile) {
    check_interrupt();
    const std::size_t count = std::min(tile, batch - first);
    const auto window = [&](auto view) { return view.batch == 1 ? view : view.items(first, count); };
    const ConstView x = window(a.polynomials().view()), m = window(b.polynomials().view());
    PolyArray factor = context.make(ring, m.batch, 1);
    engine.convert(factor.view(), m, lift);
    factor.to_transform();
    View result = out.view().items(first, count);
    if (x.domain == Domain::transform) {
      engine.multiply(result, x, factor.view());
      continue;
    }
    PolyArray transformed = a.like(x.batch, a.parts());
    engine.copy(transformed.view(), x);
    transformed.to_transform();
    result.domain = Domain::transform;
    engine.multiply(result, transformed.view(), factor.view());
    engine.inverse(result);
  }
  return a.derived(std::move(out), calculus(a).times_plain(a.noise(), b.norms()));
}

Ciphertext multiply_scalar(const Ciphertext& a, std::int64_t factor) {
  const RingPtr& ring = a.polynomials().ring();
  std::vector<std::uint64_t> factors;
  for (const auto q : ring->basis().values()) factors.push_back(Modulus<std::uint64_t>(q).reduce_signed(factor));
  PolyArray out = a.like(a.batch(), a.parts());
  a.context()->engine()->multiply_scalars(out.view(), a.polynomials().view(), factors);
  return a.derived(std::move(out), NoiseCalculus::times(a.noise(), static_cast<double>(factor)));
}

Ciphertext linear_combination(const Ciphertext& a, std::span<const std::int64_t> matrix, std::size_t rows) {
  if (rows == 0 || matrix.size() != rows * a.batch()) {
    throw ArgumentError(message("linear_combination: a matrix for ", a.batch(), " ciphertexts and ", rows, " rows has ",
                                rows * a.batch(), " entries, not ", matrix.size()));
  }
  PolyArray out = a.like(rows, a.parts());
  a.context()->engine()->linear_combination(out.view(), a.polynomials().view(), matrix);
  double largest_row = 1;
  for (std::size_t r = 0; r < rows; ++r) {
    double row = 0;
    for (std::size_t c = 0; c < a.batch(); ++c) row += std::abs(static_cast<double>(matrix[r * a.batch() + c]));
    largest_row = std::max(largest_row, row);
  }
  return a.derived(std::move(out), NoiseCalculus::times(a.noise(), largest_row));
}

ConstView relinearization_key(const Ciphertext& a, const EvaluationKeys& keys) {
  require_keys_of("relinearize", a, keys);
  return keys.relinearization().polynomials().view();
}

Ciphertext relinearize(const Ciphertext& a, const EvaluationKeys& keys) {
  require_keys_of("relinearize", a, keys);
  if (a.parts() == 2) return a.derived(a.polynomials().clone(), a.noise());
  if (a.parts() != 3) throw ArgumentError(message("relinearize takes ciphertexts of 3 parts, not ", a.parts()));
  const ConstView key = relinearization_key(a, keys), c = a.polynomials().view();
  const Context& context = *a.context();
  Engine& engine = *context.engine();
  PolyArray result = a.like(a.batch(), 2);
  const KeySwitch& key_switch = context.key_switch(a.limbs(), a.plain());
  const View out = result.view();
  const ConstView operands[] = {out, c, key};
  engine.run({"relinearize", {context.id(), a.plain()}, operands},
             [&] { key_switch.relinearize(engine, out, c, key); });
  return a.derived(std::move(result), switched_noise(a, key_switch));
}

Ciphertext apply_galois(const Ciphertext& a, std::uint64_t element, const EvaluationKeys& keys) {
  require_rotatable(a, keys);
  if (element == 1) return a.derived(a.polynomials().clone(), a.noise());
  const Context& context = *a.context();
  Engine& engine = *context.engine();
  PolyArray result = a.like(a.batch(), 2);
  const KeySwitch& key_switch = context.key_switch(a.limbs(), a.plain());
  const View out = result.view();
  const ConstView c = a.polynomials().view(), key = keys.galois(element).polynomials().view();
  const ConstView operands[] = {out, c, key};
  engine.run({"apply_galois", {context.id(), a.plain(), element}, operands}, [&] {
    const std::size_t tile = engine.batch_tile(c.batch, key_switch.scratch_bytes());
    for (std::size_t first = 0; first < c.batch; first += tile) {
      check_interrupt();
      const std::size_t count = std::min(tile, c.batch - first);
      PolyArray moved = a.like(count, 2);
      engine.automorphism(moved.view(), c.items(first, count), element);
      key_switch.apply(engine, out.items(first, count), moved.view().part(1), key, moved.view().part(0));
    }
  });
  return a.derived(std::move(result), switched_noise(a, key_switch));
}

std::vector<Ciphertext> apply_galois_hoisted(const Ciphertext& a, std::span<const std::uint64_t> elements,
                                             const EvaluationKeys& keys) {
  require_rotatable(a, keys);
  for (const auto element : elements) {
    if (element != 1) static_cast<void>(keys.galois(element));  // a missing key shows before any work is done
  }
  const Context& context = *a.context();
  Engine& engine = *context.engine();
  const KeySwitch& key_switch = context.key_switch(a.limbs(), a.plain());
  std::vector<Ciphertext> results;
  // Reading extended digits that outgrow fast memory costs more than making them again, limb by limb.
  constexpr std::size_t fast_memory = std::size_t{4} << 20;
  if (elements.size() < 3 || key_switch.scratch_bytes() > fast_memory) {
    for (const auto element : elements) results.push_back(apply_galois(a, element, keys));
    return results;
  }
  std::vector<std::uint64_t> turns;  // what there is to do, and where it goes
  std::vector<const PolyArray*> switch_keys;
  std::vector<std::size_t> places;
  std::vector<PolyArray> outs;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    outs.push_back(elements[i] == 1 ? a.polynomials().clone() : a.like(a.batch(), 2));
    if (elements[i] == 1) continue;
    turns.push_back(elements[i]);
    switch_keys.push_back(&keys.galois(elements[i]).polynomials());
    places.push_back(i);
  }
  const std::size_t tile = engine.batch_tile(a.batch(), (1 + elements.size()) * key_switch.scratch_bytes());
  for (std::size_t first = 0; first < a.batch() && !turns.empty(); first += tile) {
    check_interrupt();
    const std::size_t count = std::min(tile, a.batch() - first);
    const ConstView items = a.polynomials().view().items(first, count);
    std::vector<PolyArray> products;
    for (std::size_t i = 0; i < turns.size(); ++i) {
      products.emplace_back(context.engine(), key_switch.key_ring(), count, 2, Domain::transform);
    }
    key_switch.multiply_turned(products, key_switch.extend(engine, items.part(1)), turns, switch_keys);
    PolyArray moved = a.like(count, 1);
    for (std::size_t i = 0; i < turns.size(); ++i) {
      const View result = outs[places[i]].view().items(first, count);
      key_switch.divide(result, products[i]);
      engine.automorphism(moved.view(), items.part(0), turns[i]);
      engine.add(result.part(0), result.part(0), moved.view());
    }
  }
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const NoiseBound noise = elements[i] == 1 ? a.noise() : switched_noise(a, key_switch);
    results.push_back(a.derived(std::move(outs[i]), noise));
  }
  return results;
}

Ciphertext rotate_rows(const Ciphertext& a, std::int64_t steps, const EvaluationKeys& keys) {
  return apply_galois(a, row_rotation_element(a.context()->degree(), steps), keys);
}

Ciphertext rotate_columns(const Ciphertext& a, const EvaluationKeys& keys) {
  return apply_galois(a, column_rotation_element(a.context()->degree()), keys);
}

Ciphertext sum_slots(const Ciphertext& a, const EvaluationKeys& keys) {
  Ciphertext result = add(a, rotate_columns(a, keys));
  for (std::size_t step = 1; step < a.context()->degree() / 2; step *= 2) {
    result = add(result, rotate_rows(result, static_cast<std::int64_t>(step), keys));
  }
  return result;
}

Ciphertext take(const Ciphertext& a, std::span<const std::size_t> indices) {
  const Context& context = *a.context();
  PolyArray out = a.like(indices.size(), a.parts());
  for (std::size_t i = 0; i < indices.size(); ++i) {
    if (indices[i] >= a.batch()) throw ArgumentError(message("ciphertext ", indices[i], " of a batch of ", a.batch()));
    context.engine()->copy(out.view().items(i), a.polynomials().view().items(indices[i]));
  }
  return a.derived(std::move(out), a.noise());
}

Ciphertext concatenate(std::span<const Ciphertext* const> arrays) {
  if (arrays.empty()) throw ArgumentError("concatenate: no ciphertexts were given");
  const Ciphertext& head = *arrays[0];
  std::size_t batch = 0, parts = 0;
  NoiseBound noise = head.noise();
  for (const Ciphertext* const a : arrays) {
    require_same_context("concatenate", *a->context(), *head.context());
    require_same_key("concatenate", a->key(), head.key());
    if (a->plain() != head.plain() || a->limbs() != head.limbs() || a->correction() != head.correction()) {
      throw MismatchError("concatenate: the arrays have different plaintext moduli, levels or correction factors");
    }
    batch += a->batch();
    parts = std::max(parts, a->parts());
    noise = larger(noise, a->noise());
  }
  PolyArray out = head.like(batch, parts);
  Engine& engine = *head.context()->engine();
  std::size_t first = 0;
  for (const Ciphertext* const a : arrays) {
    const View window = out.view().items(first, a->batch());
    engine.copy(window.part(0, a->parts()), a->polynomials().view());
    if (a->parts() < parts) engine.clear(window.part(a->parts(), parts - a->parts()));
    first += a->batch();
  }
  return head.derived(std::move(out), noise);
}

Ciphertext sum_groups(const Ciphertext& a, std::size_t group) {
  if (group == 0 || a.batch() % group != 0) {
    throw ArgumentError(message("a batch of ", a.batch(), " ciphertexts has no groups of ", group));
  }
  const Context& context = *a.context();
  const std::size_t groups = a.batch() / group;
  PolyArray out = a.like(groups, a.parts());
  ConstView members = a.polynomials().view();  // one item of every group at a time
  members.batch = groups;
  members.batch_stride *= group;
  const std::size_t item = a.polynomials().view().batch_stride * bytes_of(context.parameters().word());
  for (std::size_t i = 0; i < group; ++i) {
    ConstView member = members;
    member.data = static_cast<const char*>(member.data) + i * item;
    if (i == 0) {
      context.engine()->copy(out.view(), member);
    } else {
      context.engine()->add(out.view(), out.view(), member);
    }
  }
  return a.derived(std::move(out), NoiseCalculus::times(a.noise(), static_cast<double>(group)));
}

Ciphertext rerandomize(const Ciphertext& a, const PublicKey& key) {
  return deterministic::rerandomize(a, key, Seed::from_system());
}

Ciphertext deterministic::rerandomize(const Ciphertext& a, const PublicKey& key, Seed&& seed) {
  return add(a, encrypt_zero(key, a.plain(), a.batch(), std::move(seed), Purpose::rerandomization));
}

bool is_transparent(const Ciphertext& a) {
  const PolyArray& c = a.polynomials();
  const ConstView view = c.view();
  return with_word(c.word(), [&]<class W>(W) {
    const std::size_t all = (a.parts() - 1) * c.limbs() * c.degree(), first = std::min<std::size_t>(all, 8);
    const auto zeros = [](auto begin, auto end) { return std::all_of(begin, end, [](W w) { return w == 0; }); };
    // A few residues decide for every honest ciphertext; only if they are zero is the rest looked at.
    std::vector<W> starts(a.batch() * first);
    c.engine()->download_runs(starts.data(), view.limb<W>(0, 1, 0), first * sizeof(W), view.batch_stride * sizeof(W),
                              a.batch());
    for (std::size_t b = 0; b < a.batch(); ++b) {
      const auto start = starts.begin() + static_cast<std::ptrdiff_t>(b * first);
      if (!zeros(start, start + static_cast<std::ptrdiff_t>(first))) continue;
      check_interrupt();
      std::vector<W> words(all);
      c.engine()->download(words.data(), view.limb<W>(b, 1, 0), all * sizeof(W));
      if (zeros(words.begin(), words.end())) return true;
    }
    return false;
  });
}

}  // namespace cyclotome::rlwe
