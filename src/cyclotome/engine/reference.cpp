// SPDX-License-Identifier: Apache-2.0
// What an engine that overrides nothing does: programs by an interpreter, no natives, and peaks and the verbs beside
// programs in terms of other verbs, which one that overrides must equal bit for bit. Scratch is secret, since
// decryption comes through here.
#include "cyclotome/engine/engine.hpp"
#include "cyclotome/engine/poly.hpp"
#include "cyclotome/engine/running/interpreter.hpp"
#include "cyclotome/math/modulus.hpp"
#include "cyclotome/ring/conversion/mixed_radix.hpp"
#include "cyclotome/ring/randomness/secure_memory.hpp"

namespace cyclotome {

namespace {

/// peaks[item] = the largest of peak(coefficient) over the coefficients of a (1 part), which sees the item's limbs, n
/// words apart.
template <class Peak>
void find_peaks(Engine& engine, std::uint64_t* peaks, ConstView a, const Peak& peak) {
  with_word(a.word(), [&]<class W>(W) {
    const std::size_t n = a.degree(), item = a.limbs() * n;
    PolyArray dense(engine.shared_from_this(), a.ring->shared_from_this(), a.batch, 1, a.domain, true);
    engine.copy(dense.view(), a);
    std::vector<W> words(dense.size());
    dense.download(words.data());
    std::vector<std::uint64_t> found(a.batch, 0);
    for (std::size_t b = 0; b < a.batch; ++b) {
      for (std::size_t c = 0; c < n; ++c) {
        const std::uint64_t here = peak(&words[b * item + c], W{});
        found[b] = here > found[b] ? here : found[b];
      }
    }
    engine.upload(peaks, found.data(), found.size() * sizeof(std::uint64_t));
    secure_zero(words.data(), words.size() * sizeof(W));
    secure_zero(found.data(), found.size() * sizeof(std::uint64_t));
  });
}

/// In an engine's memory.
class NumbersInMemory final : public ProgramNumbers {
 public:
  NumbersInMemory(EnginePtr engine, std::size_t count)
      : numbers_(std::move(engine), program::number_ring(), count, 1, Domain::coefficient, true) {}

  View view() noexcept override {
    View numbers = numbers_.view();
    numbers.batch_stride = 1;  // without the rest of a polynomial
    return numbers;
  }
  void take(std::uint64_t* numbers) override {
    numbers_.engine()->download(numbers, numbers_.view().data, numbers_.batch() * sizeof(*numbers));
  }

