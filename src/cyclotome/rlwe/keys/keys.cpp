// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/rlwe/keys/keys.hpp"

#include "cyclotome/math/declassify.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/ring/randomness/secure_memory.hpp"
#include "cyclotome/rlwe/noise/key_check.hpp"

namespace cyclotome::rlwe {

SecretKey SecretKey::from_coefficients(const ContextPtr& context, std::span<const std::int8_t> coefficients,
                                       const KeyId& id, KeyCheck check) {
  const std::size_t n = context->degree();
  if (coefficients.size() != n) {
    throw FormatError(message("a secret key of degree ", n, " has ", n, " coefficients, not ", coefficients.size()));
  }
  std::uint8_t wrong = 0;  // no early exit: the position of a secret coefficient must not show in time
  for (const std::int8_t c : coefficients) wrong |= static_cast<std::uint8_t>(c + 1) > 2 ? 1 : 0;
  if (wrong != 0)
    throw FormatError("a secret key holds a coefficient outside {-1, 0, 1}; the file is damaged or not a key");
  PolyArray s = context->make(context->key_ring(), 1, 1, Domain::coefficient, true);
  ZeroisingVector<std::uint64_t> residues(s.size(), Residence::locked);
  for (std::size_t i = 0; i < residues.size(); ++i) {
    residues[i] = small_residue<std::uint64_t>(coefficients[i % n], context->key_ring()->basis()[i / n]);
  }
  s.from_host(residues);
  if (check == KeyCheck::required && !declassify(secret_is_fit(s))) {
    throw FormatError(
        "this secret key is not one that this version makes, so the noise bounds of what it encrypts need not hold: "
        "one "
        "in twenty of format version 1 is like that, or it was altered. Load it with allow_unfit_key=True "
        "(KeyCheck::skipped) to decrypt what there is, then generate a new key and encrypt anew");
  }
  s.to_transform();
  return SecretKey(context, std::move(s), id);
}

ZeroisingVector<std::int8_t> SecretKey::coefficients() const {
  const ContextPtr& owner = context();  // there is one, unless this was moved from
  PolyArray s = s_.clone();
  s.to_coefficient();
  ZeroisingVector<std::uint64_t> residues(s.size(), Residence::locked);
  s.to_host(residues);
  const std::uint64_t q = owner->key_ring()->basis()[0];
  ZeroisingVector<std::int8_t> coefficients(context_->degree(), Residence::locked);
  for (std::size_t i = 0; i < coefficients.size(); ++i) {
    // 0 -> 0, 1 -> 1, q - 1 -> -1, without a branch on the coefficient.
    coefficients[i] = static_cast<std::int8_t>(residues[i] - (q & mask_if<std::uint64_t>(residues[i] > 1)));
  }
  return coefficients;
}

const SwitchingKey& EvaluationKeys::relinearization() const {
  if (!relinearization_) {
    throw MissingKeyError("these evaluation keys hold no relinearisation key; generate them with relinearization=True");
  }
  return *relinearization_;
}

namespace {

/// The argument of Python's keygen that makes the key of an element.
std::string argument_for(std::uint64_t element, const Parameters& parameters) {
  const GaloisGroup& group = parameters.slot_ring()->galois();
  if (parameters.has_coefficients()) {
    if (element == column_rotation_element(group)) return "columns=True";
    const auto [generator, order] = group.generators().front();
    std::uint64_t turned = generator;
    for (std::size_t steps = 1; steps < order; ++steps, turned = group.product(turned, generator)) {
      if (turned == element)
        return message("rotations=[", steps > order / 2 ? "-" : "", std::min(steps, order - steps), "]");
    }
  }
  return message("galois_elements=[", element, "]");
}

}  // namespace

const SwitchingKey& EvaluationKeys::galois(std::uint64_t element) const {
  const auto found = galois_.find(element);
  if (found == galois_.end()) {
    throw MissingKeyError(message("these evaluation keys hold no Galois key for element ", element, " (they hold ",
                                  galois_.size(),
                                  "); ask for this rotation when the keys are generated, keygen(parameters, ",
                                  argument_for(element, context_->parameters()), ")"));
  }
  return found->second;
}

void expand_uniform(Engine& engine, View part, const PublicSeed& uniform_seed) {
  part.domain = Domain::transform;
  engine.sample(part, Law::uniform, uniform_seed.to_draw_with(), Stream::switching_key_uniform);
}

std::uint64_t row_rotation_element(const GaloisGroup& group, std::int64_t steps) {
  const GaloisGroup::Generator& rows = group.generators().front();
  return group.power(rows.element, steps % static_cast<std::int64_t>(rows.order));
}

std::uint64_t column_rotation_element(const GaloisGroup& group) noexcept { return group.generators().back().element; }

std::vector<std::uint64_t> doublings(const GaloisGroup& group, const GaloisGroup::Generator& generator) {
  if (!is_power_of_two(generator.order)) {
    throw ArgumentError(message("sums over slots double, and ", generator.element, " has order ", generator.order,
                                " in the Galois group, no power of two"));
  }
  std::vector<std::uint64_t> elements;
  for (std::size_t step = 1; step < generator.order; step *= 2) {
    elements.push_back(group.power(generator.element, static_cast<std::int64_t>(step)));
  }
  return elements;
}

std::vector<std::uint64_t> slot_sum_elements(const GaloisGroup& group) {
  std::vector<std::uint64_t> elements;
  for (const GaloisGroup::Generator& generator : group.generators()) {
    for (const std::uint64_t element : doublings(group, generator)) elements.push_back(element);
  }
  return elements;
}

}  // namespace cyclotome::rlwe
