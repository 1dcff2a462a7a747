// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include "cyclotome/engine/cuda/conversion/digit_extension.cuh"
#include "cyclotome/engine/cuda/conversion/division.cuh"
#include "cyclotome/engine/cuda/key_switch/item_sums.cuh"
#include "cyclotome/engine/cuda/key_switch/matrix_key_switch.cuh"

namespace cyclotome::cuda {

namespace {

using W = std::uint32_t;

/// What a sum of digits' products reads and writes.
struct DigitProducts {
  DeviceView<W> out, digits, c, key;  ///< transforms; digit d of an item is its part d, c lies over q
  const RingTables<W>* tables;
  std::uint32_t digit_count, special, per_digit, lazy, items, unused = 0;
  DeviceView<W> addend = {};                       ///< 2 parts over q, if it is added
  const ShoupFactor<W>* addend_factors = nullptr;  ///< what it is multiplied by, modulo each prime of q
};

/// out (2 parts) = sum over digits of digit times key; c where a limb is the digit's own; and a multiple of the addend
/// if it is `Added`. A thread has both parts for `Items` items, which share what it reads of the key. Grid: (columns,
/// limbs, items / Items).
template <unsigned Items, bool Added>
__global__ void digit_products(const __grid_constant__ DigitProducts work) {
  constexpr unsigned count = Columns<W>::count;
  const std::uint32_t column = first_column<W>();
  if (column >= work.out.degree) return;
  const std::uint32_t l = blockIdx.y, first = blockIdx.z * Items;
  const Modulus<W> q = work.tables->limb[l].modulus;
  LazySum<W> sums[Items][2][count];
  for (std::uint32_t d = 0; d < work.digit_count; ++d) {
    const bool own = l >= work.special && (l - work.special) / work.per_digit == d;
    Columns<W> x[Items];
#pragma unroll
    for (unsigned i = 0; i < Items; ++i) {
      const std::uint32_t item = min(first + i, work.items - 1);
      x[i] = *columns(own ? work.c.limb(item, 0, l - work.special) : work.digits.limb(item, d, l), column);
    }
#pragma unroll
    for (unsigned part = 0; part < 2; ++part) {
      const Columns<W> key = *columns(work.key.limb(d, part, l), column);
#pragma unroll
      for (unsigned i = 0; i < Items; ++i) {
#pragma unroll
        for (unsigned k = 0; k < count; ++k) sums[i][part][k].add(x[i].word[k], key.word[k], d, work.lazy, q);
      }
    }
  }
  if constexpr (Added) {
    if (l >= work.special) {
      const W factor = work.addend_factors[l - work.special].operand;
#pragma unroll
      for (unsigned i = 0; i < Items; ++i) {
        const std::uint32_t item = min(first + i, work.items - 1);
#pragma unroll
        for (unsigned part = 0; part < 2; ++part) {
          const Columns<W> x = *columns(work.addend.limb(item, part, l - work.special), column);
#pragma unroll
          for (unsigned k = 0; k < count; ++k) sums[i][part][k].add(x.word[k], factor, work.digit_count, work.lazy, q);
        }
      }
    }
  }
#pragma unroll
  for (unsigned i = 0; i < Items; ++i) {
    if (first + i >= work.items) break;
#pragma unroll
    for (unsigned part = 0; part < 2; ++part) {
      Columns<W> result;
#pragma unroll
      for (unsigned k = 0; k < count; ++k) result.word[k] = sums[i][part][k].reduced(q);
      *columns(work.out.limb(first + i, part, l), column) = result;
    }
  }
}

void run_digit_products(const Queue& queue, const DigitProducts& work, unsigned limbs) {
  const auto run = [&]<unsigned Items>() {
    const dim3 grid(blocks(work.out.degree / Columns<W>::count), limbs, blocks(work.items, Items));
    if (work.addend_factors == nullptr) {
      launch<digit_products<Items, false>>(queue, grid, block_threads, 0, 1, "products of digits", work);
    } else {
      launch<digit_products<Items, true>>(queue, grid, block_threads, 0, 1, "products of digits and addend", work);
    }
  };
  work.items >= 16 ? run.template operator()<4>() : run.template operator()<1>();
}

/// The same memory for each tile's division.
class OneScratch final : public Scratch {
 public:
  explicit OneScratch(void* data) : data_(data) {}
  void* take(std::size_t) override { return data_; }

