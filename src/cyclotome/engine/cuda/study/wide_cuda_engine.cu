// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <mutex>

#include "cyclotome/engine/cuda/study/event_time.cuh"
#include "cyclotome/engine/cuda/study/wide_conversions.cuh"
#include "cyclotome/engine/cuda/study/wide_cuda_engine.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/study/fermat/limbs/positional.hpp"

namespace cyclotome {

using namespace cuda::study;
using cuda::launch;
using namespace study::fermat;

namespace {

/// Ring operations need a limb's constants only where it is less than a word; they are kept for each limb's bits.
class SmallLimbs {
 public:
  explicit SmallLimbs(const std::shared_ptr<CudaEngine>& engine) : tables_(engine) {}
  LimbTable of(const Limb& limb) {
    const std::lock_guard lock(mutex_);
    const auto key = std::pair(limb.bits, limb.plus);
    auto found = known_.find(key);
    if (found == known_.end()) found = known_.emplace(key, LimbTable(limb, tables_)).first;
    LimbTable table = found->second;
    table.first_word = limb.first_word;
    table.limb.shift = limb.shift;
    table.limb.words = static_cast<std::uint32_t>(limb.words);
    return table;
  }

 private:
  WideTables tables_;
  std::mutex mutex_;
  std::map<std::pair<unsigned, bool>, LimbTable> known_;
};

class WideCudaEngine final : public WideEngine {
 public:
  explicit WideCudaEngine(const std::shared_ptr<CudaEngine>& cuda)
      : engine_(cuda), cuda_(cuda), limbs_(std::make_shared<SmallLimbs>(cuda)) {}

  const EnginePtr& engine() const noexcept override { return engine_; }
  bool on_host() const noexcept override { return false; }

  WideStep from_wide(const std::shared_ptr<const FromWide>& conversion) const override {
    return [step = std::make_shared<DeviceFromWide>(cuda_, *conversion)](
               Words* out, const Words* in, const Many& many) { step->run(out, in, many); };
  }
  WideStep puncture(const std::shared_ptr<const Punctured>& punctured) const override {
    return [step = std::make_shared<DevicePuncture>(cuda_, punctured)](Words* out, const Words* in, const Many& many) {
      step->run(out, in, many);
    };
  }
  ToLimbStep to_limb(const std::shared_ptr<const ToLimb>& conversion) const override {
    return [step = std::make_shared<DeviceToLimb>(cuda_, *conversion)](Words* out, const Words* y,
                                                                       const std::int64_t* wraps, const Many& many) {
      step->run(out, y, wraps, many);
    };
  }

  WrapStep centred_wraps(const Basis& source) const override {
    const auto tables = std::make_shared<WideTables>(cuda_);
    std::vector<Fraction> fractions;
    for (const auto& m : source.moduli<Words>()) fractions.push_back(Fraction::of(m.value(), m.bits()));
    return [tables, there = tables->put(fractions), primes = static_cast<unsigned>(source.size())](
               std::int64_t* wraps, const Words* y, const Many& many) {
      const WideQueue queue(tables->engine());
      launch<cuda::study::centred_wraps>(*queue, grid_of(many.degree, many.parts), wide_threads, 0, 1, "wraps", wraps,
                                         rows_of(y, many), there, primes);
    };
  }

  WrapStep redundant_wraps(const RedundantModulus& redundant) const override {
    const auto tables = std::make_shared<WideTables>(cuda_);
    const auto* const modulus = tables->put_one(redundant.modulus);
    const auto* const weights = tables->put(redundant.weights);
    return [tables, modulus, weights, inverse = redundant.inverse,
            terms = static_cast<unsigned>(redundant.weights.size())](std::int64_t* wraps, const Words* y,
                                                                     const Many& many) {
      const WideQueue queue(tables->engine());
      launch<cuda::study::redundant_wraps>(*queue, grid_of(many.degree, many.parts), wide_threads, 0, 1, "wraps", wraps,
                                           rows_of(y, many), modulus, weights, inverse, terms);
    };
  }

