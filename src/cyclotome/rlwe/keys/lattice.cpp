// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/rlwe/keys/lattice.hpp"

#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/text/whole_text.hpp"
#include "cyclotome/rlwe/encapsulation/encapsulation_keys.hpp"

namespace cyclotome::rlwe {

namespace {

/// What keys' errors are multiples of (`Context::error_multiples`, which asks the same of a context).
std::uint64_t error_multiple_of_keys(const Parameters& parameters) {
  return parameters.plain_moduli().size() == 1 ? parameters.scheme().error_multiple(parameters.part(), PlainIndex(0))
                                               : 1;
}

}  // namespace

Digest lattice_fingerprint(const Parameters& parameters) {
  const LatticeParameters& p = parameters.lattice();
  const std::string text =
      whole_text("cyclotome lattice 1\nscheme ", parameters.scheme().name(), "\ndegree ", p.degree, "\ncyclotomic ",
                 p.cyclotomic, "\nmoduli ", list(p.moduli), "\nspecial ", list(p.special_moduli), "\ndigits ", p.digits,
                 "\nword ", bits_of(p.word), "\nerrors ", error_multiple_of_keys(parameters), "\nsecurity ", p.security,
                 " ", name_of(p.table), p.allow_insecure ? " INSECURE allowed" : "", p.strict ? "\nnoise strict" : "",
                 "\nparties ", p.parties, "\n");
  return sha256({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
}

void require_same_lattice(const char* operation, const Context& a, const Context& b) {
  if (&a == &b) return;
  if (lattice_fingerprint(a.parameters()) != lattice_fingerprint(b.parameters())) {
    throw MismatchError(message(operation, ": the key belongs to another lattice (", a.parameters().summary(),
                                ") than what it is wanted for (", b.parameters().summary(),
                                "); keys serve other plaintext moduli where everything else is equal, and in BGV no ",
                                "others: generate keys for these parameters"));
  }
  if (a.engine() != b.engine()) {
    throw MismatchError(message(operation, ": the key is on another device (", a.engine()->name(), ", here ",
                                b.engine()->name(), "); move it with .to(device)"));
  }
}

PublicKey on_context(const PublicKey& key, const ContextPtr& context) {
  require_same_lattice("public key", *key.context(), *present(context));
  return PublicKey(context, key.polynomials(), key.uniform_seed(), key.id());
}

EvaluationKeys on_context(const EvaluationKeys& keys, const ContextPtr& context) {
  require_same_lattice("evaluation keys", *keys.context(), *present(context));
  std::optional<SwitchingKey> relinearization;
  if (keys.has_relinearization()) relinearization = keys.relinearization();
  EncapsulationKeysPtr encapsulation;
  if (keys.encapsulation()) {
    encapsulation = std::make_shared<const EncapsulationKeys>(on_context(*keys.encapsulation(), context));
  }
  return EvaluationKeys(context, std::move(relinearization), keys.all_galois(), keys.id(), std::move(encapsulation));
}

RekeyingKey on_context(const RekeyingKey& key, const ContextPtr& context) {
  require_same_lattice("rekeying key", *key.context(), *present(context));
  return RekeyingKey(context, key.key(), key.from(), key.to());
}

EncapsulationKeys on_context(const EncapsulationKeys& keys, const ContextPtr& context) {
  return EncapsulationKeys(keys.weight(), keys.to_sparse(), keys.uniform_seed(), on_context(keys.back(), context));
}

SecretKey on_context(const SecretKey& key, const ContextPtr& context) {
  require_same_lattice("secret key", *key.context(), *present(context));
  return SecretKey::from_coefficients(context, key.coefficients(), key.id(), KeyCheck::skipped);
}

}  // namespace cyclotome::rlwe
