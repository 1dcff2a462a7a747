// SPDX-License-Identifier: Apache-2.0
// A program as text: one line for each value that a caller gives, and for each operation.
#include <iomanip>
#include <sstream>

#include "cyclotome/program/digest.hpp"
#include "cyclotome/program/program.hpp"

namespace cyclotome::program {

Digest digest_of(const BaseConversion& conversion) {
  Digest digest;
  digest.add(conversion.source().values());
  digest.add(conversion.target().values());
  digest.add(static_cast<std::uint64_t>(conversion.lift()));
  with_word(conversion.source().word(), [&]<class W>(W) {
    const ConversionTables<W>& tables = conversion.tables<W>();
    for (const auto& factor : tables.punctured_inverses) digest.add(factor.operand);
    for (const auto entry : tables.matrix) digest.add(entry);
    for (const auto entry : tables.negative_wraps) digest.add(entry);
    for (const auto& factor : tables.copy_factors) digest.add(factor.operand);
  });
  return digest;
}

namespace {

// Constants change the text, and don't fill it.
std::ostream& operator<<(std::ostream& out, const Digest& digest) {
  return out << '#' << std::hex << std::setw(8) << std::setfill('0') << (digest.value() >> 32) << std::dec;
}

const char* name_of(Law law) { return law == Law::uniform ? "uniform" : law == Law::ternary ? "ternary" : "error"; }

class Writer {
 public:
  explicit Writer(const Program& program) : program_(program) {}

  std::string text() {
    out_ << program_.name() << '\n';
    for (const std::uint32_t v : program_.operands()) operand(v);
    std::size_t depth = 1, next = 0;
    std::vector<std::uint32_t> ends;
    for (std::uint32_t i = 0; i <= program_.ops().size(); ++i) {
      for (; !ends.empty() && ends.back() == i; ends.pop_back()) line(--depth) << "}\n";
      for (; next < program_.composites().size() && program_.composites()[next].first == i; ++next) {
        line(depth++) << program_.composites()[next].name << (program_.composites()[next].secret ? " (secret)" : "")
                      << " {\n";
        ends.push_back(program_.composites()[next].last);
      }
      if (i < program_.ops().size()) op(program_.ops()[i], depth);
    }
    return out_.str();
  }

 private:
  std::ostream& line(std::size_t depth) { return out_ << std::string(2 * depth, ' '); }

  void operand(std::uint32_t v) {
    const Value& value = program_.values()[v];
    line(1) << (value.role == Value::Role::input ? "input " : "output ");
    name(v);
    if (value.is_numbers()) {
      out_ << ": numbers";
    } else {
      out_ << ": " << value.parts << (value.parts == 1 ? " part, " : " parts, ") << value.ring->limbs()
           << (value.ring->limbs() == 1 ? " limb" : " limbs");
      if (value.domain == Domain::transform) out_ << ", transforms";
    }
    if (value.items != each) out_ << ", " << value.items << (value.items == 1 ? " item" : " items");
    out_ << (value.secret ? ", secret\n" : "\n");
  }

  void name(std::uint32_t v) {
    const Value& value = program_.values()[v];
    out_ << (value.role == Value::Role::input ? 'i' : value.role == Value::Role::output ? 'o' : 't') << v;
    if (value.role == Value::Role::temporary && value.secret) out_ << '!';
  }

  void place(const Place& p) {
    if (!p.exists()) return;
    const Value& value = program_.values()[p.value];
    out_ << ' ';
    name(p.value);
    if (p.parts != value.parts) window(".part", p.first_part, p.parts);
    if (p.ring->limbs() != value.ring->limbs()) window(".limb", p.first_limb, p.ring->limbs());
    if (p.items != value.items) window(".item", p.first_item, p.items);
    if (p.domain == Domain::transform) out_ << '^';
  }

  void window(const char* what, std::size_t first, std::size_t count) {
    out_ << what << '(' << first;
    if (count != 1) out_ << "..." << first + count - 1;
    out_ << ')';
  }

  void op(const Op& op, std::size_t depth) {
    line(depth) << program::name_of(op.verb);
    place(op.out);
    if (op.a.exists()) out_ << " <-";
    place(op.a);
    place(op.b);
    if (op.conversion != nullptr) out_ << ' ' << digest_of(*op.conversion);
    if (op.verb == Verb::multiply_scalars) {
      Digest factors;
      factors.add(op.factors);
      out_ << ' ' << factors;
    }
    if (op.verb == Verb::automorphism) out_ << " by " << op.element;
    if (op.verb == Verb::sample) {
      out_ << ' ' << name_of(op.law) << " from seed " << op.seed << ", stream " << static_cast<int>(op.stream);
    }
    out_ << '\n';
  }

  const Program& program_;
  std::ostringstream out_;
};

}  // namespace

std::string Program::text() const { return Writer(*this).text(); }

}  // namespace cyclotome::program
