// SPDX-License-Identifier: Apache-2.0
// Polynomials of joint keys' messages, for oracles in Python integers.
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>

#include "cyclotome/rlwe/joint/secret_sharing.hpp"
#include "cyclotome/rlwe/joint/share_proof.hpp"
#include "cyclotome/rlwe/joint/threshold_keys.hpp"
#include "cyclotome/rlwe/joint/threshold_seeds.hpp"
#include "cyclotome/rlwe/noise/flooding.hpp"
#include "cyclotome/value/joint/threshold_decryption.hpp"
#include "polynomials.hpp"
#include "testing.hpp"

namespace cyclotome::testing {

void bind_threshold(nb::module_& parent) {
  nb::module_ m = parent.def_submodule("threshold", "Joint keys.");
  // Residues by channel, in the order item, limb, coefficient.
  m.def("decryption_share_residues", [](const value::DecryptionShare& share, std::size_t channel) {
    return share.channels().at(channel).to_host();
  });
  m.def("decryption_share_limbs",
        [](const value::DecryptionShare& share, std::size_t channel) { return share.channels().at(channel).limbs(); });
  // What a party answers that keeps nothing: what only a copy of its file from before can bring about.
  m.def("second_share", [](const rlwe::ThresholdSession& session, const rlwe::ContextPtr& context, std::uint32_t party,
                           const rlwe::SecretKey& secret, const std::vector<const rlwe::KeyShare*>& first) {
    return rlwe::second_share(rlwe::FirstRound(session, context, first), party, secret);
  });
  // The same without its proof, and the proof of whatever share it is, if one can be made.
  m.def("unproved_share",
        [](const rlwe::ThresholdSession& session, const rlwe::ContextPtr& context, std::uint32_t party,
           const rlwe::SecretKey& secret, const std::vector<const rlwe::KeyShare*>& first) {
          return rlwe::unproved_share(rlwe::FirstRound(session, context, first), party, secret);
        });
  m.def("proved_share",
        [](const rlwe::ThresholdSession& session, const rlwe::ContextPtr& context, const rlwe::SecretKey& secret,
           const std::vector<const rlwe::KeyShare*>& first, const rlwe::KeyShare& share) {
          const rlwe::FirstRound sums(session, context, first);
          const rlwe::PartySeeds seeds(session, secret);
          const rlwe::SecretKey ephemeral = rlwe::ephemeral_secret(secret, seeds);
          rlwe::KeyShare proved = share;
          proved.prove(rlwe::prove_share(sums, share, secret, ephemeral, seeds.answering(sums.digest())));
          return proved;
        });
  // The evaluation keys of shares whose proofs nobody looks at.
  m.def("unchecked_keys",
        [](const rlwe::ThresholdSession& session, const rlwe::ContextPtr& context,
           const std::vector<const rlwe::KeyShare*>& first, const std::vector<const rlwe::KeyShare*>& second) {
          return rlwe::FirstRound(session, context, first).evaluation_keys(second);
        });
  // Of a session's proofs: repetitions, bits of masks and of what is not hashed, what c times secrets and errors reach,
  // and log2 of what is left unseen.
  m.def("proof_shape", [](const rlwe::ThresholdSession& session) {
    const rlwe::ProofShape shape(session);
    return nb::make_tuple(shape.repetitions, shape.mask_bits, shape.low_bits, shape.secret_reach, shape.error_reach,
                          shape.log2_slack());
  });
  // What comes of a candidate's seed, and the first share that comes of that; its basis is zeros.
  m.def("party_key", [](const rlwe::ThresholdSession& session, const rlwe::ContextPtr& context, std::uint32_t party,
                        const nb::bytes& seed) {
    std::array<std::uint8_t, 32> bytes{};
    std::ranges::copy(python::to_span(seed), bytes.begin());
    return rlwe::party_key(session, context, party, Seed(bytes));
  });
  m.def("candidate", [](const rlwe::ThresholdSession& session, std::uint32_t party, const rlwe::SecretKey& secret) {
    return rlwe::first_share(session, party, secret, Digest{});
  });
  m.def("committed", [](const rlwe::KeyShare& share) { return python::to_bytes(rlwe::committed(share)); });
  // The share of a dishonest party: an honest one plus residues, in the order channel, item, limb, coefficient.
  m.def("shifted_share", [](const value::DecryptionShare& share, const std::vector<std::vector<std::uint64_t>>& by) {
    std::vector<PolyArray> channels;
    for (std::size_t i = 0; i < share.channels().size(); ++i) {
      PolyArray sum = share.channels()[i].clone();
      sum.from_host(by.at(i));
      sum.engine()->add(sum.view(), sum.view(), share.channels()[i].view());
      channels.push_back(std::move(sum));
    }
    return value::DecryptionShare(share.context(), share.facts(), std::move(channels));
  });
  m.def("secret_share_residues", [](const rlwe::SecretShare& share) {
    PolyArray polynomial = share.share().clone();
    polynomial.to_coefficient();
    return polynomial.to_host();
  });
  m.def("lagrange_coefficients",
        [](const std::vector<std::uint64_t>& primes, const std::vector<std::uint32_t>& active, std::uint32_t party) {
          return rlwe::lagrange_coefficients(primes, active, party);
        });
  // The largest flooding of one share, log2 of the noise that is allowed for, and of what there is after all shares'.
  m.def("share_flooding", [](const value::EncryptedArray& x, std::size_t channel, unsigned bits, std::size_t parties) {
    const auto& ciphertext = x.channels().at(channel);
    const rlwe::Flooding flooding = x.context()->flooding(ciphertext, bits, parties);
    return nb::make_tuple(flooding.largest().to_string(), flooding.log2_noise(), flooding.log2_flooded());
  });
}

}  // namespace cyclotome::testing
