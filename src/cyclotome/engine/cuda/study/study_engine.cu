// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <mutex>
#include <tuple>

#include "cyclotome/engine/cuda/graph/launch.cuh"
#include "cyclotome/engine/cuda/memory/device_tables.cuh"
#include "cyclotome/engine/cuda/streams/device_scope.cuh"
#include "cyclotome/engine/cuda/study/event_time.cuh"
#include "cyclotome/engine/cuda/study/kernels.cuh"
#include "cyclotome/engine/cuda/study/study_engine.hpp"
#include "cyclotome/study/transform/tables.hpp"

namespace cyclotome {

using cuda::check;
using cuda::device_view;
using cuda::DeviceScope;
using cuda::for_pieces;
using namespace cuda::study;

namespace {

constexpr auto what = "transform under study";

dim3 grid_of(std::size_t threads, unsigned block_threads, ConstView a) {
  return {static_cast<unsigned>((threads + block_threads - 1) / block_threads), static_cast<unsigned>(a.limbs()),
          static_cast<unsigned>(a.batch * a.parts)};
}

unsigned threads_for(std::size_t count) {
  return static_cast<unsigned>(std::min<std::size_t>(count, max_block_threads));
}

template <class Field>
using ViewOf = cuda::DeviceView<typename Field::Word>;

/// Some stages over global memory.
template <class Field, bool Inverse>
void run_stages(const cuda::Queue& queue, View a, const Field* fields, const TransformStep& step, unsigned total) {
  const auto view = device_view<typename Field::Word>(a, a.parts);
  with_radix(step.count, [&]<unsigned LogRadix>() {
    const std::size_t count = std::size_t{1} << (total - LogRadix);
    const unsigned threads = std::min(threads_for(count), LogRadix == 1 ? max_block_threads : 256U);
    cuda::launch<stages<Field, Inverse, LogRadix>>(queue, grid_of(count, threads, a), threads, 0, 1, what, view, fields,
                                                   step.first, total);
  });
}

/// The narrow stages, by blocks.
template <class Field, bool Inverse>
void run_blocks(const cuda::Queue& queue, View a, const Field* fields, const TransformStep& step, unsigned total) {
  const auto view = device_view<typename Field::Word>(a, a.parts);
  dim3 grid = grid_of(1, 1, a);
  grid.x = 1U << (total - step.count);
  const unsigned threads = threads_for(std::size_t{1} << (step.count - 1));
  const auto run = [&]<Storage storage>() {
    const std::size_t bytes = storage == Storage::shared ? sizeof(typename Field::Value) << step.count : 0;
    cuda::launch<cuda::study::block<Field, Inverse, storage>>(queue, grid, threads, bytes, 1, what, view, fields, total,
                                                              step.count);
  };
  if constexpr (Field::words == 1) {  // Gaussian residues are only ever transformed in shared memory
    if (step.storage == Storage::global) return run.template operator()<Storage::global>();
    if (step.storage == Storage::shuffle) return run.template operator()<Storage::shuffle>();
  }
  run.template operator()<Storage::shared>();
}

/// Passes of a Stockham transform.
template <class Field, bool Inverse>
void run_group(const cuda::Queue& queue, ViewOf<Field> to, ViewOf<Field> from, ConstView shape, const Field* fields,
               const StockhamGroup& passes) {
  dim3 grid = grid_of(1, 1, shape);
  grid.x = 1U << (passes.stages - passes.count - passes.columns);
  const std::size_t values = std::size_t{1} << (passes.count + passes.columns);
  const unsigned threads =
      static_cast<unsigned>(std::clamp<std::size_t>(values >> max_stockham_log_radix, warp, group_threads));
  cuda::launch<group<Field, Inverse>>(queue, grid, threads, 2 * values * sizeof(typename Field::Value), 1, what, to,
                                      from, fields, passes);
}

}  // namespace

/// What lies between the kernels of transforms out of place: one buffer, used by one transform after another in the
/// order of the stream. It may hold secrets, so it is zeroised when it goes.
class StudyEngine::Scratch {
 public:
  explicit Scratch(cudaStream_t stream) : stream_(stream) {}
  /// The calling thread is in the device's context.
  void release() noexcept {
    if (data_ == nullptr) return;
    cuda::succeeded(cudaMemsetAsync(data_, 0, bytes_, stream_));
    cuda::succeeded(cudaFreeAsync(data_, stream_));
    data_ = nullptr;
    bytes_ = 0;
  }
  /// Valid while the lock is held; what is queued on the stream until then may use it.
  void* at_least(std::size_t bytes, const std::lock_guard<std::mutex>&) {
    if (bytes > bytes_) {
      release();
      check(cudaMallocAsync(&data_, bytes, stream_), "allocation of scratch");
      bytes_ = bytes;
    }
    return data_;
  }
  std::mutex mutex;

