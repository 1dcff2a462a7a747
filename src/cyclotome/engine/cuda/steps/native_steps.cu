// SPDX-License-Identifier: Apache-2.0
// The composites that have kernels of their own. Which it is to be is decided here, on the host, from the composite,
// the degree and what the loaded code can do (code_paths.hpp).
#include "cyclotome/engine/cuda/conversion/digit_extension.cuh"
#include "cyclotome/engine/cuda/conversion/division.cuh"
#include "cyclotome/engine/cuda/key_switch/key_switch_in_two.cuh"
#include "cyclotome/engine/cuda/key_switch/matrix_key_switch.cuh"
#include "cyclotome/engine/cuda/steps/products.cuh"
#include "cyclotome/program/composites.hpp"
#include "cyclotome/program/lifts.hpp"

namespace cyclotome::cuda {

using program::Composite;
using program::Place;
using program::Program;

namespace {

template <class W>
void run_tensor_product(const Queue& queue, const View& out, const View& a, const View& b,
                        const RingTables<W>* tables) {
  const dim3 grid(blocks(out.degree() / Columns<W>::count), limbs_of(out), static_cast<unsigned>(out.batch));
  launch<tensor_product<W>>(queue, grid, block_threads, 0, 1, "tensor product", device_view<W>(out, out.parts),
                            device_view<W>(a, a.parts), device_view<W>(b, b.parts), tables);
}

template <class W>
Step tensor_product_step(DeviceConstants& constants, const Ring& ring) {
  return [tables = constants.ring_tables<W>(ring)](const StepContext& at, Operands o) {
    run_tensor_product<W>(at.queue, o[0], o[1], o[2], tables.value);
  };
}

template <class W>
Step multiply_ciphertexts_step(DeviceConstants& constants, const Ring& ring) {
  return [tables = constants.ring_tables<W>(ring), arithmetics = constants.arithmetics(ring)](const StepContext& at,
                                                                                              Operands o) {
    const View &out = o[0], &a = o[1], &b = o[2];
    if (multiply_ciphertexts(at.queue, device_view<W>(out, 3), device_view<W>(a, 2), device_view<W>(b, 2),
                             limbs_of(out), static_cast<unsigned>(out.batch), tables.value, arithmetics)) {
      return;
    }
    // What a block would have to hold is too much here.
    run_forward<W>(at.queue, a, tables.value, arithmetics);
    if (b.data != a.data) run_forward<W>(at.queue, b, tables.value, arithmetics);
    run_tensor_product<W>(at.queue, out, a, b, tables.value);
    run_inverse<W>(at.queue, out, tables.value, arithmetics);
  };
}

template <class W>
Step multiply_key_step(DeviceConstants& constants, const Ring& ring) {
  return [tables = constants.ring_tables<W>(ring), arithmetics = constants.arithmetics(ring)](const StepContext& at,
                                                                                              Operands o) {
    const View &out = o[0], &a = o[1], &key = o[2], &addend = o[3];
    multiply_key(at.queue, device_view<W>(out, out.parts), device_view<W>(a, 1), device_view<W>(key, out.parts),
                 device_view<W>(addend, out.parts), limbs_of(out), static_cast<unsigned>(out.batch), tables.value,
                 arithmetics);
  };
}

template <class W>
Step key_switch_product_step(DeviceConstants& constants, const Ring& ring) {
  return [tables = constants.ring_tables<W>(ring), lazy = lazy_products<W>(ring.basis())](const StepContext& at,
                                                                                          Operands o) {
    const View &out = o[0], &digits = o[1], &key = o[2];
    launch<key_switch_product<W>>(at.queue, column_grid<W>(out), block_threads, 0, 1, "key switching",
                                  device_view<W>(out, out.parts), device_view<W>(digits, digits.parts),
                                  device_view<W>(key, out.parts), tables.value,
                                  static_cast<std::uint32_t>(digits.parts), lazy);
  };
}

/// Over x^n + 1, with a key of two parts.
template <class W>
Step turned_product_step(DeviceConstants& constants, const Ring& ring, std::uint64_t element) {
  return [tables = constants.ring_tables<W>(ring), element = static_cast<std::uint32_t>(element),
          lazy = lazy_products<W>(ring.basis())](const StepContext& at, Operands o) {
    const View &out = o[0], &digits = o[1], &key = o[2];
    const dim3 grid(blocks(out.degree() / Columns<W>::count), limbs_of(out), static_cast<unsigned>(out.batch));
    launch<turned_product<W>>(at.queue, grid, block_threads, 0, 1, "turned product", device_view<W>(out, out.parts),
                              device_view<W>(digits, digits.parts), device_view<W>(key, out.parts), tables.value,
                              element, bit_length(out.degree()) - 1, static_cast<std::uint32_t>(digits.parts), lazy);
  };
}

template <class W>
Step divide_and_round_step(DeviceConstants& constants, const DivideAndRound& step, bool secret) {
  return [divide = Division<W>(constants, step, secret)](const StepContext& at, Operands o) {
    divide(at, o[0], o[1], o[2], o.size() > 3 ? o[3] : View{});
  };
}

/// All of a key switch.
template <class W>
class KeySwitchNative {
 public:
  KeySwitchNative(DeviceConstants& constants, const KeySwitchConstants& step, bool secret)
      : q_(step.ciphertext_ring),
        special_(step.special_ring),
        both_(step.key_ring),
        digits_(constants.make_digits<W>(step)),
        q_tables_(constants.ring_tables<W>(*q_)),
        tables_(constants.ring_tables<W>(*both_)),
        q_arithmetics_(constants.arithmetics(*q_)),
        arithmetics_(constants.arithmetics(*both_)) {
    if (step.rounding) divide_.emplace(constants, *step.rounding, secret);
    // A digit of several primes is prepared once for all moduli, or extended to them first.
    primes_ = step.digits.front().ring->limbs();
    if (primes_ == 1) return;
    for (const auto& digit : step.digits) {
      const auto extension = digit_extension<W>(constants, step, digit);
      if (extension && !secret) extensions_.push_back({*extension, digit.first});
    }
    if (extensions_.size() < step.digits.size()) extensions_.clear();
    for (const auto& digit : step.digits) prepared_limbs_ += digit.ring->limbs() + 1;
  }

