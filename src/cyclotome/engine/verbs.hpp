// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/engine/engine.hpp"

/// What a class declares that computes every verb of programs itself: the pure virtual functions of `Engine`.
#define CYCLOTOME_OVERRIDE_VERBS                                                                    \
  void do_forward(View a) override;                                                                 \
  void do_inverse(View a) override;                                                                 \
  void do_copy(View out, ConstView a) override;                                                     \
  void do_clear(View out) override;                                                                 \
  void do_add(View out, ConstView a, ConstView b) override;                                         \
  void do_subtract(View out, ConstView a, ConstView b) override;                                    \
  void do_negate(View out, ConstView a) override;                                                   \
  void do_multiply(View out, ConstView a, ConstView b) override;                                    \
  void do_multiply_accumulate(View accumulator, ConstView a, ConstView b) override;                 \
  void do_multiply_scalars(View out, ConstView a, std::span<const std::uint64_t> factors) override; \
  void do_convert(View out, ConstView a, const BaseConversion& conversion) override;                \
  void do_automorphism(View out, ConstView a, std::uint64_t element) override;                      \
  void do_sample(View out, Law law, const Seed& seed, Stream stream, std::uint32_t first_item) override;