  RoundStep round_behz(const BehzRounding& rounding) const override {
    const auto tables = std::make_shared<WideTables>(cuda_);
    return [tables, there = tables->put_one(rounding)](Words* messages, const Words* in, std::size_t degree) {
      return rounded(tables->engine(), messages, degree, [&](const cuda::Queue& queue, Words* to, Words* peak) {
        launch<cuda::study::round_behz>(queue, grid_of(degree, 1), wide_threads, 0, 1, "rounding", to, peak, in, degree,
                                        there);
      });
    };
  }
  RoundStep round_positional(const PositionalRounding& rounding) const override {
    const auto tables = std::make_shared<WideTables>(cuda_);
    return [tables, t = tables->put_one(rounding.t), words = rounding.words](Words* messages, const Words* in,
                                                                             std::size_t degree) {
      return rounded(tables->engine(), messages, degree, [&](const cuda::Queue& queue, Words* to, Words* peak) {
        launch<cuda::study::round_positional>(queue, grid_of(degree, 1), wide_threads, 0, 1, "rounding", to, peak, in,
                                              degree, t, words);
      });
    };
  }

  WideStep divide_positional(const PositionalRounding& rounding) const override {
    return
        [cuda = cuda_, words = rounding.words, t = rounding.t.value()](Words* out, const Words* in, const Many& many) {
          const std::size_t rows = positional::product_words(words) + 1;
          const auto value = cuda->allocate(many.parts * rows * many.degree * sizeof(Words), many.secret);
          const WideQueue queue(*cuda);
          launch<cuda::study::divide_positional>(*queue, grid_of(many.degree, many.parts), wide_threads, 0, 1,
                                                 "division", DeviceRows{out, many.out_stride, many.degree},
                                                 rows_of(in, many), static_cast<Words*>(value->data()), words, t);
        };
  }

  WideStep centre(const Basis& basis, const PositionalRounding& rounding) const override {
    const auto tables = std::make_shared<WideTables>(cuda_);
    const auto moduli = basis.moduli<Words>();
    const auto* const there = tables->put(std::vector<Modulus<Words>>(moduli.begin(), moduli.end()));
    const auto* const q_mod = tables->put(positional::modulus_mod(basis, rounding.words));
    return [tables, there, q_mod, primes = basis.size(), words = rounding.words](Words* out, const Words* in,
                                                                                 const Many& many) {
      const WideQueue queue(tables->engine());
      launch<centre_residues>(*queue, grid_of(many.degree, many.parts, 1, primes), wide_threads, 0, 1, "centring",
                              DeviceRows{out, many.out_stride, many.degree},
                              rows_of(in + (words - 1) * many.degree, many), there, q_mod);
    };
  }

  void add(const WideRing& ring, Words* out, const Words* a, const Words* b, std::size_t parts) const override {
    on_limbs<LimbOperation::add>(ring, out, a, b, parts, 0);
  }
  void subtract(const WideRing& ring, Words* out, const Words* a, const Words* b, std::size_t parts) const override {
    on_limbs<LimbOperation::subtract>(ring, out, a, b, parts, 0);
  }
  void negate(const WideRing& ring, Words* out, const Words* a, std::size_t parts) const override {
    const std::size_t bytes = ring.size() * sizeof(Words);  // 0 - a, the same zeros for all parts
    const auto zeros = cuda_->allocate(bytes, false);
    {
      const WideQueue queue(*cuda_);
      cuda::check(cudaMemsetAsync(zeros->data(), 0, bytes, (*queue).stream()), "zeros");
    }
    for (std::size_t part = 0; part < parts; ++part) {
      const std::size_t at = part * ring.size();
      on_limbs<LimbOperation::subtract>(ring, out + at, static_cast<const Words*>(zeros->data()), a + at, 1, 0);
    }
  }
  void scale(const WideRing& ring, Words* out, const Words* a, std::uint64_t factor, std::size_t parts) const override {
    on_limbs<LimbOperation::scale>(ring, out, a, a, parts, factor);
  }

