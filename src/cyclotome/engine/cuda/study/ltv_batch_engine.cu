// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <mutex>

#include "cyclotome/engine/cuda/study/ltv_batch_engine.hpp"
#include "cyclotome/engine/memory_limit.hpp"
#include "cyclotome/math/errors.hpp"

namespace cyclotome {

using namespace study::ltv;

namespace {

/// Transforms of factors that are kept for further products, in bytes.
constexpr std::size_t most_kept = std::size_t{2} << 30;
/// What one piece of a layer takes for its digits, about.
constexpr std::size_t bytes_of_piece = std::size_t{3} << 29;

/// A row of transforms: where it is, and what keeps it there.
struct Transform {
  std::shared_ptr<const LtvEngine::Batch> batch;
  std::size_t number = 0;
};

/// How many bytes of transforms are kept.
struct Kept {
  std::mutex mutex;
  std::size_t bytes = 0;
};

class DevicePolynomials final : public Polynomials {
 public:
  DevicePolynomials(LtvEngine::Batch batch, std::shared_ptr<Kept> all_kept)
      : Polynomials(batch.items, batch.primes),
        crt(std::move(batch)),
        transforms(crt.items),
        kept(std::move(all_kept)) {}
  ~DevicePolynomials() override {
    const std::lock_guard lock(kept->mutex);
    kept->bytes -= kept_bytes;
  }

  LtvEngine::Batch crt;
  mutable std::vector<Transform> transforms;  // guarded by kept->mutex, as is the number below
  mutable std::size_t kept_bytes = 0;
  std::shared_ptr<Kept> kept;
};

const DevicePolynomials& of(const Polynomials& a) { return dynamic_cast<const DevicePolynomials&>(a); }

std::vector<LtvEngine::Item> items_of(std::span<const Member> members) {
  std::vector<LtvEngine::Item> items;
  for (const Member& member : members) items.push_back({&of(*member.array).crt, member.number});
  return items;
}

class LtvBatchEngine final : public BatchEngine {
 public:
  LtvBatchEngine(std::shared_ptr<LtvEngine> engine, SwitchingKey key)
      : engine_(std::move(engine)),
        key_(std::move(key)),
        kept_(std::make_shared<Kept>()),
        points_bytes_(8 * engine_->arithmetic().points()) {
    cyclotome::require_memory(*engine_, "a relinearisation key of LTV", key_.bytes());
    device_key_ = engine_->put(key_);
  }

  const SwitchingKey& key() const noexcept override { return key_; }
  std::size_t items_at_once() const override {
    return std::clamp<std::size_t>(bytes_of_piece / (digits() * points_bytes_), 1, 128);
  }
  void require_memory(const std::string& operation, std::size_t bytes) const override {
    cyclotome::require_memory(*engine_, operation, bytes, "use fewer numbers, or a smaller set of parameters");
  }
  std::size_t bytes_each(std::size_t primes) const override { return 4 * primes * engine_->arithmetic().degree(); }
  /// Digits and sums of a piece, products before they are reduced, and transforms that are kept, or not.
  std::size_t bytes_besides() const override {
    const std::size_t primes = key_.parameters()->levels();
    return most_kept + items_at_once() * points_bytes_ * (digits() + 4 * primes);
  }

  PolynomialsPtr put(std::span<const Polynomial* const> polynomials) override {
    return made(engine_->put(polynomials));
  }
  std::vector<Polynomial> get(const Polynomials& polynomials) override {
    std::vector<Polynomial> result;
    for (std::size_t i = 0; i < polynomials.items(); ++i) result.push_back(engine_->get(of(polynomials).crt, i));
    return result;
  }

  PolynomialsPtr sums(std::span<const Member> terms, std::size_t group, const std::vector<bool>& ones) override {
    return made(engine_->sums(items_of(terms), group, ones));
  }

  PolynomialsPtr sum_products(std::span<const Member> a, std::span<const Member> b, std::size_t group) override {
    // Of long groups some products at a time.
    const std::size_t most = items_at_once();
    if (group > most) return long_sum_products(a, b, group, most);
    const std::size_t each = most / group * group;
    if (a.size() > each) return joined(a, b, group, each);
    const std::map<Key, Transform> transforms = transforms_of(a, b);
    const auto transformed = [&](std::span<const Member> members) {
      std::vector<LtvEngine::Item> items;
      for (const Member& member : members) {
        const Transform& t = transforms.at({member.array, member.number});
        items.push_back({t.batch.get(), t.number});
      }
      return items;
    };
    return made(engine_->reduced(engine_->products(transformed(a), transformed(b)), group));
  }