 private:
  void* data_;
};

class KeySwitchByMatrices {
 public:
  /// step: with its own division, or without, where the one given drops primes of q as well.
  KeySwitchByMatrices(DeviceConstants& constants, const KeySwitchConstants& step, const DivideAndRound* joint = nullptr)
      : q_(step.ciphertext_ring),
        special_(step.special_ring),
        both_(step.key_ring),
        dropped_(joint == nullptr ? special_ : joint->dropped),
        kept_(joint == nullptr ? q_ : joint->kept),
        q_transform_(constants, *q_),
        special_transform_(constants, *special_),
        transform_(constants, *both_),
        divide_(constants, joint == nullptr ? *step.rounding : *joint, false),
        per_digit_(step.digits.front().ring->limbs()),
        lazy_(lazy_products<W>(both_->basis())) {
    for (const auto& digit : step.digits) add_extension(constants, step, digit);
    if (joint == nullptr) return;
    last_.emplace(q_->slice(kept_->limbs(), q_->limbs() - kept_->limbs()));
    last_transform_.emplace(constants, **last_);
    addend_factors_ = constants.make_factors<W>(q_->basis(), program::special_product(step));
  }

  /// Whether the digits are as kernels take them: neighbours of one number but for the last, extended as they are.
  bool usable() const { return usable_ && transform_.matrices() != nullptr; }

  void operator()(const StepContext& at, const View& out, const View& c, const View& key, const View& addend) const {
    // What does not fit the working set goes in tiles.
    const std::size_t each = (extensions_.size() + 5) * both_->limbs() * both_->degree() * sizeof(W);
    const std::size_t most = std::clamp<std::size_t>((std::size_t{2} << 30) / each, 1, max_items / 64);
    const std::size_t tiles = (out.batch + most - 1) / most, tile = (out.batch + tiles - 1) / tiles;
    View like = out;
    like.batch = tile;
    const Work work{scratch_view<W>(at, *q_, like, 1, Domain::coefficient),
                    scratch_view<W>(at, *both_, like, extensions_.size(), Domain::transform),
                    scratch_view<W>(at, *both_, like, 2, Domain::transform),
                    last_ ? scratch_view<W>(at, *dropped_, like, 2, Domain::coefficient) : View{}};
    OneScratch correction(scratch_view<W>(at, *kept_, like, 2, Domain::coefficient).data);
    const StepContext tiled{at.queue, correction, at.seeds, at.first_item};
    for (std::size_t first = 0; first < out.batch; first += tile) {
      const std::size_t count = std::min(tile, out.batch - first);
      const auto piece = [&](const View& view) { return view.ring == nullptr ? view : piece_of(view, first, count); };
      const auto scratch = [&](const View& view) { return view.ring == nullptr ? view : view.items(0, count); };
      run(tiled, piece(out), piece(c), key, piece(addend),
          {scratch(work.coefficients), scratch(work.digits), scratch(work.product), scratch(work.dropped)});
    }
  }

 private:
  struct Work {
    View coefficients, digits, product, dropped;  ///< the last only where it is no part of the product
  };

  void add_extension(DeviceConstants& constants, const KeySwitchConstants& step,
                     const KeySwitchConstants::Digit& digit) {
    const auto extension = digit_extension<W>(constants, step, digit);
    usable_ =
        usable_ && extension && digit.first == extensions_.size() * per_digit_ && digit.ring->limbs() <= per_digit_;
    if (extension) extensions_.push_back(*extension);
  }

