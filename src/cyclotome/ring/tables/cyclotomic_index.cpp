// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/ring/tables/cyclotomic_index.hpp"

#include <algorithm>

#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/modulus.hpp"

namespace cyclotome {

namespace {

bool is_odd_squarefree(std::uint64_t m) {
  for (std::uint64_t p = 3; p * p <= m; p += 2) {
    if (m % (p * p) == 0) return false;
  }
  return m % 2 == 1;
}

/// The odd squarefree number in [3, most] that is nearest to m; of two, the smaller one.
std::uint64_t nearest_index(std::uint64_t m, std::uint64_t most) {
  const std::uint64_t near = std::clamp<std::uint64_t>(m, 3, most);
  for (std::uint64_t distance = 0;; ++distance) {
    if (near >= 3 + distance && is_odd_squarefree(near - distance)) return near - distance;
    if (near + distance <= most && is_odd_squarefree(near + distance)) return near + distance;
  }
}

/// The product of the prime factors.
std::uint64_t radical(std::uint64_t m) {
  std::uint64_t product = 1;
  for (std::uint64_t p = 2; m != 1; ++p) {
    if (p * p > m) p = m;
    if (m % p != 0) continue;
    product *= p;
    while (m % p == 0) m /= p;
  }
  return product;
}

/// Ascending; of an odd squarefree number.
std::vector<std::uint64_t> prime_factors(std::uint64_t m, std::uint64_t most) {
  if (m < 3 || m % 2 == 0 || m > most) {
    throw ParameterError(message("cyclotomic index ", m, " must be odd and in [3, ", most,
                                 "]: the nearest ring is that ", "of index ", nearest_index(m, most),
                                 "; powers of two are the rings x^n + 1 (`negacyclic`)"));
  }
  std::vector<std::uint64_t> factors;
  for (std::uint64_t p = 3, left = m; left != 1; p += 2) {
    if (p * p > left) p = left;
    if (left % p != 0) continue;
    left /= p;
    if (left % p == 0) {
      throw ParameterError(message("cyclotomic index ", m, " is divisible by ", p, "^2: no normal integral basis ",
                                   "exists there; take the squarefree index ", radical(m), " that divides it, or ",
                                   nearest_index(m, most), ", the nearest one"));
    }
    factors.push_back(p);
  }
  return factors;
}

/// The least g whose powers are all of 1 ... p-1.
std::vector<std::uint32_t> powers_of_least_root(std::uint64_t p) {
  for (std::uint64_t g = 2;; ++g) {
    std::vector<std::uint32_t> powers{1};
    for (std::uint64_t power = g; power != 1; power = power * g % p)
      powers.push_back(static_cast<std::uint32_t>(power));
    if (powers.size() == p - 1) return powers;
  }
}

}  // namespace

CyclotomicIndex::CyclotomicIndex(std::uint64_t m, std::uint64_t most) : index_(m) {
  for (const std::uint64_t p : prime_factors(m, most)) {
    const std::uint64_t rest = m / p, unit = rest * inverse_or_zero(rest, p) % m;
    Axis axis{p, unit, 0, powers_of_least_root(p), std::vector<std::uint32_t>(p), {}, {}};
    axis.generator = (1 + (axis.powers[1] - 1) * axis.unit) % m;
    for (std::size_t e = 0; e < axis.length(); ++e) axis.logs[axis.powers[e]] = static_cast<std::uint32_t>(e);
    degree_ *= axis.length();
    axes_.push_back(std::move(axis));
  }
  set_offsets();
}

/// Row-major, the last axis fastest; but the exponent 16 hi + lo of a factor 257 is split into lo, the fastest of all,
/// and hi, the slowest: vectors of 16 words are then never taken apart, and stages of the others stay within one hi.
void CyclotomicIndex::set_offsets() {
  constexpr std::uint64_t split_prime = 257, lanes = 16;
  bool split = false;
  for (const Axis& axis : axes_) split = split || axis.prime == split_prime;
  std::size_t stride = split ? lanes : 1;
  for (std::size_t i = axes_.size(); i-- > 0;) {
    Axis& axis = axes_[i];
    for (std::size_t e = 0; e < axis.length(); ++e) {
      const std::size_t offset =
          axis.prime == split_prime ? e % lanes + e / lanes * (degree_ / (axis.length() / lanes)) : e * stride;
      axis.offsets.push_back(static_cast<std::uint32_t>(offset));
    }
    if (axis.prime != split_prime) stride *= axis.length();
  }
  for (Axis& axis : axes_) {
    axis.starts = {0};
    for (const Axis& other : axes_) {
      if (&other == &axis) continue;
      std::vector<std::uint32_t> more;
      for (const std::uint32_t start : axis.starts) {
        for (const std::uint32_t offset : other.offsets) more.push_back(start + offset);
      }
      axis.starts = std::move(more);
    }
  }
}

std::uint32_t CyclotomicIndex::place(std::uint64_t unit) const noexcept {
  std::uint32_t place = 0;
  for (const Axis& axis : axes_) place += axis.offsets[axis.logs[unit % axis.prime]];
  return place;
}

std::vector<std::uint32_t> CyclotomicIndex::shifted(std::uint64_t factor) const {
  std::vector<std::uint32_t> places{0}, sources{0}, result(degree_);
  for (const Axis& axis : axes_) {
    const bool last = &axis == &axes_.back();
    const std::size_t shift = axis.logs[factor % axis.prime], length = axis.length(), count = places.size();
    std::vector<std::uint32_t> more_places(last ? 0 : count * length), more_sources(more_places.size());
    for (std::size_t e = 0; e < length; ++e) {
      const std::uint32_t to = axis.offsets[e],
                          from = axis.offsets[e + shift < length ? e + shift : e + shift - length];
      for (std::size_t i = 0; i < count; ++i) {
        if (last) {
          result[places[i] + to] = sources[i] + from;
        } else {
          more_places[e * count + i] = places[i] + to;
          more_sources[e * count + i] = sources[i] + from;
        }
      }
    }
    places = std::move(more_places);
    sources = std::move(more_sources);
  }
  return result;
}

}  // namespace cyclotome
