// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the tests of damaged files and the fuzzer do with bytes: put the sums right, load, and write again.

#include <algorithm>
#include <stdexcept>

#include "cyclotome/engine/cpu/cpu_engine.hpp"
#include "cyclotome/io/container/byte_reader.hpp"
#include "cyclotome/io/container/container_layout.hpp"
#include "cyclotome/io/joint/dealing_io.hpp"
#include "cyclotome/io/joint/identity_io.hpp"
#include "cyclotome/io/joint/threshold_io.hpp"
#include "cyclotome/io/keys/keys_io.hpp"
#include "cyclotome/io/objects/array_io.hpp"
#include "cyclotome/io/objects/ciphertext_io.hpp"
#include "cyclotome/io/objects/inspect.hpp"
#include "cyclotome/io/objects/parameter_block.hpp"
#include "cyclotome/io/objects/parameters_io.hpp"
#include "cyclotome/io/objects/plain_array_io.hpp"
#include "cyclotome/io/objects/product_context_io.hpp"
#include "cyclotome/io/reals/real_array_io.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/scheme/registry.hpp"
#include "cyclotome/scheme/scheme.hpp"

namespace cyclotome::io_exercise {

using Span = std::span<const std::uint8_t>;

// The bytes with the length and the checksum that fit them, so that what lies behind these is reached.
inline io::Bytes resealed(Span bytes) {
  namespace layout = io::layout;
  io::Bytes result(bytes.begin(), bytes.end());
  if (result.size() < layout::header_bytes + layout::checksum_bytes) return result;
  for (std::size_t i = 0; i < 8; ++i) {
    result[layout::length_offset + i] = static_cast<std::uint8_t>(result.size() >> (8 * i));
  }
  const std::size_t body = result.size() - layout::checksum_bytes;
  const Digest digest = sha256(Span(result).first(body));
  std::ranges::copy(digest, result.begin() + static_cast<std::ptrdiff_t>(body));
  return result;
}

// The same, with the fingerprint of whatever parameters, or public keys of an identity, the bytes hold.
inline io::Bytes resealed_with_fingerprint(Span bytes) {
  namespace layout = io::layout;
  io::Bytes result(bytes.begin(), bytes.end());
  try {
    io::ByteReader reader(Span(result).subspan(std::min(result.size(), layout::header_bytes)), 0, "");
    const std::string_view tag = reader.text(layout::tag_bytes);
    if (tag == layout::identity) {
      const auto identity = rlwe::PublicIdentity::from_bytes(reader.take(reader.u64()));
      std::ranges::copy(identity.digest(), result.begin() + layout::fingerprint_offset);
      return resealed(result);
    }
    const rlwe::Parameters p = io::decode_parameters({tag, 0, reader.take(reader.u64())}, {.allow_insecure = true});
    std::ranges::copy(p.fingerprint(), result.begin() + layout::fingerprint_offset);
  } catch (const Error&) {
    // No parameters, no fingerprint.
  }
  return resealed(result);
}

// The object in a container, written again.
inline io::Bytes rewritten(const io::Container& c, const rlwe::ContextPtr& context) {
  switch (c.kind()) {
    case io::Kind::parameters:
      return io::serialize(c.parameters(), c.metadata());
    case io::Kind::secret_key:
      return io::serialize(io::read_secret_key(c, context), c.metadata());
    case io::Kind::protected_secret_key:
      return io::serialize(io::read_protected_key(c, context, {}), c.metadata());  // needs its passphrase
    case io::Kind::public_key:
      return io::serialize(io::read_public_key(c, context), c.metadata());
    case io::Kind::evaluation_keys:
      return io::serialize(io::read_evaluation_keys(c, context), c.metadata());
    case io::Kind::rekeying_key:
      return io::serialize(io::read_rekeying_key(c, context), c.metadata());
    case io::Kind::threshold_session:
      return io::serialize(io::read_threshold_session(c), c.metadata());
    case io::Kind::key_share:
      return io::serialize(io::read_key_share(c, context), c.metadata());
    case io::Kind::secret_share:
      return io::serialize(io::read_secret_share(c, context), c.metadata());
    case io::Kind::protected_secret_share:
      return io::serialize(io::read_protected_share(c, context, {}), c.metadata());  // needs its passphrase
    case io::Kind::key_commitment:
      return io::serialize(io::read_key_commitment(c), c.metadata());
    case io::Kind::coin:
      return io::serialize(io::read_coin(c), c.metadata());
    case io::Kind::acceptance:
      return io::serialize(io::read_acceptance(c), c.metadata());
    case io::Kind::party: {
      const rlwe::PartyState state = io::read_party_state(c);
      io::ContainerWriter container(io::Kind::party, c.parameters(), c.key_id(), c.metadata());
      io::write_party(container.section(io::layout::party), state);
      return container.finish();
    }
    case io::Kind::protected_party:
      static_cast<void>(io::read_protected_party(c, {}));  // needs its passphrase
      return {};
    case io::Kind::decryption_share:
      return io::serialize(io::read_decryption_share(c, context), c.metadata());
    case io::Kind::ciphertext:
      return io::serialize(io::read_ciphertext(c, context), c.metadata());
    case io::Kind::plaintext:
      return io::serialize(io::read_plaintext(c, context), c.metadata());
    case io::Kind::dealing_message:
      return io::serialize(io::read_dealing_message(c), c.parameters(), c.metadata());
    case io::Kind::plain_array:
      return io::serialize(io::read_plain_array(c, context), c.metadata());
    case io::Kind::bundle:
      break;
  }
  if (scheme::holds_reals(c.parameters())) return io::serialize(io::read_real_array(c, context), c.metadata());
  if (c.version() > 1) return io::serialize(io::read_array(c, context), c.metadata(), {.allow_undecryptable = true});
  static_cast<void>(io::read_bundle(c, context));  // read still, but written no more
  return {};
}

inline bool same_payload(const io::Container& a, const io::Container& b) {
  const auto same = [](const io::Section& x, const io::Section& y) {
    return x.tag == y.tag && std::ranges::equal(x.bytes, y.bytes);
  };
  return a.kind() == b.kind() && a.key_id() == b.key_id() && std::ranges::equal(a.metadata(), b.metadata()) &&
         std::ranges::equal(a.payload(), b.payload(), same);
}

// Contexts to load with; small parameters that are not among them get one of their own.
class Contexts {
 public:
  rlwe::ContextPtr find(const rlwe::Parameters& p) {
    for (const auto& context : known_) {
      if (context->parameters().fingerprint() == p.fingerprint()) return context;
    }
    if (p.degree() > 64 || p.moduli().size() + p.special_moduli().size() > 8) return nullptr;
    if (known_.size() > 64) known_.pop_back();
    known_.push_back(scheme::make_context(p, engine_));
    return known_.back();
  }

