// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <mutex>
#include <tuple>

#include "cyclotome/engine/cuda/device_scope.cuh"
#include "cyclotome/engine/cuda/device_tables.cuh"
#include "cyclotome/engine/cuda/launch.cuh"
#include "cyclotome/engine/cuda/study/event_time.cuh"
#include "cyclotome/engine/cuda/study/kernels.cuh"
#include "cyclotome/engine/cuda/study/study_engine.hpp"

namespace cyclotome {

using cuda::check;
using cuda::device_view;
using cuda::DeviceScope;
using cuda::for_pieces;
using namespace cuda::study;

namespace {

/// One limb's field, its tables on the device.
template <LimbWord W>
void make_field(std::vector<ResidueField<W>>& fields, const Ring& ring, std::size_t l, cuda::DeviceTables& device,
                cudaStream_t stream) {
  const TransformTables<W>& tables = ring.tables<W>(l);
  const W q = tables.modulus.value();
  fields.push_back({tables.modulus, BarrettProduct<W>(q, tables.modulus.bits()), device.put(tables.roots, stream),
                    device.put(tables.inverse_roots, stream)});
}

template <LimbWord W>
void make_field(std::vector<GaussianField<W>>& fields, const Ring& ring, std::size_t l, cuda::DeviceTables& device,
                cudaStream_t stream) {
  const GaloisTables<W> tables(ring.degree(), static_cast<W>(ring.basis()[l]));
  fields.push_back({tables.modulus, device.put(tables.roots, stream), device.put(tables.inverse_roots, stream),
                    tables.imaginary_unit});
}

constexpr auto what = "transform under study";

dim3 grid_of(std::size_t threads, unsigned block_threads, ConstView a) {
  return {static_cast<unsigned>((threads + block_threads - 1) / block_threads), static_cast<unsigned>(a.limbs()),
          static_cast<unsigned>(a.batch * a.parts)};
}

unsigned threads_for(std::size_t count) {
  return static_cast<unsigned>(std::min<std::size_t>(count, max_block_threads));
}

/// All stages of `how` on `a`.
template <class Field, bool Inverse>
void run_stages(const cuda::Queue& queue, View a, const Field* fields, const TransformPlan& how) {
  using W = typename Field::Word;
  const auto view = device_view<W>(a, a.parts);
  const std::size_t butterflies = std::size_t{1} << (how.stages - 1);
  const auto wide_stage = [&](unsigned s) {
    const unsigned threads = threads_for(butterflies);
    cuda::launch<cuda::study::stage<Field, Inverse>>(queue, grid_of(butterflies, threads, a), threads, 0, 1, what, view,
                                                     fields, s, how.stages);
  };
  const auto block_stages = [&]<Storage storage>() {
    const unsigned threads = threads_for(std::size_t{1} << (how.block_stages - 1));
    const std::size_t bytes = storage == Storage::shared ? sizeof(typename Field::Value) << how.block_stages : 0;
    dim3 grid = grid_of(1, 1, a);
    grid.x = 1U << (how.stages - how.block_stages);
    cuda::launch<cuda::study::block<Field, Inverse, storage>>(queue, grid, threads, bytes, 1, what, view, fields,
                                                              how.stages, how.block_stages);
  };
  const auto narrow_stages = [&] {
    if (how.block_stages == 0) return;
    if constexpr (Field::words == 1) {  // Gaussian residues are only ever transformed in shared memory
      if (how.storage == Storage::global) return block_stages.template operator()<Storage::global>();
      if (how.storage == Storage::shuffle) return block_stages.template operator()<Storage::shuffle>();
    }
    block_stages.template operator()<Storage::shared>();
  };
  if constexpr (Inverse) narrow_stages();
  for (unsigned k = how.block_stages; k < how.stages; ++k) {
    wide_stage(Inverse ? k : how.stages - 1 - (k - how.block_stages));
  }
  if constexpr (!Inverse) narrow_stages();
}

}  // namespace

struct StudyEngine::Tables {
  struct Entry {
    cuda::DeviceTables device;
    const void* fields = nullptr;
  };
  cudaStream_t stream;
  std::mutex mutex;
  std::map<std::tuple<bool, Word, std::size_t, std::vector<std::uint64_t>>, Entry> entries;

