// SPDX-License-Identifier: Apache-2.0
// Runs a program of arrays, line by line from standard input, by the public interface alone: what Python runs beside it
// (test/python/differential).
//
//     keys PUBLIC EVALUATION       files of keys
//     load NUMBER FILE             an array, which the keys are given to
//     VERB NUMBER... OPTION... > FILE
//
// Each line is answered by one: "done", or "refused CLASS", the class of the library's error.
#include <cyclotome/cyclotome.hpp>
#include <functional>
#include <iostream>
#include <map>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

namespace {

using namespace cyclotome;

/// A line's words, taken one after the other. What a line lacks or has too much is a fault of whoever wrote it.
class Words {
 public:
  explicit Words(const std::string& line) : in_(line) {}
  std::string text() {
    std::string word;
    if (!(in_ >> word)) throw std::invalid_argument("a word is missing");
    return word;
  }
  std::int64_t number() { return std::stoll(text()); }
  bool flag() { return number() != 0; }
  std::vector<std::int64_t> list() { return split<std::int64_t>(text(), ','); }
  /// "2x3:1,2,3,4,5,6"; a scalar has no shape before its colon.
  Integers integers() {
    const std::string word = text();
    const std::size_t colon = word.find(':');
    return {split<std::size_t>(word.substr(0, colon), 'x'), split<std::int64_t>(word.substr(colon + 1), ',')};
  }
  Shape shape() { return split<std::size_t>(text(), 'x'); }

 private:
  template <class Number>
  static std::vector<Number> split(const std::string& text, char separator) {
    std::vector<Number> numbers;
    std::istringstream in(text);
    for (std::string each; std::getline(in, each, separator);) numbers.push_back(static_cast<Number>(std::stoll(each)));
    return numbers;
  }
  std::istringstream in_;
};

struct Machine {
  Keyring keys;
  std::optional<PublicKey> public_key;
  ContextPtr context;
  std::map<std::int64_t, EncryptedArray> arrays;

