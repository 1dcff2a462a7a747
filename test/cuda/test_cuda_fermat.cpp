// SPDX-License-Identifier: Apache-2.0
// Paper 003's wide residues on a GPU: every step, version and whole operation has the CPU's bits, at 0, 1, q_i - 1, 2^G
// and where carries pass all words, however many words a lane holds. Needs a GPU; without one it says so and exits with
// 77, which CTest counts as skipped.
#include <random>

#include "cyclotome/engine/cuda/cuda_engine.hpp"
#include "cyclotome/engine/cuda/study/wide_cuda_engine.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/primes.hpp"
#include "cyclotome/study/fermat/limbs/positional.hpp"
#include "cyclotome/study/fermat/scheme/operations.hpp"
#include "engines.hpp"

using namespace cyclotome;
using namespace cyclotome::study::fermat;

namespace {

using Row = std::vector<std::uint64_t>;
constexpr std::uint64_t ones = ~std::uint64_t{0};
constexpr std::pair<unsigned, unsigned> bases[] = {{6, 0}, {6, 1},  {7, 1},  {8, 0},  {8, 2},  {9, 3},
                                                   {9, 5}, {11, 5}, {12, 6}, {13, 7}, {14, 8}, {15, 9}};

std::mt19937_64 numbers(20170003);

WideEnginePtr gpu() {
  static const WideEnginePtr wide = [] {
    WideEngine::add_maker(wide_cuda_engine);
    return WideEngine::of(check::device());
  }();
  return wide;
}
WideEnginePtr cpu() {
  static const WideEnginePtr wide = WideEngine::of(check::host());
  return wide;
}

/// Rows of residues of every limb: coefficient by coefficient 0, 1, q - 1, 2^G, ones in all words, then random ones.
Row residues(const FermatBasis& basis, std::size_t n, std::size_t parts) {
  Row rows(parts * basis.words() * n);
  for (std::size_t part = 0; part < parts; ++part) {
    for (const Limb& limb : basis.limbs()) {
      const LimbArithmetic arithmetic(limb);
      std::uint64_t* const to = rows.data() + (part * basis.words() + limb.first_word) * n;
      for (std::size_t c = 0; c < n; ++c) {
        Row value(limb.words + 1), residue(limb.words);
        const std::uint64_t kind = c < 8 ? (c + part) % 8 : numbers() % 16;
        if (kind == 1) value[0] = 1;
        if (kind == 2) std::ranges::fill(value, ones);
        if (kind == 3 || kind == 4) value[limb.bits / 64] = std::uint64_t{1} << limb.bits % 64;  // 2^G
        if (kind == 5) std::fill_n(value.begin(), limb.bits / 64, ones);
        if (kind >= 6) std::ranges::generate(value, [&] { return kind == 7 ? (numbers() & 1) * ones : numbers(); });
        arithmetic.reduce(residue, value);
        if (kind == 4) arithmetic.negate(residue.data(), residue.data());
        for (std::size_t w = 0; w < limb.words; ++w) to[w * n + c] = residue[w];
      }
    }
  }
  return rows;
}

Row words_below(const Basis& basis, std::size_t n, std::size_t parts) {
  Row rows;
  for (std::size_t part = 0; part < parts; ++part) {
    for (const std::uint64_t q : basis.values()) {
      for (std::size_t c = 0; c < n; ++c) rows.push_back(c < 2 ? c : c == 2 ? q - 1 : numbers() % q);
    }
  }
  return rows;
}

/// What a step writes on either engine: body(wide, out, in...).
template <class Body>
Row made(const WideEnginePtr& wide, std::size_t out_words, const std::vector<const Row*>& operands, const Body& body) {
  std::vector<WideWords> in;
  for (const Row* row : operands) in.emplace_back(*wide, row->data(), row->size(), false);
  const Row zeros(out_words);
  WideWords out(*wide, out_words, false);
  wide->engine()->upload(out.data(), zeros.data(), out_words * 8);
  body(*wide, out.data(), in);
  Row result(out_words);
  out.to_host(result.data());
  return result;
}
template <class Body>
bool agree(std::size_t out_words, const std::vector<const Row*>& operands, const Body& body) {
  return made(cpu(), out_words, operands, body) == made(gpu(), out_words, operands, body);
}

/// body() with each number of words that a lane may have.
template <class Body>
void with_all_lanes(const Body& body) {
  const unsigned chosen = words_of_lane();
  for (const unsigned words : {2U, 4U, 8U}) {
    set_words_of_lane(words);
    body();
  }
  set_words_of_lane(chosen);
}

std::size_t degree_of(unsigned x) { return x > 12 ? 40 : 200; }  // no multiple of a block

Basis targets() { return Basis(Word::u64, {1ULL << 32, (1ULL << 61) - 1, 40961, 1000000007, (1ULL << 60) - 93}); }

TEST(sums_and_multiples) {
  for (const auto& [x, f] : bases) {
    const std::size_t n = x > 12 ? 32 : 128, parts = 3;
    const WideRing ring(FermatBasis(x, f), RingShape::negacyclic(n));
    const Row a = residues(ring.basis(), n, parts), b = residues(ring.basis(), n, parts);
    with_all_lanes([&] {
      const auto both = [&](const auto& operation) {
        return agree(a.size(), {&a, &b}, [&](const WideEngine& wide, std::uint64_t* out, const auto& in) {
          operation(wide, out, in[0].data(), in[1].data());
        });
      };
      CHECK(both([&](const WideEngine& w, auto* out, auto* p, auto* q) { w.add(ring, out, p, q, parts); }));
      CHECK(both([&](const WideEngine& w, auto* out, auto* p, auto* q) { w.subtract(ring, out, p, q, parts); }));
      CHECK(both([&](const WideEngine& w, auto* out, auto* p, auto*) { w.negate(ring, out, p, parts); }));
      for (const std::uint64_t factor : {std::uint64_t{0}, std::uint64_t{1}, ones, numbers()}) {
        CHECK(both([&](const WideEngine& w, auto* out, auto* p, auto*) { w.scale(ring, out, p, factor, parts); }));
      }
    });
  }
}

TEST(every_version_of_conversion_from_limbs) {
  for (const auto& [x, f] : bases) {
    const FermatBasis basis(x, f);
    const std::size_t n = degree_of(x), parts = 2, size = basis.words() * n;
    const Row a = residues(basis, n, parts);
    const auto check_source = [&](const std::shared_ptr<const Punctured>& source) {
      CHECK(agree(parts * size, {&a}, [&](const WideEngine& wide, std::uint64_t* out, const auto& in) {
        wide.puncture(source)(out, in[0].data(), {n, parts, size, size});
      }));
      for (const Basis& target : {targets(), Basis(Word::u64, {1024, 2147483647})}) {
        const auto conversion = std::make_shared<FromWide>(source, target);
        CHECK(agree(parts * target.size() * n, {&a}, [&](const WideEngine& wide, std::uint64_t* out, const auto& in) {
          wide.from_wide(conversion)(out, in[0].data(), {n, parts, target.size() * n, size, true});
        }));
      }
    };
    for (const Method method : methods) {
      if (x == 15 && method != Method::both) continue;  // the schoolbook's minutes
      const auto source = std::make_shared<const FermatPunctured>(basis, method);
      if (method == Method::both) {
        with_all_lanes([&] { check_source(source); });
      } else {
        check_source(source);
      }
    }
    check_source(std::make_shared<const WideIntegers>(basis.words()));
  }
  // As good as no step: versions agree with each other on the GPU.
  const Basis words(Word::u64, primes_congruent_to_one(60, 2, 9));
  const Row a = words_below(words, 100, 2);
  const auto source = std::make_shared<const WordPunctured>(words);
  const auto conversion = std::make_shared<FromWide>(source, targets());
  CHECK(agree(2 * 5 * 100, {&a}, [&](const WideEngine& wide, std::uint64_t* out, const auto& in) {
    wide.from_wide(conversion)(out, in[0].data(), {100, 2, 500, 900});
  }));
}

TEST(one_shift_that_is_off_by_one_is_seen) {
  const FermatBasis basis(9, 3);
  const std::size_t n = 64;
  const Row a = residues(basis, n, 1);
  // D_RNS of the host with f = 3 against the device's with f = 2, whose limbs but the last two have the same shifts.
  const auto right = std::make_shared<const FermatPunctured>(basis, Method::both);
  const auto wrong = std::make_shared<const FermatPunctured>(FermatBasis(10, 4), Method::both);
  const auto punctured = [&](const auto& source) {
    return made(gpu(), source->words() * n, {&a}, [&](const WideEngine& wide, std::uint64_t* out, const auto& in) {
      // Limb i of 2^1024 - 1, i > 1, is limb i - 1 of 2^512 - 1 with one more shift.
      const std::size_t skip = source->words() - right->words();
      WideWords padded(wide, source->words() * n, false);
      const Row zeros(source->words() * n);
      wide.engine()->upload(padded.data(), zeros.data(), zeros.size() * 8);
      Row host(a.size());
      in[0].to_host(host.data());
      wide.engine()->upload(padded.data() + skip * n, host.data(), host.size() * 8);
      wide.puncture(source)(out, padded.data(), {n});
    });
  };
  const Row good = punctured(right), bad = punctured(wrong);
  const std::size_t skip = (wrong->words() - right->words()) * n;
  for (const Limb& limb : basis.limbs()) {
    std::size_t differing = 0;
    for (std::size_t c = 0; c < n; ++c) {
      bool same = true;
      for (std::size_t w = 0; w < limb.words; ++w) {
        same = same && good[(limb.first_word + w) * n + c] == bad[skip + (limb.first_word + w) * n + c];
      }
      differing += same ? 0 : 1;
    }
    CHECK(differing > n / 2);
  }
}

TEST(back_to_limbs) {
  for (const auto& [x, f] : bases) {
    const FermatBasis basis(x, f);
    const std::size_t n = degree_of(x), parts = 2;
    for (const std::size_t count : {1, 3, 20}) {
      const Basis source(Word::u64, primes_congruent_to_one(60, 2, count));
      const Row y = words_below(source, n, parts);
      Row moved(parts * n);
      for (auto& wrap : moved) wrap = numbers() % 8 - 4;
      moved[0] = static_cast<std::uint64_t>((std::int64_t{1} << 62) - 1);
      moved[1] = 0 - moved[0];
      std::vector<Limb> limbs = basis.limbs();
      if (f == 0) {  // of positional products
        const std::size_t whole = positional::product_words(basis.words());
        limbs.push_back({static_cast<unsigned>(64 * whole), false, 0, 0, whole});
      }
      for (const Limb& limb : limbs) {
        const auto conversion = std::make_shared<ToLimb>(source, limb);
        const std::size_t size = limb.words * n;
        const auto run = [&] {
          CHECK(agree(parts * size, {&y, &moved}, [&](const WideEngine& wide, std::uint64_t* out, const auto& in) {
            wide.to_limb(conversion)(out, in[0].data(), reinterpret_cast<const std::int64_t*>(in[1].data()),
                                     {n, parts, size, count * n});
          }));
        };
        if (limb.aligned()) {
          with_all_lanes(run);
        } else {
          run();
        }
      }
      CHECK(agree(parts * n, {&y}, [&](const WideEngine& wide, std::uint64_t* out, const auto& in) {
        wide.centred_wraps(source)(reinterpret_cast<std::int64_t*>(out), in[0].data(), {n, parts, 0, count * n});
      }));
      if (count < 2) continue;
      RedundantModulus redundant{Modulus<std::uint64_t>(source[count - 1]), {}, 0};
      for (std::size_t j = 0; j + 1 < count; ++j) redundant.weights.push_back(numbers() % source[count - 1]);
      redundant.inverse = numbers() % source[count - 1];
      CHECK(agree(parts * n, {&y}, [&](const WideEngine& wide, std::uint64_t* out, const auto& in) {
        wide.redundant_wraps(redundant)(reinterpret_cast<std::int64_t*>(out), in[0].data(), {n, parts, 0, count * n});
      }));
    }
  }
}

TEST(digits_and_other_limbs_residues) {
  for (const auto& [x, f] : bases) {
    if (x > 13) continue;
    const std::size_t n = 64;
    const WideRing ring(FermatBasis(x, f), RingShape::negacyclic(n));
    const Row a = residues(ring.basis(), n, 1);
    const auto& limbs = ring.basis().limbs();
    for (std::size_t i = 0; i < limbs.size(); ++i) {
      for (const unsigned width : {1U, 30U, 59U}) {
        for (unsigned first = 0; first < limbs[i].bits + (limbs[i].plus ? 1 : 0); first += 30 * width) {
          CHECK(agree(3 * n, {&a}, [&](const WideEngine& wide, std::uint64_t* out, const auto& in) {
            wide.digit(ring, out, in[0].data(), {i, first, width}, 3);
          }));
        }
      }
      for (std::size_t j = 0; j < limbs.size(); ++j) {
        CHECK(agree(limbs[j].words * n, {&a}, [&](const WideEngine& wide, std::uint64_t* out, const auto& in) {
          wide.move_limb(ring, out, j, in[0].data() + ring.offset(i), i);
        }));
      }
    }
  }
}

TEST(positional_integers) {
  for (const unsigned x : {6U, 7U, 8U, 10U, 12U}) {
    const FermatBasis basis(x, 0);
    const std::size_t n = 96, words = basis.words(), whole = positional::product_words(words);
    const Row phase = residues(basis, n, 1);
    for (const std::uint64_t t : {std::uint64_t{2}, std::uint64_t{1024}, (std::uint64_t{1} << 31) - 1}) {
      const PositionalRounding rounding{Modulus<std::uint64_t>(t), static_cast<unsigned>(words)};
      Row messages(n), expected(n);
      const WideWords here(*cpu(), phase.data(), phase.size(), false), there(*gpu(), phase.data(), phase.size(), false);
      const std::uint64_t peak = cpu()->round_positional(rounding)(expected.data(), here.data(), n);
      CHECK_EQ(gpu()->round_positional(rounding)(messages.data(), there.data(), n), peak);
      CHECK(messages == expected);
      // Products |D| < n q^2, of both signs, modulo 2^(64 whole) - 1.
      const LimbArithmetic arithmetic({static_cast<unsigned>(64 * whole), false, 0, 0, whole});
      Row products(2 * whole * n);
      for (std::size_t c = 0; c < 2 * n; ++c) {
        Row d(whole), residue(whole);
        for (std::size_t w = 0; w < 2 * words; ++w) d[w] = c % 7 == 1 ? ones : c % 7 == 2 ? 0 : numbers();
        d[2 * words] = numbers() % n;
        if (c % n == 0) std::ranges::fill(d, 0);
        arithmetic.reduce(residue, d);
        if (c % 2 == 1) arithmetic.negate(residue.data(), residue.data());
        for (std::size_t w = 0; w < whole; ++w) products[(c / n * whole + w) * n + c % n] = residue[w];
      }
      CHECK(agree(2 * words * n, {&products}, [&](const WideEngine& wide, std::uint64_t* out, const auto& in) {
        wide.divide_positional(rounding)(out, in[0].data(), {n, 2, words * n, whole * n});
      }));
      const Basis primes(Word::u64, primes_congruent_to_one(60, 2, 3));
      const Row some = words_below(primes, n, 1);
      const auto centred = [&](const WideEnginePtr& wide) {
        WideWords r(*wide, some.size(), false);
        wide->engine()->upload(r.data(), some.data(), some.size() * 8);
        const WideWords rows(*wide, phase.data(), phase.size(), false);
        wide->centre(primes, rounding)(r.data(), rows.data(), {n});
        Row result(some.size());
        r.to_host(result.data());
        return result;
      };
      CHECK(centred(cpu()) == centred(gpu()));
    }
  }
}

Parameters parameters(unsigned x, unsigned splits, unsigned digit_bits, unsigned special_bits, std::size_t degree) {
  ParametersLiteral literal{
      .degree = degree, .x = x, .splits = splits, .plain_modulus = 786433, .digit_bits = digit_bits};
  literal.special_bits = special_bits;
  literal.allow_insecure = true;
  literal.security = 0;
  return Parameters(literal);
}

TEST(whole_operations) {
  struct Case {
    unsigned x, splits, digit_bits;
    Variant variant;
    unsigned special_bits = 0;
  };
  for (const Case& one :
       {Case{8, 2, 30, Variant::both}, Case{9, 3, 0, Variant::both}, Case{9, 3, 30, Variant::none},
        Case{9, 3, 30, Variant::multiplication}, Case{9, 3, 30, Variant::reduction}, Case{9, 5, 20, Variant::both},
        Case{9, 3, 0, Variant::both, 300}, Case{8, 2, 40, Variant::both, 35}, Case{11, 5, 59, Variant::both},
        Case{8, 0, 30, Variant::positional}, Case{11, 0, 59, Variant::positional}}) {
    const std::size_t n = 512;
    const Parameters set = parameters(one.x, one.splits, one.digit_bits, one.special_bits, n);
    gpu();
    const ContextPtr here = Context::create(set, check::host(), one.variant),
                     there = Context::create(set, check::device(), one.variant);
    // Any two ciphertexts: the same products; any phase: the same messages and distance.
    const Row a = residues(set.basis(), n, 2), b = residues(set.basis(), n, 2);
    const auto product = [&](const ContextPtr& context) {
      const WideWords x(context->wide(), a.data(), a.size(), false), y(context->wide(), b.data(), b.size(), false);
      WideWords out(context->wide(), 3 * context->ring().size(), false);
      context->scaling().multiply(out.data(), x.data(), y.data());
      Row result(out.size());
      out.to_host(result.data());
      return result;
    };
    CHECK(product(here) == product(there));
    Row messages(n), expected(n);
    const WideWords x(here->wide(), a.data(), a.size(), true), y(there->wide(), a.data(), a.size(), true);
    const std::uint64_t peak = here->scaling().to_plain(expected.data(), x.data());
    CHECK_EQ(there->scaling().to_plain(messages.data(), y.data()), peak);
    CHECK(messages == expected);
    // A key of the device opens what the device computed.
    const SecretKey secret = SecretKey::generate(there);
    const PublicKey key = PublicKey::generate(secret);
    const RelinearizationKey relinearization = RelinearizationKey::generate(secret);
    std::vector<std::int64_t> values(n);
    for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<std::int64_t>(i) - 200;
    const Plaintext plain = encode(there, values, 1, true);
    const Ciphertext u = encrypt(plain, key), v = encrypt(plain, secret);
    const Ciphertext result = subtract(add_plain(multiply(u, v, relinearization), plain), negate(u));
    const auto opened = decode(decrypt(result, secret), true);
    bool right = true;
    for (std::size_t i = 0; i < n; ++i) {
      right = right && (opened[i] - values[i] * values[i] - 2 * values[i]) % 786433 == 0;
    }
    CHECK(right);
    CHECK(decode(decrypt(multiply_plain(u, plain), secret), true) ==
          decode(decrypt(multiply(u, v, relinearization), secret), true));
    // What the CPU does with the same ciphertexts has the same bits.
    const Ciphertext x2 = multiply_without_relinearization(u, v),
                     y2 = multiply_without_relinearization(u.in(here), v.in(here));
    CHECK(x2.items == y2.items);
  }
}

std::vector<std::int64_t> squares_of(std::vector<std::int64_t> values) {
  for (auto& value : values) value = ((value * value + 393216) % 786433) - 393216;
  return values;
}

// A key's engine and a ciphertext's share no memory and no order, even on one GPU: each step's words go where the next
// one computes. Sets of 128 bits of security, all versions, in alternation and often, as timings take them.
TEST(keys_and_ciphertexts_on_engines_of_their_own) {
  gpu();
  const std::vector<EnginePtr> engines = {check::device(), CudaEngine::create(0), CudaEngine::create(0), check::host()};
  for (const auto& [n, x] : {std::pair<std::size_t, unsigned>{8192, 7}, {16384, 8}, {32768, 9}}) {
    const unsigned splits = x - 6;
    const Parameters set = parameters(x, splits, 30, 0, n);
    std::vector<std::int64_t> values(n);
    for (auto& value : values) value = static_cast<std::int64_t>(numbers() % 786433) - 393216;
    std::vector<ContextPtr> contexts;
    for (std::size_t i = 0; i < engines.size(); ++i) {
      for (const Variant variant : {Variant::none, Variant::multiplication, Variant::reduction, Variant::both}) {
        if (engines[i] == check::host() && variant != Variant::both) continue;  // the schoolbook's seconds
        contexts.push_back(Context::create(set, engines[i], variant));
      }
    }
    for (const std::size_t at : {std::size_t{0}, contexts.size() - 1}) {  // of the keys
      if (at != 0 && n > 8192) continue;                                  // the host takes longer
      const ContextPtr& home = contexts[at];
      const SecretKey secret = SecretKey::generate(home);
      const RelinearizationKey key = RelinearizationKey::generate(secret);
      const Ciphertext text = encrypt(encode(home, values, 1, true), secret);
      for (int round = 0; round < 10; ++round) {
        for (const ContextPtr& context : contexts) CHECK(decode(decrypt(text.in(context), secret), true) == values);
      }
      const Ciphertext expected = multiply(text, text, key);
      if (x > 7) CHECK(decode(decrypt(expected, secret), true) == squares_of(values));
      for (const ContextPtr& context : contexts) {
        const Ciphertext here = text.in(context);
        CHECK(multiply(here, here, key).items == expected.items);
        CHECK(relinearize(multiply_without_relinearization(here, here), key).items == expected.items);
      }
    }
  }
}

TEST(what_does_not_fit_is_refused) {
  CHECK_THROWS(ArgumentError, set_words_of_lane(3));
  CHECK_THROWS(EngineError, WideWords(*gpu(), std::size_t{1} << 38, false));
}

}  // namespace

int main() { return check::run_on_device(); }
