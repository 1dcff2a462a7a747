// SPDX-License-Identifier: Apache-2.0
// The CPU engine's verbs that work across limbs: a tile of coefficients goes through the whole verb while its limbs are in cache.
// Each computes exactly what the reference in ring/reference.cpp does.
#include "cyclotome/engine/cpu/convert.hpp"
#include "cyclotome/engine/cpu/loops.hpp"
#include "cyclotome/ring/behz.hpp"
#include "cyclotome/ring/secure_memory.hpp"

namespace cyclotome {

namespace {

using cpu::conversion_tile;
using cpu::Tile;

/// Scratch of one thread for tiles; grows once and is reused.
template <LimbWord W>
class TileScratch {
 public:
  /// A tile of `limbs` limbs, valid until the next call of `reset`.
  Tile<W> tile(std::size_t limbs) {
    const Tile<W> result{words_.data() + used_, conversion_tile};
    used_ += limbs * conversion_tile;
    return result;
  }
  /// Makes room for tiles of this many limbs in all.
  static TileScratch& reset(std::size_t limbs) {
    thread_local TileScratch scratch;
    scratch.used_ = 0;
    if (scratch.words_.size() < limbs * conversion_tile) scratch.words_.resize(limbs * conversion_tile);
    return scratch;
  }
  void wipe() noexcept { secure_zero(words_.data(), used_ * sizeof(W)); }