  void take_keys(Words& words) {
    const Limits limits{.allow_insecure = true};
    const StoredObject first = StoredObject::load(words.text(), limits);
    context = make_context(first.parameters(), make_cpu_engine());
    public_key.emplace(first.public_key(context));
    keys = Keyring(*public_key).joined(StoredObject::load(words.text(), limits).evaluation_keys(context));
  }
  void load(Words& words) {
    const std::int64_t number = words.number();
    const StoredObject stored = StoredObject::load(words.text(), {.allow_insecure = true});
    arrays.insert_or_assign(number, stored.array(context).with_keys(keys));
  }
  const EncryptedArray& operand(Words& words) { return arrays.at(words.number()); }
};

using Verb = std::function<EncryptedArray(Machine&, Words&)>;
using Of1 = EncryptedArray (*)(const EncryptedArray&, const Options&);
using Of2 = EncryptedArray (*)(const EncryptedArray&, const EncryptedArray&, const Options&);
using WithPlain = EncryptedArray (*)(const EncryptedArray&, const Integers&, const Options&);

Verb one(Of1 function) {
  return [function](Machine& m, Words& w) { return function(m.operand(w), {}); };
}

Verb two(Of2 function) {
  return [function](Machine& m, Words& w) {
    const EncryptedArray& x = m.operand(w);
    return function(x, m.operand(w), {});
  };
}

Verb with(WithPlain function) {
  return [function](Machine& m, Words& w) {
    const EncryptedArray& x = m.operand(w);
    return function(x, w.integers(), {});
  };
}

/// A comparison with public numbers, which stand before the array where `swapped`.
Verb beside(WithPlain function, WithPlain swapped) {
  return [=](Machine& m, Words& w) {
    const EncryptedArray& x = m.operand(w);
    const bool before = w.flag();
    return (before ? swapped : function)(x, w.integers(), {});
  };
}

EncryptedArray sum_of(Machine& m, Words& w) {
  const EncryptedArray& x = m.operand(w);
  const bool keepdims = w.flag();
  const std::string axes = w.text();
  if (axes == "all" && !keepdims) return sum(x);
  std::vector<std::int64_t> chosen;
  if (axes == "all") {
    for (std::size_t i = 0; i < x.ndim(); ++i) chosen.push_back(static_cast<std::int64_t>(i));
  } else {
    chosen = Words(axes).list();
  }
  return sum(x, chosen, keepdims);
}

EncryptedArray times_matrix(Machine& m, Words& w) {
  const EncryptedArray& x = m.operand(w);
  const bool left = w.flag(), kept = w.flag();
  const Integers matrix = w.integers();
  if (kept && left) return matmul(Matrix(m.context, matrix), x);
  if (kept) return matmul(x, Matrix(m.context, matrix));
  return left ? matmul(matrix, x) : matmul(x, matrix);
}

template <bool Places>
EncryptedArray ordered(Machine& m, Words& w) {
  const EncryptedArray& x = m.operand(w);
  Order order{.axis = w.number()};
  if constexpr (Places) return first_place(x, order);
  order.descending = w.flag();
  order.kept = static_cast<std::size_t>(w.number());
  return sorted(x, order);
}

template <EncryptedArray (*Join)(std::span<const EncryptedArray>, std::int64_t, const Options&)>
EncryptedArray join(Machine& m, Words& w) {
  const EncryptedArray &x = m.operand(w), &y = m.operand(w);
  const std::vector<EncryptedArray> both = {x, y};
  return Join(both, w.number(), {});
}

template <EncryptedArray (*Product)(const EncryptedArray&, const EncryptedArray&, Relinearization, const Options&)>
EncryptedArray polynomial_product(Machine& m, Words& w) {
  const EncryptedArray &x = m.operand(w), &y = m.operand(w);
  return Product(x, y, w.flag() ? Relinearization::at_once : Relinearization::later, {});
}

std::map<std::string, Verb> verbs() {
  const WithPlain from = [](const EncryptedArray& x, const Integers& w, const Options& how) {
    return subtract(w, x, how);
  };
  const WithPlain before = [](const EncryptedArray& x, const Integers& w, const Options& how) {
    return less(w, x, how);
  };
  return {
      {"add", two(add)},
      {"subtract", two(subtract)},
      {"multiply", two(multiply)},
      {"negate", [](Machine& m, Words& w) { return negate(m.operand(w)); }},
      {"power",
       [](Machine& m, Words& w) {
         const EncryptedArray& x = m.operand(w);
         return power(x, w.number());
       }},
      {"add_plain", with(add)},
      {"subtract_plain", with(subtract)},
      {"subtract_from", with(from)},
      {"multiply_plain", with(multiply)},
      {"sum", sum_of},
      {"matmul_plain", times_matrix},
      {"matmul", two(matmul)},
      {"sum_of_products",
       [](Machine& m, Words& w) {
         const EncryptedArray &x = m.operand(w), &y = m.operand(w);
         const std::int64_t axis = w.number();
         return sum_of_products(x, y, std::span(&axis, 1));
       }},
      {"polyval",
       [](Machine& m, Words& w) {
         const EncryptedArray& x = m.operand(w);
         return polyval(w.integers(), x);
       }},
      {"lookup",
       [](Machine& m, Words& w) {
         const EncryptedArray& x = m.operand(w);
         return lookup(w.integers(), x);
       }},
      {"is_zero", one(is_zero)},
      {"less", two(less)},
      {"equal", two(equal)},
      {"maximum", two(maximum)},
      {"minimum", two(minimum)},
      {"less_than", beside(less, before)},
      {"equal_to", beside(equal, equal)},
      {"maximum_with", beside(maximum, maximum)},
      {"minimum_with", beside(minimum, minimum)},
      {"where",
       [](Machine& m, Words& w) {
         const EncryptedArray &mask = m.operand(w), &a = m.operand(w), &b = m.operand(w);
         return where(mask, a, b);
       }},
      {"sort", ordered<false>},
      {"argmax",
       [](Machine& m, Words& w) {
         const EncryptedArray& x = m.operand(w);
         return first_place(x, {.axis = w.number(), .descending = true});
       }},
      {"argmin", ordered<true>},
      {"reshape",
       [](Machine& m, Words& w) {
         const EncryptedArray& x = m.operand(w);
         const Shape shape = w.shape();
         if (!x.layout().packed() || (!shape.empty() && shape.back() == x.shape().back())) return reshape(x, shape);
         std::size_t count = 1;
         for (const std::size_t length : x.shape()) count *= length;
         std::vector<std::size_t> numbers(count);  // as Python's, which moves values between slots
         std::iota(numbers.begin(), numbers.end(), 0);
         return rearranged(x, numbers, shape);
       }},
      {"stack", join<stack>},
      {"concatenate", join<concatenate>},
      {"switch_to_level",
       [](Machine& m, Words& w) {
         const EncryptedArray& x = m.operand(w);
         return x.switch_to_level(static_cast<std::size_t>(w.number()));
       }},
      {"switch_to_least_level",
       [](Machine& m, Words& w) {
         const EncryptedArray& x = m.operand(w);
         return x.switch_to_least_level(static_cast<double>(w.number()));
       }},
      {"transformed",
       [](Machine& m, Words& w) {
         const EncryptedArray& x = m.operand(w);
         return w.flag() ? x.transformed() : x.in_native_domain();
       }},
      {"rerandomize", [](Machine& m, Words& w) { return rerandomize(m.operand(w), *m.public_key); }},
      {"padded", one(padded)},
      {"packed", one(packed)},
      {"negacyclic_product", polynomial_product<negacyclic_product>},
      {"convolve", polynomial_product<convolve>},
      {"negacyclic_with", with(negacyclic_product)},
      {"convolve_with", with(convolve)},
      {"relinearized", one(relinearized)},
      {"automorphism",
       [](Machine& m, Words& w) {
         const EncryptedArray& x = m.operand(w);
         return automorphism(x, w.number());
       }},
      {"expand",
       [](Machine& m, Words& w) {
         const EncryptedArray& x = m.operand(w);
         return expand(x, w.flag() ? Scaling::by_power_of_two : Scaling::exact);
       }},
  };
}

template <class... Classes>
std::string class_of(const Error& error) {
  std::string name;
  (void)((dynamic_cast<const typename Classes::type*>(&error) != nullptr && (name = Classes::name, true)) || ...);
  return name;
}

#define NAMED(Class)                            \
  struct Named##Class {                         \
    using type = Class;                         \
    static constexpr const char* name = #Class; \
  }
