// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "cyclotome/circuit/jobs/comparison.hpp"
#include "cyclotome/circuit/jobs/prince.hpp"
#include "cyclotome/circuit/jobs/sorting.hpp"
#include "cyclotome/circuit/parameters.hpp"
#include "cyclotome/circuit/plain_algebra.hpp"
#include "cyclotome/circuit/plan.hpp"
#include "cyclotome/engine/cpu/cpu.hpp"
#include "cyclotome/engine/fpga/fpga.hpp"
#include "cyclotome/engine/memory_limit.hpp"
#include "cyclotome/io/files/reveal_file.hpp"
#include "cyclotome/io/joint/identity_io.hpp"
#include "cyclotome/io/joint/mac_file.hpp"
#include "cyclotome/io/joint/party_file.hpp"
#include "cyclotome/io/objects/stored_object.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/interrupt.hpp"
#include "cyclotome/math/primes.hpp"
#include "cyclotome/ring/randomness/secret_pages.hpp"
#include "cyclotome/rlwe/joint/dealing/verified_dealing.hpp"
#include "cyclotome/rlwe/noise/reveal_budget.hpp"
#include "cyclotome/scheme/bfv/bootstrapping/parameters.hpp"
#include "cyclotome/scheme/bfv/scheme.hpp"
#include "cyclotome/scheme/bgv/scheme.hpp"
#include "cyclotome/scheme/ckks/parameters.hpp"
#include "cyclotome/scheme/ckks/scheme.hpp"
#include "cyclotome/scheme/encoding.hpp"
#include "cyclotome/scheme/evaluator.hpp"
#include "cyclotome/scheme/extension_slots.hpp"
#include "cyclotome/scheme/planning.hpp"
#include "cyclotome/scheme/registry.hpp"
#include "cyclotome/study/transform/polynomial_transform.hpp"
#include "cyclotome/study/transform/transform_engine.hpp"
#include "cyclotome/value/arrays/keygen.hpp"
#include "cyclotome/value/joint/checked_decryption.hpp"
#include "cyclotome/value/joint/joint_evidence.hpp"
#include "cyclotome/value/joint/joint_keys.hpp"
#include "cyclotome/value/reals/real_encryption.hpp"
#include "cyclotome/value/reals/real_functions.hpp"
#include "cyclotome/value/reals/real_matrices.hpp"
#include "cyclotome/value/value.hpp"

