// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/value/joint/mac_key.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/text/hexadecimal.hpp"
#include "cyclotome/value/arrays/encryption.hpp"
#include "cyclotome/value/elementwise/elementwise.hpp"

namespace cyclotome::value {

namespace {

/// An altered share passes with at most 2^-usual_bits, unless somebody says otherwise.
constexpr double usual_bits = 40;
/// Prime factors of plaintext moduli are looked for up to here; one that has none is as good as this one.
constexpr std::uint64_t largest_factor = 1 << 16;

class MemoryStore final : public MacStore {
 public:
  MacState read(const Digest&) override { return state_; }
  void write(const Digest&, const MacState& state) override { state_ = state; }

 private:
  MacState state_;
};

std::uint64_t least_factor(std::uint64_t modulus) {
  for (std::uint64_t factor = 2; factor < largest_factor; ++factor) {
    if (modulus % factor == 0) return factor;
  }
  return largest_factor;
}

std::size_t numbers_for(const rlwe::Parameters& parameters) {
  std::uint64_t least = largest_factor;
  for (const std::uint64_t modulus : parameters.plain_moduli()) least = std::min(least, least_factor(modulus));
  return static_cast<std::size_t>(std::ceil(usual_bits / std::log2(static_cast<double>(least))));
}

/// Of the operating system's generator, uniform in [0, bound).
Integers uniform_below(const BigUnsigned& bound) {
  const std::span<const std::uint64_t> limbs = bound.limbs();
  const unsigned top = (bound.bit_length() - 1) % 64 + 1;  // bits of its last limb
  const std::size_t words = bound.bit_length() / 64 + 1;   // with room for a sign
  for (;;) {
    Integers::Words drawn(words, 0);
    for (std::size_t i = 0; i < limbs.size(); i += 4) {
      const Seed seed = Seed::from_system();
      for (std::size_t j = 0; j < 4 && i + j < limbs.size(); ++j) {
        for (std::size_t byte = 0; byte < 8; ++byte) {
          drawn[i + j] |= std::uint64_t{seed.bytes()[8 * j + byte]} << (8 * byte);
        }
      }
    }
    drawn[limbs.size() - 1] &= std::numeric_limits<std::uint64_t>::max() >> (64 - top);
    // Most significant words first.
    const std::reverse_iterator top_word(drawn.begin() + static_cast<std::ptrdiff_t>(limbs.size()));
    if (std::lexicographical_compare(top_word, drawn.rend(), limbs.rbegin(), limbs.rend())) {
      return Integers({}, words, std::move(drawn));
    }
  }
}

Digest question_of_numbers(const rlwe::ThresholdSession& session, const rlwe::PublicKey& key) {
  const std::string text =
      message(Pledge::domain, "\nmac\n", hexadecimal(session.digest()), "\n", hexadecimal(key.id()), "\n");
  return sha256(std::vector<std::uint8_t>(text.begin(), text.end()));
}

std::vector<EncryptedArray> encrypted_numbers(const rlwe::PublicKey& key, std::size_t count) {
  if (count == 0) throw ArgumentError("0 numbers check nothing; at least one is needed");
  const BigUnsigned whole = BigUnsigned::product(key.context()->parameters().plain_moduli());
  std::vector<EncryptedArray> arrays;
  for (std::size_t i = 0; i < count; ++i) arrays.push_back(encrypt(uniform_below(whole), key, {.wrap = true}));
  return arrays;
}

}  // namespace

std::shared_ptr<MacStore> mac_store_in_memory() { return std::make_shared<MemoryStore>(); }

Digest digest_of(std::span<const EncryptedArray> arrays) {
  Sha256 hash;
  for (const EncryptedArray& each : arrays) hash.update(array_digest(each));
  return hash.finish();
}

MacShare::MacShare(const rlwe::ThresholdSession& session, std::uint32_t party, const rlwe::Identity& identity,
                   const rlwe::PublicKey& public_key, std::optional<std::size_t> count)
    : arrays_(encrypted_numbers(public_key, count.value_or(numbers_for(session.parameters())))),
      commitment_(Pledge::sign(
          {party, Pledge::Stage::mac, question_of_numbers(session, public_key), digest_of(arrays_)}, identity)) {
  session.require_party(party);
}

MacKey::MacKey(const rlwe::ThresholdSession& session, const rlwe::Identities& identities, const Keyring& keys,
               std::span<const Pledge> commitments, const std::map<std::uint32_t, std::vector<EncryptedArray>>& arrays,
               std::shared_ptr<MacStore> store)
    : store_(std::move(store)) {
  if (keys.encryption == nullptr) throw ArgumentError("numbers to check with take the joint public key");
  const auto committed = agreed_pledges(identities, session.parties(), Pledge::Stage::mac,
                                        question_of_numbers(session, *keys.encryption), commitments);
  for (const std::uint32_t party : session.parties()) {
    const auto shown = arrays.find(party);
    if (shown == arrays.end()) throw ArgumentError(message("the encrypted numbers of party ", party, " are missing"));
    require_shown(committed, party, digest_of(shown->second));
    const std::vector<EncryptedArray>& own = shown->second;
    if (own.empty() || (!sums_.empty() && own.size() != sums_.size())) {
      throw ArgumentError("parties made different counts of numbers to check with, or none");
    }
    const bool is_first = sums_.empty();
    for (std::size_t i = 0; i < own.size(); ++i) {
      if (is_first) {
        sums_.push_back(own[i].with_keys(keys));
      } else {
        sums_[i] = add(sums_[i], own[i]);
      }
    }
  }
  digest_ = digest_of(sums_);
  static_cast<void>(store_->read(digest_));
}

bool MacKey::spent() const { return store_->read(digest_).is == MacState::Is::spent; }

void MacKey::require_fresh() const {
  if (!spent()) return;
  throw ContradictionError("a check with these numbers failed, which tells of them: make another MacKey");
}

void MacKey::require_fresh(const Digest& question) const {
  require_fresh();
  const MacState state = store_->read(digest_);
  if (state.is != MacState::Is::held || state.question == question) return;
  throw ContradictionError(
      "another check with these numbers was answered and has given no values yet, and could tell of them: finish it, "
      "or make another MacKey");
}

void MacKey::hold(const Digest& question, const Digest& answer) const {
  require_fresh(question);
  const MacState state = store_->read(digest_), wanted{MacState::Is::held, question, answer};
  if (state.is == MacState::Is::held && state != wanted) {
    throw ContradictionError(
        "this check was answered for other shares of the same decryption, which could tell of the numbers: make "
        "another MacKey");
  }
  store_->write(digest_, wanted);
}

void MacKey::release(const Digest& question) const {
  const MacState state = store_->read(digest_);
  if (state.is == MacState::Is::held && state.question == question) store_->write(digest_, {});
}

void MacKey::spend() const { store_->write(digest_, {.is = MacState::Is::spent}); }

}  // namespace cyclotome::value