  PolynomialsPtr relinearized(std::span<const Member> polynomials) override {
    const std::size_t most = items_at_once();
    if (polynomials.size() > most) {
      return in_pieces(polynomials.size(), most, [&](std::size_t first, std::size_t count) {
        return relinearized(polynomials.subspan(first, count));
      });
    }
    return made(engine_->relinearize(together(polynomials), device_key_, LtvEngine::Reduction::sums));
  }

  PolynomialsPtr lowered(const Polynomials& polynomials, const std::vector<bool>& divided) override {
    return made(engine_->lowered(of(polynomials).crt, divided));
  }

  void synchronize() override { engine_->synchronize(); }

 private:
  using Key = std::pair<const Polynomials*, std::size_t>;

  std::size_t digits() const { return key_.parameters()->digits(key_.parameters()->levels()); }
  PolynomialsPtr made(LtvEngine::Batch batch) const {
    return std::make_shared<DevicePolynomials>(std::move(batch), kept_);
  }

  /// The members one after the other: where they lie if they are all of an array, else copied.
  LtvEngine::Batch together(std::span<const Member> members) {
    const DevicePolynomials& first = of(*members[0].array);
    bool in_place = members.size() == first.items();
    for (std::size_t i = 0; in_place && i < members.size(); ++i) {
      in_place = members[i].array == &first && members[i].number == i;
    }
    return in_place ? first.crt : engine_->sums(items_of(members), 1, std::vector<bool>(members.size()));
  }

  /// function(first, count) for pieces of so many, put together.
  template <class Function>
  PolynomialsPtr in_pieces(std::size_t count, std::size_t most, const Function& function) {
    std::vector<PolynomialsPtr> pieces;
    std::vector<Member> all;
    for (std::size_t first = 0; first < count; first += most) {
      pieces.push_back(function(first, std::min(most, count - first)));
      for (std::size_t i = 0; i < pieces.back()->items(); ++i) all.push_back({pieces.back().get(), i});
    }
    return sums(all, 1, std::vector<bool>(all.size()));
  }
  PolynomialsPtr joined(std::span<const Member> a, std::span<const Member> b, std::size_t group, std::size_t each) {
    return in_pieces(a.size(), each, [&](std::size_t first, std::size_t count) {
      return sum_products(a.subspan(first, count), b.subspan(first, count), group);
    });
  }
  PolynomialsPtr long_sum_products(std::span<const Member> a, std::span<const Member> b, std::size_t group,
                                   std::size_t most) {
    return in_pieces(a.size(), group, [&](std::size_t first, std::size_t) {
      std::vector<PolynomialsPtr> parts;
      std::vector<Member> terms;
      for (std::size_t k = 0; k < group; k += most) {
        const std::size_t count = std::min(most, group - k);
        parts.push_back(sum_products(a.subspan(first + k, count), b.subspan(first + k, count), count));
        terms.push_back({parts.back().get(), 0});
      }
      return sums(terms, terms.size(), {false});
    });
  }

  /// Of all factors: those that were computed before, and the others now, all at once, which are kept for further
  /// products as long as their polynomials are there, and there is room.
  std::map<Key, Transform> transforms_of(std::span<const Member> a, std::span<const Member> b) {
    std::map<Key, Transform> found;
    std::vector<Member> missing;
    const std::lock_guard lock(kept_->mutex);
    for (const std::span<const Member> side : {a, b}) {
      for (const Member& member : side) {
        const auto [entry, is_new] = found.try_emplace({member.array, member.number});
        if (!is_new) continue;
        entry->second = of(*member.array).transforms[member.number];
        if (entry->second.batch == nullptr) missing.push_back(member);
      }
    }
    if (missing.empty()) return found;
    const auto batch = std::make_shared<const LtvEngine::Batch>(engine_->ntt(items_of(missing)));
    const std::size_t each = batch->primes * points_bytes_;
    const bool keep = kept_->bytes + missing.size() * each <= most_kept;
    for (std::size_t i = 0; i < missing.size(); ++i) {
      const auto& [array, number] = missing[i];
      found[{array, number}] = {batch, i};
      if (!keep) continue;
      of(*array).transforms[number] = {batch, i};
      of(*array).kept_bytes += each;
      kept_->bytes += each;
    }
    return found;
  }

  std::shared_ptr<LtvEngine> engine_;
  SwitchingKey key_;
  LtvEngine::Key device_key_;
  std::shared_ptr<Kept> kept_;
  std::size_t points_bytes_;
};

}  // namespace

BatchEnginePtr ltv_batch_engine(std::shared_ptr<LtvEngine> engine, SwitchingKey key) {
  require_relinearization(key);
  return std::make_shared<LtvBatchEngine>(std::move(engine), std::move(key));
}

}  // namespace cyclotome
