// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/study/fermat/limbs/host_wide_engine.hpp"

#include <algorithm>
#include <mutex>

#include "cyclotome/engine/host_threads.hpp"
#include "cyclotome/study/fermat/limbs/positional.hpp"

namespace cyclotome::study::fermat {

namespace {

/// Coefficients of a polynomial go to threads in pieces of at least so many words.
constexpr std::size_t piece_words = 8192, whole_tiles = 64;

class HostWideEngine final : public WideEngine, public std::enable_shared_from_this<HostWideEngine> {
 public:
  HostWideEngine(EnginePtr engine, HostThreads& threads) : engine_(std::move(engine)), threads_(&threads) {}

  const EnginePtr& engine() const noexcept override { return engine_; }
  bool on_host() const noexcept override { return true; }

  WideStep from_wide(const std::shared_ptr<const FromWide>& conversion) const override {
    return [self = shared_from_this(), conversion](Words* out, const Words* in, const Many& many) {
      const std::size_t rows = conversion->source().words() + conversion->target().size();
      self->in_pieces(many.degree, many.parts, rows, [&](std::size_t part, std::size_t first, std::size_t count) {
        conversion->run(out + part * many.out_stride, in + part * many.in_stride, many.degree, first, count);
      });
    };
  }

  WideStep puncture(const std::shared_ptr<const Punctured>& punctured) const override {
    return [self = shared_from_this(), punctured](Words* out, const Words* in, const Many& many) {
      self->in_pieces(many.degree, many.parts, punctured->words(),
                      [&](std::size_t part, std::size_t first, std::size_t count) {
                        apply(*punctured, out + part * many.out_stride, in + part * many.in_stride, many.degree, first,
                              first + count);
                      });
    };
  }

  ToLimbStep to_limb(const std::shared_ptr<const ToLimb>& conversion) const override {
    return [self = shared_from_this(), conversion](Words* out, const Words* y, const std::int64_t* wraps,
                                                   const Many& many) {
      const std::size_t rows = conversion->limb().words + conversion->primes();
      self->in_pieces(many.degree, many.parts, rows, [&](std::size_t part, std::size_t first, std::size_t count) {
        conversion->run(out + part * many.out_stride, y + part * many.in_stride, wraps + part * many.degree,
                        many.degree, first, count);
      });
    };
  }

  WrapStep centred_wraps(const Basis& source) const override {
    return [self = shared_from_this(), source](std::int64_t* wraps, const Words* y, const Many& many) {
      self->in_pieces(many.degree, many.parts, source.size(),
                      [&](std::size_t part, std::size_t first, std::size_t count) {
                        ToLimb::centred_wraps(wraps + part * many.degree, source, y + part * many.in_stride,
                                              many.degree, first, count);
                      });
    };
  }

  WrapStep redundant_wraps(const RedundantModulus& redundant) const override {
    return [self = shared_from_this(), redundant](std::int64_t* wraps, const Words* y, const Many& many) {
      const std::size_t terms = redundant.weights.size(), n = many.degree;
      self->in_pieces(n, many.parts, terms, [&](std::size_t part, std::size_t first, std::size_t count) {
        const Words* const from = y + part * many.in_stride;
        for (std::size_t c = first; c < first + count; ++c) {
          const Words sum = dot(from + c, n, redundant.weights.data(), terms, redundant.modulus);
          wraps[part * n + c] = RedundantModulus::wraps(sum, from[terms * n + c], redundant.modulus, redundant.inverse);
        }
      });
    };
  }

  RoundStep round_behz(const BehzRounding& rounding) const override {
    return [rounding](Words* messages, const Words* in, std::size_t degree) {
      Words peak = 0;
      for (std::size_t c = 0; c < degree; ++c) {
        const Rounded rounded = rounding(in[c], in[degree + c]);
        messages[c] = rounded.message;
        const Words further = mask_if<Words>(rounded.distance > peak);
        peak = (peak & ~further) | (rounded.distance & further);
      }
      return peak;
    };
  }

  RoundStep round_positional(const PositionalRounding& rounding) const override {
    return [self = shared_from_this(), rounding](Words* messages, const Words* in, std::size_t degree) {
      std::mutex mutex;
      Words peak = 0;
      self->in_pieces(degree, 1, rounding.words, [&](std::size_t, std::size_t first, std::size_t count) {
        const Words found = positional::round(messages, in, rounding, degree, first, count);
        const std::lock_guard lock(mutex);
        const Words further = mask_if<Words>(found > peak);
        peak = (peak & ~further) | (found & further);
      });
      return peak;
    };
  }