  void move_limb(const WideRing& ring, Words* out, std::size_t to, const Words* rows, std::size_t from) const override {
    const LimbTable table = limbs_->of(ring.basis().limbs()[to]);
    const std::size_t n = ring.degree();
    const WideQueue queue(*cuda_);
    launch<move_words>(*queue, grid_of(n, 1), wide_threads, 0, 1, "a limb's residues modulo another",
                       DeviceRows{out, 0, n}, DeviceRows{const_cast<Words*>(rows), 0, n}, table.limb,
                       static_cast<unsigned>(ring.basis().limbs()[from].words), table.small);
  }

  void digit(const WideRing& ring, Words* out, const Words* polynomial, const DigitPlace& place,
             std::size_t copies) const override {
    const std::size_t n = ring.degree(), word = place.first / 64;
    const WideQueue queue(*cuda_);
    launch<digit_rows>(*queue, grid_of(n, 1), wide_threads, 0, 1, "digits", out,
                       polynomial + ring.offset(place.limb) + word * n, n,
                       static_cast<unsigned>(word + 1 == ring.basis().limbs()[place.limb].words), place.first % 64,
                       place.width, static_cast<unsigned>(copies));
  }

 private:
  static DeviceRows rows_of(const Words* in, const Many& many) {
    return {const_cast<Words*>(in), many.in_stride, many.degree};
  }

  /// Messages to the host; `body` writes them and the largest distance.
  template <class Body>
  static Words rounded(CudaEngine& engine, Words* messages, std::size_t degree, const Body& body) {
    const auto there = engine.allocate((degree + 1) * sizeof(Words), true);
    auto* const to = static_cast<Words*>(there->data());
    {
      const WideQueue queue(engine);
      cuda::check(cudaMemsetAsync(to + degree, 0, sizeof(Words), (*queue).stream()), "zeros");
      body(*queue, to, to + degree);
    }
    Words peak = 0;
    engine.download(messages, to, degree * sizeof(Words));
    engine.download(&peak, to + degree, sizeof(Words));
    return peak;
  }

  template <LimbOperation Operation>
  void on_limbs(const WideRing& ring, Words* out, const Words* a, const Words* b, std::size_t parts,
                std::uint64_t factor) const {
    const std::size_t n = ring.degree(), size = ring.size();
    const WideQueue queue(*cuda_);
    for (const Limb& limb : ring.basis().limbs()) {
      const std::size_t at = limb.first_word * n;
      const DeviceRows to{out + at, size, n}, x{const_cast<Words*>(a) + at, size, n},
          y{const_cast<Words*>(b) + at, size, n};
      const LimbTable table = limbs_->of(limb);
      if (table.small != nullptr) {
        launch<on_small<Operation>>(*queue, grid_of(n, parts), wide_threads, 0, 1, "a small limb", to, x, y,
                                    table.small, factor % table.small_value);
        continue;
      }
      const Spread spread = spread_of(table.low());
      with_words(spread.words, [&]<unsigned C>() {
        launch<on_lanes<C, Operation>>(*queue, grid_of(n, parts, spread.lanes), wide_threads, 0, 1, "a limb", to, x, y,
                                       table.limb, spread.lanes, Words{factor});
      });
    }
  }

  EnginePtr engine_;
  std::shared_ptr<CudaEngine> cuda_;
  std::shared_ptr<SmallLimbs> limbs_;
};

}  // namespace

WideEnginePtr wide_cuda_engine(const EnginePtr& engine) {
  const auto cuda = std::dynamic_pointer_cast<CudaEngine>(engine);
  return cuda == nullptr ? nullptr : std::make_shared<const WideCudaEngine>(cuda);
}

double event_time_of(const EnginePtr& engine, const std::function<void()>& work, unsigned repetitions) {
  const auto cuda = std::dynamic_pointer_cast<CudaEngine>(engine);
  if (cuda == nullptr) throw ArgumentError(message("events measure GPUs, not ", engine->name()));
  const cuda::DeviceScope scope(static_cast<CUcontext>(cuda->context()));
  return cuda::study::event_time(static_cast<cudaStream_t>(cuda->stream()), work, repetitions);
}

}  // namespace cyclotome
