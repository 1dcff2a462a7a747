// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/rlwe/joint/proof_rows.hpp"

#include <cmath>

#include "cyclotome/math/declassify.hpp"
#include "cyclotome/math/modulus.hpp"
#include "cyclotome/ring/randomness/secure_memory.hpp"
#include "cyclotome/ring/tables/limb_values.hpp"
#include "cyclotome/rlwe/joint/threshold_seeds.hpp"

namespace cyclotome::rlwe {

namespace {

constexpr double soundness_bits = 100;
/// A second share's error is a sum of three.
constexpr std::int64_t most_errors = 3;

/// The least number of bits that hold 4 `events` times `reach`: with masks so large, all events together are as they
/// should be with a probability above 3/4.
unsigned bits_for(double events, std::int64_t reach) {
  return static_cast<unsigned>(std::ceil(std::log2(4 * events * static_cast<double>(reach))));
}

/// The inverses of what errors of keys are multiples of, by limb.
std::vector<std::uint64_t> inverse_multiples(const Context& context) {
  const std::uint64_t multiple = context.error_multiples(PlainIndex(0)).of_keys;
  return per_limb(context.key_ring()->basis(), [&](std::uint64_t q) { return inverse_or_zero(multiple % q, q); });
}

PolyArray expanded(const Context& context, std::size_t items, const PublicSeed& seed) {
  PolyArray polynomials = context.make(context.key_ring(), items, 1, Domain::transform);
  expand_uniform(*context.engine(), polynomials.view(), seed);
  return polynomials;
}

}  // namespace

ProofShape::ProofShape(const ThresholdSession& session)
    : degree(session.parameters().degree()), digits(session.parameters().digits()) {
  const RingShape& ring = *session.parameters().ring();
  repetitions = static_cast<std::size_t>(std::ceil(soundness_bits / std::log2(2.0 * static_cast<double>(degree))));
  secret_reach = static_cast<std::int64_t>(std::ceil(ring.geometry().turn));
  error_reach = secret_reach * most_errors * static_cast<std::int64_t>(ring.errors().bound());
  const auto coefficients = static_cast<double>(repetitions * degree);
  mask_bits = bits_for(2 * coefficients, secret_reach);
  low_bits = bits_for(2 * static_cast<double>(rows()) * coefficients, error_reach);
}

std::size_t ProofShape::answer_bytes() const noexcept { return (2 * repetitions * degree * (mask_bits + 1) + 7) / 8; }

double ProofShape::log2_slack() const noexcept { return low_bits + std::log2(static_cast<double>(degree)); }

ProofMultipliers::ProofMultipliers(const FirstRound& first)
    : context_(first.context()),
      digits_(first.session().parameters().digits()),
      factors_(inverse_multiples(*context_)),
      of_secret_(context_->make(context_->key_ring(), 1 + 3 * digits_, 1, Domain::transform)),
      of_ephemeral_(context_->make(context_->key_ring(), 2 * digits_, 1, Domain::transform)),
      radix_(context_->key_ring()) {
  const ThresholdSession& session = first.session();
  Engine& engine = *context_->engine();
  const View s = of_secret_.view(), u = of_ephemeral_.view();
  const std::size_t h = 1, k = 1 + digits_, d = 1 + 2 * digits_;
  engine.negate(s.items(0, 1), expanded(*context_, 1, common_seed(session, Purpose::joint_public_key)).view());
  const PolyArray common = expanded(*context_, digits_, common_seed(session, Purpose::joint_relinearization_first));
  engine.negate(s.items(k, digits_), common.view());
  engine.negate(u.items(0, digits_), common.view());
  // A constant is itself in every place of its transform.
  std::vector<std::uint64_t> ones(context_->key_ring()->limbs() * context_->degree(), 1);
  PolyArray one = context_->make(context_->key_ring(), 1, 1, Domain::transform);
  one.from_host(ones);
  for (std::size_t j = 0; j < digits_; ++j) {
    engine.multiply_scalars(s.items(h + j, 1), one.view(), context_->key_switch().gadget_factors(j));
  }
  const ConstView sums = first.relinearization();
  const PolyArray answer = expanded(*context_, digits_, answer_seed(session, first.digest()));
  engine.subtract(s.items(d, digits_), sums.items(0, digits_), answer.view());
  engine.negate(u.items(digits_, digits_), sums.items(digits_, digits_));
  engine.multiply_scalars(s, of_secret_.view(), factors_);
  engine.multiply_scalars(u, of_ephemeral_.view(), factors_);
}

ProofRows::ProofRows(const ProofMultipliers& common, const KeyShare& first, const KeyShare& second, bool is_secret)
    : common_(common),
      is_secret_(is_secret),
      sent_(common.context()->make(common.context()->key_ring(), 1 + 3 * common.digits(), 1, Domain::transform)),
      image_(common.context()->make(common.context()->key_ring(), 1 + 3 * common.digits(), 1, Domain::transform,
                                    is_secret)),
      integers_(common.radix().words() * common.context()->degree()) {
  Engine& engine = *common.context()->engine();
  const std::size_t of_first = 1 + 2 * common.digits();
  engine.copy(sent_.view().items(0, of_first), first.bodies().view().items(0, of_first));
  engine.copy(sent_.view().items(of_first, common.digits()), second.bodies().view());
  engine.multiply_scalars(sent_.view(), sent_.view(), common.factors());
  memory_ = engine.allocate(integers_.size() * sizeof(std::uint64_t), is_secret);
}

PolyArray ProofRows::small(std::span<const std::int64_t> numbers) const {
  const Context& context = *common_.context();
  PolyArray polynomial = context.make(context.key_ring(), 1, 1, Domain::coefficient, is_secret_);
  const auto upload = [&]<class W>(ZeroisingVector<W> residues) {
    residues.reserve(polynomial.size());
    for (const std::uint64_t q : context.key_ring()->basis().values()) {
      for (const std::int64_t number : numbers) {
        const auto value = static_cast<std::uint64_t>(number);
        residues.push_back(static_cast<W>(value + (q & (0 - (value >> 63)))));
      }
    }
    polynomial.upload(residues.data());
  };
  if (polynomial.word() == Word::u32) {
    upload(ZeroisingVector<std::uint32_t>());
  } else {
    upload(ZeroisingVector<std::uint64_t>());
  }
  polynomial.to_transform();
  return polynomial;
}

void ProofRows::compute(std::span<const std::int64_t> of_secret, std::span<const std::int64_t> of_ephemeral,
                        const PolyArray* challenge) {
  Engine& engine = *common_.context()->engine();
  const std::size_t digits = common_.digits();
  const PolyArray s = small(of_secret), u = small(of_ephemeral);
  image_.set_domain(Domain::transform);
  const View image = image_.view();
  engine.multiply(image, common_.of_secret(), s.view());
  engine.multiply_accumulate(image.items(1, digits), common_.of_ephemeral().items(0, digits), u.view());
  engine.multiply_accumulate(image.items(1 + 2 * digits, digits), common_.of_ephemeral().items(digits, digits),
                             u.view());
  if (challenge != nullptr) {
    PolyArray negative = challenge->clone();
    engine.negate(negative.view(), challenge->view());
    engine.multiply_accumulate(image, sent_.view(), negative.view());
  }
  image_.to_coefficient();
}

PolyArray ProofRows::challenge(std::uint64_t number) const {
  const std::size_t n = common_.context()->degree();
  ZeroisingVector<std::int64_t> coefficients(n, 0);
  const auto sign = 1 - 2 * static_cast<std::int64_t>(number % 2);
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t other = exceeds(i ^ (number / 2), 0);
    coefficients[i] = sign & (static_cast<std::int64_t>(other) - 1);
  }
  return small(coefficients);
}

std::uint64_t ProofRows::hash_high(Sha256& hash, const ProofShape& shape) {
  Engine& engine = *common_.context()->engine();
  const std::size_t n = image_.degree();
  const std::uint64_t mask = (std::uint64_t{1} << shape.low_bits) - 1;
  const auto reach = static_cast<std::uint64_t>(shape.error_reach);
  std::uint64_t carries = 0;
  for (std::size_t item = 0; item < image_.batch(); ++item) {
    engine.reconstruct(*memory_, image_.view().items(item, 1), common_.radix());
    engine.download(integers_.data(), memory_->data(), memory_->bytes());
    for (std::size_t i = 0; i < n; ++i) {  // the lowest words of all
      // Whether low lies outside [reach, 2^low_bits - reach).
      carries |= exceeds((integers_[i] & mask) - reach, mask - 2 * reach);
      integers_[i] &= ~mask;
    }
    hash.update({reinterpret_cast<const std::uint8_t*>(integers_.data()), integers_.size() * sizeof(std::uint64_t)});
  }
  return carries;
}

}  // namespace cyclotome::rlwe
