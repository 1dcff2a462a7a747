// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/rlwe/ciphertext.hpp"

#include <array>
#include <mutex>
#include <utility>

#include "cyclotome/engine/known_plaintexts.hpp"
#include "cyclotome/engine/memory_limit.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/interrupt.hpp"
#include "cyclotome/program/builder.hpp"
#include "cyclotome/ring/randomness/secure_memory.hpp"

namespace cyclotome::rlwe {

namespace {

/// Residues of ciphertexts in another domain. Operands: out, c.
PolyArray converted(const Context& context, const PolyArray& c, Domain domain) {
  const RingPtr& ring = c.ring();
  PolyArray out = context.make(ring, c.batch(), c.parts(), domain);
  const Operand operands[] = {out.view(), c.view()};
  const bool forward = domain == Domain::transform;
  context
      .execution({forward ? "transform" : "to coefficients", {c.limbs(), c.parts()}},
                 [&] {
                   program::Builder b(forward ? "transform" : "to coefficients");
                   const program::Slice to = b.output(ring, c.parts(), domain);
                   b.copy(to, b.input(ring, c.parts(), c.domain()));
                   forward ? b.forward(to) : b.inverse(to);
                   return b.finish();
                 })
      ->run(operands);
  return out;
}

}  // namespace

/// The same residues in the other of two domains: whoever asks for them once does not need them kept.
struct Ciphertext::OtherDomain {
  std::mutex mutex;  // not held while anything is computed
  bool wanted = false;
  std::optional<PolyArray> kept;
};

Ciphertext::Ciphertext(ContextPtr context, const KeyId& key, PlainIndex plain, PolyArray polynomials, NoiseBound noise,
                       std::optional<PublicSeed> uniform_seed, std::uint64_t correction)
    : context_(std::move(context)),
      key_(key),
      plain_(plain),
      polynomials_(std::move(polynomials)),
      noise_(present(context_)->parameters().noise().tidy(noise)),
      uniform_seed_(uniform_seed),
      correction_(correction),
      other_(std::make_shared<OtherDomain>()) {}

PolyArray Ciphertext::wanted(Domain domain) const {
  if (domain == this->domain()) return polynomials_;
  {
    const std::lock_guard lock(other_->mutex);
    if (other_->kept) return *other_->kept;
    const bool before = std::exchange(other_->wanted, true);
    // Large ones are worth their memory where there is much of it.
    const std::uint64_t size = polynomials_.bytes();
    if (!before || (size >= announced_bytes && !has_memory(*polynomials_.engine(), 8 * size))) return polynomials_;
  }
  PolyArray made = converted(*context_, polynomials_, domain);
  const std::lock_guard lock(other_->mutex);
  if (!other_->kept) other_->kept = std::move(made);
  return *other_->kept;
}

Ciphertext Ciphertext::in(Domain domain) const {
  if (domain == this->domain()) return *this;
  PolyArray there = wanted(domain);
  if (there.domain() != domain) there = converted(*context_, there, domain);
  Ciphertext result(context_, key_, plain_, std::move(there), noise_, uniform_seed_, correction_);
  result.raised_from_ = raised_from_;
  return result;
}

std::size_t Ciphertext::held_bytes() const {
  const std::size_t own = bytes();
  const std::lock_guard lock(other_->mutex);
  return own + (other_->kept ? other_->kept->bytes() : 0);
}

Plaintext Plaintext::taken(std::span<const std::size_t> numbers) const {
  const auto gathered = [&](const PolyArray& from) {
    PolyArray out(from.engine(), from.ring(), numbers.size(), 1, from.domain(), from.secret());
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      from.engine()->copy(out.view().items(i), from.view().items(numbers[i]));
    }
    return out;
  };
  Plaintext result = *this;
  result.polynomials_ = gathered(polynomials());
  if (transforms_ != nullptr) result.transforms_ = std::make_shared<const PolyArray>(gathered(*transforms_));
  return result;
}

const PlainNorms& Plaintext::norms() const {
  present(norms_)->once([this] {
    auto* const known = dynamic_cast<KnownPlaintexts*>(context_->engine().get());
    if (const auto noted = known == nullptr ? std::nullopt : known->noted(polynomials_.view())) {
      norms_->largest = {(*noted)[0], (*noted)[1], (*noted)[2]};
      return;
    }
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
      norms_->largest =
          larger(norms_->largest, norms_of(*polynomials_.ring()->shape(), centred, static_cast<double>(t)));
    }
    const PlainNorms& norms = norms_->largest;
    if (known != nullptr) known->note(polynomials_.view(), {norms.canonical, norms.two, norms.one});
  });
  return norms_->largest;
}

Ciphertext Ciphertext::to(const ContextPtr& context) const {
  if (present(context)->parameters().fingerprint() != this->context()->parameters().fingerprint()) {
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
