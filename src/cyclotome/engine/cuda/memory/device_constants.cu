// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "cyclotome/engine/cuda/floating_arithmetic.hpp"
#include "cyclotome/engine/cuda/memory/device_constants.cuh"
#include "cyclotome/engine/cuda/memory/device_tables.cuh"

namespace cyclotome::cuda {

namespace {

template <class Factor, class W>
std::vector<Factor> twiddles(const std::vector<W>& operands, const std::vector<W>& quotients, std::size_t count) {
  std::vector<Factor> result;
  for (std::size_t i = 0; i < count; ++i) result.push_back(Factor::of(operands[i], quotients[i]));
  return result;
}

/// Where a limb's factors lie in the one piece of memory that has them all, as `pack_roots` puts them there.
struct RootOffsets {
  std::size_t roots, inverse_roots, first, first_inverse, floating;
};

template <class W>
RootOffsets root_offsets(std::size_t degree) {
  std::size_t end = 0;
  const auto next = [&](std::size_t count, std::size_t bytes) {
    const std::size_t offset = end;
    end = (end + count * bytes + 15) / 16 * 16;
    return offset;
  };
  RootOffsets found{};
  found.roots = next(degree, sizeof(StoredTwiddle<W>));
  found.inverse_roots = next(degree, sizeof(StoredTwiddle<W>));
  if constexpr (std::is_same_v<StoredTwiddle<W>, Twiddle<W>>) {
    found.first = found.roots;
    found.first_inverse = found.inverse_roots;
  } else {
    found.first = next(shared_factors(degree), sizeof(Twiddle<W>));
    found.first_inverse = next(shared_factors(degree), sizeof(Twiddle<W>));
  }
  found.floating = end;
  return found;
}

template <class W>
void pack_roots(Packed& packed, const TransformTables<W>& tables) {
  packed.add(twiddles<StoredTwiddle<W>>(tables.roots, tables.root_quotients, tables.degree));
  packed.add(twiddles<StoredTwiddle<W>>(tables.inverse_roots, tables.inverse_root_quotients, tables.degree));
  if constexpr (std::is_same_v<StoredTwiddle<W>, Twiddle<W>>) return;
  const std::size_t first = shared_factors(tables.degree);
  packed.add(twiddles<Twiddle<W>>(tables.roots, tables.root_quotients, first));
  packed.add(twiddles<Twiddle<W>>(tables.inverse_roots, tables.inverse_root_quotients, first));
}

/// Residues as factors of the arithmetic on doubles.
template <class W>
std::vector<double> centred(const std::vector<W>& residues, const FloatingArithmetic& arithmetic) {
  std::vector<double> result;
  for (const W residue : residues) result.push_back(arithmetic.centred(residue));
  return result;
}

}  // namespace

bool DeviceConstants::on_doubles(const Ring& ring, std::size_t l) const {
  return paths.doubles && ring.kind() == RingKind::negacyclic && ring.word() == Word::u64 && ring.has_transform(l) &&
         ring.basis()[l] < max_floating_modulus;
}

LimbArithmetics DeviceConstants::arithmetics(const Ring& ring) const {
  LimbArithmetics found{};
  for (std::size_t l = 0; l < ring.limbs(); ++l) (on_doubles(ring, l) ? found.floating : found.integer) = true;
  return found;
}

template <class W>
LimbTables<W> DeviceConstants::limb_tables(const Ring& ring, std::size_t l, std::vector<ConstantMemory>& used) {
  LimbTables<W> result{};
  result.modulus = ring.basis().moduli<W>()[l];
  W inverse = 1;  // Newton's iteration doubles the correct bits; 1 is right modulo 2
  for (unsigned bits = 1; bits < word_bits<W>; bits *= 2) inverse *= 2 - result.modulus.value() * inverse;
  result.negative_inverse = static_cast<W>(0 - inverse);
  result.two_q = static_cast<W>(2 * result.modulus.value());
  if (ring.kind() != RingKind::negacyclic || !ring.has_transform(l)) return result;
  const auto& tables = ring.tables<W>(l);
  const W q = tables.modulus.value();
  const bool floating = on_doubles(ring, l);
  const double reciprocal = 1.0 / static_cast<double>(q);
  const FloatingArithmetic arithmetic(q, reciprocal);
  const ConstantMemory memory = roots_.find({ring.word(), tables.degree, q}, [&] {
    Packed packed;
    pack_roots(packed, tables);
    if (floating) {
      packed.add(centred(tables.roots, arithmetic));
      packed.add(centred(tables.inverse_roots, arithmetic));
    }
    return upload_(packed.bytes().data(), packed.bytes().size());
  });
  used.push_back(memory);
  const RootOffsets offsets = root_offsets<W>(tables.degree);
  result.roots = at<StoredTwiddle<W>>(memory, offsets.roots);
  result.inverse_roots = at<StoredTwiddle<W>>(memory, offsets.inverse_roots);
  result.first_roots = at<Twiddle<W>>(memory, offsets.first);
  result.first_inverse_roots = at<Twiddle<W>>(memory, offsets.first_inverse);
  if (floating) {
    const auto* const roots = at<double>(memory, offsets.floating);
    result.floating = {roots, roots + tables.degree, reciprocal, arithmetic.centred(tables.inverse_degree.operand),
                       arithmetic.centred(tables.last_inverse_root.operand)};
  }
  result.scale = {tables.inverse_degree, tables.last_inverse_root};
  const auto times_word = [&](W factor) {
    return ShoupFactor<W>(result.modulus.reduce_wide(static_cast<Wide<W>>(factor) << word_bits<W>), q);
  };
  result.word = times_word(1);
  result.scale_times_word = {times_word(tables.inverse_degree.operand), times_word(tables.last_inverse_root.operand)};
  return result;
}

template <class W>
Resident<const RingTables<W>*> DeviceConstants::ring_tables(const Ring& ring) {
  return rings_.find<const RingTables<W>*>(ring.id(), [&] {
    std::vector<LimbTables<W>> limbs;
    std::vector<ConstantMemory> used;
    for (std::size_t l = 0; l < ring.limbs(); ++l) limbs.push_back(limb_tables<W>(ring, l, used));
    used.push_back(upload_(limbs.data(), limbs.size() * sizeof(limbs[0])));
    const auto* const tables = static_cast<const RingTables<W>*>(used.back().get());
    return Resident<const RingTables<W>*>{tables, together(std::move(used))};
  });
}

template <class W>
Resident<ColumnConversion<W>> DeviceConstants::make_conversion(const BaseConversion& conversion) {
  const HostConversion<W> host = host_conversion<W>(conversion);
  Packed packed;
  const std::size_t source = packed.add(host.sources), target = packed.add(host.targets),
                    matrix = packed.add(host.matrix), exact = packed.add(host.exact),
                    moduli = packed.add(conversion.target().moduli<W>().data(), host.targets.size()),
                    copy_factors = packed.add(host.copy_factors), copied = packed.add(conversion.copies()),
                    fragments = packed.add(host.bytes.fragments), sums = packed.add(host.bytes.sums);
  const ConstantMemory memory = upload_(packed.bytes().data(), packed.bytes().size());
  return {
      ColumnConversion<W>{host.shape, at<SourceConstants<W>>(memory, source), at<TargetConstants<W>>(memory, target),
                          at<TermTile<W>>(memory, matrix), at<ExactFraction<W>>(memory, exact),
                          at<Modulus<W>>(memory, moduli), at<Term<W>>(memory, copy_factors), at<int>(memory, copied),
                          at<Quad>(memory, fragments), at<ByteSums>(memory, sums)},
      memory};
}

template <class W>
Resident<DeviceConversion<W>> DeviceConstants::make_extension(const BaseConversion& extension) {
  const auto& tables = extension.tables<W>();
  const auto targets = extension.target().moduli<W>();
  const std::size_t sources = extension.source().size();
  constexpr std::size_t tile = tile_targets;
  std::vector<W> negative_wraps;
  std::vector<TargetTile<W>> matrix((targets.size() + tile - 1) / tile * sources);
  for (std::size_t j = 0; j < targets.size(); ++j) {
    negative_wraps.push_back(times_word(tables.negative_wraps[j], targets[j]));
    for (std::size_t i = 0; i < sources; ++i) {
      matrix[j / tile * sources + i].word[j % tile] = times_word(tables.matrix[j * sources + i], targets[j]);
    }
  }
  Packed packed;
  const std::size_t offsets[6] = {packed.add(tables.punctured_inverses),
                                  packed.add(tables.reciprocals),
                                  packed.add(extension.source().moduli<W>().data(), sources),
                                  packed.add(matrix),
                                  packed.add(negative_wraps),
                                  packed.add(extension.copies())};
  const ConstantMemory memory = upload_(packed.bytes().data(), packed.bytes().size());
  return {DeviceConversion<W>{at<ShoupFactor<W>>(memory, offsets[0]), at<std::uint64_t>(memory, offsets[1]),
                              at<Modulus<W>>(memory, offsets[2]), at<TargetTile<W>>(memory, offsets[3]),
                              at<W>(memory, offsets[4]), at<int>(memory, offsets[5]),
                              static_cast<std::uint32_t>(sources), static_cast<std::uint32_t>(targets.size()),
                              static_cast<std::uint32_t>(extension.lazy_terms())},
          memory};
}

template <class W>
Resident<ColumnConversion<W>> DeviceConstants::conversion(const BaseConversion& conversion) {
  return conversions_.find<ColumnConversion<W>>(conversion.id(), [&] { return make_conversion<W>(conversion); });
}

template <class W>
Resident<const ShoupFactor<W>*> DeviceConstants::make_factors(const Basis& basis,
                                                              const std::vector<std::uint64_t>& factors) {
  std::vector<ShoupFactor<W>> made;
  for (std::size_t l = 0; l < factors.size(); ++l) {
    made.emplace_back(static_cast<W>(factors[l]), static_cast<W>(basis[l]));
  }
  ConstantMemory memory = upload_(made.data(), made.size() * sizeof(made[0]));
  const auto* const found = static_cast<const ShoupFactor<W>*>(memory.get());
  return {found, std::move(memory)};
}

template <class W>
Resident<DeviceDigits<W>> DeviceConstants::make_digits(const KeySwitchConstants& step) {
  std::vector<ConstantMemory> used;
  std::vector<DeviceDigit<W>> digits;
  for (const auto& digit : step.digits) {
    Resident<DeviceConversion<W>> extension = make_extension<W>(digit.extension);
    used.push_back(std::move(extension.memory));
    digits.push_back({extension.value, static_cast<std::uint32_t>(digit.first)});
  }
  used.push_back(upload_(digits.data(), digits.size() * sizeof(digits[0])));
  const DeviceDigits<W> found{static_cast<const DeviceDigit<W>*>(used.back().get()),
                              static_cast<std::uint32_t>(digits.size())};
  return {found, together(std::move(used))};
}

#define CYCLOTOME_INSTANTIATE(W)                                                                                \
  template Resident<const RingTables<W>*> DeviceConstants::ring_tables<W>(const Ring&);                         \
  template Resident<ColumnConversion<W>> DeviceConstants::conversion<W>(const BaseConversion&);                 \
  template Resident<const ShoupFactor<W>*> DeviceConstants::make_factors<W>(const Basis&,                       \
                                                                            const std::vector<std::uint64_t>&); \
  template Resident<DeviceDigits<W>> DeviceConstants::make_digits<W>(const KeySwitchConstants&);                \
  template Resident<DeviceConversion<W>> DeviceConstants::make_extension<W>(const BaseConversion&);
CYCLOTOME_INSTANTIATE(std::uint32_t)
CYCLOTOME_INSTANTIATE(std::uint64_t)
#undef CYCLOTOME_INSTANTIATE

Resident<const std::uint32_t*> DeviceConstants::slot_positions(const Ring& ring,
                                                               std::span<const std::uint32_t> positions) {
  if (positions.empty()) return {nullptr, nullptr};
  const ConstantMemory memory =
      slot_positions_.find(ring.index(), [&] { return upload_(positions.data(), positions.size_bytes()); });
  return {static_cast<const std::uint32_t*>(memory.get()), memory};
}

}  // namespace cyclotome::cuda
