// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/retrieval/packing.hpp"

#include <array>
#include <cstdlib>
#include <limits>
#include <utility>

#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/interrupt.hpp"
#include "cyclotome/retrieval/grids.hpp"

namespace cyclotome::retrieval {

namespace {

constexpr std::size_t n = degree, limbs = 2, half = n / 2;

std::int64_t centred_word(std::uint16_t word) noexcept { return std::int64_t{word} - word_offset; }

/// Masks of the 2048 inner products of an output: m_j = sum over r of a_r(x) D_rj(1/x), whose product with s has as its
/// constant term what column j adds up to. One grid [column][slot] of transforms for each prime.
class Columns {
 public:
  Columns(const Masks& masks, std::span<const std::uint16_t> words)
      : masks_(masks), lattice_(*masks.lattice()), words_(words) {}

  std::array<Grid, limbs> transforms() const {
    std::array<Grid, limbs> grids{Grid(n * n), Grid(n * n)};
    std::vector<std::uint32_t> residues(batch * limbs * n);
    for (std::size_t first = 0; first < n; first += batch) {
      sums(first).download(residues.data());
      for (std::size_t i = 0; i < batch * limbs; ++i) {
        std::copy_n(residues.begin() + static_cast<std::ptrdiff_t>(i * n), n,
                    grids[i % limbs].begin() + static_cast<std::ptrdiff_t>((first + i / limbs) * n));
      }
    }
    return grids;
  }

 private:
  static constexpr std::size_t batch = 256;

  PolyArray sums(std::size_t first) const {
    Engine& engine = *lattice_.engine();
    PolyArray sum = lattice_.make(batch, 1, Domain::transform), block = lattice_.make(batch, 1, Domain::coefficient);
    engine.clear(sum.view());
    std::vector<std::uint32_t> residues(batch * limbs * n);
    for (std::size_t r = 0; r < masks_.rows() / n; ++r) {
      read_block(residues, r * n, first);
      block.set_domain(Domain::coefficient);
      block.upload(residues.data());
      block.to_transform();
      engine.multiply_accumulate(sum.view(), block.view(), masks_.row_masks().items(r));
    }
    return sum;
  }

  /// D(1/x) of 2048 rows: the first coefficient stays, the others change sign and order.
  void read_block(std::vector<std::uint32_t>& residues, std::size_t row, std::size_t column) const {
    for (std::size_t i = 0; i < n; ++i) {
      const std::uint16_t* const words = words_.data() + (row + i) * n + column;
      for (std::size_t c = 0; c < batch; ++c) {
        const std::int64_t value = i == 0 ? centred_word(words[c]) : -centred_word(words[c]);
        for (std::size_t l = 0; l < limbs; ++l) {
          const auto prime = static_cast<std::int64_t>(lattice_.ring()->basis()[l]);
          residues[(c * limbs + l) * n + (n - i) % n] = static_cast<std::uint32_t>(value < 0 ? value + prime : value);
        }
      }
    }
  }

  const Masks& masks_;
  const Lattice& lattice_;
  std::span<const std::uint16_t> words_;
};

/// The parts of the trace, A_tau = 1/n sum_j x^j m_j(x^tau), for which sum_j x^j [constant term of m_j s] is the sum of
/// A_tau s(x^tau) over all n automorphisms. At zeta^e it is a transform over j of the values m_j(zeta^(e tau)).
class Trace {
 public:
  Trace(const Lattice& lattice, std::array<Grid, limbs> columns) : lattice_(lattice), grids_(std::move(columns)) {
    for (std::size_t l = 0; l < limbs; ++l) {
      transpose(grids_[l]);
      transform_rows(lattice.engine(), lattice.ring()->slice(l, 1), grids_[l], true);
    }
    inverse_ = lattice.factors(inverse_or_zero(n, lattice.modulus()));
  }

  /// A_tau for each of two automorphisms: transforms, an item each.
  PolyArray parts(const std::array<std::uint64_t, 2>& elements) const {
    PolyArray out = lattice_.make(2, 1, Domain::transform);
    std::vector<std::uint32_t> residues(2 * limbs * n);
    for (std::size_t i = 0; i < 2; ++i) {
      const std::vector<std::uint32_t> from = lattice_.ring()->galois().slots(elements[i]);
      for (std::size_t l = 0; l < limbs; ++l) {
        for (std::size_t s = 0; s < n; ++s) residues[(i * limbs + l) * n + s] = grids_[l][from[s] * n + s];
      }
    }
    out.upload(residues.data());
    lattice_.engine()->multiply_scalars(out.view(), out.view(), inverse_);
    return out;
  }

