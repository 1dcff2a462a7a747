// SPDX-License-Identifier: Apache-2.0
// The public verbs: arguments are checked here, once, for every engine.
#include "cyclotome/engine/engine.hpp"

#include <algorithm>
#include <ostream>

#include "cyclotome/math/errors.hpp"
#include "cyclotome/ring/conversion/mixed_radix.hpp"

namespace cyclotome {

namespace {

/// The message is put together only if it is needed: checks cost nothing beside the smallest of verbs.
template <class... Parts>
void require(bool condition, const char* verb, const Parts&... what) {
  if (!condition) [[unlikely]]
    throw ArgumentError(message(verb, ": ", what...));
}

/// A view's shape as a part of a message.
struct Shape {
  std::size_t batch, parts, limbs, degree;
  friend std::ostream& operator<<(std::ostream& out, const Shape& shape) {
    return out << "[batch " << shape.batch << "][parts " << shape.parts << "][limbs " << shape.limbs << "][degree "
               << shape.degree << ']';
  }
};

Shape shape_of(ConstView view) { return {view.batch, view.parts, view.limbs(), view.degree()}; }

/// `a` has the limbs of `ring`.
void require_basis(const char* verb, ConstView a, const Ring& ring, const char* name) {
  require(a.ring->same_as(ring), verb, name, " is over a basis of ", a.limbs(), " limbs at degree ", a.degree(),
          " that is not the one this operation was prepared for (", ring.limbs(), " limbs, degree ", ring.degree(),
          ")");
}

/// `a` is broadcast to `out`: same batch (parts) or 1.
void require_broadcast(const char* verb, View out, ConstView a) {
  require((a.batch == out.batch || a.batch == 1) && (a.parts == out.parts || a.parts == 1), verb, "operand ",
          shape_of(a), " does not fit result ", shape_of(out), "; batch and parts must be equal or 1");
}

void require_domain(const char* verb, ConstView a, Domain domain) {
  require(
      a.domain == domain, verb,
      domain == Domain::coefficient ? "the operand must be in coefficient domain" : "the operand must be transformed");
}

void require_same(const char* verb, View out, ConstView a) {
  require_basis(verb, a, *out.ring, "the operand");
  require_broadcast(verb, out, a);
  require(a.domain == out.domain, verb, "operand and result must be in one domain");
}

void require_conversion(const char* verb, View out, ConstView a, const BaseConversion& conversion) {
  require(a.ring->basis() == conversion.source() && out.ring->basis() == conversion.target() &&
              *a.ring->shape() == *out.ring->shape(),
          verb, "operand ", shape_of(a), " and result ", shape_of(out), " are not over the conversion's bases (",
          conversion.source().size(), " to ", conversion.target().size(), " limbs)");
  require_broadcast(verb, out, a);
  require_domain(verb, a, Domain::coefficient);
  require_domain(verb, out, Domain::coefficient);
  require(out.data != a.data, verb, "the result must not be the operand");
}

void require_transformable(const char* verb, ConstView a) {
  for (std::size_t l = 0; l < a.limbs(); ++l) {
    require(a.ring->has_transform(l), verb, "modulus ", a.ring->basis()[l], " has no transform of length ", a.degree(),
            ": it must be a prime congruent to 1 modulo ", a.ring->shape()->transform_step());
  }
}

}  // namespace

void Engine::require_ring(const Ring& ring) const {
  if (computes_in(ring)) [[likely]]
    return;
  throw EngineError(message(
      name(), " does not compute in ", ring.name(),
      ring.limb_words() == ring.degree() ? std::string() : message(" with limbs ", ring.limb_words(), " words apart"),
      "; the CPU engine does"));
}

bool Engine::computes_in(const Ring& ring) const noexcept {
  return ring.kind() == RingKind::negacyclic && ring.limb_words() == ring.degree();
}

std::size_t Engine::batch_tile(std::size_t batch, std::size_t bytes_per_item) const {
  batch = std::max<std::size_t>(batch, 1);
  const std::size_t fit = working_set() / std::max<std::size_t>(bytes_per_item, 1);
  const std::size_t most = std::clamp<std::size_t>(std::min(fit, most_items()), 1, batch);
  const std::size_t tiles = (batch + most - 1) / most;
  return (batch + tiles - 1) / tiles;
}

void Engine::download_runs(void* host, const void* source, std::size_t bytes, std::size_t stride, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    download(static_cast<char*>(host) + i * bytes, static_cast<const char*>(source) + i * stride, bytes);
  }
}

