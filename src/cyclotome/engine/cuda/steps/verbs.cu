// SPDX-License-Identifier: Apache-2.0
// The verbs: at once, in pieces that a grid can hold, and as steps of programs.
#include "cyclotome/engine/cuda/cuda_engine.hpp"
#include "cyclotome/engine/cuda/state.cuh"
#include "cyclotome/engine/cuda/steps/verb_steps.cuh"

namespace cyclotome {

using cuda::check;
using cuda::piece_of;

namespace {

View writable(ConstView a) {
  return {const_cast<void*>(a.data), a.ring, a.batch, a.parts, a.batch_stride, a.part_stride, a.domain};
}

/// Verbs need none.
struct NoScratch final : cuda::Scratch {
  void* take(std::size_t) override { throw EngineError("CUDA: a verb has no memory of its own"); }
};

/// Makes a step and runs it on the operands' items, a piece at a time. It is made in the device's context too:
/// constants that it is the first to need are copied there.
template <class Make>
void run_in_pieces(cuda::DeviceState& state, const Make& make, View out, ConstView a = {}, ConstView b = {},
                   std::span<const Seed* const> seeds = {}, std::uint32_t first_item = 0) {
  const cuda::Turn turn(state, {a.data, b.data}, {out.data});
  with_word(out.word(), [&]<class W>(W word) {
    const auto step = make(word);
    NoScratch scratch;
    cuda::for_pieces(out.batch, out.parts, [&](std::size_t first, std::size_t count) {
      const View operands[] = {piece_of(out, first, count), piece_of(writable(a), first, count),
                               piece_of(writable(b), first, count)};
      step(cuda::StepContext{turn.queue(), scratch, seeds, first_item + static_cast<std::uint32_t>(first)}, operands);
    });
  });
}

template <class Operation>
void pointwise(cuda::DeviceState& state, View out, ConstView a, ConstView b, Operation operation) {
  const auto make = [&]<class W>(W) { return cuda::pointwise_step<W>(state.constants, *out.ring, operation); };
  run_in_pieces(state, make, out, a, b);
}

}  // namespace

void CudaEngine::do_forward(View a) {
  run_in_pieces(*state_, [&]<class W>(W) { return cuda::forward_step<W>(state_->constants, *a.ring); }, a);
}

void CudaEngine::do_inverse(View a) {
  run_in_pieces(*state_, [&]<class W>(W) { return cuda::inverse_step<W>(state_->constants, *a.ring); }, a);
}

void CudaEngine::do_copy(View out, ConstView a) { pointwise(*state_, out, a, a, cuda::Copy{}); }
void CudaEngine::do_add(View out, ConstView a, ConstView b) { pointwise(*state_, out, a, b, cuda::Add{}); }
void CudaEngine::do_subtract(View out, ConstView a, ConstView b) { pointwise(*state_, out, a, b, cuda::Subtract{}); }
void CudaEngine::do_negate(View out, ConstView a) { pointwise(*state_, out, a, a, cuda::Negate{}); }
void CudaEngine::do_multiply(View out, ConstView a, ConstView b) { pointwise(*state_, out, a, b, cuda::Multiply{}); }
void CudaEngine::do_multiply_accumulate(View accumulator, ConstView a, ConstView b) {
  pointwise(*state_, accumulator, a, b, cuda::MultiplyAccumulate{});
}

void CudaEngine::do_clear(View out) {
  if (out.ring == program::number_ring().get() && out.batch_stride == 1) {
    // One word for each: of a polynomial of their ring, behind the last there need be no memory.
    const cuda::Turn turn(*state_, {}, {out.data});
    check(cudaMemsetAsync(out.data, 0, out.batch * sizeof(std::uint64_t), turn.stream()), "clearing");
    return;
  }
  run_in_pieces(*state_, []<class W>(W) { return cuda::clear_step<W>(); }, out);
}

void CudaEngine::do_multiply_scalars(View out, ConstView a, std::span<const std::uint64_t> factors) {
  const auto make = [&]<class W>(W) { return cuda::multiply_scalars_step<W>(state_->constants, *out.ring, factors); };
  run_in_pieces(*state_, make, out, a);
}

void CudaEngine::do_convert(View out, ConstView a, const BaseConversion& conversion) {
  const auto make = [&]<class W>(W) { return cuda::convert_step<W>(state_->constants, conversion); };
  run_in_pieces(*state_, make, out, a);
}

void CudaEngine::do_peaks(View numbers, ConstView a, const BaseConversion& conversion) {
  const std::size_t limb_bytes = a.degree() * bytes_of(a.word());
  const auto memory = allocate(numbers.batch * conversion.target().size() * limb_bytes, true);
  struct Given final : cuda::Scratch {
    explicit Given(void* to_data) : data(to_data) {}
    void* take(std::size_t) override { return data; }
    void* data;
  } scratch(memory->data());
  const cuda::Turn turn(*state_, {a.data}, {numbers.data, memory->data()});
  if (numbers.batch > cuda::max_items) {
    throw EngineError(message("CUDA: peaks of ", numbers.batch, " items; at most ", cuda::max_items));
  }
  with_word(a.word(), [&]<class W>(W) {
    const View operands[] = {numbers, writable(a)};
    cuda::peaks_step<W>(state_->constants, conversion)(
        cuda::StepContext{turn.queue(), scratch, {}, 0, turn.lane().cells}, operands);
  });
}

void CudaEngine::do_automorphism(View out, ConstView a, std::uint64_t element) {
  const auto make = [&]<class W>(W) { return cuda::automorphism_step<W>(state_->constants, *out.ring, element); };
  run_in_pieces(*state_, make, out, a);
}

void CudaEngine::do_sample(View out, Law law, const Seed& seed, Stream stream, std::uint32_t first_item) {
  const Seed* const seeds[] = {&seed};
  const auto make = [&]<class W>(W) { return cuda::sample_step<W>(state_->constants, *out.ring, law, 0, stream); };
  run_in_pieces(*state_, make, out, {}, {}, seeds, first_item);
}

namespace cuda {

Step prepare_verb(DeviceConstants& constants, const program::Op& op) {
  using program::Verb;
  const Ring& ring = *op.out.ring;
  return with_word(op.verb == Verb::peaks ? op.a.ring->word() : ring.word(), [&]<class W>(W) -> Step {
    switch (op.verb) {
      case Verb::forward:
        return forward_step<W>(constants, ring);
      case Verb::inverse:
        return inverse_step<W>(constants, ring);
      case Verb::copy:
        return pointwise_step<W>(constants, ring, Copy{});
      case Verb::clear:
        return clear_step<W>();
      case Verb::add:
        return pointwise_step<W>(constants, ring, Add{});
      case Verb::subtract:
        return pointwise_step<W>(constants, ring, Subtract{});
      case Verb::negate:
        return pointwise_step<W>(constants, ring, Negate{});
      case Verb::multiply:
        return pointwise_step<W>(constants, ring, Multiply{});
      case Verb::multiply_accumulate:
        return pointwise_step<W>(constants, ring, MultiplyAccumulate{});
      case Verb::multiply_scalars:
        return multiply_scalars_step<W>(constants, ring, op.factors);
      case Verb::convert:
        return convert_step<W>(constants, *op.conversion);
      case Verb::automorphism:
        return automorphism_step<W>(constants, ring, op.element);
      case Verb::sample:
        return sample_step<W>(constants, ring, op.law, op.seed, op.stream);
      case Verb::peaks:
        return peaks_step<W>(constants, *op.conversion);
    }
    return {};
  });
}

}  // namespace cuda

}  // namespace cyclotome