 private:
  const Lattice& lattice_;
  std::array<Grid, limbs> grids_;
  std::vector<std::uint64_t> inverse_;
};

/// value in [0, q) -> 3 signed digits of 18 bits whose sum is its representative around zero.
std::array<std::int32_t, gadget_digits> digits_of(std::uint64_t value, std::uint64_t q) noexcept {
  constexpr std::int64_t base = std::int64_t{1} << gadget_bits;
  auto rest = static_cast<std::int64_t>(value > q / 2 ? value - q : value);
  std::array<std::int32_t, gadget_digits> digits{};
  for (std::size_t k = 0; k + 1 < gadget_digits; ++k) {
    const std::int64_t low = ((rest + base / 2) & (base - 1)) - base / 2;
    digits[k] = static_cast<std::int32_t>(low);
    rest = (rest - low) >> gadget_bits;
  }
  digits.back() = static_cast<std::int32_t>(rest);
  return digits;
}

/// Digits of key switches for one automorphism: [digit][coefficient].
using Digits = std::vector<std::int32_t>;

/// Two chains of key switches, along the powers of 5 and along their negatives, each from s(x^(5^k)) to s(x^(5^(k-1)))
/// by the one key for 5, turned; then one switch from s(1/x) to s.
class Chains {
 public:
  Chains(const Masks& masks, const Trace& trace)
      : masks_(masks), lattice_(*masks.lattice()), group_(lattice_.ring()->galois()), trace_(trace) {}

  /// used(element, digits): the digits that meet y(x^element).
  template <class Used>
  void run(const Used& used) {
    PolyArray current = trace_.parts(elements(half - 1));
    for (std::size_t k = half - 1; k > 0; --k) {
      check_interrupt_often();
      const std::array<std::uint64_t, 2> below = elements(k - 1);
      const std::array<Digits, 2> digits = decomposed(current, 2);
      for (std::size_t i = 0; i < 2; ++i) used(below[i], digits[i]);
      current = switched(trace_.parts(below), digits, turned_keys(below));
    }
    flip_ = decomposed(current, 2)[1];
    PolyArray last = lattice_.make(1, 1, Domain::transform);
    lattice_.engine()->copy(last.view(), std::as_const(current).view().items(0));
    PolyArray keys = lattice_.make(1, gadget_digits, Domain::transform);
    lattice_.engine()->copy(keys.view(), masks_.flip_masks());
    last = switched(std::move(last), {flip_, {}}, keys);
    last.to_coefficient();
    mask_ = lattice_.integers(last);
  }

  const Digits& flip() const noexcept { return flip_; }
  const Residues& mask() const noexcept { return mask_; }

 private:
  std::array<std::uint64_t, 2> elements(std::size_t k) const {
    const std::uint64_t power = group_.power(turn_element, static_cast<std::int64_t>(k));
    return {power, group_.index() - power};
  }

  std::array<Digits, 2> decomposed(PolyArray& a, std::size_t count) const {
    a.to_coefficient();
    const Residues values = lattice_.integers(a);
    std::array<Digits, 2> out{};
    for (std::size_t i = 0; i < count; ++i) {
      out[i].resize(gadget_digits * n);
      for (std::size_t c = 0; c < n; ++c) {
        const auto digits = digits_of(values[i * n + c], lattice_.modulus());
        for (std::size_t d = 0; d < gadget_digits; ++d) out[i][d * n + c] = digits[d];
      }
    }
    a.to_transform();
    return out;
  }

  PolyArray turned_keys(const std::array<std::uint64_t, 2>& elements) const {
    PolyArray keys = lattice_.make(2, gadget_digits, Domain::transform);
    for (std::size_t i = 0; i < 2; ++i) {
      lattice_.engine()->automorphism(keys.view().items(i), masks_.turn_masks(), elements[i]);
    }
    return keys;
  }

