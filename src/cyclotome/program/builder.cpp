// SPDX-License-Identifier: Apache-2.0
// Values, what is known of them, and the end of a program. The verbs: builder_verbs.cpp.
#include "cyclotome/program/builder.hpp"

#include <algorithm>

#include "cyclotome/math/errors.hpp"

namespace cyclotome::program {

namespace {

[[noreturn]] void no_such_window(const char* what, std::size_t first, std::size_t count, std::size_t all) {
  throw ArgumentError(message("a value of ", all, ' ', what, " has none from ", first, " to ", first + count - 1));
}

}  // namespace

Slice Slice::part(std::size_t first, std::size_t count) const {
  if (count == 0 || first > parts || count > parts - first) no_such_window("parts", first, count, parts);
  Slice s = *this;
  s.first_part += static_cast<std::uint32_t>(first);
  s.parts = static_cast<std::uint32_t>(count);
  return s;
}

Slice Slice::limbs(std::size_t first, const RingPtr& slice) const {
  if (first > ring->limbs() || slice->limbs() > ring->limbs() - first) {
    no_such_window("limbs", first, slice->limbs(), ring->limbs());
  }
  if (!(*slice->shape() == *ring->shape()) || slice->limb_words() != ring->limb_words() ||
      !(ring->basis().slice(first, slice->limbs()) == slice->basis())) {
    throw ArgumentError(message("the ring given is not the slice of ", slice->limbs(), " limbs from limb ", first,
                                " on of the value's own"));
  }
  Slice s = *this;
  s.first_limb += static_cast<std::uint32_t>(first);
  s.ring = slice;
  return s;
}

Slice Slice::item(std::size_t first, std::size_t count) const {
  if (items == each) throw ArgumentError("a value of as many items as the program runs with has no item by number");
  if (count == 0 || first > items || count > items - first) no_such_window("items", first, count, items);
  Slice s = *this;
  s.first_item += static_cast<std::uint32_t>(first);
  s.items = static_cast<std::uint32_t>(count);
  return s;
}

Builder::Builder(std::string_view name) : program_(new Program) { program_->name_ = name; }

Slice Builder::declare(Value value, Cell cell) {
  require(value.ring != nullptr && value.parts >= 1, "declare", "a value needs a ring and a part at least");
  cells_.emplace_back(value.parts * value.ring->limbs(), cell);
  read_.push_back(false);
  const auto number = static_cast<std::uint32_t>(program_->values_.size());
  if (value.role != Value::Role::temporary) program_->operands_.push_back(number);
  Slice s{number,    0, static_cast<std::uint32_t>(value.parts), 0, 0, static_cast<std::uint32_t>(value.items),
          value.ring};
  program_->values_.push_back(std::move(value));
  return s;
}

Slice Builder::input(const RingPtr& ring, std::size_t parts, Domain domain, std::size_t items, bool secret) {
  const auto state = domain == Domain::transform ? Cell::State::transform : Cell::State::coefficient;
  return declare({Value::Role::input, ring, parts, items, domain, secret}, {state});
}

Slice Builder::output(const RingPtr& ring, std::size_t parts, Domain domain, bool secret) {
  return declare({Value::Role::output, ring, parts, each, domain, secret}, {});
}

Slice Builder::output_numbers() { return output(number_ring(), 1, Domain::coefficient, true); }

Slice Builder::temporary(const RingPtr& ring, std::size_t parts) {
  return declare({Value::Role::temporary, ring, parts, each, Domain::coefficient, false}, {});
}

Slice Builder::temporary_like(const Slice& like, const RingPtr& ring, std::size_t parts) {
  return declare({Value::Role::temporary, ring, parts, like.items, Domain::coefficient, false}, {});
}

std::uint32_t Builder::seed(Publicity publicity) {
  public_seeds_.push_back(publicity == Publicity::published);
  return static_cast<std::uint32_t>(program_->seeds_++);
}

template <class Visit>
void Builder::visit(const Slice& a, const Visit& visitor) const {
  require(a.value < cells_.size(), "slice", "it is of no value of this program");
  const std::size_t limbs = program_->values_[a.value].ring->limbs();
  for (std::size_t p = a.first_part; p < a.first_part + a.parts; ++p) {
    for (std::size_t l = a.first_limb; l < a.first_limb + a.ring->limbs(); ++l) {
      visitor(cells_[a.value][p * limbs + l]);
    }
  }
}

void Builder::set(const char* verb, const Slice& out, Cell cell) {
  bool in_vain = false;
  visit(out, [&](Cell& c) {
    in_vain |= c.unread;
    c = cell;
  });
  require(!in_vain, verb, "value ", out.value, " is written over what nobody has read");
}

Domain Builder::domain_of(const char* verb, const Slice& a) const {
  bool coefficient = false, transform = false, unwritten = false;
  visit(a, [&](const Cell& c) {
    coefficient |= c.state == Cell::State::coefficient;
    transform |= c.state == Cell::State::transform;
    unwritten |= c.state == Cell::State::unwritten;
  });
  require(!unwritten, verb, "value ", a.value, " is read where nothing was written to it, or where it was used up");
  require(coefficient != transform, verb, "value ", a.value, " is partly transformed");
  return transform ? Domain::transform : Domain::coefficient;
}

Domain Builder::read(const char* verb, const Slice& a) {
  const Domain domain = domain_of(verb, a);
  visit(a, [](Cell& c) { c.unread = false; });
  read_[a.value] = true;
  return domain;
}

const BaseConversion* Builder::own(const BaseConversion& conversion) {
  auto& all = program_->conversions_;
  const auto known = std::ranges::find_if(all, [&](const auto& held) { return held->id() == conversion.id(); });
  if (known != all.end()) return known->get();
  return all.emplace_back(std::make_shared<const BaseConversion>(conversion)).get();
}

Place Builder::place(const Slice& a, Domain domain) {
  if (std::ranges::find(program_->rings_, a.ring) == program_->rings_.end()) program_->rings_.push_back(a.ring);
  return {a.value, a.first_part, a.parts, a.first_limb, a.first_item, a.items, a.ring.get(), domain};
}

void Builder::composite(std::string_view name, const std::vector<Slice>& outs, const std::vector<Slice>& ins,
                        const std::vector<Slice>& spoiled, const std::function<void()>& body) {
  constexpr auto verb = "composite";
  const std::size_t index = program_->composites_.size(), first_value = program_->values_.size();
  Composite made{name, static_cast<std::uint32_t>(program_->ops_.size()), 0, {}, {}, {}, false};
  require(!outs.empty() && outs.size() + ins.size() <= Composite::max_places, verb, name, " has ", outs.size(),
          " outs and ", ins.size(), " ins; there may be ", Composite::max_places, " in all, and one out at least");
  for (const Slice& in : ins) made.ins.push_back(place(in, domain_of(verb, in)));
  for (const Slice& in : ins) {
    const Place whole = made.ins[&in - ins.data()];
    made.spoiled.push_back(
        std::ranges::any_of(spoiled, [&](const Slice& s) { return place(s, Domain::coefficient).same_window(whole); }));
  }
  for (const Slice& s : spoiled) {
    require(program_->values_[s.value].role == Value::Role::temporary, verb, name, " spoils what is the caller's");
    require(std::ranges::any_of(made.ins, [&](const Place& in) { return in.same_window(place(s, in.domain)); }), verb,
            name, " spoils what is none of its ins");
  }
  for (const Slice& out : outs) set(verb, out, {});  // what was there before is none of its ins
  program_->composites_.push_back(made);             // before those in it
  body();
  made.last = static_cast<std::uint32_t>(program_->ops_.size());
  require(made.last > made.first, verb, name, " does nothing");
  for (const Slice& out : outs) made.outs.push_back(place(out, domain_of(verb, out)));
  require_composed(made, first_value);
  program_->composites_[index] = std::move(made);
  for (const Slice& s : spoiled) set(verb, s, {});
  for (std::size_t v = first_value; v < program_->values_.size(); ++v) {
    require(program_->values_[v].role == Value::Role::temporary, verb, "operands are declared outside of ", name);
    for (Cell& cell : cells_[v]) {
      require(!cell.unread, verb, "value ", v, " in ", name, " is computed in vain");
      cell = {};
    }
  }
}

void Builder::require_composed(const Composite& composite, std::size_t first_value) const {
  constexpr auto verb = "composite";
  const auto in_any = [](const std::vector<Place>& places, const Place& p) {
    return std::ranges::any_of(places, [&](const Place& whole) { return whole.contains(p); });
  };
  for (std::size_t i = 0; i < composite.outs.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) require_apart(verb, composite.outs[i], composite.outs[j], false);
    for (const Place& in : composite.ins) require_apart(verb, composite.outs[i], in, false);
  }
  for (std::size_t i = composite.first; i < composite.last; ++i) {
    const Op& op = program_->ops_[i];
    bool may_write = op.out.value >= first_value || in_any(composite.outs, op.out);
    for (std::size_t k = 0; k < composite.ins.size(); ++k) {
      may_write |= composite.spoiled[k] && composite.ins[k].contains(op.out);
    }
    require(may_write, verb, composite.name, " writes to value ", op.out.value, ", which is none of its outs");
    for (const Place* p : {&op.a, &op.b}) {
      require(!p->exists() || p->value >= first_value || in_any(composite.outs, *p) || in_any(composite.ins, *p), verb,
              composite.name, " reads value ", p->value, ", which is none of its ins");
    }
  }
}

/// Secret if anything is that goes in, or is in its temporaries.
void Builder::derive_secrecy(Composite& composite) const {
  for (const Place& in : composite.ins) composite.secret |= program_->values_[in.value].secret;
  for (std::size_t i = composite.first; i < composite.last; ++i) {
    composite.secret |= program_->values_[program_->ops_[i].out.value].secret;
  }
}

ProgramPtr Builder::finish() {
  constexpr auto verb = "finish";
  for (std::uint32_t v = 0; v < program_->values_.size(); ++v) {
    const Value& value = program_->values_[v];
    const Slice whole{
        v, 0, static_cast<std::uint32_t>(value.parts), 0, 0, static_cast<std::uint32_t>(value.items), value.ring};
    if (value.role == Value::Role::output) {
      require(domain_of(verb, whole) == value.domain, verb, "output ", v, " ends in another domain than was declared");
      continue;
    }
    require(value.role == Value::Role::temporary || read_[v], verb, "input ", v, " is never read");
    visit(whole, [&](const Cell& c) { require(!c.unread, verb, "value ", v, " is computed in vain"); });
  }
  for (Composite& composite : program_->composites_) derive_secrecy(composite);
  return std::move(program_);
}

}  // namespace cyclotome::program
