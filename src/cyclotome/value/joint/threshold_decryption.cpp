// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/value/joint/threshold_decryption.hpp"

#include <algorithm>
#include <string_view>

#include "cyclotome/math/errors.hpp"
#include "cyclotome/rlwe/domains.hpp"
#include "cyclotome/rlwe/joint/threshold_seeds.hpp"
#include "cyclotome/rlwe/noise/flooding.hpp"
#include "cyclotome/value/arrays/opening.hpp"

namespace cyclotome::value {

namespace {

using Facts = DecryptionShare::Facts;
using rlwe::SecretKey;
using rlwe::SecretShare;
using rlwe::ThresholdSession;

constexpr const char* operation = "threshold decryption";

/// Ciphertexts at a time: a number of its own, so that a share is the same on every engine.
constexpr std::size_t piece_items = 16;

void little_endian(std::vector<std::uint8_t>& bytes, std::uint64_t value, std::size_t width) {
  for (std::size_t i = 0; i < width; ++i) bytes.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
}

/// The distances of all ciphertexts from what does not depend on the noise add up, as in `reveal`.
unsigned whole_bits(const EncryptedArray& x, unsigned flooding_bits) {
  return flooding_bits + rlwe::flooding_bits_of(ciphertexts_of(x));
}

void require_decryptable_by(const ThresholdSession& session, const rlwe::KeyId& key, const EncryptedArray& x,
                            unsigned flooding_bits) {
  if (x.parameters().fingerprint() != session.parameters().fingerprint()) {
    throw MismatchError(message(operation, ": the array was encrypted under ", x.parameters().summary(),
                                ", the session is of ", session.parameters().summary()));
  }
  rlwe::require_same_key(operation, x.key(), key);
  if (flooding_bits < 1 || flooding_bits > 128) {
    throw ArgumentError(message(operation, ": flooding_bits ", flooding_bits, " must lie in [1, 128]; 64 is usual"));
  }
  for (const Ciphertext& channel : x.channels()) {
    if (channel.parts() != 2) {
      throw ArgumentError(
          message(operation, " takes ciphertexts of 2 parts, not ", channel.parts(), "; relinearise the array first"));
    }
  }
}

/// What a party multiplies c1 by: its secret, or its share of the joint one times its Lagrange coefficient, over Q.
PolyArray part_of_secret(const ThresholdSession& session, const Facts& facts, const SecretKey& secret,
                         const SecretShare* share) {
  const rlwe::Context& context = *secret.context();
  PolyArray part = context.make(context.ciphertext_ring(), 1, 1, Domain::transform, true);
  part.lock();
  if (!session.shares_secrets()) {
    context.engine()->copy(part.view(), secret.at_level(context.max_level()));
    return part;
  }
  const auto factors =
      rlwe::lagrange_coefficients(context.ciphertext_ring()->basis().values(), facts.active, facts.party);
  context.engine()->multiply_scalars(part.view(), share->share().view(), factors);
  return part;
}

void require_own_share(const ThresholdSession& session, std::uint32_t party, const SecretKey& secret,
                       const SecretShare* share) {
  if (!session.shares_secrets()) {
    if (share == nullptr) return;
    throw ArgumentError(
        message(operation, ": all parties of this session decrypt together, so none has a dealt share"));
  }
  if (share == nullptr || !share->is_sum() || share->to() != party) {
    throw ArgumentError(message(operation, ": party ", party, " needs the sum of what all parties dealt to it"));
  }
  session.require_same("the sum of dealt shares", share->session());
  rlwe::require_same_context(operation, *secret.context(), *share->context());
}

/// What is flooded, for the seeds: nothing that is decrypted otherwise has the same.
std::vector<std::uint8_t> context_of(const Facts& facts, std::size_t channel) {
  std::vector<std::uint8_t> bytes(facts.array.begin(), facts.array.end());
  little_endian(bytes, facts.flooding_bits, 4);
  little_endian(bytes, channel, 4);
  for (const std::uint32_t party : facts.active) little_endian(bytes, party, 4);
  // Another share of the secret under the same flooding would show how the two differ.
  if (facts.epoch != 0) little_endian(bytes, facts.epoch, 4);
  return bytes;
}

/// c1 times the part of the secret, flooded.
PolyArray share_of_channel(const Ciphertext& c, const PolyArray& part, const rlwe::Flooding& flooding,
                           const Seed& master) {
  const rlwe::Context& context = *c.context();
  Engine& engine = *context.engine();
  const RingPtr& ring = context.level_ring(c.level());
  PolyArray result = context.make(ring, c.batch(), 1, Domain::coefficient);
  for (std::size_t first = 0; first < c.batch(); first += piece_items) {
    const std::size_t count = std::min(piece_items, c.batch() - first);
    PolyArray share = context.make(ring, count, 1, c.polynomials().domain(), true);
    engine.copy(share.view(), c.polynomials().view().items(first, count).part(1));
    share.to_transform();
    engine.multiply(share.view(), share.view(), part.view().limbs_at(0, *ring));
    share.to_coefficient();
    flooding.add_to(share, rlwe::derive_seed(master, context.parameters(),
                                             {.purpose = rlwe::Purpose::share_flooding, .element = first}));
    engine.copy(result.view().items(first, count), share.view());
  }
  return result;
}

void require_fitting(const ThresholdSession& session, const EncryptedArray& x,
                     std::span<const DecryptionShare* const> shares) {
  if (shares.empty()) throw ArgumentError(message(operation, ": no shares were given"));
  const Facts& first = shares[0]->facts();
  session.require_active(first.active);
  const Digest digest = array_digest(x);
  std::vector<std::uint32_t> senders;
  for (const DecryptionShare* const share : shares) {
    const Facts& facts = share->facts();
    session.require_same("a decryption share", facts.session);
    if (facts.array != digest) {
      throw MismatchError(message(operation, ": the share of party ", facts.party,
                                  " is of another array; every party must have the very one that is decrypted"));
    }
    if (facts.active != first.active || facts.flooding_bits != first.flooding_bits) {
      throw MismatchError(message(operation, ": the shares of parties ", first.party, " and ", facts.party,
                                  " were made to decrypt with other parties, or with other flooding"));
    }
    if (facts.epoch != first.epoch) {
      throw MismatchError(message(operation, ": the shares of parties ", first.party, " and ", facts.party,
                                  " are of epochs ", first.epoch, " and ", facts.epoch,
                                  "; one of them has not refreshed its share"));
    }
    rlwe::require_same_context(operation, *x.context(), *share->context());
    senders.push_back(facts.party);
  }
  rlwe::require_each_once(operation, first.active, senders);
}

/// Throws MismatchError unless a share's polynomials are shaped as the array's ciphertexts.
void require_shape(const EncryptedArray& x, const DecryptionShare& share) {
  bool fits = share.channels().size() == x.channels().size();
  for (std::size_t i = 0; fits && i < x.channels().size(); ++i) {
    const PolyArray &own = share.channels()[i], &other = x.channels()[i].polynomials();
    fits = own.batch() == other.batch() && own.limbs() == other.limbs();
  }
  if (fits) return;
  throw MismatchError(
      message(operation, ": the share of party ", share.facts().party, " has other ciphertexts than the array"));
}

/// The sum of c0 and all shares.
PolyArray phases_of(const Ciphertext& c, std::size_t channel, const Piece& piece,
                    std::span<const DecryptionShare* const> shares) {
  const rlwe::Context& context = *c.context();
  Engine& engine = *context.engine();
  const std::size_t count = piece.stop - piece.start;
  PolyArray phases = context.make(context.level_ring(c.level()), count, 1, c.polynomials().domain(), true);
  engine.copy(phases.view(), c.polynomials().view().items(piece.start, count).part(0));
  phases.to_coefficient();
  for (const DecryptionShare* const share : shares) {
    engine.add(phases.view(), phases.view(), share->channels()[channel].view().items(piece.start, count));
  }
  return phases;
}

}  // namespace

std::uint64_t ciphertexts_of(const EncryptedArray& x) { return x.layout().batch() * x.channels().size(); }

Digest question_of(const Facts& facts) {
  constexpr std::string_view domain = "cyclotome joint question 2\n";
  std::vector<std::uint8_t> bytes(domain.begin(), domain.end());
  bytes.insert(bytes.end(), facts.session.begin(), facts.session.end());
  bytes.insert(bytes.end(), facts.key.begin(), facts.key.end());
  bytes.insert(bytes.end(), facts.array.begin(), facts.array.end());
  for (const std::uint64_t number : {std::uint64_t{facts.flooding_bits}, std::uint64_t{facts.epoch}}) {
    little_endian(bytes, number, 4);
  }
  for (const std::uint32_t party : facts.active) little_endian(bytes, party, 4);
  return sha256(bytes);
}

Digest array_digest(const EncryptedArray& x) {
  Sha256 hash;
  for (const Ciphertext& channel : x.channels()) {
    std::vector<std::uint8_t> head(channel.key().begin(), channel.key().end());
    for (const std::uint64_t number :
         {std::uint64_t{channel.plain().number}, std::uint64_t{channel.limbs()}, std::uint64_t{channel.batch()},
          std::uint64_t{channel.parts()}, channel.correction()}) {
      little_endian(head, number, 8);
    }
    hash.update(head);
    rlwe::hash_polynomials(hash, rlwe::native(channel).polynomials());
  }
  return hash.finish();
}

Digest digest_of(std::span<const DecryptionShare> shares) {
  Sha256 hash;
  for (const DecryptionShare& share : shares) {
    hash.update(question_of(share.facts()));
    std::vector<std::uint8_t> head;
    little_endian(head, share.facts().party, 4);
    little_endian(head, share.channels().size(), 4);
    for (const PolyArray& channel : share.channels()) {
      for (const std::size_t number : {channel.batch(), channel.parts(), channel.limbs()}) {
        little_endian(head, number, 8);
      }
    }
    hash.update(head);
    for (const PolyArray& channel : share.channels()) rlwe::hash_polynomials(hash, channel);
  }
  return hash.finish();
}

DecryptionShare decryption_share(const ThresholdSession& session, const rlwe::KeyId& key, std::uint32_t party,
                                 const SecretKey& secret, const SecretShare* share, const EncryptedArray& x,
                                 std::vector<std::uint32_t> active, unsigned flooding_bits, const Options& options) {
  session.require_own(secret, party);
  session.require_active(active);
  if (!session.shares_secrets() && active.size() != session.parties().size()) {
    throw ArgumentError(message(operation, ": it takes all ", session.parties().size(), " parties of this session"));
  }
  if (std::ranges::find(active, party) == active.end()) {
    throw ArgumentError(message(operation, ": party ", party, " is none of those who decrypt"));
  }
  require_decryptable_by(session, key, x, flooding_bits);
  require_own_share(session, party, secret, share);
  rlwe::require_same_context(operation, *x.context(), *secret.context());
  const Facts facts{session.digest(),
                    array_digest(x),
                    key,
                    party,
                    std::move(active),
                    flooding_bits,
                    share == nullptr ? 0 : share->epoch()};
  const PolyArray part = part_of_secret(session, facts, secret, share);
  const rlwe::PartySeeds seeds(session, secret);
  Task task(options, "sharing", x.channels().size());
  std::vector<PolyArray> channels;
  for (std::size_t i = 0; i < x.channels().size(); ++i) {
    const Ciphertext& channel = x.channels()[i];
    const rlwe::Flooding flooding = x.context()->flooding(channel, whole_bits(x, flooding_bits), facts.active.size());
    channels.push_back(share_of_channel(channel, part, flooding, seeds.master_of(context_of(facts, i))));
    task.advance();
  }
  return DecryptionShare(secret.context(), facts, std::move(channels));
}

Integers threshold_decrypt(const ThresholdSession& session, const EncryptedArray& x,
                           std::span<const DecryptionShare* const> shares, const Options& options) {
  require_fitting(session, x, shares);
  const Facts& facts = shares[0]->facts();
  require_decryptable_by(session, facts.key, x, facts.flooding_bits);
  for (const DecryptionShare* const share : shares) require_shape(x, *share);
  const auto opening = [&](std::size_t i, const Piece& piece) {
    const Ciphertext& channel = x.channels()[i];
    const rlwe::Flooding flooding =
        x.context()->flooding(channel, whole_bits(x, facts.flooding_bits), facts.active.size());
    return x.context()->open_flooded(part(channel, piece), phases_of(channel, i, piece, shares), flooding);
  };
  try {
    return opened(operation, x, opening, options);
  } catch (const ContradictionError& error) {
    throw ContradictionError(message(error.what(), "; if it was a share, ", session.naming()));
  } catch (const RangeError& error) {
    throw RangeError(message(error.what(), "; if it was a share, ", session.naming()));
  }
}

std::vector<std::uint32_t> liars(std::span<const std::vector<std::uint32_t>> failed,
                                 std::span<const std::vector<std::uint32_t>> passed) {
  if (failed.empty()) throw ArgumentError("no set failed, so nobody is named");
  const auto holds = [](std::uint32_t party) {
    return [party](const std::vector<std::uint32_t>& set) { return std::ranges::find(set, party) != set.end(); };
  };
  std::vector<std::uint32_t> named;
  for (const std::uint32_t party : failed.front()) {
    if (std::ranges::all_of(failed, holds(party)) && std::ranges::none_of(passed, holds(party))) named.push_back(party);
  }
  std::ranges::sort(named);
  named.erase(std::unique(named.begin(), named.end()), named.end());
  return named;
}

}  // namespace cyclotome::value
