// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <optional>

#include "cyclotome/engine/cuda/grid.cuh"
#include "cyclotome/engine/cuda/steps/pointwise.cuh"
#include "cyclotome/engine/cuda/steps/sample.cuh"
#include "cyclotome/engine/cuda/steps/steps.cuh"
#include "cyclotome/engine/cuda/transform/transform.cuh"
#include "cyclotome/math/bits.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/secure_zero.hpp"

// The verbs as steps, each with a type of its own: for programs, and at once.
namespace cyclotome::cuda {

inline unsigned limbs_of(const View& a) { return static_cast<unsigned>(a.limbs()); }
inline unsigned items_of(const View& a) { return static_cast<unsigned>(a.batch * a.parts); }

template <class W>
void run_forward(const Queue& queue, const View& a, const RingTables<W>* tables, LimbArithmetics arithmetics) {
  const auto view = device_view<W>(a, a.parts);
  if (!forward_in_one_pass(queue, view, view, limbs_of(a), items_of(a), tables, arithmetics)) {
    forward_by_stages(queue, view, limbs_of(a), items_of(a), tables);
  }
}

template <class W>
void run_inverse(const Queue& queue, const View& a, const RingTables<W>* tables, LimbArithmetics arithmetics) {
  const auto view = device_view<W>(a, a.parts);
  if (!inverse_in_one_pass(queue, view, view, limbs_of(a), items_of(a), tables, arithmetics)) {
    inverse_by_stages(queue, view, limbs_of(a), items_of(a), tables);
  }
}

/// A ring's transforms, by whichever method it has; of no use where some limb has none.
template <class W>
class RingTransform {
 public:
  RingTransform(DeviceConstants& constants, const Ring& ring)
      : tables_(constants.ring_tables<W>(ring)), arithmetics_(constants.arithmetics(ring)) {
    bool all = true;
    for (std::size_t l = 0; l < ring.limbs(); ++l) all = all && ring.has_transform(l);
    if (all && ring.kind() == RingKind::cyclotomic) {
      factors_ = constants.prime_factors.template of_ring<W>(ring, constants.paths.one_pass);
    }
  }

  void forward(const Queue& queue, const View& a) const {
    if (factors_) return by_factors(queue, a, Direction::to_transform);
    run_forward<W>(queue, a, tables_.value, arithmetics_);
  }
  void inverse(const Queue& queue, const View& a) const {
    if (factors_) return by_factors(queue, a, Direction::to_coefficients);
    run_inverse<W>(queue, a, tables_.value, arithmetics_);
  }
  const RingTables<W>* tables() const { return tables_.value; }
  /// Over Phi_m by matrices: kernels that do more besides may be used. Null otherwise.
  const PrimeFactorRing<W>* matrices() const {
    return factors_ && factors_->value.matrix_rows != 0 ? &factors_->value : nullptr;
  }

 private:
  void by_factors(const Queue& queue, const View& a, Direction direction) const {
    transform_prime_factors(queue, device_view<W>(a, a.parts), limbs_of(a), items_of(a), tables_.value, factors_->value,
                            direction);
  }

