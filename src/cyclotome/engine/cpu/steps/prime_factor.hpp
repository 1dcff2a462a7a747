// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/engine/cpu/convolution_kernels.hpp"

namespace cyclotome::cpu {

/// a[0 ... n-1] in [0, q) -> transform over Phi_m in [0, q), in place, and back. scratch: tables.scratch_words words,
/// aligned to scratch_alignment. Constant time.
template <LimbWord W>
void to_transform(const ConvolutionKernels<W>& kernels, W* a, const PrimeFactorTables<W>& tables, W* scratch) noexcept;
template <LimbWord W>
void to_coefficients(const ConvolutionKernels<W>& kernels, W* a, const PrimeFactorTables<W>& tables,
                     W* scratch) noexcept;

/// One convolution, of line[0 ... padded-1] in [0, q), zero beyond its length: the scalar kernel.
template <LimbWord W>
void convolve_line(W* line, const FixedConvolution<W>& convolution, const Modulus<W>& q) noexcept;

}  // namespace cyclotome::cpu
