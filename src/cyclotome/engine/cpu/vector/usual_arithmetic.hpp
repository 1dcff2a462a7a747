// SPDX-License-Identifier: Apache-2.0
#pragma once

// Included after a target pragma and after every other header: see kernels_avx512.cpp.

#include <cstdint>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "cyclotome/engine/cpu/vector/macros.hpp"

namespace cyclotome::cpu {
namespace {

/// Arithmetic on doubles as kernels need it, whatever the caller's is: rounded to nearest, and without traps.
class UsualArithmetic {
 public:
  UsualArithmetic() noexcept : callers_(control()) {
    if ((callers_ & ~flags) != usual) set_control(usual);
  }
  ~UsualArithmetic() {
    if ((callers_ & ~flags) != usual) set_control(callers_);
  }
  UsualArithmetic(const UsualArithmetic&) = delete;
  UsualArithmetic& operator=(const UsualArithmetic&) = delete;

 private:
#if defined(__x86_64__)
  using Control = unsigned;
  static constexpr Control flags = 0x3f, usual = 0x1f80;
  static Control control() noexcept { return _mm_getcsr(); }
  static void set_control(Control value) noexcept { _mm_setcsr(value); }
#else
  using Control = std::uint64_t;  // FPCR of 64-bit ARM, which has its flags elsewhere
  static constexpr Control flags = 0, usual = 0;
  static Control control() noexcept {
    Control value;
    asm volatile("mrs %0, fpcr" : "=r"(value));
    return value;
  }
  /// Memory is named so that no computation is moved across.
  static void set_control(Control value) noexcept { asm volatile("msr fpcr, %0" : : "r"(value) : "memory"); }
#endif
  Control callers_;
};

}  // namespace
}  // namespace cyclotome::cpu
