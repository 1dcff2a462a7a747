// SPDX-License-Identifier: Apache-2.0
#pragma once

// A very small test harness. A test program includes this header, defines cases with TEST(name) { ... } and ends with
//
//   int main() { return cyclotome::check::run(); }
//
// A failing CHECK prints the expression, the values and the place, and the case goes on; an exception that escapes a
// case fails it. run() returns 1 when anything failed, or when there was no case or no check at all.

#include <concepts>
#include <cstdint>
#include <exception>
#include <iostream>
#include <ranges>
#include <sstream>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace cyclotome::check {

struct Case {
  const char* name;
  void (*body)();
};

inline std::vector<Case>& cases() {
  static std::vector<Case> all;
  return all;
}

struct Registration {
  Registration(const char* name, void (*body)()) { cases().push_back({name, body}); }
};

struct Tally {
  std::uint64_t checks = 0;
  std::uint64_t failures = 0;
};

inline Tally& tally() {
  static Tally total;
  return total;
}

__extension__ typedef unsigned __int128 Unsigned128;

template <typename T>
concept Streamable = requires(std::ostream& out, const T& value) { out << value; };

inline std::string decimal(Unsigned128 value) {
  std::string digits;
  do {
    digits.insert(digits.begin(), static_cast<char>('0' + static_cast<int>(value % 10)));
    value /= 10;
  } while (value != 0);
  return digits;
}

// The value as a reader of a failure wants to see it; ranges are cut after sixteen elements.
template <typename T>
std::string show(const T& value) {
  std::ostringstream out;
  if constexpr (std::is_same_v<T, bool>) {
    out << (value ? "true" : "false");
  } else if constexpr (std::is_same_v<T, Unsigned128>) {
    out << decimal(value);
  } else if constexpr (std::is_same_v<T, std::uint8_t> || std::is_same_v<T, std::int8_t>) {
    out << static_cast<int>(value);
  } else if constexpr (std::is_enum_v<T>) {
    out << show(static_cast<std::underlying_type_t<T>>(value));
  } else if constexpr (Streamable<T>) {
    out << value;
  } else if constexpr (std::ranges::input_range<const T>) {
    std::size_t shown = 0;
    out << '[';
    for (const auto& element : value) {
      if (shown == 16) {
        out << ", ...";
        break;
      }
      out << (shown++ == 0 ? "" : ", ") << show(element);
    }
    out << ']';
  } else {
    out << "(a value of " << sizeof(T) << " bytes)";
  }
  return out.str();
}

inline void record(bool passed, const char* file, int line, std::string_view message) {
  ++tally().checks;
  if (passed) return;
  ++tally().failures;
  std::cerr << file << ':' << line << ": " << message << '\n';
}

template <typename A, typename B>
bool equal(const A& a, const B& b) {
  if constexpr (std::integral<A> && std::integral<B> && !std::is_same_v<A, bool> && !std::is_same_v<B, bool> &&
                std::is_signed_v<A> != std::is_signed_v<B>) {
    // Compare numbers, not bit patterns: -1 is not 2^64 - 1.
    return !(a < 0) && !(b < 0) && static_cast<Unsigned128>(a) == static_cast<Unsigned128>(b);
  } else {
    return a == b;
  }
}

template <typename A, typename B>
void check_equal(const A& a, const B& b, const char* a_text, const char* b_text, const char* file, int line) {
  const bool passed = equal(a, b);
  std::string message;
  if (!passed) message = std::string(a_text) + " == " + b_text + " failed: " + show(a) + " against " + show(b);
  record(passed, file, line, message);
}

// Runs the action; passes when it throws an Error whose text contains `fragment`.
template <typename Error, typename Action>
void check_throws(Action&& action, const char* text, std::string_view fragment, const char* file, int line) {
  std::string outcome = "nothing was thrown";
  bool passed = false;
  try {
    action();
  } catch (const Error& error) {
    passed = std::string_view(error.what()).find(fragment) != std::string_view::npos;
    outcome = std::string("the message is \"") + error.what() + "\"";
  } catch (const std::exception& error) {
    outcome = std::string("another exception was thrown: ") + error.what();
  } catch (...) {
    outcome = "something that is no std::exception was thrown";
  }
  record(passed, file, line, passed ? "" : std::string(text) + " did not throw as expected: " + outcome);
}

inline int run() {
  for (const Case& test : cases()) {
    const std::uint64_t before = tally().failures;
    try {
      test.body();
    } catch (const std::exception& error) {
      ++tally().failures;
      std::cerr << test.name << ": unexpected exception: " << error.what() << '\n';
    } catch (...) {
      ++tally().failures;
      std::cerr << test.name << ": unexpected exception that is no std::exception\n";
    }
    std::cout << (tally().failures == before ? "ok    " : "FAILED ") << test.name << '\n';
  }
  std::cout << cases().size() << " cases, " << tally().checks << " checks, " << tally().failures << " failures\n";
  return tally().failures == 0 && tally().checks != 0 ? 0 : 1;
}

}  // namespace cyclotome::check

#define TEST(name)                                                                   \
  static void name();                                                                \
  static const ::cyclotome::check::Registration name##_registration{#name, &(name)}; \
  static void name()

#define CHECK(condition)                                                                                         \
  do {                                                                                                           \
    const bool check_passed = static_cast<bool>(condition);                                                      \
    ::cyclotome::check::record(check_passed, __FILE__, __LINE__, check_passed ? "" : #condition " is not true"); \
  } while (false)

#define CHECK_EQ(a, b) ::cyclotome::check::check_equal((a), (b), #a, #b, __FILE__, __LINE__)

#define CHECK_THROWS(error, action) CHECK_THROWS_WITH(error, action, "")

#define CHECK_THROWS_WITH(error, action, fragment) \
  ::cyclotome::check::check_throws<error>([&] { static_cast<void>(action); }, #action, (fragment), __FILE__, __LINE__)