 private:
  cudaStream_t stream_;
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

struct StudyEngine::Tables {
  struct Entry {
    cuda::DeviceTables device;
    const void* fields = nullptr;
  };
  cudaStream_t stream;
  std::mutex mutex;
  std::map<std::tuple<bool, bool, Word, std::size_t, std::vector<std::uint64_t>>, Entry> entries;

  /// One field for each limb of `ring`, on the device.
  template <class Field>
  const Field* of(const Ring& ring, bool self_sorting) {
    const std::lock_guard lock(mutex);
    const auto key =
        std::make_tuple(Field::words == 2, self_sorting, ring.word(), ring.degree(), ring.basis().values());
    auto found = entries.find(key);
    if (found == entries.end()) {
      Entry entry;
      std::vector<Field> fields;
      const auto place = [&](const auto& table) { return entry.device.put(table, stream); };
      for (std::size_t l = 0; l < ring.limbs(); ++l) {
        fields.push_back(make_field<Field>(ring, l, self_sorting, place));
      }
      entry.fields = entry.device.put(fields, stream);
      found = entries.emplace(key, std::move(entry)).first;
    }
    return static_cast<const Field*>(found->second.fields);
  }
};

std::shared_ptr<StudyEngine> StudyEngine::create(TransformDesign design, int device) {
  std::shared_ptr<StudyEngine> engine(new StudyEngine(design, device));
  engine->test_itself();
  return engine;
}

StudyEngine::StudyEngine(TransformDesign design, int device)
    : CudaEngine(device, false),
      design_(design),
      tables_(std::make_unique<Tables>()),
      scratch_(std::make_unique<Scratch>(static_cast<cudaStream_t>(stream()))) {
  tables_->stream = static_cast<cudaStream_t>(stream());
}

StudyEngine::~StudyEngine() {
  const DeviceScope scope(static_cast<CUcontext>(context()), std::nothrow);
  scratch_->release();
  cuda::succeeded(cudaStreamSynchronize(static_cast<cudaStream_t>(stream())));  // kernels may still read the tables
  tables_.reset();
}

std::string StudyEngine::name() const { return message(CudaEngine::name(), '/', facts_of(design_).name); }

template <class Field, bool Inverse>
void StudyEngine::run_groups(const cuda::Queue& queue, View a, const Field* fields,
                             const std::vector<TransformStep>& steps, bool sorted) {
  using W = typename Field::Word;
  const unsigned stages = bit_length(a.degree() / Field::words) - 1;
  const auto view = device_view<W>(a, a.parts);
  const std::size_t part = a.limbs() * a.degree();
  const std::lock_guard lock(scratch_->mutex);
  auto other = view;
  if (steps.size() > 1) {
    auto* const data = static_cast<W*>(scratch_->at_least(a.batch * a.parts * part * sizeof(W), lock));
    other = {data, part * a.parts, part, view.parts, view.degree};
  }
  auto from = view;
  for (const TransformStep& step : steps) {
    const unsigned columns = columns_of(stages, step.count);
    const StockhamGroup passes{stages, step.first, step.count, columns, sorted ? 1U : 0U};
    const auto to = passes.last() ? view : other;
    run_group<Field, Inverse>(queue, to, from, a, fields, passes);
    from = to;
  }
}

template <template <LimbWord> class Field, bool Inverse>
void StudyEngine::transform(View a, TransformDesign design, bool sorted) {
  with_word(a.word(), [&]<class W>(W) {
    const auto steps = plan(design, bit_length(a.degree()) - 1, sizeof(W), Inverse);
    const DeviceScope scope(static_cast<CUcontext>(context()));
    const cuda::Queue queue(static_cast<cudaStream_t>(stream()), device());
    const auto* const fields = tables_->of<Field<W>>(*a.ring, is_self_sorting(design));
    const unsigned stages = bit_length(a.degree() / Field<W>::words) - 1;
    for_pieces(a.batch, a.parts, [&](std::size_t first, std::size_t count) {
      const View piece = a.items(first, count);
      if (is_self_sorting(design)) return run_groups<Field<W>, Inverse>(queue, piece, fields, steps, sorted);
      for (const TransformStep& step : steps) {
        if (step.kind == TransformStep::Kind::stages) {
          run_stages<Field<W>, Inverse>(queue, piece, fields, step, stages);
        } else {
          run_blocks<Field<W>, Inverse>(queue, piece, fields, step, stages);
        }
      }
    });
  });
}

template <bool Inverse>
void StudyEngine::split(View a) {
  const DeviceScope scope(static_cast<CUcontext>(context()));
  const cuda::Queue queue(static_cast<cudaStream_t>(stream()), device());
  with_word(a.word(), [&]<class W>(W) {
    const auto* const fields = tables_->of<GaussianField<W>>(*a.ring, is_self_sorting(design_));
    for_pieces(a.batch, a.parts, [&](std::size_t first, std::size_t count) {
      const View piece = a.items(first, count);
      const std::size_t pairs = a.degree() / 4;
      const unsigned threads = threads_for(std::min<std::size_t>(pairs, 256));
      cuda::launch<images<W, Inverse>>(queue, grid_of(pairs, threads, piece), threads, 0, 1, what,
                                       device_view<W>(piece, piece.parts), fields);
    });
  });
}

void StudyEngine::do_forward(View a) {
  require_supported(design_, a.degree(), bytes_of(a.word()));
  if (!is_gaussian(design_)) return transform<ResidueField, false>(a, design_, false);
  transform<GaussianField, false>(a, design_, false);
  split<false>(a);
}

void StudyEngine::do_inverse(View a) {
  require_supported(design_, a.degree(), bytes_of(a.word()));
  if (!is_gaussian(design_)) return transform<ResidueField, true>(a, design_, false);
  split<true>(a);
  transform<GaussianField, true>(a, design_, false);
}

void StudyEngine::forward_gaussian(View a) {
  require_gaussian("forward_gaussian", a, Domain::coefficient);
  require_supported(gaussian_design(), a.degree(), bytes_of(a.word()));
  transform<GaussianField, false>(a, gaussian_design(), true);
}

void StudyEngine::inverse_gaussian(View a) {
  require_gaussian("inverse_gaussian", a, Domain::transform);
  require_supported(gaussian_design(), a.degree(), bytes_of(a.word()));
  transform<GaussianField, true>(a, gaussian_design(), true);
}

void StudyEngine::multiply_gaussian(View out, ConstView a, ConstView b) {
  require_same(out, a, b);
  const DeviceScope scope(static_cast<CUcontext>(context()));
  const cuda::Queue queue(static_cast<cudaStream_t>(stream()), device());
  with_word(out.word(), [&]<class W>(W) {
    const auto* const fields = tables_->of<GaussianField<W>>(*out.ring, is_self_sorting(gaussian_design()));
    for_pieces(out.batch, out.parts, [&](std::size_t first, std::size_t count) {
      const auto view = [&](auto whole) { return device_view<W>(whole.items(first, count), whole.parts); };
      const unsigned threads = threads_for(std::min<std::size_t>(out.degree() / 2, 256));
      const dim3 grid = grid_of(out.degree() / 2, threads, out.items(first, count));
      cuda::launch<gaussian_products<W>>(queue, grid, threads, 0, 1, "Gaussian products", view(out), view(a), view(b),
                                         fields);
    });
  });
}

double StudyEngine::event_time(const std::function<void()>& work, unsigned repetitions) {
  const DeviceScope scope(static_cast<CUcontext>(context()));
  return cuda::study::event_time(static_cast<cudaStream_t>(stream()), work, repetitions);
}

}  // namespace cyclotome
