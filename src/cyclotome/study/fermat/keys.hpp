// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/rlwe/context.hpp"
#include "cyclotome/study/fermat/context.hpp"

namespace cyclotome::study::fermat {

using rlwe::KeyId;

/// A secret s of ternary coefficients that passed the library's check (rlwe/key_check.hpp). Movable.
class SecretKey {
 public:
  static SecretKey generate(const ContextPtr& context);

  const ContextPtr& context() const noexcept { return context_; }
  const KeyId& id() const noexcept { return id_; }
  /// s over all primes of products with secrets, transforms.
  const PolyArray& transform() const noexcept { return s_; }

 private:
  SecretKey(ContextPtr context, PolyArray s, const KeyId& id)
      : context_(std::move(context)), s_(std::move(s)), id_(id) {}

  ContextPtr context_;
  PolyArray s_;
  KeyId id_;
};

/// (-(a s + e), a) modulo q (erratum 003-10), e checked; kept as transforms over each limb's primes.
class PublicKey {
 public:
  static PublicKey generate(const SecretKey& secret);

  const ContextPtr& context() const noexcept { return context_; }
  const KeyId& id() const noexcept { return id_; }
  /// Part 0 or 1 of one limb.
  const PolyArray& transform(std::size_t part, std::size_t limb) const noexcept { return parts_[part][limb]; }

 private:
  PublicKey(ContextPtr context, const KeyId& id) : context_(std::move(context)), id_(id) {}

  ContextPtr context_;
  std::vector<PolyArray> parts_[2];
  KeyId id_;
};

/// For each digit: (-(a s + e) + g s^2, a), g = 2^(w j) q/q_i for digit j of limb i; transforms over each limb's
/// primes.
class RelinearizationKey {
 public:
  static RelinearizationKey generate(const SecretKey& secret);

  const ContextPtr& context() const noexcept { return context_; }
  const KeyId& id() const noexcept { return id_; }
  std::size_t digits() const noexcept { return digits_.size(); }
  const PolyArray& transform(std::size_t digit, std::size_t part, std::size_t limb) const noexcept {
    return digits_[digit][part][limb];
  }
  /// Bytes of all transforms.
  std::uint64_t bytes() const noexcept;

 private:
  RelinearizationKey(ContextPtr context, const KeyId& id) : context_(std::move(context)), id_(id) {}

  ContextPtr context_;
  std::vector<std::array<std::vector<PolyArray>, 2>> digits_;
  KeyId id_;
};

/// out = a s mod q, a of one polynomial's rows on the host.
void multiply_by_secret(std::uint64_t* out, const std::uint64_t* a, const SecretKey& secret);
/// The same in the memory of the context's engine.
void multiply_by_secret_there(std::uint64_t* out, const std::uint64_t* a, const SecretKey& secret);

/// A seed for one thing that is made of `master`: what it is for, in words, and which key it belongs to.
Seed derive_seed(const Seed& master, const Parameters& parameters, std::string_view purpose, const KeyId& key);

}  // namespace cyclotome::study::fermat
