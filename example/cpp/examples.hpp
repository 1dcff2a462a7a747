// SPDX-License-Identifier: Apache-2.0
// What the numbered examples share: printing for whoever reads along, and checking, since an example that gives a wrong
// answer should say so.
#pragma once

#include <cstdint>
#include <cyclotome/cyclotome.hpp>
#include <exception>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace examples {

using cyclotome::Numbers;

inline void title(const std::string& text) {
  std::cout << '\n' << text << '\n' << std::string(text.size(), '-') << '\n';
}

/// "1 2 3 ... 9 (1000 values)".
inline std::string shown(const Numbers& values, std::size_t most = 10) {
  std::ostringstream out;
  for (std::size_t i = 0; i < values.size() && i < most; ++i) out << (i == 0 ? "" : " ") << values[i];
  if (values.size() > most) out << " ... (" << values.size() << " values)";
  return out.str();
}

/// Prints an answer, and throws where it is not the expected one.
inline void check(const std::string& what, const Numbers& answer, const Numbers& expected) {
  std::cout << what << ": " << shown(answer) << '\n';
  if (answer != expected) throw std::logic_error(what + " should have been " + shown(expected));
}

inline void check(const std::string& what, bool holds) {
  if (!holds) throw std::logic_error(what + " does not hold");
  std::cout << what << '\n';
}

/// Prints what a call throws, and throws where it is not an `Expected`.
template <class Expected, class Call>
void check_refused(const std::string& what, const Call& call) {
  try {
    call();
  } catch (const Expected& error) {
    std::cout << what << " is refused:\n  " << error.what() << '\n';
    return;
  }
  throw std::logic_error(what + " was not refused");
}

/// Runs an example; the program's exit status.
inline int run(void (*example)()) {
  try {
    example();
    std::cout << "\nEvery answer was right.\n";
    return 0;
  } catch (const cyclotome::Error& error) {  // everything that cyclotome throws
    std::cerr << "\ncyclotome: " << error.what() << '\n';
  } catch (const std::exception& error) {
    std::cerr << "\n" << error.what() << '\n';
  }
  return 1;
}

}  // namespace examples