  void run(const StepContext& at, const View& out, const View& c, const View& key, const View& addend,
           const Work& work) const {
    const unsigned items = static_cast<unsigned>(out.batch), limbs = limbs_of(work.product);
    const auto digit_count = static_cast<std::uint32_t>(extensions_.size());
    const auto special = static_cast<std::uint32_t>(special_->limbs());
    const auto from = device_view<W>(c, 1);
    const auto digits = device_view<W>(work.digits, digit_count);
    transform_by_matrices(at.queue, device_view<W>(work.coefficients, 1), from, limbs_of(c), items,
                          *q_transform_.matrices(), Direction::to_coefficients);
    for (std::uint32_t d = 0; d < digit_count; ++d) {
      const auto& [conversion, gap] = extensions_[d];
      View source = work.coefficients;
      source.data = static_cast<W*>(source.data) + std::size_t{d} * per_digit_ * q_->degree();
      convert_public(at.queue, device_view<W>(work.digits.part(d), 1), device_view<W>(source, 1), conversion.value,
                     items, gap);
    }
    transform_by_matrices(at.queue, FromDigits{digits, special, static_cast<std::uint32_t>(per_digit_)}, limbs,
                          items * digit_count, *transform_.matrices());
    DigitProducts products{device_view<W>(work.product, 2),
                           digits,
                           from,
                           device_view<W>(key, 2),
                           transform_.tables(),
                           digit_count,
                           special,
                           static_cast<std::uint32_t>(per_digit_),
                           lazy_,
                           items};
    if (last_) {
      products.addend = device_view<W>(addend, 2);
      products.addend_factors = addend_factors_->value;
    }
    run_digit_products(at.queue, products, limbs);
    divide_(at, out, work.product.limbs_at(special, *kept_), in_coefficients(at, work, items), last_ ? View{} : addend);
  }

  /// What is divided off, in coefficients: in place where it is P's limbs alone.
  View in_coefficients(const StepContext& at, const Work& work, unsigned items) const {
    const auto transform = [&](const View& to, const View& from, const RingTransform<W>& by) {
      transform_by_matrices(at.queue, device_view<W>(to, 2), device_view<W>(from, 2), limbs_of(to), 2 * items,
                            *by.matrices(), Direction::to_coefficients);
    };
    const View high = work.product.limbs_at(0, *special_);
    View dropped = last_ ? work.dropped : high;
    transform(last_ ? dropped.limbs_at(0, *special_) : high, high, special_transform_);
    if (last_) {
      transform(dropped.limbs_at(special_->limbs(), **last_),
                work.product.limbs_at(special_->limbs() + kept_->limbs(), **last_), *last_transform_);
    }
    dropped.domain = Domain::coefficient;
    return dropped;
  }

  RingPtr q_, special_, both_, dropped_, kept_;
  RingTransform<W> q_transform_, special_transform_, transform_;
  std::optional<RingPtr> last_;  ///< the primes of q that go, if some do
  std::optional<RingTransform<W>> last_transform_;
  std::optional<Resident<const ShoupFactor<W>*>> addend_factors_;
  Division<W> divide_;
  std::size_t per_digit_;
  std::uint32_t lazy_;
  std::vector<DigitExtension<W>> extensions_;
  bool usable_ = true;
};

/// Whether transforms go by matrices.
bool serves(const DeviceConstants& constants, const KeySwitchConstants& step) {
  const Ring& ring = *step.ciphertext_ring;
  return ring.word() == Word::u32 && ring.kind() == RingKind::cyclotomic && constants.paths.one_pass;
}

}  // namespace

Step key_switch_by_matrices(DeviceConstants& constants, const KeySwitchConstants& step) {
  if (!serves(constants, step) || !step.rounding) return {};
  KeySwitchByMatrices switching(constants, step);
  if (!switching.usable()) return {};
  return [switching = std::move(switching)](const StepContext& at, Operands o) {
    switching(at, o[0], o[1], o[2], o.size() > 3 ? o[3] : View{});
  };
}

Step key_switch_and_drop_by_matrices(DeviceConstants& constants, const program::SwitchAndDrop& step) {
  if (!serves(constants, step.key_switch)) return {};
  KeySwitchByMatrices switching(constants, step.key_switch, &step.division);
  if (!switching.usable()) return {};
  return
      [switching = std::move(switching)](const StepContext& at, Operands o) { switching(at, o[0], o[1], o[2], o[3]); };
}

}  // namespace cyclotome::cuda
