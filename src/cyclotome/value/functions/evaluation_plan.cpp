// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/value/functions/evaluation_plan.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <set>

#include "cyclotome/math/interrupt.hpp"

namespace cyclotome::value {

namespace {

using Form = EvaluationPlan::Form;
using Node = EvaluationPlan::Node;

unsigned ceil_log2(std::size_t x) { return static_cast<unsigned>(std::bit_width(x - 1)); }

/// Writes one plan for a given number of baby steps.
class PlanWriter {
 public:
  PlanWriter(std::size_t baby, const PlainModulus& t) : t_(t) { plan_.baby = baby; }

  /// f = q x^g + r for the largest power x^g at hand, and so on for q and r.
  std::size_t split(const ResiduePolynomial& f) {
    if (f.size() <= plan_.baby + 1) return add({form_of(f), {}, {}, {}});
    const std::size_t g = giant_below(f.size() - 1);
    const auto [quotient, remainder] = divided_by_power(f, g);
    if (quotient.size() == 1) {  // x^g times a constant
      const std::size_t rest = split(remainder);
      auto& terms = plan_.nodes[rest].form.terms;
      terms.push_back({g, quotient[0]});
      return rest;
    }
    const std::size_t right = split(quotient), left = power_node(g);
    return product(left, right, remainder);
  }

  /// scale f, where f is monic of degree baby (2^m - 1): f = (x^g + c) q + (x^s + r) with q and x^s + r of the same
  /// kind, so that one product serves for twice as many coefficients as above.
  std::size_t halve(const ResiduePolynomial& f, std::uint64_t scale) {
    const std::size_t degree = f.size() - 1, k = plan_.baby;
    if (degree <= k) return add({form_of(scaled(f, scale, t_)), {}, {}, {}});
    const std::size_t g = (degree / k + 1) / 2 * k, s = g - k;
    auto [q, rest] = divided_by_power(f, g);
    const ResiduePolynomial top = power_of(s);
    auto [c, r] = divided(sum(rest, scaled(top, t_.negate(1), t_), t_), q, t_);
    const std::size_t right = halve(q, 1);
    ResiduePolynomial factor = c;
    Node left{form_of(scaled(factor, scale, t_)), {}, {}, {}};
    left.form.terms.push_back({g, scale});
    const std::size_t first = add(std::move(left)), last = halve(sum(r, top, t_), scale);
    return add({{}, first, right, last});
  }

  void root(std::size_t node) { plan_.roots.push_back(node); }

  EvaluationPlan finish() {
    std::set<std::size_t> powers;
    for (const Node& node : plan_.nodes) {
      for (const auto& term : node.form.terms) take(powers, term.exponent);
    }
    plan_.powers.assign(powers.begin(), powers.end());
    plan_.products = powers.size();
    std::vector<unsigned> depths;
    for (const Node& node : plan_.nodes) {
      unsigned depth = 0;
      for (const auto& term : node.form.terms) depth = std::max(depth, ceil_log2(term.exponent));
      if (!node.is_form()) {
        ++plan_.products;
        depth = std::max({depth, depths[*node.left] + 1, depths[*node.right] + 1});
      }
      if (node.rest) depth = std::max(depth, depths[*node.rest]);
      depths.push_back(depth);
    }
    for (const std::size_t root : plan_.roots) plan_.depth = std::max(plan_.depth, depths[root]);
    return std::move(plan_);
  }

 private:
  std::size_t add(Node node) {
    plan_.nodes.push_back(std::move(node));
    return plan_.nodes.size() - 1;
  }

  std::size_t product(std::size_t left, std::size_t right, const ResiduePolynomial& rest) {
    if (rest.size() <= plan_.baby + 1) return add({form_of(rest), left, right, {}});
    const std::size_t added = split(rest);
    return add({{}, left, right, added});
  }

  static Form form_of(const ResiduePolynomial& f) {
    Form form;
    if (!f.empty()) form.constant = f[0];
    for (std::size_t i = 1; i < f.size(); ++i) {
      if (f[i] != 0) form.terms.push_back({i, f[i]});
    }
    return form;
  }

  static ResiduePolynomial power_of(std::size_t exponent) {
    ResiduePolynomial f(exponent + 1);
    f[exponent] = 1;
    return f;
  }

