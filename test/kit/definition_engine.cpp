// SPDX-License-Identifier: Apache-2.0
#include "definition_engine.hpp"

#include <cstring>
#include <vector>

#include "cyclotome/ring/randomness/sampling.hpp"
#include "cyclotome/ring/tables/prime_factor_tables.hpp"

namespace cyclotome::kit {

namespace {

using Wide128 = u128;

class HostBuffer final : public Buffer {
 public:
  HostBuffer(std::size_t bytes, bool secret) : Buffer(std::aligned_alloc(64, (bytes + 127) / 64 * 64), bytes, secret) {}
  ~HostBuffer() override { std::free(data()); }
};

std::uint64_t times(std::uint64_t a, std::uint64_t b, std::uint64_t q) {
  return static_cast<std::uint64_t>(static_cast<Wide128>(a) * b % q);
}
std::uint64_t plus(std::uint64_t a, std::uint64_t b, std::uint64_t q) {
  return static_cast<std::uint64_t>((static_cast<Wide128>(a) + b) % q);
}
std::uint64_t power(std::uint64_t base, std::uint64_t exponent, std::uint64_t q) {
  std::uint64_t result = 1;
  for (; exponent != 0; exponent /= 2, base = times(base, base, q)) {
    if (exponent % 2 == 1) result = times(result, base, q);
  }
  return result;
}

/// body(item, part, limb, modulus, out's coefficients) of every limb.
template <class Body>
void over_limbs(View out, const Body& body) {
  with_word(out.word(), [&]<class W>(W) {
    for (std::size_t b = 0; b < out.batch; ++b) {
      for (std::size_t p = 0; p < out.parts; ++p) {
        for (std::size_t l = 0; l < out.limbs(); ++l) body(b, p, l, out.ring->basis()[l], out.limb<W>(b, p, l));
      }
    }
  });
}

/// out[c] = value(a[c], b[c], q).
template <class Value>
void pointwise(View out, ConstView a, ConstView b, const Value& value) {
  over_limbs(out, [&]<class W>(std::size_t i, std::size_t p, std::size_t l, std::uint64_t q, W* x) {
    for (std::size_t c = 0; c < out.degree(); ++c) {
      x[c] = static_cast<W>(value(a.limb<W>(i, p, l)[c], b.limb<W>(i, p, l)[c], q));
    }
  });
}

/// What the numbers of a polynomial mean: coefficient c is that of x^exponents[c], slot k the value at root^points[k].
struct Meaning {
  std::uint64_t index;
  std::vector<std::uint64_t> exponents, points;
  std::vector<std::size_t> coefficient_of, slot_of;  ///< by exponent and by point, of those there are

