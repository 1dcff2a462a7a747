// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "cyclotome/engine/cuda/study/cyclotomic_kernel.cuh"
#include "cyclotome/engine/cuda/study/ltv_tables.cuh"
#include "cyclotome/engine/cuda/study/member_kernels.cuh"

// LtvEngine: polynomials wherever they lie.
namespace cyclotome {

using cuda::DeviceScope;
using namespace cuda::study;

namespace {

using Items = std::span<const LtvEngine::Item>;

/// The number of primes of all of them.
std::size_t primes_of(Items items, Form domain, const char* operation) {
  if (items.empty()) throw ArgumentError(message(operation, ": no polynomials"));
  const std::size_t primes = items[0].batch->primes;
  for (const auto& [batch, number] : items) {
    require(*batch, domain, operation);
    if (batch->primes == primes && batch->digits == 0 && number < batch->items) continue;
    throw MismatchError(message(operation, ": polynomial ", number, " of ", batch->items, ", modulo ", batch->primes,
                                " primes; give those that there are, all modulo ", primes));
  }
  return primes;
}

template <class T>
Places<T> places_of(Items items) {
  Places<T> places{};
  for (std::size_t i = 0; i < items.size(); ++i) {
    const LtvEngine::Batch& batch = *items[i].batch;
    places.at[i] = data_of<T>(batch) + items[i].number * batch.primes * batch.length;
  }
  return places;
}

Flags flags_of(const std::vector<bool>& all, std::size_t first, std::size_t count) {
  Flags flags{};
  for (std::size_t i = 0; i < count; ++i) {
    if (all[first + i]) flags.words[i / 64] |= std::uint64_t{1} << (i % 64);
  }
  return flags;
}

void require_few(std::size_t members, const char* operation) {
  if (members <= most_members) return;
  throw ArgumentError(message(operation, ": ", members, " polynomials at once; ", most_members, " at most"));
}

Divisors divisors_of(const study::ltv::CyclotomicPolynomial& ring) {
  Divisors divisors{};
  divisors.index = static_cast<std::uint32_t>(ring.index());
  for (const auto& [value, sign] : ring.divisors()) {
    divisors.values[divisors.count] = static_cast<std::uint32_t>(value);
    divisors.signs[divisors.count++] = sign;
  }
  return divisors;
}

}  // namespace

LtvEngine::Batch LtvEngine::sums(Items terms, std::size_t group, const std::vector<bool>& ones) {
  const std::size_t primes = primes_of(terms, Form::crt, "sum"), n = arithmetic_->degree();
  if (group == 0 || terms.size() != group * ones.size()) {
    throw ArgumentError(message("sum: ", terms.size(), " terms for ", ones.size(), " sums of ", group));
  }
  for (const Item& term : terms) {
    if (term.batch->length != n) throw ArgumentError("sum: reduce products first");
  }
  Batch out = empty(Form::crt, ones.size(), primes, n);
  const DeviceScope scope(static_cast<CUcontext>(context()));
  const cuda::Queue queue(tables_->stream, device());
  // Long sums are added to as many terms as a launch names: what was summed before is a term of what is summed next.
  const std::size_t at_once = std::max<std::size_t>(1, most_members / group);
  for (std::size_t first = 0; first < ones.size(); first += at_once) {
    const std::size_t count = std::min(at_once, ones.size() - first);
    std::vector<Item> here(terms.begin() + static_cast<std::ptrdiff_t>(first * group),
                           terms.begin() + static_cast<std::ptrdiff_t>((first + count) * group));
    std::size_t each = std::min(group, most_members);
    for (std::size_t done = 0; done < group;) {
      const std::span some = std::span(here).subspan(done == 0 ? 0 : done - 1, count * each);
      const Flags flags = done == 0 ? flags_of(ones, first, count) : Flags{};
      if (done != 0) here[done - 1] = {&out, first};
      const dim3 grid{blocks_for(n), static_cast<unsigned>(primes), static_cast<unsigned>(count)};
      cuda::launch<sum_members>(queue, grid, threads_of_block, 0, 1, "sum",
                                data_of<std::uint32_t>(out) + first * primes * n, places_of<std::uint32_t>(some), flags,
                                static_cast<unsigned>(each), tables_->moduli, n);
      done += done == 0 ? each : each - 1;
      each = std::min(group - done + 1, most_members);
    }
  }
  return out;
}

LtvEngine::Batch LtvEngine::ntt(Items polynomials) {
  const std::size_t primes = primes_of(polynomials, Form::crt, "NTT");
  require_few(polynomials.size(), "NTT");
  for (const Item& each : polynomials) {
    if (each.batch->length != arithmetic_->degree()) throw ArgumentError("NTT: reduce products first");
  }
  return forward(MemberSource{places_of<std::uint32_t>(polynomials), primes, arithmetic_->degree()}, polynomials.size(),
                 primes, 0);
}

LtvEngine::Batch LtvEngine::products(Items a, Items b) {
  const std::size_t primes = primes_of(a, Form::ntt, "product");
  if (a.size() != b.size() || primes_of(b, Form::ntt, "product") != primes) {
    throw MismatchError(message("product: ", a.size(), " and ", b.size(), " factors; as many, of one level"));
  }
  require_few(2 * a.size(), "product");
  std::vector<Item> both;
  for (std::size_t i = 0; i < a.size(); ++i) both.insert(both.end(), {a[i], b[i]});
  return backward(PairSource{places_of<std::uint64_t>(both), primes, arithmetic_->points()}, a.size(), primes);
}

LtvEngine::Batch LtvEngine::reduced(const Batch& product, std::size_t group) {
  require(product, Form::crt, "reduction");
  const auto& ring = arithmetic_->ring();
  const std::size_t n = ring.degree(), length = product.length;
  if (length != ring.product_length() || group == 0 || product.items % group != 0) {
    throw ArgumentError(message("reduction: ", product.items, " polynomials of ", length, " coefficients in groups of ",
                                group, "; products have ", ring.product_length()));
  }
  Batch out = empty(Form::crt, product.items / group, product.primes, n);
  const std::size_t quotient = std::min<std::size_t>(ring.index(), length) - n,
                    shared = 4 * (reduction_threads + std::max(n, quotient));
  const DeviceScope scope(static_cast<CUcontext>(context()));
  const cuda::Queue queue(tables_->stream, device());
  cuda::launch<reduce_cyclotomic>(queue, {static_cast<unsigned>(rows_of(out))}, reduction_threads, shared, 1,
                                  "reduction", data_of<std::uint32_t>(out), data_of<std::uint32_t>(product),
                                  static_cast<unsigned>(length), static_cast<unsigned>(group), tables_->moduli,
                                  static_cast<unsigned>(product.primes), static_cast<unsigned>(n), divisors_of(ring));
  return out;
}

LtvEngine::Batch LtvEngine::lowered(const Batch& a, const std::vector<bool>& divided) {
  require(a, Form::crt, "modulus switch");
  if (a.primes == 1) throw ArgumentError("modulus switch: polynomials modulo one prime have no level left");
  if (a.length != arithmetic_->degree() || divided.size() != a.items) {
    throw ArgumentError("modulus switch: reduced polynomials, and for each whether it is divided");
  }
  Batch out = empty(Form::crt, a.items, a.primes - 1, a.length);
  const DeviceScope scope(static_cast<CUcontext>(context()));
  const cuda::Queue queue(tables_->stream, device());
  for (std::size_t first = 0; first < a.items; first += most_members) {
    const std::size_t count = std::min(most_members, a.items - first);
    const dim3 grid{blocks_for(a.length), static_cast<unsigned>(a.primes - 1), static_cast<unsigned>(count)};
    cuda::launch<lower_members>(queue, grid, threads_of_block, 0, 1, "modulus switch",
                                data_of<std::uint32_t>(out) + first * (a.primes - 1) * a.length,
                                data_of<std::uint32_t>(a) + first * a.primes * a.length,
                                flags_of(divided, first, count), tables_->moduli, tables_->inverses[a.primes - 1],
                                a.length);
  }
  return out;
}

}  // namespace cyclotome