  std::size_t power_node(std::size_t exponent) { return add({{{{exponent, 1}}, 0}, {}, {}, {}}); }

  std::size_t giant_below(std::size_t degree) const {
    std::size_t g = plan_.baby;
    while (2 * g <= degree) g *= 2;
    return g;
  }

  void take(std::set<std::size_t>& powers, std::size_t exponent) const {
    if (exponent < 2 || !powers.insert(exponent).second) return;
    const Halves halves = halves_of(exponent, plan_.baby);
    take(powers, halves.larger);
    take(powers, halves.smaller);
  }

  const PlainModulus& t_;
  EvaluationPlan plan_;
};

bool is_better(const EvaluationPlan& a, const EvaluationPlan& b) {
  return a.products != b.products ? a.products < b.products : a.depth < b.depth;
}

/// f as a monic polynomial of degree baby (2^m - 1), and by what it is to be multiplied; nothing where that takes
/// more than it saves.
struct Monic {
  ResiduePolynomial polynomial;
  std::uint64_t scale;
};
std::optional<Monic> made_monic(const ResiduePolynomial& f, std::size_t baby, const PlainModulus& t,
                                const EvaluationDomain& domain) {
  if (f.size() <= baby + 1) return std::nullopt;
  std::size_t top = baby;
  while (top + 1 < f.size()) top += top + baby;
  if (top + 1 == f.size()) {
    const std::uint64_t inverse = t.power(f.back(), t.value() - 2);
    return Monic{scaled(f, inverse, t), f.back()};
  }
  const ResiduePolynomial& zero = domain.vanishing;
  if (zero.empty() || top + 1 < zero.size()) return std::nullopt;
  ResiduePolynomial shifted(top + 1 - zero.size());
  shifted.insert(shifted.end(), zero.begin(), zero.end());
  return Monic{sum(f, shifted, t), 1};
}

EvaluationPlan plan_with(std::span<const ResiduePolynomial> polynomials, std::size_t baby, bool monic,
                         const PlainModulus& t, const EvaluationDomain& domain) {
  PlanWriter writer(baby, t);
  for (const ResiduePolynomial& f : polynomials) {
    const std::optional<Monic> made = monic ? made_monic(f, baby, t, domain) : std::nullopt;
    writer.root(made ? writer.halve(made->polynomial, made->scale) : writer.split(f));
  }
  return writer.finish();
}

/// Numbers of baby steps worth trying: all of few; of many those at which some number of blocks fits exactly.
std::set<std::size_t> candidates(std::size_t degree) {
  constexpr std::size_t few = 24;
  std::set<std::size_t> result;
  for (std::size_t k = 1; k <= std::min(degree, few); ++k) result.insert(k);
  for (std::size_t blocks = 2; blocks / 2 <= degree; blocks *= 2) {
    result.insert((degree + blocks) / blocks);
    result.insert((degree + blocks - 2) / (blocks - 1));
  }
  const double root = 3 * std::sqrt(static_cast<double>(degree)) + 8;
  std::erase_if(result, [&](std::size_t k) { return k == 0 || static_cast<double>(k) > root; });
  return result;
}

}  // namespace

Halves halves_of(std::size_t exponent, std::size_t baby) {
  if (exponent > baby) return {exponent / 2, exponent / 2};
  return {exponent - exponent / 2, exponent / 2};
}

EvaluationPlan evaluation_plan(std::span<const ResiduePolynomial> polynomials, const PlainModulus& t,
                               const EvaluationDomain& domain) {
  std::size_t degree = 1;
  for (const ResiduePolynomial& f : polynomials) degree = std::max(degree, f.empty() ? 0 : f.size() - 1);
  const bool sparse = std::ranges::all_of(polynomials, [](const ResiduePolynomial& f) {
    return f.size() - static_cast<std::size_t>(std::ranges::count(f, 0U)) < 4;
  });
  std::optional<EvaluationPlan> best;
  for (const std::size_t baby : candidates(degree)) {
    for (const bool monic : {false, true}) {
      check_interrupt();
      if (monic && (sparse || !domain.is_field)) continue;
      EvaluationPlan plan = plan_with(polynomials, baby, monic, t, domain);
      if (!best || is_better(plan, *best)) best = std::move(plan);
    }
  }
  return *best;
}

}  // namespace cyclotome::value
