// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/program/builder.hpp"

namespace cyclotome::program {

void Builder::require_fit(const char* verb, const Slice& out, const Slice& a, bool same_basis) const {
  require(a.ring == out.ring || (same_basis ? a.ring->same_as(*out.ring) : *a.ring->shape() == *out.ring->shape()),
          verb, "operand ", a.value, " and result ", out.value, " are over different rings");
  require((a.parts == out.parts || a.parts == 1) && (a.items == out.items || a.items == 1), verb, "operand ", a.value,
          " of ", a.parts, " parts and ", a.items, " items does not fit result ", out.value, " of ", out.parts,
          " parts and ", out.items, " items (0: each)");
}

void Builder::require_apart(const char* verb, const Place& out, const Place& a, bool may_be_same) const {
  const bool apart = !out.overlaps(a), same = may_be_same && out.same_window(a);
  require(apart || same, verb, "result and operand overlap in value ", out.value);
}

void Builder::write(Op op, const Slice& out, Domain after) {
  const char* const verb = name_of(op.verb);
  Value& target = program_->values_[out.value];
  require(target.role != Value::Role::input, verb, "input ", out.value, " can't be written");
  require(out.items == target.items, verb, "some items of value ", out.value,
          " can't be written: what is known of it is known of all its items");
  const bool across = op.verb == Verb::convert || op.verb == Verb::automorphism || op.verb == Verb::peaks;
  bool secret = op.verb == Verb::sample && (op.law != Law::uniform || !public_seeds_[op.seed]);
  for (const Place* p : {&op.a, &op.b}) {
    if (!p->exists()) continue;
    require_apart(verb, op.out, *p, !across);
    secret |= program_->values_[p->value].secret;
  }
  if (target.role == Value::Role::temporary) target.secret |= secret;
  set(verb, out, {after == Domain::transform ? Cell::State::transform : Cell::State::coefficient, true});
  program_->ops_.push_back(std::move(op));
}

void Builder::forward(const Slice& a) {
  require(read("forward", a) == Domain::coefficient, "forward", "value ", a.value, " is a transform already");
  for (std::size_t l = 0; l < a.ring->limbs(); ++l) {
    require(a.ring->has_transform(l), "forward", "modulus ", a.ring->basis()[l], " has no transform of this length");
  }
  write({Verb::forward, place(a, Domain::coefficient)}, a, Domain::transform);
}

void Builder::inverse(const Slice& a) {
  require(read("inverse", a) == Domain::transform, "inverse", "value ", a.value, " is in coefficients already");
  write({Verb::inverse, place(a, Domain::transform)}, a, Domain::coefficient);
}

void Builder::pointwise(Verb verb, const Slice& out, const Slice& a, const Slice& b) {
  const char* const name = name_of(verb);
  const Domain domain = read(name, a);
  require_fit(name, out, a, true);
  Op op{verb, place(out, domain), place(a, domain)};
  if (b.value != Place::none) {
    require_fit(name, out, b, true);
    require(read(name, b) == domain, name, "operands ", a.value, " and ", b.value, " must be in one domain");
    op.b = place(b, domain);
  }
  if (verb == Verb::multiply_accumulate) {
    require(read(name, out) == domain, name, "the sum ", out.value, " is in another domain than what is added");
  }
  write(std::move(op), out, domain);
}

void Builder::copy(const Slice& out, const Slice& a) { pointwise(Verb::copy, out, a, {}); }
void Builder::add(const Slice& out, const Slice& a, const Slice& b) { pointwise(Verb::add, out, a, b); }
void Builder::subtract(const Slice& out, const Slice& a, const Slice& b) { pointwise(Verb::subtract, out, a, b); }
void Builder::negate(const Slice& out, const Slice& a) { pointwise(Verb::negate, out, a, {}); }
void Builder::multiply(const Slice& out, const Slice& a, const Slice& b) { pointwise(Verb::multiply, out, a, b); }
void Builder::multiply_accumulate(const Slice& out, const Slice& a, const Slice& b) {
  pointwise(Verb::multiply_accumulate, out, a, b);
}

void Builder::clear(const Slice& out, Domain domain) { write({Verb::clear, place(out, domain)}, out, domain); }

void Builder::multiply_scalars(const Slice& out, const Slice& a, std::vector<std::uint64_t> factors) {
  constexpr auto verb = "multiply_scalars";
  const Domain domain = read(verb, a);
  require_fit(verb, out, a, true);
  require(factors.size() == out.ring->limbs(), verb, factors.size(), " factors for ", out.ring->limbs(), " limbs");
  for (std::size_t l = 0; l < factors.size(); ++l) {
    require(factors[l] < out.ring->basis()[l], verb, "factor ", factors[l], " is not below its modulus ",
            out.ring->basis()[l]);
  }
  Op op{Verb::multiply_scalars, place(out, domain), place(a, domain)};
  op.factors = std::move(factors);
  write(std::move(op), out, domain);
}

void Builder::convert(const Slice& out, const Slice& a, const BaseConversion& conversion) {
  constexpr auto verb = "convert";
  require(read(verb, a) == Domain::coefficient, verb, "operand ", a.value, " must be in coefficients");
  require_fit(verb, out, a, false);
  require(a.ring->basis() == conversion.source() && out.ring->basis() == conversion.target(), verb, "operand ", a.value,
          " and result ", out.value, " are not over the conversion's bases (", conversion.source().size(), " to ",
          conversion.target().size(), " limbs)");
  Op op{Verb::convert, place(out, Domain::coefficient), place(a, Domain::coefficient)};
  op.conversion = own(conversion);
  write(std::move(op), out, Domain::coefficient);
}

void Builder::automorphism(const Slice& out, const Slice& a, std::uint64_t element) {
  constexpr auto verb = "automorphism";
  const Domain domain = read(verb, a);
  require_fit(verb, out, a, true);
  const GaloisGroup& galois = out.ring->galois();
  require(galois.contains(element), verb, "Galois element ", element, " must be ", galois.requirement());
  Op op{Verb::automorphism, place(out, domain), place(a, domain)};
  op.element = element;
  write(std::move(op), out, domain);
}

void Builder::sample(const Slice& out, Law law, std::uint32_t seed, Stream stream, Domain domain) {
  constexpr auto verb = "sample";
  require(seed < public_seeds_.size(), verb, "there is no seed number ", seed);
  require(domain == Domain::coefficient || law == Law::uniform, verb, "only uniform draws may be transforms");
  for (std::size_t l = 0; l < out.ring->limbs() && law == Law::error; ++l) {
    const std::uint64_t bound = out.ring->shape()->errors().bound();
    require(out.ring->basis()[l] > bound, verb, "errors of magnitude up to ", bound, " are no residues modulo ",
            out.ring->basis()[l]);
  }
  require(out.parts <= std::size_t{1} << 16, verb, out.parts, " parts; one seed has 2^16 of a stream");
  Op op{Verb::sample, place(out, domain)};
  op.law = law;
  op.seed = seed;
  op.stream = stream;
  write(std::move(op), out, domain);
}

void Builder::peaks(const Slice& numbers, const Slice& a, const BaseConversion& conversion) {
  constexpr auto verb = "peaks";
  require(read(verb, a) == Domain::coefficient && a.parts == 1, verb, "operand ", a.value,
          " must be in coefficients, one part");
  require(program_->values_[numbers.value].is_numbers() && numbers.items == a.items, verb, "value ", numbers.value,
          " holds no number for each item of operand ", a.value);
  require(a.ring->basis() == conversion.source() && conversion.lift() == Lift::centred, verb,
          "the conversion is from another basis than operand ", a.value, "'s, or its lift is not centred");
  Op op{Verb::peaks, place(numbers, Domain::coefficient), place(a, Domain::coefficient)};
  op.conversion = own(conversion);
  write(std::move(op), numbers, Domain::coefficient);
}

}  // namespace cyclotome::program