 private:
  EnginePtr engine_ = CpuEngine::create(1);
  std::vector<rlwe::ContextPtr> known_;
};

// Loads whatever the bytes hold. True if they were taken, false if a typed error refused them. Whatever is taken must
// be written with the same bytes again (a file has one meaning and one spelling; what version 1 spelt differently is
// written as the present version, which must come back as it is; so must what a machine whose logarithms differ in the
// last place stated of real numbers' phase, once it is restated), and inspection must take it too; std::logic_error
// otherwise. restated: the bytes were written by this machine.
inline bool load(Span bytes, Contexts& contexts, bool restated = false) {
  const io::Limits limits{.max_bytes = 1U << 24, .max_expanded_bytes = 1U << 26, .allow_insecure = true};
  io::Bytes again;
  try {
    const io::Container container(bytes, limits);
    const rlwe::ContextPtr context = contexts.find(container.parameters());
    if (context == nullptr) return false;
    again = rewritten(container, context);
  } catch (const Error&) {
    try {
      static_cast<void>(io::inspect(bytes, limits));  // may succeed: it does not look at residues
    } catch (const Error&) {
    }
    return false;
  }
  const io::Inspection seen = io::inspect(bytes, limits);
  if (seen.bytes != bytes.size()) throw std::logic_error("inspection reports another size");
  // What is written is the present version; a bundle of version 1 is not written again.
  if (seen.version == 1) return again.empty() || load(again, contexts);
  const io::Container read(bytes, limits), written(again, limits);
  if (!same_payload(read, written)) {
    if (scheme::holds_reals(read.parameters()) && read.kind() == io::Kind::bundle && !restated) {
      return load(again, contexts, true);
    }
    throw std::logic_error("an object that was loaded is written differently");
  }
  return true;
}

// The same for the identity of a party, which is no container either.
inline bool load_identity(Span bytes) {
  if (!io::names_identity(bytes)) return false;
  io::Bytes again;
  try {
    static_cast<void>(io::inspect_identity(bytes));
    again = io::serialize(io::read_identity(bytes));
  } catch (const Error&) {
    return false;
  }
  if (!std::ranges::equal(again, bytes)) throw std::logic_error("an identity is written with other bytes");
  return true;
}

// The same for a context of polynomial products, which is no container.
inline bool load_product_context(Span bytes) {
  io::Bytes again;
  try {
    again = io::serialize(io::read_product_context(bytes, 1U << 20));
  } catch (const Error&) {
    return false;
  }
  constexpr std::size_t version_offset = 8;
  if (bytes[version_offset] == 1) return load_product_context(again);
  if (!std::ranges::equal(again, bytes)) throw std::logic_error("a product context is written with other bytes");
  return true;
}

}  // namespace cyclotome::io_exercise
