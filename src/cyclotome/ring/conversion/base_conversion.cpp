// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/ring/conversion/base_conversion.hpp"

#include <algorithm>
#include <atomic>

#include "cyclotome/math/errors.hpp"

namespace cyclotome {

namespace {

std::uint64_t next_id() {
  static std::atomic<std::uint64_t> counter{0};
  return ++counter;
}

std::uint64_t factor_at(const std::vector<std::uint64_t>& factors, std::size_t i) {
  return factors.empty() ? 1 : factors[i];
}

std::uint64_t product_mod(std::uint64_t a, std::uint64_t b, std::uint64_t m) {
  return static_cast<std::uint64_t>(static_cast<u128>(a % m) * (b % m) % m);
}

}  // namespace

BaseConversion::BaseConversion(Basis source, Basis target, Lift lift, const std::vector<std::uint64_t>& source_factors,
                               const std::vector<std::uint64_t>& target_factors)
    : source_(std::move(source)), target_(std::move(target)), lift_(lift), id_(next_id()) {
  if (source_.word() != target_.word()) throw ParameterError("a base conversion needs both bases in words of one size");
  if (source_.size() == 0 || source_.size() > 128) {
    throw ParameterError(message("a base conversion takes 1 to 128 source limbs, not ", source_.size()));
  }
  if ((!source_factors.empty() && source_factors.size() != source_.size()) ||
      (!target_factors.empty() && target_factors.size() != target_.size())) {
    throw ParameterError("a base conversion takes no factors or one for each limb");
  }
  copies_.assign(target_.size(), -1);
  for (std::size_t j = 0; j < target_.size(); ++j) {
    for (std::size_t i = 0; i < source_.size(); ++i) {
      if (source_[i] == target_[j]) copies_[j] = static_cast<int>(i);
    }
  }
  if (source_.word() == Word::u32) {
    fill(tables32_, source_factors, target_factors);
  } else {
    fill(tables64_, source_factors, target_factors);
  }
}

template <LimbWord W>
void BaseConversion::fill(ConversionTables<W>& tables, const std::vector<std::uint64_t>& source_factors,
                          const std::vector<std::uint64_t>& target_factors) {
  const std::size_t sources = source_.size();
  for (std::size_t i = 0; i < sources; ++i) {
    const std::uint64_t q = source_[i];
    const std::uint64_t inverse = inverse_or_zero(source_.punctured_product_mod(i, q), q);
    tables.punctured_inverses.emplace_back(static_cast<W>(product_mod(factor_at(source_factors, i), inverse, q)),
                                           static_cast<W>(q));
    const unsigned scale = sizeof(W) == 4 ? 63 : bit_length(q) + 63;
    // For q a power of two the 64-bit reciprocal would be 2^64; all ones errs by less than the stated bound.
    const u128 reciprocal = (static_cast<u128>(1) << scale) / q;
    tables.reciprocals.push_back(static_cast<std::uint64_t>(std::min<u128>(reciprocal, ~std::uint64_t{0})));
  }
  u128 largest_source = 0, largest_target = 0;
  for (const auto q : source_.values()) largest_source = std::max<u128>(largest_source, q - 1);
  for (std::size_t j = 0; j < target_.size(); ++j) {
    const std::uint64_t b = target_[j];
    const std::uint64_t g = factor_at(target_factors, j);
    largest_target = std::max<u128>(largest_target, b - 1);
    for (std::size_t i = 0; i < sources; ++i) {
      tables.matrix.push_back(static_cast<W>(product_mod(g, source_.punctured_product_mod(i, b), b)));
    }
    tables.negative_wraps.push_back(static_cast<W>((b - product_mod(g, source_.product_mod(b), b)) % b));
    const int copy = copies_[j];
    const std::uint64_t f = copy < 0 ? 0 : factor_at(source_factors, static_cast<std::size_t>(copy));
    tables.copy_factors.emplace_back(static_cast<W>(product_mod(f, g, b)), static_cast<W>(b));
  }
  const Wide<W> top = ~static_cast<Wide<W>>(0);
  const auto largest = static_cast<Wide<W>>(largest_source * largest_target);
  lazy_terms_ = static_cast<std::size_t>(std::min<Wide<W>>(largest == 0 ? 1024 : top / largest, 1024));
}

}  // namespace cyclotome
