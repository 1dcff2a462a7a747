// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "cyclotome/engine/cuda/cuda_engine.hpp"
#include "cyclotome/study/transform/design_transforms.hpp"

namespace cyclotome {

namespace cuda {

class Queue;

}  // namespace cuda

/// A CUDA engine whose `forward` and `inverse` are of one of the designs of papers 000 and 001, as those papers
/// describe them: a thread for each butterfly, corrected Barrett products, values fully reduced; or of another design
/// of study/transform. For comparing designs on one card; `CudaEngine` is faster. All verbs return the library's bits.
class StudyEngine final : public CudaEngine, public study::DesignTransforms {
 public:
  /// Throws EngineError as CudaEngine::create does.
  static std::shared_ptr<StudyEngine> create(TransformDesign design, int device = 0);
  ~StudyEngine() override;

  /// "cuda:0/d5"
  std::string name() const override;
  TransformDesign design() const noexcept override { return design_; }

  void forward_gaussian(View a) override;
  void inverse_gaussian(View a) override;
  void multiply_gaussian(View out, ConstView a, ConstView b) override;

  /// Microseconds that the device takes for one call of `work`, by CUDA events around `repetitions` (>= 1) calls in a
  /// row; `work` calls verbs of this engine.
  double event_time(const std::function<void()>& work, unsigned repetitions);

 protected:
  bool computes_in(const Ring& ring) const noexcept override { return Engine::computes_in(ring); }
  void do_forward(View a) override;
  void do_inverse(View a) override;

 private:
  struct Tables;
  class Scratch;
  StudyEngine(TransformDesign design, int device);
  /// sorted: Gaussian residues in the order of a design that is self-sorting, else in that of one in place.
  template <template <LimbWord> class Field, bool Inverse>
  void transform(View a, TransformDesign design, bool sorted);
  /// The passes of a self-sorting design.
  template <class Field, bool Inverse>
  void run_groups(const cuda::Queue& queue, View a, const Field* fields, const std::vector<study::TransformStep>& steps,
                  bool sorted);
  template <bool Inverse>
  void split(View a);

  TransformDesign design_;
  std::unique_ptr<Tables> tables_;
  std::unique_ptr<Scratch> scratch_;
};

}  // namespace cyclotome
