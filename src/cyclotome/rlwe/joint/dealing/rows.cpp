// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/rlwe/joint/dealing/rows.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/modulus.hpp"
#include "cyclotome/rlwe/joint/secret_sharing.hpp"

namespace cyclotome::rlwe {

namespace {

using Words = ZeroisingVector<std::uint64_t>;

const std::vector<std::uint64_t>& primes_of(const Context& context) {
  return context.ciphertext_ring()->basis().values();
}

/// Coefficients of a polynomial in the point, evaluated by Horner's rule.
template <class Coefficient>
std::uint64_t value_at(std::uint64_t q, std::uint32_t point, std::size_t count, const Coefficient& coefficient) {
  const Modulus<std::uint64_t> modulus(q);
  std::uint64_t value = 0;
  for (std::size_t i = count; i-- > 0;) value = modulus.add(modulus.multiply(value, point % q), coefficient(i));
  return value;
}

PolyArray rows_of(const Context& context, const PublicSeed& challenge) {
  PolyArray rows = context.make(context.ciphertext_ring(), dealing_rows(primes_of(context)), 1, Domain::transform);
  expand_uniform(*context.engine(), rows.view(), challenge);
  return rows;
}

/// <r, value> by prime and row, without branches on what is summed.
Words inner_products(const Context& context, const PolyArray& rows, ConstView value) {
  PolyArray products = context.make(context.ciphertext_ring(), rows.batch(), 1, Domain::transform, true);
  context.engine()->multiply(products.view(), rows.view(), value);
  Words residues(products.size());
  products.to_host(residues);
  const std::vector<std::uint64_t>& primes = primes_of(context);
  const std::size_t n = products.degree();
  Words sums(primes.size() * rows.batch(), 0);
  for (std::size_t row = 0; row < rows.batch(); ++row) {
    for (std::size_t limb = 0; limb < primes.size(); ++limb) {
      const Modulus<std::uint64_t> modulus(primes[limb]);
      std::uint64_t sum = 0;
      for (std::size_t i = 0; i < n; ++i) sum = modulus.add(sum, residues[(row * primes.size() + limb) * n + i]);
      sums[limb * rows.batch() + row] = sum;
    }
  }
  return sums;
}

/// Uniform residues: `count` for each prime, prime by prime.
Words uniform_scalars(const Context& context, std::size_t count) {
  const std::size_t n = context.degree(), items = (count + n - 1) / n;
  PolyArray drawn = context.make(context.ciphertext_ring(), items, 1, Domain::coefficient, true);
  context.engine()->sample(drawn.view(), Law::uniform, Seed::from_system(), Stream::secret);
  Words residues(drawn.size()), scalars;
  drawn.to_host(residues);
  for (std::size_t limb = 0; limb < drawn.limbs(); ++limb) {
    for (std::size_t i = 0; i < count; ++i) {
      scalars.push_back(residues[((i / n) * drawn.limbs() + limb) * n + i % n]);
    }
  }
  return scalars;
}

std::size_t polynomial_bytes(const Context& context) {
  return context.ciphertext_ring()->limbs() * context.degree() * bytes_of(context.ciphertext_ring()->word());
}

/// The polynomial in such bytes; none where a residue is not below its prime.
std::optional<PolyArray> unpacked(const Context& context, std::span<const std::uint8_t> bytes) {
  PolyArray share = context.make(context.ciphertext_ring(), 1, 1, Domain::transform, true);
  const std::size_t width = bytes_of(share.word());
  const std::vector<std::uint64_t>& primes = primes_of(context);
  std::uint64_t beyond = 0;  // its highest bit, if any residue is: without branches, as they are secret
  for (std::size_t i = 0; i < share.size(); ++i) {
    std::uint64_t residue = 0;
    std::memcpy(&residue, bytes.data() + i * width, width);
    beyond |= residue | (primes[i / share.degree()] - 1 - residue);
  }
  if (beyond >> 63 != 0) return std::nullopt;
  share.upload(bytes.data());
  return share;
}

std::uint64_t u64_at(std::span<const std::uint8_t> bytes) {
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < 8; ++i) number |= std::uint64_t{bytes[i]} << (8 * i);
  return number;
}

}  // namespace

std::size_t dealing_rows(std::span<const std::uint64_t> primes) {
  const auto least = static_cast<unsigned>(std::bit_width(*std::ranges::min_element(primes))) - 1;
  return (row_bits + least - 1) / least;
}