  /// One field for each limb of `ring`, on the device.
  template <class Field>
  const Field* of(const Ring& ring) {
    const std::lock_guard lock(mutex);
    const auto key = std::make_tuple(Field::words == 2, ring.word(), ring.degree(), ring.basis().values());
    auto found = entries.find(key);
    if (found == entries.end()) {
      Entry entry;
      std::vector<Field> fields;
      for (std::size_t l = 0; l < ring.limbs(); ++l) make_field(fields, ring, l, entry.device, stream);
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
    : CudaEngine(device, false), design_(design), tables_(std::make_unique<Tables>()) {
  tables_->stream = static_cast<cudaStream_t>(stream());
}

StudyEngine::~StudyEngine() {
  const DeviceScope scope(static_cast<CUcontext>(context()), std::nothrow);
  cuda::succeeded(cudaStreamSynchronize(static_cast<cudaStream_t>(stream())));  // kernels may still read the tables
  tables_.reset();
}

std::string StudyEngine::name() const { return message(CudaEngine::name(), ' ', name_of(design_)); }

template <template <LimbWord> class Field, bool Inverse>
void StudyEngine::transform(View a) {
  const DeviceScope scope(static_cast<CUcontext>(context()));
  const cuda::Queue queue(static_cast<cudaStream_t>(stream()), device(), false);
  with_word(a.word(), [&]<class W>(W) {
    const auto* const fields = tables_->of<Field<W>>(*a.ring);
    const auto design = Field<W>::words == 2 ? TransformDesign::galois : design_;
    const TransformPlan how = plan(design, bit_length(a.degree()) - 1, sizeof(W), Inverse);
    for_pieces(a.batch, a.parts, [&](std::size_t first, std::size_t count) {
      run_stages<Field<W>, Inverse>(queue, a.items(first, count), fields, how);
    });
  });
}

template <bool Inverse>
void StudyEngine::split(View a) {
  const DeviceScope scope(static_cast<CUcontext>(context()));
  const cuda::Queue queue(static_cast<cudaStream_t>(stream()), device(), false);
  with_word(a.word(), [&]<class W>(W) {
    const auto* const fields = tables_->of<GaussianField<W>>(*a.ring);
    for_pieces(a.batch, a.parts, [&](std::size_t first, std::size_t count) {
      const View piece = a.items(first, count);
      const std::size_t pairs = a.degree() / 4;
      const unsigned threads = threads_for(std::min<std::size_t>(pairs, 256));
      cuda::launch<conjugate_images<W, Inverse>>(queue, grid_of(pairs, threads, piece), threads, 0, 1, what,
                                                 device_view<W>(piece, piece.parts), fields);
    });
  });
}

void StudyEngine::do_forward(View a) {
  const unsigned log_degree = bit_length(a.degree()) - 1;
  if (!supports(design_, log_degree, bytes_of(a.word()))) {
    throw ArgumentError(message("design ", name_of(design_), " cannot transform ", a.degree(), " residues of ",
                                bits_of(a.word()),
                                " bits: D3 holds at most 32 KB of a polynomial, D4 needs 64 residues, the DGT 4; "
                                "use D5 or the CUDA engine itself"));
  }
  if (design_ != TransformDesign::galois) return transform<ResidueField, false>(a);
  transform<GaussianField, false>(a);
  split<false>(a);
}

void StudyEngine::do_inverse(View a) {
  if (!supports(design_, bit_length(a.degree()) - 1, bytes_of(a.word()))) {
    throw ArgumentError(message("design ", name_of(design_), " cannot transform ", a.degree(), " residues of ",
                                bits_of(a.word()), " bits; use D5 or the CUDA engine itself"));
  }
  if (design_ != TransformDesign::galois) return transform<ResidueField, true>(a);
  split<true>(a);
  transform<GaussianField, true>(a);
}

void StudyEngine::forward_gaussian(View a) {
  if (a.domain != Domain::coefficient)
    throw ArgumentError("forward_gaussian: the operand must be in coefficient domain");
  transform<GaussianField, false>(a);
}

void StudyEngine::inverse_gaussian(View a) {
  if (a.domain != Domain::transform) throw ArgumentError("inverse_gaussian: the operand must be transformed");
  transform<GaussianField, true>(a);
}

void StudyEngine::multiply_gaussian(View out, ConstView a, ConstView b) {
  for (const ConstView& operand : {a, b}) {
    if (operand.degree() != out.degree() || !(operand.ring->basis() == out.ring->basis()) ||
        operand.batch != out.batch || operand.parts != out.parts) {
      throw ArgumentError("multiply_gaussian: operands and result must have one ring, batch and number of parts");
    }
  }
  const DeviceScope scope(static_cast<CUcontext>(context()));
  const cuda::Queue queue(static_cast<cudaStream_t>(stream()), device(), false);
  with_word(out.word(), [&]<class W>(W) {
    const auto* const fields = tables_->of<GaussianField<W>>(*out.ring);
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