 private:
  PolyArray numbers_;
};

/// peak_of for a conversion's only source limb.
template <LimbWord W>
std::uint64_t single_peak(W residue, const BaseConversion& conversion) {
  const Modulus<W>& q = conversion.source().moduli<W>()[0];
  const W opposite = static_cast<W>(q.value() - residue);
  return peak_of(residue < opposite ? residue : opposite, conversion.tables<W>().reciprocals[0], q.bits());
}

PolyArray scratch(Engine& engine, const RingPtr& ring, ConstView like) {
  return PolyArray(engine.shared_from_this(), ring, like.batch, like.parts, Domain::coefficient, true);
}

}  // namespace

ExecutionPtr Engine::prepare(program::ProgramPtr program) {
  for (const program::Value& value : program->values()) require_ring(*value.ring);
  return std::make_shared<const Interpreter>(shared_from_this(), std::move(program));
}

Native Engine::native(const program::Program&, const program::Composite&) { return {}; }

void Engine::do_linear_combination(View out, ConstView a, std::span<const std::int64_t> matrix) {
  const Basis& basis = out.ring->basis();
  PolyArray term(shared_from_this(), out.ring->shared_from_this(), 1, out.parts, out.domain, true);
  clear(out);
  std::vector<std::uint64_t> factors(basis.size());
  for (std::size_t r = 0; r < out.batch; ++r) {
    for (std::size_t c = 0; c < a.batch; ++c) {
      for (std::size_t l = 0; l < basis.size(); ++l) {
        factors[l] = Modulus<std::uint64_t>(basis[l]).reduce_signed(matrix[r * a.batch + c]);
      }
      multiply_scalars(term.view(), a.items(c), factors);
      add(out.items(r), out.items(r), term.view());
    }
  }
}

void Engine::do_sum_items(View out, std::span<const ConstView> items, std::size_t group) {
  for (std::size_t i = 0; i < items.size(); ++i) {
    const View sum = out.items(i / group);
    const ConstView& item = items[i];
    const View same = sum.part(0, item.parts);
    if (i % group != 0) {
      add(same, same, item);
      continue;
    }
    copy(same, item);
    if (item.parts < sum.parts) clear(sum.part(item.parts, sum.parts - item.parts));
  }
}

void Engine::do_sum_products(View out, std::span<const ConstView> a, std::span<const ConstView> b, std::size_t group) {
  for (std::size_t k = 0; k < a.size(); ++k) {
    const View sum = out.items(k / group);
    const ConstView &x = a[k], &y = b[k];
    if (k % group == 0) {
      multiply(sum.part(0, 2), x.part(0), y);
      multiply(sum.part(2), x.part(1), y.part(1));
    } else {
      multiply_accumulate(sum.part(0, 2), x.part(0), y);
      multiply_accumulate(sum.part(2), x.part(1), y.part(1));
    }
    multiply_accumulate(sum.part(1), x.part(1), y.part(0));
  }
}

std::unique_ptr<ProgramNumbers> Engine::make_numbers(std::size_t count) {
  return std::make_unique<NumbersInMemory>(shared_from_this(), count);
}

void Engine::do_peaks(View numbers, ConstView a, const BaseConversion& conversion) {
  find_peaks(*this, static_cast<std::uint64_t*>(numbers.data), a, [&]<class W>(const W* limbs, W) {
    const auto moduli = conversion.source().moduli<W>();
    if (moduli.size() == 1) return single_peak<W>(limbs[0], conversion);
    std::uint64_t sum = std::uint64_t{1} << (fraction_bits - 1);
    for (std::size_t i = 0; i < moduli.size(); ++i) {
      const auto& tables = conversion.tables<W>();
      const W y = tables.punctured_inverses[i].multiply(limbs[i * a.degree()], moduli[i].value());
      sum += fraction(y, tables.reciprocals[i], moduli[i].bits());
    }
    return peak_of_sum(sum);
  });
}

void Engine::do_mixed_radix(View out, ConstView a, const MixedRadix& step) {
  copy(out, a);
  for (std::size_t j = 0; j < step.steps.size(); ++j) {
    const MixedRadix::Step& taken = step.steps[j];
    PolyArray digit = scratch(*this, taken.rest, out);
    const View rest = out.limbs_at(j + 1, *taken.rest);
    convert(digit.view(), out.limbs_at(j, *taken.digit), taken.into_rest);
    subtract(rest, rest, digit.view());
    multiply_scalars(rest, rest, taken.inverses);
  }
}

void Engine::do_reconstruct(std::uint64_t* words, ConstView a, const MixedRadix& step) {
  PolyArray digits = scratch(*this, step.ring, a);
  mixed_radix(digits.view(), a, step);
  const std::size_t n = a.degree(), k = a.limbs(), size = step.words();
  with_word(a.word(), [&]<class W>(W) {
    ZeroisingVector<W> from(digits.size());
    ZeroisingVector<std::uint64_t> to(a.batch * a.parts * size * n);
    digits.download(from.data());
    for (std::size_t item = 0; item < a.batch * a.parts; ++item) {
      for (std::size_t c = 0; c < n; ++c) {
        compose_digits(&from[item * k * n + c], n, a.ring->basis().moduli<W>().data(), step.sizes.data(), k,
                       &to[item * size * n + c], n);
      }
    }
    upload(words, to.data(), to.size() * sizeof(std::uint64_t));
  });
}

void Engine::do_decompose(View out, const std::uint64_t* words, std::size_t count) {
  const std::size_t n = out.degree(), k = out.limbs(), items = out.batch * out.parts;
  with_word(out.word(), [&]<class W>(W) {
    const auto moduli = out.ring->basis().moduli<W>();
    ZeroisingVector<std::uint64_t> from(items * count * n);
    download(from.data(), words, from.size() * sizeof(std::uint64_t));
    ZeroisingVector<W> to(items * k * n);
    for (std::size_t i = 0; i < items * k; ++i) {
      const std::uint64_t* const integers = &from[i / k * count * n];
      for (std::size_t c = 0; c < n; ++c) to[i * n + c] = residue_of_words(integers + c, n, count, moduli[i % k]);
    }
    PolyArray residues = scratch(*this, out.ring->shared_from_this(), out);
    residues.upload(to.data());
    copy(out, residues.view());
  });
}

}  // namespace cyclotome