NAMED(NoiseError);
NAMED(RangeError);
NAMED(MissingKeyError);
NAMED(MismatchError);
NAMED(TransparentError);
NAMED(UnsupportedError);
NAMED(ParameterError);
NAMED(ArgumentError);
NAMED(FormatError);
#undef NAMED

std::string refusal(const Error& error) {
  const std::string name =
      class_of<NamedNoiseError, NamedRangeError, NamedMissingKeyError, NamedMismatchError, NamedTransparentError,
               NamedUnsupportedError, NamedParameterError, NamedFormatError, NamedArgumentError>(error);
  return name.empty() ? "Error" : name;
}

void run(Machine& machine, const std::map<std::string, Verb>& known, const std::string& line) {
  Words words(line);
  const std::string verb = words.text();
  if (verb == "keys") return machine.take_keys(words);
  if (verb == "load") return machine.load(words);
  const EncryptedArray result = known.at(verb)(machine, words);
  if (words.text() != ">") throw std::invalid_argument("too many words: " + line);
  save(words.text(), result.in_native_domain());
}

}  // namespace

int main() {
  Machine machine;
  const std::map<std::string, Verb> known = verbs();
  try {
    for (std::string line; std::getline(std::cin, line);) {
      try {
        run(machine, known, line);
        std::cout << "done" << std::endl;
      } catch (const Error& error) {
        std::cerr << line << ": " << error.what() << '\n';
        std::cout << "refused " << refusal(error) << std::endl;
      }
    }
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
  return 0;
}
