// SPDX-License-Identifier: Apache-2.0
// Ciphertexts and keys made of the residues of others are those, compute as those, and are refused where they can't be.

#include <cmath>
#include <limits>

#include "check.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/rlwe/operations.hpp"
#include "cyclotome/rlwe/residues.hpp"
#include "io_objects.hpp"

namespace {

using namespace cyclotome;
using io_objects::Objects;
using io_objects::parameter_sets;
using io_objects::same;
using Residues = std::vector<std::uint64_t>;

rlwe::CiphertextFacts facts_of(const rlwe::Ciphertext& c) {
  return {c.key(), c.plain(), c.batch(), c.parts(), c.limbs(), c.polynomials().domain(), c.noise(), c.correction()};
}

template <class Test>
void for_each_set(const Test& test) {
  for (const auto& literal : parameter_sets()) test(Objects(literal));
}

TEST(ciphertexts_of_residues_are_the_same_in_either_domain) {
  for_each_set([](const Objects& o) {
    const auto check = [&](const rlwe::Ciphertext& c) {
      CHECK(same(rlwe::ciphertext_of(o.context, facts_of(c), c.polynomials().to_host()), c));
      PolyArray other = c.polynomials().clone();
      c.polynomials().domain() == Domain::transform ? other.to_coefficient() : other.to_transform();
      rlwe::CiphertextFacts facts = facts_of(c);
      facts.domain = other.domain();
      CHECK(same(rlwe::ciphertext_of(o.context, facts, other.to_host()), c));
    };
    check(o.fresh());
    check(o.product());
    if (o.has_levels()) check(o.switched());
  });
}

TEST(keys_of_residues_compute_as_the_keys_themselves) {
  for_each_set([](const Objects& o) {
    const rlwe::KeyId& id = o.secret.id();
    const rlwe::PublicKey made = rlwe::public_key_of(o.context, id, o.public_key.polynomials().to_host());
    CHECK(same(made.polynomials(), o.public_key.polynomials()) && !made.uniform_seed());
    const rlwe::SwitchingKey& relinearization = o.evaluation.relinearization();
    std::map<std::uint64_t, rlwe::SwitchingKey> galois;
    galois.emplace(3, rlwe::switching_key_of(o.context, o.evaluation.galois(3).polynomials().to_host()));
    const rlwe::EvaluationKeys keys(
        o.context, rlwe::switching_key_of(o.context, relinearization.polynomials().to_host()), std::move(galois), id);
    CHECK(same(rlwe::relinearize(o.product(), keys), rlwe::relinearize(o.product(), o.evaluation)));
    CHECK(same(rlwe::apply_galois(o.fresh(), 3, keys), rlwe::apply_galois(o.fresh(), 3, o.evaluation)));
    CHECK_THROWS_WITH(UnsupportedError, static_cast<void>(io::serialize(keys)), "no seed");
    CHECK_THROWS_WITH(UnsupportedError, static_cast<void>(io::serialize(made)), "no seed");
  });
}

TEST(secret_keys_of_residues_are_one_ternary_polynomial) {
  for_each_set([](const Objects& o) {
    const auto residues = rlwe::residues_of(o.secret);
    const auto made = rlwe::secret_key_of(o.context, o.secret.id(), residues, rlwe::KeyCheck::required);
    CHECK(made.coefficients() == o.secret.coefficients() && rlwe::residues_of(made) == residues);
    const auto refused = [&](Residues wrong) {
      CHECK_THROWS(FormatError,
                   static_cast<void>(rlwe::secret_key_of(o.context, o.secret.id(), wrong, rlwe::KeyCheck::skipped)));
    };
    // A change of any one residue, of the first limb and of the last.
    const std::size_t n = o.context->degree();
    for (const std::size_t at : {std::size_t{0}, n - 1, residues.size() - n, residues.size() - 1}) {
      Residues wrong(residues.begin(), residues.end());
      wrong[at] = wrong[at] == 0 ? 1 : wrong[at] - 1;
      refused(wrong);
    }
    refused(Residues(residues.size(), 2));  // the transform of 2
    Residues above(residues.begin(), residues.end());
    above[0] = o.context->key_ring()->basis()[0];
    CHECK_THROWS(RangeError,
                 static_cast<void>(rlwe::secret_key_of(o.context, o.secret.id(), above, rlwe::KeyCheck::skipped)));
  });
}

TEST(what_no_ciphertext_has_is_refused) {
  for_each_set([](const Objects& o) {
    const rlwe::Ciphertext c = o.fresh();
    const Residues residues = c.polynomials().to_host();
    const auto refused = [&](auto change, const Residues& given) {
      rlwe::CiphertextFacts facts = facts_of(c);
      change(facts);
      CHECK_THROWS(ArgumentError, static_cast<void>(rlwe::ciphertext_of(o.context, facts, given)));
    };
    refused([](auto& f) { f.parts = 1; }, residues);
    refused([](auto& f) { f.parts = 4; }, residues);
    refused([](auto& f) { f.batch = 0; }, residues);
    refused([](auto& f) { f.batch = 3; }, residues);
    refused([](auto& f) { f.batch = std::numeric_limits<std::size_t>::max() / 2; }, residues);
    refused([](auto& f) { f.limbs = 0; }, residues);
    refused([](auto& f) { ++f.limbs; }, residues);
    refused([](auto& f) { f.plain = rlwe::PlainIndex(99); }, residues);
    refused([](auto& f) { f.correction = 0; }, residues);
    refused([&](auto& f) { f.correction = c.plain_modulus().value + 1; }, residues);
    refused([](auto& f) { f.noise.log2_max = std::numeric_limits<double>::quiet_NaN(); }, residues);
    refused([](auto& f) { f.noise.log2_rms = std::numeric_limits<double>::infinity(); }, residues);
    refused([](auto& f) { f.noise.log2_canonical = 2e9; }, residues);
    refused([](auto&) {}, Residues(residues.begin(), residues.end() - 1));
    refused([](auto&) {}, Residues());
    Residues above = residues;
    above[7] = o.context->ciphertext_ring()->basis()[0];
    CHECK_THROWS(RangeError, static_cast<void>(rlwe::ciphertext_of(o.context, facts_of(c), above)));
    CHECK_THROWS(ArgumentError, static_cast<void>(rlwe::public_key_of(o.context, o.secret.id(), residues)));
    CHECK_THROWS(ArgumentError, static_cast<void>(rlwe::switching_key_of(o.context, Residues(5))));
  });
}

}  // namespace

int main() { return check::run(); }