  WideStep divide_positional(const PositionalRounding& rounding) const override {
    return [self = shared_from_this(), rounding](Words* out, const Words* in, const Many& many) {
      self->in_pieces(many.degree, many.parts, 3 * std::size_t{rounding.words},
                      [&](std::size_t part, std::size_t first, std::size_t count) {
                        positional::divide(out + part * many.out_stride, in + part * many.in_stride, rounding,
                                           many.degree, first, count);
                      });
    };
  }

  WideStep centre(const Basis& basis, const PositionalRounding& rounding) const override {
    return [self = shared_from_this(), basis, rounding, q_mod = positional::modulus_mod(basis, rounding.words)](
               Words* out, const Words* in, const Many& many) {
      self->in_pieces(many.degree, many.parts, basis.size(),
                      [&](std::size_t part, std::size_t first, std::size_t count) {
                        positional::centre(out + part * many.out_stride, in + part * many.in_stride, basis, q_mod,
                                           rounding, many.degree, first, count);
                      });
    };
  }

  void add(const WideRing& ring, Words* out, const Words* a, const Words* b, std::size_t parts) const override {
    for_ranges(ring, parts, [&](std::size_t at, WideRing::Range range) { ring.add(out + at, a + at, b + at, range); });
  }
  void subtract(const WideRing& ring, Words* out, const Words* a, const Words* b, std::size_t parts) const override {
    for_ranges(ring, parts,
               [&](std::size_t at, WideRing::Range range) { ring.subtract(out + at, a + at, b + at, range); });
  }
  void negate(const WideRing& ring, Words* out, const Words* a, std::size_t parts) const override {
    for_ranges(ring, parts, [&](std::size_t at, WideRing::Range range) { ring.negate(out + at, a + at, range); });
  }
  void scale(const WideRing& ring, Words* out, const Words* a, std::uint64_t factor, std::size_t parts) const override {
    for_ranges(ring, parts,
               [&](std::size_t at, WideRing::Range range) { ring.scale(out + at, a + at, factor, range); });
  }
  void move_limb(const WideRing& ring, Words* out, std::size_t to, const Words* rows, std::size_t from) const override {
    for_ranges(ring, 1, [&](std::size_t, WideRing::Range range) { ring.move_limb(out, to, rows, from, range); });
  }
  void digit(const WideRing& ring, Words* out, const Words* polynomial, const DigitPlace& place,
             std::size_t copies) const override {
    const std::size_t n = ring.degree(), word = place.first / 64;
    const Words* const row = polynomial + ring.offset(place.limb) + word * n;
    const bool last = word + 1 == ring.basis().limbs()[place.limb].words;
    in_pieces(n, 1, copies + 1, [&](std::size_t, std::size_t first, std::size_t count) {
      for (std::size_t c = first; c < first + count; ++c) {
        const Words digit = bits_of(row[c], last ? 0 : row[n + c], place.first % 64, place.width);
        for (std::size_t j = 0; j < copies; ++j) out[j * n + c] = digit;
      }
    });
  }

 private:
  /// body(part, first coefficient, count) for pieces of the coefficients of each part, over all threads.
  template <class Body>
  void in_pieces(std::size_t degree, std::size_t parts, std::size_t words, const Body& body) const {
    std::size_t piece = std::max(piece_words / std::max<std::size_t>(words, 1), degree / (4 * threads_->threads()) + 1);
    piece = threads_->threads() == 1 ? degree : (piece + whole_tiles - 1) / whole_tiles * whole_tiles;
    const std::size_t pieces = (degree + piece - 1) / piece;
    threads_->in_parallel(parts * pieces, [&](std::size_t i) {
      const std::size_t first = i % pieces * piece;
      body(i / pieces, first, std::min(piece, degree - first));
    });
  }
  template <class Body>
  void for_ranges(const WideRing& ring, std::size_t parts, const Body& body) const {
    in_pieces(ring.degree(), parts, ring.words(), [&](std::size_t part, std::size_t first, std::size_t count) {
      body(part * ring.size(), WideRing::Range{first, count});
    });
  }
  static void apply(const Punctured& punctured, Words* out, const Words* in, std::size_t degree, std::size_t first,
                    std::size_t end) {
    const std::size_t words = punctured.words(), tile = tile_of(words);
    std::vector<Words> from(tile * words), to(tile * words);
    for (; first < end; first += tile) {
      const std::size_t count = std::min(tile, end - first);
      gather(from.data(), in, words, degree, first, count);
      punctured.apply(to.data(), from.data(), count);
      scatter(out, to.data(), words, degree, first, count);
    }
  }

  EnginePtr engine_;
  HostThreads* threads_;
};

}  // namespace

WideEnginePtr host_wide_engine(const EnginePtr& engine) {
  auto* const threads = dynamic_cast<HostThreads*>(engine.get());
  return threads == nullptr ? nullptr : std::make_shared<const HostWideEngine>(engine, *threads);
}

}  // namespace cyclotome::study::fermat