DealingPolynomials::DealingPolynomials(ContextPtr context, std::size_t threshold,
                                       const std::optional<ConstView>& constant)
    : context_(std::move(context)),
      threshold_(threshold),
      rows_(dealing_rows(primes_of(*context_))),
      f_(context_->make(context_->ciphertext_ring(), threshold, 1, Domain::transform, true)),
      masks_(uniform_scalars(*context_, rows_ * threshold)) {
  Engine& engine = *context_->engine();
  if (constant) {
    engine.copy(f_.view().items(0, 1), *constant);
  } else {
    engine.clear(f_.view().items(0, 1));
    for (std::size_t i = 0; i < masks_.size(); i += threshold) masks_[i] = 0;
  }
  engine.sample(f_.view().items(1, threshold - 1), Law::uniform, Seed::from_system(), Stream::secret);
}

std::uint64_t DealingPolynomials::mask(std::size_t limb, std::size_t row, std::size_t coefficient) const {
  return masks_[(limb * rows_ + row) * threshold_ + coefficient];
}

ZeroisingVector<std::uint8_t> DealingPolynomials::packed_at(std::uint32_t point) const {
  const std::vector<std::uint64_t>& primes = primes_of(*context_);
  const std::size_t size = polynomial_bytes(*context_);
  ZeroisingVector<std::uint8_t> bytes(size + 8 * primes.size() * rows_);
  share_at(*context_, f_, point).download(bytes.data());
  std::size_t at = size;
  for (std::size_t limb = 0; limb < primes.size(); ++limb) {
    for (std::size_t row = 0; row < rows_; ++row) {
      const std::uint64_t value =
          value_at(primes[limb], point, threshold_, [&](std::size_t i) { return mask(limb, row, i); });
      for (std::size_t i = 0; i < 8; ++i) bytes[at++] = static_cast<std::uint8_t>(value >> (8 * i));
    }
  }
  return bytes;
}

std::vector<std::uint64_t> DealingPolynomials::functionals(const PublicSeed& challenge) const {
  const std::vector<std::uint64_t>& primes = primes_of(*context_);
  const PolyArray rows = rows_of(*context_, challenge);
  std::vector<std::uint64_t> values(primes.size() * rows_ * threshold_);
  for (std::size_t i = 0; i < threshold_; ++i) {
    const Words products = inner_products(*context_, rows, f_.view().items(i, 1));
    for (std::size_t limb = 0; limb < primes.size(); ++limb) {
      const Modulus<std::uint64_t> modulus(primes[limb]);
      for (std::size_t row = 0; row < rows_; ++row) {
        values[(limb * rows_ + row) * threshold_ + i] = modulus.add(products[limb * rows_ + row], mask(limb, row, i));
      }
    }
  }
  return values;
}

std::optional<PolyArray> checked_share(const ContextPtr& context, std::size_t threshold,
                                       std::span<const std::uint8_t> packed, std::uint32_t point,
                                       const PublicSeed& challenge, std::span<const std::uint64_t> functionals) {
  const std::vector<std::uint64_t>& primes = primes_of(*context);
  const std::size_t rows = dealing_rows(primes), size = polynomial_bytes(*context);
  if (packed.size() != size + 8 * primes.size() * rows) return std::nullopt;
  std::optional<PolyArray> share = unpacked(*context, packed.first(size));
  if (!share) return std::nullopt;
  const Words products = inner_products(*context, rows_of(*context, challenge), share->view());
  bool fits = true;
  for (std::size_t place = 0; place < primes.size() * rows; ++place) {
    const std::uint64_t q = primes[place / rows], mask = u64_at(packed.subspan(size + 8 * place));
    const std::uint64_t expected =
        value_at(q, point, threshold, [&](std::size_t i) { return functionals[place * threshold + i]; });
    fits = fits && mask < q && Modulus<std::uint64_t>(q).add(products[place], mask) == expected;
  }
  if (!fits) return std::nullopt;
  return share;
}

std::string functionals_fault(const Context& context, std::size_t threshold, Constant constant,
                              std::span<const std::uint64_t> functionals) {
  const std::vector<std::uint64_t>& primes = primes_of(context);
  const std::size_t rows = dealing_rows(primes);
  if (functionals.size() != primes.size() * rows * threshold) return "it shows another number of functionals";
  for (std::size_t i = 0; i < functionals.size(); ++i) {
    if (functionals[i] >= primes[i / (rows * threshold)]) return "it shows functionals beyond their primes";
    if (constant == Constant::zero && i % threshold == 0 && functionals[i] != 0)
      return "it dealt something else than 0";
  }
  return {};
}

}  // namespace cyclotome::rlwe
