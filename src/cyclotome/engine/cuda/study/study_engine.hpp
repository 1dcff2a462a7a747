// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "cyclotome/engine/cuda/cuda_engine.hpp"
#include "cyclotome/engine/cuda/study/design.hpp"

namespace cyclotome {

/// A CUDA engine whose `forward` and `inverse` are one of the designs of papers 000 and 001, as those papers describe
/// them: radix 2, a thread for each butterfly, corrected Barrett products, values fully reduced. For comparing designs
/// on one card; `CudaEngine` is faster. All verbs return the library's bits.
class StudyEngine final : public CudaEngine {
 public:
  /// Throws EngineError as CudaEngine::create does.
  static std::shared_ptr<StudyEngine> create(TransformDesign design, int device = 0);
  ~StudyEngine() override;

  /// "cuda:0 D5"
  std::string name() const override;
  TransformDesign design() const noexcept { return design_; }

  /// The DGT alone (000, Algorithm 1), without the last step that brings it into the library's order, whatever the
  /// engine's design. In place: n/2 Gaussian residues for each limb, real parts in the first n/2 words, imaginary parts
  /// in the others; n >= 4. Folding moves nothing: a_j + i a_(j + n/2) is how a polynomial lies in memory. Takes primes
  /// that have no other transform here: p = 3 mod 4 with n | p + 1 (ring/galois_tables.hpp). The caller owns the domain
  /// tag. Throws ParameterError for a modulus without this transform, ArgumentError for the wrong domain.
  void forward_gaussian(View a);
  void inverse_gaussian(View a);
  /// out = a b, Gaussian residue by Gaussian residue: the product of polynomials when both are DGTs. All three have one
  /// ring, batch and parts (ArgumentError); out may be a or b.
  void multiply_gaussian(View out, ConstView a, ConstView b);

  /// Microseconds that the device takes for one call of `work`, by CUDA events around `repetitions` (>= 1) calls in a
  /// row; `work` calls verbs of this engine.
  double event_time(const std::function<void()>& work, unsigned repetitions);

 protected:
  bool computes_in(const Ring& ring) const noexcept override { return Engine::computes_in(ring); }
  void do_forward(View a) override;
  void do_inverse(View a) override;

 private:
  struct Tables;
  StudyEngine(TransformDesign design, int device);
  template <template <LimbWord> class Field, bool Inverse>
  void transform(View a);
  template <bool Inverse>
  void split(View a);

  TransformDesign design_;
  std::unique_ptr<Tables> tables_;
};

}  // namespace cyclotome
