// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "cyclotome/rlwe/switching/linear_transform.hpp"

namespace cyclotome::bfv {

/// A map's factors, extended to the primes that its operands were computed in: kept from one refresh to the next where
/// there is memory for it, since to transform them is a third of a refresh. Thread-safe.
class KeptFactors {
 public:
  using Rows = std::vector<rlwe::ExtendedPlaintext>;

  /// Those of outer steps, extended to a level or beyond; nothing where they don't fit into memory several times: then
  /// each is made when it is asked for.
  std::shared_ptr<const Rows> at(rlwe::Level level, const std::vector<rlwe::Plaintext>& factors);

 private:
  std::mutex mutex_;
  rlwe::Level level_{0};
  std::shared_ptr<const Rows> rows_;
};

}  // namespace cyclotome::bfv
