// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cyclotome/rlwe/members.hpp"
#include "cyclotome/rlwe/operations.hpp"

// Every scheme's operations under one name, which the operands' context has: what programs over ciphertexts and the
// Python package call. What one scheme alone can be asked for stands with bfv:: and bgv::; linear operations and
// rotations are rlwe::.
namespace cyclotome::scheme {

using rlwe::Ciphertext;
using rlwe::Plaintext;

/// Parameters on an engine, as the context of their scheme.
rlwe::ContextPtr make_context(const rlwe::Parameters& parameters, const EnginePtr& engine);

/// Encrypts every plaintext polynomial of the batch (specification 5.3, 5.8; paper 001, Algorithm 4 with errata 001-4
/// ... 001-7), at the top level. Randomness comes from the operating system, here and below. Throws MismatchError if
/// key and plaintext are of different parameters or engines.
Ciphertext encrypt(const Plaintext& plaintext, const rlwe::PublicKey& key);
/// The same under the secret key: less noise, and files hold a seed in place of c1.
Ciphertext encrypt(const Plaintext& plaintext, const rlwe::SecretKey& key);

/// Decrypts (specification 5.4, 5.8). Constant time in the secret and the message. Throws NoiseError if the
/// ciphertext's noise bound exceeds what decryption corrects, ContradictionError if the noise that shows while rounding
/// exceeds the bound, and MismatchError for another key's ciphertext.
Plaintext decrypt(const Ciphertext& ciphertext, const rlwe::SecretKey& key);
/// Decrypts whatever the bound says. For tests and for measuring noise; the result may be garbage.
Plaintext decrypt_unchecked(const Ciphertext& ciphertext, const rlwe::SecretKey& key);
/// Decrypts for somebody else than the key's owner to see: the same message, from a phase with a uniform error added
/// that makes it independent of the noise up to 2^-flooding_bits for each ciphertext (rlwe/noise/flooding.hpp). Throws
/// ArgumentError unless flooding_bits lies in [1, 160]; NoiseError if the bound leaves less than
/// rlwe::flooding_headroom bits, which depends on public numbers only and may be told; ContradictionError, which must
/// not be told, for noise beyond the bound.
Plaintext reveal(const Ciphertext& ciphertext, const rlwe::SecretKey& key, unsigned flooding_bits);

/// Bits of headroom by the public bound, at the ciphertext's level: how often the noise may double before decryption
/// refuses. Negative: it refuses already.
double noise_headroom(const Ciphertext& ciphertext);
/// The exact noise budget of every item, as SEAL defines it: whole bits of q above those of the invariant noise
/// [t phase]_q (BFV) or of the phase (BGV) and its sign, at least 0. Needs the secret key and is not constant-time: its
/// result is for the key's owner alone.
std::vector<unsigned> noise_budget(const Ciphertext& ciphertext, const rlwe::SecretKey& key);
/// log2 of the largest coefficient of the exact noise of every item: of what its bound is a bound of.
std::vector<double> measured_noise(const Ciphertext& ciphertext, const rlwe::SecretKey& key);

/// a + b, at the lower of both levels.
Ciphertext add(const Ciphertext& a, const Ciphertext& b);
/// a - b, likewise.
Ciphertext subtract(const Ciphertext& a, const Ciphertext& b);
/// a + b with a plaintext.
Ciphertext add_plain(const Ciphertext& a, const Plaintext& b);
/// a - b with a plaintext.
Ciphertext subtract_plain(const Ciphertext& a, const Plaintext& b);
/// 3 parts, not relinearised. Products throw UnsupportedError in schemes that have none.
Ciphertext multiply(const Ciphertext& a, const Ciphertext& b);
/// a^2, 3 parts, not relinearised.
Ciphertext square(const Ciphertext& a);
/// The products of a[i] and b[i], each `group` neighbours added up; bounds and correction factors are those of
/// multiply and rlwe::sum_groups. Members of a have one level and correction factor, and so have those of b.
Ciphertext sum_products(std::span<const rlwe::Member> a, std::span<const rlwe::Member> b, std::size_t group = 1);
/// Both relinearised at once: 2 parts.
Ciphertext multiply_relinearized(const Ciphertext& a, const Ciphertext& b, const rlwe::EvaluationKeys& keys);
/// a^2, relinearised: 2 parts.
Ciphertext square_relinearized(const Ciphertext& a, const rlwe::EvaluationKeys& keys);
/// All four of them, a^2 where there is no b, by a method of the scheme's: "" for its own choice, in BFV
/// bfv::product_method_names. Throws ArgumentError for another name.
Ciphertext multiply_by(std::string_view method, const Ciphertext& a, const Ciphertext* b,
                       const rlwe::EvaluationKeys* keys);
/// One batch after the other. Throws ArgumentError for none.
Ciphertext concatenate(std::span<const Ciphertext* const> arrays);
/// a plus fresh encryptions of zero: hides again what became transparent.
Ciphertext rerandomize(const Ciphertext& a, const rlwe::PublicKey& key);
/// Fewer ciphertext primes: smaller ciphertexts and faster operations. Throws ArgumentError in schemes without levels.
Ciphertext switch_to_level(const Ciphertext& a, rlwe::Level level);
/// A product of 3 parts relinearised and switched to a level that is not above its own, where a scheme can with one
/// division for both: less work, and less noise, than one after the other, whose bound it states. Other residues.
/// Throws as rlwe::relinearize and switch_to_level.
Ciphertext relinearize_to_level(const Ciphertext& a, const rlwe::EvaluationKeys& keys, rlwe::Level level);

}  // namespace cyclotome::scheme
