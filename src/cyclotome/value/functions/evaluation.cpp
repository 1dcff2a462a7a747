// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/value/functions/evaluation.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "cyclotome/math/errors.hpp"
#include "cyclotome/rlwe/members.hpp"
#include "cyclotome/scheme/encoding.hpp"
#include "cyclotome/value/renewal/room.hpp"

namespace cyclotome::value {

namespace {

using Form = EvaluationPlan::Form;
using State = rlwe::NoiseModel::State;

std::int64_t centred(std::uint64_t residue, std::uint64_t t) {
  return static_cast<std::int64_t>(residue) - (residue > t / 2 ? static_cast<std::int64_t>(t) : 0);
}

/// What a sum of powers times residues takes of the room that each has.
double reserve_of(const Ciphertext& x) { return std::log2(static_cast<double>(x.plain_modulus().value)) + 8; }

/// Ciphertexts, as a plan is evaluated with.
class Encrypted {
 public:
  using Value = Ciphertext;

  Encrypted(const Ciphertext& like, const rlwe::EvaluationKeys& keys, const Options& options)
      : t_(like.plain_modulus().value),
        context_(like.context()),
        plain_(like.plain()),
        keys_(keys),
        products_("a polynomial", keys, options, reserve_of(like)) {}

  Value multiplied(const Value& a, const Value& b) { return products_.product(a, b, false); }
  Value multiplied_and_relinearized(const Value& a, const Value& b) { return products_.product(a, b, true); }
  Value relinearized(const Value& a) const { return a.parts() == 2 ? a : rlwe::relinearize(a, keys_); }
  static Value added(const Value& a, const Value& b) { return scheme::add(a, b); }
  Value plus_constant(const Value& a, std::uint64_t constant) const {
    const std::int64_t value = centred(constant, t_);
    return scheme::add_plain(a,
                             encode_residues(context_, plain_, Encoding::Kind::constants, std::span(&value, 1), 1, 1));
  }

  Value with_room(const Value& a) { return products_.with_room(a, 0); }

  /// Puts the powers that most forms have side by side, item by item, so that a form of them is one pass.
  void lay_out(const std::vector<const Value*>& powers) {
    tables_.clear();
    if (powers.size() < 2) return;
    std::vector<Value> members;
    for (const Value* const power : powers) members.push_back(products_.latest(*power));
    const Value all = concatenated(members);
    const std::size_t batch = powers.front()->batch();
    for (std::size_t item = 0; item < batch && batch > 1; ++item) {
      std::vector<rlwe::Member> of_item;
      for (std::size_t power = 0; power < powers.size(); ++power) of_item.push_back({&all, power * batch + item});
      tables_.push_back(rlwe::gather(of_item));
    }
    if (batch == 1) tables_.push_back(all);
  }
  /// The sum of factors[i] times power number i of those.
  Value combined(const std::vector<std::uint64_t>& factors) const {
    std::vector<std::int64_t> row;
    for (const std::uint64_t factor : factors) row.push_back(centred(factor, t_));
    std::vector<Value> items;
    for (const Value& table : tables_) items.push_back(rlwe::linear_combination(table, row, 1));
    return concatenated(items);
  }
  Value times(const Value& a, std::uint64_t factor) const {
    return factor == 1 ? a : rlwe::multiply_scalar(a, centred(factor, t_));
  }

 private:
  static Value concatenated(const std::vector<Value>& members) {
    if (members.size() == 1) return members.front();
    std::vector<const Value*> pointers;
    for (const Value& member : members) pointers.push_back(&member);
    return scheme::concatenate(pointers);
  }

  std::uint64_t t_;
  rlwe::ContextPtr context_;
  rlwe::PlainIndex plain_;
  const rlwe::EvaluationKeys& keys_;
  RoomyProducts products_;
  std::vector<Value> tables_;
};

/// Their noise alone.
class Estimated {
 public:
  using Value = State;

  Estimated(const rlwe::NoiseModel& model, std::uint64_t t) : t_(t), model_(model) {}

  Value multiplied(const Value& a, const Value& b) const { return model_.multiplied(a, b); }
  Value multiplied_and_relinearized(const Value& a, const Value& b) const {
    return model_.relinearized(model_.multiplied(a, b));
  }
  Value relinearized(const Value& a) const { return model_.relinearized(a); }
  Value added(const Value& a, const Value& b) const {
    const rlwe::Level level = std::min(a.level, b.level);
    return model_.added(lowered(a, level), lowered(b, level));
  }
  Value plus_constant(const Value& a, std::uint64_t) const { return model_.with_plain(a); }
  void lay_out(const std::vector<const Value*>& powers) {
    rlwe::Level level = powers.front()->level;
    for (const Value* const power : powers) level = std::min(level, power->level);
    std::vector<Value> states;
    for (const Value* const power : powers) states.push_back(lowered(*power, level));
    worst_ = model_.joined(states);
  }
  Value combined(const std::vector<std::uint64_t>& factors) const {
    double weight = 0;
    for (const std::uint64_t factor : factors) weight += std::abs(static_cast<double>(centred(factor, t_)));
    return model_.summed(*worst_, std::max(weight, 1.0));
  }
  Value times(const Value& a, std::uint64_t factor) const {
    return model_.summed(a, std::abs(static_cast<double>(centred(factor, t_))));
  }

