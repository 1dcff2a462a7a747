// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/rlwe/noise/reveal_budget.hpp"

#include <algorithm>
#include <map>
#include <mutex>

#include "cyclotome/math/errors.hpp"

namespace cyclotome::rlwe {

namespace {

/// One key's. What this process has seen spent stays spent, also where a file went back to an older state.
class Entry {
 public:
  RevealCount read() {
    const std::scoped_lock lock(mutex_);
    return store_ ? met(store_->read(own_)) : own_;
  }

  RevealCount change(const std::function<RevealCount(const RevealCount&)>& changed) {
    const std::scoped_lock lock(mutex_);
    const auto from_met = [&](const RevealCount& kept) { return changed(met(kept)); };
    own_ = store_ ? store_->change(own_, from_met) : changed(own_);
    return own_;
  }

  void keep(std::shared_ptr<RevealStore> store, bool replaced) {
    const std::scoped_lock lock(mutex_);
    if (store_ && !replaced) return;
    store_ = std::move(store);
  }

  std::string where() {
    const std::scoped_lock lock(mutex_);
    return store_ ? store_->where() : std::string();
  }

 private:
  RevealCount met(const RevealCount& kept) const { return {kept.planned, std::max(kept.spent, own_.spent)}; }

  std::mutex mutex_;
  RevealCount own_{usual_reveals, 0};
  std::shared_ptr<RevealStore> store_;
};

Entry& entry_of(const KeyId& key) {
  static std::mutex mutex;
  static std::map<KeyId, Entry>& entries = *new std::map<KeyId, Entry>;  // threads may outlive static objects
  const std::scoped_lock lock(mutex);
  return entries[key];
}

void require_left_of_key(const RevealCount& count, std::uint64_t ciphertexts, const std::string& where) {
  require_left(count, ciphertexts,
               {.what = "reveal",
                .whose = "this key" + (where.empty() ? std::string() : message(" (counted in '", where, "')")),
                .remedy = "make new keys and encrypt anew, or plan more for this one (plan_reveals): twice as many "
                          "cost one bit of what flooding promises for the key's life"});
}

}  // namespace

void require_planned(const char* what, std::uint64_t planned) {
  if (planned >= 1 && planned <= most_planned) return;
  throw ArgumentError(message(what, ": ", planned,
                              " ciphertexts to be decrypted for others in a key's life must lie in [1, 2^60]; ",
                              usual_reveals, " is usual"));
}

void require_left(const RevealCount& count, std::uint64_t ciphertexts, const BudgetWords& words) {
  const std::uint64_t left = count.planned - std::min(count.planned, count.spent);
  if (ciphertexts <= left) return;
  throw BudgetError(message(words.what, ": ", ciphertexts, " ciphertexts, and ", left, " are left of the ",
                            count.planned, " that were planned for ", words.whose, "; ", words.remedy));
}

RevealCount reveals_of(const KeyId& key) { return entry_of(key).read(); }

void plan_reveals(const KeyId& key, std::uint64_t planned) {
  require_planned("reveals", planned);
  entry_of(key).change([&](const RevealCount& now) { return RevealCount{planned, now.spent}; });
}

void spend_reveals(const KeyId& key, std::uint64_t ciphertexts) {
  Entry& entry = entry_of(key);
  const std::string where = entry.where();
  entry.change([&](const RevealCount& now) {
    require_left_of_key(now, ciphertexts, where);
    return RevealCount{now.planned, now.spent + ciphertexts};
  });
}

void require_reveals(const KeyId& key, std::uint64_t ciphertexts) {
  Entry& entry = entry_of(key);
  require_left_of_key(entry.read(), ciphertexts, entry.where());
}

void keep_reveals(const KeyId& key, std::shared_ptr<RevealStore> store, bool replaced) {
  entry_of(key).keep(std::move(store), replaced);
}

std::string reveals_kept_in(const KeyId& key) { return entry_of(key).where(); }

}  // namespace cyclotome::rlwe