  /// below - sum over digits of digit times key, item by item.
  PolyArray switched(PolyArray below, const std::array<Digits, 2>& digits, const PolyArray& keys) const {
    const std::size_t items = keys.batch();
    PolyArray product = lattice_.make(items, gadget_digits, Domain::coefficient);
    std::vector<std::uint32_t> residues(items * gadget_digits * limbs * n);
    for (std::size_t i = 0; i < items * gadget_digits * limbs; ++i) {
      const auto prime = static_cast<std::int32_t>(lattice_.ring()->basis()[i % limbs]);
      const std::int32_t* const from = digits[i / limbs / gadget_digits].data() + i / limbs % gadget_digits * n;
      for (std::size_t c = 0; c < n; ++c) {
        residues[i * n + c] = static_cast<std::uint32_t>(from[c] < 0 ? from[c] + prime : from[c]);
      }
    }
    product.upload(residues.data());
    product.to_transform();
    Engine& engine = *lattice_.engine();
    engine.multiply(product.view(), product.view(), keys.view());
    for (std::size_t d = 0; d < gadget_digits; ++d) {
      engine.subtract(below.view(), below.view(), product.view().part(d));
    }
    return below;
  }

  const Masks& masks_;
  const Lattice& lattice_;
  const GaloisGroup& group_;
  const Trace& trace_;
  Digits flip_;
  Residues mask_;
};

/// V from the digits of all steps, modulo a prime that is more than twice as large as its entries.
class Matrix {
 public:
  explicit Matrix(const Lattice& lattice)
      : lattice_(lattice),
        prime_(static_cast<std::uint32_t>(lattice.matrix_ring()->basis()[0])),
        exponents_of_x_(lattice.ring()->index()),
        exponents_(slot_exponents(lattice.ring()->galois())) {
    for (Grid& grid : digits_) grid.resize(n * n);
  }

  /// What meets y(x^element): digit polynomials lie where transforms have the value at zeta^-element, so that the
  /// inverse transform over them is the sum over elements.
  void add(std::uint64_t element, const Digits& digits) {
    const std::size_t item = lattice_.ring()->galois().slot(exponents_of_x_ - element);
    for (std::size_t d = 0; d < gadget_digits; ++d) {
      std::uint32_t* const to = digits_[d].data() + item * n;
      for (std::size_t c = 0; c < n; ++c) {
        const std::int32_t digit = digits[d * n + c];
        to[c] = digit < 0 ? static_cast<std::uint32_t>(digit) + prime_ : static_cast<std::uint32_t>(digit);
      }
    }
  }

  /// V + 2^31 as tiles; norms[i] += the sum of squares of row i.
  std::vector<std::uint8_t> tiles(std::vector<double>& norms) {
    std::vector<std::uint8_t> tiles(matrix_tile_bytes);
    for (std::size_t d = 0; d < gadget_digits; ++d) {
      Grid& grid = digits_[d];
      transform_rows(lattice_.engine(), lattice_.matrix_ring(), grid, true);
      transpose(grid);
      transform_rows(lattice_.engine(), lattice_.matrix_ring(), grid, false);
      Grid columns = spread(grid);
      grid = Grid();
      transform_rows(lattice_.engine(), lattice_.matrix_ring(), columns, false);
      write(tiles, norms, d, columns);
    }
    return tiles;
  }

 private:
  /// [slot f][u]: sums at zeta^f over elements of their digits times zeta^(u e), divided by n -> [column p][slot f].
  Grid spread(const Grid& sums) const {
    const Modulus<std::uint32_t> modulus(prime_);
    Grid columns(n * n);
    for (std::size_t p = 0; p < n; ++p) {
      for (std::size_t f = 0; f < n; ++f) {
        const std::size_t at = exponents_[f] * p % exponents_of_x_;
        const std::uint32_t value = sums[f * n + at % n];
        columns[p * n + f] = modulus.multiply(at < n ? value : modulus.negate(value), static_cast<std::uint32_t>(n));
      }
    }
    return columns;
  }

  void write(std::vector<std::uint8_t>& tiles, std::vector<double>& norms, std::size_t digit,
             const Grid& columns) const {
    constexpr std::size_t lanes = ByteTiles::columns;
    for (std::size_t p = 0; p < n; ++p) {
      const std::size_t quad = digit * n + p;
      for (std::size_t i = 0; i < n; ++i) {
        const std::uint32_t residue = columns[p * n + i];
        const std::int64_t value = std::int64_t{residue} - (residue > prime_ / 2 ? std::int64_t{prime_} : 0);
        norms[i] += static_cast<double>(value) * static_cast<double>(value);
        const auto stored = static_cast<std::uint32_t>(value + matrix_offset);
        std::uint8_t* const to = tiles.data() + ((i / lanes * matrix_quads + quad) * lanes + i % lanes) * 4;
        for (std::size_t byte = 0; byte < 4; ++byte) to[byte] = static_cast<std::uint8_t>(stored >> (8 * byte));
      }
    }
  }

