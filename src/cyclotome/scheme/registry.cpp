// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/scheme/registry.hpp"

#include <algorithm>
#include <mutex>

#include "cyclotome/math/errors.hpp"
#include "cyclotome/rlwe/parameters/parameters.hpp"
#include "cyclotome/scheme/bfv/scheme.hpp"
#include "cyclotome/scheme/bgv/scheme.hpp"
#include "cyclotome/scheme/ckks/scheme.hpp"

namespace cyclotome::scheme {

namespace {

struct Entry {
  const rlwe::Scheme* scheme;
  Values values;
};

/// No scheme registers itself from a static object: linkers drop such objects from a static library.
struct Table {
  std::mutex mutex;
  std::vector<Entry> schemes = {
      {&bfv::scheme(), Values::exact},
      {&bgv::scheme(), Values::exact},
      {&ckks::scheme(), Values::approximate},
  };
};

Table& table() {
  static Table only;
  return only;
}

/// "there are 1 (bfv), 2 (bgv) and 3 (ckks)", with each scheme as `shown`.
template <class Show>
std::string list_of_known(const Show& shown) {
  const std::vector<const rlwe::Scheme*> all = known();
  std::string text = "there are ";
  for (std::size_t i = 0; i < all.size(); ++i) {
    text += (i == 0 ? "" : i + 1 == all.size() ? " and " : ", ") + shown(*all[i]);
  }
  return text;
}

std::string quoted(std::string_view name) { return message("'", name, "'"); }

template <class Predicate>
const rlwe::Scheme* find(const Predicate& fits) {
  const std::vector<const rlwe::Scheme*> all = known();
  const auto found = std::ranges::find_if(all, [&](const rlwe::Scheme* scheme) { return fits(*scheme); });
  return found == all.end() ? nullptr : *found;
}

}  // namespace

std::vector<const rlwe::Scheme*> known() {
  const std::lock_guard lock(table().mutex);
  std::vector<const rlwe::Scheme*> all;
  for (const Entry& entry : table().schemes) all.push_back(entry.scheme);
  return all;
}

const rlwe::Scheme& named(std::string_view name) {
  if (const auto* const found = find([&](const rlwe::Scheme& scheme) { return scheme.name() == name; })) return *found;
  throw ParameterError(message("scheme ", quoted(name), " is not known; ",
                               list_of_known([](const rlwe::Scheme& scheme) { return quoted(scheme.name()); })));
}

const rlwe::Scheme& numbered(std::uint8_t id) {
  if (const auto* const found = find([&](const rlwe::Scheme& scheme) { return scheme.id() == id; })) return *found;
  throw ParameterError(message("scheme number ", static_cast<unsigned>(id), " is unknown; ",
                               list_of_known([](const rlwe::Scheme& scheme) {
                                 return message(static_cast<unsigned>(scheme.id()), " (", scheme.name(), ")");
                               })));
}

Values values_of(const rlwe::Scheme& scheme) {
  const std::lock_guard lock(table().mutex);
  for (const Entry& entry : table().schemes) {
    if (entry.scheme == &scheme) return entry.values;
  }
  return Values::exact;
}

bool holds_reals(const rlwe::Parameters& parameters) { return values_of(parameters.scheme()) == Values::approximate; }

void add_scheme(const rlwe::Scheme& scheme, Values values) {
  const std::lock_guard lock(table().mutex);
  for (const Entry& entry : table().schemes) {
    const rlwe::Scheme* const other = entry.scheme;
    if (other == &scheme) return;
    if (other->id() == scheme.id() || other->name() == scheme.name()) {
      throw ParameterError(message("scheme ", quoted(scheme.name()), " with number ",
                                   static_cast<unsigned>(scheme.id()), " can't be added: ", quoted(other->name()),
                                   " with number ", static_cast<unsigned>(other->id()),
                                   " is known; take a name and number of its own"));
    }
  }
  if (scheme.id() == 0)
    throw ParameterError(message("scheme ", quoted(scheme.name()), " needs a number from 1 to 255"));
  table().schemes.push_back({&scheme, values});
}

}  // namespace cyclotome::scheme
