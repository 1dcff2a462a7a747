// SPDX-License-Identifier: Apache-2.0
// Products of ciphertexts as polynomials in the secret: of transforms, tile by tile, and of coefficients, limb by limb.
#include <algorithm>

#include "cyclotome/engine/cpu/cpu_engine.hpp"
#include "cyclotome/engine/cpu/steps/limb_transform.hpp"
#include "cyclotome/engine/cpu/steps/operands.hpp"

namespace cyclotome {

namespace {

using cpu::Operands;

/// `width` coefficients of a limb of the product of ciphertexts.
template <LimbWord W>
void tensor_tile(const cpu::Kernels<W>& kernels, View out, ConstView a, ConstView b, std::size_t item, std::size_t l,
                 std::size_t first, std::size_t width) {
  auto& operands = Operands<W>::of_thread(std::min(a.parts, b.parts));
  for (std::size_t p = 0; p < out.parts; ++p) {
    std::size_t terms = 0;
    for (std::size_t i = p < b.parts ? 0 : p - b.parts + 1; i <= std::min(p, a.parts - 1); ++i, ++terms) {
      operands.left[terms] = a.limb<W>(item, i, l) + first;
      operands.right[terms] = b.limb<W>(item, p - i, l) + first;
    }
    kernels.inner_product(out.limb<W>(item, p, l) + first, operands.left.data(), operands.right.data(), terms, width,
                          out.ring->basis().moduli<W>()[l]);
  }
}

}  // namespace

void CpuEngine::tensor_product(View out, ConstView a, ConstView b) {
  loops_.for_each_limb_tile(out, [&]<class W>(std::size_t item, std::size_t l, std::size_t first, std::size_t width,
                                              W) { tensor_tile<W>(kernels<W>(), out, a, b, item, l, first, width); });
}

void CpuEngine::multiply_ciphertexts(View out, View a, View b) {
  const std::size_t limbs = out.limbs(), jobs = limbs * out.batch;
  const bool same = a.data == b.data;
  // A limb of all polynomials goes through everything while the second-level cache holds it. For several threads few
  // limbs are too long a piece of work.
  if (threads() > 1 && jobs < 8 * threads()) {
    do_forward(a);
    if (!same) do_forward(b);
    tensor_product(out, a, b);
    return do_inverse(out);
  }
  with_word(out.word(), [&]<class W>(W) {
    loops_.in_parallel(jobs, jobs * (a.parts + b.parts + out.parts) * out.degree(), [&](std::size_t i) {
      const std::size_t l = i / out.batch, item = i % out.batch, n = out.degree();
      for (std::size_t p = 0; p < a.parts; ++p) cpu::forward(kernels<W>(), a.limb<W>(item, p, l), *a.ring, l);
      for (std::size_t p = 0; p < (same ? 0 : b.parts); ++p) {
        cpu::forward(kernels<W>(), b.limb<W>(item, p, l), *b.ring, l);
      }
      for (std::size_t first = 0; first < n; first += cpu::product_tile) {
        tensor_tile<W>(kernels<W>(), out, a, b, item, l, first, std::min(cpu::product_tile, n - first));
      }
      for (std::size_t p = 0; p < out.parts; ++p) cpu::inverse(kernels<W>(), out.limb<W>(item, p, l), *out.ring, l);
    });
  });
}

}  // namespace cyclotome