  const Lattice& lattice_;
  std::uint32_t prime_;
  std::uint64_t exponents_of_x_;  // x to this is 1
  std::vector<std::uint32_t> exponents_;
  std::array<Grid, gadget_digits> digits_;
};

/// Rounded up by more than 6144 additions of doubles can have lost.
std::uint64_t whole(double norm) noexcept {
  const double above = norm * (1 + 0x1p-38) + 1;
  return above < 0x1p64 ? static_cast<std::uint64_t>(above) : std::numeric_limits<std::uint64_t>::max();
}

void measure_words(Packing& packing, std::span<const std::uint16_t> words) {
  std::vector<std::uint64_t> squares(n);
  std::vector<std::int64_t> sums(n);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::int64_t value = centred_word(words[i]);
    squares[i % n] += static_cast<std::uint64_t>(value * value);
    sums[i % n] += value;
  }
  packing.words_norm = *std::max_element(squares.begin(), squares.end());
  packing.words_sum = 0;
  for (const std::int64_t sum : sums) {
    packing.words_sum = std::max(packing.words_sum, static_cast<std::uint64_t>(std::abs(sum)));
  }
}

}  // namespace

Packing pack(const Masks& masks, std::span<const std::uint16_t> words) {
  if (words.size() != masks.rows() * n) {
    throw ArgumentError(message(words.size(), " words of an output; ", masks.rows(), " rows have ", masks.rows() * n));
  }
  const Lattice& lattice = *masks.lattice();
  Packing packing{};
  measure_words(packing, words);
  Matrix matrix(lattice);
  {
    const Trace trace(lattice, Columns(masks, words).transforms());
    Chains chains(masks, trace);
    chains.run([&](std::uint64_t element, const Digits& digits) { matrix.add(element, digits); });
    packing.flip = chains.flip();
    packing.mask = chains.mask();
  }
  double flip_norm = 0;
  for (const std::int32_t digit : packing.flip) flip_norm += static_cast<double>(digit) * static_cast<double>(digit);
  std::vector<double> norms(n, flip_norm);
  packing.matrix = matrix.tiles(norms);
  packing.matrix_norm = whole(*std::max_element(norms.begin(), norms.end()));
  return packing;
}

namespace {

/// Bytes of a column's words of a quad, little endian, with the offset that makes them unsigned.
template <std::size_t word_bytes>
void write_quad(std::uint8_t* to, const std::uint16_t* words) {
  for (std::size_t row = 0; row < ByteTiles::rows / word_bytes; ++row) {
    const std::uint16_t word = words[row * n];
    if constexpr (word_bytes == 1) {
      const std::int64_t value = centred_word(word) + byte_offset;
      if (value < 0 || value >= 2 * byte_offset) {
        throw RangeError(message("a word of ", centred_word(word), "; one byte holds -128 to 127"));
      }
      *to++ = static_cast<std::uint8_t>(value);
    } else {
      *to++ = static_cast<std::uint8_t>(word);
      *to++ = static_cast<std::uint8_t>(word >> 8);
    }
  }
}

template <std::size_t word_bytes>
std::vector<std::uint8_t> tiles_of(std::span<const std::uint16_t> words) {
  constexpr std::size_t lanes = ByteTiles::columns, rows = ByteTiles::rows / word_bytes;
  const std::size_t quads = words.size() / n / rows;
  std::vector<std::uint8_t> tiles(words.size() * word_bytes);
  for (std::size_t block = 0; block < n / lanes; ++block) {
    for (std::size_t quad = 0; quad < quads; ++quad) {
      std::uint8_t* to = tiles.data() + (block * quads + quad) * lanes * ByteTiles::rows;
      const std::uint16_t* const first = words.data() + rows * quad * n + block * lanes;
      for (std::size_t lane = 0; lane < lanes; ++lane, to += ByteTiles::rows) write_quad<word_bytes>(to, first + lane);
    }
  }
  return tiles;
}

}  // namespace

std::vector<std::uint8_t> arranged(std::span<const std::uint16_t> words, std::size_t word_bytes) {
  if (word_bytes != 1 && word_bytes != 2) throw ArgumentError(message("words of ", word_bytes, " bytes; 1 or 2"));
  if (words.size() % n != 0 || words.size() / n * word_bytes % ByteTiles::rows != 0) {
    throw ArgumentError(message(words.size(), " words of an output; they are rows of ", n, ", whose number times ",
                                word_bytes, " is a multiple of ", ByteTiles::rows));
  }
  return word_bytes == 1 ? tiles_of<1>(words) : tiles_of<2>(words);
}

}  // namespace cyclotome::retrieval
