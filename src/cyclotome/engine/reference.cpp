// SPDX-License-Identifier: Apache-2.0
// The coarse verbs in terms of simpler ones: what an engine that overrides nothing computes, and what one that
// overrides must equal bit for bit. Scratch is secret, since decryption and encryption come through here.
#include "cyclotome/engine/key_switch_parts.hpp"
#include "cyclotome/engine/poly.hpp"
#include "cyclotome/math/modulus.hpp"
#include "cyclotome/ring/divide_and_round.hpp"
#include "cyclotome/ring/mixed_radix.hpp"
#include "cyclotome/ring/secure_memory.hpp"

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

/// peak_of for a conversion's only source limb.
template <LimbWord W>
std::uint64_t single_peak(W residue, const BaseConversion& conversion) {
  const Modulus<W>& q = conversion.source().moduli<W>()[0];
  const W opposite = static_cast<W>(q.value() - residue);
  return peak_of(residue < opposite ? residue : opposite, conversion.tables<W>().reciprocals[0], q.bits());
}

PolyArray scratch(Engine& engine, const RingPtr& ring, ConstView like, Domain domain = Domain::coefficient) {
  return PolyArray(engine.shared_from_this(), ring, like.batch, like.parts, domain, true);
}

}  // namespace

void Engine::do_tensor_product(View out, ConstView a, ConstView b) {
  clear(out);
  for (std::size_t i = 0; i < a.parts; ++i) {
    for (std::size_t j = 0; j < b.parts; ++j) multiply_accumulate(out.part(i + j), a.part(i), b.part(j));
  }
}

void Engine::do_multiply_ciphertexts(View out, View a, View b) {
  forward(a);
  if (b.data != a.data) forward(b);
  out.domain = a.domain = b.domain = Domain::transform;
  tensor_product(out, a, b);
  inverse(out);
}

void Engine::do_multiply_key(View out, ConstView a, ConstView key, ConstView addend) {
  PolyArray factor = scratch(*this, out.ring->shared_from_this(), a);
  copy(factor.view(), a);
  factor.to_transform();
  View product = out;
  product.domain = Domain::transform;
  multiply(product, factor.view(), key);
  inverse(product);
  add(out, out, addend);
}

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

void Engine::do_key_switch_product(View out, ConstView digits, ConstView key) {
  clear(out);
  for (std::size_t j = 0; j < digits.parts; ++j) multiply_accumulate(out, digits.part(j), key.items(j));
}

void Engine::do_key_switch(View out, ConstView c, ConstView key, const KeySwitchStep& step,
                           const std::optional<ConstView>& addend) {
  const PolyArray extended = extended_digits(*this, c, step);
  if (!addend) {
    switch_extended(*this, out, extended.view(), key, step);
    return;
  }
  PolyArray switched(shared_from_this(), step.ciphertext_ring, out.batch, 2, out.domain);  // out may be the addend
  switch_extended(*this, switched.view(), extended.view(), key, step);
  add(out.part(0, addend->parts), switched.view().part(0, addend->parts), *addend);
  if (addend->parts == 1) copy(out.part(1), switched.view().part(1));
}

void Engine::do_divide_and_round(View out, ConstView kept, ConstView dropped, const DivideAndRound& step,
                                 const std::optional<ConstView>& addend) {
  PolyArray correction = scratch(*this, step.kept, dropped);
  convert(correction.view(), dropped, step.correction);
  if (out.domain == Domain::transform) correction.to_transform();
  multiply_scalars(out, kept, step.factors);
  add(out, out, correction.view());
  if (addend) add(out.part(0, addend->parts), out.part(0, addend->parts), *addend);
}

void Engine::do_hps_lift(View first, View second, ConstView a, ConstView b, const HpsLift& step) {
  const std::size_t limbs = a.limbs();
  const RingPtr auxiliary = first.ring->slice(limbs, first.limbs() - limbs);
  const View q = first.limbs_at(0, *a.ring), exchanged = second.limbs_at(limbs, *auxiliary);
  copy(q, a);
  convert(first.limbs_at(limbs, *auxiliary), q, step.extend);
  convert(exchanged, b, step.exchange);
  convert(second.limbs_at(0, *a.ring), exchanged, step.restore);
}

void Engine::do_behz_lift(View out, ConstView a, const BehzExtension& step) {
  const RingPtr ring = a.ring->with_basis(step.first.target());
  PolyArray extended = scratch(*this, ring, a);
  convert(extended.view(), a, step.first);
  convert(out, extended.view().limbs_at(out.limbs(), *ring->slice(out.limbs(), 1)), step.correction);
  add(out, out, extended.view().limbs_at(0, *out.ring));
}

void Engine::do_behz_scale(View out, ConstView a, const BehzDivision& step) {
  const std::size_t limbs = out.limbs(), base_limbs = a.limbs() - limbs - 1;
  const RingPtr auxiliary = a.ring->slice(limbs, base_limbs + 1), base = auxiliary->slice(0, base_limbs);
  const RingPtr redundant = auxiliary->slice(base_limbs, 1), restored_ring = out.ring->joined(*redundant);
  // S3: f over B_sk.
  PolyArray floor = scratch(*this, auxiliary, a), term = scratch(*this, auxiliary, a);
  convert(term.view(), a.limbs_at(0, *out.ring), step.floor_term);
  multiply_scalars(floor.view(), a.limbs_at(limbs, *auxiliary), step.floor_factors);
  add(floor.view(), floor.view(), term.view());
  // S4: B to q and m_sk; the difference modulo m_sk tells how often B was wrapped.
  PolyArray restored = scratch(*this, restored_ring, a);
  convert(restored.view(), floor.view().limbs_at(0, *base), step.restore);
  const View wraps = restored.view().limbs_at(limbs, *redundant);
  subtract(wraps, wraps, floor.view().limbs_at(base_limbs, *redundant));
  convert(out, wraps, step.excess);
  add(out, out, restored.view().limbs_at(0, *out.ring));
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

void Engine::do_convert_with_peaks(View out, ConstView a, const BaseConversion& conversion, std::uint64_t* peaks) {
  convert(out, a, conversion);
  do_peaks({peaks, program::number_ring().get(), a.batch, 1, 1, 1}, a, conversion);
}

void Engine::do_scale_to_plain(View out, ConstView a, const PlainRounding& step, std::uint64_t* peaks) {
  const RingPtr ring = a.ring->with_basis(step.scale.target()), gamma = ring->slice(1, 1);
  PolyArray scaled = scratch(*this, ring, a);
  convert(scaled.view(), a, step.scale);
  const View modulo_gamma = scaled.view().limbs_at(1, *gamma);
  if (peaks != nullptr) {
    do_peaks({peaks, program::number_ring().get(), a.batch, 1, 1, 1}, modulo_gamma, step.correction);
  }
  convert(out, modulo_gamma, step.correction);
  add(out, out, scaled.view().limbs_at(0, *out.ring));
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

}  // namespace cyclotome
