// SPDX-License-Identifier: Apache-2.0
// The CPU engine's verbs and composites that work across limbs: a tile of coefficients goes through the whole of one
// while its limbs are in cache. Each computes exactly what a composite's operations do, and engine/reference.cpp.
#include <algorithm>
#include <utility>

#include "cyclotome/engine/cpu/cpu_engine.hpp"
#include "cyclotome/engine/cpu/steps/convert.hpp"
#include "cyclotome/engine/cpu/steps/limb_transform.hpp"
#include "cyclotome/engine/cpu/steps/operands.hpp"
#include "cyclotome/math/interrupt.hpp"
#include "cyclotome/program/lifts.hpp"
#include "cyclotome/ring/conversion/divide_and_round.hpp"
#include "cyclotome/ring/randomness/secure_memory.hpp"

namespace cyclotome {

namespace {

using cpu::conversion_tile;
using cpu::Operands;
using cpu::Tile;
using cpu::TileScratch;
using cpu::wipe_scratch;

template <LimbWord W>
Tile<const W> tile_of(ConstView a, std::size_t b, std::size_t p, std::size_t first) {
  return {a.limb<W>(b, p, 0) + first, a.limb_words()};
}

template <LimbWord W>
Tile<W> tile_of(View a, std::size_t b, std::size_t p, std::size_t first) {
  return {a.limb<W>(b, p, 0) + first, a.limb_words()};
}

/// out += a, limb by limb over `basis`.
template <LimbWord W>
void add_tile(const cpu::Kernels<W>& kernels, Tile<W> out, Tile<const W> a, std::size_t width, const Basis& basis) {
  for (std::size_t l = 0; l < basis.size(); ++l) {
    kernels.add(out.limb(l), out.limb(l), a.limb(l), width, basis.moduli<W>()[l]);
  }
}

/// out = factors[l] a + b, limb by limb over `basis`.
template <LimbWord W>
void scale_add_tile(const cpu::Kernels<W>& kernels, Tile<W> out, Tile<const W> a, Tile<const W> b, std::size_t width,
                    const Basis& basis, const std::vector<std::uint64_t>& factors) {
  for (std::size_t l = 0; l < basis.size(); ++l) {
    const W q = static_cast<W>(basis[l]);
    const ShoupFactor<W> factor(static_cast<W>(factors[l]), q);
    kernels.scale_add(out.limb(l), a.limb(l), factor, b.limb(l), width, q);
  }
}

/// The largest peaks of tiles, found by several threads, and then of items.
class TilePeaks {
 public:
  TilePeaks(View out, std::uint64_t* peaks)
      : peaks_(peaks),
        items_(out.batch),
        tiles_((out.degree() + conversion_tile - 1) / conversion_tile),
        found_(items_ * tiles_) {}
  ~TilePeaks() {
    for (std::size_t b = 0; b < items_; ++b) {
      std::uint64_t largest = 0;
      for (std::size_t i = 0; i < tiles_; ++i) {
        const std::uint64_t here = found_[b * tiles_ + i];
        largest = here > largest ? here : largest;  // no branch: peaks are secret
      }
      peaks_[b] = largest;
    }
    secure_zero(found_.data(), found_.size() * sizeof(found_[0]));
  }
  TilePeaks(const TilePeaks&) = delete;
  TilePeaks& operator=(const TilePeaks&) = delete;
  /// Of the tile that starts with coefficient `first`.
  std::uint64_t& of(std::size_t item, std::size_t first) { return found_[item * tiles_ + first / conversion_tile]; }