 private:
  Value lowered(const Value& a, rlwe::Level level) const { return a.level == level ? a : model_.lowered(a, level); }

  std::uint64_t t_;
  const rlwe::NoiseModel& model_;
  std::optional<Value> worst_;
};

template <class Algebra>
class Evaluation {
 public:
  using Value = typename Algebra::Value;

  Evaluation(const EvaluationPlan& plan, Algebra& algebra, const Value& x) : plan_(plan), algebra_(algebra) {
    powers_.emplace(1, x);
    for (const std::size_t exponent : plan.powers) {
      const Halves halves = halves_of(exponent, plan.baby);
      const Value &larger = powers_.at(halves.larger), &smaller = powers_.at(halves.smaller);
      powers_.emplace(exponent, algebra_.multiplied_and_relinearized(larger, smaller));
    }
    std::vector<const Value*> side_by_side;
    for (const auto& [exponent, power] : powers_) {
      if (exponent <= plan.baby) side_by_side.push_back(&power);
    }
    algebra_.lay_out(side_by_side);
  }

  /// Of two parts.
  Value root(std::size_t number) {
    bool lazy = false;
    Value result = node(number, lazy);
    return lazy ? algebra_.relinearized(result) : result;
  }

 private:
  /// lazy: whether a product in it is still to be relinearised.
  Value node(std::size_t number, bool& lazy) {
    const EvaluationPlan::Node& of = plan_.nodes[number];
    if (of.is_form()) return form(of.form);
    const Value left = root(*of.left), right = root(*of.right);
    // Relinearised at once, unless a product is added that is relinearised together with this one.
    lazy = of.rest && !plan_.nodes[*of.rest].is_form();
    Value total = lazy ? algebra_.multiplied(left, right) : algebra_.multiplied_and_relinearized(left, right);
    if (of.rest) {
      bool ignored = false;
      total = algebra_.added(total, node(*of.rest, ignored));
    }
    if (!of.form.terms.empty()) return algebra_.added(total, form(of.form));
    return of.form.constant == 0 ? total : algebra_.plus_constant(total, of.form.constant);
  }

  Value form(const Form& form) {
    std::optional<Value> total;
    const auto add = [&](Value term) { total = total ? algebra_.added(*total, term) : std::move(term); };
    std::size_t small = 0;
    for (const auto& term : form.terms) small += term.exponent <= plan_.baby;
    if (small > 1) add(combination(form));
    for (const auto& term : form.terms) {
      if (small > 1 && term.exponent <= plan_.baby) continue;
      add(algebra_.times(powers_.at(term.exponent), term.factor));
    }
    if (!total) total = algebra_.times(powers_.at(1), 0);  // a constant, which is no ciphertext
    return form.constant == 0 ? *total : algebra_.plus_constant(*total, form.constant);
  }

  Value combination(const Form& form) {
    std::map<std::size_t, std::uint64_t> factors;
    for (const auto& term : form.terms) factors[term.exponent] = term.factor;
    std::vector<std::uint64_t> row;
    for (const auto& [exponent, power] : powers_) {
      if (exponent <= plan_.baby) row.push_back(factors.contains(exponent) ? factors[exponent] : 0);
    }
    return algebra_.combined(row);
  }

  const EvaluationPlan& plan_;
  Algebra& algebra_;
  std::map<std::size_t, Value> powers_;
};

}  // namespace

std::vector<Ciphertext> evaluate(const EvaluationPlan& plan, const Ciphertext& x, const rlwe::EvaluationKeys& keys,
                                 const Options& options) {
  Encrypted algebra(x, keys, options);
  Evaluation<Encrypted> evaluation(plan, algebra, x);
  std::vector<Ciphertext> results;
  for (const std::size_t root : plan.roots) results.push_back(algebra.with_room(evaluation.root(root)));
  return results;
}

double headroom_after(const EvaluationPlan& plan, const Ciphertext& x, bool squared) {
  const rlwe::Parameters& parameters = x.context()->parameters();
  const auto model = parameters.scheme().noise_model(parameters, x.plain());
  Estimated algebra(*model, x.plain_modulus().value);
  const State given{x.noise(), x.level(), x.correction()};
  Evaluation<Estimated> evaluation(plan, algebra, squared ? model->squared(given) : given);
  double least = 1e300;
  for (const std::size_t root : plan.roots) least = std::min(least, model->headroom(evaluation.root(root)));
  return least;
}

}  // namespace cyclotome::value