  explicit Meaning(const Ring& ring) : index(ring.index()), exponents(ring.degree()), points(ring.degree()) {
    const std::size_t n = ring.degree();
    if (ring.kind() == RingKind::negacyclic) {
      for (std::size_t k = 0; k < n; ++k) {
        exponents[k] = k;
        std::size_t reversed = 0;
        for (std::size_t bit = 1, left = k; bit < n; bit *= 2, left /= 2) reversed = 2 * reversed + left % 2;
        points[k] = 2 * reversed + 1;
      }
    } else {  // coefficients and values are both numbered by units; test/python/rings/test_rings.py says where units
              // are
      for (std::uint64_t unit = 1; unit < index; ++unit) {
        if (!ring.galois().contains(unit)) continue;
        points[ring.galois().slot(unit)] = unit;
        exponents[ring.galois().slot(ring.galois().inverse(unit))] = unit;
      }
    }
    coefficient_of.resize(index);
    slot_of.resize(index);
    for (std::size_t k = 0; k < n; ++k) {
      coefficient_of[exponents[k]] = k;
      slot_of[points[k]] = k;
    }
  }
};

/// root^0, ..., root^(index-1) modulo one prime of a ring.
std::vector<std::uint64_t> root_powers(const Ring& ring, std::size_t limb) {
  const std::uint64_t root = with_word(ring.word(), [&]<class W>(W) -> std::uint64_t {
    if (ring.kind() == RingKind::negacyclic) return ring.tables<W>(limb).root;
    return ring.transform_as<PrimeFactorTables<W>>(limb).root;
  });
  std::vector<std::uint64_t> powers{1};
  while (powers.size() < ring.index()) powers.push_back(times(powers.back(), root, ring.basis()[limb]));
  return powers;
}

/// By product u j: how much of the value at root^u a coefficient of x^j has. 1/n root^(-u j) where f = x^n + 1; the
/// dual basis, a product over the primes p of m of (omega_p^(-u j) - 1)/p, where f = Phi_m.
std::vector<std::uint64_t> dual(const Ring& ring, const std::vector<std::uint64_t>& powers, std::uint64_t q) {
  const std::uint64_t index = ring.index();
  std::vector<std::uint64_t> result(index,
                                    power(ring.kind() == RingKind::negacyclic ? ring.degree() : index, q - 2, q));
  for (std::uint64_t t = 0; t < index; ++t) {
    if (ring.kind() == RingKind::negacyclic) {
      result[t] = times(result[t], powers[(index - t) % index], q);
      continue;
    }
    for (std::uint64_t p = 3, left = index; left != 1; p += 2) {
      if (left % p != 0) continue;
      left /= p;
      std::uint64_t unit = index / p;  // 1 modulo p, 0 modulo the others
      while (unit % p != 1) unit += index / p;
      result[t] = times(result[t], plus(powers[(index - t) * unit % index], q - 1, q), q);
    }
  }
  return result;
}

/// Word w of the stream for coefficient's draws: 64 bits at position `index` of the address's stream.
std::uint64_t drawn(const Seed& seed, Stream stream, std::size_t part, std::uint32_t item, std::size_t limb,
                    std::size_t index) {
  const auto words = seed.words();
  std::uint32_t key[8], block[16];
  for (std::size_t w = 0; w < 8; ++w) key[w] = words[w];
  const std::uint32_t nonce[3] = {static_cast<std::uint32_t>(stream) << 16 | static_cast<std::uint32_t>(part), item,
                                  static_cast<std::uint32_t>(limb)};
  chacha20_block(key, static_cast<std::uint32_t>(index / 8), nonce, block);
  return block[2 * (index % 8)] | static_cast<std::uint64_t>(block[2 * (index % 8) + 1]) << 32;
}

/// y_i of the lift of one coefficient, and the number of times that q is wrapped around (specification 5.1).
template <LimbWord W>
std::uint64_t lifted(std::vector<std::uint64_t>& y, ConstView a, std::size_t b, std::size_t p, std::size_t c,
                     const BaseConversion& conversion, std::uint64_t& sum) {
  const auto& tables = conversion.tables<W>();
  const auto moduli = conversion.source().moduli<W>();
  sum = std::uint64_t{1} << (fraction_bits - 1);
  for (std::size_t i = 0; i < y.size(); ++i) {
    y[i] = times(a.limb<W>(b, p, i)[c], tables.punctured_inverses[i].operand, moduli[i].value());
    sum += fraction<W>(static_cast<W>(y[i]), tables.reciprocals[i], moduli[i].bits());
  }
  if (y.size() == 1) return 2 * static_cast<u128>(y[0]) >= moduli[0].value();  // one limb is lifted exactly
  return sum >> fraction_bits;
}

}  // namespace

std::unique_ptr<Buffer> DefinitionEngine::allocate(std::size_t bytes, bool secret) {
  return std::make_unique<HostBuffer>(bytes, secret);
}
void DefinitionEngine::upload(void* to, const void* host, std::size_t bytes) { std::memcpy(to, host, bytes); }
void DefinitionEngine::download(void* host, const void* from, std::size_t bytes) { std::memcpy(host, from, bytes); }

void DefinitionEngine::do_forward(View a) {
  const Meaning meaning(*a.ring);
  over_limbs(a, [&]<class W>(std::size_t, std::size_t, std::size_t l, std::uint64_t q, W* x) {
    const auto powers = root_powers(*a.ring, l);
    std::vector<W> values(a.degree());
    for (std::size_t k = 0; k < a.degree(); ++k) {
      std::uint64_t value = 0;
      for (std::size_t c = 0; c < a.degree(); ++c) {
        value = plus(value, times(powers[meaning.points[k] * meaning.exponents[c] % meaning.index], x[c], q), q);
      }
      values[k] = static_cast<W>(value);
    }
    std::memcpy(x, values.data(), values.size() * sizeof(W));
  });
}

void DefinitionEngine::do_inverse(View a) {
  const Meaning meaning(*a.ring);
  over_limbs(a, [&]<class W>(std::size_t, std::size_t, std::size_t l, std::uint64_t q, W* x) {
    const auto factors = dual(*a.ring, root_powers(*a.ring, l), q);
    std::vector<W> coefficients(a.degree());
    for (std::size_t c = 0; c < a.degree(); ++c) {
      std::uint64_t sum = 0;
      for (std::size_t k = 0; k < a.degree(); ++k) {
        sum = plus(sum, times(x[k], factors[meaning.points[k] * meaning.exponents[c] % meaning.index], q), q);
      }
      coefficients[c] = static_cast<W>(sum);
    }
    std::memcpy(x, coefficients.data(), coefficients.size() * sizeof(W));
  });
}

void DefinitionEngine::do_copy(View out, ConstView a) {
  pointwise(out, a, a, [](std::uint64_t x, std::uint64_t, std::uint64_t) { return x; });
}
void DefinitionEngine::do_clear(View out) {
  pointwise(out, out, out, [](std::uint64_t, std::uint64_t, std::uint64_t) { return std::uint64_t{0}; });
}
void DefinitionEngine::do_add(View out, ConstView a, ConstView b) { pointwise(out, a, b, plus); }
void DefinitionEngine::do_subtract(View out, ConstView a, ConstView b) {
  pointwise(out, a, b, [](std::uint64_t x, std::uint64_t y, std::uint64_t q) { return plus(x, q - y, q); });
}
void DefinitionEngine::do_negate(View out, ConstView a) {
  pointwise(out, a, a, [](std::uint64_t x, std::uint64_t, std::uint64_t q) { return (q - x) % q; });
}
void DefinitionEngine::do_multiply(View out, ConstView a, ConstView b) { pointwise(out, a, b, times); }

void DefinitionEngine::do_multiply_accumulate(View out, ConstView a, ConstView b) {
  over_limbs(out, [&]<class W>(std::size_t i, std::size_t p, std::size_t l, std::uint64_t q, W* x) {
    for (std::size_t c = 0; c < out.degree(); ++c) {
      x[c] = static_cast<W>(plus(x[c], times(a.limb<W>(i, p, l)[c], b.limb<W>(i, p, l)[c], q), q));
    }
  });
}

void DefinitionEngine::do_multiply_scalars(View out, ConstView a, std::span<const std::uint64_t> factors) {
  over_limbs(out, [&]<class W>(std::size_t b, std::size_t p, std::size_t l, std::uint64_t q, W* x) {
    for (std::size_t c = 0; c < out.degree(); ++c) x[c] = static_cast<W>(times(a.limb<W>(b, p, l)[c], factors[l], q));
  });
}

void DefinitionEngine::do_convert(View out, ConstView a, const BaseConversion& conversion) {
  const std::size_t sources = conversion.source().size();
  const bool centred = conversion.lift() == Lift::centred;
  over_limbs(out, [&]<class W>(std::size_t b, std::size_t p, std::size_t l, std::uint64_t q, W* x) {
    const auto& tables = conversion.tables<W>();
    const int copied = conversion.copies()[l];
    std::vector<std::uint64_t> y(sources);
    for (std::size_t c = 0; c < out.degree(); ++c) {
      std::uint64_t fractions = 0, wraps = lifted<W>(y, a, b, p, c, conversion, fractions), sum = 0;
      for (std::size_t i = 0; i < sources; ++i) sum = plus(sum, times(y[i], tables.matrix[l * sources + i], q), q);
      if (centred) sum = plus(sum, times(wraps, tables.negative_wraps[l], q), q);
      if (copied >= 0) {
        sum = times(a.limb<W>(b, p, static_cast<std::size_t>(copied))[c], tables.copy_factors[l].operand, q);
      }
      x[c] = static_cast<W>(sum);
    }
  });
}

void DefinitionEngine::do_automorphism(View out, ConstView a, std::uint64_t element) {
  const std::size_t n = out.degree();
  const Meaning meaning(*out.ring);
  over_limbs(out, [&]<class W>(std::size_t b, std::size_t p, std::size_t l, std::uint64_t q, W* x) {
    const W* const y = a.limb<W>(b, p, l);
    for (std::size_t c = 0; c < n; ++c) {
      if (a.domain == Domain::transform) {
        x[c] = y[meaning.slot_of[meaning.points[c] * element % meaning.index]];
        continue;
      }
      const std::uint64_t exponent = meaning.exponents[c] * element % meaning.index;
      if (out.ring->kind() == RingKind::negacyclic) {
        x[exponent % n] = static_cast<W>(exponent < n ? y[c] : (q - y[c]) % q);
      } else {
        x[meaning.coefficient_of[exponent]] = y[c];
      }
    }
  });
}

void DefinitionEngine::do_sample(View out, Law law, const Seed& seed, Stream stream, std::uint32_t first_item) {
  over_limbs(out, [&]<class W>(std::size_t b, std::size_t p, std::size_t l, std::uint64_t q, W* x) {
    const auto item = first_item + static_cast<std::uint32_t>(b);
    for (std::size_t c = 0; c < out.degree(); ++c) {
      if (law == Law::uniform) {
        x[c] = static_cast<W>(
            uniform_residue(drawn(seed, stream, p, item, l, 2 * c), drawn(seed, stream, p, item, l, 2 * c + 1), q));
        continue;
      }
      int small = 0;
      if (const ErrorSums& sums = out.ring->shape()->errors(); law == Law::error && sums.terms > 1) {
        for (std::size_t term = 0; term < sums.terms; ++term) {
          const int value = error_value(drawn(seed, stream, p, item, 0, sums.addresses[term * out.degree() + c]));
          small += ErrorSums::negative(term) ? -value : value;
        }
      } else {
        const std::uint64_t random = drawn(seed, stream, p, item, 0, c);
        small = law == Law::ternary ? ternary_value(random) : error_value(random);
      }
      x[c] = static_cast<W>(small < 0 ? q - static_cast<std::uint64_t>(-small) : static_cast<std::uint64_t>(small));
    }
  });
}

void DefinitionEngine::do_peaks(View numbers, ConstView a, const BaseConversion& conversion) {
  with_word(a.word(), [&]<class W>(W) {
    const auto moduli = conversion.source().moduli<W>();
    std::vector<std::uint64_t> y(moduli.size());
    for (std::size_t b = 0; b < a.batch; ++b) {
      std::uint64_t largest = 0;
      for (std::size_t c = 0; c < a.degree(); ++c) {
        std::uint64_t here = 0, sum = 0;
        if (moduli.size() == 1) {
          const W x = a.limb<W>(b, 0, 0)[c], opposite = static_cast<W>(moduli[0].value() - x);
          here = peak_of<W>(x < opposite ? x : opposite, conversion.tables<W>().reciprocals[0], moduli[0].bits());
        } else {
          static_cast<void>(lifted<W>(y, a, b, 0, c, conversion, sum));
          here = peak_of_sum(sum);
        }
        largest = here > largest ? here : largest;
      }
      static_cast<std::uint64_t*>(numbers.data)[b * (numbers.batch == 1 ? 0 : numbers.batch_stride)] = largest;
    }
  });
}

}  // namespace cyclotome::kit
