// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/value/functions/plan_cache.hpp"

#include <utility>

namespace cyclotome::value {

namespace {

std::size_t bytes_of(const FunctionKey& key, const EvaluationPlan& plan) {
  std::size_t terms = 0;
  for (const EvaluationPlan::Node& node : plan.nodes) terms += node.form.terms.capacity();
  return sizeof(FunctionKey) + sizeof(FunctionPlan) + key.values.capacity() * sizeof(std::int64_t) +
         terms * sizeof(EvaluationPlan::Term) + plan.nodes.capacity() * sizeof(EvaluationPlan::Node) +
         (plan.roots.capacity() + plan.powers.capacity()) * sizeof(std::size_t);
}

}  // namespace

FunctionPlanPtr PlanCache::get(FunctionKey key, const std::function<FunctionPlan()>& make) {
  if (FunctionPlanPtr plan = found(key)) return plan;
  auto made = std::make_shared<const FunctionPlan>(make());  // takes long, and is interrupted: outside the lock
  return keep(std::move(key), std::move(made));
}

std::size_t PlanCache::size() const {
  const std::lock_guard lock(mutex_);
  return entries_.size();
}

std::size_t PlanCache::bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

FunctionPlanPtr PlanCache::found(const FunctionKey& key) {
  const std::lock_guard lock(mutex_);
  const auto entry = entries_.find(key);
  if (entry == entries_.end()) return nullptr;
  order_.splice(order_.begin(), order_, entry->second.place);
  return entry->second.plan;
}

FunctionPlanPtr PlanCache::keep(FunctionKey key, FunctionPlanPtr plan) {
  const std::size_t bytes = bytes_of(key, plan->plan);
  // One of a quarter of all would push out many that are dear, too.
  if (bytes > limits_.bytes / 4) return plan;
  const std::lock_guard lock(mutex_);
  const auto [entry, is_new] = entries_.try_emplace(std::move(key), Entry{plan, bytes, {}});
  if (!is_new) return entry->second.plan;  // another thread was quicker
  order_.push_front(&entry->first);
  entry->second.place = order_.begin();
  bytes_ += bytes;
  while (entries_.size() > limits_.plans || bytes_ > limits_.bytes) {
    const auto last = entries_.find(*order_.back());
    bytes_ -= last->second.bytes;
    order_.pop_back();
    entries_.erase(last);
  }
  return plan;
}

FunctionPlanPtr kept_plan(FunctionKey key, const std::function<FunctionPlan()>& make) {
  static PlanCache& cache = *new PlanCache({64, std::size_t{8} << 20});  // threads may outlive static objects
  return cache.get(std::move(key), make);
}

}  // namespace cyclotome::value