  void operator()(const StepContext& at, const View& out, View c, const View& key, const View& addend) const {
    if (c.domain == Domain::transform) c = in_coefficients(at, c);
    const std::size_t all = out.batch * both_->limbs(), degree = both_->degree();
    const std::size_t multiprocessors = at.queue.multiprocessors;
    // In one kernel a limb's digits follow each other; side by side they are faster where limbs are few (measured).
    const bool in_two =
        few_limbs<W>(primes_ == 1 ? Verb::key_switch : Verb::key_switch_of_several, degree, all, multiprocessors);
    const bool extend_first = !extensions_.empty() && extends_first(primes_, degree, all, multiprocessors);
    View extended;
    if (in_two || extend_first) {
      extended = scratch_view<W>(at, *both_, out, digits_.value.count, Domain::transform);
    }
    const View converted = extend_first ? extended : View{};
    if (in_two && divides_in_sums(out.domain)) {
      const View dropped = scratch_view<W>(at, *special_, out, 2, Domain::coefficient);
      const auto division = divide_->in_sums(
          out, addend, at.scratch.take(out.batch * 2 * max_limb_blocks * sizeof(std::uint32_t)), {at.cells.tickets});
      const KeySwitchLaunch<W> work = launch_of(at, dropped, c, key, out.domain, converted);
      divided_key_switch(at.queue, work, device_view<W>(extended, work.digit_count), arithmetics_, division);
      return;
    }
    const View product = scratch_view<W>(at, *both_, out, 2, out.domain);
    const KeySwitchLaunch<W> work = launch_of(at, product, c, key, out.domain, converted);
    if (in_two) {
      key_switch_in_two(at.queue, work, device_view<W>(extended, work.digit_count), arithmetics_);
    } else {
      key_switch(at.queue, work, arithmetics_);
    }
    divide_product(at, out, product, addend);
  }

 private:
  View in_coefficients(const StepContext& at, const View& c) const {
    const View coefficients = scratch_view<W>(at, *q_, c, 1, Domain::coefficient);
    const auto to = device_view<W>(coefficients, 1);
    if (!inverse_in_one_pass(at.queue, to, device_view<W>(c, 1), limbs_of(c), items_of(c), q_tables_.value,
                             q_arithmetics_)) {
      run_pointwise<W>(at.queue, coefficients, c, c, q_tables_.value, Copy{});
      run_inverse<W>(at.queue, coefficients, q_tables_.value, q_arithmetics_);
    }
    return coefficients;
  }

