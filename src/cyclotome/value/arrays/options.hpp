// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace cyclotome::value {

/// Called as progress(done, total, what) by the thread that works, with 0 <= done <= total: at the beginning, after
/// every piece and at the end of long work. What it throws ends the work.
using Progress = std::function<void(std::size_t done, std::size_t total, std::string_view what)>;

/// Options of every operation on encrypted arrays.
struct Options {
  /// Who is told how far the work is.
  Progress progress = nullptr;
  /// Return results that could not be decrypted as well, in place of a NoiseError at once: for measurements.
  bool allow_undecryptable = false;
  /// How products of ciphertexts are computed, by a name that the scheme knows (scheme::multiply_by); "": as it
  /// chooses. Results are the same, their noise and time differ.
  std::string product_method = {};
  /// Relinearise every product of ciphertexts at once, in place of one relinearisation for a sum of them: other bits,
  /// and less memory for products that are kept.
  bool relinearize_products = false;
  /// Refresh operands of an operation first where its result could not be refreshed any more (room.hpp), so that
  /// computations have no end. Takes keys for it (KeyOptions::bootstrap).
  bool refresh_operands = false;
};

/// One long operation of `total` steps.
class Task {
 public:
  Task(const Options& options, std::string_view what, std::size_t total)
      : progress_(options.progress), what_(what), total_(total) {
    advance(0);
  }
  /// Reports `steps` more.
  void advance(std::size_t steps = 1) {
    done_ += steps;
    if (progress_) progress_(done_, total_, what_);
  }

 private:
  const Progress& progress_;
  std::string_view what_;
  std::size_t total_, done_ = 0;
};

}  // namespace cyclotome::value
