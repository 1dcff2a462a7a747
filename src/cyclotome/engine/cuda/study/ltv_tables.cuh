// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/engine/cuda/memory/device_tables.cuh"
#include "cyclotome/engine/cuda/streams/device_scope.cuh"
#include "cyclotome/engine/cuda/study/carrier_launch.cuh"
#include "cyclotome/engine/cuda/study/ltv_engine.hpp"

// What the sources of LtvEngine share.
namespace cyclotome {

using Form = study::ltv::Domain;
using study::ltv::LevelConstants;
namespace carrier = study::ltv::carrier;
using cuda::study::blocks_for;
using cuda::study::threads_of_block;

template <class T>
T* data_of(const LtvEngine::Batch& batch) {
  return static_cast<T*>(batch.memory->data());
}

inline void require(const LtvEngine::Batch& a, Form domain, const char* operation) {
  if (a.domain == domain) return;
  throw ArgumentError(message(operation, ": polynomials in the ", name_of(a.domain), " domain; convert them to the ",
                              name_of(domain), " domain first"));
}

inline void require_like(const LtvEngine::Batch& a, const LtvEngine::Batch& b, const char* operation) {
  if (a.items == b.items && a.primes == b.primes && a.length == b.length && a.digits == b.digits) return;
  throw MismatchError(message(operation, ": ", a.items, " polynomials modulo ", a.primes, " primes, and ", b.items,
                              " modulo ", b.primes, "; bring both to one level and number"));
}

inline std::size_t rows_of(const LtvEngine::Batch& a) { return a.items * (a.digits != 0 ? a.digits : a.primes); }

inline void require_grid(std::size_t rows) {
  if (rows <= cuda::max_items) return;
  throw ArgumentError(
      message(rows, " rows at once; a launch has ", cuda::max_items, " at most, so take smaller batches"));
}

/// Constants on the device, by number of primes where they depend on the level.
struct LtvEngine::Tables {
  cuda::DeviceTables device;
  cudaStream_t stream = nullptr;
  const std::uint64_t *twiddles = nullptr, *modulus = nullptr, *reciprocal = nullptr;
  const Modulus<std::uint32_t>* moduli = nullptr;
  std::vector<LevelConstants> levels;          // on the device
  std::vector<const std::uint32_t*> inverses;  // of the last prime, modulo those before it
  std::uint64_t inverse_of_points = 0;
  std::vector<std::pair<std::string, std::size_t>> bytes;

  template <class T>
  const T* copy(const T* from, std::size_t count) {
    return device.put(std::vector<T>(from, from + count), stream);
  }
  /// powers: of the root; the transform's, or a test's.
  void make(const Arithmetic& arithmetic, const std::vector<std::uint64_t>& powers) {
    const auto& basis = arithmetic.basis();
    const std::size_t d = arithmetic.primes(), points = arithmetic.points();
    twiddles = device.put(powers, stream);
    modulus = copy(arithmetic.modulus_transform().row(0), d * points);
    reciprocal = copy(arithmetic.reciprocal_transform().row(0), d * points);
    inverse_of_points = carrier::power(points, carrier::modulus - 2);
    const LevelConstants all = basis.constants(d);
    moduli = copy(all.moduli, d);
    const std::uint64_t* const reciprocals = copy(all.reciprocals, d);
    for (std::size_t t = 1; t <= d; ++t) {
      const LevelConstants host = basis.constants(t);
      levels.push_back({host.primes, host.words, moduli, copy(host.product, host.words),
                        copy(host.cofactors, t * host.words), copy(host.inverses, t), reciprocals});
      std::vector<std::uint32_t> row;
      for (std::size_t j = 0; j + 1 < t; ++j) row.push_back(basis.inverse(t - 1, j));
      inverses.push_back(device.put(row, stream));
    }
    const LevelConstants top = basis.constants(d);
    const std::size_t words = top.words * sizeof(*top.product), row = d * points * sizeof(std::uint64_t);
    bytes = {{"P", d * sizeof(*top.moduli)},
             {"q_i", words},
             {"Q*_i", d * words},
             {"Q+_i", d * sizeof(*top.inverses)},
             {"P^-1", d * (d - 1) / 2 * sizeof(std::uint32_t)},
             {"M^", row},
             {"U^", row},
             {"twiddles", arithmetic.transform().twiddles().size() * sizeof(std::uint64_t)}};
  }
};

template <class Source>
LtvEngine::Batch LtvEngine::forward(const Source& source, std::size_t items, std::size_t primes, unsigned digits) {
  const std::size_t points = arithmetic_->points();
  Batch out = empty(Form::ntt, items, primes, points, digits);
  const auto rows = static_cast<unsigned>(rows_of(out));
  require_grid(rows);
  const auto first = allocate(rows * points * 8, false), second = allocate(rows * points * 8, false);
  const cuda::DeviceScope scope(static_cast<CUcontext>(context()));
  const cuda::Queue queue(tables_->stream, device());
  cuda::study::transform_rows(queue, arithmetic_->transform().steps(), rows, tables_->twiddles,
                              static_cast<std::uint64_t*>(first->data()), static_cast<std::uint64_t*>(second->data()),
                              source, cuda::study::ValueSink{data_of<std::uint64_t>(out), points});
  return out;
}

/// source: values in the order of an inverse transform.
template <class Source>
LtvEngine::Batch LtvEngine::backward(const Source& source, std::size_t items, std::size_t primes) {
  const std::size_t points = arithmetic_->points(), length = arithmetic_->ring().product_length();
  Batch out = empty(Form::crt, items, primes, length);
  const auto rows = static_cast<unsigned>(rows_of(out));
  require_grid(rows);
  const auto first = allocate(rows * points * 8, false), second = allocate(rows * points * 8, false);
  const cuda::DeviceScope scope(static_cast<CUcontext>(context()));
  const cuda::Queue queue(tables_->stream, device());
  cuda::study::transform_rows(queue, arithmetic_->transform().steps(), rows, tables_->twiddles,
                              static_cast<std::uint64_t*>(first->data()), static_cast<std::uint64_t*>(second->data()),
                              source,
                              cuda::study::ResidueSink{data_of<std::uint32_t>(out), tables_->moduli, primes, length,
                                                       tables_->inverse_of_points});
  return out;
}

}  // namespace cyclotome
