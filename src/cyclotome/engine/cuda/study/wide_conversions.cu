// SPDX-License-Identifier: Apache-2.0
#include <atomic>

#include "cyclotome/engine/cuda/study/wide_conversions.cuh"
#include "cyclotome/engine/cuda/study/words_of_lane.hpp"
#include "cyclotome/math/errors.hpp"

namespace cyclotome {

namespace {

std::atomic<unsigned> chosen_words{4};

}  // namespace

void set_words_of_lane(unsigned words) {
  if (words != 2 && words != 4 && words != 8) {
    throw ArgumentError(message(words, " words a lane; there are kernels for 2, 4 and 8"));
  }
  chosen_words = words;
}

unsigned words_of_lane() noexcept { return chosen_words; }

namespace cuda::study {

using namespace cyclotome::study::fermat;

Spread spread_of(std::size_t low) {
  std::size_t words = std::min<std::size_t>(chosen_words, low);
  while (low / words > 32) words *= 2;
  return {static_cast<unsigned>(low / words), static_cast<unsigned>(words)};
}

DevicePuncture::DevicePuncture(std::shared_ptr<CudaEngine> engine, std::shared_ptr<const Punctured> punctured)
    : tables_(std::move(engine)), punctured_(std::move(punctured)) {
  if (const auto* const words = dynamic_cast<const WordPunctured*>(punctured_.get())) {
    const auto moduli = words->basis().moduli<std::uint64_t>();
    word_moduli_ = tables_.put(std::vector<Modulus<Word>>(moduli.begin(), moduli.end()));
    word_factors_ = tables_.put(words->inverses());
    return;
  }
  const auto* const fermat = dynamic_cast<const FermatPunctured*>(punctured_.get());
  if (fermat == nullptr) {
    if (dynamic_cast<const WideIntegers*>(punctured_.get()) != nullptr) return;
    throw UnsupportedError(
        "GPUs convert from Fermat limbs, ordinary limbs and integers as they are, from nothing else");
  }
  for (const Limb& limb : fermat->basis().limbs()) {
    PerLimb one{LimbTable(limb, tables_), nullptr, nullptr, 0, {}};
    if (fermat->method() != Method::both && limb.aligned()) {
      const auto inverse = BigUnsigned::power_of_two(limb.exponent()).limbs();
      BigUnsigned modulus = limb.modulus();
      one.shift = (64 - modulus.bit_length() % 64) % 64;
      const auto divisor = (modulus * BigUnsigned::power_of_two(one.shift)).limbs();
      one.general = {fermat->method() != Method::multiplication, fermat->method() != Method::reduction,
                     static_cast<std::uint32_t>(inverse.size()), static_cast<std::uint32_t>(divisor.size())};
      one.inverse = tables_.put(std::vector<Word>(inverse.begin(), inverse.end()));
      one.divisor = tables_.put(std::vector<Word>(divisor.begin(), divisor.end()));
    }
    limbs_.push_back(one);
  }
}

void DevicePuncture::shifts(const Queue& queue, const PerLimb& limb, DeviceRows out, DeviceRows in,
                            std::size_t parts) const {
  if (limb.table.small != nullptr) {
    launch<on_small<LimbOperation::puncture>>(
        queue, grid_of(out.degree, parts), wide_threads, 0, 1, "puncture", out, in, in, limb.table.small,
        (Word{1} << (limb.table.limb.bits - limb.table.limb.shift)) % limb.table.small_value);
    return;
  }
  const Spread spread = spread_of(limb.table.low());
  with_words(spread.words, [&]<unsigned C>() {
    launch<on_lanes<C, LimbOperation::puncture>>(queue, grid_of(out.degree, parts, spread.lanes), wide_threads, 0, 1,
                                                 "puncture", out, in, in, limb.table.limb, spread.lanes, Word{0});
  });
}

void DevicePuncture::run(Word* out, const Word* in, const Many& many) const {
  const WideQueue queue(tables_.engine());
  const DeviceRows to{out, many.out_stride, many.degree}, from{const_cast<Word*>(in), many.in_stride, many.degree};
  if (word_moduli_ != nullptr) {
    launch<puncture_words>(*queue, grid_of(many.degree, many.parts, 1, words()), wide_threads, 0, 1, "puncture", to,
                           from, word_moduli_, word_factors_);
    return;
  }
  if (is_identity()) {
    for (unsigned part = 0; part < many.parts; ++part) {
      check(cudaMemcpyAsync(to.part(part), from.part(part), words() * many.degree * sizeof(Word),
                            cudaMemcpyDeviceToDevice, (*queue).stream()),
            "copy");
    }
    return;
  }
  for (const PerLimb& limb : limbs_) {
    const std::size_t at = limb.table.first_word * many.degree;
    const DeviceRows limb_to{out + at, many.out_stride, many.degree},
        limb_from{const_cast<Word*>(in) + at, many.in_stride, many.degree};
    if (limb.table.limb.shift == 0) {  // one limb: q/q_i is 1
      for (std::size_t part = 0; part < many.parts; ++part) {
        check(cudaMemcpyAsync(limb_to.part(static_cast<unsigned>(part)), limb_from.part(static_cast<unsigned>(part)),
                              limb.table.limb.words * many.degree * sizeof(Word), cudaMemcpyDeviceToDevice,
                              (*queue).stream()),
              "copy");
      }
    } else if (limb.inverse == nullptr) {
      shifts(*queue, limb, limb_to, limb_from, many.parts);
    } else {
      const std::size_t rows = limb.table.limb.words + limb.general.inverse_words + 2;
      const auto scratch = tables_.engine().allocate(many.parts * rows * many.degree * sizeof(Word), many.secret);
      launch<puncture_generally>(*queue, grid_of(many.degree, many.parts), wide_threads, 0, 1, "general puncture",
                                 limb_to, limb_from, static_cast<Word*>(scratch->data()), limb.inverse, limb.divisor,
                                 limb.shift, limb.general, limb.table.limb);
    }
  }
}

namespace {

/// As the kernel reads them: T targets' weights of a word beside each other.
std::vector<Word> tiled(const std::vector<Word>& weights, unsigned words, unsigned targets, unsigned tile) {
  std::vector<Word> all;
  for (unsigned first = 0; first < targets; first += tile) {
    for (unsigned w = 0; w < words; ++w) {
      for (unsigned j = first; j < first + tile; ++j) {
        all.push_back(j < targets ? weights[std::size_t{j} * words + w] : 0);
      }
    }
  }
  return all;
}

/// Threads that keep a whole GPU busy, roughly.
constexpr std::size_t enough_threads = 131072;

}  // namespace

DeviceFromWide::DeviceFromWide(std::shared_ptr<CudaEngine> engine, const FromWide& conversion)
    : tables_(engine),
      puncture_(engine, conversion.source_pointer()),
      words_(static_cast<unsigned>(conversion.source().words())),
      targets_(static_cast<unsigned>(conversion.target().size())),
      tile_(targets_ <= 2 ? 2 : 4) {
  const auto moduli = conversion.target().moduli<std::uint64_t>();
  moduli_ = tables_.put(std::vector<Modulus<Word>>(moduli.begin(), moduli.end()));
  weights_ = tables_.put(tiled(conversion.weights(), words_, targets_, tile_));
}

void DeviceFromWide::dot(const Queue& queue, DeviceRows out, DeviceRows y, std::size_t parts) const {
  const unsigned tiles = (targets_ + tile_ - 1) / tile_;
  const std::size_t busy = out.degree * tiles * parts;
  unsigned segments = 1;
  while (segments < 16 && busy * segments < enough_threads && 2 * segments * 8 <= words_) segments *= 2;
  const unsigned coefficients = segments == 1 ? wide_threads : 32, threads = coefficients * segments;
  const std::size_t shared = segments == 1 ? 0 : std::size_t{tile_} * threads * sizeof(TripleWord);
  const dim3 grid{blocks_of(out.degree, coefficients), static_cast<unsigned>(parts), tiles};
  const auto with_tile = [&]<unsigned T>() {
    launch<dot_words<T>>(queue, grid, threads, shared, 1, "sums of words", out, y, weights_, moduli_, words_, targets_,
                         coefficients);
  };
  if (tile_ == 2) {
    with_tile.template operator()<2>();
  } else {
    with_tile.template operator()<4>();
  }
}

void DeviceFromWide::run(Word* out, const Word* in, const Many& many) const {
  const DeviceRows to{out, many.out_stride, many.degree};
  if (puncture_.is_identity()) {
    const WideQueue queue(tables_.engine());
    return dot(*queue, to, {const_cast<Word*>(in), many.in_stride, many.degree}, many.parts);
  }
  const std::size_t size = words_ * many.degree;
  const auto y = tables_.engine().allocate(many.parts * size * sizeof(Word), many.secret);
  auto* const rows = static_cast<Word*>(y->data());
  puncture_.run(rows, in, {many.degree, many.parts, size, many.in_stride, many.secret});
  const WideQueue queue(tables_.engine());
  dot(*queue, to, {rows, size, many.degree}, many.parts);
}

DeviceToLimb::DeviceToLimb(std::shared_ptr<CudaEngine> engine, const ToLimb& conversion)
    : tables_(std::move(engine)),
      limb_(conversion.limb(), tables_),
      factors_(static_cast<unsigned>(conversion.primes() + 1)),
      tops_(nullptr),
      start_(nullptr),
      small_start_(conversion.start()[0]) {
  const std::vector<Word>& all = conversion.weights();
  if (limb_.small != nullptr) {
    weights_ = tables_.put(all);
    return;
  }
  const std::size_t words = conversion.limb().words, low = limb_.low();
  std::vector<Word> lowest, tops;
  for (std::size_t j = 0; j < factors_; ++j) {
    lowest.insert(lowest.end(), all.begin() + static_cast<std::ptrdiff_t>(j * words),
                  all.begin() + static_cast<std::ptrdiff_t>(j * words + low));
    tops.push_back(words > low ? all[j * words + low] : 0);
  }
  weights_ = tables_.put(lowest);
  if (std::ranges::any_of(tops, [](Word top) { return top != 0; })) tops_ = tables_.put(tops);
  start_ = tables_.put(conversion.start());
}

void DeviceToLimb::run(Word* out, const Word* y, const std::int64_t* wraps, const Many& many) const {
  const DeviceRows to{out, many.out_stride, many.degree}, from{const_cast<Word*>(y), many.in_stride, many.degree};
  constexpr std::int64_t offset = ToLimb::wrap_offset;
  if (limb_.small != nullptr) {
    const WideQueue queue(tables_.engine());
    launch<to_small>(*queue, grid_of(many.degree, many.parts), wide_threads, 0, 1, "conversion to a limb", to, from,
                     wraps, weights_, limb_.small, small_start_, factors_, offset);
    return;
  }
  const std::size_t low = limb_.low();
  if (fits_lanes(low)) {
    const WideQueue queue(tables_.engine());
    const Spread spread = spread_of(low);
    with_words(spread.words, [&]<unsigned C>() {
      launch<to_lanes<C>>(*queue, grid_of(many.degree, many.parts, spread.lanes), wide_threads, 0, 1,
                          "conversion to a limb", to, from, wraps, weights_, tops_, start_, limb_.limb, spread.lanes,
                          factors_, offset);
    });
    return;
  }
  // Products of positional integers: modulo 2^(64 low) - 1, no power of two.
  const auto tiles = static_cast<unsigned>((low + column_words - 1) / column_words);
  const auto columns = tables_.engine().allocate(tiles * (column_words + 2) * many.degree * sizeof(Word), many.secret);
  auto* const rows = static_cast<Word*>(columns->data());
  for (unsigned part = 0; part < many.parts; ++part) {
    const WideQueue queue(tables_.engine());
    const DeviceRows one{from.part(part), 0, many.degree}, result{to.part(part), 0, many.degree};
    launch<to_columns<column_words>>(*queue, grid_of(many.degree, tiles), wide_threads, 0, 1, "columns of a limb", rows,
                                     one, wraps + part * many.degree, weights_, start_, static_cast<unsigned>(low),
                                     factors_, offset);
    launch<join_columns<column_words>>(*queue, grid_of(many.degree, 1), wide_threads, 0, 1, "joining columns", result,
                                       static_cast<const Word*>(rows), static_cast<unsigned>(low));
  }
}

}  // namespace cuda::study

}  // namespace cyclotome
