// SPDX-License-Identifier: Apache-2.0
// Programs: what their builder refuses, and what it finds out by itself.
#include <array>
#include <functional>
#include <string>
#include <utility>

#include "check.hpp"
#include "cyclotome/engine/cpu/cpu_engine.hpp"
#include "cyclotome/engine/poly.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/primes.hpp"
#include "cyclotome/program/composites.hpp"
#include "cyclotome/program/rewriting.hpp"
#include "seed.hpp"

using namespace cyclotome;
using program::Builder;
using program::each;
using program::Slice;

namespace {

constexpr auto coefficients = Domain::coefficient, transforms = Domain::transform;
constexpr std::size_t degree = 64;

/// q of three primes; p of one; p then q; and the conversions between them.
struct Rings {
  RingPtr pq = Ring::negacyclic(degree, Basis(Word::u64, primes_congruent_to_one(40, 2 * degree, 4)));
  RingPtr p = pq->slice(0, 1), q = pq->slice(1, 3);
  DivideAndRound division{q, p};
  KeySwitchConstants key_switch{q, p, 1};
};

const Rings& rings() {
  static const Rings made;
  return made;
}

/// Whether writing a program is refused, with these words in what is said.
bool refused(const std::string& words, const std::function<void(Builder&)>& write) {
  try {
    Builder b("wrong");
    write(b);
    static_cast<void>(b.finish());
  } catch (const ArgumentError& error) {
    const std::string said = error.what();
    if (said.find(words) != std::string::npos && !said.empty()) return true;
    std::cout << "  refused, but not for that: " << said << '\n';
    return false;
  }
  std::cout << "  not refused: " << words << '\n';
  return false;
}

TEST(what_was_not_written_is_not_read) {
  const RingPtr& q = rings().q;
  CHECK(refused("nothing was written", [&](Builder& b) {
    const Slice t = b.temporary(q, 1), out = b.output(q, 1, coefficients);
    b.copy(out, t);
  }));
  CHECK(refused("nothing was written", [&](Builder& b) {  // one part of two
    const Slice i = b.input(q, 1, coefficients), t = b.temporary(q, 2), out = b.output(q, 2, coefficients);
    b.copy(t.part(0), i);
    b.copy(out, t);
  }));
  CHECK(refused("used up", [&](Builder& b) {
    const Slice i = b.input(q, 1, coefficients), k = b.input(q, 1, transforms, 1), t = b.temporary(q, 1);
    const Slice out = b.output(q, 1, coefficients);
    b.copy(t, i);
    program::multiply_key(b, out, t, k, i);
    b.add(out, out, t);
  }));
  CHECK(refused("nothing was written", [&](Builder& b) {  // a sum that starts with nothing
    const Slice i = b.input(q, 1, transforms), out = b.output(q, 1, transforms);
    b.multiply_accumulate(out, i, i);
  }));
}

TEST(domains_are_known) {
  const RingPtr& q = rings().q;
  CHECK(refused("one domain", [&](Builder& b) {
    const Slice i = b.input(q, 1, coefficients), k = b.input(q, 1, transforms);
    b.add(b.output(q, 1, coefficients), i, k);
  }));
  CHECK(refused("partly transformed", [&](Builder& b) {
    const Slice i = b.input(q, 2, coefficients), t = b.temporary(q, 2);
    b.copy(t, i);
    b.forward(t.part(0));
    b.inverse(t);
  }));
  CHECK(refused("already", [&](Builder& b) {
    const Slice i = b.input(q, 1, coefficients), t = b.temporary(q, 1);
    b.copy(t, i);
    b.forward(t);
    b.forward(t);
  }));
  CHECK(refused("already", [&](Builder& b) {
    const Slice i = b.input(q, 1, coefficients), t = b.temporary(q, 1);
    b.copy(t, i);
    b.inverse(t);
  }));
  CHECK(refused("another domain", [&](Builder& b) {
    const Slice i = b.input(q, 1, coefficients), out = b.output(q, 1, transforms);
    b.copy(out, i);
  }));
  CHECK(refused("in coefficients", [&](Builder& b) {
    const Slice i = b.input(rings().p, 1, transforms);
    b.convert(b.output(q, 1, coefficients), i, rings().division.correction);
  }));
  CHECK(refused("may be transforms", [&](Builder& b) {
    const std::uint32_t seed = b.seed();
    b.sample(b.output(q, 1, transforms), Law::error, seed, Stream::encryption_error, transforms);
  }));
}

TEST(shapes_and_bases_fit) {
  const RingPtr &q = rings().q, &pq = rings().pq;
  CHECK(refused("different rings",
                [&](Builder& b) { b.copy(b.output(pq, 1, coefficients), b.input(q, 1, coefficients)); }));
  CHECK(refused("not the slice", [&](Builder& b) { static_cast<void>(b.input(pq, 1, coefficients).limbs(0, q)); }));
  CHECK(refused("has none from", [&](Builder& b) { static_cast<void>(b.input(q, 2, coefficients).part(2)); }));
  CHECK(refused("has none from", [&](Builder& b) { static_cast<void>(b.input(q, 2, coefficients).part(1, 2)); }));
  CHECK(refused("has none from", [&](Builder& b) { static_cast<void>(b.input(q, 2, transforms, 3).item(3)); }));
  CHECK(refused("no item by number", [&](Builder& b) { static_cast<void>(b.input(q, 2, coefficients).item(0)); }));
  CHECK(
      refused("does not fit", [&](Builder& b) { b.copy(b.output(q, 2, coefficients), b.input(q, 3, coefficients)); }));
  CHECK(refused("does not fit", [&](Builder& b) {  // three digits are no broadcast operand
    const Slice key = b.input(q, 1, coefficients, 3);
    b.copy(b.output(q, 1, coefficients), key);
  }));
  CHECK(refused("factors for", [&](Builder& b) {
    b.multiply_scalars(b.output(q, 1, coefficients), b.input(q, 1, coefficients), {1, 2});
  }));
  CHECK(refused("not below its modulus", [&](Builder& b) {
    b.multiply_scalars(b.output(q, 1, coefficients), b.input(q, 1, coefficients), {1, q->basis()[1], 1});
  }));
  CHECK(refused("conversion's bases", [&](Builder& b) {
    b.convert(b.output(q, 1, coefficients), b.input(q, 1, coefficients), rings().division.correction);
  }));
  CHECK(refused("must be odd",
                [&](Builder& b) { b.automorphism(b.output(q, 1, coefficients), b.input(q, 1, coefficients), 2); }));
  CHECK(refused("below 2n", [&](Builder& b) {
    b.automorphism(b.output(q, 1, coefficients), b.input(q, 1, coefficients), 2 * degree + 1);
  }));
  CHECK(refused("no seed number",
                [&](Builder& b) { b.sample(b.output(q, 1, coefficients), Law::error, 0, Stream::encryption_error); }));
  const RingPtr small = Ring::negacyclic(degree, Basis(Word::u64, {17}));
  CHECK(refused("has no transform", [&](Builder& b) {
    const Slice i = b.input(small, 1, coefficients), t = b.temporary(small, 1);
    b.copy(t, i);
    b.forward(t);
  }));
  CHECK(refused("are no residues", [&](Builder& b) {
    const std::uint32_t seed = b.seed();
    b.sample(b.output(small, 1, coefficients), Law::error, seed, Stream::encryption_error);
  }));
  const RingPtr phi = Ring::cyclotomic(15, Basis(Word::u64, {241})), power = Ring::negacyclic(8, phi->basis());
  CHECK(refused("different rings", [&](Builder& b) {  // of one degree and basis
    b.copy(b.output(phi, 1, coefficients), b.input(power, 1, coefficients));
  }));
  CHECK(refused("different rings", [&](Builder& b) {
    b.copy(b.output(power->spaced(9), 1, coefficients), b.input(power, 1, coefficients));
  }));
  CHECK(refused("prime to and below m = 15",
                [&](Builder& b) { b.automorphism(b.output(phi, 1, coefficients), b.input(phi, 1, coefficients), 3); }));
  CHECK(refused("errors of magnitude up to 84 are no residues modulo 61", [&](Builder& b) {
    const std::uint32_t seed = b.seed();
    const RingPtr tight = phi->with_basis(Basis(Word::u64, {61}));
    b.sample(b.output(tight, 1, coefficients), Law::error, seed, Stream::encryption_error);
  }));
  CHECK(refused("holds no number", [&](Builder& b) {
    b.peaks(b.output(q, 1, coefficients), b.input(rings().p, 1, coefficients), rings().division.correction);
  }));
}

TEST(a_run_refuses_operands_that_do_not_fit_the_program) {
  const EnginePtr engine = CpuEngine::create(1);
  const RingPtr& q = rings().q;
  Builder b("sum");
  const std::uint32_t seed = b.seed();
  const Slice x = b.input(q, 2, coefficients), y = b.input(q, 2, coefficients, 1), out = b.output(q, 2, coefficients);
  const Slice noise = b.temporary(q, 2);
  b.sample(noise, Law::error, seed, Stream::encryption_error);
  b.add(noise, noise, y);
  b.add(out, x, noise);
  const ExecutionPtr sum = engine->prepare(b.finish());
  const PolyArray a(engine, q, 3, 2), one(engine, q, 1, 2);
  PolyArray result(engine, q, 3, 2), wide(engine, q, 3, 3), both(engine, q, 4, 2);
  const Seed drawn = check::seed(1);
  const std::array<const Seed*, 1> seeds{&drawn};
  const auto run = [&](std::initializer_list<Operand> operands, std::uint32_t first_item = 0) {
    sum->run(std::span(operands.begin(), operands.size()), seeds, first_item);
  };
  run({a.view(), one.view(), result.view()});
  run({a.view(), a.view().items(0), result.view()});  // inputs may share memory
  const auto overlap = "must not overlap";
  CHECK_THROWS_WITH(ArgumentError, run({result.view(), one.view(), result.view()}), overlap);
  CHECK_THROWS_WITH(ArgumentError, run({a.view(), result.view().items(2), result.view()}), overlap);
  CHECK_THROWS_WITH(ArgumentError, run({both.view().items(1, 3), one.view(), both.view().items(0, 3)}), overlap);
  // Parts of one array, whose items lie between each other.
  CHECK_THROWS_WITH(ArgumentError, run({wide.view().part(0, 2), one.view(), wide.view().part(1, 2)}), overlap);
  run({both.view().items(0), one.view(), both.view().items(1)});  // apart
  CHECK_THROWS_WITH(ArgumentError, run({a.view(), one.view(), a.view()}), "may not be written to");
  const auto shape = "is not what the program was built for";
  CHECK_THROWS_WITH(ArgumentError, run({a.view(), a.view(), result.view()}), shape);
  CHECK_THROWS_WITH(ArgumentError, run({wide.view(), one.view(), result.view()}), shape);
  CHECK_THROWS_WITH(ArgumentError, run({PolyArray(engine, rings().p, 3, 2).view(), one.view(), result.view()}), shape);
  ConstView transformed = a.view();
  transformed.domain = transforms;
  CHECK_THROWS_WITH(ArgumentError, run({transformed, one.view(), result.view()}), shape);
  CHECK_THROWS_WITH(ArgumentError, run({a.view(), one.view(), both.view()}), "has 4 items, others 3");
  CHECK_THROWS_WITH(ArgumentError, run({a.view(), one.view()}), "it takes 3 and 1");
  CHECK_THROWS_WITH(ArgumentError, sum->run(std::array<Operand, 3>{a.view(), one.view(), result.view()}),
                    "it takes 3 and 1");
  run({a.view(), one.view(), result.view()}, 0xfffffffd);
  CHECK_THROWS_WITH(ArgumentError, run({a.view(), one.view(), result.view()}, 0xfffffffe), "one seed has");
}

TEST(a_program_runs_in_every_kind_of_ring_wherever_its_limbs_lie) {
  const EnginePtr engine = CpuEngine::create(1);
  for (const RingShapePtr& shape : {RingShape::negacyclic(64), RingShape::cyclotomic(105)}) {
    const Basis basis(Word::u64, primes_congruent_to_one(40, shape->transform_step(), 3));
    for (const std::size_t gap : {0, 5}) {
      const RingPtr ring = Ring::create(shape, basis)->spaced(shape->degree() + gap);
      const std::uint64_t g = shape->galois().generators().front().element;
      Builder b("turn and square");
      const Slice a = b.input(ring, 2, coefficients), out = b.output(ring, 1, coefficients), t = b.temporary(ring, 2);
      b.automorphism(t, a, g);
      b.forward(t);
      b.multiply(out, t.part(0), t.part(1));
      b.inverse(out);
      PolyArray in(engine, ring, 3, 2), found(engine, ring, 3, 1), turned(engine, ring, 3, 2);
      engine->sample(in.view(), Law::uniform, check::seed(1), Stream::flooding);
      const std::array<Operand, 2> operands = {Operand(std::as_const(in).view()), Operand(found.view())};
      engine->prepare(b.finish())->run(operands, {}, 0);
      engine->automorphism(turned.view(), std::as_const(in).view(), g);
      turned.to_transform();
      PolyArray product(engine, ring, 3, 1, transforms);
      engine->multiply(product.view(), std::as_const(turned).view().part(0), std::as_const(turned).view().part(1));
      CHECK_EQ(found.to_host(), product.to_coefficient().to_host());
    }
  }
}

TEST(memory_is_written_where_it_may_be_and_in_order) {
  const RingPtr& q = rings().q;
  CHECK(refused("can't be written", [&](Builder& b) { b.forward(b.input(q, 1, coefficients)); }));
  CHECK(refused("some items", [&](Builder& b) {
    const Slice key = b.input(q, 1, transforms, 3), t = b.temporary_like(key, q, 1);
    b.copy(t.item(0), key.item(0));
  }));
  CHECK(refused("overlap", [&](Builder& b) {
    const Slice i = b.input(q, 3, coefficients), t = b.temporary(q, 3);
    b.copy(t, i);
    b.copy(t.part(0, 2), t.part(1, 2));
  }));
  CHECK(refused("overlap", [&](Builder& b) {
    const Slice i = b.input(q, 1, coefficients), t = b.temporary(q, 1);
    b.copy(t, i);
    b.automorphism(t, t, 3);
  }));
  CHECK(refused("output 0 ends", [&](Builder& b) {
    const Slice out = b.output(q, 1, transforms);
    b.clear(out, coefficients);
  }));
  CHECK(refused("nothing was written", [&](Builder& b) {
    const Slice i = b.input(q, 1, coefficients), out = b.output(q, 2, coefficients);
    b.copy(out.part(0), i);
  }));
}

TEST(nothing_is_computed_in_vain) {
  const RingPtr& q = rings().q;
  CHECK(refused("never read", [&](Builder& b) {
    const Slice out = b.output(q, 1, coefficients);
    static_cast<void>(b.input(q, 1, coefficients));
    b.clear(out, coefficients);
  }));
  CHECK(refused("in vain", [&](Builder& b) {
    const Slice i = b.input(q, 1, coefficients), out = b.output(q, 1, coefficients), t = b.temporary(q, 1);
    b.negate(t, i);
    b.copy(out, i);
  }));
  CHECK(refused("nobody has read", [&](Builder& b) {
    const Slice i = b.input(q, 1, coefficients), out = b.output(q, 1, coefficients);
    b.negate(out, i);
    b.copy(out, i);
  }));
  CHECK(refused("nobody has read", [&](Builder& b) {  // one limb of three
    const Slice i = b.input(q, 1, coefficients), out = b.output(q, 1, coefficients);
    b.copy(out, i);
    b.clear(out.limbs(0, q->slice(0, 1)), coefficients);
  }));
}

TEST(composites_touch_what_they_name) {
  const RingPtr& q = rings().q;
  const auto with = [&](const std::function<void(Builder&, Slice, Slice, Slice)>& write) {
    return [&q, write](Builder& b) {
      const Slice i = b.input(q, 1, coefficients), j = b.input(q, 1, coefficients), out = b.output(q, 1, coefficients);
      write(b, i, j, out);
    };
  };
  CHECK(refused("none of its ins", with([](Builder& b, Slice i, Slice j, Slice out) {
                  b.composite("c", {out}, {i}, {}, [&] { b.add(out, i, j); });
                })));
  CHECK(refused("none of its outs", with([&](Builder& b, Slice i, Slice j, Slice out) {
                  const Slice t = b.temporary(q, 1);
                  b.composite("c", {out}, {i, j}, {}, [&] {
                    b.add(t, i, j);
                    b.copy(out, t);
                  });
                })));
  CHECK(refused("none of its outs", with([&](Builder& b, Slice i, Slice, Slice out) {  // an in that is not spoiled
                  const Slice t = b.temporary(q, 1);
                  b.copy(t, i);
                  b.composite("c", {out}, {t}, {}, [&] {
                    b.negate(t, t);
                    b.copy(out, t);
                  });
                })));
  CHECK(refused("does nothing",
                with([](Builder& b, Slice i, Slice, Slice out) { b.composite("c", {out}, {i}, {}, [] {}); })));
  CHECK(refused("the caller's", with([](Builder& b, Slice i, Slice, Slice out) {
                  b.composite("c", {out}, {i}, {i}, [&] { b.copy(out, i); });
                })));
  CHECK(refused("none of its ins", with([&](Builder& b, Slice i, Slice j, Slice out) {
                  const Slice t = b.temporary(q, 1);
                  b.copy(t, j);
                  b.composite("c", {out}, {i}, {t}, [&] { b.copy(out, i); });
                })));
  CHECK(refused("overlap", with([](Builder& b, Slice i, Slice, Slice out) {
                  b.composite("c", {out, out}, {i}, {}, [&] { b.copy(out, i); });
                })));
  CHECK(refused("nobody has read", with([](Builder& b, Slice i, Slice, Slice out) {  // a result of before is no in
                  b.copy(out, i);
                  b.composite("c", {out}, {i}, {}, [&] { b.add(out, out, i); });
                })));
  CHECK(refused("declared outside", with([&](Builder& b, Slice i, Slice, Slice out) {
                  b.composite("c", {out}, {i}, {}, [&] { b.add(out, i, b.input(q, 1, coefficients)); });
                })));
  CHECK(refused("in vain", with([&](Builder& b, Slice i, Slice j, Slice out) {
                  b.composite("c", {out}, {i, j}, {}, [&] {
                    b.negate(b.temporary(q, 1), j);
                    b.copy(out, i);
                  });
                })));
  CHECK(refused("ins; there may be", with([](Builder& b, Slice i, Slice, Slice out) {
                  b.composite("c", {out}, {i, i, i, i, i, i, i, i}, {}, [&] { b.copy(out, i); });
                })));
}

TEST(secrecy_is_derived) {
  const RingPtr& q = rings().q;
  Builder b("taint");
  const Slice s = b.input(q, 1, transforms, 1, true), c = b.input(q, 2, coefficients),
              out = b.output(q, 1, coefficients);
  const std::uint32_t open = b.seed(Builder::Publicity::published), hidden = b.seed();
  const Slice t = b.temporary(q, 1), u = b.temporary(q, 1), drawn = b.temporary(q, 1), mask = b.temporary(q, 1),
              error = b.temporary(q, 1);
  b.copy(t, c.part(0));
  b.copy(u, c.part(1));
  program::multiply_key(b, out, u, s, t);
  b.sample(drawn, Law::uniform, open, Stream::symmetric_uniform);
  b.sample(mask, Law::uniform, hidden, Stream::flooding);
  b.sample(error, Law::error, open, Stream::encryption_error);
  b.add(out, out, drawn);
  b.add(out, out, mask);
  b.add(out, out, error);
  const program::ProgramPtr made = b.finish();
  const auto secret = [&](const Slice& slice) { return made->values()[slice.value].secret; };
  CHECK(!secret(t) && !secret(drawn) && !secret(out));
  CHECK(secret(mask) && secret(error) && made->composites()[0].secret);
}

/// A composite of that name, with the operations that `write` gives it.
program::ProgramPtr with_composite(std::string_view name,
                                   const std::function<void(Builder&, Slice, Slice, Slice)>& write) {
  const RingPtr& q = rings().q;
  Builder b("with a composite");
  const Slice x = b.input(q, 2, transforms), y = b.input(q, 2, transforms), out = b.output(q, 3, transforms);
  b.composite(name, {out}, {x, y}, {}, [&] { write(b, out, x, y); });
  return b.finish();
}

TEST(a_name_alone_is_not_trusted) {
  using program::is_tensor_product;
  const auto tensor = [](Builder& b, const Slice& out, const Slice& x, const Slice& y) {
    b.clear(out, transforms);
    for (std::size_t i = 0; i < 2; ++i) {
      for (std::size_t j = 0; j < 2; ++j) b.multiply_accumulate(out.part(i + j), x.part(i), y.part(j));
    }
  };
  const auto right = with_composite("tensor_product", tensor), other_name = with_composite("tensor", tensor);
  CHECK(is_tensor_product(*right, right->composites()[0]));
  CHECK(!is_tensor_product(*other_name, other_name->composites()[0]));
  const auto exchanged = with_composite("tensor_product", [](Builder& b, Slice out, Slice x, Slice y) {
    b.clear(out, transforms);
    for (std::size_t i = 0; i < 2; ++i) {
      for (std::size_t j = 0; j < 2; ++j) b.multiply_accumulate(out.part(2 - i - j), x.part(i), y.part(j));
    }
  });
  CHECK(exchanged->verbs(exchanged->composites()[0]) == right->verbs(right->composites()[0]));
  CHECK(!is_tensor_product(*exchanged, exchanged->composites()[0]));
  const auto squared = with_composite("tensor_product", [&](Builder& b, Slice out, Slice x, Slice y) {
    b.clear(out, transforms);
    b.multiply_accumulate(out.part(0), x.part(0), y.part(0));
    b.multiply_accumulate(out.part(1), x.part(0), y.part(1));
    b.multiply_accumulate(out.part(1), x.part(0), y.part(1));
    b.multiply_accumulate(out.part(2), x.part(1), y.part(1));
  });
  CHECK(!is_tensor_product(*squared, squared->composites()[0]));
}

TEST(a_key_switch_is_read_as_it_was_written) {
  for (const Domain domain : {coefficients, transforms}) {
    for (const std::size_t added : {0U, 1U, 2U}) {
      Builder b("switch");
      const Slice c = b.input(rings().q, 3, domain), key = b.input(rings().pq, 2, transforms, 3);
      const Slice out = b.output(rings().q, 2, domain);
      program::key_switch(b, out, c.part(2), key, rings().key_switch, domain,
                          added == 0 ? std::nullopt : std::optional(c.part(0, added)));
      const auto made = b.finish();
      const auto step = program::read_key_switch(*made, made->composites()[0]);
      CHECK(step.has_value());
      if (!step) continue;
      CHECK_EQ(step->digits.size(), std::size_t{3});
      CHECK(step->rounding.has_value() && step->rounding->factors == rings().division.factors);
      for (std::size_t j = 0; j < 3; ++j) {
        CHECK_EQ(step->digits[j].first, j);
        CHECK_EQ(step->digits[j].extension.id(), rings().key_switch.digits[j].extension.id());
      }
    }
  }
}

TEST(turned_switches_and_weighted_sums_are_read_as_they_were_written) {
  for (const Domain domain : {coefficients, transforms}) {
    Builder b("turn");
    const Slice out = b.output(rings().q, 2, domain), body = b.input(rings().q, 1, domain);
    const Slice digits = b.input(rings().pq, 3, transforms), key = b.input(rings().pq, 2, transforms, 3);
    program::turned_switch(b, out, body, digits, key, 5, rings().key_switch, domain);
    const auto made = b.finish();
    const auto step = program::read_turned_switch(*made, made->composites()[0]);
    CHECK(step.has_value());
    if (!step) continue;
    CHECK_EQ(step->element, std::uint64_t{5});
    CHECK(step->constants.rounding.has_value() && step->constants.rounding->factors == rings().division.factors);
    CHECK(!program::is_weighted_sums(*made, made->composites()[0]));
  }
  const auto sums = [](bool exchanged) {
    Builder b("sums");
    const Slice out = b.output(rings().pq, 4, transforms);
    const Slice first = b.input(rings().pq, 3, transforms), second = b.input(rings().pq, 3, transforms);
    const Slice weights[] = {b.input(rings().pq, 1, transforms, 3), b.input(rings().pq, 1, transforms, 3)};
    if (!exchanged) {
      program::weighted_sums(b, out, first, second, weights);
    } else {
      b.composite("weighted_sums", {out}, {first, second, weights[0], weights[1]}, {}, [&] {
        for (std::size_t i = 0; i < 2; ++i) {
          program::key_switch_product(b, out.part(2 * i), second, weights[i]);
          program::key_switch_product(b, out.part(2 * i + 1), first, weights[i]);
        }
      });
    }
    return b.finish();
  };
  CHECK(program::is_weighted_sums(*sums(false), sums(false)->composites()[0]));
  CHECK(!program::is_weighted_sums(*sums(true), sums(true)->composites()[0]));
}

}  // namespace

int main() { return cyclotome::check::run(); }