void Engine::forward(View a) {
  require_transformable("forward", a);
  require_domain("forward", a, Domain::coefficient);
  do_forward(a);
}

void Engine::inverse(View a) {
  require_transformable("inverse", a);
  require_domain("inverse", a, Domain::transform);
  do_inverse(a);
}

void Engine::copy(View out, ConstView a) {
  require_same("copy", out, a);
  do_copy(out, a);
}

void Engine::clear(View out) { do_clear(out); }

void Engine::add(View out, ConstView a, ConstView b) {
  require_same("add", out, a);
  require_same("add", out, b);
  do_add(out, a, b);
}

void Engine::subtract(View out, ConstView a, ConstView b) {
  require_same("subtract", out, a);
  require_same("subtract", out, b);
  do_subtract(out, a, b);
}

void Engine::negate(View out, ConstView a) {
  require_same("negate", out, a);
  do_negate(out, a);
}

void Engine::multiply(View out, ConstView a, ConstView b) {
  require_same("multiply", out, a);
  require_same("multiply", out, b);
  do_multiply(out, a, b);
}

void Engine::multiply_accumulate(View accumulator, ConstView a, ConstView b) {
  require_same("multiply_accumulate", accumulator, a);
  require_same("multiply_accumulate", accumulator, b);
  do_multiply_accumulate(accumulator, a, b);
}

void Engine::multiply_scalars(View out, ConstView a, std::span<const std::uint64_t> factors) {
  require_same("multiply_scalars", out, a);
  require(factors.size() == out.limbs(), "multiply_scalars", factors.size(), " factors for ", out.limbs(),
          " limbs; give one residue for each limb");
  for (std::size_t l = 0; l < factors.size(); ++l) {
    require(factors[l] < out.ring->basis()[l], "multiply_scalars", "factor ", factors[l], " is not below its modulus ",
            out.ring->basis()[l]);
  }
  do_multiply_scalars(out, a, factors);
}

void Engine::convert(View out, ConstView a, const BaseConversion& conversion) {
  require_conversion("convert", out, a, conversion);
  do_convert(out, a, conversion);
}

void Engine::automorphism(View out, ConstView a, std::uint64_t element) {
  require_same("automorphism", out, a);
  const GaloisGroup& galois = out.ring->galois();
  if (!galois.contains(element)) {
    require(false, "automorphism", "Galois element ", element, " must be ", galois.requirement());
  }
  require(out.data != a.data, "automorphism", "the result must not be the operand");
  do_automorphism(out, a, element);
}

void Engine::sample(View out, Law law, const Seed& seed, Stream stream, std::uint32_t first_item) {
  require(law == Law::uniform || out.domain == Domain::coefficient, "sample",
          "ternary and error polynomials are drawn in coefficient domain");
  if (law == Law::error) {
    const std::uint64_t bound = out.ring->shape()->errors().bound();
    for (const auto modulus : out.ring->basis().values()) {
      require(modulus > bound, "sample", "errors of magnitude up to ", bound, " are no residues modulo ", modulus,
              "; the modulus must be larger");
    }
  }
  // Beyond these the address of a draw would be that of another one.
  constexpr std::uint64_t max_parts = 1ULL << 16, max_items = 1ULL << 32;
  require(out.parts <= max_parts, "sample", out.parts, " parts; one seed has ", max_parts, " of a stream");
  require(out.batch <= max_items - first_item, "sample", out.batch, " items from item ", first_item,
          " on; one seed has ", max_items, " of a stream");
  do_sample(out, law, seed, stream, first_item);
}