  /// Whether the kernel of the sums divides them: transforms, whose division is three launches otherwise. Of
  /// coefficients it is one, and as fast (measured).
  bool divides_in_sums(Domain domain) const {
    return domain == Domain::transform && divide_ && divide_->fits_sums() &&
           arithmetics_.integer != arithmetics_.floating;
  }

  /// product: with the limbs modulo P as coefficients, the others in `domain`; or with the former alone. Digits of
  /// several primes are prepared, or extended into `converted` where it exists.
  KeySwitchLaunch<W> launch_of(const StepContext& at, const View& product, const View& c, const View& key,
                               Domain domain, const View& converted) const {
    const std::size_t limbs = both_->limbs(), special = special_ == nullptr ? 0 : special_->limbs();
    KeySwitchLaunch<W> work{
        .out = device_view<W>(product, 2),
        .c = device_view<W>(c, 1),
        .key = device_view<W>(key, 2),
        .digits = digits_.value.data,
        .digit_count = digits_.value.count,
        .inverse_limbs = static_cast<std::uint32_t>(domain == Domain::coefficient ? limbs : special),
        .limbs = static_cast<unsigned>(limbs),
        .items = static_cast<unsigned>(product.batch),
        .tables = tables_.value};
    if (converted.ring != nullptr) {
      work.converted = device_view<W>(converted, work.digit_count);
      extend(at.queue, work);
    } else if (prepared_limbs_ != 0) {
      const std::size_t item = prepared_limbs_ * both_->degree();
      work.prepared = {static_cast<W*>(at.scratch.take(product.batch * item * sizeof(W))), item, 0, 1, work.c.degree};
      prepare_digits(at.queue, work.prepared, work.c, work.digits, work.digit_count, work.items);
    }
    return work;
  }

  void divide_product(const StepContext& at, const View& out, const View& product, const View& addend) const {
    if (divide_) {
      View dropped = product.limbs_at(0, *special_);
      dropped.domain = Domain::coefficient;
      (*divide_)(at, out, product.limbs_at(special_->limbs(), *q_), dropped, addend);
      return;
    }
    const std::size_t added = addend.ring == nullptr ? 0 : addend.parts;
    const auto pointwise = [&](const View& to, const View& a, const View& b, auto operation) {
      run_pointwise<W>(at.queue, to, a, b, q_tables_.value, operation);
    };
    if (added > 0) pointwise(out.part(0, added), product.part(0, added), addend, Add{});
    if (added < 2) {
      const View rest = product.part(added, 2 - added);
      pointwise(out.part(added, 2 - added), rest, rest, Copy{});
    }
  }

  /// Each digit's residues modulo all primes but its own.
  void extend(const Queue& queue, const KeySwitchLaunch<W>& work) const {
    for (std::size_t d = 0; d < extensions_.size(); ++d) {
      const Extension& extension = extensions_[d];
      DeviceView<W> to = work.converted, from = work.c;
      to.data += d * to.part_stride;
      to.parts = 1;
      from.data += extension.first_limb * from.degree;
      convert_public(queue, to, from, extension.conversion.conversion.value, work.items, extension.conversion.gap);
    }
  }

  struct Extension {
    DigitExtension<W> conversion;
    std::size_t first_limb;  ///< of the operand
  };

