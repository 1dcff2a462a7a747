// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace cyclotome::circuit {

/// Values that an algebra computes with together: an array of ciphertexts, of plain values, or of noise bounds.
/// Immutable; what it is made of is its algebra's affair.
class Batch : public std::enable_shared_from_this<Batch> {
 public:
  Batch() = default;
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;
  virtual ~Batch() = default;
};

/// Values that an algebra made; shared, immutable.
using BatchPtr = std::shared_ptr<const Batch>;

/// One item of a batch.
struct Place {
  const Batch* batch;  ///< of this algebra
  std::size_t item;    ///< counted from 0
};

/// Terms of several sums: `group` of the first, then as many of the second, ...
struct Summands {
  std::vector<Place> places;  ///< sum after sum
  std::size_t group;          ///< terms of each
};

/// What is public about a batch.
struct Facts {
  /// How many items there are.
  std::size_t items;
  std::size_t parts;             ///< 3 with products that were not relinearised, else 2
  std::size_t level;             ///< how many levels there are, this one included; 1 where there are none
  double log2_noise;             ///< of the largest noise that an item may have; very small where there is none
  double headroom;               ///< bits that it may grow until decryption refuses
  std::uint64_t correction = 1;  ///< what all values are multiples by, modulo t; 1 where there is no such thing
};

/// What operands must share before they meet.
struct Standing {
  std::size_t level = 0;         ///< as Facts has it
  std::uint64_t correction = 1;  ///< likewise
  bool operator==(const Standing&) const = default;
};

/// What circuits are computed in: bits, ciphertexts of some scheme, noise bounds. Whoever implements this runs every
/// circuit; nothing here depends on a scheme. Operands are batches that the same algebra made, in numbers of items that
/// fit; the evaluation asks for nothing else.
class Algebra {
 public:
  virtual ~Algebra() = default;

  /// The modulus t of all values.
  virtual std::uint64_t modulus() const = 0;
  /// What is known of a batch without looking at its values.
  virtual Facts facts(const Batch& a) const = 0;
  /// About how many items of 2 parts are worth computing at once, at least 1: a layer is cut into pieces of so many.
  virtual std::size_t items_at_once() const = 0;

  /// The items at these places, one or more, in this order. They have one level; of items of 2 and 3 parts the result
  /// has 3.
  virtual BatchPtr gather(std::span<const Place> places) const = 0;
  /// The level to compute products of these operands at, all of 2 parts: not above the level of any.
  virtual std::size_t product_level(std::span<const Batch* const> operands) const = 0;
  /// The correction factor that suits all of these best at a level, in whatever order they come. By default 1.
  virtual std::uint64_t common_correction([[maybe_unused]] std::span<const Batch* const> operands,
                                          [[maybe_unused]] std::size_t level) const {
    return 1;
  }
  /// The correction factor of what has this standing when it is lowered to a level. By default it stays.
  virtual std::uint64_t correction_below(const Standing& standing, [[maybe_unused]] std::size_t level) const {
    return standing.correction;
  }
  /// All items brought to a level that is not above their own.
  virtual BatchPtr lowered(const Batch& a, std::size_t level) const = 0;
  /// The same values with another correction factor. By default `a`: there are none.
  virtual BatchPtr corrected(const Batch& a, [[maybe_unused]] std::uint64_t correction) const {
    return a.shared_from_this();
  }
  /// The same items, of an algebra of the same kind, where this one computes. By default `a`.
  virtual BatchPtr copied(const Batch& a) const { return a.shared_from_this(); }
  /// Held while relinearisations are computed one after the other: what they take is brought near once. By default
  /// nothing.
  virtual std::shared_ptr<const void> keys_at_hand() const { return nullptr; }

  /// Item by item, not relinearised. `a` and `b` have 2 parts, one level and as many items.
  virtual BatchPtr multiply(const Batch& a, const Batch& b) const = 0;
  /// From 3 parts to 2.
  virtual BatchPtr relinearize(const Batch& a) const = 0;
  /// The same at a level that is not above its own. By default one after the other.
  virtual BatchPtr relinearize_to(const Batch& a, std::size_t level) const;
  /// Item by item; one level, as many items, 2 or 3 parts each.
  virtual BatchPtr add(const Batch& a, const Batch& b) const = 0;
  /// Each `group` neighbours added up.
  virtual BatchPtr sum_groups(const Batch& a, std::size_t group) const = 0;
  /// Sum i is that of all its summands and constants[i], centred modulo t, where all items have one level. Unless an
  /// algebra can do better, each are gathered, added up in groups, and added to those before; then the constants.
  virtual BatchPtr sum(std::span<const Summands> summands, std::span<const std::int64_t> constants) const;
  /// The products of the items at a[i] and b[i], each `group` neighbours added up. Unless an algebra can do
  /// better, by gather, multiply and sum_groups.
  virtual BatchPtr sum_products(std::span<const Place> a, std::span<const Place> b, std::size_t group) const;
  /// Item i times factors[i], which are centred modulo t and not 0.
  virtual BatchPtr scale(const Batch& a, std::span<const std::int64_t> factors) const = 0;
  /// Item i plus constants[i], centred modulo t.
  virtual BatchPtr add_constants(const Batch& a, std::span<const std::int64_t> constants) const = 0;
};

}  // namespace cyclotome::circuit
