// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/circuit/ciphertext_algebra.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include "cyclotome/circuit/noise_algebra.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/scheme/encoding.hpp"

namespace cyclotome::circuit {

namespace {

using rlwe::Ciphertext;
using Indices = std::vector<std::size_t>;

struct Encrypted final : Batch {
  explicit Encrypted(Ciphertext c) : ciphertexts(std::move(c)) {}
  Ciphertext ciphertexts;
};

const Ciphertext& of(const Batch& a) { return dynamic_cast<const Encrypted&>(a).ciphertexts; }
rlwe::NoiseModel::State state_of(const Ciphertext& c) { return {c.noise(), c.level(), c.correction()}; }
BatchPtr made(Ciphertext ciphertexts) { return std::make_shared<Encrypted>(std::move(ciphertexts)); }

bool is_all(const Indices& indices, std::size_t count) {
  if (indices.size() != count) return false;
  for (std::size_t i = 0; i < count; ++i) {
    if (indices[i] != i) return false;
  }
  return true;
}

/// Ciphertexts of parts, one after the other, in the order that their numbers in the result say.
Ciphertext joined(const std::vector<Ciphertext>& parts, const Indices& numbers) {
  if (parts.size() == 1) return parts[0];
  std::vector<const Ciphertext*> pointers;
  for (const Ciphertext& part : parts) pointers.push_back(&part);
  const Ciphertext all = scheme::concatenate(pointers);
  Indices order(numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) order[numbers[i]] = i;
  return is_all(order, order.size()) ? all : rlwe::take(all, order);
}

/// Appends the `width` ciphertexts of an item.
void append(Indices& indices, std::size_t item, std::size_t width) {
  for (std::size_t i = 0; i < width; ++i) indices.push_back(item * width + i);
}

/// `operation` of the items that have the same value, for each of these values.
template <class Operation>
Ciphertext by_value(const Ciphertext& a, std::span<const std::int64_t> values, std::size_t width,
                    const Operation& operation) {
  std::map<std::int64_t, Indices> items;
  for (std::size_t i = 0; i < values.size(); ++i) append(items[values[i]], i, width);
  if (items.size() == 1) return operation(a, values[0]);
  std::vector<Ciphertext> parts;
  Indices numbers;
  for (const auto& [value, indices] : items) {
    parts.push_back(operation(rlwe::take(a, indices), value));
    numbers.insert(numbers.end(), indices.begin(), indices.end());
  }
  return joined(parts, numbers);
}

}  // namespace

std::size_t items_at_once(const rlwe::Parameters& parameters, std::size_t width) {
  constexpr std::size_t budget = std::size_t{1} << 30;
  const std::size_t limb = parameters.degree() * bytes_of(parameters.word());
  const std::size_t ciphertexts = budget / (3 * parameters.moduli().size() * limb);
  return std::clamp<std::size_t>(ciphertexts / width, 1, 1024);
}

CiphertextAlgebra::CiphertextAlgebra(KeysPtr keys, std::size_t width)
    : CiphertextAlgebra(keys->context(), keys->id(), width) {
  keys_ = std::move(keys);
  static_cast<void>(keys_->relinearization());  // a missing key shows before any work is done
}

CiphertextAlgebra::CiphertextAlgebra(std::shared_ptr<const KeyShares> shares, std::size_t device, std::size_t width)
    : CiphertextAlgebra(shares->context(device), shares->id(), width) {
  shares_ = std::move(shares);
  device_ = device;
}

CiphertextAlgebra::CiphertextAlgebra(rlwe::ContextPtr of, const rlwe::KeyId& key, std::size_t width)
    : context_(std::move(of)), key_(key), width_(width) {
  if (width == 0) throw ArgumentError("a circuit's items take one ciphertext or more each");
  require_one_modulus(context()->parameters());
  model_ = context()->scheme().noise_model(context()->parameters(), rlwe::PlainIndex(0));
}

BatchPtr CiphertextAlgebra::batch(Ciphertext ciphertexts) const {
  rlwe::require_same_context("circuit", *context(), *ciphertexts.context());
  rlwe::require_same_key("circuit", key_, ciphertexts.key());
  if (ciphertexts.batch() % width_ != 0 || ciphertexts.parts() != 2) {
    throw ArgumentError(message(ciphertexts.batch(), " ciphertexts of ", ciphertexts.parts(), " parts are no items of ",
                                width_, " ciphertexts of 2 parts each"));
  }
  return made(std::move(ciphertexts));
}

const Ciphertext& CiphertextAlgebra::ciphertexts(const Batch& a) { return of(a); }

std::uint64_t CiphertextAlgebra::modulus() const { return context()->parameters().plain_moduli()[0]; }

Facts CiphertextAlgebra::facts(const Batch& a) const {
  const Ciphertext& c = of(a);
  return {c.batch() / width_, c.parts(), c.limbs(), c.noise().log2_max, scheme::noise_headroom(c), c.correction()};
}

std::size_t CiphertextAlgebra::items_at_once() const { return circuit::items_at_once(context()->parameters(), width_); }

BatchPtr CiphertextAlgebra::gather(std::span<const Place> places) const {
  const Ciphertext& head = of(*places[0].batch);
  std::size_t parts = head.parts();
  rlwe::NoiseBound noise = head.noise();
  bool is_whole = places.size() * width_ == head.batch();
  for (std::size_t i = 0; i < places.size(); ++i) {
    const Ciphertext& source = of(*places[i].batch);
    if (source.limbs() != head.limbs() || source.correction() != head.correction()) {
      throw ArgumentError("circuit: values of several levels, or correction factors, meet");
    }
    parts = std::max(parts, source.parts());
    noise = larger(noise, source.noise());
    is_whole = is_whole && places[i].batch == places[0].batch && places[i].item == i;
  }
  if (is_whole) return places[0].batch->shared_from_this();
  PolyArray out = head.like(places.size() * width_, parts);
  Engine& engine = *context()->engine();
  for (std::size_t first = 0, next = 0; first < places.size(); first = next) {
    // Items that follow each other there and here go together.
    for (next = first + 1; next < places.size() && places[next].batch == places[first].batch; ++next) {
      if (places[next].item != places[first].item + next - first) break;
    }
    const ConstView from = of(*places[first].batch).polynomials().view();
    const View to = out.view().items(first * width_, (next - first) * width_);
    engine.copy(to.part(0, from.parts), from.items(places[first].item * width_, (next - first) * width_));
    if (from.parts < parts) engine.clear(to.part(from.parts, parts - from.parts));
  }
  return made(head.derived(std::move(out), noise));
}

std::size_t CiphertextAlgebra::product_level(std::span<const Batch* const> operands) const {
  std::vector<rlwe::NoiseModel::State> states;
  for (const Batch* const operand : operands) states.push_back(state_of(of(*operand)));
  return level_of_products(*model_, states).primes;
}

std::uint64_t CiphertextAlgebra::common_correction(std::span<const Batch* const> operands, std::size_t level) const {
  std::vector<rlwe::NoiseModel::State> states;
  for (const Batch* const operand : operands) states.push_back(state_of(of(*operand)));
  return correction_of_operands(*model_, modulus(), states, level);
}

BatchPtr CiphertextAlgebra::corrected(const Batch& a, std::uint64_t correction) const {
  const Ciphertext scaled = rlwe::multiply_scalar(of(a), factor_between(of(a).correction(), correction, modulus()));
  return made(scaled.derived(scaled.polynomials(), scaled.noise(), correction));
}

BatchPtr CiphertextAlgebra::copied(const Batch& a) const {
  if (of(a).context()->engine() == context()->engine()) return a.shared_from_this();
  return made(of(a).to(context()));
}

CiphertextAlgebra::KeysPtr CiphertextAlgebra::keys() const {
  if (keys_ != nullptr) return keys_;
  KeysPtr found = near_.lock();
  if (found == nullptr) near_ = found = shares_->assembled(device_);
  return found;
}

std::shared_ptr<const void> CiphertextAlgebra::keys_at_hand() const { return keys(); }

BatchPtr CiphertextAlgebra::lowered(const Batch& a, std::size_t level) const {
  if (of(a).limbs() == level) return a.shared_from_this();
  return made(scheme::switch_to_level(of(a), rlwe::Level(level)));
}

BatchPtr CiphertextAlgebra::multiply(const Batch& a, const Batch& b) const {
  return made(&a == &b ? scheme::square(of(a)) : scheme::multiply(of(a), of(b)));
}

BatchPtr CiphertextAlgebra::relinearize(const Batch& a) const { return made(rlwe::relinearize(of(a), *keys())); }

BatchPtr CiphertextAlgebra::add(const Batch& a, const Batch& b) const { return made(scheme::add(of(a), of(b))); }

BatchPtr CiphertextAlgebra::sum_groups(const Batch& a, std::size_t group) const {
  if (width_ == 1) return made(rlwe::sum_groups(of(a), group));
  // Neighbours are items: their ciphertexts of one number come together first.
  Indices order;
  for (std::size_t first = 0; first < of(a).batch(); first += group * width_) {
    for (std::size_t i = 0; i < width_; ++i) {
      for (std::size_t j = 0; j < group; ++j) order.push_back(first + j * width_ + i);
    }
  }
  return made(rlwe::sum_groups(rlwe::take(of(a), order), group));
}

BatchPtr CiphertextAlgebra::scale(const Batch& a, std::span<const std::int64_t> factors) const {
  return made(by_value(of(a), factors, width_, [](const Ciphertext& c, std::int64_t factor) {
    return factor == 1 ? c : rlwe::multiply_scalar(c, factor);
  }));
}

BatchPtr CiphertextAlgebra::add_constants(const Batch& a, std::span<const std::int64_t> constants) const {
  return made(by_value(of(a), constants, width_, [&](const Ciphertext& c, std::int64_t value) {
    if (value == 0) return c;
    return scheme::add_plain(
        c, encode_residues(context(), rlwe::PlainIndex(0), Encoding::Kind::constants, std::span(&value, 1), 1, 1));
  }));
}

}  // namespace cyclotome::circuit
