// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/rlwe/joint/share_proof.hpp"

#include <algorithm>
#include <optional>

#include "cyclotome/math/declassify.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/text/hexadecimal.hpp"
#include "cyclotome/math/text/whole_text.hpp"
#include "cyclotome/ring/conversion/mixed_radix.hpp"
#include "cyclotome/ring/randomness/secure_memory.hpp"
#include "cyclotome/ring/tables/limb_values.hpp"
#include "cyclotome/rlwe/joint/joint_errors.hpp"
#include "cyclotome/rlwe/joint/proof_rows.hpp"
#include "cyclotome/rlwe/joint/threshold_seeds.hpp"

namespace cyclotome::rlwe {

namespace {

/// Attempts of which each succeeds with more than one half.
constexpr std::size_t most_attempts = 400;

using Masks = ZeroisingVector<std::int64_t>;

/// What all hashes of a proof begin with: it serves for nothing else.
void begin(Sha256& hash, const FirstRound& first, const KeyShare& second) {
  const std::string text = whole_text("cyclotome joint proof 2\nparty ", second.party(), "\n");
  hash.update({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
  hash.update(first.session().digest());
  hash.update(first.digest());
  hash.update(second.residues());
}

/// The number of the repetition's challenge: c is the element number k/2 of the basis, negative for odd k. Off by less
/// than 2^-46.
std::uint64_t challenge_number(const Digest& challenge, std::size_t repetition, std::size_t degree) {
  Sha256 hash;
  const std::string text = whole_text("cyclotome joint challenge 2\nrepetition ", repetition, "\n");
  hash.update({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
  hash.update(challenge);
  const Digest drawn = hash.finish();
  std::uint64_t number = 0;
  for (std::size_t i = 8; i-- > 0;) number = number << 8 | drawn[i];
  constexpr std::uint64_t signs = 2;
  return number % (signs * degree);
}

/// Uniform in [-2^bits, 2^bits): a block of the seed's stream for sixteen.
Masks masks_of(const Seed& seed, std::size_t degree, unsigned bits) {
  const auto words = seed.words();
  std::uint32_t key[8];
  std::ranges::copy(words, std::begin(key));
  constexpr std::uint32_t nonce[3] = {};
  Masks masks(degree);
  std::uint32_t block[16];
  for (std::size_t i = 0; i < degree; ++i) {
    if (i % 16 == 0) chacha20_block(key, static_cast<std::uint32_t>(i / 16), nonce, block);
    const std::uint32_t drawn = block[i % 16] & static_cast<std::uint32_t>((std::uint64_t{2} << bits) - 1);
    masks[i] = static_cast<std::int64_t>(drawn) - (std::int64_t{1} << bits);
  }
  secure_zero(key, sizeof key);
  secure_zero(block, sizeof block);
  return masks;
}

/// Adds the coefficients of c s, which are small, to those of y.
void add_product(const Context& context, Masks& y, ConstView challenge, ConstView secret) {
  PolyArray product = context.make(context.key_ring(), 1, 1, Domain::transform, true);
  context.engine()->multiply(product.view(), challenge, secret);
  product.to_coefficient();
  ZeroisingVector<std::uint64_t> residues(product.size());
  product.to_host(residues);
  const std::uint64_t q = product.ring()->basis().values()[0];
  for (std::size_t i = 0; i < y.size(); ++i) {
    const std::uint64_t negative = exceeds(residues[i], q / 2);
    y[i] += static_cast<std::int64_t>(residues[i] - (q & (0 - negative)));
  }
}

/// 1 if a number lies outside [-2^bits + reach, 2^bits - reach).
std::uint64_t reaches_out(const Masks& answers, unsigned bits, std::int64_t reach) {
  const std::int64_t most = (std::int64_t{1} << bits) - reach;
  std::uint64_t out = 0;
  for (const std::int64_t each : answers) out |= exceeds(static_cast<std::uint64_t>(each + most), 2 * most - 1);
  return out;
}

/// Writes numbers of at most 32 bits one after the other, the least significant bits first.
class BitWriter {
 public:
  explicit BitWriter(std::vector<std::uint8_t>& bytes) : bytes_(bytes) {}
  void put(std::uint64_t number, unsigned width) {
    pending_ |= number << bits_;
    for (bits_ += width; bits_ >= 8; bits_ -= 8, pending_ >>= 8) bytes_.push_back(static_cast<std::uint8_t>(pending_));
  }
  /// The last bits, with zeros above.
  void finish() {
    if (bits_ != 0) bytes_.push_back(static_cast<std::uint8_t>(pending_));
  }

 private:
  std::vector<std::uint8_t>& bytes_;
  std::uint64_t pending_ = 0;
  unsigned bits_ = 0;
};

/// And reads them; what is left of the last byte is for `is_clear`.
class BitReader {
 public:
  explicit BitReader(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}
  std::uint64_t get(unsigned width) {
    for (; bits_ < width; bits_ += 8) pending_ |= std::uint64_t{bytes_[place_++]} << bits_;
    const std::uint64_t number = pending_ & ((std::uint64_t{1} << width) - 1);
    pending_ >>= width;
    bits_ -= width;
    return number;
  }
  bool is_clear() const noexcept { return pending_ == 0; }

 private:
  std::span<const std::uint8_t> bytes_;
  std::size_t place_ = 0;
  std::uint64_t pending_ = 0;
  unsigned bits_ = 0;
};

/// Answers of all repetitions: of each z_s, then z_u.
std::vector<std::uint8_t> packed(const ProofShape& shape, std::span<const Masks> answers) {
  std::vector<std::uint8_t> bytes;
  bytes.reserve(shape.answer_bytes());
  BitWriter writer(bytes);
  for (const Masks& each : answers) {
    for (const std::int64_t number : each) {
      writer.put(static_cast<std::uint64_t>(number + (std::int64_t{1} << shape.mask_bits)), shape.mask_bits + 1);
    }
  }
  writer.finish();
  return bytes;
}

/// None where bits that belong to no number are set.
std::vector<Masks> unpacked(const ProofShape& shape, std::span<const std::uint8_t> bytes) {
  BitReader reader(bytes);
  std::vector<Masks> answers;
  for (std::size_t i = 0; i < 2 * shape.repetitions; ++i) {
    Masks& each = answers.emplace_back(shape.degree);
    for (std::int64_t& number : each) {
      number = static_cast<std::int64_t>(reader.get(shape.mask_bits + 1)) - (std::int64_t{1} << shape.mask_bits);
    }
  }
  if (!reader.is_clear()) answers.clear();
  return answers;
}

/// One attempt at a proof.
class Attempt {
 public:
  Attempt(const FirstRound& first, const KeyShare& second, ProofRows& rows, const ProofShape& shape)
      : first_(first), second_(second), rows_(rows), shape_(shape) {}

  /// None where the answers could tell of the secrets.
  std::optional<ShareProof> run(const SecretKey& secret, const SecretKey& ephemeral, const PartySeeds& seeds,
                                std::size_t attempt) {
    const Context& context = *secret.context();
    std::vector<Masks> answers;
    Sha256 hash;
    begin(hash, first_, second_);
    for (std::size_t i = 0; i < 2 * shape_.repetitions; ++i) {
      answers.push_back(masks_of(seeds.derive(Purpose::joint_share_proof, attempt << 32 | i, Half::whole),
                                 shape_.degree, shape_.mask_bits));
      if (i % 2 == 0) continue;
      rows_.compute(answers[i - 1], answers[i], nullptr);
      rows_.hash_high(hash, shape_);
    }
    ShareProof proof{.challenge = hash.finish(), .answers = {}};
    Sha256 again;
    begin(again, first_, second_);
    std::uint64_t tells = 0;
    for (std::size_t i = 0; i < shape_.repetitions; ++i) {
      const PolyArray challenge = rows_.challenge(challenge_number(proof.challenge, i, shape_.degree));
      Masks &of_secret = answers[2 * i], &of_ephemeral = answers[2 * i + 1];
      add_product(context, of_secret, challenge.view(), secret.over_key_ring());
      add_product(context, of_ephemeral, challenge.view(), ephemeral.over_key_ring());
      tells |= reaches_out(of_secret, shape_.mask_bits, shape_.secret_reach) |
               reaches_out(of_ephemeral, shape_.mask_bits, shape_.secret_reach);
      rows_.compute(of_secret, of_ephemeral, &challenge);
      tells |= rows_.hash_high(again, shape_);
    }
    const Digest found = again.finish();
    for (std::size_t i = 0; i < found.size(); ++i) tells |= static_cast<std::uint64_t>(found[i] ^ proof.challenge[i]);
    if (declassify(tells != 0)) return std::nullopt;
    proof.answers = packed(shape_, answers);
    return proof;
  }

 private:
  const FirstRound& first_;
  const KeyShare& second_;
  ProofRows& rows_;
  const ProofShape& shape_;
};

bool holds(const FirstRound& first, const KeyShare& second, const ProofShape& shape, const ProofMultipliers& common) {
  const ShareProof& proof = second.proof();
  if (proof.answers.size() != shape.answer_bytes()) return false;
  ProofRows rows(common, first.share_of(second.party()), second, false);
  const std::vector<Masks> answers = unpacked(shape, proof.answers);
  if (answers.empty()) return false;
  Sha256 hash;
  begin(hash, first, second);
  for (std::size_t i = 0; i < shape.repetitions; ++i) {
    for (std::size_t j = 2 * i; j < 2 * i + 2; ++j) {
      if (reaches_out(answers[j], shape.mask_bits, shape.secret_reach) != 0) return false;
    }
    const PolyArray challenge = rows.challenge(challenge_number(proof.challenge, i, shape.degree));
    rows.compute(answers[2 * i], answers[2 * i + 1], &challenge);
    rows.hash_high(hash, shape);
  }
  return hash.finish() == proof.challenge;
}

}  // namespace

ShareProof prove_share(const FirstRound& first, const KeyShare& second, const SecretKey& secret,
                       const SecretKey& ephemeral, const PartySeeds& seeds) {
  const ProofShape shape(first.session());
  const ProofMultipliers common(first);
  ProofRows rows(common, first.share_of(second.party()), second, true);
  for (std::size_t attempt = 0; attempt < most_attempts; ++attempt) {
    if (auto proof = Attempt(first, second, rows, shape).run(secret, ephemeral, seeds, attempt))
      return *std::move(proof);
  }
  throw EngineError(message("none of ", most_attempts, " attempts to prove a share succeeded, which is impossible for ",
                            "what these secrets give: the device is defective, or the share was changed"));
}

KeyShare second_share(const FirstRound& first, std::uint32_t party, const SecretKey& secret) {
  KeyShare share = unproved_share(first, party, secret);
  const PartySeeds seeds(first.session(), secret);
  share.prove(prove_share(first, share, secret, ephemeral_secret(secret, seeds), seeds.answering(first.digest())));
  return share;
}

bool is_proved(const FirstRound& first, const KeyShare& second) {
  return holds(first, second, ProofShape(first.session()), ProofMultipliers(first));
}

void require_proved(const FirstRound& first, std::span<const KeyShare* const> second, std::uint32_t own) {
  if (second.empty()) return;
  const ProofShape shape(first.session());
  const ProofMultipliers common(first);
  for (const KeyShare* const share : second) {
    if (share->party() == own || holds(first, *share, shape, common)) continue;
    const bool none = share->proof().answers.empty();
    throw BlameError(
        message("second round: the share of party ", share->party(),
                none ? " carries no proof (versions of this library before proofs made none: use a newer one)"
                     : " is not proved by what it carries",
                ", so that nothing shows that it was drawn as it has to be; the keys are not to be used, and the "
                "session is over: begin a new one, without this party or after asking it why"),
        {share->party()}, "second", message(none ? "no proof " : "proof ", hexadecimal(share->proof().challenge)));
  }
}

}  // namespace cyclotome::rlwe
