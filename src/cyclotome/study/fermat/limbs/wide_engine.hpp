// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "cyclotome/engine/engine.hpp"
#include "cyclotome/study/fermat/limbs/conversion.hpp"
#include "cyclotome/study/fermat/limbs/rounding.hpp"
#include "cyclotome/study/fermat/limbs/wide_ring.hpp"

// WHERE wide words are computed: beside an engine, on memory of that engine, in the order of its verbs. Rows are
// words[part][word][coefficient]; all ways give the same bits.
namespace cyclotome::study::fermat {

/// Polynomials of one call: `parts` of them, whose first rows lie so many words apart.
struct Many {
  std::size_t degree, parts = 1, out_stride = 0, in_stride = 0;
  bool secret = false;  ///< so that what lies between steps is wiped
};

using Words = std::uint64_t;
/// From rows to rows, with constants where the engine uses them. out is not in.
using WideStep = std::function<void(Words* out, const Words* in, const Many& many)>;
/// How often sums of y_j B/b_j wrap around B, for each coefficient; wraps: `degree` numbers a part, one after another.
using WrapStep = std::function<void(std::int64_t* wraps, const Words* y, const Many& many)>;
/// ToLimb::run. wraps: as WrapStep leaves them.
using ToLimbStep = std::function<void(Words* out, const Words* y, const std::int64_t* wraps, const Many& many)>;
/// messages = the rounding of one polynomial (rounding.hpp); gives the largest distance.
using RoundStep = std::function<std::uint64_t(Words* messages, const Words* in, std::size_t degree)>;

/// `width` bits of one limb's residues from bit `first` on.
struct DigitPlace {
  std::size_t limb;
  unsigned first, width;
};

class WideEngine {
 public:
  virtual ~WideEngine() = default;
  /// Of an engine: made by one of `add_maker`, or this processor's threads where the engine's memory is the host's.
  /// Throws EngineError where there is none.
  static std::shared_ptr<const WideEngine> of(const EnginePtr& engine);
  /// What makes them of engines of one kind, and null of others.
  using Maker = std::shared_ptr<const WideEngine> (*)(const EnginePtr&);
  static void add_maker(Maker maker);

  /// The engine in whose memory words lie.
  virtual const EnginePtr& engine() const noexcept = 0;
  /// Whether that memory is the host's.
  virtual bool on_host() const noexcept = 0;

  virtual WideStep from_wide(const std::shared_ptr<const FromWide>& conversion) const = 0;
  /// D_RNS: words of all limbs.
  virtual WideStep puncture(const std::shared_ptr<const Punctured>& punctured) const = 0;
  /// out: rows of the limb alone.
  virtual ToLimbStep to_limb(const std::shared_ptr<const ToLimb>& conversion) const = 0;
  virtual WrapStep centred_wraps(const Basis& source) const = 0;
  virtual WrapStep redundant_wraps(const RedundantModulus& redundant) const = 0;
  virtual RoundStep round_behz(const BehzRounding& rounding) const = 0;
  virtual RoundStep round_positional(const PositionalRounding& rounding) const = 0;
  /// out (rows of q) = round(t D/q), in: products as ToLimb made them.
  virtual WideStep divide_positional(const PositionalRounding& rounding) const = 0;
  /// out: residues modulo `basis` of integers in [0, q), less q from now on where the integer is above q/2; in: rows.
  virtual WideStep centre(const Basis& basis, const PositionalRounding& rounding) const = 0;

  // As WideRing's functions; out may be an operand.
  virtual void add(const WideRing& ring, Words* out, const Words* a, const Words* b, std::size_t parts) const = 0;
  virtual void subtract(const WideRing& ring, Words* out, const Words* a, const Words* b, std::size_t parts) const = 0;
  virtual void negate(const WideRing& ring, Words* out, const Words* a, std::size_t parts) const = 0;
  virtual void scale(const WideRing& ring, Words* out, const Words* a, std::uint64_t factor,
                     std::size_t parts) const = 0;
  virtual void move_limb(const WideRing& ring, Words* out, std::size_t to, const Words* rows,
                         std::size_t from) const = 0;
  /// A digit of a polynomial, `copies` rows of it one after another.
  virtual void digit(const WideRing& ring, Words* out, const Words* polynomial, const DigitPlace& place,
                     std::size_t copies) const = 0;
};

using WideEnginePtr = std::shared_ptr<const WideEngine>;

/// Words in an engine's memory.
class WideWords {
 public:
  WideWords(const WideEngine& wide, std::size_t count, bool secret);
  /// The host's words, where they are if the engine reaches them there, else a copy.
  WideWords(const WideEngine& wide, const Words* host, std::size_t count, bool secret);

  Words* data() noexcept { return data_; }
  const Words* data() const noexcept { return data_; }
  std::size_t size() const noexcept { return count_; }
  void to_host(Words* host) const { to_host(host, count_); }
  /// The first `count` of them.
  void to_host(Words* host, std::size_t count) const;
  /// The same words for `wide` to compute with: where they are if that is beside the same engine, else a copy in its
  /// memory, which passes the host. Engines know nothing of each other's memory and order, not even two on one device.
  WideWords moved_to(const WideEngine& wide, bool secret) &&;

 private:
  EnginePtr engine_;
  std::unique_ptr<Buffer> buffer_;
  Words* data_;
  std::size_t count_;
};

}  // namespace cyclotome::study::fermat
