// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/rlwe/ciphertext.hpp"

#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/interrupt.hpp"
#include "cyclotome/ring/secure_memory.hpp"

namespace cyclotome::rlwe {

const PlainNorms& Plaintext::norms() const {
  norms_->once([this] {
    ZeroisingVector<std::uint64_t> residues(polynomials_.size());
    polynomials_.to_host(residues);
    const std::size_t n = polynomials_.degree();
    const auto t = static_cast<std::int64_t>(plain_modulus().value);
    ZeroisingVector<std::int64_t> centred(n);
    for (std::size_t b = 0; b < batch(); ++b) {
      check_interrupt();
      for (std::size_t i = 0; i < n; ++i) {
        const auto value = static_cast<std::int64_t>(residues[b * n + i]);
        centred[i] = value >= t - value ? value - t : value;
      }
      norms_->largest = larger(norms_->largest, norms_of(*polynomials_.ring()->shape(), centred));
    }
  });
  return norms_->largest;
}

Ciphertext Ciphertext::to(const ContextPtr& context) const {
  if (context->parameters().fingerprint() != context_->parameters().fingerprint()) {
    throw MismatchError(message("a ciphertext of ", context_->parameters().summary(), " can't move to a context of ",
                                context->parameters().summary()));
  }
  Ciphertext result(context, key_, plain_, polynomials_.to(context->engine()), noise_, uniform_seed_, correction_);
  result.raised_from_ = raised_from_;
  return result;
}

void require_multipliable(const Ciphertext& a, const Ciphertext& b) {
  require_same_context("multiply", *a.context(), *b.context());
  require_same_key("multiply", a.key(), b.key());
  if (a.plain() != b.plain()) {
    throw MismatchError(message("multiply: the operands have plaintext moduli number ", a.plain(), " and ", b.plain()));
  }
  if (a.parts() != 2 || b.parts() != 2) {
    throw ArgumentError(message("multiply: ciphertexts of ", a.parts(), " and ", b.parts(),
                                " parts; relinearise products to 2 parts before they are multiplied again"));
  }
  if (a.batch() != b.batch() && a.batch() != 1 && b.batch() != 1) {
    throw ArgumentError(message("multiply: batches of ", a.batch(), " and ", b.batch(),
                                " ciphertexts do not fit; they must be equal or 1"));
  }
}

void require_plain_operand(const char* operation, const Ciphertext& a, const Plaintext& b) {
  require_same_context(operation, *a.context(), *b.context());
  if (a.plain() != b.plain()) {
    throw MismatchError(
        message(operation, ": the operands have plaintext moduli number ", a.plain(), " and ", b.plain()));
  }
  if (a.batch() != b.batch() && a.batch() != 1 && b.batch() != 1) {
    throw ArgumentError(message(operation, ": ", a.batch(), " ciphertexts and ", b.batch(),
                                " plaintexts do not fit; the numbers must be equal or 1"));
  }
}

}  // namespace cyclotome::rlwe
