// SPDX-License-Identifier: Apache-2.0
// A dishonest dealer, for tests of who names it.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "cyclotome/rlwe/joint/dealing/messages.hpp"
#include "cyclotome/rlwe/joint/dealing/rows.hpp"
#include "cyclotome/rlwe/joint/dealing/verified_dealing.hpp"
#include "testing.hpp"

namespace cyclotome::testing {

void bind_dealing(nb::module_& parent) {
  nb::module_ m = parent.def_submodule("dealing", "Verified dealing.");
  // Deals a secret as an honest party does, but with one bit changed in what some receivers get.
  m.def("cheating_deal", [](const rlwe::DealingRound& round, std::uint32_t dealer, const rlwe::Identity& identity,
                            const rlwe::SecretKey& secret, const std::vector<const rlwe::ReceivingKeys*>& keys,
                            const std::vector<std::uint32_t>& victims, std::size_t byte, std::uint8_t bits) {
    const rlwe::DealingPolynomials polynomials(secret.context(), round.session().threshold(),
                                               secret.at_level(secret.context()->max_level()));
    const rlwe::DealerVoice voice{[&](std::uint32_t party) {
                                    auto packed = polynomials.packed_at(party);
                                    if (std::ranges::find(victims, party) != victims.end()) packed.at(byte) ^= bits;
                                    return packed;
                                  },
                                  [&](const PublicSeed& challenge) { return polynomials.functionals(challenge); }};
    std::vector<rlwe::ReceivingKeys> all;
    for (const rlwe::ReceivingKeys* const each : keys) all.push_back(*each);
    return rlwe::deal_voiced(round, dealer, identity, voice, all);
  });
  // A complaint of a message that somebody dealt, right or wrong.
  m.def("complain", [](const rlwe::DealingRound& round, std::uint32_t accuser, const rlwe::Identity& identity,
                       const rlwe::Dealing& dealing, const rlwe::SealedShare& sealed) {
    rlwe::Complaint complaint{
        accuser, dealing, sealed, rlwe::receiving_identity(round, dealing.dealer, identity).seed().bytes(), {}};
    rlwe::sign(round, identity, complaint);
    return complaint;
  });
}

}  // namespace cyclotome::testing
