// SPDX-License-Identifier: Apache-2.0
// The coarse verbs that have kernels of their own. Where a fused kernel does not exist for a degree or a device the
// reference composition computes.
#include "cyclotome/engine/cuda/grid.cuh"
#include "cyclotome/engine/cuda/pointwise.cuh"
#include "cyclotome/engine/cuda/state.cuh"
#include "cyclotome/engine/cuda/transform.cuh"
#include "cyclotome/engine/poly.hpp"
#include "cyclotome/ring/behz.hpp"
#include "cyclotome/ring/hps.hpp"
#include "cyclotome/ring/mixed_radix.hpp"

namespace cyclotome {

using cuda::block_threads;
using cuda::blocks;
using cuda::column_grid;
using cuda::device_view;
using cuda::for_pieces;
using cuda::launch;
using cuda::piece_of;

namespace {

template <class W>
std::uint32_t lazy_products(const Basis& basis) {
  std::uint64_t largest = 1;
  for (const auto q : basis.values()) largest = std::max(largest, q - 1);
  const Wide<W> top = ~static_cast<Wide<W>>(0);
  const Wide<W> terms = top / (static_cast<Wide<W>>(largest) * largest);
  return terms > 1024 ? 1023u : std::max(1u, static_cast<std::uint32_t>(terms) - 1);
}

unsigned limbs_of(ConstView a) { return static_cast<unsigned>(a.limbs()); }

}  // namespace

void CudaEngine::do_tensor_product(View out, ConstView a, ConstView b) {
  const auto queue = state_->queue();
  with_word(out.word(), [&]<class W>(W) {
    const auto* const tables = state_->ring_tables<W>(*out.ring);
    for_pieces(out.batch, 1, [&](std::size_t first, std::size_t count) {
      const dim3 grid(blocks(out.degree() / cuda::Columns<W>::count), limbs_of(out), static_cast<unsigned>(count));
      launch<cuda::tensor_product<W>>(queue, grid, block_threads, 0, 1, "tensor product",
                                      device_view<W>(piece_of(out, first, count), out.parts),
                                      device_view<W>(piece_of(a, first, count), a.parts),
                                      device_view<W>(piece_of(b, first, count), b.parts), tables);
    });
  });
}

void CudaEngine::do_multiply_ciphertexts(View out, View a, View b) {
  const auto queue = state_->queue();
  bool done = a.parts == 2 && b.parts == 2;
  if (done) {
    with_word(out.word(), [&]<class W>(W) {
      const auto* const tables = state_->ring_tables<W>(*out.ring);
      for_pieces(out.batch, 1, [&](std::size_t first, std::size_t count) {
        done = done && cuda::multiply_ciphertexts(queue, device_view<W>(piece_of(out, first, count), 3),
                                                  device_view<W>(piece_of(a, first, count), 2),
                                                  device_view<W>(piece_of(b, first, count), 2), limbs_of(out),
                                                  static_cast<unsigned>(count), tables, state_->arithmetics(*out.ring));
      });
    });
  }
  if (!done) Engine::do_multiply_ciphertexts(out, a, b);
}

void CudaEngine::do_multiply_key(View out, ConstView a, ConstView key, ConstView addend) {
  const auto queue = state_->queue();
  bool done = true;
  with_word(out.word(), [&]<class W>(W) {
    const auto* const tables = state_->ring_tables<W>(*out.ring);
    for_pieces(out.batch, 1, [&](std::size_t first, std::size_t count) {
      done = done && cuda::multiply_key(queue, device_view<W>(piece_of(out, first, count), out.parts),
                                        device_view<W>(piece_of(a, first, count), 1), device_view<W>(key, out.parts),
                                        device_view<W>(piece_of(addend, first, count), out.parts), limbs_of(out),
                                        static_cast<unsigned>(count), tables, state_->arithmetics(*out.ring));
    });
  });
  if (!done) Engine::do_multiply_key(out, a, key, addend);
}

void CudaEngine::do_key_switch_product(View out, ConstView digits, ConstView key) {
  const auto queue = state_->queue();
  with_word(out.word(), [&]<class W>(W) {
    const auto* const tables = state_->ring_tables<W>(*out.ring);
    for_pieces(out.batch, out.parts, [&](std::size_t first, std::size_t count) {
      const View target = piece_of(out, first, count);
      launch<cuda::key_switch_product<W>>(
          queue, column_grid<W>(target), block_threads, 0, 1, "key switching", device_view<W>(target, out.parts),
          device_view<W>(piece_of(digits, first, count), digits.parts), device_view<W>(key, out.parts), tables,
          static_cast<std::uint32_t>(digits.parts), lazy_products<W>(out.ring->basis()));
    });
  });
}

void CudaEngine::do_key_switch(View out, ConstView c, ConstView key, const KeySwitchStep& step,
                               const std::optional<ConstView>& addend) {
  const auto queue = state_->queue();
  PolyArray coefficients;
  if (c.domain == Domain::transform) {
    coefficients = PolyArray(shared_from_this(), step.ciphertext_ring, c.batch, 1, Domain::transform);
    copy(coefficients.view(), c);
    c = std::as_const(coefficients.to_coefficient()).view();
  }
  // The limbs modulo P are wanted as coefficients, the others as the result is.
  PolyArray product(shared_from_this(), step.key_ring, out.batch, 2, out.domain);
  const std::size_t special = step.special_limbs();
  const auto inverse_limbs =
      static_cast<std::uint32_t>(out.domain == Domain::coefficient ? step.key_ring->limbs() : special);
  const std::size_t limbs = step.key_ring->limbs();
  // In one kernel a limb's digits follow each other; side by side they are faster where limbs are few (measured).
  const bool in_two = cuda::few_values(out.batch * limbs * out.degree());
  PolyArray extended;
  if (in_two) {
    extended = PolyArray(shared_from_this(), step.key_ring, out.batch, step.digits.size(), Domain::transform);
  }
  // A digit of several primes is prepared once for all moduli.
  std::size_t prepared_limbs = 0;
  for (const auto& digit : step.digits) prepared_limbs += digit.ring->limbs() + 1;
  std::unique_ptr<Buffer> prepared;
  if (step.digits.front().ring->limbs() > 1) {
    prepared = allocate(out.batch * prepared_limbs * out.degree() * bytes_of(out.word()), false);
  }
  bool done = true;
  with_word(out.word(), [&]<class W>(W) {
    const auto digits = state_->digits<W>(step);
    const std::size_t prepared_item = prepared_limbs * out.degree();
    cuda::KeySwitchLaunch<W> work{.key = device_view<W>(key, 2),
                                  .digits = digits.data,
                                  .digit_count = digits.count,
                                  .inverse_limbs = inverse_limbs,
                                  .limbs = static_cast<unsigned>(limbs),
                                  .tables = state_->ring_tables<W>(*step.key_ring),
                                  .arithmetics = state_->arithmetics(*step.key_ring)};
    for_pieces(out.batch, std::max<std::size_t>(2, digits.count), [&](std::size_t first, std::size_t count) {
      work.out = device_view<W>(piece_of(product.view(), first, count), 2);
      work.c = device_view<W>(piece_of(c, first, count), 1);
      work.items = static_cast<unsigned>(count);
      if (prepared != nullptr) {
        work.prepared = {static_cast<W*>(prepared->data()) + first * prepared_item, prepared_item, 0, 1, work.c.degree};
        cuda::prepare_digits(queue, work.prepared, work.c, digits.data, digits.count, work.items);
      }
      done = done && (in_two ? cuda::switch_key_in_two(
                                   queue, work, device_view<W>(piece_of(extended.view(), first, count), digits.count))
                             : cuda::switch_key(queue, work));
    });
  });
  if (!done) {
    Engine::do_key_switch(out, c, key, step, addend);
  } else if (step.rounding) {
    View dropped = product.view().limbs_at(0, *step.special_ring);
    dropped.domain = Domain::coefficient;
    do_divide_and_round(out, product.view().limbs_at(special, *step.ciphertext_ring), dropped, *step.rounding, addend);
  } else {
    const std::size_t added = addend ? addend->parts : 0;
    if (added > 0) add(out.part(0, added), product.view().part(0, added), *addend);
    if (added < 2) copy(out.part(added, 2 - added), product.view().part(added, 2 - added));
  }
}

void CudaEngine::do_divide_and_round(View out, ConstView kept, ConstView dropped, const DivideAndRound& step,
                                     const std::optional<ConstView>& addend) {
  const auto queue = state_->queue();
  const auto addend_parts = static_cast<std::uint32_t>(addend ? addend->parts : 0);
  const bool transforms = out.domain == Domain::transform;
  PolyArray correction;
  if (transforms) {
    correction = PolyArray(shared_from_this(), step.kept, out.batch, out.parts, Domain::coefficient, true);
    convert(correction.view(), dropped, step.correction);
    correction.to_transform();
  }
  with_word(out.word(), [&]<class W>(W) {
    const auto* const factors = state_->division_factors<W>(step);
    const auto constants = state_->conversion<W>(step.correction);
    const auto* const tables = state_->ring_tables<W>(*step.kept);
    for_pieces(out.batch, out.parts, [&](std::size_t first, std::size_t count) {
      const View target = piece_of(out, first, count);
      const auto to = device_view<W>(target, out.parts);
      const auto from = device_view<W>(piece_of(kept, first, count), out.parts);
      cuda::DeviceView<W> added{};
      if (addend) {
        added = device_view<W>(piece_of(*addend, first, count), out.parts);
      }
      if (transforms) {
        launch<cuda::divide_transforms<W>>(
            queue, column_grid<W>(target), block_threads, 0, 1, "division", to, from,
            device_view<W>(piece_of(std::as_const(correction).view(), first, count), out.parts), factors, added,
            addend_parts, tables);
      } else {
        cuda::divide_and_round(queue, to, from, device_view<W>(piece_of(dropped, first, count), out.parts), constants,
                               factors, added, addend_parts, static_cast<unsigned>(count * out.parts));
      }
    });
  });
}

void CudaEngine::do_hps_lift(View first_out, View second_out, ConstView a, ConstView b, const HpsLift& step) {
  const auto queue = state_->queue();
  with_word(a.word(), [&]<class W>(W) {
    const auto extend = state_->conversion<W>(step.extend), exchange = state_->conversion<W>(step.exchange),
               restore = state_->conversion<W>(step.restore);
    const std::size_t parts = a.parts;
    for_pieces(std::max(a.batch, b.batch), 2 * parts, [&](std::size_t first, std::size_t count) {
      // The smaller batch is done with the first piece.
      const auto rest = [&](std::size_t batch) { return first >= batch ? 0 : std::min(count, batch - first); };
      const auto items = [&](auto view, std::size_t some) {
        return device_view<W>(some == 0 ? view : view.items(first, some), parts);
      };
      const std::size_t of_a = rest(a.batch), of_b = rest(b.batch);
      cuda::hps_lift(queue, items(first_out, of_a), items(second_out, of_b), items(a, of_a), items(b, of_b), extend,
                     exchange, restore, static_cast<unsigned>(of_a * parts), static_cast<unsigned>(of_b * parts));
    });
  });
}

void CudaEngine::do_scale_to_plain(View out, ConstView a, const PlainRounding& step, std::uint64_t* peaks) {
  const auto queue = state_->queue();
  with_word(out.word(), [&]<class W>(W) {
    const auto scale = state_->conversion<W>(step.scale), correction = state_->conversion<W>(step.correction);
    for_pieces(out.batch, out.parts, [&](std::size_t first, std::size_t count) {
      cuda::scale_to_plain(queue, device_view<W>(piece_of(out, first, count), out.parts),
                           device_view<W>(piece_of(a, first, count), out.parts), scale, correction,
                           static_cast<unsigned>(count * out.parts), state_->peak_output(peaks, first));
    });
  });
}

void CudaEngine::do_linear_combination(View out, ConstView a, std::span<const std::int64_t> matrix) {
  const auto queue = state_->queue();
  with_word(out.word(), [&]<class W>(W) {
    const auto* const tables = state_->ring_tables<W>(*out.ring);
    std::vector<W> factors(out.limbs() * matrix.size());
    for (std::size_t l = 0; l < out.limbs(); ++l) {
      const Modulus<W> q = out.ring->basis().template moduli<W>()[l];
      for (std::size_t i = 0; i < matrix.size(); ++i) factors[l * matrix.size() + i] = q.reduce_signed(matrix[i]);
    }
    const cuda::DeviceMemory device(factors.size() * sizeof(W), queue.stream());
    upload(device.data(), factors.data(), factors.size() * sizeof(W));
    // The grid has at most 65535 items: rows are worked on in pieces.
    const std::size_t piece = std::max<std::size_t>(1, 60000 / out.parts);
    for (std::size_t first = 0; first < out.batch; first += piece) {
      const std::size_t rows = std::min(piece, out.batch - first);
      const dim3 grid = column_grid<W>(out.items(first, rows));
      launch<cuda::linear_combination<W>>(
          queue, grid, block_threads, 0, 1, "linear combination", device_view<W>(out.items(first, rows), out.parts),
          device_view<W>(a, out.parts), tables, static_cast<const W*>(device.data()) + first * a.batch,
          static_cast<std::uint32_t>(out.batch), static_cast<std::uint32_t>(a.batch),
          lazy_products<W>(out.ring->basis()));
    }
  });
}

void CudaEngine::do_mixed_radix(View out, ConstView a, const MixedRadix& step) {
  const auto queue = state_->queue();
  state_->garner.digits(out, a, step, queue);
}

void CudaEngine::do_reconstruct(std::uint64_t* words, ConstView a, const MixedRadix& step) {
  PolyArray digits(shared_from_this(), step.ring, a.batch, a.parts, Domain::coefficient, true);
  mixed_radix(digits.view(), a, step);
  const auto queue = state_->queue();
  state_->garner.compose(words, digits.view(), step, queue);
}

}  // namespace cyclotome
