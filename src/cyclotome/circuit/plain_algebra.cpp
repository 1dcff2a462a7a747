// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/circuit/plain_algebra.hpp"

#include <algorithm>
#include <utility>

#include "cyclotome/math/errors.hpp"

namespace cyclotome::circuit {

namespace {

struct PlainBatch final : Batch {
  PlainBatch(std::vector<std::uint64_t> v, std::size_t p) : values(std::move(v)), parts(p) {}
  std::vector<std::uint64_t> values;
  std::size_t parts;
};

const PlainBatch& of(const Batch& a) { return dynamic_cast<const PlainBatch&>(a); }

/// Values side by side, combined.
template <class Function>
std::vector<std::uint64_t> zipped(const Batch& a, const Batch& b, const Function& function) {
  std::vector<std::uint64_t> result = of(a).values;
  for (std::size_t i = 0; i < result.size(); ++i) result[i] = function(result[i], of(b).values[i]);
  return result;
}

}  // namespace

PlainAlgebra::PlainAlgebra(std::uint64_t modulus, std::size_t lanes) : modulus_(modulus), lanes_(lanes) {
  if (modulus < 2 || modulus >> 31 != 0 || lanes == 0) {
    throw ArgumentError(
        message("plain values take a modulus in [2, 2^31) and one lane or more, not ", modulus, " and ", lanes));
  }
}

BatchPtr PlainAlgebra::made(std::vector<std::uint64_t> values, std::size_t parts) const {
  return std::make_shared<PlainBatch>(std::move(values), parts);
}

BatchPtr PlainAlgebra::batch(std::vector<std::uint64_t> values) const {
  if (values.size() % lanes_ != 0) {
    throw ArgumentError(message(values.size(), " values are no items of ", lanes_, " lanes each"));
  }
  for (const std::uint64_t value : values) {
    if (value >= modulus_) throw RangeError(message("value ", value, " is not in [0, ", modulus_, ")"));
  }
  return made(std::move(values), 2);
}

const std::vector<std::uint64_t>& PlainAlgebra::values(const Batch& a) { return of(a).values; }

std::uint64_t PlainAlgebra::residue(std::int64_t value) const {
  const auto t = static_cast<std::int64_t>(modulus_);
  return static_cast<std::uint64_t>((value % t + t) % t);
}

Facts PlainAlgebra::facts(const Batch& a) const { return {of(a).values.size() / lanes_, of(a).parts, 1, -1e9, 1e9}; }

BatchPtr PlainAlgebra::gather(std::span<const Place> places) const {
  std::vector<std::uint64_t> values;
  std::size_t parts = 2;
  for (const Place& place : places) {
    const PlainBatch& source = of(*place.batch);
    const auto first = source.values.begin() + static_cast<std::ptrdiff_t>(place.item * lanes_);
    values.insert(values.end(), first, first + static_cast<std::ptrdiff_t>(lanes_));
    parts = std::max(parts, source.parts);
  }
  return made(std::move(values), parts);
}

std::size_t PlainAlgebra::product_level(std::span<const Batch* const>) const { return 1; }

BatchPtr PlainAlgebra::lowered(const Batch& a, std::size_t) const { return a.shared_from_this(); }

BatchPtr PlainAlgebra::multiply(const Batch& a, const Batch& b) const {
  if (of(a).parts != 2 || of(b).parts != 2) throw ArgumentError("multiply: a factor has three parts");
  return made(zipped(a, b, [&](std::uint64_t x, std::uint64_t y) { return x * y % modulus_; }), 3);
}

BatchPtr PlainAlgebra::relinearize(const Batch& a) const { return made(of(a).values, 2); }

BatchPtr PlainAlgebra::add(const Batch& a, const Batch& b) const {
  return made(zipped(a, b, [&](std::uint64_t x, std::uint64_t y) { return (x + y) % modulus_; }),
              std::max(of(a).parts, of(b).parts));
}

BatchPtr PlainAlgebra::sum_groups(const Batch& a, std::size_t group) const {
  const std::vector<std::uint64_t>& values = of(a).values;
  std::vector<std::uint64_t> sums(values.size() / group);
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::uint64_t& sum = sums[i / (group * lanes_) * lanes_ + i % lanes_];
    sum = (sum + values[i]) % modulus_;
  }
  return made(std::move(sums), of(a).parts);
}

BatchPtr PlainAlgebra::scale(const Batch& a, std::span<const std::int64_t> factors) const {
  std::vector<std::uint64_t> values = of(a).values;
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = values[i] * residue(factors[i / lanes_]) % modulus_;
  return made(std::move(values), of(a).parts);
}

BatchPtr PlainAlgebra::add_constants(const Batch& a, std::span<const std::int64_t> constants) const {
  std::vector<std::uint64_t> values = of(a).values;
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = (values[i] + residue(constants[i / lanes_])) % modulus_;
  return made(std::move(values), of(a).parts);
}

}  // namespace cyclotome::circuit
