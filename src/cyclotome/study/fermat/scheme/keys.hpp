// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "cyclotome/rlwe/context.hpp"
#include "cyclotome/study/fermat/scheme/context.hpp"

namespace cyclotome::study::fermat {

using rlwe::KeyId;

/// A secret s of ternary coefficients that passed the library's check (rlwe/noise/key_check.hpp). Movable.
class SecretKey {
 public:
  static SecretKey generate(const ContextPtr& context);
  /// Of stored coefficients. Throws ArgumentError for others than -1, 0 and 1, and for keys that fail the check.
  static SecretKey restore(const ContextPtr& context, const KeyId& id, std::span<const std::int64_t> s);

  const ContextPtr& context() const noexcept { return context_; }
  const KeyId& id() const noexcept { return id_; }
  /// The n coefficients of s.
  ZeroisingVector<std::int64_t> coefficients() const;
  /// s over all primes of products with secrets, transforms.
  const PolyArray& transform() const noexcept { return s_; }
  /// s over P's primes, transforms; empty without special primes.
  const PolyArray& special_transform() const noexcept { return special_; }

 private:
  SecretKey(ContextPtr context, std::span<const std::int64_t> s, const KeyId& id);

  ContextPtr context_;
  PolyArray s_, special_;
  KeyId id_;
};

/// (-(a s + e), a) modulo q (erratum 003-10), e checked; kept as transforms over each limb's primes.
class PublicKey {
 public:
  static PublicKey generate(const SecretKey& secret);
  /// Of stored residues, which are canonical.
  static PublicKey restore(const ContextPtr& context, const KeyId& id, const Rows& body, const Rows& a);

  const ContextPtr& context() const noexcept { return context_; }
  const KeyId& id() const noexcept { return id_; }
  /// Residues of part 0 or 1.
  Rows rows(std::size_t part) const;
  /// Part 0 or 1 of one limb.
  const PolyArray& transform(std::size_t part, std::size_t limb) const noexcept { return parts_[part][limb]; }

 private:
  PublicKey(ContextPtr context, const KeyId& id) : context_(std::move(context)), id_(id) {}

  ContextPtr context_;
  std::vector<PolyArray> parts_[2];
  KeyId id_;
};

/// For each digit: (-(a s + e) + P g s^2, a) modulo q P, g = 2^(w j) q/q_i for digit j of limb i, P = 1 without special
/// primes; transforms over each limb's primes and over P's.
class RelinearizationKey {
 public:
  /// Residues of one part of one digit: modulo q, and modulo P's primes.
  struct Residues {
    Rows rows;
    std::vector<std::uint64_t> special;
  };

  static RelinearizationKey generate(const SecretKey& secret);
  /// Of stored residues, which are canonical: next(digit, part) gives them in order.
  static RelinearizationKey restore(const ContextPtr& context, const KeyId& id,
                                    const std::function<Residues(std::size_t, std::size_t)>& next);

  const ContextPtr& context() const noexcept { return context_; }
  const KeyId& id() const noexcept { return id_; }
  std::size_t digits() const noexcept { return digits_.size(); }
  const PolyArray& transform(std::size_t digit, std::size_t part, std::size_t limb) const noexcept {
    return digits_[digit][part].limbs[limb];
  }
  const PolyArray& special_transform(std::size_t digit, std::size_t part) const noexcept {
    return digits_[digit][part].special;
  }
  Residues residues(std::size_t digit, std::size_t part) const;
  /// Bytes of all transforms.
  std::uint64_t bytes() const noexcept;

 private:
  RelinearizationKey(ContextPtr context, const KeyId& id) : context_(std::move(context)), id_(id) {}

  ContextPtr context_;
  struct Part {
    std::vector<PolyArray> limbs;
    PolyArray special;  ///< empty without special primes
  };
  std::vector<std::array<Part, 2>> digits_;
  KeyId id_;
};

/// out = a s mod q, a of one polynomial's rows on the host.
void multiply_by_secret(std::uint64_t* out, const std::uint64_t* a, const SecretKey& secret);
/// The same in the memory of the context's engine.
void multiply_by_secret_there(std::uint64_t* out, const std::uint64_t* a, const SecretKey& secret);

/// A seed for one thing that is made of `master`: what it is for, in words, and which key it belongs to.
Seed derive_seed(const Seed& master, const Parameters& parameters, std::string_view purpose, const KeyId& key);

}  // namespace cyclotome::study::fermat