  RingPtr q_, special_, both_;
  Resident<DeviceDigits<W>> digits_;
  std::vector<Extension> extensions_;  ///< empty where digits are only extended as they are transformed
  std::size_t primes_ = 1;             ///< of a digit but for the last
  std::size_t prepared_limbs_ = 0;     ///< of all digits, prepared
  Resident<const RingTables<W>*> q_tables_, tables_;
  LimbArithmetics q_arithmetics_, arithmetics_;
  std::optional<Division<W>> divide_;
};

template <class W>
Step key_switch_step(DeviceConstants& constants, const KeySwitchConstants& step, bool secret) {
  return [switching = KeySwitchNative<W>(constants, step, secret)](const StepContext& at, Operands o) {
    switching(at, o[0], o[1], o[2], o.size() > 3 ? o[3] : View{});
  };
}

template <class W>
Step hps_lift_step(DeviceConstants& constants, const program::HpsLift& lift) {
  return [extend = constants.conversion<W>(lift.extend), exchange = constants.conversion<W>(lift.exchange),
          restore = constants.conversion<W>(lift.restore)](const StepContext& at, Operands o) {
    const std::size_t parts = o[2].parts;
    hps_lift(at.queue, device_view<W>(o[0], parts), device_view<W>(o[1], parts), device_view<W>(o[2], parts),
             device_view<W>(o[3], parts), extend.value, exchange.value, restore.value, items_of(o[0]), items_of(o[1]));
  };
}

template <class W>
Step scale_to_plain_step(DeviceConstants& constants, const program::PlainRounding& rounding) {
  return [scale = constants.conversion<W>(rounding.scale), correction = constants.conversion<W>(rounding.correction)](
             const StepContext& at, Operands o) {
    scale_to_plain(at.queue, device_view<W>(o[0], 1), device_view<W>(o[2], 1), scale.value, correction.value,
                   items_of(o[0]), {static_cast<std::uint64_t*>(o[1].data), at.cells.peaks});
  };
}

/// Whether kernels that hold whole limbs transform them; over Phi_m no fused kernel does.
bool holds_limbs(const DeviceConstants& constants, const Ring& ring) {
  return constants.paths.one_pass && ring.kind() == RingKind::negacyclic &&
         ring.degree() >= std::size_t{1} << min_fused_log_degree &&
         ring.degree() <= std::size_t{1} << max_fused_log_degree;
}

template <class W>
Step native_step(DeviceConstants& constants, const Program& program, const Composite& composite) {
  const Place& out = composite.outs.front();
  const std::string_view name = composite.name;
  if (name == "tensor_product" && program::is_tensor_product(program, composite)) {
    return tensor_product_step<W>(constants, *out.ring);
  }
  if (name == "multiply_ciphertexts" && holds_limbs(constants, *out.ring) && out.parts == 3 &&
      composite.ins[0].parts == 2 && program::is_multiply_ciphertexts(program, composite)) {
    return multiply_ciphertexts_step<W>(constants, *out.ring);
  }
  if (name == "multiply_key" && holds_limbs(constants, *out.ring) && program::is_multiply_key(program, composite)) {
    return multiply_key_step<W>(constants, *out.ring);
  }
  if (name == "key_switch_product" && program::is_key_switch_product(program, composite)) {
    return key_switch_product_step<W>(constants, *out.ring);
  }
  if (name == "turned_product" && out.parts == 2 && out.ring->kind() == RingKind::negacyclic) {
    const auto element = program::read_turned_product(program, composite);
    return element ? turned_product_step<W>(constants, *out.ring, *element) : Step();
  }
  if (name == "divide_and_round") {
    const auto step = program::read_divide_and_round(program, composite);
    return step ? divide_and_round_step<W>(constants, *step, composite.secret) : Step();
  }
  if (name == "key_switch" && holds_limbs(constants, *out.ring)) {
    const auto step = program::read_key_switch(program, composite);
    return step ? key_switch_step<W>(constants, *step, composite.secret) : Step();
  }
  if (name == "key_switch" && out.domain == Domain::transform && composite.ins[0].domain == Domain::transform &&
      !composite.secret) {
    const auto step = program::read_key_switch(program, composite);
    return step ? key_switch_by_matrices(constants, *step) : Step();
  }
  if (name == "key_switch_and_drop" && !composite.secret) {
    const auto step = program::read_key_switch_and_drop(program, composite);
    return step ? key_switch_and_drop_by_matrices(constants, *step) : Step();
  }
  if (name == "convert_with_peaks") {
    const BaseConversion* const conversion = program::read_convert_with_peaks(program, composite);
    return conversion != nullptr ? Step(convert_with_peaks_step<W>(constants, *conversion)) : Step();
  }
  if (name == "hps_lift") {
    const auto lift = program::read_hps_lift(program, composite);
    return lift ? hps_lift_step<W>(constants, *lift) : Step();
  }
  if (name == "scale_to_plain") {
    const auto rounding = program::read_scale_to_plain(program, composite);
    return rounding ? scale_to_plain_step<W>(constants, *rounding) : Step();
  }
  return {};
}

}  // namespace

Step prepare_native(DeviceConstants& constants, const Program& program, const Composite& composite) {
  return with_word(composite.outs.front().ring->word(),
                   [&]<class W>(W) { return native_step<W>(constants, program, composite); });
}

}  // namespace cyclotome::cuda