 private:
  std::vector<W> words_;
  std::size_t used_ = 0;
};

template <LimbWord W>
Tile<const W> tile_of(ConstView a, std::size_t b, std::size_t p, std::size_t first) {
  return {a.limb<W>(b, p, 0) + first, a.degree()};
}

template <LimbWord W>
Tile<W> tile_of(View a, std::size_t b, std::size_t p, std::size_t first) {
  return {a.limb<W>(b, p, 0) + first, a.degree()};
}

template <LimbWord W>
Tile<const W> constant(Tile<W> tile) {
  return {tile.data, tile.stride};
}

/// out += a, limb by limb over `basis`.
template <LimbWord W>
void add_tile(Tile<W> out, Tile<const W> a, std::size_t width, const Basis& basis) {
  for (std::size_t l = 0; l < basis.size(); ++l) {
    const Modulus<W> q = basis.moduli<W>()[l];
    for (std::size_t c = 0; c < width; ++c) out.limb(l)[c] = q.add(out.limb(l)[c], a.limb(l)[c]);
  }
}

/// out = factors[l] a + b, limb by limb over `basis`.
template <LimbWord W>
void scale_add_tile(Tile<W> out, Tile<const W> a, Tile<const W> b, std::size_t width, const Basis& basis,
                    const std::vector<std::uint64_t>& factors) {
  for (std::size_t l = 0; l < basis.size(); ++l) {
    const Modulus<W> q = basis.moduli<W>()[l];
    const ShoupFactor<W> factor(static_cast<W>(factors[l]), q.value());
    for (std::size_t c = 0; c < width; ++c) {
      out.limb(l)[c] = q.add(factor.multiply(a.limb(l)[c], q.value()), b.limb(l)[c]);
    }
  }
}

}  // namespace

void CpuEngine::do_convert(View out, ConstView a, const BaseConversion& conversion) {
  for_each_tile(out, [&]<class W>(std::size_t b, std::size_t p, std::size_t first, std::size_t width, W) {
    auto& scratch = TileScratch<W>::reset(a.limbs() + 1);
    cpu::convert_tile(tile_of<W>(out, b, p, first), tile_of<W>(a, b, p, first), width, conversion,
                      scratch.tile(a.limbs() + 1).data);
  });
}

void CpuEngine::do_divide_and_round(View out, ConstView kept, ConstView dropped, const DivideAndRound& step) {
  if (out.domain == Domain::transform) {
    Engine::do_divide_and_round(out, kept, dropped, step);
    return;
  }
  const std::size_t kept_limbs = kept.limbs(), dropped_limbs = dropped.limbs();
  for_each_tile(out, [&]<class W>(std::size_t b, std::size_t p, std::size_t first, std::size_t width, W) {
    auto& scratch = TileScratch<W>::reset(kept_limbs + dropped_limbs + 1);
    const Tile<W> correction = scratch.tile(kept_limbs);
    cpu::convert_tile(correction, tile_of<W>(dropped, b, p, first), width, step.correction,
                      scratch.tile(dropped_limbs + 1).data);
    scale_add_tile(tile_of<W>(out, b, p, first), tile_of<W>(kept, b, p, first), constant(correction), width,
                   step.kept->basis(), step.inverses);
  });
}

void CpuEngine::do_behz_lift(View out, ConstView a, const BehzLift& step) {
  const std::size_t source = step.source->limbs(), target = step.target->limbs();
  for_each_tile(out, [&]<class W>(std::size_t b, std::size_t p, std::size_t first, std::size_t width, W) {
    auto& scratch = TileScratch<W>::reset(source + target + 4);
    const Tile<W> extended = scratch.tile(target + 1);
    cpu::convert_tile(extended, tile_of<W>(a, b, p, first), width, step.first, scratch.tile(source + 1).data);
    const Tile<W> result = tile_of<W>(out, b, p, first);
    cpu::convert_tile(result, constant(extended.from(target)), width, step.correction, scratch.tile(2).data);
    add_tile(result, constant(extended), width, step.target->basis());
  });
}

void CpuEngine::do_behz_scale(View out, ConstView a, const BehzScale& step) {
  const std::size_t source = step.source->limbs(), auxiliary = step.auxiliary->limbs(), base = auxiliary - 1;
  for_each_tile(out, [&]<class W>(std::size_t b, std::size_t p, std::size_t first, std::size_t width, W) {
    auto& scratch = TileScratch<W>::reset(2 * source + 3 * auxiliary + 5);
    const Tile<const W> in = tile_of<W>(a, b, p, first);
    const Tile<W> floor = scratch.tile(auxiliary), term = scratch.tile(auxiliary);
    cpu::convert_tile(term, in, width, step.floor_term, scratch.tile(source + 1).data);
    scale_add_tile(floor, in.from(source), constant(term), width, step.auxiliary->basis(), step.floor_factors);

    const Tile<W> restored = scratch.tile(source + 1), wraps = restored.from(source);
    cpu::convert_tile(restored, constant(floor), width, step.restore, scratch.tile(base + 1).data);
    const Modulus<W> m_sk = step.redundant->basis().moduli<W>()[0];
    for (std::size_t c = 0; c < width; ++c) wraps.data[c] = m_sk.subtract(wraps.data[c], floor.limb(base)[c]);
    const Tile<W> result = tile_of<W>(out, b, p, first);
    cpu::convert_tile(result, constant(wraps), width, step.excess, scratch.tile(2).data);
    add_tile(result, constant(restored), width, step.source->basis());
  });
}

void CpuEngine::do_scale_to_plain(View out, ConstView a, const PlainScale& step) {
  const std::size_t source = step.source->limbs();
  for_each_tile(out, [&]<class W>(std::size_t b, std::size_t p, std::size_t first, std::size_t width, W) {
    auto& scratch = TileScratch<W>::reset(source + 5);
    const Tile<W> scaled = scratch.tile(2);
    cpu::convert_tile(scaled, tile_of<W>(a, b, p, first), width, step.scale, scratch.tile(source + 1).data);
    const Tile<W> result = tile_of<W>(out, b, p, first);
    cpu::convert_tile(result, constant(scaled.from(1)), width, step.correction, scratch.tile(2).data);
    add_tile(result, constant(scaled), width, step.plain->basis());
    scratch.wipe();
  });
}

void CpuEngine::do_linear_combination(View out, ConstView a, std::span<const std::int64_t> matrix) {
  const std::size_t rows = out.batch, columns = a.batch, limbs = out.limbs();
  with_word(out.word(), [&]<class W>(W) {
    std::vector<W> factors(limbs * matrix.size());  // [limb][row][column]
    std::vector<std::size_t> lazy_terms(limbs);
    for (std::size_t l = 0; l < limbs; ++l) {
      const Modulus<W> q = out.ring->basis().moduli<W>()[l];
      for (std::size_t i = 0; i < matrix.size(); ++i) factors[l * matrix.size() + i] = q.reduce_signed(matrix[i]);
      const auto largest = static_cast<Wide<W>>(q.value() - 1) * (q.value() - 1);
      lazy_terms[l] = static_cast<std::size_t>(std::min<Wide<W>>(~static_cast<Wide<W>>(0) / largest, 1024));
    }
    // One column of tiles at a time is gathered and used for all rows.
    const View one = out.items(0);
    for_each_tile_of<W>(one, [&](std::size_t, std::size_t p, std::size_t first, std::size_t width, W) {
      auto& scratch = TileScratch<W>::reset(columns);
      const Tile<W> gathered = scratch.tile(columns);
      for (std::size_t l = 0; l < limbs; ++l) {
        for (std::size_t k = 0; k < columns; ++k) {
          const W* const x = a.limb<W>(k, p, l) + first;
          std::copy(x, x + width, gathered.limb(k));
        }
        for (std::size_t r = 0; r < rows; ++r) {
          const std::span<const W> row{factors.data() + l * matrix.size() + r * columns, columns};
          cpu::weighted_sum<W>(out.limb<W>(r, p, l) + first, width, constant(gathered), row,
                               out.ring->basis().moduli<W>()[l], lazy_terms[l]);
        }
      }
    });
  });
}

void CpuEngine::do_key_switch_product(View out, ConstView digits, ConstView key) {
  for_each_limb(out, [&]<class W>(std::size_t b, std::size_t p, std::size_t l, W* x) {
    const Modulus<W> q = out.ring->basis().moduli<W>()[l];
    const auto largest = static_cast<Wide<W>>(q.value() - 1) * (q.value() - 1);
    const auto lazy = static_cast<std::size_t>(std::min<Wide<W>>(~static_cast<Wide<W>>(0) / largest, 1024)) - 1;
    Wide<W> sums[conversion_tile];
    for (std::size_t first = 0; first < out.degree(); first += conversion_tile) {
      const std::size_t width = std::min(conversion_tile, out.degree() - first);
      std::fill(sums, sums + width, Wide<W>{0});
      for (std::size_t j = 0; j < digits.parts; ++j) {
        const W* const digit = digits.limb<W>(b, j, l) + first;
        const W* const factor = key.limb<W>(j, p, l) + first;
        if (j != 0 && j % lazy == 0) {
          for (std::size_t c = 0; c < width; ++c) sums[c] = q.reduce_wide(sums[c]);
        }
        for (std::size_t c = 0; c < width; ++c) sums[c] += static_cast<Wide<W>>(digit[c]) * factor[c];
      }
      for (std::size_t c = 0; c < width; ++c) x[first + c] = q.reduce_wide(sums[c]);
    }
  });
}

}  // namespace cyclotome