 private:
  std::uint64_t* peaks_;
  std::size_t items_, tiles_;
  std::vector<std::uint64_t> found_;
};

/// peak_of the residues modulo a conversion's only source limb.
template <LimbWord W>
std::uint64_t peak_of_tile(const cpu::Kernels<W>& kernels, const W* residues, std::size_t width,
                           const BaseConversion& conversion) noexcept {
  const Modulus<W>& q = conversion.source().moduli<W>()[0];
  return peak_of(kernels.largest_centred(residues, width, q.value()), conversion.tables<W>().reciprocals[0], q.bits());
}

}  // namespace

void CpuEngine::do_convert(View out, ConstView a, const BaseConversion& conversion) {
  loops_.for_each_tile(
      out,
      [&]<class W>(std::size_t b, std::size_t p, std::size_t first, std::size_t width, W) {
        TileScratch<W> scratch(a.limbs() + 1);
        cpu::convert_tile(kernels<W>(), tile_of<W>(out, b, p, first), tile_of<W>(a, b, p, first), width, conversion,
                          scratch.tile(a.limbs() + 1).data);
      },
      wipe_scratch);
}

void CpuEngine::divide_and_round(View out, ConstView kept, ConstView dropped, const DivideAndRound& step,
                                 const std::optional<ConstView>& addend) {
  const std::size_t kept_limbs = kept.limbs(), dropped_limbs = dropped.limbs();
  loops_.for_each_tile(
      out,
      [&]<class W>(std::size_t b, std::size_t p, std::size_t first, std::size_t width, W) {
        TileScratch<W> scratch(kept_limbs + dropped_limbs + 1);
        const Tile<W> correction = scratch.tile(kept_limbs);
        cpu::convert_tile(kernels<W>(), correction, tile_of<W>(dropped, b, p, first), width, step.correction,
                          scratch.tile(dropped_limbs + 1).data);
        const Tile<W> result = tile_of<W>(out, b, p, first);
        scale_add_tile(kernels<W>(), result, tile_of<W>(kept, b, p, first), cpu::constant(correction), width,
                       step.kept->basis(), step.factors);
        if (addend && p < addend->parts) {
          add_tile(kernels<W>(), result, tile_of<W>(*addend, b, p, first), width, step.kept->basis());
        }
      },
      wipe_scratch);
}

void CpuEngine::behz_lift(View out, ConstView a, const program::BehzExtension& step) {
  const std::size_t source = a.limbs(), target = out.limbs();
  loops_.for_each_tile(out, [&]<class W>(std::size_t b, std::size_t p, std::size_t first, std::size_t width, W) {
    TileScratch<W> scratch(source + target + 4);
    const Tile<W> extended = scratch.tile(target + 1);
    cpu::convert_tile(kernels<W>(), extended, tile_of<W>(a, b, p, first), width, step.first,
                      scratch.tile(source + 1).data);
    const Tile<W> result = tile_of<W>(out, b, p, first);
    cpu::convert_tile(kernels<W>(), result, cpu::constant(extended.from(target)), width, step.correction,
                      scratch.tile(2).data);
    add_tile(kernels<W>(), result, cpu::constant(extended), width, out.ring->basis());
  });
}

void CpuEngine::behz_scale(View out, ConstView a, const program::BehzDivision& step) {
  const std::size_t source = out.limbs(), auxiliary = a.limbs() - source, base = auxiliary - 1;
  loops_.for_each_tile(out, [&]<class W>(std::size_t b, std::size_t p, std::size_t first, std::size_t width, W) {
    TileScratch<W> scratch(2 * source + 3 * auxiliary + 5);
    const Tile<const W> in = tile_of<W>(a, b, p, first);
    const Tile<W> floor = scratch.tile(auxiliary), term = scratch.tile(auxiliary);
    cpu::convert_tile(kernels<W>(), term, in, width, step.floor_term, scratch.tile(source + 1).data);
    scale_add_tile(kernels<W>(), floor, in.from(source), cpu::constant(term), width, step.floor_term.target(),
                   step.floor_factors);

    const Tile<W> restored = scratch.tile(source + 1), wraps = restored.from(source);
    cpu::convert_tile(kernels<W>(), restored, cpu::constant(floor), width, step.restore, scratch.tile(base + 1).data);
    kernels<W>().subtract(wraps.data, wraps.data, floor.limb(base), width, step.excess.source().moduli<W>()[0]);
    const Tile<W> result = tile_of<W>(out, b, p, first);
    cpu::convert_tile(kernels<W>(), result, cpu::constant(wraps), width, step.excess, scratch.tile(2).data);
    add_tile(kernels<W>(), result, cpu::constant(restored), width, out.ring->basis());
  });
}

void CpuEngine::scale_to_plain(View out, std::uint64_t* peaks, ConstView a, const program::PlainRounding& step) {
  const std::size_t source = a.limbs();
  TilePeaks found(out, peaks);
  loops_.for_each_tile(
      out,
      [&]<class W>(std::size_t b, std::size_t p, std::size_t first, std::size_t width, W) {
        TileScratch<W> scratch(source + 5);
        const Tile<W> scaled = scratch.tile(2);
        cpu::convert_tile(kernels<W>(), scaled, tile_of<W>(a, b, p, first), width, step.scale,
                          scratch.tile(source + 1).data);
        const Tile<W> result = tile_of<W>(out, b, p, first);
        found.of(b, first) = peak_of_tile<W>(kernels<W>(), scaled.limb(1), width, step.correction);
        cpu::convert_tile(kernels<W>(), result, cpu::constant(scaled.from(1)), width, step.correction,
                          scratch.tile(2).data);
        add_tile(kernels<W>(), result, cpu::constant(scaled), width, out.ring->basis());
      },
      wipe_scratch);
}

void CpuEngine::convert_with_peaks(View out, std::uint64_t* peaks, ConstView a, const BaseConversion& conversion) {
  TilePeaks found(out, peaks);
  loops_.for_each_tile(
      out,
      [&]<class W>(std::size_t b, std::size_t p, std::size_t first, std::size_t width, W) {
        TileScratch<W> scratch(a.limbs() + 1);
        const Tile<const W> in = tile_of<W>(a, b, p, first);
        std::uint64_t& peak = found.of(b, first);
        cpu::convert_tile(kernels<W>(), tile_of<W>(out, b, p, first), in, width, conversion,
                          scratch.tile(a.limbs() + 1).data, &peak);
        if (a.limbs() == 1) peak = peak_of_tile<W>(kernels<W>(), in.data, width, conversion);
      },
      wipe_scratch);
}

void CpuEngine::do_linear_combination(View out, ConstView a, std::span<const std::int64_t> matrix) {
  const std::size_t rows = out.batch, columns = a.batch, limbs = out.limbs();
  with_word(out.word(), [&]<class W>(W) {
    std::vector<W> factors(limbs * matrix.size());  // [limb][row][column]
    for (std::size_t l = 0; l < limbs; ++l) {
      const Modulus<W> q = out.ring->basis().moduli<W>()[l];
      for (std::size_t i = 0; i < matrix.size(); ++i) factors[l * matrix.size() + i] = q.reduce_signed(matrix[i]);
    }
    // One column of tiles at a time is gathered and used for all rows.
    const View one = out.items(0);
    loops_.for_each_tile_of<W>(one, [&](std::size_t, std::size_t p, std::size_t first, std::size_t width, W) {
      TileScratch<W> scratch(columns);
      const Tile<W> gathered = scratch.tile(columns);
      for (std::size_t l = 0; l < limbs; ++l) {
        const Modulus<W>& q = out.ring->basis().moduli<W>()[l];
        check_interrupt();
        for (std::size_t k = 0; k < columns; ++k) {
          const W* const x = a.limb<W>(k, p, l) + first;
          std::copy(x, x + width, gathered.limb(k));
        }
        for (std::size_t r = 0; r < rows; ++r) {
          check_interrupt_often();  // a row of the matrix may take milliseconds
          const std::span<const W> row{factors.data() + l * matrix.size() + r * columns, columns};
          kernels<W>().weighted_sum(out.limb<W>(r, p, l) + first, width, cpu::constant(gathered), row, q.bits(), q,
                                    nullptr, 0);
        }
      }
    });
  });
}

void CpuEngine::key_switch_product(View out, ConstView digits, ConstView key) {
  loops_.for_each_limb_tile(
      out, [&]<class W>(std::size_t item, std::size_t l, std::size_t first, std::size_t width, W) {
        auto& operands = Operands<W>::of_thread(digits.parts);
        for (std::size_t j = 0; j < digits.parts; ++j) operands.left[j] = digits.limb<W>(item, j, l) + first;
        for (std::size_t p = 0; p < out.parts; ++p) {
          for (std::size_t j = 0; j < digits.parts; ++j) operands.right[j] = key.limb<W>(j, p, l) + first;
          kernels<W>().inner_product(out.limb<W>(item, p, l) + first, operands.left.data(), operands.right.data(),
                                     digits.parts, width, out.ring->basis().moduli<W>()[l]);
        }
      });
}

void CpuEngine::weighted_sums(View out, std::span<const View> terms) {
  // A tile of all terms stays in cache for all rows of weights, which are read once.
  const std::size_t count = terms[0].parts;
  loops_.for_each_limb_tile(
      out, [&]<class W>(std::size_t item, std::size_t l, std::size_t first, std::size_t width, W) {
        auto& operands = Operands<W>::of_thread(count);
        for (std::size_t p = 0; p < out.parts; ++p) {
          for (std::size_t j = 0; j < count; ++j) {
            operands.left[j] = terms[p % 2].limb<W>(item, j, l) + first;
            operands.right[j] = terms[2 + p / 2].limb<W>(j, 0, l) + first;
          }
          kernels<W>().inner_product(out.limb<W>(item, p, l) + first, operands.left.data(), operands.right.data(),
                                     count, width, out.ring->basis().moduli<W>()[l]);
        }
      });
}

void CpuEngine::turned_product(View out, ConstView digits, ConstView key, const cpu::SlotTurn& turn) {
  constexpr std::size_t tiles = cpu::product_tile / conversion_tile;
  loops_.for_each_limb_tile(
      out, [&]<class W>(std::size_t item, std::size_t l, std::size_t first, std::size_t width, W) {
        TileScratch<W> scratch(tiles * digits.parts);
        auto& operands = Operands<W>::of_thread(digits.parts);
        for (std::size_t j = 0; j < digits.parts; ++j) {
          W* const turned = scratch.tile(tiles).data;
          turn.apply(kernels<W>(), turned, digits.limb<W>(item, j, l), first, width);
          operands.left[j] = turned;
        }
        for (std::size_t p = 0; p < out.parts; ++p) {
          for (std::size_t j = 0; j < digits.parts; ++j) operands.right[j] = key.limb<W>(j, p, l) + first;
          kernels<W>().inner_product(out.limb<W>(item, p, l) + first, operands.left.data(), operands.right.data(),
                                     digits.parts, width, out.ring->basis().moduli<W>()[l]);
        }
      });
}

}  // namespace cyclotome
