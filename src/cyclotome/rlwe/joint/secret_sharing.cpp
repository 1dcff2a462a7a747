// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/rlwe/joint/secret_sharing.hpp"

#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/modulus.hpp"
#include "cyclotome/ring/tables/limb_values.hpp"
#include "cyclotome/rlwe/joint/threshold_seeds.hpp"
#include "cyclotome/rlwe/noise/hiding_draw.hpp"

namespace cyclotome::rlwe {

namespace {

void require_sharing(const ThresholdSession& session) {
  if (session.shares_secrets()) return;
  throw ArgumentError(message("all ", session.parties().size(),
                              " parties of this session decrypt together, so secrets are not dealt; make it with a "
                              "smaller threshold"));
}

}  // namespace

PolyArray share_at(const Context& context, const PolyArray& coefficients, std::uint32_t point) {
  Engine& engine = *context.engine();
  PolyArray value = context.make(context.ciphertext_ring(), 1, 1, Domain::transform, true);
  const std::vector<std::uint64_t> factors(context.ciphertext_ring()->limbs(), point);
  std::size_t i = coefficients.batch() - 1;
  engine.copy(value.view(), coefficients.view().items(i, 1));
  while (i-- > 0) {
    engine.multiply_scalars(value.view(), value.view(), factors);
    engine.add(value.view(), value.view(), coefficients.view().items(i, 1));
  }
  return value;
}

std::vector<SecretShare> deal_secret(const ThresholdSession& session, std::uint32_t party, const SecretKey& secret) {
  session.require_own(secret, party);
  require_sharing(session);
  const Context& context = *secret.context();
  Engine& engine = *context.engine();
  PolyArray f = context.make(context.ciphertext_ring(), session.threshold(), 1, Domain::transform, true);
  f.lock();
  engine.copy(f.view().items(0, 1), secret.at_level(context.max_level()));
  const Seed seed = PartySeeds(session, secret).derive(Purpose::secret_sharing);
  draw_to_hide(context, f.view().items(1, session.threshold() - 1), seed, Stream::secret);
  std::vector<SecretShare> shares;
  for (const std::uint32_t to : session.parties()) {
    shares.emplace_back(secret.context(), session.digest(), party, to, share_at(context, f, to));
  }
  return shares;
}

SecretShare sum_of_dealt(const ThresholdSession& session, std::uint32_t party,
                         std::span<const SecretShare* const> dealt) {
  session.require_party(party);
  require_sharing(session);
  std::vector<std::uint32_t> dealers;
  for (const SecretShare* const share : dealt) {
    session.require_same("a dealt share", share->session());
    require_same_context("dealt shares", *dealt[0]->context(), *share->context());
    if (share->to() != party) {
      throw ArgumentError(message("dealt shares: one is for party ", share->to(), ", not for party ", party,
                                  "; nobody but that party should have it"));
    }
    dealers.push_back(share->from());
  }
  require_each_once("dealt shares", session.parties(), dealers);
  const ContextPtr& context = dealt[0]->context();
  PolyArray sum = context->make(context->ciphertext_ring(), 1, 1, Domain::transform, true);
  context->engine()->copy(sum.view(), dealt[0]->share().view());
  for (const SecretShare* const share : dealt.subspan(1)) {
    context->engine()->add(sum.view(), sum.view(), share->share().view());
  }
  return SecretShare(context, session.digest(), 0, party, std::move(sum));
}

std::vector<std::uint64_t> lagrange_coefficients(std::span<const std::uint64_t> primes,
                                                 std::span<const std::uint32_t> active, std::uint32_t party) {
  std::vector<std::uint64_t> coefficients;
  for (const std::uint64_t q : primes) {
    const Modulus<std::uint64_t> modulus(q);
    std::uint64_t coefficient = 1;
    for (const std::uint32_t other : active) {
      if (other == party) continue;
      const std::uint64_t difference = modulus.subtract(other % q, party % q);
      coefficient = modulus.multiply(coefficient, modulus.multiply(other % q, inverse_or_zero(difference, q)));
    }
    coefficients.push_back(coefficient);
  }
  return coefficients;
}

}  // namespace cyclotome::rlwe
