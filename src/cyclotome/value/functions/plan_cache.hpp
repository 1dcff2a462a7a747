// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "cyclotome/value/functions/evaluation_plan.hpp"

// What functions of few values are, kept: to find their polynomials takes time that grows with the square of their
// number, and depends on no ciphertext, key, engine or modulus q. Everything here is public.
namespace cyclotome::value {

/// All that a plan depends on.
struct FunctionKey {
  enum class Kind : std::uint8_t { values, zero_of_square, fermat, sign, both, polynomial };
  Kind kind;
  std::uint64_t modulus;
  std::int64_t low = 0, high = 0;         ///< the range, of kinds that have one
  std::vector<std::int64_t> values = {};  ///< of tables, or residues of coefficients
  std::strong_ordering operator<=>(const FunctionKey&) const = default;
  bool operator==(const FunctionKey&) const = default;
};

struct FunctionPlan {
  EvaluationPlan plan;
  /// In place of a second polynomial that is a constant, which takes no product.
  std::optional<std::uint64_t> slope = std::nullopt;
};
using FunctionPlanPtr = std::shared_ptr<const FunctionPlan>;

/// Those used last, no more than so many and no more than so many bytes in all. Any thread may ask; two that ask for
/// the same at once may both make it, which gives the same.
class PlanCache {
 public:
  struct Limits {
    std::size_t plans, bytes;
  };
  explicit PlanCache(Limits limits) : limits_(limits) {}

  /// The plan of this key, made where it is not at hand; what `make` throws, and then nothing is kept.
  FunctionPlanPtr get(FunctionKey key, const std::function<FunctionPlan()>& make);
  std::size_t size() const;
  std::size_t bytes() const;

 private:
  struct Entry {
    FunctionPlanPtr plan;
    std::size_t bytes;
    std::list<const FunctionKey*>::iterator place;
  };
  FunctionPlanPtr found(const FunctionKey& key);
  FunctionPlanPtr keep(FunctionKey key, FunctionPlanPtr plan);

  const Limits limits_;
  mutable std::mutex mutex_;
  std::map<FunctionKey, Entry> entries_;
  std::list<const FunctionKey*> order_;  // the one used last comes first
  std::size_t bytes_ = 0;
};

/// Of this process: 64 plans and 8 MiB.
FunctionPlanPtr kept_plan(FunctionKey key, const std::function<FunctionPlan()>& make);

}  // namespace cyclotome::value