  Resident<const RingTables<W>*> tables_;
  LimbArithmetics arithmetics_;
  std::optional<Resident<PrimeFactorRing<W>>> factors_;
};

template <class W>
auto forward_step(DeviceConstants& constants, const Ring& ring) {
  return [transform = RingTransform<W>(constants, ring)](const StepContext& at, Operands o) {
    transform.forward(at.queue, o[0]);
  };
}

template <class W>
auto inverse_step(DeviceConstants& constants, const Ring& ring) {
  return [transform = RingTransform<W>(constants, ring)](const StepContext& at, Operands o) {
    transform.inverse(at.queue, o[0]);
  };
}

/// Of one operand, or of two.
template <class W, class Operation>
void run_pointwise(const Queue& queue, const View& out, const View& a, const View& b, const RingTables<W>* tables,
                   Operation operation) {
  launch<pointwise<W, Operation>, Start::early>(queue, column_grid<W>(out), block_threads, 0, 1, "pointwise",
                                                device_view<W>(out, out.parts), device_view<W>(a, out.parts),
                                                device_view<W>(b, out.parts), tables, operation);
}

template <class W, class Operation>
auto pointwise_step(DeviceConstants& constants, const Ring& ring, Operation operation) {
  return [tables = constants.ring_tables<W>(ring), operation](const StepContext& at, Operands o) {
    run_pointwise<W>(at.queue, o[0], o[1], o[2].ring == nullptr ? o[1] : o[2], tables.value, operation);
  };
}

template <class W>
auto clear_step() {
  return [](const StepContext& at, Operands o) {
    launch<clear<W>>(at.queue, column_grid<W>(o[0]), block_threads, 0, 1, "clearing", device_view<W>(o[0], o[0].parts));
  };
}

template <class W, unsigned Limbs>
Step multiply_scalars_up_to(DeviceConstants& constants, const Ring& ring, std::span<const std::uint64_t> factors) {
  Factors<W, Limbs> prepared{};
  for (std::size_t l = 0; l < factors.size(); ++l) {
    prepared.factor[l] = ShoupFactor<W>(static_cast<W>(factors[l]), static_cast<W>(ring.basis()[l]));
  }
  return [tables = constants.ring_tables<W>(ring), prepared](const StepContext& at, Operands o) {
    launch<multiply_scalars<W, Limbs>>(at.queue, column_grid<W>(o[0]), block_threads, 0, 1, "scalar product",
                                       device_view<W>(o[0], o[0].parts), device_view<W>(o[1], o[0].parts), tables.value,
                                       prepared);
  };
}

template <class W>
Step multiply_scalars_step(DeviceConstants& constants, const Ring& ring, std::span<const std::uint64_t> factors) {
  if (factors.size() > max_limbs) {  // they travel as an argument of the kernel
    throw EngineError(
        message("CUDA: scalars of ", factors.size(), " limbs; at most ", max_limbs, ", so multiply blocks of limbs"));
  }
  return factors.size() <= 32 ? multiply_scalars_up_to<W, 32>(constants, ring, factors)
                              : multiply_scalars_up_to<W, max_limbs>(constants, ring, factors);
}

template <class W>
auto convert_step(DeviceConstants& constants, const BaseConversion& conversion) {
  return [constants = constants.conversion<W>(conversion)](const StepContext& at, Operands o) {
    convert(at.queue, device_view<W>(o[0], o[0].parts), device_view<W>(o[1], o[0].parts), constants.value,
            items_of(o[0]), {});
  };
}

/// Of one part.
template <class W>
auto convert_with_peaks_step(DeviceConstants& constants, const BaseConversion& conversion) {
  return [constants = constants.conversion<W>(conversion)](const StepContext& at, Operands o) {
    convert(at.queue, device_view<W>(o[0], 1), device_view<W>(o[2], 1), constants.value, items_of(o[0]),
            {static_cast<std::uint64_t*>(o[1].data), at.cells.peaks});
  };
}

/// Of x^n + 1, whose order is computed.
template <class W>
Step negacyclic_automorphism(DeviceConstants& constants, const Ring& ring, std::uint64_t element) {
  const auto inverse = static_cast<std::uint32_t>(ring.galois().inverse(element));
  return [tables = constants.ring_tables<W>(ring), element = static_cast<std::uint32_t>(element), inverse](
             const StepContext& at, Operands o) {
    const View &out = o[0], &a = o[1];
    const dim3 grid(blocks(out.degree()), limbs_of(out), items_of(out));
    const auto to = device_view<W>(out, out.parts), from = device_view<W>(a, out.parts);
    if (a.domain == Domain::coefficient) {
      launch<automorphism_coefficients<W>>(at.queue, grid, block_threads, 0, 1, "automorphism", to, from, tables.value,
                                           inverse);
    } else {
      launch<automorphism_transform<W>>(at.queue, grid, block_threads, 0, 1, "automorphism", to, from, element,
                                        bit_length(out.degree()) - 1);
    }
  };
}

template <class W>
Step automorphism_step(DeviceConstants& constants, const Ring& ring, std::uint64_t element) {
  if (ring.kind() == RingKind::negacyclic) return negacyclic_automorphism<W>(constants, ring, element);
  // Over Phi_m both domains are moved alike, and without signs (ring/cyclotomic_ring.cpp).
  return [sources = constants.prime_factors.moved(ring.galois(), element)](const StepContext& at, Operands o) {
    const View& out = o[0];
    const dim3 grid(blocks(out.degree()), limbs_of(out), items_of(out));
    launch<permute<W>>(at.queue, grid, block_threads, 0, 1, "automorphism", device_view<W>(out, out.parts),
                       device_view<W>(o[1], out.parts), sources.value);
  };
}

/// A StreamKey that is gone with this object.
struct SecretStreamKey {
  StreamKey key{};