/// Computing on encrypted data: everything that programs call, under one name.
///
/// This is the one header to include. What it names below is the public interface; other headers are installed because
/// these need them, and may change with every version.
///
///     #include <cyclotome/cyclotome.hpp>
///
///     using namespace cyclotome;
///     const auto context = make_context(suggest({.depth = 1, .value_bits = 8}), make_cpu_engine());
///     const auto [secret, public_key, evaluation] = keygen(context);
///     const EncryptedArray x = encrypt({1, 2, 3}, public_key, {.bound = 100}).with_keys(evaluation);
///     const Integers y = decrypt(x * x + 3 * x, secret);  // {4, 10, 18}
namespace cyclotome {

// Where the names come from. Programs need not know.
/// Encrypted arrays of exact integers, and keys for them.
namespace value {}
/// Ciphertexts modulo one plaintext modulus, in every scheme; encoding; parameters from intent.
namespace scheme {}
/// Parameters, security, contexts, keys and ciphertexts: what lattice schemes share.
namespace rlwe {}
/// The scheme BFV.
namespace bfv {}
/// The scheme BGV.
namespace bgv {}
/// The scheme CKKS. Experimental.
namespace ckks {}
/// Circuits over bits and small numbers, for plain values and every scheme.
namespace circuit {}
/// Objects as bytes and in files.
namespace io {}
/// The CPU engine's vector instructions.
namespace cpu {}
/// What circuits did for an engine.
namespace fpga {}
/// Transforms for comparison.
namespace study {}

// --- parameters: from what a computation needs, from a preset, or prime by prime -------------------------------------
using bfv::bootstrappable_parameters;
using ckks::certified_error;
using ckks::holds_reals;
using ckks::Precision;
using ckks::ScaleLiteral;
using ckks::suggest_reals;
using ckks::with_scale;
using rlwe::Parameters;
using rlwe::ParametersLiteral;
using rlwe::Scheme;
using scheme::Aim;
using scheme::explain;
using scheme::Intent;
using scheme::preset;
using scheme::preset_names;
using scheme::Sizes;
using scheme::sizes_in_memory;
using scheme::suggest;
using scheme::with_modulus_bits;
/// The scheme BFV, for ParametersLiteral::scheme and Intent::scheme.
inline const Scheme& bfv_scheme() { return bfv::scheme(); }
/// The scheme BGV, likewise.
inline const Scheme& bgv_scheme() { return bgv::scheme(); }
/// The scheme of that name: "bfv", "bgv", "ckks". Throws ParameterError, and says which there are.
inline const Scheme& scheme_named(std::string_view name) { return scheme::named(name); }

// --- security: which moduli a degree allows --------------------------------------------------------------------------
using rlwe::default_security_table;
using rlwe::max_modulus_bits;
using rlwe::security_table;
using rlwe::security_tables;
using rlwe::SecurityTable;

// --- contexts: parameters on an engine -------------------------------------------------------------------------------
using rlwe::Context;
using rlwe::ContextPtr;
using scheme::make_context;

// --- keys ------------------------------------------------------------------------------------------------------------
using rlwe::EvaluationKeys;
using rlwe::KeyId;
using rlwe::plan_reveals;
using rlwe::PublicKey;
using rlwe::RekeyingKey;
using rlwe::RevealCount;
using rlwe::reveals_of;
using rlwe::SecretKey;
using rlwe::usual_reveals;
using value::keygen;
using value::KeyOptions;
using value::Keyring;
using value::Keys;
using value::MatrixShape;
using value::trace_elements;

// --- keys of several parties -----------------------------------------------------------------------------------------
using io::MacFile;
using io::PartyFile;
using io::PartyPassphrase;
using rlwe::Acceptance;
using rlwe::Coin;
using rlwe::Commitment;
using rlwe::Complaint;
using rlwe::deal_own;
using rlwe::deal_share;
using rlwe::deal_zero;
using rlwe::Dealing;
using rlwe::DealingMessage;
using rlwe::DealingRound;
using rlwe::Dealt;
using rlwe::DealtSecret;
using rlwe::Identities;
using rlwe::Identity;
using rlwe::judge;
using rlwe::KeyShare;
using rlwe::Opened;
using rlwe::PartyState;
using rlwe::public_fault;
using rlwe::PublicIdentity;
using rlwe::receive_dealt;
using rlwe::Received;
using rlwe::receiving_keys;
using rlwe::ReceivingKeys;
using rlwe::refreshed;
using rlwe::SealedShare;
using rlwe::SecretShare;
using rlwe::ThresholdSession;
using rlwe::Verdict;
using value::array_digest;
using value::CheckedDecryption;
using value::combine;
using value::DecryptionPlan;
using value::DecryptionShare;
using value::fault_in;
using value::JointFault;
using value::JointKeys;
using value::JointMessages;
using value::JointParty;
using value::JointProgress;
using value::JointVoice;
using value::liars;
using value::mac_store_in_memory;
using value::MacKey;
using value::MacShare;
using value::MacState;
using value::MacStore;
using value::PartyStore;
using value::Pledge;
using value::sum_of_dealt;
using value::threshold_decrypt;
using value::threshold_session;

// --- encrypted arrays of exact integers, and of bits -----------------------------------------------------------------
using value::assume_bound;
using value::Bound;
using value::decrypt;
using value::encrypt;
using value::EncryptedArray;
using value::Encryption;
using value::Integer;
using value::Integers;
/// Values of one word, as programs write them down and `Integers::to_int64` gives them back.
using Numbers = std::vector<std::int64_t>;
using value::Layout;
using value::noise_budget;
using value::Options;
using value::Placement;
using value::Progress;
using value::reveal;
using value::Shape;
using value::to_string;

// Value by value. The operators +, - and * are found without a name.
using value::add;
using value::multiply;
using value::negate;
using value::PlainArray;
using value::polyval;
using value::power;
using value::subtract;

// Comparisons, tables and selections.
using value::divide;
using value::Divided;
using value::equal;
using value::equal_digits;
using value::first_place;
using value::floor_divide;
using value::is_negative;
using value::is_zero;
using value::less;
using value::less_digits;
using value::lookup;
using value::maximum;
using value::minimum;
using value::Order;
using value::remainder;
using value::sorted;
using value::where;

// Sums, matrices and rotations.
using value::matmul;
using value::Matrix;
using value::packed;
using value::padded;
using value::rotate_columns;
using value::rotate_rows;
using value::sum;
using value::sum_of_products;

// Which values an array consists of.
using value::concatenate;
using value::item;
using value::rearranged;
using value::reshape;
using value::select;
using value::slice;
using value::stack;

// Polynomials in coefficients.
using value::automorphism;
using value::coefficient_trace;
using value::convolve;
using value::expand;
using value::negacyclic_product;
using value::pack_constant_terms;
using value::packed_in_coefficients;
using value::Relinearization;
using value::relinearized;
using value::Scaling;

// Bits and elements of GF(2^r).
using value::frobenius;
using value::roll;
using value::trace;

// Other ciphertexts of the same values.
using value::refresh;
using value::refresh_facts;
using value::RefreshFacts;
using value::rekey;
using value::rerandomize;

// --- encrypted arrays of real numbers, each with an error that holds; experimental
// ------------------------------------
/// How wrong numbers can be: any of them, and their root mean square.
using RealError = ckks::Error;
using value::apply;
using value::chebyshev;
using value::conjugate;
using value::Field;
using value::gather;
using value::polynomial;
using value::RealArray;
using value::RealInterval;
using value::Reals;

// --- ciphertexts modulo one plaintext modulus: arithmetic that wraps around, as in other libraries -------------------
using rlwe::Ciphertext;
using rlwe::Level;
using rlwe::PlainIndex;
using rlwe::Plaintext;
using scheme::decrypt;
using scheme::encrypt;
using scheme::Evaluator;
using scheme::noise_budget;
using scheme::noise_headroom;
using scheme::reveal;

// --- circuits over bits and small numbers ----------------------------------------------------------------------------
using circuit::argmax_circuit;
using circuit::Circuit;
using circuit::compute;
using circuit::Computed;
using circuit::Counts;
using circuit::counts_of;
using circuit::equal_circuit;
using circuit::evaluate;
using circuit::explain;
using circuit::less_circuit;
using circuit::parameters_for;
using circuit::PlainAlgebra;
using circuit::Plan;
using circuit::plan;
using circuit::prince_decryption;
using circuit::prince_encryption;
using circuit::Sign;
using circuit::sort_circuit;
using circuit::Sorting;
using circuit::Wire;
/// Writes a circuit down, gate by gate.
using CircuitWriter = circuit::Writer;

// --- bytes and files -------------------------------------------------------------------------------------------------
using io::Bytes;
using io::Existing;
using io::file_is_private;
using io::keep_reveals;
using io::keep_reveals_beside;
using io::KeyFileOptions;
using io::KeyPaths;
using io::Limits;
using io::load_identity;
using io::Privacy;
using io::read_file;
using io::save;
using io::StoredObject;
using io::to_bytes;
using io::write_file;
using io::write_identity;
using io::write_keys;
using io::write_secret_key;
using io::write_secret_share;

// --- transforms for study --------------------------------------------------------------------------------------------
using study::make_transform_engine;
using study::PolynomialTransform;

}  // namespace cyclotome