void Engine::peaks(View numbers, ConstView a, const BaseConversion& conversion) {
  constexpr auto verb = "peaks";
  require(numbers.word() == Word::u64 && numbers.batch == a.batch && (a.batch == 1 || numbers.batch_stride == 1), verb,
          "there must be one 64-bit number for each item of operand ", shape_of(a), ", one after another");
  require(a.ring->basis() == conversion.source() && a.parts == 1, verb, "operand ", shape_of(a),
          " must be one part over the conversion's source");
  require(conversion.lift() == Lift::centred, verb, "the lift must be centred");
  require_domain(verb, a, Domain::coefficient);
  do_peaks(numbers, a, conversion);
}

void Engine::linear_combination(View out, ConstView a, std::span<const std::int64_t> matrix) {
  constexpr auto verb = "linear_combination";
  require_basis(verb, a, *out.ring, "the operand");
  require(a.domain == out.domain && a.parts == out.parts && a.data != out.data, verb,
          "operand and result need one domain and part count, and the result must not be the operand");
  require(matrix.size() == out.batch * a.batch, verb, "a matrix of ", out.batch, " rows and ", a.batch, " columns has ",
          out.batch * a.batch, " entries, not ", matrix.size());
  do_linear_combination(out, a, matrix);
}

namespace {

/// Items of a sum: `count` for each of out's.
void require_items(const char* verb, View out, std::span<const ConstView> items, std::size_t group,
                   std::size_t least_parts, std::size_t most_parts) {
  require(group > 0 && items.size() % group == 0 && items.size() / group == out.batch, verb, items.size(),
          " items in groups of ", group, " do not make a result ", shape_of(out));
  for (const ConstView& item : items) {
    require_basis(verb, item, *out.ring, "an item");
    require(item.batch == 1 && item.parts >= least_parts && item.parts <= most_parts, verb, "an item ", shape_of(item),
            " must be one, of ", least_parts, " to ", most_parts, " parts");
    require(item.domain == out.domain, verb, "items and result must be in one domain");
    require(item.data != out.data, verb, "the result must not be an item");
  }
}

}  // namespace

void Engine::sum_items(View out, std::span<const ConstView> items, std::size_t group) {
  require_items("sum_items", out, items, group, 1, out.parts);
  do_sum_items(out, items, group);
}

void Engine::sum_products(View out, std::span<const ConstView> a, std::span<const ConstView> b, std::size_t group) {
  constexpr auto verb = "sum_products";
  require(out.parts == 3, verb, "the result ", shape_of(out), " must have 3 parts");
  require_domain(verb, out, Domain::transform);
  require_items(verb, out, a, group, 2, 2);
  require_items(verb, out, b, group, 2, 2);
  do_sum_products(out, a, b, group);
}

void Engine::mixed_radix(View out, ConstView a, const MixedRadix& step) {
  constexpr auto verb = "mixed_radix";
  require_basis(verb, out, *step.ring, "the result");
  require_same(verb, out, a);
  require_domain(verb, a, Domain::coefficient);
  do_mixed_radix(out, a, step);
}

void Engine::reconstruct(Buffer& words, ConstView a, const MixedRadix& step) {
  constexpr auto verb = "reconstruct";
  require_basis(verb, a, *step.ring, "the operand");
  require_domain(verb, a, Domain::coefficient);
  const std::size_t bytes = a.batch * a.parts * step.words() * a.degree() * sizeof(std::uint64_t);
  require(words.bytes() >= bytes, verb, "integers of operand ", shape_of(a), " take ", bytes, " bytes; the buffer has ",
          words.bytes());
  do_reconstruct(static_cast<std::uint64_t*>(words.data()), a, step);
}

void Engine::decompose(View out, const Buffer& words, std::size_t count) {
  constexpr auto verb = "decompose";
  require_domain(verb, out, Domain::coefficient);
  require(count >= 1, verb, "integers of no words");
  const std::size_t coefficients = out.batch * out.parts * out.degree(), held = words.bytes() / sizeof(std::uint64_t);
  require(count <= held / coefficients, verb, coefficients, " integers of ", count, " words for result ", shape_of(out),
          " take more than the buffer's ", words.bytes(), " bytes");
  do_decompose(out, static_cast<const std::uint64_t*>(words.data()), count);
}

}  // namespace cyclotome
