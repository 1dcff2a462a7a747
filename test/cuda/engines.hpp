// SPDX-License-Identifier: Apache-2.0
#pragma once

// Both engines, and parameters by the length of q: what the programs that need a GPU share.

#include <cstdio>

#include "check.hpp"
#include "cyclotome/engine/cpu/cpu_engine.hpp"
#include "cyclotome/engine/cuda/cuda_engine.hpp"
#include "cyclotome/scheme/planning.hpp"

namespace cyclotome::check {

inline EnginePtr host() {
  static const EnginePtr engine = CpuEngine::create();
  return engine;
}

inline EnginePtr device() {
  static const EnginePtr engine = CudaEngine::create(0);
  return engine;
}

inline rlwe::Parameters planned(const rlwe::Scheme* kind, std::size_t degree, unsigned log_q, Word word,
                                bool allow_insecure) {
  rlwe::ParametersLiteral literal;
  literal.scheme = kind;
  literal.degree = degree;
  literal.word = word;
  literal.plain_moduli = {786433};
  literal.table = rlwe::SecurityTable::he_standard_2018;
  literal.allow_insecure = allow_insecure;
  return scheme::with_modulus_bits(literal, log_q);
}

/// Whether there is a GPU; without one a program says so and exits with `skipped`.
inline bool has_device() {
  if (CudaEngine::device_count() != 0) return true;
  std::puts("skipped: no usable GPU");
  return false;
}
inline constexpr int skipped = 77;

inline int run_on_device() { return has_device() ? run() : skipped; }

}  // namespace cyclotome::check
