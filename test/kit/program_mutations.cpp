// SPDX-License-Identifier: Apache-2.0
// Whether a mistake in a program shows. Every operation of every canonical program is left out, done with other factors
// or another element, or exchanged for its neighbour in meaning: such a program is refused when it is built, or gives
// something else.
#include <iostream>

#include "../cpp/check.hpp"
#include "canonical.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/program/builder.hpp"
#include "definition_engine.hpp"
#include "runs.hpp"

using namespace cyclotome;
using namespace cyclotome::kit;
using program::Builder;
using program::Op;
using program::Place;
using program::Program;
using program::ProgramPtr;
using program::Slice;
using program::Value;
using program::Verb;

namespace {

constexpr std::size_t degree = 16;

enum class Mistake { omitted, exchanged, other_constants, other_operand };

/// The program written once more, operation by operation.
class Copy {
 public:
  Copy(const Program& program, std::uint32_t wrong, Mistake mistake) : program_(program), builder_("copy") {
    for (std::size_t i = 0; i < program.seeds(); ++i) builder_.seed(Builder::Publicity::published);
    for (const Value& value : program.values()) slices_.push_back(declared(value));
    for (std::uint32_t i = 0; i < program.ops().size(); ++i) {
      if (i != wrong) {
        write(program.ops()[i]);
      } else if (mistake != Mistake::omitted) {
        write_wrong(program.ops()[i], mistake);
      }
    }
    made_ = builder_.finish();
  }
  const ProgramPtr& program() const { return made_; }

 private:
  Slice declared(const Value& value) {
    if (value.role == Value::Role::input) {
      return builder_.input(value.ring, value.parts, value.domain, value.items, value.secret);
    }
    if (value.is_numbers()) return builder_.output_numbers();
    if (value.role == Value::Role::output) return builder_.output(value.ring, value.parts, value.domain, value.secret);
    Slice like;
    like.items = static_cast<std::uint32_t>(value.items);
    return builder_.temporary_like(like, value.ring, value.parts);
  }

  Slice slice(const Place& p) const {
    if (!p.exists()) return {};
    Slice s = slices_[p.value].part(p.first_part, p.parts).limbs(p.first_limb, p.ring->shared_from_this());
    return p.items == s.items ? s : s.item(p.first_item, p.items);
  }

  void write(const Op& op) { write(op, slice(op.out), slice(op.a), slice(op.b)); }
  void write(const Op& op, const Slice& out, const Slice& a, const Slice& b) {
    switch (op.verb) {
      case Verb::forward:
        return builder_.forward(out);
      case Verb::inverse:
        return builder_.inverse(out);
      case Verb::copy:
        return builder_.copy(out, a);
      case Verb::clear:
        return builder_.clear(out, op.out.domain);
      case Verb::add:
        return builder_.add(out, a, b);
      case Verb::subtract:
        return builder_.subtract(out, a, b);
      case Verb::negate:
        return builder_.negate(out, a);
      case Verb::multiply:
        return builder_.multiply(out, a, b);
      case Verb::multiply_accumulate:
        return builder_.multiply_accumulate(out, a, b);
      case Verb::multiply_scalars:
        return builder_.multiply_scalars(out, a, op.factors);
      case Verb::convert:
        return builder_.convert(out, a, *op.conversion);
      case Verb::automorphism:
        return builder_.automorphism(out, a, op.element);
      case Verb::sample:
        return builder_.sample(out, op.law, op.seed, op.stream, op.out.domain);
      case Verb::peaks:
        return builder_.peaks(out, a, *op.conversion);
    }
  }

