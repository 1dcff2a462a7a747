// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "cyclotome/math/errors.hpp"
#include "cyclotome/program/program.hpp"

namespace cyclotome::program {

/// A value of a program that is being built, or a window on one. Its domain is nobody's to say: the builder knows it.
struct Slice {
  std::uint32_t value = Place::none;
  std::uint32_t first_part = 0, parts = 0, first_limb = 0, first_item = 0, items = 0;
  RingPtr ring;

  /// Throw ArgumentError for what the value does not have.
  Slice part(std::size_t first, std::size_t count = 1) const;
  /// The limbs from `first` on that `slice`, a slice of this one's ring, describes.
  Slice limbs(std::size_t first, const RingPtr& slice) const;
  /// Some of a known number of items: digits of a key.
  Slice item(std::size_t first, std::size_t count = 1) const;
};

/// Writes a program down and checks each operation as it comes: bases, shapes and domains fit, nothing is read that was
/// not written, no input is written, nothing is computed in vain, and every output is written in the end. All of it
/// throws ArgumentError. What is computed from secrets is secret.
class Builder {
 public:
  /// name: a literal.
  explicit Builder(std::string_view name);

  /// The caller's memory, in the order in which it is given when the program runs. A secret output is memory that its
  /// owner zeroises; another one declassifies what is written to it.
  Slice input(const RingPtr& ring, std::size_t parts, Domain domain, std::size_t items = each, bool secret = false);
  Slice output(const RingPtr& ring, std::size_t parts, Domain domain, bool secret = false);
  /// A 64-bit number for each item, as `peaks` writes them; secret.
  Slice output_numbers();
  /// Memory of the program: of as many items as `like`, or as it runs with.
  Slice temporary(const RingPtr& ring, std::size_t parts);
  Slice temporary_like(const Slice& like, const RingPtr& ring, std::size_t parts);
  /// A seed of the caller, numbered in the order of declaration. Uniform draws from a public one are public.
  enum class Publicity : bool { secret, published };
  std::uint32_t seed(Publicity publicity = Publicity::secret);

  /// What is in a slice now.
  Domain domain(const Slice& a) const { return domain_of("domain", a); }

  // The verbs of engine/engine.hpp. Operands of one part or of one item are broadcast. The result may be an operand
  // where it is the same slice, but not of `convert` and `automorphism`.
  void forward(const Slice& a);
  void inverse(const Slice& a);
  void copy(const Slice& out, const Slice& a);
  void clear(const Slice& out, Domain domain);
  void add(const Slice& out, const Slice& a, const Slice& b);
  void subtract(const Slice& out, const Slice& a, const Slice& b);
  void negate(const Slice& out, const Slice& a);
  void multiply(const Slice& out, const Slice& a, const Slice& b);
  void multiply_accumulate(const Slice& out, const Slice& a, const Slice& b);
  void multiply_scalars(const Slice& out, const Slice& a, std::vector<std::uint64_t> factors);
  void convert(const Slice& out, const Slice& a, const BaseConversion& conversion);  // the program has its own copy
  void automorphism(const Slice& out, const Slice& a, std::uint64_t element);
  void sample(const Slice& out, Law law, std::uint32_t seed, Stream stream, Domain domain = Domain::coefficient);
  void peaks(const Slice& numbers, const Slice& a, const BaseConversion& conversion);

  /// Names the operations of `body`: they read nothing but `ins`, write nothing but `outs` and what of `ins` is
  /// `spoiled`, besides temporaries of their own, and end with every one of `outs` written. What was spoiled is
  /// unwritten afterwards. Outs lie apart from one another and from all ins.
  void composite(std::string_view name, const std::vector<Slice>& outs, const std::vector<Slice>& ins,
                 const std::vector<Slice>& spoiled, const std::function<void()>& body);

  ProgramPtr finish();

 private:
  friend class Rewriting;
  /// What is known of one limb of one part.
  struct Cell {
    enum class State : std::uint8_t { unwritten, coefficient, transform };
    State state = State::unwritten;
    bool unread = false;  ///< written by an operation, and not read since
  };

  template <class... Parts>
  void require(bool condition, const char* verb, const Parts&... what) const;
  Slice declare(Value value, Cell cell);
  template <class Visit>
  void visit(const Slice& a, const Visit& visitor) const;
  void set(const char* verb, const Slice& out, Cell cell);
  Domain domain_of(const char* verb, const Slice& a) const;
  Domain read(const char* verb, const Slice& a);
  Place place(const Slice& a, Domain domain);
  const BaseConversion* own(const BaseConversion& conversion);
  void require_fit(const char* verb, const Slice& out, const Slice& a, bool same_basis) const;
  void require_apart(const char* verb, const Place& out, const Place& a, bool may_be_same) const;
  void pointwise(Verb verb, const Slice& out, const Slice& a, const Slice& b);
  void write(Op op, const Slice& out, Domain after);
  void require_composed(const Composite& composite, std::size_t first_value) const;
  void derive_secrecy(Composite& composite) const;

  std::shared_ptr<Program> program_;
  mutable std::vector<std::vector<Cell>> cells_;  // [value][part * limbs + limb]
  std::vector<bool> read_, public_seeds_;         // by value; by seed
};

template <class... Parts>
void Builder::require(bool condition, const char* verb, const Parts&... what) const {
  if (!condition) throw ArgumentError(message("program ", program_->name(), ": ", verb, ": ", what...));
}

}  // namespace cyclotome::program
