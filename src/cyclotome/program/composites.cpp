// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/program/composites.hpp"

#include "cyclotome/math/errors.hpp"
#include "cyclotome/program/rewriting.hpp"

namespace cyclotome::program {

namespace {

using Slices = std::span<const Slice>;

bool has_shape(const Composite& composite, std::string_view name, std::size_t outs, std::size_t fewest_ins,
               std::size_t most_ins) {
  return composite.name == name && composite.outs.size() == outs && composite.ins.size() >= fewest_ins &&
         composite.ins.size() <= most_ins;
}

std::optional<Slice> last_of(Slices ins, std::size_t index) {
  return ins.size() > index ? std::optional(ins[index]) : std::nullopt;
}

}  // namespace

void tensor_product(Builder& b, const Slice& out, const Slice& x, const Slice& y) {
  if (const std::size_t parts = x.parts + y.parts - 1; out.parts != parts) {
    throw ArgumentError(
        message("tensor_product: parts of ", x.parts, " and ", y.parts, " multiply to ", parts, ", not ", out.parts));
  }
  b.composite("tensor_product", {out}, {x, y}, {}, [&] {
    b.clear(out, Domain::transform);
    for (std::size_t i = 0; i < x.parts; ++i) {
      for (std::size_t j = 0; j < y.parts; ++j) b.multiply_accumulate(out.part(i + j), x.part(i), y.part(j));
    }
  });
}

bool is_tensor_product(const Program& program, const Composite& composite) {
  return has_shape(composite, "tensor_product", 1, 2, 2) &&
         is_written_by(program, composite,
                       [](Builder& b, Slices outs, Slices ins) { tensor_product(b, outs[0], ins[0], ins[1]); });
}

void multiply_ciphertexts(Builder& b, const Slice& out, const Slice& x, const Slice& y) {
  b.composite("multiply_ciphertexts", {out}, {x, y}, {x, y}, [&] {
    b.forward(x);
    if (y.value != x.value) b.forward(y);
    tensor_product(b, out, x, y);
    b.inverse(out);
  });
}

bool is_multiply_ciphertexts(const Program& program, const Composite& composite) {
  return has_shape(composite, "multiply_ciphertexts", 1, 2, 2) &&
         is_written_by(program, composite,
                       [](Builder& b, Slices outs, Slices ins) { multiply_ciphertexts(b, outs[0], ins[0], ins[1]); });
}

void multiply_key(Builder& b, const Slice& out, const Slice& a, const Slice& key, const Slice& addend, Operands after) {
  const bool kept = after == Operands::kept;
  b.composite("multiply_key", {out}, {a, key, addend}, kept ? std::vector<Slice>{} : std::vector{a}, [&] {
    const Slice factor = kept ? b.temporary_like(a, a.ring, 1) : a;
    if (kept) b.copy(factor, a);
    b.forward(factor);
    b.multiply(out, factor, key);
    b.inverse(out);
    b.add(out, out, addend);
  });
}

bool is_multiply_key(const Program& program, const Composite& composite) {
  return has_shape(composite, "multiply_key", 1, 3, 3) &&
         is_written_by(program, composite, [&](Builder& b, Slices outs, Slices ins) {
           const Operands after = composite.spoiled[0] ? Operands::used_up : Operands::kept;
           multiply_key(b, outs[0], ins[0], ins[1], ins[2], after);
         });
}

void divide_and_round(Builder& b, const Slice& out, const Slice& kept, const Slice& dropped, const DivideAndRound& step,
                      const std::optional<Slice>& addend) {
  std::vector<Slice> ins{kept, dropped};
  if (addend) ins.push_back(*addend);
  b.composite("divide_and_round", {out}, ins, {}, [&] {
    const Slice correction = b.temporary_like(dropped, step.kept, dropped.parts);
    b.convert(correction, dropped, step.correction);
    if (b.domain(kept) == Domain::transform) b.forward(correction);
    b.multiply_scalars(out, kept, step.factors);
    b.add(out, out, correction);
    if (addend) b.add(out.part(0, addend->parts), out.part(0, addend->parts), *addend);
  });
}

std::optional<DivideAndRound> read_divide_and_round(const Program& program, const Composite& composite) {
  const auto conversions = program.conversions(composite);
  const auto factors = program.factors(composite);
  if (!has_shape(composite, "divide_and_round", 1, 2, 3) || conversions.size() != 1 || factors.size() != 1) return {};
  DivideAndRound step(composite.ins[0].ring->shared_from_this(), composite.ins[1].ring->shared_from_this(),
                      *conversions[0], *factors[0]);
  const bool same = is_written_by(program, composite, [&](Builder& b, Slices outs, Slices ins) {
    divide_and_round(b, outs[0], ins[0], ins[1], step, last_of(ins, 2));
  });
  return same ? std::optional(std::move(step)) : std::nullopt;
}

void convert_with_peaks(Builder& b, const Slice& out, const Slice& numbers, const Slice& a,
                        const BaseConversion& conversion) {
  b.composite("convert_with_peaks", {out, numbers}, {a}, {}, [&] {
    b.convert(out, a, conversion);
    b.peaks(numbers, a, conversion);
  });
}

const BaseConversion* read_convert_with_peaks(const Program& program, const Composite& composite) {
  const auto conversions = program.conversions(composite);
  if (!has_shape(composite, "convert_with_peaks", 2, 1, 1) || conversions.size() != 1) return nullptr;
  const bool same = is_written_by(program, composite, [&](Builder& b, Slices outs, Slices ins) {
    convert_with_peaks(b, outs[0], outs[1], ins[0], *conversions[0]);
  });
  return same ? conversions[0] : nullptr;
}

}  // namespace cyclotome::program
