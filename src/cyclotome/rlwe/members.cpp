// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/rlwe/members.hpp"

#include <algorithm>
#include <map>
#include <memory>

#include "cyclotome/math/errors.hpp"
#include "cyclotome/rlwe/domains.hpp"

namespace cyclotome::rlwe {

NoiseBound require_together(const char* operation, std::span<const Member> members) {
  if (members.empty()) throw ArgumentError(message(operation, ": no ciphertexts were given"));
  const Ciphertext& head = *members[0].array;
  NoiseBound noise = head.noise();
  const Ciphertext* last = &head;
  for (const auto& [array, number] : members) {
    if (number >= array->batch())
      throw ArgumentError(message("ciphertext ", number, " of a batch of ", array->batch()));
    if (array == last) continue;
    last = array;
    require_same_context(operation, *array->context(), *head.context());
    require_same_key(operation, array->key(), head.key());
    if (array->plain() != head.plain() || array->limbs() != head.limbs() || array->correction() != head.correction()) {
      throw MismatchError(
          message(operation, ": the arrays have different plaintext moduli, levels or correction ", "factors"));
    }
    noise = larger(noise, array->noise());
  }
  return head.context()->parameters().noise().tidy(noise);
}

void require_multipliable(std::span<const Member> a, std::span<const Member> b) {
  constexpr auto operation = "multiply";
  for (const auto& members : {a, b}) {
    static_cast<void>(require_together(operation, members));
    for (const Member& member : members) {
      const std::size_t parts = member.array->parts();
      if (parts == 2) continue;
      throw ArgumentError(message(operation, ": a ciphertext of ", parts,
                                  " parts; relinearise products to 2 parts before they are multiplied again"));
    }
  }
  const Ciphertext &x = *a[0].array, &y = *b[0].array;
  require_same_context(operation, *x.context(), *y.context());
  require_same_key(operation, x.key(), y.key());
  if (x.plain() != y.plain()) {
    throw MismatchError(
        message(operation, ": the operands have plaintext moduli number ", x.plain(), " and ", y.plain()));
  }
  if (a.size() != b.size()) {
    throw ArgumentError(message(operation, ": ", a.size(), " and ", b.size(), " factors; there must be as many"));
  }
}

std::vector<ConstView> views_of(std::span<const Member> members) {
  std::vector<ConstView> views;
  views.reserve(members.size());
  for (const auto& [array, number] : members) views.push_back(array->polynomials().view().items(number));
  return views;
}

namespace {

/// Members with their arrays in one domain, which copies hold where they were not.
class InOneDomain {
 public:
  explicit InOneDomain(std::span<const Member> members) : members_(members.begin(), members.end()) {
    std::vector<const Ciphertext*> arrays;
    for (const Member& member : members) {
      if (arrays.empty() || arrays.back() != member.array) arrays.push_back(member.array);
    }
    domain_ = common_domain(arrays);
    for (Member& member : members_) {
      if (member.array->domain() == domain_) continue;
      const auto [place, is_new] = moved_.try_emplace(member.array, nullptr);
      if (is_new) place->second = std::make_unique<const Ciphertext>(member.array->in(domain_));
      member.array = place->second.get();
    }
  }
  Domain domain() const noexcept { return domain_; }
  std::span<const Member> members() const noexcept { return members_; }

 private:
  std::vector<Member> members_;
  std::map<const Ciphertext*, std::unique_ptr<const Ciphertext>> moved_;
  Domain domain_;
};

}  // namespace

Ciphertext gather(std::span<const Member> members, std::size_t group) {
  const NoiseBound noise = require_together("gather", members);
  if (group == 0 || members.size() % group != 0) {
    throw ArgumentError(message("gather: ", members.size(), " ciphertexts make no groups of ", group));
  }
  const Ciphertext& head = *members[0].array;
  std::size_t parts = 0;
  Level from = head.raised_from();
  for (const Member& member : members) {
    parts = std::max(parts, member.array->parts());
    from = std::max(from, member.array->raised_from());
  }
  const InOneDomain met(members);
  PolyArray out = head.context()->make(head.polynomials().ring(), members.size() / group, parts, met.domain());
  head.context()->engine()->sum_items(out.view(), views_of(met.members()), group);
  return head.derived(std::move(out), group == 1 ? noise : NoiseCalculus::times(noise, static_cast<double>(group)),
                      from);
}

}  // namespace cyclotome::rlwe
