// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cyclotome/ring/conversion/base_conversion.hpp"
#include "cyclotome/ring/randomness/sampling.hpp"
#include "cyclotome/ring/view.hpp"

namespace cyclotome::program {

/// What an operation of a program does: one sentence of mathematics each (engine/engine.hpp). The list is closed:
/// whatever is more than one of them is a composite.
enum class Verb : std::uint8_t {
  forward,
  inverse,
  copy,
  clear,
  add,
  subtract,
  negate,
  multiply,
  multiply_accumulate,
  multiply_scalars,
  convert,
  automorphism,
  sample,
  peaks
};
const char* name_of(Verb verb) noexcept;

/// Number of items of a value that has as many as the operation is asked for.
inline constexpr std::size_t each = 0;

/// Z_q[x] of one word: the ring of values that are one 64-bit number for each item, and no polynomials.
const RingPtr& number_ring();

/// What a program computes with. Inputs and outputs are the caller's memory, in the order of their declaration.
struct Value {
  enum class Role : std::uint8_t { input, output, temporary };
  Role role;
  RingPtr ring;
  std::size_t parts, items;  ///< items: `each`, or a number: the digits of a key, or 1 for what is broadcast
  Domain domain;             ///< of an input when the program begins, of an output when it ends
  bool secret;               ///< its memory is zeroised after use: declared secret, or computed from what is

  /// One 64-bit number for each item, one after another.
  bool is_numbers() const noexcept { return ring == number_ring(); }
  std::size_t item_bytes() const noexcept {
    return parts * ring->limbs() * ring->limb_words() * bytes_of(ring->word());
  }
};

/// A window on a value: some of its parts, limbs and items, and the domain in which they are read or written there.
struct Place {
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  std::uint32_t value = none;
  std::uint32_t first_part = 0, parts = 0, first_limb = 0, first_item = 0, items = 0;
  const Ring* ring = nullptr;  ///< of the window's limbs
  Domain domain = Domain::coefficient;

  bool exists() const noexcept { return value != none; }
  bool overlaps(const Place& other) const noexcept;
  bool contains(const Place& other) const noexcept;
  /// The same residues; the domain does not count.
  bool same_window(const Place& other) const noexcept;
};

/// One verb on places. `forward` and `inverse` work in place, on `out`.
struct Op {
  Verb verb;
  Place out, a{}, b{};
  const BaseConversion* conversion = nullptr;  ///< of convert and peaks; the program's own
  std::vector<std::uint64_t> factors{};        ///< of multiply_scalars
  std::uint64_t element = 0;                   ///< of automorphism
  Law law{};                                   ///< of sample, as are seed (number of the caller's) and stream
  std::uint32_t seed = 0;
  Stream stream{};
};

/// A run of operations that has a name, so that an engine which knows it may compute it at once. What it means is its
/// operations; an engine that does not know the name just does them. Composites are nested or apart.
struct Composite {
  static constexpr std::size_t max_places = 8;
  std::string_view name;  ///< a literal
  std::uint32_t first, last;
  std::vector<Place> outs, ins;  ///< all memory that it shares with the rest; outs are only written
  std::vector<bool> spoiled;     ///< by in: what it holds afterwards is not said, so an engine may write to it
  bool secret;                   ///< what is computed in between may be secret: memory for it is zeroised after use
};

/// A straight-line program over polynomials: what an operation of a scheme is, for given parameters, levels and shapes.
/// Checked when it was built (builder.hpp), immutable, and the same for every engine.
class Program {
 public:
  std::string_view name() const noexcept { return name_; }
  /// Names this program within the process.
  std::uint64_t id() const noexcept { return id_; }
  const std::vector<Value>& values() const noexcept { return values_; }
  const std::vector<Op>& ops() const noexcept { return ops_; }
  /// By first operation; a composite stands before those in it.
  const std::vector<Composite>& composites() const noexcept { return composites_; }
  /// Inputs and outputs, as the caller gives them: numbers of values.
  const std::vector<std::uint32_t>& operands() const noexcept { return operands_; }
  std::size_t seeds() const noexcept { return seeds_; }

  /// The verbs, conversions and factors of a composite's operations, in their order: its constants.
  std::vector<Verb> verbs(const Composite& composite) const;
  std::vector<const BaseConversion*> conversions(const Composite& composite) const;
  std::vector<const std::vector<std::uint64_t>*> factors(const Composite& composite) const;
  /// For people, and for files that show what a change of mathematics changed: constants are there as short digests.
  std::string text() const;

 private:
  friend class Builder;
  Program();

  std::string_view name_;
  std::uint64_t id_;
  std::vector<Value> values_;
  std::vector<Op> ops_;
  std::vector<Composite> composites_;
  std::vector<std::uint32_t> operands_;
  std::size_t seeds_ = 0;
  std::vector<RingPtr> rings_;  // that places and conversions point to
  std::vector<std::shared_ptr<const BaseConversion>> conversions_;
};

using ProgramPtr = std::shared_ptr<const Program>;

}  // namespace cyclotome::program
