// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/ring/tables/prime_factor_tables.hpp"

#include <algorithm>
#include <bit>

#include "cyclotome/math/primes.hpp"

namespace cyclotome {

namespace {

/// 2^L for a convolution of length n.
std::size_t padded_length(std::size_t n) { return is_power_of_two(n) ? n : std::bit_ceil(2 * n - 1); }

std::size_t most_padded(const CyclotomicIndex& index) {
  std::size_t most = 0;
  for (const auto& axis : index.axes()) most = std::max(most, padded_length(axis.length()));
  return most;
}

/// h^((q-1)/m) of order m exactly, for the least h >= 2.
std::uint64_t root_of_order(const CyclotomicIndex& index, const Modulus<std::uint64_t>& q) {
  for (std::uint64_t h = 2;; ++h) {
    const std::uint64_t root = q.power(h, (q.value() - 1) / index.index());
    if (std::ranges::all_of(index.axes(),
                            [&](const auto& axis) { return q.power(root, index.index() / axis.prime) != 1; })) {
      return root;
    }
  }
}

/// Splits x in place, from x^padded - 1 to its blocks.
template <LimbWord W>
void split(std::vector<W>& x, const FixedConvolution<W>& convolution, const Modulus<W>& q) {
  for (unsigned t = 0; t < convolution.depth; ++t) {
    const std::size_t nodes = std::size_t{1} << t, half = convolution.padded >> (t + 1);
    for (std::size_t i = 0; i < nodes * half; ++i) {
      const std::size_t node = i / half, low = 2 * node * half + i % half, high = low + half;
      const W a = x[low], b = convolution.splits[nodes - 1 + node].multiply(x[high], q.value());
      x[low] = q.add(a, b);
      x[high] = q.subtract(a, b);
    }
  }
}

/// The diagonals of a Toeplitz matrix of `size`, from the upper right corner down, in the order of toeplitz_words.
template <LimbWord W>
void add_diagonals(std::vector<W>& out, const std::vector<W>& diagonals, std::size_t size, const Modulus<W>& q) {
  if (size == 4) {
    out.insert(out.end(), diagonals.begin(), diagonals.end());
    return;
  }
  const std::size_t half = size / 2, count = size - 1;
  std::vector<W> middle(count), upper(count), lower(count);
  for (std::size_t i = 0; i < count; ++i) {
    middle[i] = diagonals[half + i];
    upper[i] = q.subtract(diagonals[i], middle[i]);
    lower[i] = q.subtract(diagonals[size + i], middle[i]);
  }
  for (const auto* part : {&middle, &upper, &lower}) add_diagonals(out, *part, half, q);
}

template <LimbWord W>
std::vector<W> toeplitz_of(const FixedConvolution<W>& convolution, const Modulus<W>& q) {
  const std::size_t size = convolution.block;
  std::vector<W> result, diagonals(2 * size - 1);
  const W scale = q.value() < max_toeplitz_modulus ? q.reduce_wide(static_cast<Wide<W>>(1) << 32) : W{1};
  for (const W* kernel = convolution.kernel.data(); kernel != convolution.kernel.data() + convolution.kernel.size();
       kernel += 2 * size) {  // row i, column j: kernel[i - j], or rho times that of i - j + size
    for (std::size_t i = 1; i < size; ++i) diagonals[i - 1] = q.multiply(scale, kernel[size + i]);
    for (std::size_t i = 0; i < size; ++i) diagonals[size - 1 + i] = q.multiply(scale, kernel[i]);
    add_diagonals(result, diagonals, size, q);
  }
  return result;
}

template <LimbWord W>
std::shared_ptr<const LineTables<W>> line_of(const FixedConvolution<W>& convolution) {
  const auto made = std::make_shared<LineTables<W>>();
  const auto spread = [](const std::vector<ShoupFactor<W>>& factors, std::size_t first, std::vector<W>& operands,
                         std::vector<W>& quotients) {
    operands.resize(first + factors.size());
    quotients.resize(first + factors.size());
    for (std::size_t i = 0; i < factors.size(); ++i) {
      operands[first + i] = factors[i].operand;
      quotients[first + i] = factors[i].quotient;
    }
  };
  spread(convolution.splits, 1, made->splits, made->split_quotients);
  spread(convolution.merges, 1, made->merges, made->merge_quotients);
  spread(convolution.factors, 0, made->kernel, made->kernel_quotients);
  return made;
}

/// The tables that are other views of the same constants.
template <LimbWord W>
void finish(FixedConvolution<W>& convolution, std::size_t lines, const Modulus<W>& q) {
  if (convolution.block == 1) {
    for (std::size_t k = 0; k < convolution.padded; ++k) {
      convolution.factors.emplace_back(convolution.kernel[2 * k], q.value());
    }
    if (lines < fewest_columns) convolution.as_line = line_of(convolution);
  } else if (convolution.block >= 4 && sizeof(W) == 4) {
    convolution.toeplitz = toeplitz_of(convolution, q);
  }
}

/// kernel: by exponent, `length` values.
template <LimbWord W>
FixedConvolution<W> convolution_with(const std::vector<W>& kernel, std::size_t lines, const Modulus<W>& q) {
  FixedConvolution<W> made{kernel.size(), padded_length(kernel.size()), 0, 0, {}, {}, {}, {}, {}, {}};
  const auto roots = static_cast<unsigned>(std::countr_zero(static_cast<std::uint64_t>(q.value() - 1)));
  made.depth = std::min(bit_length(made.padded) - 1, roots);
  made.block = made.padded >> made.depth;
  const auto theta = static_cast<W>(minimal_primitive_root(std::uint64_t{1} << made.depth, q.value()));
  const auto inverse_theta = static_cast<W>(inverse_or_zero(theta, q.value()));
  for (unsigned t = 0; t < made.depth; ++t) {
    for (std::size_t k = 0; k < std::size_t{1} << t; ++k) {
      const std::uint64_t exponent = reverse_bits(k, t) << (made.depth - 1 - t);
      made.splits.emplace_back(q.power(theta, exponent), q.value());
      made.merges.emplace_back(q.power(inverse_theta, exponent), q.value());
    }
  }
  std::vector<W> blocks(made.padded);
  if (made.padded == made.length) {
    blocks = kernel;
  } else {  // as a linear convolution sees it: at -(N-1) ... N-1
    for (std::size_t i = 0; i < made.length; ++i) blocks[i] = kernel[i];
    for (std::size_t i = 1; i < made.length; ++i) blocks[made.padded - i] = kernel[made.length - i];
  }
  split(blocks, made, q);
  const auto scale = static_cast<W>(inverse_or_zero(std::uint64_t{1} << made.depth, q.value()));
  for (std::size_t k = 0; k < std::size_t{1} << made.depth; ++k) {
    const W rho = q.power(theta, reverse_bits(k, made.depth));
    for (const W factor : {scale, q.multiply(scale, rho)}) {
      for (std::size_t i = 0; i < made.block; ++i) {
        made.kernel.push_back(q.multiply(blocks[k * made.block + i], factor));
      }
    }
  }
  finish(made, lines, q);
  return made;
}

/// The joint kernel of all axes but the last, which is that of 257; empty for other rings.
template <LimbWord W>
std::vector<ShoupFactor<W>> joint(const std::vector<FixedConvolution<W>>& convolutions, const CyclotomicIndex& index,
                                  W q) {
  if (index.axes().back().prime != 257) return {};
  std::vector<ShoupFactor<W>> product{{1, q}};
  for (std::size_t i = 0; i + 1 < convolutions.size(); ++i) {
    if (convolutions[i].padded != convolutions[i].length || convolutions[i].block != 1) return {};
    std::vector<ShoupFactor<W>> more;
    for (const auto& row : product) {
      for (const auto& factor : convolutions[i].factors) more.emplace_back(row.multiply(factor.operand, q), q);
    }
    product = std::move(more);
  }
  return product;
}

/// Words of the largest array that one step of a transform works on, and of a block's work.
template <LimbWord W>
std::size_t scratch_of(const CyclotomicIndex& index) {
  std::size_t most = 0;
  for (const auto& axis : index.axes()) {
    const std::size_t padded = padded_length(axis.length());
    most = std::max(most, axis.prime == 257 || axis.starts.size() >= fewest_columns ? padded * widest_column : padded);
  }
  return most + block_scratch_bytes / sizeof(W);
}

}  // namespace

std::uint64_t prime_factor_step(const CyclotomicIndex& index) {
  // 16 in any case, so that rings which share factors share primes too.
  return index.index() * std::max<std::uint64_t>(16, most_padded(index) / largest_convolution_block);
}

template <LimbWord W>
PrimeFactorTables<W>::PrimeFactorTables(std::shared_ptr<const CyclotomicIndex> index_, W modulus_)
    : Transform(own_method, static_cast<Word>(sizeof(W)), scratch_of<W>(*index_)),
      index(std::move(index_)),
      modulus(modulus_),
      root(static_cast<W>(root_of_order(*index, Modulus<std::uint64_t>(modulus_)))) {
  for (const auto& axis : index->axes()) {
    const std::uint64_t p = axis.prime;
    const W omega = modulus.power(root, axis.unit);
    const auto scale = static_cast<W>(inverse_or_zero(p % modulus_, modulus_));
    std::vector<W> forward(axis.length()), inverse(axis.length());
    for (std::size_t d = 0; d < axis.length(); ++d) {
      forward[d] = modulus.power(omega, axis.powers[d]);                                    // omega^(g^d)
      const std::uint64_t opposite = p - axis.powers[(axis.length() - d) % axis.length()];  // -g^-d
      inverse[d] = modulus.multiply(scale, modulus.subtract(modulus.power(omega, opposite), 1));
    }
    to_transform.push_back(convolution_with(forward, axis.starts.size(), modulus));
    to_coefficients.push_back(convolution_with(inverse, axis.starts.size(), modulus));
  }
  joint_to_transform = joint(to_transform, *index, modulus_);
  joint_to_coefficients = joint(to_coefficients, *index, modulus_);
}

template struct PrimeFactorTables<std::uint32_t>;
template struct PrimeFactorTables<std::uint64_t>;

}  // namespace cyclotome
