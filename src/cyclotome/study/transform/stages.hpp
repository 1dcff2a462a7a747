// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/study/transform/design.hpp"
#include "cyclotome/study/transform/field.hpp"

// Stages of the merged transforms in place, as threads of a GPU share them out; the host runs the same code, thread by
// thread. A `Team` is who works together on one block of values: `each(count, body)` calls body(i) for i = 0 ...
// count - 1, independently, and `meet()` waits until all of it is done.
namespace cyclotome::study {

/// Loops over values in a thread's registers, which have no index at run time.
#if defined(__CUDACC__)
#define CYCLOTOME_UNROLL _Pragma("unroll")
#else
#define CYCLOTOME_UNROLL
#endif

/// A team of one.
struct Alone {
  template <class Body>
  CYCLOTOME_HD void each(std::uint32_t count, const Body& body) const {
    for (std::uint32_t i = 0; i < count; ++i) body(i);
  }
  CYCLOTOME_HD void meet() const {}
};

/// Butterfly i of the stage with gap 2^s, on `x`, which is block `block` of 2^block_stages values.
template <bool Inverse, class Field>
CYCLOTOME_HD inline void butterfly_at(const Field& field, Cells<typename Field::Word> x, std::uint32_t i, unsigned s,
                                      unsigned stages, unsigned block_stages, std::uint32_t block) {
  const std::uint32_t low = lower_index(i, s), high = low + (1U << s);
  auto u = Field::load(x, low), v = Field::load(x, high);
  butterfly<Inverse>(field, u, v, root_index(i, s, stages, block_stages, block));
  Field::store(x, low, u);
  Field::store(x, high, v);
}

/// Stages s ... s + LogRadix - 1 on the 2^LogRadix values of thread i < 2^(stages - LogRadix): in registers.
template <bool Inverse, unsigned LogRadix, class Field>
CYCLOTOME_HD inline void stages_in_registers(const Field& field, Cells<typename Field::Word> x, std::uint32_t i,
                                             unsigned s, unsigned stages) {
  constexpr std::uint32_t radix = 1U << LogRadix;
  const std::uint32_t base = ((i >> s) << (s + LogRadix)) | (i & ((1U << s) - 1));
  typename Field::Value v[radix];
  CYCLOTOME_UNROLL
  for (std::uint32_t t = 0; t < radix; ++t) v[t] = Field::load(x, base + (t << s));
  CYCLOTOME_UNROLL
  for (unsigned j = 0; j < LogRadix; ++j) {
    const unsigned k = Inverse ? j : LogRadix - 1 - j;
    CYCLOTOME_UNROLL
    for (std::uint32_t pair = 0; pair < radix / 2; ++pair) {
      const std::uint32_t t = lower_index(pair, k);
      const std::uint32_t root = (1U << (stages - s - k - 1)) + ((base + (t << s)) >> (s + k + 1));
      butterfly<Inverse>(field, v[t], v[t + (1U << k)], root);
    }
  }
  CYCLOTOME_UNROLL
  for (std::uint32_t t = 0; t < radix; ++t) Field::store(x, base + (t << s), v[t]);
}

/// body.operator()<LogRadix>() for log_radix = 1 ... max_log_radix.
template <class Body>
void with_radix(unsigned log_radix, const Body& body) {
  if (log_radix == 1) return body.template operator()<1>();
  if (log_radix == 2) return body.template operator()<2>();
  if (log_radix == 3) return body.template operator()<3>();
  body.template operator()<4>();
}

/// A team of one as 32 lanes of a warp, which hold two values each and exchange them as the lanes of a GPU do.
template <class Field, bool Inverse>
void shuffled_stages(const Alone&, const Field& field, Cells<typename Field::Word> x, unsigned stages,
                     unsigned block_stages, std::uint32_t block) {
  constexpr unsigned top = shuffle_stages - 1, first = Inverse ? 0 : top, last = Inverse ? top : 0;
  for (std::uint32_t start = 0; start < 1U << (block_stages - 1); start += warp) {
    typename Field::Value u[warp], v[warp];
    for (std::uint32_t lane = 0; lane < warp; ++lane) {
      u[lane] = Field::load(x, lower_index(start + lane, first));
      v[lane] = Field::load(x, lower_index(start + lane, first) + (1U << first));
    }
    for (unsigned k = 0; k <= top; ++k) {
      const unsigned s = Inverse ? k : top - k;
      const std::uint32_t across = Inverse ? 1U << s >> 1 : 1U << s;  // the narrower gap of the two stages
      for (std::uint32_t lane = 0; k != 0 && lane < warp; ++lane) {
        if ((lane & across) != 0) continue;
        const auto given = v[lane];
        v[lane] = u[lane ^ across];
        u[lane ^ across] = given;
      }
      for (std::uint32_t lane = 0; lane < warp; ++lane) {
        butterfly<Inverse>(field, u[lane], v[lane], root_index(start + lane, s, stages, block_stages, block));
      }
    }
    for (std::uint32_t lane = 0; lane < warp; ++lane) {
      Field::store(x, lower_index(start + lane, last), u[lane]);
      Field::store(x, lower_index(start + lane, last) + (1U << last), v[lane]);
    }
  }
}

#if defined(__CUDACC__)
#pragma nv_exec_check_disable  // a team is of the host or of a device
#endif
/// Stages 0 ... block_stages - 1 of block `block`, forward from the widest or inverse from the narrowest. `scratch` has
/// room for the block's values if `storage` is shared.
template <bool Inverse, Storage storage, class Team, class Field>
CYCLOTOME_HD inline void block_stages_of(const Team& team, const Field& field, Cells<typename Field::Word> polynomial,
                                         Cells<typename Field::Word> scratch, unsigned stages, unsigned block_stages,
                                         std::uint32_t block) {
  const std::uint32_t size = 1U << block_stages;
  const auto global = polynomial + (block << block_stages);
  const auto x = storage == Storage::shared ? scratch : global;
  const auto copy = [&](auto to, auto from) {
    team.each(size, [&](std::uint32_t i) { Field::store(to, i, Field::load(from, i)); });
    team.meet();
  };
  if constexpr (storage == Storage::shared) copy(x, global);
  constexpr unsigned shuffled = storage == Storage::shuffle ? shuffle_stages : 0;
  if constexpr (shuffled != 0 && Inverse) {
    shuffled_stages<Field, Inverse>(team, field, x, stages, block_stages, block);
    team.meet();
  }
  for (unsigned k = shuffled; k < block_stages; ++k) {
    const unsigned s = Inverse ? k : block_stages - 1 - (k - shuffled);
    team.each(size / 2, [&](std::uint32_t i) { butterfly_at<Inverse>(field, x, i, s, stages, block_stages, block); });
    team.meet();
  }
  if constexpr (shuffled != 0 && !Inverse) {
    shuffled_stages<Field, Inverse>(team, field, x, stages, block_stages, block);
    team.meet();
  }
  if constexpr (storage == Storage::shared) copy(global, x);
}

}  // namespace cyclotome::study