  SecretStreamKey(const Seed& seed, Stream stream, std::uint32_t first_item) {
    std::array<std::uint32_t, 8> words = seed.words();
    std::copy(words.begin(), words.end(), key.key);
    secure_zero(words.data(), sizeof(words));
    key.stream = static_cast<std::uint32_t>(stream);
    key.first_item = first_item;
  }
  ~SecretStreamKey() { secure_zero(&key, sizeof(key)); }
  SecretStreamKey(const SecretStreamKey&) = delete;
  SecretStreamKey& operator=(const SecretStreamKey&) = delete;
};

/// Errors of a ring that sums draws. Few polynomials: several blocks draw the same and share the coefficients.
template <class W>
Step sample_sums_step(DeviceConstants& constants, const Ring& ring, std::uint32_t seed, Stream stream) {
  const ErrorSums& errors = ring.shape()->errors();
  return [tables = constants.ring_tables<W>(ring), addresses = constants.prime_factors.error_addresses(*ring.shape()),
          draws = static_cast<std::uint32_t>(errors.draws), terms = static_cast<std::uint32_t>(errors.terms),
          bytes = error_bytes(errors.draws), seed, stream](const StepContext& at, Operands o) {
    const View& out = o[0];
    const SecretStreamKey secret(*at.seeds[seed], stream, at.first_item);
    const unsigned items = items_of(out), most = blocks(out.degree(), error_threads);
    const unsigned shares = std::clamp(264 / items, 1u, most), each = blocks(out.degree(), shares);
    launch<sample_error_sums<W>, Start::early>(at.queue, dim3(blocks(out.degree(), each), items), error_threads, bytes,
                                               1, "sampling", device_view<W>(out, out.parts), tables.value, secret.key,
                                               addresses.value, draws, terms, each, limbs_of(out));
  };
}

/// seed: number of the caller's.
template <class W>
Step sample_step(DeviceConstants& constants, const Ring& ring, Law law, std::uint32_t seed, Stream stream) {
  if (law == Law::error && ring.shape()->errors().terms > 1) {
    return sample_sums_step<W>(constants, ring, seed, stream);
  }
  return [tables = constants.ring_tables<W>(ring), law, seed, stream](const StepContext& at, Operands o) {
    const View& out = o[0];
    const SecretStreamKey secret(*at.seeds[seed], stream, at.first_item);
    const auto view = device_view<W>(out, out.parts);
    const unsigned limbs = limbs_of(out), items = items_of(out);
    if (law == Law::uniform) {
      const dim3 grid(blocks(blocks(out.degree(), uniform_draws_per_block)), limbs, items);
      launch<sample_uniform<W>, Start::early>(at.queue, grid, block_threads, 0, 1, "sampling", view, tables.value,
                                              secret.key);
    } else {
      // Few polynomials: each block draws the same integers for some of the limbs.
      const unsigned along_x = blocks(blocks(out.degree(), small_draws_per_block));
      const unsigned shares = std::clamp(264 / (along_x * items), 1u, limbs), each = blocks(limbs, shares);
      launch<sample_small<W>, Start::early>(at.queue, dim3(along_x, blocks(limbs, each), items), block_threads, 0, 1,
                                            "sampling", view, tables.value, secret.key, each, limbs,
                                            law == Law::ternary);
    }
  };
}

/// The peaks alone: the conversion's result is thrown away.
template <class W>
auto peaks_step(DeviceConstants& constants, const BaseConversion& conversion) {
  return [both = convert_with_peaks_step<W>(constants, conversion), limbs = conversion.target().size()](
             const StepContext& at, Operands o) {
    View out = o[1];
    out.batch_stride = limbs * out.degree();
    out.part_stride = out.batch_stride;
    out.data = at.scratch.take(out.batch * out.batch_stride * sizeof(W));
    const View all[] = {out, o[0], o[1]};
    both(at, all);
  };
}

}  // namespace cyclotome::cuda
