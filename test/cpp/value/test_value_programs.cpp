// SPDX-License-Identifier: Apache-2.0
// Random programs over encrypted arrays, of all placements mixed, give what integers in the clear give or are refused
// with a type. CYCLOTOME_TEST_PROGRAMS sets how many (default 1000 for each set of keys), CYCLOTOME_TEST_SEED repeats a
// run.

#include <cstdlib>
#include <iostream>
#include <map>
#include <optional>
#include <string>

#include "check.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/scheme/bfv/scheme.hpp"
#include "cyclotome/scheme/bgv/scheme.hpp"
#include "value_party.hpp"

namespace {

using namespace cyclotome;
using check::Lengths;
using check::Model;
using check::ValueParty;
using check::Wide;
using value::EncryptedArray;

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr || *text == '\0' ? otherwise : std::strtoull(text, nullptr, 10);
}

/// An encrypted array and what it should be.
struct Both {
  EncryptedArray x;
  Model model;
};

class Programs {
 public:
  Programs(const ValueParty& party, std::uint64_t seed) : party_(party), random_(seed) {}

  void run(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) program();
    std::cout << "exact " << exact_;
    for (const auto& [name, times] : refused_) std::cout << ", " << name << " " << times;
    std::cout << '\n';
    CHECK(exact_ > 2 * count);
    CHECK(refused_["RangeError"] + refused_["NoiseError"] + refused_["UnsupportedError"] > 0);
  }

 private:
  std::size_t below(std::size_t limit) { return random_() % limit; }
  std::int64_t number(std::int64_t most) {
    return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(2 * most + 1)) - most;
  }
  Lengths shape() {
    static const std::vector<Lengths> shapes = {{},      {1},     {5},        {16},      {19},   {2, 1}, {2, 5},
                                                {2, 16}, {2, 19}, {3, 2, 19}, {3, 1, 5}, {1, 5}, {2, 2}, {33}};
    return shapes[below(shapes.size())];
  }
  Model numbers(const Lengths& lengths, std::int64_t most) {
    return check::made(lengths, [&](const Lengths&) { return Wide{number(most)}; });
  }

  Both fresh(bool wrap) {
    const std::int64_t most = below(4) == 0 ? 30000 : 20;
    const Model model = numbers(shape(), most);
    value::Encryption how;
    how.wrap = wrap;
    if (!wrap) how.bound = static_cast<std::uint64_t>(most);
    how.placement = static_cast<value::Placement>(below(3));
    const bool slots = party_.context->parameters().has_slots();
    if (how.placement == value::Placement::slots && !slots) how.placement = value::Placement::coefficients;
    return {party_.encrypted(check::integers_of(model), how), model};
  }

  void program() {
    const bool wrap = below(3) == 0;
    std::vector<Both> arrays;
    while (arrays.size() < 3) arrays.push_back(fresh(below(12) == 0 ? !wrap : wrap));
    for (std::size_t i = 0; i < 8; ++i) {
      try {
        std::optional<Both> made = step(arrays[below(arrays.size())], arrays[below(arrays.size())]);
        if (made) arrays.push_back(std::move(*made));
      } catch (const Error& error) {
        note(error);
      }
    }
    for (const Both& array : arrays) compare(array);
  }

  void note(const Error& error) {
    const auto is = [&]<class Kind>(const char* name, const Kind*) {
      if (dynamic_cast<const Kind*>(&error) != nullptr) ++refused_[name];
      return dynamic_cast<const Kind*>(&error) != nullptr;
    };
    const bool typed = is("RangeError", static_cast<RangeError*>(nullptr)) ||
                       is("NoiseError", static_cast<NoiseError*>(nullptr)) ||
                       is("UnsupportedError", static_cast<UnsupportedError*>(nullptr)) ||
                       is("ArgumentError", static_cast<ArgumentError*>(nullptr)) ||
                       is("MismatchError", static_cast<MismatchError*>(nullptr)) ||
                       is("MissingKeyError", static_cast<MissingKeyError*>(nullptr));
    CHECK(typed);
  }

  void compare(const Both& array) {
    const value::Integers values = value::decrypt(array.x, party_.secret);
    Model expected = array.model;
    if (array.x.bound().wraps()) {
      const Wide t = party_.modulus();
      for (Wide& v : expected.values) v = ((v % t) + t) % t;
    }
    CHECK_EQ(values.shape(), expected.shape);
    CHECK_EQ(values.to_int64(), check::words_of(expected));
    ++exact_;
  }

  /// One operation on both sides; nothing where the clear has none (shapes that don't fit).
  std::optional<Both> step(const Both& a, const Both& b) {
    const std::size_t kind = below(16);
    Lengths together;
    const bool fits = check::broadcasts(a.model.shape, b.model.shape, together);
    const auto wrapped = [&](Model model) {
      const Wide t = party_.modulus();
      for (Wide& v : model.values) v = a.x.bound().wraps() ? v % t : v;
      return model;
    };
    const auto both = [&](EncryptedArray x, const Model& model) { return Both{std::move(x), wrapped(model)}; };
    switch (kind) {
      case 0:
        if (!fits) return std::nullopt;
        return both(a.x + b.x, check::combined(a.model, b.model, std::plus<>()));
      case 1:
        if (!fits) return std::nullopt;
        return both(a.x - b.x, check::combined(a.model, b.model, std::minus<>()));
      case 2:
      case 3:
        if (!fits) return std::nullopt;
        return both(a.x * b.x, check::combined(a.model, b.model, std::multiplies<>()));
      case 4:
        return both(-a.x, check::combined(a.model, {{}, {-1}}, std::multiplies<>()));
      case 5:
        return both(value::power(a.x, 2), check::combined(a.model, a.model, std::multiplies<>()));
      case 6:
      case 7:
      case 8:
        return with_plain(kind, a, both);
      case 9:
      case 10:
        if (a.model.shape.empty()) return std::nullopt;
        return summed(a, both);
      case 11:
        return left_product(a, both);
      case 12:
        return right_product(a, both);
      case 13:
        if (a.model.shape.size() != 2 || b.model.shape.size() > 2 || b.model.shape.empty()) return std::nullopt;
        if (a.model.shape.back() != b.model.shape.front()) return std::nullopt;
        return both(value::matmul(a.x, b.x), check::multiplied(a.model, b.model));
      case 14:
        return moved(a, both);
      default:
        return joined(a, b, both);
    }
  }

  template <class Make>
  std::optional<Both> with_plain(std::size_t kind, const Both& a, const Make& both) {
    const Model w = numbers(shape(), below(3) == 0 ? 0 : 9);
    Lengths together;
    if (!check::broadcasts(a.model.shape, w.shape, together)) return std::nullopt;
    const value::Integers integers = check::integers_of(w);
    if (kind == 6) return both(a.x + integers, check::combined(a.model, w, std::plus<>()));
    if (kind == 7) return both(integers - a.x, check::combined(w, a.model, std::minus<>()));
    return both(a.x * integers, check::combined(a.model, w, std::multiplies<>()));
  }

  template <class Make>
  std::optional<Both> summed(const Both& a, const Make& both) {
    const std::size_t axis = below(a.model.shape.size());
    const auto axes = std::vector<std::int64_t>{static_cast<std::int64_t>(axis)};
    const bool keep = below(2) == 0;
    Model total = check::summed(a.model, axis);
    if (keep) total.shape.insert(total.shape.begin() + static_cast<std::ptrdiff_t>(axis), 1);
    return both(value::sum(a.x, axes, keep), total);
  }

  template <class Make>
  std::optional<Both> left_product(const Both& a, const Make& both) {
    if (a.model.shape.empty() || a.model.shape.size() > 2) return std::nullopt;
    const Model w = numbers(below(2) == 0 ? Lengths{2, a.model.shape[0]} : Lengths{a.model.shape[0]}, 5);
    return both(value::matmul(check::integers_of(w), a.x), check::multiplied(w, a.model));
  }

  template <class Make>
  std::optional<Both> right_product(const Both& a, const Make& both) {
    if (a.model.shape.empty()) return std::nullopt;
    const std::size_t k = a.model.shape.back();
    const Model w = numbers(below(2) == 0 ? Lengths{k, 3} : Lengths{k}, 5);
    return both(value::matmul(a.x, check::integers_of(w)), check::multiplied(a.model, w));
  }

  template <class Make>
  std::optional<Both> moved(const Both& a, const Make& both) {
    const std::size_t way = below(4);
    if (way == 0 && !a.model.shape.empty() && a.model.shape[0] > 1 && !a.x.layout().outer().empty()) {
      Model last = a.model;
      const std::size_t inner = last.values.size() / last.shape[0];
      last.values.erase(last.values.begin(), last.values.end() - static_cast<std::ptrdiff_t>(inner));
      last.shape.erase(last.shape.begin());
      return both(value::item(a.x, -1), last);
    }
    if (way == 1) return both(value::padded(a.x), padded(a.model));
    if (way == 2) return both(value::packed(a.x), a.model);
    Model flat = a.model;
    flat.shape = {1, flat.values.size()};
    return both(value::reshape(a.x, flat.shape), flat);
  }

  static Model padded(const Model& a) {
    Lengths shape = a.shape;
    if (shape.empty()) return a;
    shape.back() = (shape.back() + ValueParty::degree - 1) / ValueParty::degree * ValueParty::degree;
    return check::made(
        shape, [&](const Lengths& index) { return index.back() < a.shape.back() ? check::at(a, index) : Wide{0}; });
  }

  template <class Make>
  std::optional<Both> joined(const Both& a, const Both& b, const Make& both) {
    if (a.model.shape != b.model.shape) return std::nullopt;
    Model stacked{a.model.shape, a.model.values};
    stacked.shape.insert(stacked.shape.begin(), 2);
    stacked.values.insert(stacked.values.end(), b.model.values.begin(), b.model.values.end());
    const std::vector<EncryptedArray> arrays{a.x, b.x};
    return both(value::stack(arrays), stacked);
  }

  const ValueParty& party_;
  std::mt19937_64 random_;
  std::size_t exact_ = 0;
  std::map<std::string, std::size_t> refused_;
};

void run(const ValueParty& party) {
  const std::uint64_t seed = from_environment("CYCLOTOME_TEST_SEED", std::random_device()());
  std::cout << "repeat with CYCLOTOME_TEST_SEED=" << seed << '\n';
  Programs(party, seed).run(from_environment("CYCLOTOME_TEST_PROGRAMS", 1000));
}

}  // namespace

TEST(programs_in_bfv) { run(ValueParty(&bfv::scheme())); }
TEST(programs_with_little_room) { run(ValueParty(&bfv::scheme(), {40961, 65537}, 1)); }
TEST(programs_in_bgv) { run(ValueParty(&bgv::scheme())); }
TEST(programs_without_slots) { run(ValueParty(&bfv::scheme(), {1024, 2187})); }

int main() { return check::run(); }
