// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>

#include "cyclotome/value/polynomials/residue_polynomial.hpp"

namespace cyclotome::value {

/// How polynomials in one variable x are computed with few products of encrypted values: powers of x that all of them
/// share, and for each a tree of sums and products of linear forms in those powers (Paterson and Stockmeyer, On the
/// number of nonscalar multiplications necessary to evaluate polynomials, SIAM J. Comput. 2 (1973), 60-66). Public.
struct EvaluationPlan {
  /// A power's coefficient, in [1, t).
  struct Term {
    std::size_t exponent;
    std::uint64_t factor;
  };
  /// A sum of powers and a constant; ascending exponents.
  struct Form {
    std::vector<Term> terms;
    std::uint64_t constant = 0;
  };
  /// left right + rest + form, where there are such.
  struct Node {
    Form form;
    std::optional<std::size_t> left, right, rest;  ///< numbers of nodes before
    bool is_form() const noexcept { return !left; }
  };

  std::size_t baby = 1;             ///< x, x^2, ..., x^baby, and of the last x^(2 baby), x^(4 baby), ...
  std::vector<Node> nodes;          ///< those below stand before
  std::vector<std::size_t> roots;   ///< the node of each polynomial
  std::vector<std::size_t> powers;  ///< exponents above 1 that are computed, ascending
  std::size_t products = 0;         ///< powers included
  unsigned depth = 0;               ///< of them one after the other
};

/// The two exponents whose powers' product is x^exponent, exponent at least 2: as equal as they can be, so that it has
/// depth ceil(log2 exponent).
struct Halves {
  std::size_t larger, smaller;
};
Halves halves_of(std::size_t exponent, std::size_t baby);

/// What is known of x and t besides.
struct EvaluationDomain {
  /// Monic, and 0 for all values of x: any multiple of it may be added to a polynomial of x, which is done where it
  /// saves products. None: nothing is known.
  ResiduePolynomial vanishing = {};
  bool is_field = true;  ///< t is prime; else coefficients have no inverses, and it takes more products
};

/// The way of fewest products, and of those the least deep.
EvaluationPlan evaluation_plan(std::span<const ResiduePolynomial> polynomials, const PlainModulus& t,
                               const EvaluationDomain& domain = {});

}  // namespace cyclotome::value