  /// Throws ArgumentError where this mistake can't be made.
  void write_wrong(Op op, Mistake mistake) {
    const auto impossible = [] { throw ArgumentError("impossible"); };
    if (mistake == Mistake::exchanged) {
      switch (op.verb) {
        case Verb::forward:
          op.verb = Verb::inverse;
          break;
        case Verb::inverse:
          op.verb = Verb::forward;
          break;
        case Verb::copy:
          op.verb = Verb::negate;
          break;
        case Verb::negate:
          op.verb = Verb::copy;
          break;
        case Verb::add:
          op.verb = Verb::subtract;
          break;
        case Verb::subtract:
          op.verb = Verb::add;
          break;
        case Verb::multiply_accumulate:
          op.verb = Verb::multiply;
          break;
        case Verb::multiply:
          op.verb = Verb::add;
          break;
        default:
          impossible();
      }
      return write(op);
    }
    if (mistake == Mistake::other_constants) {
      if (op.verb == Verb::multiply_scalars) {
        op.factors[0] = op.factors[0] == 0 ? 1 : op.factors[0] - 1;
      } else if (op.verb == Verb::automorphism) {
        op.element = op.element == 1 ? 3 : op.element + 2;
      } else if (op.verb == Verb::sample) {
        op.stream = static_cast<Stream>(static_cast<std::uint32_t>(op.stream) + 20);
      } else {
        impossible();
      }
      return write(op);
    }
    // The neighbouring part or item of an operand: a wrong index.
    Slice a = slice(op.a), b = slice(op.b);
    const auto moved = [&](Slice& s, const Place& p) {
      if (!p.exists()) return false;
      const Value& value = program_.values()[p.value];
      if (p.parts < value.parts) {
        s.first_part = p.first_part + p.parts < value.parts ? p.first_part + 1 : p.first_part - 1;
        return true;
      }
      if (p.items != program::each && p.items < value.items) {
        s.first_item = p.first_item + p.items < value.items ? p.first_item + 1 : p.first_item - 1;
        return true;
      }
      return false;
    };
    if (!moved(b, op.b) && !moved(a, op.a)) impossible();
    write(op, slice(op.out), a, b);
  }

  const Program& program_;
  Builder builder_;
  std::vector<Slice> slices_;
  ProgramPtr made_;
};

struct Count {
  std::size_t refused = 0, unequal = 0, survived = 0;
};

/// What changes no result, for a reason.
bool harmless(const std::string& context, const std::string& name, const Program& program, const Op& op,
              Mistake mistake) {
  // A sum that starts from zeros: the first product needs no sum.
  if (mistake == Mistake::exchanged && op.verb == Verb::multiply_accumulate) {
    for (std::size_t i = static_cast<std::size_t>(&op - program.ops().data()); i-- > 0;) {
      const Op& before = program.ops()[i];
      if (before.out.overlaps(op.out)) return before.verb == Verb::clear;
    }
  }
  // Errors of public-key encryption are divided by the special prime: they show where it is tiny.
  if ((name == "encrypt" || name == "encrypt zero") && context.find("tiny") == std::string::npos) return true;
  // The square of -x is that of x.
  if (name == "square by BEHZ" && op.verb == Verb::copy && mistake == Mistake::exchanged) return true;
  // The digit of dropped primes is zero, whatever it is multiplied by.
  return name.ends_with("in fewer primes") && op.verb == Verb::multiply_accumulate && mistake == Mistake::other_operand;
}

TEST(every_mistake_shows) {
  std::mt19937_64 random(20240607);
  const auto engine = DefinitionEngine::create();
  Count all;
  for (const NamedContext& context : small_contexts(degree)) {
    for (const NamedProgram& named : canonical_programs(context.context)) {
      const Program& program = *named.program;
      // An error that is divided shows in some coefficient of many.
      const bool divides = named.name.starts_with("encrypt") || named.name.starts_with("decrypt");
      const Inputs inputs = random_inputs(program, divides ? 24 : 2, random);
      const auto expected = outputs_of(*engine->prepare(named.program), engine, inputs, 0);
      for (std::uint32_t i = 0; i < program.ops().size(); ++i) {
        for (const Mistake mistake :
             {Mistake::omitted, Mistake::exchanged, Mistake::other_constants, Mistake::other_operand}) {
          if (harmless(context.name, named.name, program, program.ops()[i], mistake)) continue;
          ProgramPtr wrong;
          try {
            wrong = Copy(program, i, mistake).program();
          } catch (const ArgumentError&) {
            ++all.refused;
            continue;
          }
          if (outputs_of(*engine->prepare(wrong), engine, inputs, 0) != expected) {
            ++all.unequal;
            continue;
          }
          ++all.survived;
          std::cout << "  survives: " << context.name << ": " << named.name << ", operation " << i << " ("
                    << program::name_of(program.ops()[i].verb) << "), mistake " << static_cast<int>(mistake) << '\n';
        }
      }
    }
  }
  std::cout << "  " << all.refused << " refused or impossible, " << all.unequal << " unequal\n";
  CHECK_EQ(all.survived, std::size_t{0});
  CHECK(all.unequal > 100 && all.refused > 100);
}

}  // namespace

int main() { return cyclotome::check::run(); }
