// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/value/arrays/keygen.hpp"

#include <set>

#include "cyclotome/engine/memory_limit.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/rlwe/encapsulation/encapsulation_keys.hpp"
#include "cyclotome/scheme/bfv/bootstrapping/bootstrapping.hpp"
#include "cyclotome/value/matrices/diagonal_plan.hpp"
#include "cyclotome/value/matrices/field_rolls.hpp"

namespace cyclotome::value {

namespace {

using Elements = std::set<std::uint64_t>;

/// Slots in a row; all of them, where there are no two rows.
std::size_t row_length(const GaloisGroup& group) { return group.generators().front().order; }

void add_rotations(Elements& elements, const rlwe::Parameters& parameters, const std::vector<std::int64_t>& rotations) {
  const GaloisGroup& group = parameters.slot_ring()->galois();
  if (!rotations.empty() && parameters.field_slots() != nullptr) {
    throw ArgumentError(message("keygen: ", rotations.size(), " rotations, but slots of bits are a box of ",
                                parameters.field_slots()->dimensions().size(), " dimensions, not rows; leave ",
                                "rotations out for the keys of roll, frobenius, trace and sums, or pass an empty list ",
                                "for none"));
  }
  const auto row = static_cast<std::int64_t>(row_length(group));
  for (const std::int64_t steps : rotations) {
    if (steps % row == 0) {
      throw ArgumentError(message("keygen: a rotation by ", steps,
                                  " moves nothing; steps are whole numbers that are not ", "multiples of ", row,
                                  ", the slots in a row"));
    }
    elements.insert(rlwe::row_rotation_element(group, steps));
  }
}

void add_matrix(Elements& elements, const rlwe::Parameters& parameters, const MatrixShape& shape) {
  const GaloisGroup& group = parameters.slot_ring()->galois();
  if (shape.rows == 0 || shape.columns == 0) {
    throw ArgumentError(message("keygen: a matrix of shape (", shape.rows, ", ", shape.columns, ") has no values"));
  }
  const std::size_t row = row_length(group);
  if (!parameters.has_slots() || parameters.field_slots() != nullptr || 2 * row != parameters.slots()) {
    throw ArgumentError(message("keygen: a matrix of shape (", shape.rows, ", ", shape.columns, "), but ",
                                parameters.summary(), " have no two rows of slots of integers; leave matrices out"));
  }
  for (const std::uint64_t steps : matrix_rotations(shape.rows, shape.columns, row)) {
    elements.insert(rlwe::row_rotation_element(group, static_cast<std::int64_t>(steps)));
  }
  elements.insert(rlwe::column_rotation_element(group));
}

}  // namespace

std::vector<std::uint64_t> galois_elements(const rlwe::Parameters& parameters, const KeyOptions& options) {
  const GaloisGroup& group = parameters.ring()->galois();
  const std::uint64_t columns = rlwe::column_rotation_element(parameters.slot_ring()->galois());
  Elements elements;
  if (options.rotations) {
    add_rotations(elements, parameters, *options.rotations);
  } else {
    for (const std::uint64_t element : slot_elements(parameters)) elements.insert(element);
  }
  if (options.columns.value_or(false)) elements.insert(columns);
  if (!options.columns.value_or(true) && !options.rotations) elements.erase(columns);
  for (const std::uint64_t element : options.galois_elements) {
    if (element >= group.index() || !group.contains(element)) {
      throw ArgumentError(message("keygen: Galois element ", element, " must be ", group.requirement()));
    }
    elements.insert(element);
  }
  for (const MatrixShape& shape : options.matrices) add_matrix(elements, parameters, shape);
  if (options.bootstrap) {
    for (const std::uint64_t element : bfv::bootstrapping_elements(parameters)) elements.insert(element);
  }
  elements.erase(1);
  return {elements.begin(), elements.end()};
}

Keys keygen(const rlwe::ContextPtr& context, const KeyOptions& options) {
  const std::vector<std::uint64_t> elements = galois_elements(present(context)->parameters(), options);
  if (options.bootstrap) static_cast<void>(rlwe::sparse_secret_weight(context->parameters()));
  const std::size_t count =
      elements.size() + static_cast<std::size_t>(options.relinearization) + static_cast<std::size_t>(options.bootstrap);
  const std::uint64_t pair = 2 * static_cast<std::uint64_t>(context->key_ring()->limbs()) * context->degree() *
                             bytes_of(context->key_ring()->word());
  require_memory(*context->engine(), message("keygen: ", count, " evaluation keys at n = ", context->degree()),
                 pair * context->parameters().digits() * (count + 1),
                 "ask for fewer rotations: those that are not there are composed of powers of two");
  auto [secret, public_key] = rlwe::KeyPair::generate(context);
  rlwe::EvaluationKeys evaluation = rlwe::EvaluationKeys::generate(secret, options.relinearization, elements);
  if (options.bootstrap) {
    evaluation = rlwe::with_encapsulation(evaluation, rlwe::EncapsulationKeys::generate(secret));
  }
  return {std::move(secret), std::move(public_key), std::move(evaluation)};
}

}  // namespace cyclotome::value
