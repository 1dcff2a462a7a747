// SPDX-License-Identifier: Apache-2.0
// Products keep three parts until something else than a sum wants two: the same for programs in C++.

#include <array>
#include <thread>

#include "check.hpp"
#include "cyclotome/io/objects/stored_object.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/scheme/bfv/scheme.hpp"
#include "cyclotome/scheme/bgv/scheme.hpp"
#include "value_party.hpp"

namespace {

using namespace cyclotome;
using check::ValueParty;
using io::Bytes;
using io::to_bytes;
using value::EncryptedArray;
using Numbers = std::vector<std::int64_t>;

const std::array<const rlwe::Scheme*, 2>& schemes() {
  static const std::array made{&bfv::scheme(), &bgv::scheme()};
  return made;
}

EncryptedArray rows(const ValueParty& party, std::int64_t first) {
  Numbers values;
  for (std::int64_t i = 0; i < 60; ++i) values.push_back((first + 7 * i) % 19 - 9);
  return party.encrypted(value::Integers({3, 20}, values), {.bound = 9});
}

bool same(const EncryptedArray& a, const EncryptedArray& b) { return to_bytes(a) == to_bytes(b); }

Numbers opened(const ValueParty& party, const EncryptedArray& x) { return value::decrypt(x, party.secret).to_int64(); }

}  // namespace

TEST(products_wait_for_what_wants_two_parts) {
  for (const rlwe::Scheme* const scheme : schemes()) {
    const ValueParty party(scheme);
    const EncryptedArray x = rows(party, 1), y = rows(party, 5), p = x * y;
    CHECK(p.waits() && p.as_it_is().channels.front().parts() == 3);
    CHECK_EQ(p.bytes(), x.bytes());
    CHECK_EQ(p.held_bytes(), p.bytes() / 2 * 3);
    CHECK_EQ(p.placed().channels.front().parts(), std::size_t{2});
    CHECK_EQ(p.held_bytes(), p.bytes() / 2 * 5);
    CHECK(!p.settled().waits() && !(p * y).settled().waits());
    CHECK_EQ(p.noise_headroom(), p.settled().noise_headroom());
    CHECK_EQ(opened(party, p), opened(party, p.settled()));
    const EncryptedArray at_once = value::multiply(x, y, {.relinearize_products = true});
    CHECK(!at_once.waits() && same(p, at_once) && same(p.settled(), at_once));
  }
}

TEST(sums_take_three_parts_whatever_was_done_before) {
  for (const rlwe::Scheme* const scheme : schemes()) {
    const ValueParty party(scheme);
    const EncryptedArray x = rows(party, 1), y = rows(party, 5), z = rows(party, 11);
    const auto program = [&](const EncryptedArray& p) { return value::sum(p + z * z - p * 2, 0); };
    const EncryptedArray fresh = program(x * y), used = x * y;
    static_cast<void>(to_bytes(used));
    static_cast<void>(used * z);
    CHECK(fresh.waits() && same(fresh, program(used)) && same(fresh, program(used).settled()));
    CHECK_EQ(opened(party, fresh), opened(party, program(used.settled())));
    CHECK(fresh.noise_headroom() >= program(used.settled()).noise_headroom() - 1e-9);
  }
}

TEST(multiples_and_selections_share_a_relinearisation) {
  for (const rlwe::Scheme* const scheme : schemes()) {
    const ValueParty party(scheme);
    const EncryptedArray x = rows(party, 1), y = rows(party, 5), p = x * y, q = -3 * p;
    CHECK(same(q, value::multiply(p.settled(), -3)));
    const EncryptedArray z = rows(party, 11);
    CHECK(same(p + z, p.settled() + z) && same(z - 2 * p, z - 2 * p.settled()) && same(1 - p, 1 - p.settled()));
    CHECK(same(value::item(z - p, 2), value::item(z - p.settled(), 2)));
    CHECK((z - p).waits() && (1 - p).waits() && !(z - p.settled()).waits());
    CHECK(same(value::item(p, 1), value::item(p.settled(), 1)));
    CHECK(same(value::item(q, 2), value::multiply(value::item(p.settled(), 2), -3)));
    CHECK(same(value::item(value::item(value::stack(std::array{p, p}), 0), 1), value::item(p, 1)));
    // What it was selected from is gone: it is relinearised by itself, to the same bits.
    CHECK(same(value::item(x * y, 1), value::item(p, 1)));
    CHECK(value::multiply(p, 7).waits());
    CHECK(!value::select(p, {0, 1, 2, 0}, {4}).waits());
  }
}

TEST(engines_compute_the_same_of_what_waits) {
  for (const rlwe::Scheme* const scheme : schemes()) {
    const ValueParty party(scheme);
    const EncryptedArray x = rows(party, 1), y = rows(party, 5), p = x * y;
    const rlwe::ContextPtr other = scheme::make_context(party.context->parameters(), CpuEngine::create(2));
    const value::Keyring keys(rlwe::EvaluationKeys(
        other, rlwe::SwitchingKey(party.evaluation.relinearization().polynomials().to(other->engine()), std::nullopt),
        {}, party.evaluation.id()));
    CHECK(p.to(other, keys).waits() && !p.to(other).waits());
    CHECK(same(value::sum(p.to(other, keys), 0), value::sum(p, 0)));
    CHECK(same((5 * p).to(other, keys), 5 * p) && same((x - 5 * p).to(other, keys), x - 5 * p));
    CHECK(same(p.to(other), p));
    CHECK_THROWS(MissingKeyError, p.to(other, {}));
  }
}

TEST(threads_settle_one_product_alike) {
  const ValueParty party(&bgv::scheme());
  const EncryptedArray x = rows(party, 1), y = rows(party, 5);
  const Bytes wanted = to_bytes(x * y);
  for (int round = 0; round < 20; ++round) {
    const EncryptedArray p = x * y;
    std::array<Bytes, 4> found;
    std::vector<std::thread> threads;
    for (Bytes& each : found) threads.emplace_back([&each, p] { each = to_bytes(p); });
    for (std::thread& thread : threads) thread.join();
    for (const Bytes& each : found) CHECK(each == wanted);
  }
}

TEST(a_missing_key_is_refused_where_the_product_is) {
  const ValueParty party;
  const rlwe::EvaluationKeys none(party.context, std::nullopt, party.evaluation.all_galois(), party.evaluation.id());
  const EncryptedArray x = value::encrypt(value::Integers(Numbers{1, 2}), party.key, {.bound = 3}).with_keys(none);
  CHECK_THROWS(MissingKeyError, x * x);
}

int main() { return check::run(); }
