// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/rlwe/ciphertext.hpp"

#include "cyclotome/math/errors.hpp"

namespace cyclotome::rlwe {

const std::vector<double>& Plaintext::canonical_norms() const {
  if (canonical_norms_.empty()) {
    const std::vector<std::uint64_t> residues = polynomials_.to_host();
    const std::size_t n = polynomials_.degree();
    const auto t = static_cast<std::int64_t>(plain_modulus());
    std::vector<std::int64_t> centred(n);
    for (std::size_t b = 0; b < batch(); ++b) {
      for (std::size_t i = 0; i < n; ++i) {
        const auto value = static_cast<std::int64_t>(residues[b * n + i]);
        centred[i] = value >= t - value ? value - t : value;
      }
      canonical_norms_.push_back(canonical_norm(centred));
    }
  }
  return canonical_norms_;
}

Ciphertext Ciphertext::to(const ContextPtr& context) const {
  if (context->parameters().fingerprint() != context_->parameters().fingerprint()) {
    throw MismatchError(message("a ciphertext of ", context_->parameters().summary(), " can't move to a context of ",
                                context->parameters().summary()));
  }
  return Ciphertext(context, key_, plain_, polynomials_.to(context->engine()), noise_, uniform_seed_, correction_);
}

}  // namespace cyclotome::rlwe
