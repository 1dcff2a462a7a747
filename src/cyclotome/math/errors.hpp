// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sstream>
#include <stdexcept>
#include <string>

// Visible whatever a program is compiled with, so that an exception is the same class here and there.
namespace [[gnu::visibility("default")]] cyclotome {

/// Base of everything this library throws. A message says what was given, what the limit is and what to do.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Parameters that contradict each other or a precondition of an algorithm.
class ParameterError : public Error {
 public:
  using Error::Error;
};

/// Parameters below the demanded security level.
class SecurityError : public ParameterError {
 public:
  using ParameterError::ParameterError;
};

/// Arguments of an operation that do not fit it: shapes, ranges, domains.
class ArgumentError : public Error {
 public:
  using Error::Error;
};

/// Objects of different parameters, contexts or keys in one operation.
class MismatchError : public Error {
 public:
  using Error::Error;
};

/// The operation needs a key that was not made (a rotation that was not asked for, for example).
class MissingKeyError : public Error {
 public:
  using Error::Error;
};

/// A secret key needs a passphrase, or the one that was given is wrong.
class PassphraseError : public MissingKeyError {
 public:
  using MissingKeyError::MissingKeyError;
};

/// The noise bound is above what decryption can correct.
class NoiseError : public Error {
 public:
  using Error::Error;
};

/// The noise that decryption met contradicts the bound that the ciphertext states: it was altered, or this library is
/// wrong. Like everything that comes of decrypting, it is for the key's owner alone.
class ContradictionError : public Error {
 public:
  using Error::Error;
};

/// More than was planned for the life of a key: decryptions for others to see, of which each costs a little of what
/// hides the key. Counted before anything is decrypted; nothing was.
class BudgetError : public Error {
 public:
  using Error::Error;
};

/// Values that do not fit the plaintext space.
class RangeError : public Error {
 public:
  using Error::Error;
};

/// An operation that encrypted integers, or their encoding, do not have; the message says what to do instead.
class UnsupportedError : public Error {
 public:
  using Error::Error;
};

/// The result would hide nothing (x - x, 0 * x), and there is no public key at hand to encrypt it anew.
class TransparentError : public Error {
 public:
  using Error::Error;
};

/// Bytes from outside that are not what they claim to be.
class FormatError : public Error {
 public:
  using Error::Error;
};

/// A file that cannot be read or written.
class FileError : public Error {
 public:
  using Error::Error;
};

/// An engine that is absent or out of resources.
class EngineError : public Error {
 public:
  using Error::Error;
};

/// Work that would take more memory than there is, or than it was allowed.
class MemoryLimitError : public EngineError {
 public:
  using EngineError::EngineError;
};

/// For checks of an InterruptScope to throw, to end long work (interrupt.hpp).
class Interrupted : public Error {
 public:
  using Error::Error;
};

/// Joins its arguments into one string: `message("degree ", n, " is not a power of two")`.
template <class... Parts>
std::string message(const Parts&... parts) {
  std::ostringstream stream;
  (stream << ... << parts);
  return stream.str();
}

}  // namespace cyclotome
