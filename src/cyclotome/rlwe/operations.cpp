// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/rlwe/operations.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/interrupt.hpp"
#include "cyclotome/rlwe/domains.hpp"
#include "cyclotome/rlwe/keys/deterministic.hpp"
#include "cyclotome/rlwe/keys/encryption.hpp"
#include "cyclotome/rlwe/members.hpp"
#include "cyclotome/rlwe/noise/parameter_noise.hpp"
#include "cyclotome/rlwe/plain_product_program.hpp"
#include "cyclotome/rlwe/switching/key_switch_program.hpp"
#include "cyclotome/rlwe/switching/levelled.hpp"

namespace cyclotome::rlwe {

namespace {

const NoiseCalculus& calculus(const Ciphertext& a) { return a.context()->parameters().noise(); }

/// A rotation's level and noise: the result is as `a`, and zero modulo the primes beyond that level.
Ciphertext switched(const Ciphertext& a, Level at, PolyArray result) {
  const Context& context = *a.context();
  const NoiseBound noise =
      key_switched_noise(context.parameters(), a.noise(), a.level(), at, 2, context.key_switch(at, a.plain()).noise());
  return a.derived(std::move(result), noise, at);
}

/// b: a ciphertext or a plaintext.
template <class Operand>
void require_operands(const char* operation, const Ciphertext& a, const Operand& b) {
  const Context& context = *b.context();
  const PlainIndex plain = b.plain();
  const std::size_t batch = b.batch();
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
  if (a.domain() != b.domain()) {
    const Domain domain = common_domain(std::array{&a, &b});
    return combine(operation, a.in(domain), b.in(domain), both, only_b);
  }
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
  return a.derived(std::move(out), calculus(a).sum(a.noise(), b.noise()), std::max(a.raised_from(), b.raised_from()));
}

/// Of residues a times b. Operands: out, a, b; or the transforms of b, if there are some.
ExecutionPtr plain_product(const PolyArray& a, const Plaintext& b) {
  const Context& context = *b.context();
  const PlainProductShape shape{.level = Level(a.limbs()),
                                .parts = a.parts(),
                                .domain = a.domain(),
                                .one_c = a.batch() < b.batch(),
                                .one_m = b.batch() < a.batch()};
  const bool prepared = b.transforms() != nullptr;
  const std::uint64_t flags = shape.one_c * 1U + shape.one_m * 2U + (a.domain() == Domain::transform) * 4U;
  const std::uint64_t plain = prepared ? 0 : b.plain().number;
  return context.execution(
      {prepared ? "multiply_prepared" : "multiply_plain", {a.limbs(), a.parts(), flags, plain}}, [&] {
        return prepared ? prepared_product_program(context, shape) : plain_product_program(context, b.plain(), shape);
      });
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
  return a.derived(std::move(out), a.noise(), a.raised_from());
}

Ciphertext multiply_plain(const Ciphertext& a, const Plaintext& b) {
  require_operands("multiply_plain", a, b);
  const Context& context = *a.context();
  const RingPtr& ring = context.level_ring(a.level());
  PolyArray out = context.make(ring, std::max(a.batch(), b.batch()), a.parts(), Domain::transform);
  const PolyArray c = a.wanted(Domain::transform);
  const ConstView factor =
      b.transforms() != nullptr ? std::as_const(*b.transforms()).view().limbs_at(0, *ring) : b.polynomials().view();
  const Operand operands[] = {out.view(), c.view(), factor};
  plain_product(c, b)->run(operands);
  return a.derived(std::move(out), calculus(a).times_plain(a.noise(), b.norms()), a.raised_from());
}

Plaintext prepared(const Plaintext& b) {
  if (b.transforms() != nullptr) return b;
  const Context& context = *b.context();
  PolyArray transforms = context.make(context.ciphertext_ring(), b.batch(), 1, Domain::transform);
  const Operand operands[] = {transforms.view(), b.polynomials().view()};
  context.execution({"prepare_plain", {b.plain().number}}, [&] { return preparation_program(context, b.plain()); })
      ->run(operands);
  static_cast<void>(b.norms());  // once for all products
  return b.with_transforms(std::move(transforms));
}

Ciphertext multiply_scalar(const Ciphertext& a, std::int64_t factor) {
  const RingPtr& ring = a.polynomials().ring();
  std::vector<std::uint64_t> factors;
  for (const auto q : ring->basis().values()) factors.push_back(Modulus<std::uint64_t>(q).reduce_signed(factor));
  PolyArray out = a.like(a.batch(), a.parts());
  a.context()->engine()->multiply_scalars(out.view(), a.polynomials().view(), factors);
  return a.derived(std::move(out), NoiseCalculus::times(a.noise(), static_cast<double>(factor)), a.raised_from());
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
  return a.derived(std::move(out), NoiseCalculus::times(a.noise(), largest_row), a.raised_from());
}

ConstView relinearization_key(const Ciphertext& a, const EvaluationKeys& keys) {
  require_keys_of("relinearize", a, keys);
  return keys.relinearization().polynomials().view();
}

Ciphertext relinearize(const Ciphertext& given, const EvaluationKeys& keys) {
  require_keys_of("relinearize", given, keys);
  if (given.parts() == 2) return given.derived(given.polynomials().clone(), given.noise(), given.raised_from());
  return relinearize_in(given, keys, relinearization_level(given));
}

Ciphertext apply_galois(const Ciphertext& given, std::uint64_t element, const EvaluationKeys& keys) {
  require_rotatable(given, keys);
  if (element == 1) return given.derived(given.polynomials().clone(), given.noise(), given.raised_from());
  const Ciphertext a = native(given);
  const Level at = rotation_level(a);
  PolyArray result = a.like(a.batch(), 2);
  const Operand operands[] = {result.view(), a.polynomials().view(), keys.galois(element).polynomials().view()};
  galois_turn(*a.context(), {a.plain(), a.level(), a.raised_from(), at}, element)->run(operands);
  return switched(a, at, std::move(result));
}

std::vector<Ciphertext> apply_galois_hoisted(const Ciphertext& given, std::span<const std::uint64_t> elements,
                                             const EvaluationKeys& keys) {
  require_rotatable(given, keys);
  for (const auto element : elements) {
    if (element != 1) static_cast<void>(keys.galois(element));  // a missing key shows before any work is done
  }
  const Ciphertext a = native(given);
  const Context& context = *a.context();
  const Level at = rotation_level(a);
  const KeySwitch& key_switch = context.key_switch(at, a.plain());
  std::vector<Ciphertext> results;
  if (elements.size() < 2) {  // nothing to share
    for (const auto element : elements) results.push_back(apply_galois(a, element, keys));
    return results;
  }
  const PolyArray low = at_level(a, at);
  std::vector<PolyArray> outs;
  for (const auto element : elements) {
    outs.push_back(element == 1 ? a.polynomials().clone() : context.make(low.ring(), a.batch(), 2, low.domain()));
  }
  const ExecutionPtr find_digits = hoisted_digits(context, at, a.plain());
  const std::size_t tile = context.engine()->batch_tile(a.batch(), key_switch.scratch_bytes());
  for (std::size_t first = 0; first < a.batch(); first += tile) {
    const std::size_t count = std::min(tile, a.batch() - first);
    const ConstView items = low.view().items(first, count);
    PolyArray digits(context.engine(), key_switch.key_ring(), count, key_switch.digits(), Domain::transform);
    find_digits->run(std::array<Operand, 2>{digits.view(), items.part(1)});
    for (std::size_t i = 0; i < elements.size(); ++i) {
      if (elements[i] == 1) continue;
      const Operand operands[] = {outs[i].view().items(first, count), items.part(0), std::as_const(digits).view(),
                                  keys.galois(elements[i]).polynomials().view()};
      hoisted_turn(context, at, a.plain(), elements[i])->run(operands);
    }
  }
  for (std::size_t i = 0; i < elements.size(); ++i) {
    results.push_back(elements[i] == 1 ? a.derived(std::move(outs[i]), a.noise(), a.raised_from())
                                       : switched(a, at, from_level(a, std::move(outs[i]))));
  }
  return results;
}

Ciphertext rekey(const Ciphertext& given, const RekeyingKey& key) {
  require_same_context("rekey", *given.context(), *key.context());
  require_same_key("rekey", given.key(), key.from());
  if (given.parts() != 2) {
    throw ArgumentError(message("rekey takes ciphertexts of 2 parts, not ", given.parts(), "; relinearise them first"));
  }
  const Ciphertext a = native(given);
  const Level at = rotation_level(a);
  PolyArray result = a.like(a.batch(), 2);
  const Operand operands[] = {result.view(), a.polynomials().view(), key.key().polynomials().view()};
  rekeying(*a.context(), {a.plain(), a.level(), a.raised_from(), at})->run(operands);
  Ciphertext turned = switched(a, at, std::move(result));
  const NoiseBound noise = turned.noise();
  return Ciphertext(a.context(), key.to(), a.plain(), std::move(turned).polynomials(), noise, std::nullopt,
                    a.correction());
}

Ciphertext rotate_rows(const Ciphertext& a, std::int64_t steps, const EvaluationKeys& keys) {
  return apply_galois(a, row_rotation_element(a.context()->slot_galois(), steps), keys);
}

Ciphertext rotate_columns(const Ciphertext& a, const EvaluationKeys& keys) {
  return apply_galois(a, column_rotation_element(a.context()->slot_galois()), keys);
}

Ciphertext sum_slots(const Ciphertext& a, const EvaluationKeys& keys) {
  const GaloisGroup& group = a.context()->slot_galois();
  Ciphertext result = native(a);
  const auto& generators = group.generators();
  for (auto generator = generators.rbegin(); generator != generators.rend(); ++generator) {  // along rows at last
    for (const std::uint64_t element : doublings(group, *generator)) {
      result = add(result, apply_galois(result, element, keys));
    }
  }
  return result;
}

Ciphertext take(const Ciphertext& a, std::span<const std::size_t> indices) {
  std::vector<Member> members;
  members.reserve(indices.size());
  for (const std::size_t index : indices) members.push_back({&a, index});
  return gather(members);
}

Ciphertext concatenate(std::span<const Ciphertext* const> arrays) {
  if (arrays.empty()) throw ArgumentError("concatenate: no ciphertexts were given");
  const Ciphertext& head = *arrays[0];
  std::size_t batch = 0, parts = 0;
  NoiseBound noise = head.noise();
  Level from = head.raised_from();
  for (const Ciphertext* const a : arrays) {
    require_same_context("concatenate", *a->context(), *head.context());
    require_same_key("concatenate", a->key(), head.key());
    if (a->plain() != head.plain() || a->limbs() != head.limbs() || a->correction() != head.correction()) {
      throw MismatchError("concatenate: the arrays have different plaintext moduli, levels or correction factors");
    }
    batch += a->batch();
    parts = std::max(parts, a->parts());
    noise = larger(noise, a->noise());
    from = std::max(from, a->raised_from());
  }
  const Domain domain = common_domain(arrays);
  PolyArray out = head.context()->make(head.polynomials().ring(), batch, parts, domain);
  Engine& engine = *head.context()->engine();
  std::size_t first = 0;
  for (const Ciphertext* const a : arrays) {
    const View window = out.view().items(first, a->batch());
    engine.copy(window.part(0, a->parts()), a->in(domain).polynomials().view());
    if (a->parts() < parts) engine.clear(window.part(a->parts(), parts - a->parts()));
    first += a->batch();
  }
  return head.derived(std::move(out), noise, from);
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
  return a.derived(std::move(out), NoiseCalculus::times(a.noise(), static_cast<double>(group)), a.raised_from());
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
    const std::size_t limbs = (a.parts() - 1) * c.limbs(), all = limbs * c.degree(),
                      first = std::min<std::size_t>(all, 8);
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
      c.engine()->download_runs(words.data(), view.limb<W>(b, 1, 0), c.degree() * sizeof(W),
                                view.limb_words() * sizeof(W), limbs);
      if (zeros(words.begin(), words.end())) return true;
    }
    return false;
  });
}

}  // namespace cyclotome::rlwe
