// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "cyclotome/io/container/byte_reader.hpp"
#include "cyclotome/io/container/byte_writer.hpp"

// What every stored object has around it, whatever it is: magic, version, kind, length, fingerprint, sections,
// checksum.
namespace cyclotome::io {

/// The version that is written, the one of objects over Phi_m, which readers of 2 do not know, the one of objects of
/// several parties, which readers of 3 do not know, and the oldest that is read.
inline constexpr std::uint16_t format_version = 2, cyclotomic_version = 3, parties_version = 4, oldest_version = 1;
/// The kind of a context of polynomial products, which has no encryption parameters and so is no `Container`.
inline constexpr std::uint16_t product_context_kind = 8;
/// The kind of all objects of the study of LTV, which is broken: no `Container` either (ltv_io.hpp).
inline constexpr std::uint16_t ltv_kind = 16;
/// The kind of all objects of the study of Fermat moduli (fermat_io.hpp).
inline constexpr std::uint16_t fermat_kind = 17;
/// The kinds of the identity of a party, which has no parameters either, without and with a passphrase
/// (identity_io.hpp). Both are secret.
inline constexpr std::uint16_t identity_kind = 28, protected_identity_kind = 29;

/// A part of a stored object: its tag, four letters, and its bytes, the first of which is at `offset` of the whole.
struct Section {
  std::string_view tag;
  std::uint64_t offset;
  std::span<const std::uint8_t> bytes;
};

/// The checked header; `sections` are the bytes of all of them.
struct Frame {
  std::uint16_t kind;
  std::uint16_t version;
  std::span<const std::uint8_t> fingerprint;
  std::span<const std::uint8_t> sections;
};

/// Whether these bytes begin as an object of a kind.
bool names_kind(std::span<const std::uint8_t> bytes, std::uint16_t kind) noexcept;
/// Checks what the first bytes of an object say, as far as they are there: that they begin as one, and announce no more
/// than max_bytes. Throws FormatError.
void check_header(std::span<const std::uint8_t> first, std::uint64_t max_bytes);
/// Bytes of the whole object whose header these are, as it announces them. Throws FormatError as `check_header`, and
/// for fewer bytes than a header has.
std::uint64_t announced_bytes(std::span<const std::uint8_t> header, std::uint64_t max_bytes);
/// Checks magic, version, length and checksum. Throws FormatError for bytes that are no whole, undamaged object of a
/// version up to `newest`, the last that knows such objects, or more than max_bytes.
Frame open_frame(std::span<const std::uint8_t> bytes, std::uint64_t max_bytes, std::uint16_t newest);
/// Takes the next section from the bytes of all. Throws FormatError.
Section next_section(ByteReader& reader);

/// Writes header and sections.
class FrameWriter {
 public:
  /// reserve: expected bytes of the whole, to take the memory at once. residence: where they are written.
  FrameWriter(std::uint16_t kind, std::span<const std::uint8_t> fingerprint, std::uint64_t reserve,
              Residence residence = Residence::heap, std::uint16_t version = format_version);

  /// Starts a section; what is written to the result belongs to it until the next call.
  ByteWriter& section(std::string_view tag);
  /// Completes lengths and checksum.
  Bytes finish();

 private:
  void end_section();

  ByteWriter writer_;
  std::size_t open_ = 0;  // offset of the open section's length; 0 for none
};

}  // namespace cyclotome::io
